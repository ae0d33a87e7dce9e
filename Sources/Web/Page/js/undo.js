// SPDX-License-Identifier: MIT
// Photos that were just deleted, and the way to have them back.

import { $, make, sentence } from "./dom.js";

const patience = 10000;

/// A note with a button, for a while after photos went to the trash.
export class Undo {
  #ids = [];
  #timer = 0;

  /// `say(words)` tells what went wrong.
  constructor(server, say) {
    Object.assign(this, { server, say });
    this.words = make("span", { role: "status" });
    this.note = make("div", { id: "undo", hidden: true }, this.words,
      make("button", { className: "link", title: "Ctrl+Z", onclick: () => this.run() }, "Undo"));
    document.body.append(this.note);
    $("viewer").addEventListener("close", () => document.body.append(this.note));
    document.addEventListener("keydown", event => {
      if (event.key === "z" && (event.ctrlKey || event.metaKey)) this.run();
    });
  }

  offer(ids) {
    this.#ids = ids;
    this.words.textContent = ids.length === 1 ? "Photo deleted" : `${ids.length} photos deleted`;
    // Nothing below an open dialog can be pressed.
    ($("viewer").open ? $("viewer") : document.body).append(this.note);
    this.note.hidden = false;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#end(), patience);
  }

  /// Takes them out of the trash. All pages hear of it.
  async run() {
    const ids = this.#ids;
    // What has the focus goes on hearing keys when the note disappears.
    if (this.note.contains(document.activeElement) && $("viewer").open) $("viewer").querySelector("button").focus();
    this.#end();
    for (const id of ids) {
      await this.server.send(`/photos/${id}/restore`).catch(error => this.say(sentence(error)));
    }
  }

  #end() {
    this.#ids = [];
    this.note.hidden = true;
  }
}
