// SPDX-License-Identifier: MIT
// The photos, newest first: a strip beside the viewfinder, and a page of their own. Both are one list.

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

/// Photos from a source: an object with `list(after)`, which answers `{ photos, more }`, and `urls(photo)`.
export class Gallery {
  #entries = new Map();
  #waiting = new Map();
  #order = [];
  #hasMore = true;
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

  neighbour({ id }, step) { return this.get(this.#order[this.#order.indexOf(id) + step]); }

  thumbnail(photo) { return this.source.urls(photo).thumbnail; }

  /// Returns false if the photo is not there any more.
  focus({ id }) {
    this.#entries.get(id)?.button.focus();
    return this.#entries.has(id);
  }

  /// Loads the next page; `again` looks for what was missed at the top.
  async load(again = false) {
    if (this.#isLoading || !(this.#hasMore || again)) return;
    this.#isLoading = true;
    const before = this.ids;
    try {
      const { photos, more } = await this.source.list(again ? undefined : this.#order.at(-1));
      const next = more && photos.at(-1), present = new Set(photos.map(({ id }) => id));
      // What is gone was removed while nobody listened.
      const isGone = id => !present.has(id) && !(next && isBefore(next, this.get(id)));
      if (again) before.filter(id => this.get(id) && isGone(id)).forEach(id => this.remove(id));
      photos.forEach(photo => this.put(photo));
      if (!again || this.#order.length <= photos.length) this.#hasMore = more;
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
    entry.button.ariaLabel = [`Photo ${photo.id}, ${caption(photo)}`, lag(photo), photo.isProxy && "not finished yet"]
      .filter(Boolean).join(", ");
    if (known?.isProxy !== photo.isProxy || known.bytes !== photo.bytes) this.#picture(entry);
    this.changed();
    return photo;
  }

  remove(id) {
    this.#entries.get(id)?.element.remove();
    this.#entries.delete(id);
    this.#order = this.#order.filter(other => other !== id);
    this.changed();
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
