// SPDX-License-Identifier: MIT
// One photo at full size: how it was made, the frame it came from, its neighbours in time, and its file.

import { icon, make, seconds, sentence, size } from "./dom.js";
import { caption, lag } from "./gallery.js";
import { provenance } from "./provenance.js";
import { draw, noZoom } from "./placement.js";

const qualities = { single: "single frame", speed: "speed", balanced: "balanced", quality: "best quality" };

/// The dialog over everything that shows one photo.
export class Viewer {
    #photo = null;
    #mode = "still";
    #awaited = null;

    /// `seen` has the frames as they were on the screen, by frame id: `{ blob, mount, zoom }`.
    constructor(dialog, { server, gallery, seen, formats, mount, say }) {
        Object.assign(this, { dialog, server, gallery, seen, formats, mount, say });
        const button = (name, label, action, extra = {}) =>
            make("button", { className: "round", ariaLabel: label, title: label, onclick: action, ...extra }, icon(name));
        this.when = make("h2");
        this.frame = make("div", { className: "frame" });
        this.facts = make("p", { className: "facts" });
        this.notes = make("p", { className: "note", role: "status" });
        this.story = make("div", { className: "story", hidden: true, tabIndex: 0, role: "region", ariaLabel: "How it was made" });
        this.previous = button("left", "Newer photo", () => this.#go(-1), { className: "round side" });
        this.next = button("right", "Older photo", () => this.#go(1), { className: "round side" });
        const tool = (name, words, action) => make("button", { className: "tool", onclick: action }, icon(name), make("span", {}, words));
        this.compare = tool("compare", "Compare", () => this.#set(this.#mode === "compare" ? "still" : "compare"));
        this.explain = tool("layers", "Explain", () => this.#set(this.#mode === "explain" ? "still" : "explain"));
        this.earlier = tool("left", "Earlier", () => this.#shift(-1));
        this.later = tool("right", "Later", () => this.#shift(1));
        this.earlier.title = "The frame before this one";
        this.later.title = "The frame after this one";
        this.save = tool("save", "Save", () => this.#ask(this.saving));
        this.remove = tool("trash", "Delete", () => this.#ask(this.removal));
        this.saving = make("div", { className: "ask", hidden: true, role: "group", ariaLabel: "Save as" });
        this.removal = make("div", { className: "ask", hidden: true, role: "group", ariaLabel: "Delete this photo?" },
            make("span", {}, "Delete this photo for good?"),
            make("button", { className: "plain", onclick: () => this.#ask(null) }, "Keep"),
            make("button", { className: "plain danger", onclick: () => this.#delete() }, "Delete"));
        dialog.append(
            make("header", {}, button("close", "Close", () => dialog.close()), this.when, this.previous, this.next),
            this.frame, make("div", { className: "about" }, this.facts, this.notes, this.story), this.saving, this.removal,
            make("footer", {}, this.compare, this.explain, this.earlier, this.later, this.save, this.remove));
        dialog.addEventListener("close", () => {
            this.frame.replaceChildren();
            if (this.#photo) this.gallery.focus(this.#photo);
            this.#photo = null;
        });
        dialog.addEventListener("keydown", event => this.#key(event));
        this.#swipe();
    }

    get isOpen() { return this.dialog.open; }

    open(photo) {
        this.#photo = photo;
        this.#mode = "still";
        if (!this.dialog.open) this.dialog.showModal();
        this.story.hidden = true;
        this.note("");
        this.#ask(null);
        this.#show();
    }

    /// A movie, with the browser's own controls.
    play(movie) {
        this.#photo = null;
        this.dialog.classList.add("film");
        this.when.textContent = movie.name;
        this.facts.replaceChildren(size(movie.bytes), " ", make("a", { href: movie.url, download: movie.name }, "Save"));
        this.story.hidden = true;
        this.#ask(null);
        this.frame.replaceChildren(make("video", { src: movie.url, controls: true, autoplay: true, playsInline: true }));
        if (!this.dialog.open) this.dialog.showModal();
    }

    /// Words about what was done here.
    note(words) { this.notes.textContent = words; }

    /// A photo has changed. One that was asked for here is shown as soon as it is there.
    changed(photo) {
        if (photo.id === this.#awaited) {
            this.#awaited = null;
            if (this.isOpen) this.open(photo);
        } else if (photo.id === this.#photo?.id) {
            this.#photo = photo;
            this.#show(true);
        }
    }

    removed(id) { if (id === this.#photo?.id) this.#leave(); }

    #show(isUpdate = false) {
        const photo = this.#photo, urls = this.gallery.source.urls(photo);
        this.dialog.classList.remove("film");
        this.when.textContent = caption(photo);
        const quality = photo.qualityGiven ?? photo.qualityAsked;
        this.facts.replaceChildren([
            lag(photo), photo.framesUsed ? `${photo.framesUsed} ${photo.framesUsed === 1 ? "frame" : "frames"}` : "",
            qualities[quality] ?? quality, `${photo.width} × ${photo.height}`, (photo.format ?? "").toUpperCase(),
            photo.bytes ? size(photo.bytes) : "", photo.isProxy ? "the finished photo follows" : "",
        ].filter(Boolean).join(" · "), " ", make("button", { className: "link", ariaExpanded: "false", onclick: () => this.#tell() }, "How it was made"));
        this.previous.disabled = !this.gallery.neighbour(photo, -1);
        this.next.disabled = !this.gallery.neighbour(photo, 1);
        for (const tool of [this.earlier, this.later]) tool.disabled = photo.isProxy || photo.keptFrames === 0 && !photo.frame;
        this.compare.disabled = !photo.frame && !photo.isProxy;
        this.saving.replaceChildren(make("span", {}, "Save as"), ...this.formats().map(format => make("a", {
            className: "plain", download: photo.name.replace(/\.\w+$/, format === "jpeg" ? ".jpg" : `.${format}`),
            href: photo.urls.final ? `${photo.urls.final}?download=1&format=${format}` : `/photos/${photo.id}/proxy?download=1`,
            onclick: () => this.#ask(null),
        }, format.toUpperCase())));
        if (isUpdate && this.#mode !== "still") return;
        this.#picture(urls.image);
    }

    #set(mode) {
        this.#mode = mode;
        this.#picture(this.gallery.source.urls(this.#photo).image);
    }

    async #picture(url) {
        const photo = this.#photo, mode = this.#mode;
        this.compare.ariaPressed = String(mode === "compare");
        this.explain.ariaPressed = String(mode === "explain");
        const still = make("img", { alt: `Photo of ${caption(photo)}`, draggable: false, src: url });
        if (mode === "still") {
            // The picture that was there stays until the new one can be drawn.
            await still.decode().catch(() => {});
            if (this.#photo === photo && this.#mode === mode) this.frame.replaceChildren(still);
            return;
        }
        try {
            const other = mode === "compare" ? await this.#frame(photo) : await this.#explanation(photo);
            if (this.#photo !== photo || this.#mode !== mode) return;
            if (mode === "explain") return this.frame.replaceChildren(other);
            this.frame.replaceChildren(this.#curtain(still, other));
        } catch (error) {
            this.say(mode === "compare" ? "The single frame has left memory." : sentence(error));
            if (this.#photo === photo) this.#set("still");
        }
    }

    // The frame as it was seen: remembered by this page, still in the ring, or the proxy made of it.
    async #frame(photo) {
        const seen = this.seen.get(photo.frame);
        let blob = seen?.blob, how = seen ?? { mount: this.mount(), zoom: noZoom };
        blob ??= await this.server.fetch(`/snapshot?frame=${encodeURIComponent(photo.frame)}`).then(response => response.blob())
            .catch(async () => {
                how = {};
                return (await this.server.fetch(`/photos/${photo.id}/proxy`)).blob();
            });
        const bitmap = await createImageBitmap(blob), canvas = make("canvas", { width: photo.width, height: photo.height });
        draw(canvas, bitmap, how);
        bitmap.close();
        return canvas;
    }

    async #explanation(photo) {
        const blob = await (await this.server.fetch(`/photos/${photo.id}/explain`)).blob(), url = URL.createObjectURL(blob);
        const image = make("img", { src: url, alt: "How many frames each place rests on: yellow where all agree, violet where one stands alone" });
        await image.decode();
        URL.revokeObjectURL(url);
        return image;
    }

    #curtain(still, frame) {
        const box = make("div", { className: "curtain" });
        const at = make("input", { type: "range", min: 0, max: 100, step: 0.1, value: 50, ariaLabel: "Left of here the frame you saw, right of it the photo" });
        const move = () => box.style.setProperty("--cut", `${at.value}%`);
        at.addEventListener("input", move);
        box.append(still, frame, make("b", {}, "Frame"), make("b", {}, "Photo"), make("i"), at);
        box.style.setProperty("--shape", `${frame.width} / ${frame.height}`);
        box.style.setProperty("--ratio", frame.width / frame.height);
        move();
        return box;
    }

    async #tell() {
        const button = this.facts.querySelector("button"), photo = this.#photo;
        this.story.hidden = !this.story.hidden;
        button.ariaExpanded = String(!this.story.hidden);
        if (this.story.hidden) return;
        try {
            const made = await this.server.get(photo.urls.provenance);
            this.story.replaceChildren(...provenance(made, photo).map(words => make("p", {}, words)));
        } catch (error) {
            this.story.replaceChildren(make("p", {}, sentence(error)));
        }
    }

    async #shift(shift) {
        try {
            const { photo } = await this.server.send(`/photos/${this.#photo.id}/develop`, { shift });
            this.#awaited = photo;
            this.say(shift < 0 ? "Making a photo of the frame before" : "Making a photo of the frame after");
            const there = this.gallery.photos.find(({ id }) => id === photo);
            if (there) this.changed(there);
        } catch (error) {
            this.say(sentence(error));
        }
    }

    async #delete() {
        const { id } = this.#photo;
        try {
            await this.server.send(`/photos/${id}`, {}, "DELETE");
            this.#leave();
            this.gallery.remove(id);
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
        for (const row of [this.saving, this.removal]) row.hidden = row !== what || !row.hidden;
        (what && !what.hidden && what.querySelector("a, button"))?.focus();
    }

    #key(event) {
        if (event.target.type === "range" || event.target.localName === "video" || event.ctrlKey || event.metaKey) return;
        const actions = {
            ArrowLeft: () => this.#go(-1), ArrowRight: () => this.#go(1), c: () => this.compare.click(), e: () => this.explain.click(),
            s: () => this.save.click(), Delete: () => this.remove.click(), i: () => this.#tell(),
        };
        if (!this.#photo || !(event.key in actions)) return;
        event.preventDefault();
        actions[event.key]();
    }

    #swipe() {
        let start = null;
        this.frame.addEventListener("pointerdown", event => {
            start = event.pointerType === "touch" && event.target.type !== "range" ? event : null;
        });
        this.frame.addEventListener("pointerup", event => {
            if (!start) return;
            const across = event.clientX - start.clientX, down = event.clientY - start.clientY;
            start = null;
            if (Math.abs(across) > 60 && Math.abs(across) > 2 * Math.abs(down)) this.#go(across > 0 ? -1 : 1);
            else if (down > 90) this.dialog.close();
        });
    }
}
