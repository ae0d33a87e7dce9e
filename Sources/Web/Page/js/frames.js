// SPDX-License-Identifier: MIT
// The stream of frames: one endless response, of which only the newest frame counts.

import { sleep } from "./dom.js";
import { runOf } from "./server.js";

const magic = 0x3146434c;
const headerSize = 32;
const silence = 4000;

/// The records of a response's body. Those without a picture are heartbeats.
async function* records(body, heard) {
  const reader = body.getReader();
  let chunk = new Uint8Array(0), at = 0;
  async function fill(target) {
    for (let filled = 0; filled < target.length;) {
      if (at === chunk.length) {
        const { done, value } = await reader.read();
        if (done) return false;
        heard();
        [chunk, at] = [value, 0];
      }
      const count = Math.min(target.length - filled, chunk.length - at);
      target.set(chunk.subarray(at, at + count), filled);
      filled += count;
      at += count;
    }
    return true;
  }
  const header = new Uint8Array(headerSize), view = new DataView(header.buffer);
  while (await fill(header)) {
    if (view.getUint32(0, true) !== magic) throw new Error("not a stream of frames");
    const jpeg = new Uint8Array(view.getUint32(24, true));
    const record = {
      id: `${view.getUint32(4, true)}:${view.getBigUint64(8, true)}`,
      time: Number(view.getBigInt64(16, true)) / 1e6,
      width: view.getUint16(28, true), height: view.getUint16(30, true), jpeg,
    };
    if (!await fill(jpeg)) return;
    if (jpeg.length) yield record;
  }
}

/// Reads frames and decodes the newest, one at a time; those that arrive meanwhile are left out but for the last.
export class FrameStream {
  #newest = null;
  #decoding = false;
  #stop = null;
  #width = null;
  #paused = false;
  #asked = false;

  /// `shown(bitmap, frame)` owns the bitmap, `arrived(frame)` hears of each frame, and `changed(isConnected, error)` of
  /// the connection.
  constructor(server, { shown, arrived, changed }) {
    Object.assign(this, { server, shown, arrived, changed });
  }

  /// The width to ask for, or 0 for the camera's own.
  set width(width) {
    if (width === this.#width) return;
    this.#width = width;
    this.#restart();
  }

  /// No frames are needed while nobody looks: a browser has few connections for each server.
  set paused(paused) {
    this.#paused = paused;
    if (paused) this.#restart();
  }

  #restart() {
    this.#asked = true;
    this.#stop?.abort();
  }

  async run() {
    for (let wait = 0; ; wait = Math.min(wait * 2 || 250, 2000)) {
      if (this.#paused || this.#width === null) {
        await sleep(100);
        wait = 0;
        continue;
      }
      const stop = this.#stop = new AbortController();
      let last = performance.now(), refusal;
      this.#asked = false;
      const watch = setInterval(() => performance.now() - last > silence && stop.abort(), 500);
      try {
        const path = this.#width ? `/frames?width=${this.#width}` : "/frames";
        const response = await this.server.fetch(path, { signal: stop.signal });
        for await (const record of records(response.body, () => { last = performance.now(); })) {
          record.run = runOf(response);
          this.changed(true);
          wait = 0;
          this.arrived(record);
          this.#newest = record;
          this.#decode();
        }
      } catch (error) {
        if (error.status) refusal = error;
      }
      clearInterval(watch);
      stop.abort();
      if (this.#asked) {
        wait = 0;
        continue;
      }
      this.changed(false, refusal);
      await sleep(wait);
    }
  }

  async #decode() {
    if (this.#decoding) return;
    this.#decoding = true;
    while (this.#newest) {
      const record = this.#newest;
      this.#newest = null;
      // A damaged JPEG is left out, as the server leaves out damaged frames.
      const bitmap = await createImageBitmap(new Blob([record.jpeg], { type: "image/jpeg" })).catch(() => null);
      if (bitmap) this.shown(bitmap, record);
    }
    this.#decoding = false;
  }
}
