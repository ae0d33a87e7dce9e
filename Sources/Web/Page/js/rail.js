// SPDX-License-Identifier: MIT
// The line of time: the last seconds as a strip of film, and the moment that is shown.

import { seconds, sleep } from "./dom.js";
import { draw, isSideways } from "./placement.js";

const within = (value, low, high) => Math.min(Math.max(value, low), high);

/// The rail below the picture. While a moment is held, `held` is its frame; null means live.
export class Rail {
  #frames = [];
  #tiles = [];
  #wanted = null;
  #isLoading = false;
  #refresh = 0;
  #told = 0;
  // What the server holds: the frames, until when, and for how long that was.
  #kept = { frames: [], until: 0, span: 0 };
  #isKeeping = false;
  #isCurrent = true;
  held = null;
  span = 4000;
  width = 0;

  /// `mount()` returns how the camera is mounted, and `show(bitmap, frame)` paints a held frame. `leftLive()` is called
  /// before the first frame is held, `changed()` whenever another one is, `lost()` when it has left memory,
  /// `hidden()` when it shows what is hidden now, and `notKept()` when the server has no room to hold it.
  constructor(element, server, { mount, leftLive, show, changed, lost, hidden, notKept }) {
    Object.assign(this, { element, server, mount, leftLive, show, changed, lost, hidden, notKept });
    [this.canvas, this.start] = [element.firstElementChild, element.querySelector("b")];
    // Another connection has another name.
    server.on("page", () => this.held && this.#keep());
    new ResizeObserver(() => {
      this.canvas.width = Math.round(element.clientWidth * devicePixelRatio);
      this.canvas.height = Math.round(element.clientHeight * devicePixelRatio);
      this.#draw();
    }).observe(element);
    element.addEventListener("pointerdown", event => {
      element.setPointerCapture(event.pointerId);
      this.#point(event);
    });
    element.addEventListener("pointermove", event => element.hasPointerCapture(event.pointerId) && this.#point(event));
  }

  get #now() { return this.#frames.at(-1)?.time ?? 0; }

  /// The time that one picture on the strip stands for.
  get #step() {
    const { width, height } = this.#tiles.at(-1)?.tile ?? { width: 16, height: 9 };
    return this.span * width / height * this.canvas.height / (this.canvas.width || 1);
  }

  /// Milliseconds from the held frame to the newest.
  get age() { return this.held ? this.#now - this.held.time : 0; }

  /// Whether the server holds the moment, so that it outlasts the ring.
  get isKept() { return this.held !== null && performance.now() < this.#kept.until; }

  /// Milliseconds until the held frame leaves memory.
  get left() {
    return this.held ? Math.max(0, this.span - this.age, this.#kept.until - performance.now()) : 0;
  }

  /// The share of that time that is left.
  get rest() { return this.isKept ? Math.min(1, this.left / this.#kept.span) : this.left / this.span; }

  // All frames to step among: those that are held stay when the ring has passed them.
  get #steps() {
    const first = this.#frames[0]?.time ?? Infinity;
    return [...this.isKept ? this.#kept.frames.filter(({ time }) => time < first) : [], ...this.#frames];
  }

  /// A frame of the stream has come.
  arrived({ id, time, run }) {
    const last = this.#frames.at(-1), isOther = last?.run !== run || last.id.split(":")[0] !== id.split(":")[0];
    if (isOther || time < this.#now - this.span) this.forget();
    if (time <= this.#now) return;
    this.#frames.push({ id, time, run });
    this.#frames.splice(0, this.#frames.findIndex(frame => frame.time >= time - this.span));
    // While the server is asked to hold it, its answer says.
    if (this.held?.time < this.#frames[0].time && !this.isKept && !this.#isKeeping) this.#lose();
    if (this.held && Math.floor(this.age / 1000) !== this.#told) this.#say();
    this.#draw();
  }

  /// Whether a frame at a time would be a picture of its own on the strip.
  wants(time) { return this.canvas.height > 0 && !(this.#tiles.at(-1)?.time > time - this.#step); }

  /// A picture for the strip. The bitmap remains the caller's.
  feed(bitmap, { time }) {
    const tile = document.createElement("canvas"), mount = this.mount(), ratio = bitmap.width / bitmap.height;
    tile.height = this.canvas.height;
    tile.width = Math.max(1, Math.round(tile.height * (isSideways(mount) ? 1 / ratio : ratio)));
    draw(tile, bitmap, { mount });
    this.#tiles = [...this.#tiles, { time, tile }].sort((one, other) => one.time - other.time)
      .filter(tile => tile.time > this.#now - this.span - 2 * this.#step);
  }

  /// Fills the strip with what the ring has, from the newest back: the oldest may leave before they are asked for.
  async fill() {
    await this.#look();
    let next = Infinity;
    for (const frame of this.#frames.toReversed()) {
      if (frame.time > next || frame.time < this.#now - this.span + 400) continue;
      next = frame.time - this.#step;
      if (this.#tiles.some(tile => Math.abs(tile.time - frame.time) < this.#step / 2)) continue;
      const bitmap = await this.#picture(frame, 160).catch(() => null);
      if (!bitmap) break;
      this.feed(bitmap, frame);
      bitmap.close();
      this.#draw();
    }
  }

  /// Other frames follow, of another camera or another start of it.
  forget() {
    [this.#frames, this.#tiles] = [[], []];
    if (this.held) this.#lose();
    else this.live();
  }

  live() {
    clearInterval(this.#refresh);
    if (!this.held) return;
    this.held = this.#wanted = null;
    this.#draw();
    this.#say();
    this.#keep();
  }

  /// Holds the frame that is so many frames from the one shown.
  async step(count) {
    // Just after the page has loaded, only the server knows the earlier frames.
    if (this.#frames.length < 2) await this.#look();
    const frames = this.#steps, last = frames.length - 1;
    const at = this.held ? frames.findIndex(frame => frame.time >= this.held.time) : last;
    const next = Math.max(0, at + count);
    if (next >= last) this.live();
    else this.#hold(frames[next]);
  }

  /// The keys of the line of time. Returns whether the key was one.
  key({ key, shiftKey }) {
    const steps = {
      ArrowLeft: -1, ArrowDown: -1, PageDown: -10, Home: -Infinity,
      ArrowRight: 1, ArrowUp: 1, PageUp: 10, End: Infinity,
    };
    if (key in steps) this.step(steps[key] * (shiftKey ? 10 : 1));
    return key in steps;
  }

  async #look() {
    const frames = await this.server.ring().catch(() => []), newest = frames.at(-1)?.time;
    if (!frames.length) return;
    this.#frames = [...frames, ...this.#frames.filter(frame => frame.time > newest)];
    this.span = Math.max(this.span, newest - frames[0].time);
  }

  #hold(frame) {
    if (this.held?.id === frame.id) return;
    if (!this.held) {
      this.leftLive();
      // The stream may leave frames out; the ring does not.
      this.#look();
      this.#refresh = setInterval(() => this.#look(), 1000);
    }
    this.held = frame;
    this.#draw();
    this.#say();
    this.#load(frame);
    this.#keep();
  }

  // One request is on its way at a time; of the moments chosen meanwhile, only the last counts.
  async #keep() {
    this.#isCurrent = false;
    if (this.#isKeeping) return;
    this.#isKeeping = true;
    while (!this.#isCurrent) {
      const { held } = this;
      this.#isCurrent = true;
      try {
        const { frames = [], leftMs = 0 } = await this.server.hold(held?.id) ?? {};
        this.#kept = { frames, until: performance.now() + leftMs, span: leftMs };
      } catch (error) {
        this.#kept = { frames: [], until: 0, span: 0 };
        // What is hidden or gone is said where its picture is asked for.
        if (held && error.status === 503) this.notKept();
      }
    }
    this.#isKeeping = false;
  }

  #lose() {
    this.live();
    this.lost();
  }

  #point({ clientX }) {
    const box = this.element.getBoundingClientRect(), at = within((clientX - box.x) / box.width, 0, 1);
    if (at > 0.985 || !this.#frames.length) return this.live();
    const distance = ({ time }) => Math.abs(this.#now - (1 - at) * this.span - time);
    this.#hold(this.#frames.reduce((best, frame) => distance(frame) < distance(best) ? frame : best));
  }

  async #picture({ id }, width) {
    const response = await this.server.fetch(`/snapshot?frame=${id}${width ? `&width=${width}` : ""}`);
    return createImageBitmap(await response.blob());
  }

  // One picture is on its way at a time; of those asked for meanwhile, only the last counts.
  async #load(frame) {
    this.#wanted = frame;
    if (this.#isLoading) return;
    this.#isLoading = true;
    while (this.#wanted) {
      const wanted = this.#wanted;
      this.#wanted = null;
      let isBusy = false, isHidden = false;
      const bitmap = await this.#picture(wanted, this.width).catch(({ status, code }) => {
        isBusy = status === 503 || status === 0;
        isHidden = code === "hidden";
        return null;
      });
      if (bitmap && this.held) this.show(bitmap, wanted);
      else bitmap?.close();
      if (bitmap || this.held !== wanted) continue;
      if (isHidden) {
        this.live();
        this.hidden();
        continue;
      }
      if (!isBusy) {
        this.#lose();
        continue;
      }
      // The frame is there; its picture may be soon.
      await sleep(500);
      if (this.held === wanted) this.#wanted ??= wanted;
    }
    this.#isLoading = false;
  }

  #draw() {
    const { width, height } = this.canvas, context = this.canvas.getContext("2d"), { element } = this;
    const x = time => width * (1 - (this.#now - time) / this.span);
    context.clearRect(0, 0, width, height);
    // Each picture stands for the time until the next one, repeated where frames are missing.
    this.#tiles.forEach(({ time, tile }, index) => {
      const own = tile.width * height / tile.height, end = x(this.#tiles[index + 1]?.time ?? this.#now);
      for (let left = x(time); left < end; left += own) {
        const share = Math.min(1, (end - left) / own);
        context.drawImage(tile, 0, 0, tile.width * share, tile.height, left, 0, own * share + 1, height);
      }
    });
    element.style.setProperty("--at", this.held ? within(x(this.held.time) / width, 0, 1) : 1);
    element.classList.toggle("held", this.held !== null);
  }

  /// Writes on the strip how far it goes back.
  label() { this.start.textContent = `−${Math.max(1, Math.round(this.span / 1000))} s`; }

  // Said for each moment chosen, and at full seconds while it grows older.
  #say() {
    this.#told = Math.floor(this.age / 1000);
    this.label();
    this.element.ariaValueMin = String(-this.span / 1000);
    this.element.ariaValueNow = String(-Math.round(Math.min(this.age, this.span) / 10) / 100);
    this.element.ariaValueText = this.held ? `${seconds(this.age)} ago` : "Live";
    this.changed();
  }
}
