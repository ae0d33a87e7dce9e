// SPDX-License-Identifier: MIT
// What to ask for over this line: the codec and the width, by what arrives of the frames there are.

import { widths } from "./placement.js";

const baseline = "avc1.42c028";

/// What this browser decodes H.264 with: "WebCodecs", which browsers offer over TLS and from `localhost`, else "Media
/// Source", or "" for nothing.
export async function decoder() {
  if (globalThis.VideoDecoder && globalThis.EncodedVideoChunk) {
    const config = { codec: baseline, optimizeForLatency: true };
    const answer = await VideoDecoder.isConfigSupported(config).catch(() => null);
    if (answer?.supported) return "WebCodecs";
  }
  const { canPlay } = await import("./media.js").catch(() => ({}));
  return canPlay?.(baseline) ? "Media Source" : "";
}

/// A line by which less than this share comes of the frames that the server made, or that is further behind than at its
/// best, is too slow.
const enough = 0.8;
const farBehind = 300;
/// Seconds: how long it is too slow before less is asked for, and how long it is not before more is.
const patience = 2;
const calm = 10;
const longestCalm = 160;
/// Of more than this, in bits per second, a line that leaves frames out is not what is slow.
const fast = 40e6;
const saverWidth = 640;
const saverRate = 10;

const middle = values => values.toSorted((a, b) => a - b)[values.length >> 1];

/// Chooses by what arrives, once the first picture is there. It has no clock of its own: `look` is called once a second.
export class Line {
  /// Whether to take as little as shows something.
  isSaving = false;
  /// Why there is no H.264, if it was tried.
  failure = "";
  #choice = "auto";
  #codec = "jpeg";
  #cap = Infinity;
  #why = "";
  #trial = null;
  #slow = 0;
  #fine = 0;
  #calm = calm;
  #raised = false;
  #hasReturned = false;
  #best = Infinity;
  #window = null;

  /// `decoder` is what the browser decodes H.264 with, or "".
  constructor(decoder) { this.decoder = decoder; }

  /// What the last second was like: the share of frames that came, how many, bits per second, and how far behind.
  measured = null;

  /// Whether the H.264 that comes is the camera's own.
  isOwn = false;

  /// What the person chose: "auto", "jpeg" or "h264". Another choice forgets what failed before.
  get choice() { return this.#choice; }

  set choice(choice) {
    if (choice === this.#choice) return;
    [this.#choice, this.failure, this.#codec, this.#why, this.#trial] = [choice, "", "jpeg", "", null];
  }

  get canTakeVideo() { return Boolean(this.decoder) && !this.failure; }

  get codec() {
    if (!this.canTakeVideo || this.choice === "jpeg") return "jpeg";
    return this.choice === "h264" || this.isSaving ? "h264" : this.#codec;
  }

  /// In words, why the codec is what it is.
  get why() {
    if (this.codec === "h264") {
      return this.choice === "h264" ? "chosen here" : this.isSaving ? "data saver" : this.#why;
    }
    if (this.choice === "jpeg") return "chosen here";
    if (this.failure) return this.failure;
    if (!this.decoder && this.choice === "h264") {
      return "this browser decodes H.264 here only over TLS or from localhost, or not at all";
    }
    return this.#why;
  }

  /// What is shown of a picture of `width` pixels, how much of it comes, and why it is that, in words.
  words(width) {
    const { fps, bits } = this.measured ?? {}, size = width ? ` ${width} pixels wide` : " in full size";
    const rate = this.measured ? `, ${fps} frames and ${(bits / 1e6).toFixed(1)} Mbit per second` : "";
    const video = this.isOwn ? "the camera's own H.264" : "H.264";
    const what = this.codec === "h264" ? `${video} by ${this.decoder}` : "JPEG";
    return `Now ${what}${size}${rate}${this.why && `: ${this.why}`}`;
  }

  /// What to ask for, of a picture that could use `width` pixels (0 for all) of `own`.
  wish(width, own) {
    const needed = width || own, cap = Math.min(this.#cap, this.isSaving ? saverWidth : Infinity);
    const fps = this.isSaving && this.codec === "jpeg" ? saverRate : 0;
    return { codec: this.codec, width: cap < needed ? cap : width, fps };
  }

  /// The stream begins anew, or was not followed: what came before says nothing.
  begin() {
    this.#window = this.measured = null;
    this.#slow = 0;
  }

  /// Hears of a frame that came, and how old it is in milliseconds.
  arrived(frame, age) {
    // By what the server made: what makes the frames may leave some out, and no line is to blame for that.
    const { number } = frame;
    if (this.#window && number <= this.#window.last) this.#window = null;
    // The first frame of a window is the last of the one before.
    this.#window ??= { first: number, last: number, count: 0, bytes: 0, ages: [] };
    const window = this.#window;
    if (number > window.last) window.count += 1;
    window.last = number;
    window.bytes += frame.bytes.length;
    window.ages.push(age);
  }

  /// Judges the last second, and returns whether something else is to be asked for. `width` is what is asked for now,
  /// or the frames' own; `backlog` says how many frames wait for the decoder.
  look(width, backlog = 0) {
    const window = this.#window;
    if (!window || window.last - window.first < 4) return false;
    const { last } = window;
    this.#window = { first: last, last, count: 0, bytes: 0, ages: [] };
    const age = middle(window.ages), bits = window.bytes * 8;
    // Fewer frames may be what was asked for.
    const isThinned = this.isSaving && this.codec === "jpeg";
    const share = isThinned ? 1 : window.count / (window.last - window.first);
    this.measured = { share, fps: window.count, bits, age };
    this.#best = Math.min(this.#best, ...window.ages);
    const isSlow = share < enough || age > this.#best + farBehind || backlog > 10;
    [this.#slow, this.#fine] = isSlow ? [this.#slow + 1, 0] : [0, this.#fine + 1];
    // What was best may have been on another way.
    this.#best += 1;
    return this.#decide(width, share, bits);
  }

  #decide(width, share, bits) {
    if (this.#trial && this.#slow + this.#fine >= patience && this.codec === "h264") {
      const { share: before } = this.#trial;
      this.#trial = null;
      if (share < before) {
        this.failure = "H.264 was slower than JPEG here";
        return true;
      }
    }
    if (this.#slow >= patience) return this.#less(width, share, bits);
    if (this.#cap === Infinity) return this.#return();
    if (this.#fine < this.#calm) return false;
    this.#cap = widths[widths.indexOf(this.#cap) + 1] ?? Infinity;
    [this.#fine, this.#raised] = [0, true];
    return true;
  }

  /// Tries JPEG once more after a long time in which H.264 in full size was never too much.
  #return() {
    if (this.#fine < longestCalm || this.#codec === "jpeg" || this.#hasReturned) return false;
    if (this.choice !== "auto" || this.isSaving) return false;
    [this.#codec, this.#why, this.#fine, this.#hasReturned] = ["jpeg", "", 0, true];
    return true;
  }

  #less(width, share, bits) {
    this.#slow = 0;
    if (this.codec === "jpeg" && this.choice === "auto" && this.canTakeVideo && bits < fast) {
      [this.#codec, this.#why, this.#trial] = ["h264", "the line is slower than JPEG needs", { share }];
      return true;
    }
    const smaller = widths.findLast(smaller => smaller < width);
    if (!smaller) return false;
    // What was too much a moment ago is not tried again so soon.
    this.#calm = this.#raised ? Math.min(this.#calm * 2, longestCalm) : this.#calm;
    [this.#cap, this.#raised, this.#fine] = [smaller, false, 0];
    return true;
  }
}
