// SPDX-License-Identifier: MIT
// The line of time: the last seconds as a strip of film, and the moment that is shown.

import { seconds } from "./dom.js";

/// The rail below the picture. While a moment is held, `held` is its frame; null means live.
export class Rail {
    #frames = [];
    #tiles = [];
    #wanted = null;
    #isLoading = false;
    #refresh = null;
    held = null;
    span = 4000;
    width = 0;

    /// `show(bitmap, frame)` paints a held frame; `changed()` after each change of what is held; `lost()` when it left the ring.
    constructor(element, server, { show, changed, lost }) {
        Object.assign(this, { element, server, show, changed, lost });
        this.canvas = element.firstElementChild;
        new ResizeObserver(() => {
            this.canvas.width = Math.round(element.clientWidth * devicePixelRatio);
            this.canvas.height = Math.round(element.clientHeight * devicePixelRatio);
            this.#draw();
        }).observe(element);
        this.#listen();
    }

    get #now() { return this.#frames.at(-1)?.time ?? 0; }

    /// A frame of the stream has come, in step with the picture or behind a held one.
    arrived({ id, time }) {
        const newest = this.#frames.at(-1);
        if (newest && newest.id.split(":")[0] !== id.split(":")[0]) this.forget();
        else if (newest && time <= newest.time) return;
        this.#frames.push({ id, time });
        const first = this.#frames.findIndex(frame => frame.time >= time - this.span);
        this.#frames.splice(0, first);
        if (this.held && this.held.time < this.#frames[0].time) {
            this.live();
            this.lost();
        }
        this.#draw();
    }

    /// Whether a frame at a time would be a picture of its own on the strip.
    wants(time) { return this.canvas.height > 0 && !(this.#tiles.at(-1)?.time > time - this.#step); }

    /// A picture for the strip. The bitmap remains the caller's.
    feed(bitmap, { id, time }) {
        const height = this.canvas.height, tile = document.createElement("canvas");
        [tile.width, tile.height] = [Math.max(1, Math.round(height * bitmap.width / bitmap.height)), height];
        tile.getContext("2d", { alpha: false }).drawImage(bitmap, 0, 0, tile.width, tile.height);
        this.#tiles.push({ id, time, tile });
        this.#tiles.sort((one, other) => one.time - other.time);
        this.#tiles = this.#tiles.filter(tile => tile.time > this.#now - this.span - 2 * this.#step);
    }

    get #step() {
        const tile = this.#tiles.at(-1)?.tile;
        const width = tile ? tile.width * this.canvas.height / tile.height : this.canvas.height * 16 / 9;
        return this.span * width / (this.canvas.width || 1);
    }

    /// Fills the strip with what the ring already has.
    async fill() {
        await this.#look();
        let next = 0;
        for (const frame of this.#frames.slice()) {
            if (frame.time < next) continue;
            next = frame.time + this.#step;
            if (this.#tiles.some(tile => Math.abs(tile.time - frame.time) < this.#step / 2)) continue;
            const bitmap = await this.#picture(frame, 160).catch(() => null);
            if (!bitmap) continue;
            this.feed(bitmap, frame);
            bitmap.close();
        }
        this.#draw();
    }

    forget() {
        [this.#frames, this.#tiles, this.held] = [[], [], null];
        clearInterval(this.#refresh);
        this.changed();
    }

    live() {
        if (!this.held) return;
        this.held = this.#wanted = null;
        clearInterval(this.#refresh);
        this.#draw();
        this.changed();
    }

    /// Holds the frame that is so many frames from the one shown.
    step(count) {
        if (!this.#frames.length) return;
        const at = this.held ? this.#frames.findIndex(frame => frame.time >= this.held.time) : this.#frames.length - 1;
        const next = Math.max(0, at + count);
        if (next >= this.#frames.length - 1) this.live();
        else this.#hold(this.#frames[next]);
    }

    /// Milliseconds from the held frame to the newest.
    get age() { return this.held ? this.#now - this.held.time : 0; }

    async #look() {
        const ring = await this.server.ring().catch(() => null);
        if (!ring?.frames.length) return;
        const newest = ring.frames.at(-1).time, later = this.#frames.filter(frame => frame.time > newest);
        this.#frames = [...ring.frames, ...later];
        this.span = Math.max(500, this.span, newest - ring.frames[0].time);
    }

    #hold(frame) {
        const wasLive = !this.held;
        if (this.held?.id === frame.id) return;
        this.held = frame;
        if (wasLive) {
            this.#look();
            // The stream may leave frames out; the ring does not.
            clearInterval(this.#refresh);
            this.#refresh = setInterval(() => this.#look(), 1000);
        }
        this.#draw();
        this.changed();
        this.#load(frame);
    }

    async #picture(frame, width) {
        const query = width ? `&width=${width}` : "";
        const response = await this.server.fetch(`/snapshot?frame=${encodeURIComponent(frame.id)}${query}`);
        return createImageBitmap(await response.blob());
    }

    async #load(frame) {
        this.#wanted = frame;
        if (this.#isLoading) return;
        this.#isLoading = true;
        while (this.#wanted) {
            const wanted = this.#wanted;
            this.#wanted = null;
            const bitmap = await this.#picture(wanted, this.width).catch(() => null);
            if (bitmap && this.held) this.show(bitmap, wanted);
            else bitmap?.close();
            if (!bitmap && this.held === wanted) {
                this.live();
                this.lost();
            }
        }
        this.#isLoading = false;
    }

    #draw() {
        const { width, height } = this.canvas, context = this.canvas.getContext("2d");
        const x = time => width * (1 - (this.#now - time) / this.span);
        context.clearRect(0, 0, width, height);
        this.#tiles.forEach(({ time, tile }, index) => {
            // Frames are not exactly a tile apart: each reaches to the next, unless frames are missing.
            const own = tile.width * height / tile.height, next = this.#tiles[index + 1];
            const reach = next ? x(next.time) - x(time) : own;
            context.drawImage(tile, x(time), 0, Math.min(reach, 1.4 * own), height);
        });
        // Nothing lies beyond now: the newest picture reaches to the edge.
        const last = this.#tiles.at(-1);
        if (last) {
            const start = Math.max(0, x(last.time)), share = Math.min(1, (width - start) / (last.tile.width || 1));
            if (share > 0) context.drawImage(last.tile, 0, 0, last.tile.width * share, last.tile.height, start, 0, width - start, height);
        }
        const at = this.held ? Math.min(Math.max(x(this.held.time) / width, 0), 1) : 1;
        this.element.style.setProperty("--at", at);
        this.element.classList.toggle("held", this.held !== null);
        const value = -Math.round(this.age / 10) / 100;
        if (this.element.ariaValueNow !== String(value)) {
            this.element.ariaValueMin = -this.span / 1000;
            this.element.ariaValueNow = value;
            this.element.ariaValueText = this.held ? `${seconds(this.age)} ago` : "Live";
        }
    }

    #listen() {
        const { element } = this;
        const choose = event => {
            const box = element.getBoundingClientRect(), at = (event.clientX - box.x) / box.width;
            const time = this.#now - (1 - Math.min(Math.max(at, 0), 1)) * this.span;
            if (at > 0.985 || !this.#frames.length) return this.live();
            this.#hold(this.#frames.reduce((best, frame) =>
                Math.abs(frame.time - time) < Math.abs(best.time - time) ? frame : best));
        };
        element.addEventListener("pointerdown", event => {
            element.setPointerCapture(event.pointerId);
            element.focus({ preventScroll: true });
            choose(event);
        });
        element.addEventListener("pointermove", event => {
            if (element.hasPointerCapture(event.pointerId)) choose(event);
        });
    }

    /// The keys of the line of time. Returns whether the key was one.
    key(event) {
        const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowDown: -1, ArrowUp: 1, PageDown: -10, PageUp: 10 };
        const few = event.shiftKey ? 10 : 1;
        if (event.key in steps) this.step(steps[event.key] * few);
        else if (event.key === "Home") this.step(-Infinity);
        else if (event.key === "End") this.live();
        else return false;
        return true;
    }
}
