// SPDX-License-Identifier: MIT
// Wires the page: the server's frames and events to the picture, the rail, the shutter and the photos.

import { $, make, seconds, sentence, sleep } from "./dom.js";
import { FrameStream } from "./frames.js";
import { Gallery } from "./gallery.js";
import { Movies } from "./movies.js";
import { noZoom } from "./placement.js";
import { Rail } from "./rail.js";
import { Server } from "./server.js";
import { Sheet } from "./sheet.js";
import { Shutter } from "./shutter.js";
import { Viewer } from "./viewer.js";
import { Viewfinder } from "./viewfinder.js";

const page = window.livecap = { painted: null, paintedAt: 0, behindMs: 0, state: "notRunning", connected: false, shots: [] };
const server = new Server();
let status = null, camera = { state: "running" }, readinessWords = "", passing = "", lastFrame = performance.now(), refusal = null;

// Words, in one place: what passes, then the connection, then what the picture or the shutter waits for.
function showWords() {
    const words = passing || (!page.connected && (refusal ? sentence(refusal) : "Connection lost. Trying again …"))
        || readinessWords || (page.behindMs > 500 && !rail.held ? `The picture is ${seconds(page.behindMs)} behind` : "");
    if ($("words").textContent !== words) $("words").textContent = words;
}

let passingTimer = 0;
function say(words) {
    passing = words;
    clearTimeout(passingTimer);
    passingTimer = setTimeout(() => { passing = ""; showWords(); }, 3000 + 50 * words.length);
    showWords();
    if (viewer.isOpen) viewer.note(words);
}

const viewfinder = new Viewfinder($("view"), $("picture"), $("stage"));
const stream = new FrameStream(server, {
    shown(bitmap, frame) {
        if (rail.wants(frame.time)) rail.feed(bitmap, frame);
        if (rail.held) return bitmap.close();
        viewfinder.show(bitmap, frame);
    },
    arrived(frame) {
        lastFrame = performance.now();
        rail.arrived(frame);
        showVeil();
    },
    changed(connected, error) {
        if (connected === page.connected && !error) return;
        page.connected = connected;
        refusal = error ?? null;
        if (connected) rail.fill();
        showVeil();
        showWords();
    },
});
const rail = new Rail($("rail"), server, {
    mount: () => viewfinder.mount,
    show: (bitmap, frame) => viewfinder.show(bitmap, frame),
    changed: showMoment,
    lost: () => say("That moment has left memory. Back to live."),
});

viewfinder.onpaint = frame => {
    page.painted = frame.id;
    page.paintedAt = performance.now();
    page.behindMs = rail.held ? 0 : Math.max(0, server.now - frame.time);
    if (rail.held) showMoment();
    else shutter.painted();
};
viewfinder.onsize = () => {
    stream.width = viewfinder.width;
    rail.width = viewfinder.width;
};
viewfinder.onzoom = () => {
    const { factor } = viewfinder.zoom;
    $("zoom").textContent = `${factor.toFixed(factor < 9.95 && factor % 1 >= 0.05 ? 1 : 0)}×`;
    $("zoom").ariaLabel = `Zoom: ${factor.toFixed(1)} times`;
    if (sheet.zoom) sheet.zoom.value = Math.log2(factor);
};

function showMoment() {
    const text = rail.held ? `${seconds(rail.age)} ago` : "Live";
    $("moment").classList.toggle("held", rail.held !== null);
    const label = $("moment").querySelector("span");
    if (label.textContent !== text) label.textContent = text;
    $("moment").ariaLabel = rail.held ? `Showing ${text}. Back to live` : "Live";
}

// What the picture cannot show: the last one stays, dimmed, below words.
function showVeil() {
    const name = camera.name ?? status?.camera?.name ?? "The camera";
    const [title, words] = {
        interrupted: [`${name} is not there`, camera.reason || "Plug it in again: the picture comes back by itself."],
        off: ["The camera is off", "Taking a photo switches it on."],
        ended: ["The frames have come to their end", camera.reason || "Choose another camera in the options, or start livecap again."],
        failed: ["The camera failed", camera.reason || "Choose another in the options, or unplug this one and plug it in again."],
    }[camera.state] ?? (page.connected && performance.now() - lastFrame > 2500 ? ["No new picture", "Waiting for the camera."]
        : page.painted === null ? ["", page.connected || !refusal ? "Waiting for the first picture" : sentence(refusal)] : []);
    const key = `${title}|${words}`;
    $("picture").classList.toggle("dimmed", title !== undefined && title !== "");
    if (showVeil.last === key) return;
    showVeil.last = key;
    $("veil").replaceChildren(...title !== undefined ? [...title ? [make("h2", {}, title)] : [], make("p", {}, words)] : []);
}

const shutter = new Shutter($("shutter"), {
    shoot, timer: () => sheet.chosen.timer, say: words => { readinessWords = words; clearTimeout(shutter.saying); shutter.saying = setTimeout(showWords, words ? 500 : 0); },
    countdown(left) { $("countdown").textContent = left || ""; },
});

// The frames behind the last shots, for comparing once they have left the ring.
const seen = new Map();
async function remember(id, zoom) {
    await sleep(50);
    const response = await server.fetch(`/snapshot?frame=${encodeURIComponent(id)}`).catch(() => null);
    if (!response) return;
    seen.set(id, { blob: await response.blob(), mount: viewfinder.mount, zoom });
    if (seen.size > 24) seen.delete(seen.keys().next().value);
}

let shotCount = 0;
const session = Math.random().toString(36).slice(2, 8);
const tags = new Map();

async function shoot() {
    const tag = `page-${session}-${shotCount += 1}`, frame = page.painted, { zoom } = viewfinder;
    const isPast = camera.state === "off" || frame === null;
    const shot = { tag, frame: isPast ? null : frame, state: "sent" };
    page.shots.push(shot);
    if (page.shots.length > 200) page.shots.shift();
    tags.set(tag, shot);
    $("flash").getAnimations().forEach(animation => animation.cancel());
    $("flash").animate({ opacity: [0.55, 0] }, { duration: 180, easing: "ease-out" });
    gallery.begin(tag, isPast ? null : viewfinder.thumbnail());
    try {
        const { shot: number } = await server.send("/shots", {
            ...isPast ? {} : { frame }, ...sheet.wishes, ...zoom.factor > 1 ? { zoom } : {}, tag,
        });
        shot.shot = number;
        if (!isPast) remember(frame, zoom);
    } catch (error) {
        shot.state = "failed";
        gallery.fail(tag);
        say(sentence(error));
    }
}

const source = {
    list: (after, limit) => server.get(`/photos?limit=${limit}${after === undefined ? "" : `&after=${after}`}`),
    urls(photo, version = `${photo.bytes ?? 0}${photo.isProxy ? "p" : ""}`) {
        const fresh = url => url && `${url}?v=${version}`;
        return { ...photo.urls, thumbnail: fresh(photo.urls.thumbnail), image: fresh(photo.urls.image) };
    },
};
let isMovies = false;
const gallery = new Gallery($("list"), source, { open: photo => viewer.open(photo), changed: showEmpty });
const viewer = new Viewer($("viewer"), { server, gallery, seen, say, formats: () => status?.formats ?? ["jpeg"], mount: () => viewfinder.mount });
const sheet = new Sheet($("sheet"), { server, viewfinder, say });
const movies = new Movies(server, { say, play: movie => viewer.play(movie), changed: showEmpty });

function showEmpty() {
    $("empty").hidden = !(isMovies ? movies.isEmpty : gallery.isEmpty);
    $("empty").textContent = isMovies ? "Movies you record appear here." : "Photos you take appear here.";
    $("list").hidden = isMovies;
    $("movies").hidden = !isMovies;
}

function showPhotos(open) {
    if (open) sheet.toggle(false);
    document.body.classList.toggle("photos", open);
    for (const element of [$("stage"), $("bar")]) element.inert = open;
    $("photos").ariaExpanded = String(open);
    if (!open) [isMovies] = [false];
    showEmpty();
    if (open) gallery.load();
    (open ? $("closeshots") : $("photos")).focus({ preventScroll: true });
}
$("photos").addEventListener("click", () => showPhotos(true));
$("closeshots").addEventListener("click", () => showPhotos(false));
$("moment").addEventListener("click", () => rail.live());
$("zoom").addEventListener("click", () => viewfinder.set({ ...viewfinder.zoom, factor: [2, 4].find(next => next > viewfinder.zoom.factor + 0.05) ?? 1 }));

function apply(news) {
    status = { ...status, ...news };
    document.title = status.camera?.name ? `${status.camera.name} – livecap` : "livecap";
    if (status.ring?.seconds) rail.span = status.ring.seconds * 1000;
    viewfinder.describe(status.format ?? {}, status.mount);
    sheet.status = status;
    movies.isOffered = Boolean(status.movies);
    const tabs = $("shots").querySelector(".segments");
    tabs.replaceChildren(...[["Photos", false], ...status.movies ? [["Movies", true]] : []].map(([words, value]) =>
        make("button", { ariaPressed: String(isMovies === value), onclick: event => {
            isMovies = value;
            for (const tab of tabs.children) tab.ariaPressed = String(tab === event.currentTarget);
            showEmpty();
        } }, make("span", {}, words))));
    if (status.readiness) hearReadiness(status.readiness);
}

function hearReadiness(readiness) {
    page.state = readiness.state;
    shutter.readiness(readiness);
}

server.on("status", apply);
server.on("readiness", hearReadiness);
server.on("camera", news => {
    camera = news;
    if (news.state === "switched") {
        rail.forget();
        viewfinder.set(noZoom);
        say(`Now showing ${news.name}`);
        setTimeout(() => rail.fill(), 500);
    }
    lastFrame = performance.now();
    showVeil();
});
server.on("shot", news => {
    const shot = tags.get(news.tag);
    if (shot) Object.assign(shot, news);
    if (news.photo) hearPhoto(news.photo, news.tag);
    if (news.state === "photo" || news.state === "proxy") $("said").textContent = `Photo ${news.photo.id} taken`;
    if (news.state === "failed") {
        gallery.fail(news.tag);
        if (shot) say(sentence({ message: news.error ?? "The photo failed", hint: news.hint }));
    }
    if (news.state === "photo" || news.state === "failed") tags.delete(news.tag);
});
function hearPhoto(photo, tag) {
    gallery.put(photo, tag);
    viewer.changed(photo);
}
server.on("photo", news => {
    const gone = news.removed === true ? news.id : news.removed?.id;
    if (gone === undefined) return hearPhoto(news);
    viewer.removed(gone);
    gallery.remove(gone);
});
server.on("pressure", ({ level, words }) => { if (level !== "nominal" && words) say(words); });
server.on("notice", ({ words }) => say(words));
server.addEventListener("connected", async () => {
    apply(await server.status().catch(() => ({})));
    gallery.load(true);
    if (status?.movies) movies.load();
});

document.addEventListener("visibilitychange", () => { stream.paused = document.hidden; });

// Keys work wherever the focus is, unless what has it needs them.
const actions = {
    l: () => rail.live(), o: () => sheet.toggle(), t: () => $("timer").click(), g: () => sheet.choose("grid", !sheet.chosen.grid),
    r: () => movies.toggle(), p: () => showPhotos(!document.body.classList.contains("photos")),
    "+": () => viewfinder.set({ ...viewfinder.zoom, factor: viewfinder.zoom.factor * 1.25 }),
    "-": () => viewfinder.set({ ...viewfinder.zoom, factor: viewfinder.zoom.factor / 1.25 }), 0: () => viewfinder.set(noZoom),
};
actions["="] = actions["+"];
const isShutterKey = ({ key, target }) => ["AudioVolumeUp", "AudioVolumeDown", "VolumeUp", "VolumeDown", "Camera"].includes(key)
    || (key === " " || key === "Enter") && (target === $("shutter") || !target.closest("button, input, select, a, video, summary"));

document.addEventListener("keydown", event => {
    if (viewer.isOpen || event.ctrlKey || event.metaKey || event.altKey) return;
    const isPhotos = document.body.classList.contains("photos");
    if (isPhotos) {
        if (event.key === "Escape" || event.key === "p") showPhotos(false);
        return;
    }
    if (isShutterKey(event)) {
        event.preventDefault();
        return shutter.down();
    }
    if (event.target.closest("input, select, #shots, #sheet")) return;
    if (rail.key(event)) return event.preventDefault();
    if (event.key === "Escape" && rail.held) rail.live();
    else actions[event.key.toLowerCase()]?.();
});
document.addEventListener("keyup", event => {
    if (!isShutterKey(event)) return;
    event.preventDefault();
    shutter.up();
});
addEventListener("blur", () => shutter.up());

apply({});
showVeil();
showEmpty();
server.listen();
stream.run();
// The clock, and what is told by the absence of frames.
setInterval(() => server.ring().catch(() => null), 10000);
setInterval(() => { showVeil(); showWords(); }, 250);
