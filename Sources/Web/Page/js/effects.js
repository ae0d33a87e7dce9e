// SPDX-License-Identifier: MIT
// The effects: how strong each is, what is behind people, and reactions. What others change is seen at once.

import { closed, opened } from "./back.js";
import { $, icon, kept, make, menu, note, row, segments, sentence, toggle } from "./dom.js";

const names = {
  portrait: "Blur", light: "Light on faces", brighten: "Brighten", framing: "Follow faces",
  gestures: "Gestures begin reactions",
};
const backgrounds = { none: "As it is", blur: "Blurred", colour: "Colour", picture: "Picture" };
const reactions = {
  "thumbs-up": "Thumbs up", "thumbs-down": "Thumbs down", heart: "Heart", hearts: "Hearts", balloons: "Balloons",
  rain: "Rain", confetti: "Confetti", lasers: "Lasers", fireworks: "Fireworks",
};
const colours = {
  "#f2efe9": "White", "#8c8f94": "Grey", "#23272e": "Black", "#204060": "Blue", "#1f5c45": "Green", "#6b2d3e": "Red",
};
const percent = strength => strength ? `${Math.round(strength * 100)} %` : "Off";

/// The list that the server takes. `switches` have no strength.
const listOf = ({ strengths, background }, switches) => [
  ...Object.entries(strengths).filter(([, strength]) => strength > 0)
    .map(([name, strength]) => switches.has(name) ? name : `${name}=${strength}`),
  ...background ? [`background=${background}`] : [],
].join(",") || "none";

/// What is behind people, in one word.
const kindOf = ({ strengths, background }) => background
  ? background.startsWith("#") ? "colour" : "picture" : strengths.portrait ? "blur" : "none";

/// The panel of effects, and the button that opens it.
export class Effects {
  // What the server said last, and what is shown, which may be on its way there.
  #told = null;
  #wanted = { strengths: {}, background: null };
  #isSending = false;
  #settling = 0;
  #last = { portrait: 0, colour: "#204060", ...kept.get("effects", {}) };
  #sliders = new Map();
  #switches = new Map();
  #buttons = new Map();
  #ends = new Map();
  #close = () => this.toggle(false);

  /// `refused(words)` is called with why the server draws none, or nothing if it does, and `mark(kinds)` with what is
  /// to be marked on the picture.
  constructor(element, { server, say, back, tell, opens, refused, mark, fit }) {
    Object.assign(this, { element, server, say, back, tell, opens, refused, mark, fit, button: $("effects") });
    this.button.onclick = () => this.toggle();
    element.addEventListener("keydown", event => event.key === "Escape" && this.toggle(false));
    server.on("effects", state => this.#hear(state));
    server.on("reaction", news => this.#begin(news));
  }

  get isOpen() { return !this.element.hidden; }

  /// Whether the server draws any.
  get isOffered() { return Boolean(this.#told?.strengths.length); }

  toggle(open = !this.isOpen) {
    if (open === this.isOpen || open && !this.isOffered) return;
    if (open) this.opens();
    (open ? opened : closed)(this.#close);
    this.element.hidden = !open;
    document.body.classList.toggle("sheet", open);
    this.button.ariaExpanded = String(open);
    if (open) this.element.querySelector("header button:last-child").focus({ preventScroll: true });
    else this.back();
    this.fit();
  }

  #hear(state) {
    const known = ({ strengths, backgrounds, reactions, facts }) =>
      JSON.stringify([strengths.map(({ name }) => name), backgrounds, reactions, facts]);
    const isOther = !this.#told || known(this.#told) !== known(state);
    this.#told = state;
    if (isOther) this.#build();
    if (!this.#isSending && !this.#settling) this.#apply();
    this.button.hidden = !this.isOffered;
    if (!this.isOffered) this.toggle(false);
    this.refused(this.isOffered ? "" : this.#lack);
  }

  get #list() { return listOf(this.#wanted, this.#switches); }

  /// Why nothing can be drawn; empty if it can.
  get #lack() {
    const { lack } = this.#told;
    return lack ? sentence({ message: lack.error, hint: lack.hint }) : "";
  }

  /// Why what was set last is not drawn after all; empty if it is.
  get #fault() {
    const { fault } = this.#told;
    return fault ? sentence({ message: fault.error, hint: fault.hint }) : "";
  }

  /// Shows what the server said.
  #apply() {
    const { strengths, background } = this.#told;
    this.#wanted = {
      strengths: Object.fromEntries(strengths.map(({ name, strength }) => [name, strength])), background,
    };
    this.#show();
  }

  // MARK: Elements

  #build() {
    const { strengths, reactions: drawn, facts } = this.#told;
    this.#sliders.clear();
    this.#switches.clear();
    this.#buttons.clear();
    this.off = make("button", { className: "link", onclick: () => this.#want({ strengths: {}, background: null }) },
      "All off");
    this.words = make("p", { className: "note", role: "status" });
    this.behind = make("div");
    // How far what is behind people is blurred belongs to what is behind them.
    const order = strengths.filter(({ usual }) => usual !== null).map(({ name }) => name)
      .sort((one, other) => (other === "portrait") - (one === "portrait"));
    this.all = make("fieldset", {}, this.behind, ...order.map(name => this.#slider(name)));
    if (drawn.length) {
      this.all.append(make("h3", {}, "Reactions"), make("div", { className: "reactions", role: "group",
        ariaLabel: "Reactions" }, ...drawn.map(reaction => this.#reaction(reaction))));
    }
    for (const { name } of strengths.filter(({ usual }) => usual === null)) this.all.append(this.#switch(name));
    const marks = facts.length ? [
      make("h3", {}, "For this screen alone"),
      row(facts.includes("hands") ? "Mark faces and hands" : "Mark faces", toggle(this.#isMarked, isMarked => {
        kept.set("marks", isMarked);
        this.#mark();
      })),
      note("Places are those in the camera's own picture: with Follow faces, they lie elsewhere."),
    ] : [];
    this.element.replaceChildren(make("header", {}, make("h2", {}, "Effects"), this.off, make("button", {
      className: "round", ariaLabel: "Close the effects", onclick: this.#close,
    }, icon("close"))), this.words, this.all, ...marks);
    this.#mark();
  }

  #mark() { this.mark(this.#isMarked ? this.#told.facts.join(",") : ""); }

  get #isMarked() { return kept.get("marks", false); }

  #slider(name) {
    const output = make("output"), input = make("input", {
      id: `effect-${name}`, type: "range", min: 0, max: 1, step: 0.05,
      oninput: event => this.#want({ strengths: { ...this.#wanted.strengths, [name]: Number(event.target.value) } }),
    });
    const line = row(names[name] ?? name, input, { output, isSlide: true });
    this.#sliders.set(name, { line, input, output });
    return line;
  }

  #switch(name) {
    const input = toggle(false, isOn => this.#want({
      strengths: { ...this.#wanted.strengths, [name]: Number(isOn) },
    }), { id: `effect-${name}` });
    this.#switches.set(name, input);
    return row(names[name] ?? name, input);
  }

  #reaction({ reaction }) {
    const name = reactions[reaction] ?? reaction, button = make("button", {
      ariaLabel: name, title: name, onclick: () => this.#react(reaction),
    }, icon(reaction in reactions ? reaction : "effects"));
    this.#buttons.set(reaction, button);
    return button;
  }

  // What is behind people: a choice, and the colour or picture that was chosen.
  #buildBehind(kind) {
    const { background } = this.#wanted, pictures = this.#told.backgrounds;
    const kinds = Object.keys(backgrounds).filter(kind =>
      kind === "blur" ? this.#sliders.has("portrait") : kind !== "picture" || pictures.length || background);
    if (this.behind.dataset.kind !== kind || this.behind.dataset.kinds !== String(kinds)) {
      const hadFocus = this.behind.contains(document.activeElement);
      Object.assign(this.behind.dataset, { kind, kinds });
      this.behind.replaceChildren(
        segments("Background", kinds, kind, kind => this.#choose(kind), kind => backgrounds[kind]),
        ...kind === "colour" ? [this.#colours()] : kind === "picture" && pictures.length > 1 ? [row("Picture", menu(
          pictures.map(picture => [picture, picture.split("/").pop(), picture === background]),
          background => this.#want({ background })))] : []);
      if (hadFocus) this.behind.querySelector(":checked").focus({ preventScroll: true });
    }
    for (const swatch of this.behind.querySelectorAll("[data-colour]")) {
      swatch.ariaPressed = String(swatch.dataset.colour === background);
    }
    const own = this.behind.querySelector("[type=color]");
    if (!own) return;
    own.value = background;
    own.parentElement.classList.toggle("on", !(background in colours));
  }

  #colours() {
    const pick = colour => {
      this.#keep({ colour });
      this.#want({ background: colour });
    };
    return make("div", { className: "colours", role: "group", ariaLabel: "Colour" },
      ...Object.entries(colours).map(([colour, name]) => {
        const swatch = make("button", { ariaLabel: name, title: name, onclick: () => pick(colour) });
        swatch.dataset.colour = colour;
        swatch.style.setProperty("--colour", colour);
        return swatch;
      }), make("label", { title: "Another colour" }, make("input", {
        type: "color", ariaLabel: "Another colour", oninput: event => pick(event.target.value),
      })));
  }

  #show() {
    const { strengths } = this.#wanted, lack = this.#lack, kind = kindOf(this.#wanted);
    const isOn = this.#list !== "none";
    this.#buildBehind(kind);
    const blur = this.#sliders.get("portrait");
    if (blur) {
      blur.line.hidden = kind === "none" || kind === "colour";
      // Without any blur, the background is as it is, which is another choice.
      blur.input.min = kind === "blur" ? 0.05 : 0;
    }
    for (const [name, { input, output }] of this.#sliders) {
      const strength = strengths[name] ?? 0;
      if (Number(input.value) !== strength) input.value = strength;
      output.textContent = percent(strength);
      input.setAttribute("aria-valuetext", percent(strength));
    }
    for (const [name, input] of this.#switches) input.checked = Boolean(strengths[name]);
    if (strengths.portrait) this.#keep({ portrait: strengths.portrait });
    this.all.disabled = lack !== "";
    this.off.disabled = !isOn;
    const words = lack || this.#fault || (isOn ? "" : "Everything is off: the picture is as the camera sees it.");
    if (this.words.textContent !== words) this.words.textContent = words;
    this.button.classList.toggle("on", isOn);
    this.button.ariaLabel = isOn ? "Effects: on" : "Effects: off";
  }

  // MARK: Changes

  #keep(choice) {
    this.#last = { ...this.#last, ...choice };
    kept.set("effects", this.#last);
  }

  #choose(kind) {
    const usual = this.#told.strengths.find(({ name }) => name === "portrait")?.usual;
    const portrait = kind === "blur" ? this.#last.portrait || usual : 0;
    const background = { colour: this.#last.colour, picture: this.#told.backgrounds[0] }[kind] ?? null;
    this.#want({ strengths: { ...this.#wanted.strengths, portrait }, background });
  }

  #want(change) {
    this.#wanted = { ...this.#wanted, ...change };
    this.#show();
    this.#send();
  }

  // While one list is on its way, only the last of those that follow is kept.
  async #send() {
    if (this.#isSending) return;
    this.#isSending = true;
    try {
      for (let sent; sent !== this.#list;) {
        sent = this.#list;
        const state = await this.server.send("/effects", { set: sent }, "PUT");
        if (!this.server.isListening) this.#told = state;
      }
    } catch (error) {
      this.say(sentence(error));
    }
    this.#isSending = false;
    clearTimeout(this.#settling);
    // Events of what was just sent may still be on their way.
    this.#settling = setTimeout(() => {
      this.#settling = 0;
      if (!this.#isSending) this.#apply();
    }, 300);
  }

  async #react(reaction) {
    try {
      await this.server.send("/reactions", { perform: reaction });
    } catch (error) {
      this.say(sentence(error));
    }
  }

  // Whoever asked for it.
  #begin({ reaction, seconds }) {
    const button = this.#buttons.get(reaction);
    this.tell(reactions[reaction] ?? reaction);
    if (!button) return;
    clearTimeout(this.#ends.get(reaction));
    button.classList.remove("on");
    button.style.setProperty("--seconds", `${seconds}s`);
    // Its bar begins anew.
    void button.offsetWidth;
    button.classList.add("on");
    this.#ends.set(reaction, setTimeout(() => button.classList.remove("on"), seconds * 1000));
  }
}
