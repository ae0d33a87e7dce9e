// SPDX-License-Identifier: MIT
// One photo at full size: how it was made, the frame it came from, its neighbours in time, and its file.

import { icon, make, sentence, size } from "./dom.js";
import { caption, lag } from "./gallery.js";
import { draw } from "./placement.js";
import { closed, opened } from "./back.js";

const qualities = { single: "a single frame", speed: "fast", quality: "best" };

/// Says how wide a picture is for its height, so that it fills what room there is.
function shape(image) {
  image.style.setProperty("--ratio", image.naturalWidth / image.naturalHeight || 1);
  return image;
}

/// The dialog over everything that shows one photo.
export class Viewer {
  #photo = null;
  #movie = null;
  #mode = "still";
  /// The latest picture asked for: earlier ones that come later are not shown.
  #asked = null;
  #isDeveloping = false;
  #isByKey = false;
  #openedAt = 0;
  /// What going back does, by what is open.
  #close = () => this.dialog.close();
  #withdraw = () => this.#ask();
  #hideStory = () => this.#showStory(false);
  #showStill = () => this.#set("still");

  /// `single(photo)` answers with the frame that a photo shows, `{ blob, mount, zoom }`; `formats()` with those that
  /// photos can be saved in; `undo` has deleted ones back; `back()` takes the focus when the viewer closes.
  constructor(dialog, { server, gallery, single, formats, say, undo, back }) {
    Object.assign(this, { dialog, server, gallery, single, formats, say, undo, back });
    const round = (name, label, onclick) =>
      make("button", { className: "round", ariaLabel: label, title: label, onclick }, icon(name));
    const tool = (name, words, onclick, title = "") =>
      make("button", { className: "tool", onclick, title }, icon(name), make("span", {}, words));
    const mode = mode => () => this.#set(this.#mode === mode ? "still" : mode);
    this.title = make("h2");
    this.frame = make("div", { className: "frame" });
    this.facts = make("p", { className: "facts" });
    this.notes = make("p", { className: "note over", role: "status" });
    this.story = make("div", { className: "story over", tabIndex: 0, role: "region", ariaLabel: "How it was made" });
    this.newer = round("left", "Newer photo", () => this.#go(-1));
    this.older = round("right", "Older photo", () => this.#go(1));
    this.compare = tool("compare", "Compare", mode("compare"), "With the single frame (C)");
    this.explain = tool("layers", "Explain", mode("explain"), "How many frames each place rests on (E)");
    this.earlier = tool("earlier", "Earlier", () => this.#shift(-1), "Adds a photo of the frame before");
    this.later = tool("later", "Later", () => this.#shift(1), "Adds a photo of the frame after");
    this.save = tool("save", "Save", () => this.#ask(this.saving), "Save as a file (S)");
    // Photos can be had back, movies cannot.
    this.remove = tool("trash", "Delete", () => this.#photo ? this.#delete() : this.#ask(this.removal));
    this.saving = make("div", { className: "ask", role: "group", ariaLabel: "Save as" });
    this.removal = make("div", { className: "ask", role: "group", ariaLabel: "Delete" },
      make("span", {}, "Delete this movie for good?"),
      make("button", { className: "plain", onclick: this.#withdraw }, "Keep"),
      make("button", { className: "plain danger", onclick: () => this.#delete() }, "Delete"));
    // A movie has these alone.
    this.file = make("a", { className: "tool" }, icon("save"), make("span", {}, "Save"));
    this.ofPhotos = [this.compare, this.explain, this.earlier, this.later, this.save];
    this.tools = make("footer", {}, ...this.ofPhotos, this.file, this.remove);
    dialog.append(make("header", {}, round("close", "Close", () => dialog.close()), this.title, this.newer, this.older),
      this.frame, make("div", { className: "about" }, this.facts, this.notes, this.story),
      this.saving, this.removal, this.tools);
    // The second click of a double click on a tile is not meant for what is below it now.
    dialog.addEventListener("click", event => {
      if (event.detail > 1 && performance.now() - this.#openedAt < 500) event.stopPropagation();
    }, true);
    dialog.addEventListener("close", () => {
      this.#closeParts();
      closed(this.#close);
      this.frame.replaceChildren();
      this.#asked = null;
      // With keys one goes on where one was; with a pointer, space is to take photos again.
      if (!this.#isByKey || this.#photo && !this.gallery.focus(this.#photo)
        || document.activeElement === document.body) this.back();
      this.#photo = this.#movie = null;
    });
    dialog.addEventListener("cancel", event => this.#closePart() && event.preventDefault());
    dialog.addEventListener("keydown", event => this.#key(event));
    this.#swipe();
  }

  get isOpen() { return this.dialog.open; }

  open(photo) {
    this.#reset(caption(photo), false);
    this.#photo = photo;
    this.#show();
  }

  /// A movie, with the browser's own controls.
  play(movie) {
    const { name, url, bytes, changed } = movie;
    this.#photo = null;
    this.#reset(name, true);
    this.#movie = movie;
    this.facts.replaceChildren(`${caption({ taken: changed })} · ${size(bytes)}`);
    [this.file.href, this.file.download] = [url, name];
    this.frame.replaceChildren(make("video", {
      src: url, controls: true, autoplay: true, playsInline: true,
      onerror: () => this.note("This browser cannot play it. Save it, and open it with a player."),
    }));
  }

  #reset(title, isFilm) {
    this.#asked = this.#movie = null;
    if (!this.dialog.open) {
      this.#isByKey = document.activeElement.matches(":focus-visible");
      this.frame.replaceChildren();
      this.dialog.showModal();
      this.#openedAt = performance.now();
      opened(this.#close);
    }
    this.dialog.classList.toggle("film", isFilm);
    for (const element of [this.newer, this.older, ...this.ofPhotos]) element.hidden = isFilm;
    this.file.hidden = !isFilm;
    this.title.textContent = title;
    this.note("");
    this.#closeParts();
  }

  /// Words about what was done here.
  note(words) { this.notes.textContent = words; }

  /// Something about a photo has changed.
  changed({ id }) {
    if (id !== this.#photo?.id) return;
    const before = this.#photo;
    this.#photo = this.gallery.get(id) ?? before;
    this.#show(before.isProxy !== this.#photo.isProxy);
  }

  removed(id) { if (id === this.#photo?.id) this.#leave(); }

  removedMovie(name) { if (name === this.#movie?.name) this.dialog.close(); }

  #show(isNewPicture = true) {
    const photo = this.#photo, { urls } = photo, quality = photo.qualityGiven ?? photo.qualityAsked;
    const made = [
      lag(photo), photo.framesUsed && `${photo.framesUsed} ${photo.framesUsed === 1 ? "frame" : "frames"}`,
      qualities[quality] ?? quality,
    ];
    const file = [
      `${photo.width} × ${photo.height}`, photo.format?.toUpperCase(), photo.bytes && size(photo.bytes),
      photo.state === "failed" ? `could not be finished: ${photo.reason ?? "see the library"}`
        : photo.isProxy && "the finished photo follows",
    ];
    const group = facts => make("span", {}, facts.filter(Boolean).join(" · "));
    this.facts.replaceChildren(group(made), " ", group(file), " ", make("button", {
      className: "link", ariaExpanded: String(!this.story.hidden), onclick: () => this.#tell(),
    }, "How it was made"));
    this.newer.disabled = !this.gallery.neighbour(photo, -1);
    this.older.disabled = !this.gallery.neighbour(photo, 1);
    this.earlier.disabled = this.later.disabled = !photo.keptFrames;
    this.explain.disabled = !urls.explain;
    // What is disabled hears no keys.
    if (document.activeElement.disabled) this.dialog.querySelector("button").focus();
    // Another format is made from the kept frames.
    const formats = photo.isProxy ? ["jpeg"] : photo.keptFrames ? this.formats() : [photo.format];
    this.saving.replaceChildren(make("span", {}, "Save as"), ...formats.map(format => make("a", {
      className: "plain", onclick: () => this.#ask(),
      download: photo.name.replace(/\.\w+$/, format === "jpeg" ? ".jpg" : `.${format}`),
      href: `/photos/${photo.id}/${photo.isProxy ? "proxy" : "final"}?download=1&format=${format}`,
    }, format.toUpperCase())));
    if (isNewPicture && this.#mode === "still") this.#picture(urls.image);
  }

  #set(mode) {
    if (this.#mode === "explain") this.note("");
    this.#turn(mode);
    this.#picture(this.#photo.urls.image);
  }

  #turn(mode) {
    if (this.#mode === "still" && mode !== "still") opened(this.#showStill);
    if (this.#mode !== "still" && mode === "still") closed(this.#showStill);
    this.#mode = mode;
  }

  async #picture(url) {
    const photo = this.#photo, mode = this.#mode, asked = this.#asked = {}, isStill = () => this.#asked === asked;
    this.compare.ariaPressed = String(mode === "compare");
    this.explain.ariaPressed = String(mode === "explain");
    const still = make("img", { alt: `Photo of ${caption(photo)}`, draggable: false, src: url });
    // Until the picture can be drawn, the same one in small stands for it.
    if (this.frame.dataset.photo !== String(photo.id) || !this.frame.firstChild) {
      this.frame.dataset.photo = photo.id;
      const small = make("img", {
        className: "small", alt: "", draggable: false, onload: () => shape(small), onerror: () => small.remove(),
        src: this.gallery.thumbnail(photo),
      });
      this.frame.replaceChildren(small);
    }
    try {
      const isThere = await still.decode().then(() => true, () => false);
      if (!isThere && mode === "still") return isStill() && this.note("The picture cannot be loaded.");
      const shown = mode === "compare" ? this.#curtain(still, await this.#single(photo, still))
        : mode === "explain" ? await this.#explanation(photo) : shape(still);
      if (isStill()) this.frame.replaceChildren(shown);
    } catch (error) {
      this.say(sentence(error));
      if (isStill()) this.#set("still");
    }
  }

  async #single(photo, { naturalWidth: width, naturalHeight: height }) {
    const { blob, ...how } = await this.single(photo), bitmap = await createImageBitmap(blob);
    const canvas = make("canvas", { width: width || bitmap.width, height: height || bitmap.height });
    draw(canvas, bitmap, how);
    bitmap.close();
    return canvas;
  }

  async #explanation({ id, width, height, framesUsed }) {
    this.note("Looking at how many frames each place rests on …");
    const url = URL.createObjectURL(await (await this.server.fetch(`/photos/${id}/explain`)).blob());
    const image = make("img", { src: url, alt: "Yellow where all frames agree, violet where one stands alone" });
    await image.decode();
    URL.revokeObjectURL(url);
    this.note("");
    // The file has a legend for those who have no page, below the picture, which may lie on its side.
    const { naturalWidth: across, naturalHeight: down } = image;
    const ratios = [width / height, height / width].filter(ratio => across / ratio <= down + 1);
    const box = make("div", { className: "explained" }, image, make("p", { className: "legend" },
      make("span", {}, "One frame"), make("i"), make("span", {}, framesUsed ? `All ${framesUsed} agree` : "All agree"),
      make("small", {}, "White: others were left out, because something moved (slanted lines), differed (dots), "
        + "had another colour (upright) or was too bright (crossed)")));
    box.style.setProperty("--ratio", ratios.length ? Math.min(...ratios) : width / height);
    return box;
  }

  #curtain(still, single) {
    const at = make("input", {
      type: "range", max: 100, step: 0.1, value: 50, ariaLabel: "Left of here the single frame, right of it the photo",
    });
    const box = make("div", { className: "curtain" },
      still, single, make("b", {}, "Frame"), make("b", {}, "Photo"), make("i"), at);
    const move = () => box.style.setProperty("--cut", `${at.value}%`);
    at.addEventListener("input", move);
    box.style.setProperty("--ratio", single.width / single.height);
    move();
    return box;
  }

  async #tell() {
    const photo = this.#photo;
    this.#showStory(this.story.hidden);
    if (this.story.hidden) return;
    const words = await Promise.all([this.server.get(photo.urls.provenance), import("./provenance.js")])
      .then(([made, { provenance }]) => provenance(made, photo), error => [sentence(error)]);
    this.story.replaceChildren(...words.map(words => make("p", {}, words)));
  }

  #showStory(isShown) {
    if (isShown !== this.story.hidden) return;
    this.story.hidden = !isShown;
    (isShown ? opened : closed)(this.#hideStory);
    this.facts.querySelector(".link")?.setAttribute("aria-expanded", isShown);
  }

  async #shift(shift) {
    const { id } = this.#photo;
    if (this.#isDeveloping) return this.note("Another photo is being made …");
    this.#isDeveloping = true;
    this.note(`Making a photo of the frame ${shift < 0 ? "before" : "after"} …`);
    try {
      const photo = await this.server.send(`/photos/${id}/develop`, { shift });
      this.gallery.put(photo);
      if (this.#photo?.id === id) this.open(this.gallery.get(photo.id));
    } catch (error) {
      this.say(sentence(error));
    }
    this.#isDeveloping = false;
  }

  async #delete() {
    const photo = this.#photo, movie = this.#movie;
    try {
      await this.server.send(movie ? movie.url : `/photos/${photo.id}`, {}, "DELETE");
      if (movie) return this.removedMovie(movie.name);
      this.removed(photo.id);
      this.gallery.remove(photo.id);
      this.undo.offer([photo.id]);
    } catch (error) {
      this.say(sentence(error));
    }
  }

  #leave() {
    const other = this.gallery.neighbour(this.#photo, 1) ?? this.gallery.neighbour(this.#photo, -1);
    if (other) this.open(other);
    else this.dialog.close();
  }

  #go(step) {
    const other = this.#photo && this.gallery.neighbour(this.#photo, step);
    if (other) this.open(other);
  }

  #ask(what) {
    const isAsked = () => !this.saving.hidden || !this.removal.hidden, before = isAsked();
    for (const [row, tool] of [[this.saving, this.save], [this.removal, this.remove]]) {
      if (row.contains(document.activeElement)) tool.focus();
      row.hidden = row !== what || !row.hidden;
    }
    if (before !== isAsked()) (before ? closed : opened)(this.#withdraw);
    if (what && !what.hidden) what.querySelector("a, button").focus();
  }

  #closeParts() {
    this.#ask();
    this.#showStory(false);
    this.#turn("still");
  }

  /// Closes what lies over the photo. Returns whether there was anything.
  #closePart() {
    const asked = [this.saving, this.removal].find(row => !row.hidden);
    if (asked) {
      this.#ask();
    } else if (!this.story.hidden) {
      this.#showStory(false);
      this.facts.lastElementChild.focus();
    } else if (this.#photo && this.#mode !== "still") {
      this.#set("still");
    } else {
      return false;
    }
    return true;
  }

  #key(event) {
    if (event.key === "Escape" && this.#closePart()) event.preventDefault();
    if (!this.#photo || event.target.type === "range" || event.ctrlKey || event.metaKey) return;
    const action = {
      ArrowLeft: () => this.#go(-1), ArrowRight: () => this.#go(1),
      Delete: () => this.remove.click(), i: () => this.#tell(),
      c: () => this.compare.click(), e: () => this.explain.click(), s: () => this.save.click(),
    }[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  #swipe() {
    let start = null;
    this.frame.addEventListener("pointerdown", event => {
      start = event.pointerType === "touch" && event.target.type !== "range" ? event : null;
    });
    this.frame.addEventListener("pointerup", event => {
      const across = event.clientX - start?.clientX, down = event.clientY - start?.clientY;
      if (Math.abs(across) > 60 && Math.abs(across) > 2 * Math.abs(down)) this.#go(across > 0 ? -1 : 1);
      else if (down > 90) this.dialog.close();
    });
  }
}
