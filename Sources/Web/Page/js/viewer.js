// SPDX-License-Identifier: MIT
// One photo at full size: how it was made, the frame it came from, its neighbours in time, and its file.

import { icon, make, sentence, size } from "./dom.js";
import { caption, lag } from "./gallery.js";
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
  /// The photo, and those that other cameras took with it.
  #members = [];
  #isAlone = false;
  /// Those that are being deleted here.
  #leaving = [];
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
  #together = () => this.open(this.#photo);

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
    this.beside = tool("photos", "All", this.#together, "With those taken at the same tap (B)");
    this.beside.ariaLabel = "All cameras";
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
    this.ofOne = [this.compare, this.explain, this.earlier, this.later];
    this.ofPhotos = [...this.ofOne, this.save];
    this.tools = make("footer", {}, this.beside, ...this.ofPhotos, this.file, this.remove);
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
      this.#members = [];
    });
    dialog.addEventListener("cancel", event => this.#closePart() && event.preventDefault());
    dialog.addEventListener("keydown", event => this.#key(event));
    this.#swipe();
  }

  get isOpen() { return this.dialog.open; }

  /// A photo with those that other cameras took with it, or alone.
  open(photo, isAlone = false) {
    this.#reset(caption(photo), false);
    this.#isAlone = isAlone;
    if (isAlone) opened(this.#together);
    this.#take(photo);
    this.#show();
    if (isAlone) this.beside.focus();
    if (photo.group && !isAlone) this.#complete(photo);
  }

  async #complete(photo) {
    const isMore = await this.gallery.complete(photo).catch(() => false);
    if (isMore) this.changed(photo);
  }

  #take(photo) {
    this.#members = this.#isAlone ? [photo] : this.gallery.members(photo);
    this.#photo = this.#members.find(({ id }) => id === photo.id) ?? photo;
    if (this.#isSeveral) [this.#photo] = this.#members;
  }

  get #isSeveral() { return this.#members.length > 1; }

  /// A movie, with the browser's own controls.
  play(movie) {
    const { name, url, bytes, changed } = movie;
    this.#photo = null;
    this.#members = [];
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
    this.beside.hidden = true;
    this.title.textContent = title;
    this.note("");
    this.#closeParts();
  }

  /// Words about what was done here.
  note(words) { this.notes.textContent = words; }

  /// Something about a photo has changed.
  changed({ id }) {
    const before = this.#photo, news = this.gallery.get(id), count = this.#members.length;
    const isBeside = !this.#isAlone && before?.group && news?.group?.id === before.group.id;
    if (!before || id !== before.id && !isBeside) return;
    const known = this.#members.find(member => member.id === id);
    this.#take(this.gallery.get(before.id) ?? before);
    this.#show(count !== this.#members.length || known?.isProxy !== news?.isProxy);
  }

  removed(id) {
    if (this.#leaving.includes(id) || !this.#members.some(member => member.id === id)) return;
    const left = this.#members.filter(member => member.id !== id);
    if (!left.length) return this.#openOr(this.#nearby(this.#photo));
    [this.#members, this.#photo] = [left, left[0]];
    this.#show();
  }

  removedMovie(name) { if (name === this.#movie?.name) this.dialog.close(); }

  #show(isNewPicture = true) {
    this.ofOne.forEach(tool => { tool.hidden = this.#isSeveral; });
    this.beside.hidden = !this.#isAlone;
    this.newer.disabled = !this.gallery.neighbour(this.#photo, -1);
    this.older.disabled = !this.gallery.neighbour(this.#photo, 1);
    if (this.#isSeveral) this.#showSeveral(isNewPicture);
    else this.#showOne(isNewPicture);
    // What is disabled or hidden hears no keys.
    const { activeElement } = document;
    if (activeElement.disabled || activeElement.closest("[hidden]")) this.dialog.querySelector("button").focus();
  }

  // The tools for one photo come with it alone.
  async #showSeveral(isNewPicture) {
    const asked = isNewPicture ? this.#asked = {} : this.#asked;
    this.#turn("still");
    this.#showStory(false);
    const { apart, beside, saves } = await import("./group.js"), members = this.#members;
    if (this.#asked !== asked || !this.#isSeveral) return;
    this.facts.replaceChildren([`${members.length} cameras`, apart(members)].filter(Boolean).join(" · "));
    this.saving.replaceChildren(make("span", {}, "Save"), ...saves(members, () => this.#ask()));
    if (!isNewPicture) return;
    this.frame.dataset.photo = "";
    this.#fill(beside(members, { gallery: this.gallery, alone: photo => this.open(photo, true) }));
  }

  // What had the focus may go: keys are heard all the same.
  #fill(picture) {
    const isHeard = this.dialog.contains(document.activeElement) && !this.frame.contains(document.activeElement);
    this.frame.replaceChildren(picture);
    if (!isHeard) (picture.querySelector("button") ?? this.dialog.querySelector("button")).focus();
  }

  #showOne(isNewPicture) {
    const photo = this.#photo, { urls } = photo, quality = photo.qualityGiven ?? photo.qualityAsked;
    const made = [
      photo.group?.stream, lag(photo),
      photo.framesUsed && `${photo.framesUsed} ${photo.framesUsed === 1 ? "frame" : "frames"}`,
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
    this.earlier.disabled = this.later.disabled = !photo.keptFrames;
    this.explain.disabled = !urls.explain;
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
      this.#fill(small);
    }
    try {
      const isThere = await still.decode().then(() => true, () => false);
      if (!isThere && mode === "still") return isStill() && this.note("The picture cannot be loaded.");
      const { curtain, explanation } = mode === "still" ? {} : await import("./compare.js");
      if (mode === "explain") this.note("Looking at how many frames each place rests on …");
      const shown = mode === "compare" ? await curtain(still, await this.single(photo))
        : mode === "explain" ? await explanation(photo, await this.server.fetch(`/photos/${photo.id}/explain`))
        : shape(still);
      if (mode === "explain") this.note("");
      if (isStill()) this.#fill(shown);
    } catch (error) {
      this.say(sentence(error));
      if (isStill()) this.#set("still");
    }
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
    if (this.#movie) return this.#deleteMovie(this.#movie);
    const photo = this.#photo, ids = this.#leaving = this.#members.map(({ id }) => id), done = [];
    const next = this.gallery.members(photo).find(({ id }) => !ids.includes(id)) ?? this.#nearby(photo);
    let failure = null;
    for (const id of ids) {
      failure ??= await this.server.send(`/photos/${id}`, {}, "DELETE").catch(error => error);
      if (!failure) done.push(id);
    }
    this.#leaving = [];
    if (failure) this.say(sentence(failure));
    if (failure) done.forEach(id => this.removed(id));
    else if (ids.includes(this.#photo?.id)) this.#openOr(next);
    done.forEach(id => this.gallery.remove(id));
    if (done.length) this.undo.offer(done);
  }

  async #deleteMovie({ name, url }) {
    try {
      await this.server.send(url, {}, "DELETE");
      this.removedMovie(name);
    } catch (error) {
      this.say(sentence(error));
    }
  }

  #nearby(photo) { return this.gallery.neighbour(photo, 1) ?? this.gallery.neighbour(photo, -1); }

  #openOr(next) {
    const other = next && this.gallery.get(next.id);
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
    if (this.#isAlone) closed(this.#together);
    this.#isAlone = false;
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
    } else if (this.#isAlone) {
      this.#together();
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
      Delete: () => this.remove.click(), i: () => this.#isSeveral || this.#tell(), s: () => this.save.click(),
      ...!this.#isSeveral && { c: () => this.compare.click(), e: () => this.explain.click() },
      ...this.#isAlone && { b: this.#together },
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
