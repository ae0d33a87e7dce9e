// SPDX-License-Identifier: MIT
// The photos, newest first: a strip beside the viewfinder, and a page of their own. Both are one list. Photos that
// several cameras took at one tap are one stack there.

import { make, seconds, sleep } from "./dom.js";

/// When a photo was taken: the date, and the time.
export const caption = ({ taken }) =>
  new Date(taken).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "medium" });

/// Whether a photo comes before another: the newer one does, as in the library.
const isBefore = (one, other) =>
  (Date.parse(one.taken) - Date.parse(other.taken) || one.id - other.id) > 0;

/// How far the frame lies from the moment asked for, in words.
export function lag({ lagMs }) {
  if (lagMs == null) return "";
  const distance = Math.abs(lagMs);
  if (distance < 0.5) return "the frame you saw";
  const words = distance < 100 ? `${Math.round(distance)} ms` : seconds(distance);
  return `${words} ${lagMs < 0 ? "before" : "after"} the moment`;
}

/// Photos from a source: an object with `list(after)`, which answers `{ photos, more }`, `urls(photo)`, and `camera()`,
/// the name of the page's own one, whose photo lies on top of a stack.
export class Gallery {
  #entries = new Map();
  /// The photos of each group that are loaded.
  #groups = new Map();
  #waiting = new Map();
  #order = [];
  #hasMore = true;
  /// The last photo of the last page.
  #last = undefined;
  #isLoading = false;
  #chosen = null;

  constructor(list, source, { open, changed }) {
    Object.assign(this, { list, source, open, changed });
    this.end = make("li", { className: "end", ariaHidden: "true" });
    list.append(this.end);
    new IntersectionObserver(([{ isIntersecting }]) => isIntersecting && this.load(), { rootMargin: "600px" })
      .observe(this.end);
  }

  get isEmpty() { return !this.#order.length && !this.#waiting.size; }

  get(id) { return this.#entries.get(id)?.photo; }

  /// All photos that were loaded, the newest first.
  get ids() { return [...this.#order]; }

  /// Shows which photos are chosen; with null, that none can be.
  mark(chosen) {
    this.#chosen = chosen;
    for (const [id, { button }] of this.#entries) button.ariaPressed = chosen && String(chosen.has(id));
  }

  /// Loads all that is left of the list.
  async loadAll() {
    for (let before = -1; this.#hasMore && before < this.#order.length;) {
      while (this.#isLoading) await sleep(20);
      before = this.#order.length;
      await this.load();
    }
  }

  /// The next photo or stack in a direction.
  neighbour(photo, step) {
    let at = this.#order.indexOf(this.members(photo)[0].id);
    do at += step; while (this.#entries.get(this.#order[at])?.element.hidden);
    return this.get(this.#order[at]);
  }

  /// The photos that were taken with one, and itself: those of the same camera always have the same place.
  members(photo) {
    const own = this.source.camera?.(), place = ({ group: { stream } }) => stream === own ? "" : stream;
    const ids = this.#groups.get(photo.group?.id);
    return !ids?.has(photo.id) ? [photo]
      : [...ids].map(id => this.get(id)).sort((a, b) => place(a).localeCompare(place(b)) || a.id - b.id);
  }

  /// Loads what is not loaded of a photo's group. Returns whether there was any.
  async complete(photo) {
    const { photos } = await this.source.group(photo.group.id), missing = photos.filter(({ id }) => !this.get(id));
    missing.forEach(photo => this.put(photo));
    return missing.length > 0;
  }

  thumbnail(photo) { return this.source.urls(photo).thumbnail; }

  /// Returns false if the photo is not there any more.
  focus(photo) {
    const { id } = this.members(photo)[0];
    this.#entries.get(id)?.button.focus();
    return this.#entries.has(id);
  }

  /// Loads the next page; `again` looks for what was missed at the top.
  async load(again = false) {
    if (this.#isLoading || !(this.#hasMore || again)) return;
    this.#isLoading = true;
    const before = this.ids;
    try {
      const { photos, more } = await this.source.list(again ? undefined : this.#last);
      const next = more && photos.at(-1), present = new Set(photos.map(({ id }) => id));
      // What is gone was removed while nobody listened.
      const isGone = id => !present.has(id) && !(next && isBefore(next, this.get(id)));
      if (again) before.filter(id => this.get(id) && isGone(id)).forEach(id => this.remove(id));
      photos.forEach(photo => this.put(photo));
      if (!again || this.#order.length <= photos.length) [this.#hasMore, this.#last] = [more, photos.at(-1)?.id];
      // The rest of a group may be on the next page.
      if (next?.group) await this.complete(next);
    } catch { /* The next scroll or the next connection tries again. */ }
    this.#isLoading = false;
    this.changed();
    if (this.#hasMore && this.list.clientHeight && this.end.getBoundingClientRect().top < innerHeight) {
      requestAnimationFrame(() => this.load());
    }
  }

  /// A shot was sent: its tile shows what was on the screen until its photo comes.
  begin(tag, canvas) {
    const item = make("li", { className: "waiting" }, canvas ?? "");
    this.list.prepend(item);
    this.list.scrollTo({ top: 0 });
    this.#waiting.set(tag, item);
    this.changed();
  }

  /// A shot has no photo.
  fail(tag) {
    this.#waiting.get(tag)?.remove();
    this.#waiting.delete(tag);
    this.changed();
  }

  /// Adds a photo, or what is new about it; returns it. News may say less than what is known.
  put(news, tag) {
    let entry = this.#entries.get(news.id);
    const known = entry?.photo;
    if (!known && !news.urls) return null;
    const photo = { ...known };
    for (const [key, value] of Object.entries(news)) photo[key] = value ?? photo[key];
    // A proxy is made of other frames than the photo that follows.
    if (known?.isProxy && !photo.isProxy) photo.framesUsed = news.framesUsed;
    if (!entry) {
      const waiting = this.#waiting.get(tag), element = waiting ?? make("li");
      this.#waiting.delete(tag);
      const button = make("button", {
        ariaPressed: this.#chosen && String(this.#chosen.has(photo.id)),
        onclick: event => this.open(this.get(photo.id), event.shiftKey),
      }, ...element.childNodes);
      element.className = "";
      element.append(button);
      // Those that are loaded go to the end of a list that may be long.
      const last = this.get(this.#order.at(-1)), isLast = !last || isBefore(last, photo);
      const at = isLast ? this.#order.length : this.#order.findIndex(id => isBefore(photo, this.get(id)));
      const next = this.#entries.get(this.#order[at])?.element ?? this.end;
      this.#order.splice(at, 0, photo.id);
      let following = element.nextElementSibling;
      while (following?.matches(".waiting")) following = following.nextElementSibling;
      // The tile of a live shot is in its place already.
      if (following !== next) this.list.insertBefore(element, next);
      this.#entries.set(photo.id, entry = { element, button });
    }
    entry.photo = photo;
    entry.element.classList.toggle("proxy", photo.isProxy && photo.state !== "failed");
    this.#stack(photo);
    if (known?.isProxy !== photo.isProxy || known.bytes !== photo.bytes) this.#picture(entry);
    this.changed();
    return photo;
  }

  remove(id) {
    const photo = this.get(id);
    this.#entries.get(id)?.element.remove();
    this.#entries.delete(id);
    this.#order = this.#order.filter(other => other !== id);
    const left = this.#groups.get(photo?.group?.id);
    left?.delete(id);
    if (left?.size) this.#stack(this.get([...left][0]));
    this.changed();
  }

  // Shows those that were taken together as one tile, and says what it is.
  #stack(photo) {
    const group = photo.group?.id;
    if (group && !this.#groups.has(group)) this.#groups.set(group, new Set());
    this.#groups.get(group)?.add(photo.id);
    const members = this.members(photo), count = members.length;
    members.forEach(({ id }, index) => {
      const { element } = this.#entries.get(id);
      element.hidden = index > 0;
      element.classList.toggle("stack", count > 1);
      element.dataset.count = count;
    });
    const [first] = members, names = () => new Intl.ListFormat("en").format(members.map(({ group }) => group.stream));
    this.#entries.get(first.id).button.ariaLabel = [
      `${count > 1 ? `${count} photos by ${names()}` : `Photo ${first.id}`}, ${caption(first)}`, lag(first),
      members.some(({ isProxy }) => isProxy) && "not finished yet",
    ].filter(Boolean).join(", ");
  }

  // The new picture fades in over the old one.
  #picture({ photo, button }) {
    // A browser has few connections for each server: shots go first.
    const image = make("img", {
      alt: "", draggable: false, loading: "lazy", fetchPriority: "low", src: this.thumbnail(photo),
    });
    image.onerror = () => {
      image.onerror = null;
      image.src = photo.urls.image;
    };
    image.onload = () => {
      image.classList.add("there");
      setTimeout(() => {
        while (button.contains(image) && button.firstChild !== image) button.firstChild.remove();
      }, 500);
    };
    button.append(image);
  }
}
