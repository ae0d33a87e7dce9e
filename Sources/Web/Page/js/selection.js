// SPDX-License-Identifier: MIT
// Choosing several photos of the list, to delete them together.

import { closed, opened } from "./back.js";
import { $, make, sentence } from "./dom.js";

const count = number => `${number} ${number === 1 ? "photo" : "photos"}`;

/// The second press of two that follow at once is not meant for what has just appeared.
const tooSoon = 400;

/// The photos that are chosen, and the bar below the list that says what to do with them.
export class Selection {
  #chosen = null;
  #last = null;
  #asked = 0;
  #isDeleting = false;
  #hasFailed = false;
  #end = () => this.toggle(false);
  #withdraw = () => this.#ask(false);

  /// `tell(words)` says them to those who do not see the page.
  constructor({ gallery, server, tell }) {
    Object.assign(this, { gallery, server, tell });
    const plain = (words, onclick, danger = "") => make("button", { className: `plain ${danger}`, onclick }, words);
    this.words = make("span", { role: "status" });
    this.all = plain("All", () => this.#all());
    this.confirm = plain("Delete", () => performance.now() - this.#asked > tooSoon && this.#delete(), "danger");
    this.keep = plain("Keep", this.#withdraw);
    this.remove = plain("Delete", () => this.#ask(true));
    this.keep.hidden = this.confirm.hidden = true;
    $("chosen").append(this.words, this.all, this.confirm, this.keep, this.remove);
    $("select").onclick = () => this.toggle();
  }

  get isOn() { return this.#chosen !== null; }

  /// Begins a choice or ends it, and with it a deletion that has begun.
  toggle(isOn = !this.isOn) {
    if (isOn === this.isOn) return;
    this.#ask(false);
    this.#isDeleting = false;
    this.#chosen = isOn ? new Set() : null;
    this.#last = null;
    $("chosen").hidden = !isOn;
    $("select").textContent = isOn ? "Done" : "Select";
    (isOn ? opened : closed)(this.#end);
    this.#show();
    this.tell(isOn ? "Choose photos" : "");
  }

  /// Chooses a photo, or no longer; with a range, all from the last one to it.
  pick({ id }, isRange) {
    if (this.#isDeleting) return;
    const { ids } = this.gallery, ends = [ids.indexOf(this.#last), ids.indexOf(id)].sort((a, b) => a - b);
    if (isRange && ends[0] >= 0) {
      this.#set([...this.#chosen, ...ids.slice(ends[0], ends[1] + 1)]);
    } else {
      const others = [...this.#chosen].filter(other => other !== id);
      this.#set(this.#chosen.has(id) ? others : [...others, id]);
    }
    this.#last = id;
  }

  /// Closes the question, or else ends the choice. Returns whether there was anything to close.
  back() {
    if (!this.isOn) return false;
    if (this.keep.hidden) this.toggle(false);
    else this.#ask(false);
    return true;
  }

  /// The list has changed: what has gone is chosen no more.
  changed() {
    if (!this.isOn || this.#isDeleting) return;
    if (this.gallery.isEmpty) return this.toggle(false);
    const left = [...this.#chosen].filter(id => this.gallery.get(id));
    if (left.length === this.#chosen.size && !this.#hasFailed) return;
    this.#set(left);
    if (!left.length) this.#ask(false);
  }

  async #all() {
    const chosen = this.#chosen;
    this.words.textContent = "Looking for all photos …";
    await this.gallery.loadAll();
    if (this.#chosen === chosen) this.#set(this.gallery.ids);
  }

  #set(ids) {
    this.#hasFailed = false;
    this.#chosen = new Set(ids);
    this.#show();
  }

  #ask(isAsked) {
    if (isAsked !== this.keep.hidden) return;
    this.#asked = performance.now();
    const hadFocus = $("chosen").contains(document.activeElement);
    this.all.hidden = this.remove.hidden = isAsked;
    this.keep.hidden = this.confirm.hidden = !isAsked;
    (isAsked ? opened : closed)(this.#withdraw);
    this.#show();
    if (hadFocus) (isAsked ? this.keep : this.#chosen.size ? this.remove : $("select")).focus();
  }

  #show() {
    this.gallery.mark(this.#chosen);
    if (!this.isOn) return;
    const number = this.#chosen.size;
    this.all.disabled = false;
    this.remove.disabled = !number;
    this.confirm.ariaLabel = `Delete ${count(number)} for good`;
    this.words.textContent = !this.confirm.hidden ? `Delete ${count(number)} for good?`
      : number ? `${count(number)} chosen` : "Choose photos";
  }

  async #delete() {
    const chosen = this.#chosen, ids = [...chosen];
    // The one button that is left ends it.
    $("select").focus();
    this.#ask(false);
    this.#isDeleting = this.all.disabled = this.remove.disabled = true;
    let failure = null, done = 0;
    for (const id of ids) {
      this.words.textContent = `Deleting ${done + 1} of ${ids.length} …`;
      failure = await this.server.send(`/photos/${id}`, {}, "DELETE").then(() => null, error => error);
      // Somebody else may have removed it.
      if (failure && failure.status !== 404) break;
      failure = null;
      done += 1;
      this.gallery.remove(id);
      if (this.#chosen !== chosen) break;
    }
    if (this.#chosen === chosen) this.#finish(failure);
    this.tell(`${count(done)} deleted`);
  }

  #finish(failure) {
    this.#isDeleting = false;
    if (failure) {
      this.#set([...this.#chosen].filter(id => this.gallery.get(id)));
      this.words.textContent = sentence(failure);
      this.#hasFailed = true;
    } else {
      this.toggle(false);
    }
    if ($("select").hidden) $("closeshots").focus();
  }
}
