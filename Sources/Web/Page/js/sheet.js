// SPDX-License-Identifier: MIT
// The options: how photos are made, how the view looks, which camera, and the camera's own controls.

import { closed, opened } from "./back.js";
import { $, icon, kept, make, menu, note, row, segments, sentence, toggle } from "./dom.js";

const qualities = {
  single: ["Single", "The frame as it was, untouched. With zoom: fast."],
  speed: ["Fast", "One frame, cleaned a little."],
  balanced: ["Balanced", "Up to 8 frames, merged at once."],
  quality: ["Best", "Up to 16 frames. The finished photo follows when there is time."],
};
const videos = { auto: "Automatic", jpeg: "JPEG", h264: "H.264" };
const keys = "Keys: space takes a photo, ← and → go back and forth in time, L live, + and − zoom, T timer, "
  + "G grid, R movie, E effects, P photos, O options.";

/// The sheet and what was chosen on it.
export class Sheet {
  #status = {};
  #cameras = make("div");
  #controls = make("div");
  #pending = new Map();
  #noEffects = "";
  #close = () => this.toggle(false);
  #video = Object.assign(note(""), { id: "livenote" });
  chosen = {
    quality: null, format: null, timer: 0, grid: false, video: "auto",
    saver: Boolean(navigator.connection?.saveData), ...kept.get("options", {}),
  };

  constructor(element, { server, viewfinder, say, back, opens }) {
    Object.assign(this, { element, server, viewfinder, say, back, opens });
    $("options").onclick = () => this.toggle();
    $("timer").onclick = () => this.choose("timer", { 0: 3, 3: 10 }[this.chosen.timer] ?? 0);
    element.addEventListener("keydown", event => event.key === "Escape" && this.toggle(false));
    this.#apply();
  }

  get isOpen() { return !this.element.hidden; }

  /// What every shot asks for.
  get wishes() {
    const { qualities = [], formats = [] } = this.#status, { quality, format } = this.chosen;
    return { ...qualities.includes(quality) && { quality }, ...formats.includes(format) && { format } };
  }

  choose(key, value) {
    this.chosen[key] = value;
    kept.set("options", this.chosen);
    this.#apply();
    if (this.isOpen) this.#build();
  }

  set status(status) {
    const isOther = ["camera", "format"].some(key => JSON.stringify(this.#status[key]) !== JSON.stringify(status[key]));
    this.#status = status;
    if (!this.isOpen) return;
    this.#build();
    if (isOther) this.#ask();
  }

  /// Why there are no effects; empty if there are.
  set noEffects(words) {
    if (words === this.#noEffects) return;
    this.#noEffects = words;
    if (this.isOpen) this.#build();
  }

  /// What is shown, and why.
  set liveWords(words) {
    if (words !== this.#video.textContent) this.#video.textContent = words;
  }

  toggle(open = !this.isOpen) {
    if (open === this.isOpen) return;
    if (open) this.opens();
    (open ? opened : closed)(this.#close);
    this.element.hidden = !open;
    document.body.classList.toggle("sheet", open);
    $("options").ariaExpanded = String(open);
    if (open) {
      this.#build();
      this.#ask();
    }
    if (open) this.element.querySelector("button").focus({ preventScroll: true });
    else this.back();
    this.viewfinder.fit();
  }

  #apply() {
    const { timer, grid } = this.chosen, button = $("timer");
    button.lastElementChild.textContent = timer || "";
    button.ariaPressed = String(timer > 0);
    button.ariaLabel = timer ? `Self timer: ${timer} seconds` : "Self timer: off";
    $("picture").classList.toggle("grid", grid);
  }

  #build() {
    const { viewfinder, chosen } = this, status = this.#status, { view } = viewfinder, wishes = this.wishes;
    const quality = wishes.quality ?? status.quality, active = document.activeElement;
    const pick = key => value => this.choose(key, value);
    const turn = change => {
      viewfinder.turn(change);
      this.#build();
    };
    this.zoom = make("input", {
      type: "range", min: 0, max: 3, step: 0.01, value: Math.log2(viewfinder.zoom.factor),
      oninput: event => viewfinder.set({ ...viewfinder.zoom, factor: 2 ** event.target.value }),
    });
    this.element.replaceChildren(
      make("header", {}, make("h2", {}, "Options"), make("button", {
        className: "round", ariaLabel: "Close the options", onclick: this.#close,
      }, icon("close"))),
      segments("Quality", status.qualities ?? [], quality, pick("quality"), value => qualities[value]?.[0] ?? value),
      note(qualities[quality]?.[1] ?? ""),
      segments("Format", status.formats ?? [], wishes.format ?? status.photoFormat ?? status.formats?.[0],
        pick("format"), value => value.toUpperCase()),
      segments("Self timer", [0, 3, 10], chosen.timer, pick("timer"), value => value ? `${value} s` : "Off"),
      row("Zoom", this.zoom, { isSlide: true }),
      segments("Turn the view", [0, 90, 180, 270], view.angle, angle => turn({ angle }), value => `${value}°`),
      row("Mirror the view", toggle(view.mirrored, mirrored => turn({ mirrored }))),
      note("For this screen alone: photos and movies are turned as the camera is mounted (livecap devices --mount)."),
      row("Grid", toggle(chosen.grid, pick("grid"))),
      segments("Live view", Object.keys(videos), chosen.video, pick("video"), value => videos[value]),
      row("Data saver", toggle(chosen.saver, pick("saver"))),
      this.#video,
      note(this.#noEffects && `Effects: ${this.#noEffects}`),
      this.#cameras, this.#controls, note(status.sound?.offered ? keys.replace(/\.$/, ", S sound.") : keys),
      note([status.name && `${status.name} ${status.version}`, status.library && `Photos are kept in ${status.library}`]
        .filter(Boolean).join(" · ")));
    this.#refocus(active);
  }

  // Elements are made anew: the focus goes to the one that replaces the one that had it.
  #refocus({ id, name, value, type }) {
    const again = [...this.element.querySelectorAll("input, select, button")].find(element =>
      type === "radio" ? element.name === name && element.value === value : id && element.id === id);
    again?.focus({ preventScroll: true });
  }

  #ask() { return Promise.all([this.#askCameras(), this.#askControls()]); }

  async #askCameras() {
    const { camera = {}, format = {}, canSwitch } = this.#status;
    const { cameras = [] } = canSwitch ? await this.server.get("/cameras").catch(() => ({})) : {};
    const inUse = cameras.find(({ id }) => id === camera.id) ?? cameras.find(({ inUse }) => inUse);
    const words = ({ width, height, fps }) => `${width} × ${height}, ${Math.round(fps)}/s`;
    const rows = [make("h3", {}, "Camera")];
    if (cameras.length) {
      const formats = (inUse?.formats ?? []).flatMap(({ fps = [], ...rest }) => fps.map(fps => ({ ...rest, fps })));
      const isNow = other => other.format === format.pixelFormat && other.width === format.width
        && other.height === format.height && Math.abs(other.fps - format.fps) < 0.5;
      rows.push(row("Camera", menu([...inUse ? [] : [["", camera.name ?? "Choose …", true]],
        ...cameras.map(camera => [camera.id, camera.name, camera === inUse])], id => id && this.#switch({ id }))));
      if (formats.length) {
        rows.push(row("Picture", menu([...formats.some(isNow) ? [] : [["", words(format), true]],
          ...formats.map((format, index) => [index, `${words(format)}, ${format.format}`, isNow(format)])],
        index => index && this.#switch({ id: inUse.id, ...formats[index] }))));
      }
    } else {
      rows.push(note(`${camera.name ?? "No camera"}, ${words(format)}`));
    }
    this.#cameras.replaceChildren(...rows);
  }

  async #switch(choice) {
    this.say("Switching the camera");
    try {
      await this.server.send("/cameras", choice);
    } catch (error) {
      this.say(sentence(error));
      this.#askCameras();
    }
  }

  async #askControls() {
    const { controls = [] } = await this.server.get("/controls").catch(() => ({})), active = document.activeElement;
    const changed = controls.filter(({ kind, inactive, value, default: usual }) =>
      kind !== "button" && !inactive && usual != null && value !== usual);
    const resetAll = async () => {
      for (const control of changed) await this.#set(control.key, control.default);
      this.#askControls();
    };
    this.#controls.replaceChildren(...controls.length ? [
      make("h3", {}, "Controls",
        make("button", { className: "link", disabled: !changed.length, onclick: resetAll }, "Reset all")),
      ...controls.map(control => this.#control(control, changed.includes(control))),
    ] : []);
    this.#refocus(active);
  }

  #control({ key, name, kind, minimum, maximum, step, value, default: usual, inactive, items = {} }, isChanged) {
    const set = value => this.#set(key, Number(value)).then(() => this.#askControls());
    const more = { id: `control-${key}`, disabled: inactive }, output = make("output", {}, String(value));
    const reset = isChanged ? make("button", {
      className: "reset", ariaLabel: `Reset ${name}`, title: "Reset", onclick: () => set(usual),
    }, icon("reset")) : "";
    switch (kind) {
    case "integer": return row(name, make("input", {
      ...more, type: "range", min: minimum, max: maximum, step: step || 1, value,
      oninput: event => this.#set(key, Number(output.textContent = event.target.value)),
      onchange: event => set(event.target.value),
    }), { reset, output, isSlide: true });
    case "boolean": return row(name, toggle(Boolean(value), set, more), { reset });
    case "menu": return row(name, menu(Object.entries(items).map(([index, words]) =>
      [index, words, Number(index) === value]), set, more), { reset });
    case "button":
      return row(name, make("button", { ...more, className: "plain", ariaLabel: name, onclick: () => set(1) }, "Do"));
    default: return "";
    }
  }

  // While one value is on its way, only the last of those that follow is kept.
  async #set(key, value) {
    const isSending = this.#pending.has(key);
    this.#pending.set(key, value);
    if (isSending) return;
    try {
      for (let sent; sent !== this.#pending.get(key);) {
        sent = this.#pending.get(key);
        await this.server.send("/controls", { key, value: sent });
      }
    } catch (error) {
      this.say(sentence(error));
    }
    this.#pending.delete(key);
  }
}
