// SPDX-License-Identifier: MIT
// The shutter: a press takes the frame that is on the screen, a long press a burst, and the ring tells readiness.

import { seconds, sleep } from "./dom.js";

const words = {
  notReadyMomentarily: "Getting ready",
  notReadyWaitingForCapture: "Waiting for frames",
  notReadyWaitingForProcessing: "Finishing earlier photos",
  notReadyCameraOff: "",
  notRunning: "The camera is not running",
};
const holdDelay = 400;

/// The round button. It never waits: what is pressed is sent.
export class Shutter {
  #pressed = 0;
  #isDown = false;
  #count = null;
  #sending = 0;
  #guarded = 0;
  #burst = 0;
  state = "notRunning";

  /// `shoot()` sends one shot, `timer()` is the wait in seconds, `say(words)` shows readiness, `countdown(n)` the seconds
  /// that are left, and `refused()` hears of a press that is not answered.
  constructor(button, { shoot, timer, say, countdown, refused }) {
    Object.assign(this, { button, shoot, timer, say, countdown, refused, number: button.querySelector("i") });
    button.addEventListener("pointerdown", event => {
      if (event.button) return;
      button.setPointerCapture(event.pointerId);
      this.down();
    });
    for (const name of ["pointerup", "pointercancel", "lostpointercapture"]) {
      button.addEventListener(name, () => this.up());
    }
    // A click without a pointer is a screen reader's.
    button.addEventListener("click", event => {
      if (event.detail || performance.now() - this.#pressed < 800) return;
      this.down();
      this.up();
    });
    button.addEventListener("contextmenu", event => event.preventDefault());
  }

  async down() {
    if (this.#isDown) return;
    if (performance.now() < this.#guarded) return this.refused();
    this.#isDown = true;
    const pressed = this.#pressed = performance.now();
    this.button.classList.add("down");
    if (this.#count) return this.#cancel();
    if (this.timer()) return this.#wait();
    this.#burst = 0;
    this.#take();
    await sleep(holdDelay);
    if (this.#isDown && pressed === this.#pressed) this.button.classList.add("burst");
  }

  up() {
    this.#isDown = false;
    this.button.classList.remove("down", "burst");
    this.number.textContent = "";
  }

  /// Answers no press for a while: what it was meant for has just gone.
  async guard(milliseconds) {
    const end = this.#guarded = performance.now() + milliseconds;
    this.up();
    this.button.classList.add("guarded");
    await sleep(milliseconds);
    if (this.#guarded === end) this.button.classList.remove("guarded");
  }

  /// A new frame is on the screen: a burst takes it if the server is ready.
  painted() {
    if (this.button.classList.contains("burst") && this.state === "ready" && this.#sending < 2) this.#take();
  }

  async #take() {
    this.#sending += 1;
    this.#burst += 1;
    if (this.button.classList.contains("burst")) this.number.textContent = String(this.#burst);
    await this.shoot();
    this.#sending -= 1;
  }

  async #wait() {
    const count = this.#count = { left: this.timer() };
    this.button.classList.add("counting");
    for (; count.left > 0 && this.#count === count; count.left -= 1) {
      this.countdown(count.left);
      await sleep(1000);
    }
    if (this.#count !== count) return;
    this.#cancel();
    if (performance.now() < this.#guarded) this.refused();
    else this.#take();
  }

  #cancel() {
    this.#count = null;
    this.button.classList.remove("counting");
    this.countdown(0);
  }

  /// Shows readiness at once on the ring, and in words if it lasts.
  readiness({ state, waitMs }) {
    this.state = state;
    this.button.classList.toggle("busy", state !== "ready");
    this.button.style.setProperty("--wait", `${Math.max(waitMs ?? 1200, 120)}ms`);
    this.button.classList.toggle("endless", state !== "ready" && waitMs == null);
    const text = state === "ready" ? "" : words[state] ?? "Not ready";
    this.say(text && waitMs > 300 ? `${text}: ${seconds(waitMs)}` : text);
  }
}
