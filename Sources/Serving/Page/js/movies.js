// SPDX-License-Identifier: MIT
// Recording movies, and the list of those that were recorded.

import { $, clockTime, icon, make, sentence, size } from "./dom.js";

/// The record button, the time beside it, and the list.
export class Movies {
    #state = "idle";
    #seconds = 0;
    #since = 0;
    #list = [];

    constructor(server, { say, play, changed }) {
        Object.assign(this, { server, say, play, changed });
        $("record").addEventListener("click", () => this.#do(this.#state === "idle" ? "start" : "stop"));
        $("pause").addEventListener("click", () => this.#do(this.#state === "paused" ? "resume" : "pause"));
        server.on("movie", movie => this.#changed(movie));
        setInterval(() => this.#tick(), 250);
        this.#show();
    }

    set isOffered(isOffered) { $("record").hidden = !isOffered; }

    toggle() { if (!$("record").hidden) $("record").click(); }

    async #do(action) {
        try {
            await this.server.send("/movies", { do: action });
        } catch (error) {
            this.say(sentence(error));
        }
    }

    #changed({ state, seconds, file, error }) {
        const wasBusy = this.#state !== "idle";
        [this.#state, this.#seconds, this.#since] = [state, seconds ?? 0, performance.now()];
        this.#show();
        if (error) this.say(typeof error === "string" ? error : sentence(error));
        else if (state === "idle" && wasBusy) this.say(file ? `Movie saved: ${file.split("/").pop()}` : "Movie saved");
        if (state === "idle") this.load();
    }

    #show() {
        const isBusy = this.#state !== "idle", isPaused = this.#state === "paused", record = $("record");
        record.replaceChildren(icon(isBusy ? "stop" : "record"));
        record.ariaLabel = record.title = isBusy ? "Stop the movie" : "Record a movie";
        $("recording").hidden = !isBusy;
        $("recording").classList.toggle("paused", isPaused);
        $("pause").replaceChildren(icon(isPaused ? "play" : "pause"));
        $("pause").ariaLabel = isPaused ? "Go on with the movie" : "Pause the movie";
        this.#tick();
    }

    #tick() {
        if (this.#state === "idle") return;
        const running = this.#state === "recording" ? (performance.now() - this.#since) / 1000 : 0;
        $("recording").querySelector("time").textContent = clockTime(this.#seconds + running);
    }

    async load() {
        const { movies } = await this.server.get("/movies").catch(() => ({ movies: [] }));
        this.#list = movies;
        $("movies").replaceChildren(...movies.map(movie => make("li", {},
            make("button", { onclick: () => this.play(movie) }, icon("play"), make("span", {}, movie.name),
                make("small", {}, size(movie.bytes))))));
        this.changed();
    }

    get isEmpty() { return !this.#list.length; }
}
