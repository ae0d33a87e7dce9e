// SPDX-License-Identifier: MIT
// H.264 to bitmaps, each with the frame that it shows.

/// The name of the codec, as the parameters in a frame have it; null if there are none.
export function codecOf(bytes) {
  for (let at = 0; at + 6 < bytes.length; at += 1) {
    const isUnit = bytes[at] === 0 && bytes[at + 1] === 0 && bytes[at + 2] === 1;
    if (!isUnit || (bytes[at + 3] & 0x1f) !== 7) continue;
    return `avc1.${[...bytes.subarray(at + 4, at + 7)].map(byte => byte.toString(16).padStart(2, "0")).join("")}`;
  }
  return null;
}

/// More than any decoder holds back.
const most = 60;

/// Makes bitmaps of pictures. Of those that come faster than they can be copied, only the newest becomes one.
export class NewestPicture {
  #next = null;
  #isCopying = false;
  #run = 0;

  /// `shown(bitmap, frame)` owns the bitmap.
  constructor(shown) { this.shown = shown; }

  /// Owns the picture. A decoder has few pictures of its own, so none is kept longer than its copy takes.
  async take(picture, record) {
    this.#next?.picture.close();
    this.#next = { picture, record };
    if (this.#isCopying) return;
    this.#isCopying = true;
    while (this.#next) {
      const { picture, record } = this.#next, run = this.#run;
      this.#next = null;
      const bitmap = await createImageBitmap(picture).catch(() => null);
      picture.close();
      if (bitmap && run === this.#run) this.shown(bitmap, record);
      else bitmap?.close();
    }
    this.#isCopying = false;
  }

  /// Shows nothing of what was taken so far.
  close() {
    this.#run += 1;
    this.#next?.picture.close();
    this.#next = null;
  }
}

/// Decodes frames in order, and shows the newest.
export class VideoPictures {
  #decoder = null;
  #config = "";
  #pending = new Map();
  #count = 0;
  #pictures = null;

  /// `shown(bitmap, frame)` owns the bitmap; `failed(error)` is told once, and nothing is shown after it.
  constructor({ shown, failed }) {
    this.failed = failed;
    this.#pictures = new NewestPicture(shown);
  }

  /// How many frames wait to be decoded.
  get backlog() { return this.#decoder?.decodeQueueSize ?? 0; }

  take(record) {
    try {
      const isKey = record.kind === "key";
      if (isKey) this.#configure(record);
      if (!this.#decoder) return;
      if (this.#pending.size > most) throw new Error("the decoder holds frames back");
      // Frames are told apart by numbers of ours: times of frames may stand still or go back.
      const timestamp = (this.#count += 1) * 1000;
      this.#pending.set(timestamp, record);
      this.#decoder.decode(new EncodedVideoChunk({ type: isKey ? "key" : "delta", timestamp, data: record.bytes }));
    } catch (error) {
      this.#fail(error);
    }
  }

  close() {
    if (this.#decoder && this.#decoder.state !== "closed") this.#decoder.close();
    this.#pictures.close();
    [this.#decoder, this.#config] = [null, ""];
    this.#pending.clear();
  }

  #configure({ bytes, width, height }) {
    const config = { codec: codecOf(bytes), codedWidth: width, codedHeight: height, optimizeForLatency: true };
    const text = JSON.stringify(config);
    if (text === this.#config) return;
    this.close();
    if (!config.codec) throw new Error("the stream does not say how it is coded");
    const decoder = this.#decoder = new VideoDecoder({
      output: picture => decoder === this.#decoder ? this.#decoded(picture) : picture.close(),
      error: error => decoder === this.#decoder && this.#fail(error),
    });
    decoder.configure(config);
    this.#config = text;
  }

  #fail(error) {
    this.close();
    this.failed(error);
  }

  #decoded(picture) {
    const record = this.#pending.get(picture.timestamp);
    // Pictures come in the order of their frames: those before it will not come.
    for (const timestamp of this.#pending.keys()) {
      if (timestamp > picture.timestamp) break;
      this.#pending.delete(timestamp);
    }
    if (record) this.#pictures.take(picture, record);
    else picture.close();
  }
}
