// SPDX-License-Identifier: MIT
// Recording movies, and the list of those that were recorded.

import { $, clockTime, icon, make, sentence, size, sleep } from "./dom.js";
import { caption } from "./gallery.js";

/// First pictures and lengths that are there already, by movie.
const kept = new Map();
const keyOf = ({ name, bytes }) => `${name} ${bytes}`;
/// A browser has few connections for each server, so they come one at a time, and one that does not come soon is
/// given up.
const waiting = [], patience = 5000;
let isLoading = false;

/// Returns whether there is something to show.
function show(poster) {
  const parts = kept.get(keyOf(poster.movie));
  if (parts) poster.replaceChildren(...parts);
  return Boolean(parts);
}

/// Has the browser take a movie's first picture and its length from the beginning of the file. One that it cannot play
/// keeps its symbol.
async function load({ movie }) {
  const video = make("video", { src: `${movie.url}#t=0.001`, muted: true, playsInline: true, preload: "metadata" });
  const hasCome = new Promise(resolve => {
    video.onloadeddata = () => resolve(true);
    video.onerror = () => resolve(false);
  });
  if (await Promise.race([hasCome, sleep(patience)])) {
    const height = Math.round(320 * video.videoHeight / video.videoWidth) || 180;
    const canvas = make("canvas", { width: 320, height });
    canvas.getContext("2d").drawImage(video, 0, 0, canvas.width, canvas.height);
    const { duration } = video;
    kept.set(keyOf(movie), [canvas, Number.isFinite(duration) ? make("b", {}, clockTime(Math.round(duration))) : ""]);
  }
  // Browsers play only so many at once.
  video.removeAttribute("src");
  video.load();
}

async function loadThoseSeen() {
  if (isLoading) return;
  isLoading = true;
  while (waiting.length) {
    const poster = waiting.shift();
    // The list may have been made anew meanwhile.
    if (!poster.isConnected || show(poster)) continue;
    await load(poster);
    show(poster);
  }
  isLoading = false;
}

const posters = new IntersectionObserver(entries => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    posters.unobserve(target);
    waiting.push(target);
  }
  loadThoseSeen();
});

/// The record button, the time on the picture, and the list.
export class Movies {
  #state = "idle";
  #seconds = 0;
  #since = 0;
  #count = 0;
  #loads = 0;

  constructor(server, { say, play, removed, changed }) {
    Object.assign(this, { server, say, play, changed });
    $("record").onclick = () => this.#do(this.#isBusy ? "stop" : "start");
    $("pause").onclick = () => this.#do(this.#state === "paused" ? "resume" : "pause");
    server.on("movie", movie => this.#hear(movie));
    server.on("movieRemoved", ({ name }) => {
      removed(name);
      this.load();
    });
    setInterval(() => this.#tick(), 250);
    this.#show();
  }

  get #isBusy() { return ["recording", "paused"].includes(this.#state); }

  get isEmpty() { return !this.#count; }

  set isOffered(isOffered) { $("record").hidden = !isOffered; }

  toggle() { if (!$("record").hidden) $("record").click(); }

  async load() {
    const load = this.#loads += 1, list = $("movies");
    const { movies } = await this.server.get("/movies").catch(() => ({}));
    // Only the newest answer counts.
    if (!movies || load !== this.#loads) return;
    this.#count = movies.length;
    const place = [...list.children].findIndex(row => row.contains(document.activeElement));
    const nameOf = row => row?.querySelector("span").textContent, name = nameOf(list.children[place]);
    const keys = new Set(movies.map(keyOf));
    for (const key of kept.keys()) if (!keys.has(key)) kept.delete(key);
    const rows = movies.map(movie => {
      const poster = make("div", { className: "poster" }, icon("play"));
      poster.movie = movie;
      if (!show(poster)) posters.observe(poster);
      return make("li", {}, make("button", { onclick: () => this.play(movie) }, poster, make("span", {}, movie.name),
        make("small", {}, `${caption({ taken: movie.changed })}, ${size(movie.bytes)}`)));
    });
    list.replaceChildren(...rows);
    this.changed();
    // The focus stays where it was.
    const same = rows.find(row => nameOf(row) === name) ?? rows[Math.min(place, rows.length - 1)];
    if (place >= 0) (same?.firstChild ?? $("closeshots")).focus();
  }

  async #do(action) {
    // To complete a movie may take long on a busy machine.
    if (["start", "stop"].includes(action)) this.#hear({ state: "changing" });
    try {
      this.#hear(await this.server.send("/movies", { do: action }));
    } catch (error) {
      this.say(sentence(error));
      this.#hear(await this.server.get("/movies").catch(() => ({ state: "idle" })));
    }
  }

  #hear({ state, seconds, file, error }) {
    const before = this.#state;
    [this.#state, this.#seconds, this.#since] = [state, seconds ?? 0, performance.now()];
    this.#show();
    if (error) this.say(sentence({ message: error }));
    else if (state === "idle" && before !== state && file) this.say(`Movie saved: ${file.split("/").pop()}`);
    if (state === "idle" && before !== state) this.load();
  }

  #show() {
    const record = $("record"), isPaused = this.#state === "paused";
    record.replaceChildren(icon(this.#isBusy ? "stop" : "record"));
    record.ariaLabel = record.title = this.#isBusy ? "Stop the movie" : "Record a movie";
    record.disabled = this.#state === "changing";
    $("recording").hidden = this.#state === "idle";
    $("pause").hidden = !this.#isBusy;
    $("recording").classList.toggle("paused", isPaused);
    $("pause").replaceChildren(icon(isPaused ? "play" : "pause"));
    $("pause").ariaLabel = isPaused ? "Go on with the movie" : "Pause the movie";
    this.#tick();
  }

  #tick() {
    const running = this.#state === "recording" ? (performance.now() - this.#since) / 1000 : 0;
    $("recording").children[1].textContent = this.#isBusy ? clockTime(this.#seconds + running) : "One moment …";
  }
}
