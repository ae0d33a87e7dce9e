// SPDX-License-Identifier: MIT
// The picture on the canvas. What `painted` says is what can be seen: both change in one animation frame.

import { kept } from "./dom.js";
import { bounded, draw, isSideways, noZoom, untouched, widths } from "./placement.js";

/// The viewfinder's canvas, its zoom and its turns.
export class Viewfinder {
  #next = null;
  #shown = null;
  #scheduled = false;
  #pointers = new Map();
  #source = { width: 16, height: 9 };
  mount = { angle: 0, mirrored: false };
  #chosen = kept.get("view", {});
  view = { angle: 0, mirrored: false, ...this.#chosen };
  zoom = noZoom;
  painted = null;

  /// `onpaint(frame)` is called in the animation frame of the drawing; `onzoom()` and `onsize()` after changes.
  constructor(canvas, picture, stage) {
    Object.assign(this, { canvas, picture, stage, onpaint() {}, onzoom() {}, onsize() {} });
    new ResizeObserver(() => this.fit()).observe(stage);
    addEventListener("resize", () => this.fit());
    this.#listen();
  }

  /// Owns the bitmap. Of several before the next animation frame, only the last is drawn.
  show(bitmap, frame) {
    this.dropPending();
    this.#next = { bitmap, frame };
    this.#schedule();
  }

  /// Discards the frame that waits to be drawn.
  dropPending() {
    this.#next?.bitmap.close();
    this.#next = null;
  }

  redraw() { this.#schedule(); }

  /// The source's full size, how it hangs, and whether it is shown mirrored unless somebody has chosen otherwise.
  describe(format, mount, isMirrored = false) {
    this.#source = { width: format.width || 16, height: format.height || 9 };
    this.mount = mount ?? this.mount;
    this.view = { ...this.view, mirrored: isMirrored, ...this.#chosen };
    this.fit();
  }

  /// Changes how the picture is shown here. What was never chosen follows the camera.
  turn(choice) {
    this.#chosen = { ...this.#chosen, ...choice };
    this.view = { ...this.view, ...choice };
    kept.set("view", this.#chosen);
    this.fit();
  }

  set(zoom) {
    this.zoom = bounded(zoom);
    this.redraw();
    this.onzoom();
    this.onsize();
  }

  /// The width to ask of the server: enough for the canvas's real pixels, 0 for the camera's own.
  get width() {
    const isTurned = isSideways(this.mount) !== isSideways(this.view);
    const box = this.picture.getBoundingClientRect();
    const needed = (isTurned ? box.height : box.width) * devicePixelRatio * this.zoom.factor * 0.9;
    const width = widths.find(width => width >= needed);
    return width && width < this.#source.width ? width : 0;
  }

  /// The width of the camera's frames.
  get ownWidth() { return this.#source.width; }

  /// A small upright copy of what is shown, as a shot will show it.
  thumbnail(width = 320) {
    if (!this.#shown) return null;
    const { bitmap } = this.#shown, turned = isSideways(this.mount);
    const ratio = turned ? bitmap.width / bitmap.height : bitmap.height / bitmap.width;
    const canvas = Object.assign(document.createElement("canvas"), { width, height: Math.round(width * ratio) });
    draw(canvas, bitmap, { mount: this.mount, zoom: this.zoom });
    return canvas;
  }

  /// Gives the picture the largest size of its shape that the stage has room for.
  fit() {
    const sideways = isSideways(this.mount) !== isSideways(this.view);
    const { width, height } = this.#source, ratio = sideways ? height / width : width / height;
    const styles = getComputedStyle(this.stage), room = name => parseFloat(styles.getPropertyValue(name)) || 0;
    const freeWidth = this.stage.clientWidth - room("padding-left") - room("padding-right");
    // In portrait the stage is as tall as its picture; a limit keeps room for the rest.
    const tallest = styles.getPropertyValue("--tallest").trim();
    const freeHeight = tallest ? innerHeight * parseFloat(tallest)
      : this.stage.clientHeight - room("padding-top") - room("padding-bottom");
    const shown = Math.floor(Math.max(40, Math.min(freeWidth, freeHeight * ratio)));
    // The line of time is as wide.
    const { style } = this.stage.parentElement;
    style.setProperty("--width", `${shown}px`);
    style.setProperty("--height", `${Math.round(shown / ratio)}px`);
    // More pixels than the source has would show nothing more.
    const pixels = Math.min(shown * devicePixelRatio, sideways ? height : width);
    const size = [Math.round(pixels), Math.round(pixels / ratio)];
    if (this.canvas.width !== size[0] || this.canvas.height !== size[1]) {
      [this.canvas.width, this.canvas.height] = size;
      if (this.#shown) draw(this.canvas, this.#shown.bitmap, this);
    } else {
      this.redraw();
    }
    this.onsize();
  }

  #schedule() {
    if (this.#scheduled) return;
    this.#scheduled = true;
    requestAnimationFrame(() => this.#paint());
  }

  #paint() {
    this.#scheduled = false;
    const isNew = this.#next !== null;
    if (isNew) {
      this.#shown?.bitmap.close();
      [this.#shown, this.#next] = [this.#next, null];
    }
    if (!this.#shown) return;
    draw(this.canvas, this.#shown.bitmap, this);
    this.painted = this.#shown.frame.id;
    if (isNew) this.onpaint(this.#shown.frame, this.#shown.bitmap);
  }

  // Pinch and wheel zoom about the point they touch; dragging moves what is zoomed.
  #listen() {
    const point = event => {
      const box = this.canvas.getBoundingClientRect();
      return untouched({ x: (event.clientX - box.x) / box.width, y: (event.clientY - box.y) / box.height }, this.view);
    };
    const about = (at, factor, to = at) => {
      const { x, y, factor: old } = this.zoom, next = Math.min(Math.max(factor, 1), 8);
      this.set({
        factor: next, x: x + (at.x - 0.5) / old - (to.x - 0.5) / next, y: y + (at.y - 0.5) / old - (to.y - 0.5) / next,
      });
    };
    this.canvas.addEventListener("wheel", event => {
      event.preventDefault();
      about(point(event), this.zoom.factor * Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0015)));
    }, { passive: false });
    this.canvas.addEventListener("pointerdown", event => {
      this.canvas.setPointerCapture(event.pointerId);
      this.#pointers.set(event.pointerId, point(event));
    });
    this.canvas.addEventListener("pointermove", event => {
      const before = [...this.#pointers.values()];
      if (!this.#pointers.has(event.pointerId)) return;
      this.#pointers.set(event.pointerId, point(event));
      const after = [...this.#pointers.values()];
      const middle = points => ({
        x: points.reduce((sum, { x }) => sum + x, 0) / points.length,
        y: points.reduce((sum, { y }) => sum + y, 0) / points.length,
      });
      const spread = points => points.length > 1 ? Math.hypot(points[0].x - points[1].x, points[0].y - points[1].y) : 1;
      about(middle(before), this.zoom.factor * spread(after) / (spread(before) || 1), middle(after));
    });
    for (const name of ["pointerup", "pointercancel"]) {
      this.canvas.addEventListener(name, event => this.#pointers.delete(event.pointerId));
    }
    this.canvas.addEventListener("dblclick", event =>
      this.zoom.factor > 1 ? this.set(noZoom) : about(point(event), 2));
  }
}
