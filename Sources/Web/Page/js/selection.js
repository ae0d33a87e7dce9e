// SPDX-License-Identifier: MIT
// Choosing several photos of the list, to save or delete them together.

import { closed, opened } from "./back.js";
import { $, make, sentence } from "./dom.js";

/// More photos than that are not saved in one file.
const mostSaved = 1000;

const count = number => `${number} ${number === 1 ? "photo" : "photos"}`;

/// Numbers as the server takes them: `1-3,7`.
function ranges(ids) {
  const all = [...ids].sort((a, b) => a - b), parts = [];
  for (const id of all) {
    if (parts.at(-1)?.[1] === id - 1) parts.at(-1)[1] = id;
    else parts.push([id, id]);
  }
  return parts.map(([first, last]) => first === last ? first : `${first}-${last}`).join();
}

/// The photos that are chosen, and the bar below the list that says what to do with them.
export class Selection {
  #chosen = null;
  #last = null;
  #isDeleting = false;
  #hasFailed = false;
  #end = () => this.toggle(false);

  /// `undo` has deleted photos back, and `tell(words)` says them to those who do not see the page.
  constructor({ gallery, server, undo, tell }) {
    Object.assign(this, { gallery, server, undo, tell });
    const plain = (words, onclick) => make("button", { className: "plain", onclick }, words);
    this.words = make("span", { role: "status" });
    this.all = plain("All", () => this.#all());
    this.save = make("a", { className: "plain", download: "" }, "Save");
    this.remove = plain("Delete", () => this.#delete());
    $("chosen").append(this.words, this.all, this.save, this.remove);
    $("select").onclick = () => this.toggle();
  }

  get isOn() { return this.#chosen !== null; }

  /// Begins a choice or ends it, and with it a deletion that has begun.
  toggle(isOn = !this.isOn) {
    if (isOn === this.isOn) return;
    this.#isDeleting = false;
    this.#chosen = isOn ? new Set() : null;
    this.#last = null;
    $("chosen").hidden = !isOn;
    $("select").textContent = isOn ? "Done" : "Select";
    (isOn ? opened : closed)(this.#end);
    this.#show();
    this.tell(isOn ? "Choose photos" : "");
  }

  /// Chooses a photo and those taken with it, or no longer; with a range, all from the last one to it.
  pick(photo, isRange) {
    if (this.#isDeleting) return;
    const { id } = photo, { ids } = this.gallery;
    const ends = [ids.indexOf(this.#last), ids.indexOf(id)].sort((a, b) => a - b);
    if (isRange && ends[0] >= 0) {
      this.#set([...this.#chosen, ...this.#whole(ids.slice(ends[0], ends[1] + 1))]);
    } else {
      const picked = this.#members(photo), others = [...this.#chosen].filter(other => !picked.includes(other));
      this.#set(this.#chosen.has(id) ? others : [...others, ...picked]);
    }
    this.#last = id;
  }

  #members(photo) { return this.gallery.members(photo).map(({ id }) => id); }

  /// Ends the choice. Returns whether there was one.
  back() {
    const { isOn } = this;
    this.toggle(false);
    return isOn;
  }

  /// The list has changed: what has gone is chosen no more.
  changed() {
    if (!this.isOn || this.#isDeleting) return;
    if (this.gallery.isEmpty) return this.toggle(false);
    const left = [...this.#chosen].filter(id => this.gallery.get(id));
    if (left.length === this.#chosen.size && !this.#hasFailed) return;
    this.#set(left);
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

  // A range ends at a photo: those that were taken with it are chosen, too.
  #whole(ids) { return ids.map(id => this.gallery.get(id)).filter(Boolean).flatMap(photo => this.#members(photo)); }

  #show() {
    this.gallery.mark(this.#chosen);
    if (!this.isOn) return;
    const number = this.#chosen.size;
    this.all.disabled = false;
    this.remove.disabled = !number;
    const isTooMany = number > mostSaved;
    this.save.hidden = !number || isTooMany;
    this.save.href = `/archive?photos=${ranges(this.#chosen)}`;
    this.words.textContent = !number ? "Choose photos"
      : `${count(number)} chosen${isTooMany ? `: at most ${mostSaved} can be saved at once` : ""}`;
  }

  async #delete() {
    const chosen = this.#chosen, ids = [...chosen];
    // The one button that is left ends it.
    $("select").focus();
    this.#isDeleting = this.all.disabled = this.remove.disabled = true;
    this.save.hidden = true;
    let failure = null;
    const done = [];
    for (const id of ids) {
      this.words.textContent = `Deleting ${done.length + 1} of ${ids.length} …`;
      failure = await this.server.send(`/photos/${id}`, {}, "DELETE").then(() => null, error => error);
      // Somebody else may have removed it.
      if (failure && failure.status !== 404) break;
      failure = null;
      done.push(id);
      this.gallery.remove(id);
      if (this.#chosen !== chosen) break;
    }
    if (this.#chosen === chosen) this.#finish(failure);
    this.tell(`${count(done.length)} deleted`);
    if (done.length) this.undo.offer(done);
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
