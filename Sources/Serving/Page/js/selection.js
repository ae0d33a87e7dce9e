// SPDX-License-Identifier: MIT
// Choosing several photos of the list, to delete them together.

import { $, make, sentence } from "./dom.js";

const count = number => `${number} ${number === 1 ? "photo" : "photos"}`;

/// The photos that are chosen, and the bar below the list that says what to do with them.
export class Selection {
  #chosen = null;
  #last = null;

  constructor({ gallery, server }) {
    Object.assign(this, { gallery, server });
    const plain = (words, onclick, danger = "") => make("button", { className: `plain ${danger}`, onclick }, words);
    this.words = make("span", { role: "status" });
    this.all = plain("All", () => this.#set(this.gallery.ids));
    this.remove = plain("Delete", () => this.#ask(true));
    this.keep = plain("Keep", () => this.#ask(false));
    this.confirm = plain("Delete", () => this.#delete(), "danger");
    this.buttons = [this.all, this.remove, this.keep, this.confirm];
    $("chosen").append(this.words, ...this.buttons);
    $("select").onclick = () => this.toggle();
    this.toggle(false);
  }

  get isOn() { return this.#chosen !== null; }

  toggle(isOn = !this.isOn) {
    this.#chosen = isOn ? new Set() : null;
    this.#last = null;
    $("chosen").hidden = !isOn;
    $("select").textContent = isOn ? "Done" : "Select";
    this.#ask(false);
  }

  /// Chooses a photo, or all from the last one to it, or none of them any more.
  pick({ id }, isRange) {
    const { ids } = this.gallery, ends = [ids.indexOf(this.#last), ids.indexOf(id)].sort((a, b) => a - b);
    if (isRange && ends[0] >= 0) {
      this.#set([...this.#chosen, ...ids.slice(ends[0], ends[1] + 1)]);
    } else {
      const others = [...this.#chosen].filter(other => other !== id);
      this.#set(this.#chosen.has(id) ? others : [...others, id]);
    }
    this.#last = id;
  }

  /// Closes the question, or ends the choice. Returns whether there was anything to close.
  back() {
    if (!this.isOn) return false;
    if (this.keep.hidden) this.toggle(false);
    else this.#ask(false);
    return true;
  }

  /// Photos have come or gone.
  changed() { if (this.isOn) this.#set([...this.#chosen].filter(id => this.gallery.get(id))); }

  #set(ids) {
    this.#chosen = new Set(ids);
    this.#show();
  }

  #ask(isAsked) {
    const hadFocus = $("chosen").contains(document.activeElement);
    this.all.hidden = this.remove.hidden = isAsked;
    this.keep.hidden = this.confirm.hidden = !isAsked;
    this.#show();
    if (hadFocus) (isAsked ? this.keep : this.isOn ? this.remove : $("select")).focus();
  }

  #show() {
    this.gallery.mark(this.#chosen);
    if (!this.isOn) return;
    const number = this.#chosen.size;
    this.remove.disabled = this.confirm.disabled = !number;
    this.words.textContent = this.confirm.hidden ? (number ? `${count(number)} chosen` : "Choose photos")
      : `Delete ${count(number)} for good?`;
  }

  async #delete() {
    const ids = [...this.#chosen];
    this.buttons.forEach(button => { button.disabled = true; });
    let failure = null;
    for (const [index, id] of ids.entries()) {
      this.words.textContent = `Deleting ${index + 1} of ${ids.length} …`;
      failure = await this.server.send(`/photos/${id}`, {}, "DELETE").then(() => null, error => error);
      // Somebody else may have removed it.
      if (failure?.status === 404) failure = null;
      if (failure) break;
      this.gallery.remove(id);
    }
    this.buttons.forEach(button => { button.disabled = false; });
    $("select").focus();
    if (!this.isOn) return;
    if (!failure) return this.toggle(false);
    this.#ask(false);
    this.words.textContent = sentence(failure);
  }
}
