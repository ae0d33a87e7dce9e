// SPDX-License-Identifier: MIT
// The microphone's sound: the button, the stream, and its place beside the picture. Loaded where sound is offered.

import { icon, make, sentence, sleep } from "./dom.js";
import { decoder, rate } from "./opus.js";
import { Delay, DeviceClock, place } from "./step.js";

/// "LCS1".
const magic = 0x3153434c;
const headerSize = 24;
const silence = 4000;
/// Milliseconds by which sound is there before it is heard: what comes a little later than usual is heard all the same.
const margin = 15;
/// Sound that comes so much later than it should be heard, for so many packets, is what a line has piled up.
const tooLate = 400, patience = 100;
/// What asking again cannot change.
const lasting = [401, 403, 404, 501];

/// The packets of a response's body.
export async function* packets(body, heard) {
  const reader = body.getReader();
  let rest = new Uint8Array(0);
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    heard();
    const all = new Uint8Array(rest.length + value.length), view = new DataView(all.buffer);
    all.set(rest);
    all.set(value, rest.length);
    let at = 0;
    while (all.length - at >= headerSize) {
      if (view.getUint32(at, true) !== magic) throw new Error("not a stream of sound");
      const count = view.getUint32(at + 16, true), end = at + headerSize + count;
      if (end > all.length) break;
      if (count) {
        yield {
          number: view.getUint32(at + 4, true), time: Number(view.getBigInt64(at + 8, true)) / 1e6,
          samples: view.getUint16(at + 20, true), channels: view.getUint16(at + 22, true),
          bytes: all.slice(at + headerSize, end),
        };
      }
      at = end;
    }
    rest = all.slice(at);
  }
}

/// The button, and what is heard.
export class Sound {
  #news = {};
  #context = null;
  #gain = null;
  #decoder = null;
  #stop = null;
  #delay = new Delay();
  #clock = new DeviceClock();
  /// When what is placed ends, in seconds of the device, and when the next packet was captured if none is missing.
  #end = null;
  #next = null;
  /// What was placed in the last seconds: where, and when it was captured.
  #placed = [];
  /// Whether a packet was left out since the last one that was placed.
  #isCut = false;
  #late = 0;
  #held = [];
  #timer = 0;
  #said = "";
  isOn = false;
  /// For those who want to know how well it goes.
  figures = { state: "off", how: "", delayMs: 0, offMs: null, played: 0, lost: 0 };

  /// `isLive()` says whether the view is of now, and `show(bitmap, frame)` owns a bitmap whose time has come.
  constructor(picture, { server, say, isLive, show }) {
    Object.assign(this, { server, say, isLive, show });
    this.button = make("button", {
      id: "sound", className: "pill", "aria-keyshortcuts": "s", onclick: () => this.toggle(),
    }, icon("sound"), make("span"));
    picture.append(this.button);
    document.addEventListener("visibilitychange", () => this.#look());
    this.#label();
  }

  /// What the server says of sound.
  set news(news) {
    const wasHeard = this.#news.microphone;
    this.#news = news;
    if (this.isOn && wasHeard && !news.microphone && news.listeners) {
      this.say("The microphone is gone. Connect it again: the sound comes back by itself.", false);
    }
    this.#label();
  }

  toggle(isOn = !this.isOn) {
    if (isOn === this.isOn) return;
    this.isOn = isOn;
    this.#said = "";
    if (isOn) this.#begin();
    else this.#finish();
    this.#label();
  }

  /// Shows a picture when its sound is heard.
  hold(bitmap, frame) {
    const age = this.server.now - frame.time;
    this.#delay.picture(age);
    this.#held.push({ bitmap, frame });
    this.#release();
  }

  /// Discards the pictures that wait.
  dropPending() {
    for (const { bitmap } of this.#held) bitmap.close();
    this.#held = [];
  }

  /// A frame is on the screen: how far what is heard now is ahead of it.
  painted(frame) {
    const heard = this.#clock.at(performance.now());
    const piece = heard !== null && this.#placed.findLast(({ at, end }) => at <= heard && heard < end);
    const captured = piece && piece.time + (heard - piece.at) * piece.rate * 1000;
    this.figures.offMs = piece ? captured - frame.time : null;
    this.figures.delayMs = this.#delay.value;
  }

  #release() {
    clearTimeout(this.#timer);
    let due = null;
    // A frame of the screen passes before a picture is seen.
    while (this.#held.length && this.#delay.wait(this.server.now - this.#held[0].frame.time) < 8) {
      due?.bitmap.close();
      due = this.#held.shift();
    }
    if (due) this.show(due.bitmap, due.frame);
    if (!this.#held.length) return;
    const wait = this.#delay.wait(this.server.now - this.#held[0].frame.time);
    this.#timer = setTimeout(() => this.#release(), wait - 8);
  }

  #label() {
    const { listeners = 0, microphone } = this.#news, others = listeners - (this.figures.state === "on" ? 1 : 0);
    const heard = others > 0 ? `${others} ${others > 1 ? "viewers hear" : "viewer hears"} the microphone. ` : "";
    const isLost = this.isOn && listeners > 0 && !microphone;
    this.button.lastElementChild.textContent = this.isOn
      ? isLost ? "No microphone" : this.figures.state === "on" ? "Sound on" : "Sound …"
      : heard ? "Microphone on" : "Sound off";
    this.button.ariaPressed = String(this.isOn);
    this.button.classList.toggle("on", this.isOn);
    this.button.classList.toggle("heard", Boolean(heard));
    this.button.title = `${heard}${this.isOn ? "Stop hearing the microphone" : "Hear the microphone"} (S)`;
  }

  #set(state) {
    if (this.figures.state === state) return;
    this.figures.state = state;
    this.#label();
  }

  #begin() {
    if (!globalThis.AudioContext) return this.#fail(new Error("This browser cannot play sound here"));
    // Made here: browsers play sound only after somebody has pressed something.
    this.#context = new AudioContext({ sampleRate: rate, latencyHint: "interactive" });
    this.#gain = this.#context.createGain();
    this.#gain.connect(this.#context.destination);
    this.#set("waiting");
    this.#look();
    this.#run(this.#context);
  }

  #finish() {
    this.#stop?.abort();
    this.#reset();
    this.#context?.close();
    this.#context = null;
    this.#set("off");
  }

  #fail(error) {
    if (!this.isOn) return;
    this.toggle(false);
    this.say(sentence(error));
  }

  // Nothing is heard of a page that nobody sees, and the microphone is left to be closed.
  #look() {
    if (!this.isOn) return;
    if (document.hidden) {
      this.#stop?.abort();
      this.#context.suspend();
    } else {
      this.#context.resume();
    }
  }

  // What is heard next has nothing to do with what was heard before.
  #reset() {
    this.#decoder?.close();
    [this.#decoder, this.#end, this.#next, this.#late] = [null, null, null, 0];
    this.#placed = [];
    this.#delay.forget();
    this.#release();
  }

  async #run(context) {
    for (let wait = 250; this.#context === context; wait = Math.min(wait * 2, 3000)) {
      if (document.hidden) {
        wait = 125;
        await sleep(250);
        continue;
      }
      const stop = this.#stop = new AbortController();
      let last = performance.now();
      const watch = setInterval(() => performance.now() - last > silence && stop.abort(), 500);
      try {
        const response = await this.server.fetch("/sound", { signal: stop.signal });
        for await (const packet of packets(response.body, () => { last = performance.now(); })) {
          if (this.#context !== context) break;
          wait = 125;
          await this.#take(packet, context);
        }
      } catch (error) {
        if (this.#context === context) this.#hear(error);
      }
      clearInterval(watch);
      stop.abort();
      if (this.#context !== context) return;
      this.#reset();
      this.#set("waiting");
      await sleep(wait);
    }
  }

  // A server that refuses is asked again, unless that is of no use. Its words are said once.
  #hear(error) {
    if (lasting.includes(error.status)) return this.#fail(error);
    const words = error.status ? sentence(error) : "";
    if (words && words !== this.#said) this.say(words);
    this.#said = words;
  }

  async #take(packet, context) {
    if (!this.#decoder || this.#decoder.channels !== packet.channels) {
      this.#decoder?.close();
      const made = await decoder(context, packet.channels, {
        decoded: (packet, planes) => this.#decoder === made && this.#play(packet, planes),
        failed: error => this.#decoder === made
          && this.#fail(new Error(`This browser cannot play the sound: ${error.message}`)),
      });
      if (this.#context !== context) return made.close();
      this.#decoder = Object.assign(made, { channels: packet.channels });
      this.figures.how = made.how;
    }
    this.#decoder.take(packet);
  }

  #play(packet, planes) {
    const context = this.#context, now = performance.now();
    this.#listen(now);
    // What is placed is heard this much later.
    const ahead = Math.max(0, context.currentTime - this.#clock.at(now)) * 1000;
    const { time } = packet, age = this.server.now - time;
    const length = planes[0].length / rate, gap = this.#next === null ? 0 : (time - this.#next) / 1000;
    this.#next = time + length * 1000;
    this.#noteLateness(age + ahead + margin);
    const wanted = { end: this.#end, gap: Math.abs(gap) < 0.001 ? 0 : gap, now: context.currentTime + 0.002 };
    const spot = place({ ...wanted, ideal: this.#clock.at(now + this.#delay.value - age) });
    if (!spot || context.state !== "running") {
      this.figures.lost += 1;
      this.#isCut = true;
      return;
    }
    const buffer = context.createBuffer(planes.length, planes[0].length, rate);
    planes.forEach((plane, channel) => {
      // What begins in the middle of a sound would click.
      if (!spot.isJoined || this.#isCut) for (let index = 0; index < 96; index += 1) plane[index] *= index / 96;
      buffer.copyToChannel(plane, channel);
    });
    const source = context.createBufferSource();
    source.buffer = buffer;
    source.playbackRate.value = spot.rate;
    source.connect(this.#gain);
    source.start(spot.at);
    this.#isCut = false;
    this.#end = spot.at + length / spot.rate;
    this.#placed = [...this.#placed.slice(-100), { at: spot.at, end: this.#end, rate: spot.rate, time }];
    this.figures.played += 1;
    this.#set("on");
  }

  // Where the device is, and how loud: nothing of now is heard beside a moment of the past.
  #listen(now) {
    const context = this.#context, stamp = context.getOutputTimestamp?.();
    if (stamp?.performanceTime > 0) this.#clock.note(stamp.contextTime, stamp.performanceTime);
    else this.#clock.note(context.currentTime - (context.outputLatency || context.baseLatency || 0), now);
    this.#gain.gain.setTargetAtTime(this.isLive() ? 1 : 0, context.currentTime, 0.01);
  }

  // A slow line piles up sound, which is then late for good: it is asked for anew.
  #noteLateness(age) {
    this.#delay.sound(age);
    this.#late = age > this.#delay.value + tooLate ? this.#late + 1 : 0;
    if (this.#late > patience) this.#stop?.abort();
  }
}
