// SPDX-License-Identifier: MIT
// The server as the page sees it: requests with proof, events that reconnect, and its clock.

import { sleep } from "./dom.js";

/// A request that the server refused, or that did not reach it.
export class Refusal extends Error {
  constructor(status, { error, code, hint } = {}) {
    super(error ?? (status ? `The server answered ${status}` : "The server cannot be reached"));
    // What other programs are told is of no use here.
    const advice = code === "no-token" ? "Load the page again, and enter it there" : hint;
    Object.assign(this, { status, code: code ?? "unreachable", hint: advice });
  }
}

/// Which start of the server an answer is of: frames of all starts have the same names.
export const runOf = response => response.headers.get("Livecap-Run");

const names = ["readiness", "shot", "photo", "camera", "pressure", "status", "movie", "movieRemoved", "notice",
  "effects", "reaction", "page"];

/// A server. It dispatches its events as `CustomEvent`s with the data as `detail`, and `connected` and `disconnected`.
export class Server extends EventTarget {
  #proof = null;
  #events = null;
  #offset = { value: 0, trip: Infinity };
  /// Which start of the server answered last; null if none has.
  run = null;
  /// Whether events are heard.
  isListening = false;
  /// This page's name, by which it holds moments; null while no events are heard.
  page = null;

  /// The server's monotonic clock, in milliseconds.
  get now() { return performance.now() + this.#offset.value; }

  async fetch(path, options) {
    let response;
    try {
      response = await fetch(path, options);
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new Refusal(0);
    }
    this.run = runOf(response) ?? this.run;
    if (!response.ok) throw new Refusal(response.status, await response.json().catch(() => ({})));
    return response;
  }

  async get(path) { return (await this.fetch(path)).json(); }

  async status() {
    const status = await this.get("/status");
    this.#proof = status.proof;
    return status;
  }

  /// Sends a request that changes something. A server that was started again has another proof: it is asked once.
  /// `run` says which start of it the request is meant for; null for any.
  async send(path, body = {}, method = "POST", run = null, again = true) {
    if (this.#proof === null) await this.status();
    const headers = { "Livecap-Proof": this.#proof, "Content-Type": "application/json" };
    if (run) headers["Livecap-Run"] = run;
    try {
      const text = method === "DELETE" ? undefined : JSON.stringify(body);
      const response = await this.fetch(path, { method, headers, body: text });
      return response.status === 204 ? null : response.json();
    } catch (error) {
      if (error.status !== 403 || !again) throw error;
      this.#proof = null;
      return this.send(path, body, method, run, false);
    }
  }

  /// Has the frames around one of the ring stay in memory, and says which and for how long; without an id, no frames.
  async hold(id) {
    if (this.page === null) throw new Refusal(0);
    const path = `/held/${this.page}`;
    if (!id) return this.send(path, {}, "DELETE");
    const { leftMs, frames } = await this.send(`${path}?frame=${id}`, {}, "PUT");
    return { leftMs, frames: frames.map(({ id, timeNs }) => ({ id, time: Number(timeNs) / 1e6, run: this.run })) };
  }

  /// Every frame in the ring. Its answer also sets the clock: the shortest round trip tells best.
  async ring() {
    const before = performance.now(), response = await this.fetch("/ring");
    const ring = await response.json(), after = performance.now(), run = runOf(response);
    const frames = (ring.frames ?? []).map(({ id, timeNs }) => ({ id, time: Number(timeNs) / 1e6, run }));
    const trip = after - before, now = Number(ring.now) / 1e6, newest = frames.at(-1)?.time ?? now;
    if (trip <= this.#offset.trip + 1) {
      // Frames of a recording may have a clock of their own.
      this.#offset = { value: (Math.abs(now - newest) < 10000 ? now : newest) - (before + after) / 2, trip };
    } else {
      this.#offset.trip += 1;
    }
    return frames;
  }

  /// Listens to events for good. Those that were missed while disconnected are gone: `connected` says to look again.
  async listen() {
    for (let wait = 250; ; wait = Math.min(wait * 2, 2000)) {
      const began = performance.now();
      await this.#listenOnce();
      this.dispatchEvent(new Event("disconnected"));
      if (performance.now() - began > 5000) wait = 250;
      await sleep(wait);
    }
  }

  #listenOnce() {
    return new Promise(closed => {
      const events = this.#events = new EventSource("/events");
      events.onopen = () => {
        this.isListening = true;
        this.dispatchEvent(new Event("connected"));
      };
      events.onerror = () => {
        [this.isListening, this.page] = [false, null];
        events.close();
        closed();
      };
      events.addEventListener("page", ({ data }) => { this.page = JSON.parse(data).id; });
      for (const name of names) {
        events.addEventListener(name, event =>
          this.dispatchEvent(new CustomEvent(name, { detail: JSON.parse(event.data) })));
      }
    });
  }

  on(name, heard) { this.addEventListener(name, event => heard(event.detail)); }
}
