// SPDX-License-Identifier: MIT
// H.264 by Media Source, where a browser has no WebCodecs: over plain HTTP from another machine.

import { beginning, fragment, joined } from "./fragments.js";
import { codecOf, NewestPicture } from "./video.js";

const typeOf = codec => `video/mp4; codecs="${codec}"`;
// On phones of Apple there is only the managed one.
const Source = globalThis.MediaSource ?? globalThis.ManagedMediaSource;

/// Whether this browser plays H.264 of `codec` as it comes, and says which frame it shows: `VideoFrame` of a video is
/// that very picture with its time, and is there over plain HTTP, too.
export const canPlay = codec => Boolean(globalThis.VideoFrame && Source?.isTypeSupported(typeOf(codec))
  && HTMLVideoElement.prototype.requestVideoFrameCallback);

/// Milliseconds: between frames at most, and at least.
const slowest = 500, fastest = 4;
/// Milliseconds of what was not shown: more than this is made up for by a leap to a key frame, less by going faster.
const tooMuch = 700;
/// Milliseconds of what was shown that stay in the browser's memory, so that it is not cleared for each frame.
const past = 5000;
/// Milliseconds without a picture, although frames come.
const patience = 6000;
/// Pictures that are of no frame that was given to the browser.
const mostUnknown = 20;

/// Plays frames in order, and copies each picture as it is shown, with the frame that it is of. The page's canvas shows
/// the copies, so that what a photo is taken of is what can be seen; the video itself is out of sight.
///
/// The times in the video are not those of the frames, which may stand still or go back: each frame begins where the
/// one before ends, and lasts as long as frames do now. The video's speed regulates how far it is behind.
export class MediaPictures {
  #video = null;
  #source = null;
  #buffer = null;
  #parameters = "";
  #waiting = [];
  /// The frames that were not shown, by their times in the video.
  #pending = new Map();
  #keys = [];
  #number = 0;
  #end = 0;
  #interval = 33;
  #before = null;
  #shownTime = -1;
  #shownAt = 0;
  #tookAt = 0;
  #unknown = 0;
  #pictures = null;
  #hasFailed = false;

  /// `shown(bitmap, frame)` owns the bitmap; `failed(error)` is told once, and nothing is shown after it.
  constructor({ shown, failed }) {
    Object.assign(this, { failed });
    this.#pictures = new NewestPicture(shown);
  }

  /// How many frames wait to be shown. A browser that shows nothing at all is not slow.
  get backlog() { return performance.now() - this.#shownAt < 1000 ? this.#pending.size : 0; }

  take(record) {
    if (this.#hasFailed) return;
    // A camera that was away has shown nothing either.
    const now = performance.now();
    if (now - this.#tookAt > 1000) this.#shownAt = now;
    this.#tookAt = now;
    try {
      if (record.kind === "key") this.#configure(record);
      if (!this.#source) return;
      this.#add(record);
      this.#feed();
      if (performance.now() - this.#shownAt > patience) throw new Error("the browser does not play the stream");
    } catch (error) {
      this.#fail(error);
    }
  }

  close() {
    this.#pictures.close();
    [this.#source, this.#buffer, this.#parameters, this.#before] = [null, null, "", null];
    [this.#waiting, this.#keys] = [[], []];
    this.#pending.clear();
    this.#hasFailed = false;
    this.#video?.removeAttribute("src");
    this.#video?.load();
  }

  // Until the stream ends, which closes it, it takes nothing more.
  #fail(error) {
    const hasRefused = Boolean(this.#video?.error);
    this.close();
    this.#hasFailed = true;
    this.#video?.remove();
    this.#video = null;
    this.failed(hasRefused ? new Error("the browser cannot decode the stream") : error);
  }

  // Begins anew with other parameters.
  #configure({ bytes, width, height }) {
    const head = beginning(bytes, width, height), codec = codecOf(bytes);
    if (!head || !codec) throw new Error("the stream does not say how it is coded");
    const parameters = head.join();
    if (parameters === this.#parameters) return;
    this.close();
    if (!canPlay(codec)) throw new Error("this browser does not play the stream");
    this.#parameters = parameters;
    this.#waiting = [head];
    [this.#number, this.#end, this.#shownTime, this.#unknown, this.#shownAt] = [0, 0, -1, 0, performance.now()];
    const source = this.#source = new Source(), url = URL.createObjectURL(source);
    const isCurrent = () => source === this.#source;
    source.addEventListener("sourceopen", () => {
      URL.revokeObjectURL(url);
      if (!isCurrent() || this.#buffer) return;
      try {
        const buffer = this.#buffer = source.addSourceBuffer(typeOf(codec));
        buffer.addEventListener("updateend", () => isCurrent() && this.#feed());
        this.#feed();
      } catch (error) {
        this.#fail(error);
      }
    });
    this.#video ??= this.#makeVideo();
    this.#video.src = url;
    this.#play();
  }

  #makeVideo() {
    const video = document.createElement("video");
    Object.assign(video, { muted: true, playsInline: true, disableRemotePlayback: true, tabIndex: -1 });
    video.ariaHidden = "true";
    // One that is not in the page, or not displayed, is not played everywhere.
    Object.assign(video.style, {
      position: "fixed", left: 0, top: 0, width: "1px", height: "1px", opacity: 0, pointerEvents: "none",
    });
    document.body.append(video);
    video.addEventListener("error", () => this.#source && this.#fail(video.error));
    const look = () => {
      if (video !== this.#video) return;
      this.#look();
      video.requestVideoFrameCallback(look);
    };
    video.requestVideoFrameCallback(look);
    return video;
  }

  #play() {
    const source = this.#source;
    this.#video.play().catch(error => {
      // A phone that saves power plays nothing by itself.
      if (source === this.#source && error.name === "NotAllowedError") {
        this.#fail(new Error("the browser plays no video by itself now"));
      }
    });
  }

  #add(record) {
    const isKey = record.kind === "key", passed = record.time - (this.#before ?? record.time);
    if (passed > 0 && passed < slowest) this.#interval += (Math.max(passed, fastest) - this.#interval) / 8;
    this.#before = record.time;
    // Whole milliseconds, so that no browser rounds them.
    const time = this.#end, duration = Math.round(this.#interval);
    this.#end += duration;
    this.#waiting.push(fragment(record.bytes, { number: this.#number += 1, time, duration, isKey }));
    this.#pending.set(time, record);
    if (isKey) this.#keys.push(time);
  }

  // A buffer does one thing at a time, and says when it is done.
  #feed() {
    const buffer = this.#buffer, now = this.#video.currentTime * 1000;
    if (!buffer || buffer.updating) return;
    try {
      if (this.#waiting.length) return buffer.appendBuffer(joined(this.#waiting.splice(0)));
      this.#follow(now);
      // What is removed takes what builds on it along, up to the next key frame.
      const old = this.#keys.findLast(time => time < now - past) ?? 0;
      if (old <= this.#keys[0]) return;
      this.#keys = this.#keys.filter(time => time >= old);
      buffer.remove(0, old / 1000);
    } catch (error) {
      this.#fail(error);
    }
  }

  // Keeps with the newest frame: better that the video waits for the next one than that a frame waits to be shown.
  #follow(now) {
    const video = this.#video, behind = this.#end - now - this.#interval, key = this.#keys.at(-1);
    if (behind > tooMuch && key > now) video.currentTime = key / 1000;
    const rate = Math.min(4, 1 + Math.ceil(Math.max(0, behind) / 20) / 10);
    if (video.playbackRate !== rate) video.playbackRate = rate;
    if (video.paused) this.#play();
  }

  // What the video shows now. The picture itself says its time: a newer one may have come since the browser told of it.
  #look() {
    if (!this.#source) return;
    let picture;
    try {
      picture = new VideoFrame(this.#video);
    } catch {
      return;
    }
    const time = Math.round(picture.timestamp / 1000), record = this.#pending.get(time);
    if (!record) {
      picture.close();
      if (time !== this.#shownTime && (this.#unknown += 1) > mostUnknown) {
        this.#fail(new Error("the browser does not say which frame it shows"));
      }
      return;
    }
    for (const earlier of this.#pending.keys()) if (earlier <= time) this.#pending.delete(earlier);
    [this.#shownTime, this.#shownAt, this.#unknown] = [time, performance.now(), 0];
    this.#pictures.take(picture, record);
  }
}
