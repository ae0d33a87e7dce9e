// SPDX-License-Identifier: MIT
// The stream of frames: one endless response, of which only the newest frame counts.

import { sleep } from "./dom.js";
import { runOf } from "./server.js";

/// "LCF1", "LCK1" and "LCD1".
const kinds = { 0x3146434c: "jpeg", 0x314b434c: "key", 0x3144434c: "dependent" };
const headerSize = 36;
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
    const kind = kinds[view.getUint32(0, true)];
    if (!kind) throw new Error("not a stream of frames");
    const bytes = new Uint8Array(view.getUint32(24, true));
    const record = {
      kind,
      id: `${view.getUint32(4, true)}:${view.getBigUint64(8, true)}`,
      time: Number(view.getBigInt64(16, true)) / 1e6,
      width: view.getUint16(28, true), height: view.getUint16(30, true), number: view.getUint32(32, true), bytes,
    };
    if (!await fill(bytes)) return;
    if (bytes.length) yield record;
  }
}

/// Reads frames. Of JPEG it decodes the newest, one at a time, and those that arrive meanwhile are left out but for the
/// last. Of H.264 it decodes all.
export class FrameStream {
  #newest = null;
  #decoding = false;
  #stop = null;
  #wish = null;
  #paused = false;
  #asked = false;
  #video = null;
  /// What decodes H.264, as `decoder` of line.js has found before any is asked for.
  decoder = "";

  /// `shown(bitmap, frame)` owns the bitmap, `arrived(frame)` hears of each frame, `begins()` of each stream,
  /// `changed(isConnected, error)` of the connection, and `failed(error)` of H.264 that cannot be had or shown.
  constructor(server, { shown, arrived, begins, changed, failed }) {
    Object.assign(this, { server, shown, arrived, begins, changed, failed });
  }

  /// What to ask for: the codec, the width, or 0 for the camera's own, and the frames per second, or 0 for all.
  set wish(wish) {
    if (JSON.stringify(wish) === JSON.stringify(this.#wish)) return;
    this.#wish = wish;
    this.#restart();
  }

  get wish() { return this.#wish; }

  /// How many frames wait for the decoder.
  get backlog() { return this.#video?.backlog ?? 0; }

  /// No frames are needed while nobody looks: a browser has few connections for each server.
  set paused(paused) {
    this.#paused = paused;
    if (paused) this.#restart();
  }

  #restart() {
    this.#asked = true;
    this.#stop?.abort();
  }

  // Loaded when it is needed.
  async #loadVideo() {
    const whose = { shown: this.shown, failed: error => this.#fail(error) };
    if (this.decoder === "Media Source") return new (await import("./media.js")).MediaPictures(whose);
    return new (await import("./video.js")).VideoPictures(whose);
  }

  #fail(error) {
    this.failed(error);
    this.#restart();
  }

  get #path() {
    const { codec, width, fps } = this.#wish, query = new URLSearchParams();
    if (width) query.set("width", width);
    if (codec !== "jpeg") query.set("codec", codec);
    if (fps) query.set("fps", fps);
    return query.size ? `/frames?${query}` : "/frames";
  }

  async run() {
    for (let wait = 0; ; wait = Math.min(wait * 2 || 250, 2000)) {
      if (this.#paused || this.#wish === null) {
        await sleep(100);
        wait = 0;
        continue;
      }
      const stop = this.#stop = new AbortController();
      let last = performance.now(), refusal, hasCome = false;
      this.#asked = false;
      const watch = setInterval(() => performance.now() - last > silence && stop.abort(), 500);
      const { codec } = this.#wish;
      this.begins();
      try {
        if (codec === "h264") this.#video ??= await this.#loadVideo();
        const response = await this.server.fetch(this.#path, { signal: stop.signal });
        for await (const record of records(response.body, () => { last = performance.now(); })) {
          record.run = runOf(response);
          this.changed(true);
          [wait, hasCome] = [0, true];
          this.arrived(record);
          if (record.kind !== "jpeg") {
            this.#video.take(record);
            continue;
          }
          this.#newest = record;
          this.#decode();
        }
        // A server that can begin no stream of H.264 ends it.
        if (codec === "h264" && !hasCome && !this.#asked) this.#fail(new Error("the server cannot encode H.264"));
      } catch (error) {
        if (error.status === 501) this.#fail(error);
        else if (error.status) refusal = error;
      }
      clearInterval(watch);
      stop.abort();
      this.#video?.close();
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
      const bitmap = await createImageBitmap(new Blob([record.bytes], { type: "image/jpeg" })).catch(() => null);
      if (bitmap) this.shown(bitmap, record);
    }
    this.#decoding = false;
  }
}
