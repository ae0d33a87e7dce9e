// SPDX-License-Identifier: MIT
// The photos, newest first: a strip beside the viewfinder, and a page of their own. Both are one list.

import { make, seconds } from "./dom.js";

const limit = 60;

/// When a photo was taken, and how far from the moment asked for.
export function caption(photo) {
    const taken = new Date(photo.taken);
    const day = taken.toDateString() === new Date().toDateString() ? {} : { dateStyle: "medium" };
    return new Intl.DateTimeFormat(undefined, { ...day, timeStyle: "medium" }).format(taken);
}

/// How far the frame lies from the moment asked for, in words.
export function lag({ lagMs }) {
    if (lagMs == null) return "";
    if (Math.abs(lagMs) < 0.5) return "the frame you saw";
    const distance = Math.abs(lagMs) < 100 ? `${Math.round(Math.abs(lagMs))} ms` : seconds(lagMs);
    return `${distance} ${lagMs < 0 ? "before" : "after"} the moment`;
}

/// Photos from a source: an object with `list(after)`, which answers `{ photos, more }`, and `urls(photo)`.
export class Gallery {
    #items = new Map();
    #waiting = new Map();
    #more = true;
    #isLoading = false;
    photos = [];

    constructor(list, source, { open, changed = () => {} }) {
        Object.assign(this, { list, source, open, changed });
        this.end = make("li", { className: "end", ariaHidden: "true" });
        list.append(this.end);
        new IntersectionObserver(([entry]) => entry.isIntersecting && this.load(), { rootMargin: "600px" }).observe(this.end);
    }

    /// Loads the next page; `again` looks for what was missed at the top.
    async load(again = false) {
        if (this.#isLoading || !(this.#more || again)) return;
        this.#isLoading = true;
        try {
            const after = again ? undefined : this.photos.at(-1)?.id;
            const { photos, more } = await this.source.list(after, limit);
            if (again) {
                // What is gone was removed while nobody listened.
                const oldest = more ? photos.at(-1)?.id ?? 0 : 0, present = new Set(photos.map(photo => photo.id));
                for (const photo of [...this.photos]) if (photo.id >= oldest && !present.has(photo.id)) this.remove(photo.id);
            }
            photos.forEach(photo => this.put(photo));
            if (!again || this.photos.length <= photos.length) this.#more = more;
        } catch { /* The next scroll, or the next connection, tries again. */ }
        this.#isLoading = false;
        this.changed();
        if (this.#more && this.end.getBoundingClientRect().top < innerHeight && this.list.clientHeight) {
            requestAnimationFrame(() => this.load());
        }
    }

    /// A shot was sent: its tile shows what was on the screen until its photo comes.
    begin(tag, canvas) {
        const item = make("li", { className: "waiting" });
        if (canvas) item.append(canvas);
        this.list.prepend(item);
        this.#waiting.set(tag, item);
        this.changed();
        return item;
    }

    /// A shot has no photo.
    fail(tag) {
        this.#waiting.get(tag)?.remove();
        this.#waiting.delete(tag);
        this.changed();
    }

    /// Adds a photo, or shows what is new about it.
    put(photo, tag) {
        const known = this.#items.get(photo.id);
        if (known) {
            const isSame = known.photo.isProxy === photo.isProxy && known.photo.bytes === photo.bytes && known.photo.state === photo.state;
            this.photos[this.photos.indexOf(known.photo)] = photo;
            known.photo = photo;
            this.#describe(known);
            if (!isSame) this.#picture(known);
            return this.changed();
        }
        const waiting = this.#waiting.get(tag);
        this.#waiting.delete(tag);
        const element = waiting ?? make("li");
        const button = make("button", { onclick: () => this.open(entry.photo) }, ...element.childNodes);
        element.className = "";
        element.replaceChildren(button);
        const entry = { photo, element, button };
        this.#items.set(photo.id, entry);
        const at = this.photos.findIndex(other => other.id < photo.id);
        const next = at < 0 ? this.end : this.#items.get(this.photos[at].id).element;
        this.photos.splice(at < 0 ? this.photos.length : at, 0, photo);
        // Tiles of shots that still wait stay where they are: in front.
        if (!waiting) this.list.insertBefore(element, next);
        this.#describe(entry);
        this.#picture(entry);
        this.changed();
    }

    remove(id) {
        this.#items.get(id)?.element.remove();
        this.#items.delete(id);
        this.photos = this.photos.filter(photo => photo.id !== id);
        this.changed();
    }

    neighbour(photo, step) { return this.photos[this.photos.findIndex(({ id }) => id === photo.id) + step]; }

    focus(photo) { this.#items.get(photo.id)?.button.focus(); }

    get isEmpty() { return !this.photos.length && !this.#waiting.size; }

    #describe({ photo, element, button }) {
        element.classList.toggle("proxy", photo.isProxy && photo.state !== "failed");
        button.ariaLabel = [`Photo ${photo.id}, ${caption(photo)}`, lag(photo), photo.isProxy ? "not finished yet" : ""]
            .filter(Boolean).join(", ");
    }

    // The new picture fades in over the old one.
    #picture({ photo, button }) {
        const image = make("img", { alt: "", decoding: "async", draggable: false, loading: "lazy" });
        const version = `${photo.bytes ?? 0}${photo.isProxy ? "p" : ""}`;
        image.onload = () => {
            image.classList.add("there");
            setTimeout(() => { while (button.firstChild !== image && image.parentNode === button) button.firstChild.remove(); }, 500);
        };
        image.src = this.source.urls(photo, version).thumbnail;
        button.append(image);
    }
}
