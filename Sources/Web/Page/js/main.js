// SPDX-License-Identifier: MIT
// Wires the page: the server's frames and events to the picture, the rail, the shutter and the photos.

import { closed, opened } from "./back.js";
import { $, make, seconds, sentence, sleep } from "./dom.js";
import { Effects } from "./effects.js";
import { FrameStream } from "./frames.js";
import { Gallery } from "./gallery.js";
import { Movies } from "./movies.js";
import { Overlay } from "./overlay.js";
import { noZoom, touched, untouched, widths } from "./placement.js";
import { Rail } from "./rail.js";
import { Selection } from "./selection.js";
import { Server } from "./server.js";
import { Sheet } from "./sheet.js";
import { Shutter } from "./shutter.js";
import { Viewer } from "./viewer.js";
import { Viewfinder } from "./viewfinder.js";

const page = window.livecap =
  { painted: null, paintedAt: 0, held: null, behindMs: 0, state: "notRunning", connected: false, shots: [] };
const server = new Server();
let status = {}, camera = { state: "running" }, lastFrame = performance.now();
/// Whether the page shows the part that photos show, or what somebody has chosen since.
let isZoomKnown = false;

// The picture and its line of time.

const viewfinder = new Viewfinder($("view"), $("picture"), $("stage"));
const rail = new Rail($("rail"), server, {
  mount: () => viewfinder.mount,
  leftLive() {
    sound?.dropPending();
    viewfinder.dropPending();
  },
  show: (bitmap, frame) => viewfinder.show(bitmap, frame),
  changed: showMoment,
  lost() {
    if (viewer.isOpen) return;
    shutter.guard(1200);
    $("moment").classList.add("back");
    setTimeout(() => $("moment").classList.remove("back"), 1200);
    say("That moment has left memory. The view is live again.");
  },
  hidden: () => say("What is behind people is hidden now, so earlier moments are not shown. The view is live again."),
  notKept: () => say("Others hold all that memory has room for, so this moment stays only a short time. Take it now."),
});
const stream = new FrameStream(server, {
  shown(bitmap, frame) {
    if (rail.wants(frame.time)) rail.feed(bitmap, frame);
    if (rail.held) bitmap.close();
    else if (sound?.isOn) sound.hold(bitmap, frame);
    else viewfinder.show(bitmap, frame);
  },
  arrived(frame) {
    lastFrame = performance.now();
    line?.arrived(frame, server.now - frame.time);
    rail.arrived(frame);
  },
  begins: () => line?.begin(),
  failed(error) {
    line.failure = sentence(error);
    ask();
  },
  changed(connected, error) {
    refusal = error;
    if (connected && !page.connected) rail.fill();
    page.connected = connected;
  },
});

// The start of the server that the painted frame is of.
let paintedRun = null;
viewfinder.onpaint = frame => {
  page.painted = frame.id;
  paintedRun = frame.run;
  page.paintedAt = performance.now();
  page.behindMs = rail.held ? 0 : Math.max(0, server.now - frame.time);
  if (!rail.held) shutter.painted();
  sound?.painted(frame);
  overlay.draw();
  loadLine();
};

// The microphone, where viewers may hear it.
let sound = null, soundLoading = null;
function offerSound(news) {
  soundLoading ||= news?.offered && import("./sound.js").then(({ Sound }) => {
    sound = new Sound($("picture"), {
      server, say, isLive: () => !rail.held, show: (bitmap, frame) => viewfinder.show(bitmap, frame),
    });
    page.sound = sound.figures;
    sound.news = status.sound;
  }).catch(() => { soundLoading = null; });
  if (sound && news) sound.news = news;
}

// What is asked of the server: what the canvas can show, and, once there is a picture, what the line can carry.
let line = null, loading = null;
function ask() {
  const { width, ownWidth } = viewfinder, { video: choice, saver: isSaving } = sheet.chosen;
  if (line) Object.assign(line, { choice, isSaving });
  const wish = line?.wish(width, ownWidth) ?? { codec: "jpeg", width: isSaving ? widths[0] : width, fps: 0 };
  stream.wish = wish;
  rail.width = wish.width;
  const { codec } = wish, { decoder } = stream;
  page.video = { codec, decoder, width: wish.width, why: line?.why ?? "", ...line?.measured };
  if (line) line.isOwn = Boolean(status.video?.source) && (!wish.width || wish.width >= ownWidth);
  if (line) sheet.liveWords = line.words(wish.width);
}
function loadLine() {
  loading ??= import("./line.js").then(async ({ Line, decoder }) => {
    line = new Line(stream.decoder = await decoder());
    ask();
  }).catch(() => { loading = null; });
}
let lastLook = 0;
setInterval(() => {
  const now = performance.now(), isLate = now - lastLook > 1300;
  lastLook = now;
  // A page that has no time of its own learns nothing of the line.
  if (isLate || document.hidden) line?.begin();
  else if (page.connected) line?.look(stream.wish.width || viewfinder.ownWidth, stream.backlog);
  ask();
}, 1000);
viewfinder.onsize = ask;
viewfinder.onzoom = () => {
  const { factor } = viewfinder.zoom, text = String(Math.round(factor * 10) / 10);
  $("zoom").textContent = `${text}×`;
  $("zoom").ariaLabel = `Zoom: ${text} times`;
  if (sheet.zoom) sheet.zoom.value = Math.log2(factor);
};
const zoomTo = factor => viewfinder.set({ ...viewfinder.zoom, factor });
$("zoom").onclick = () => zoomTo([2, 4].find(next => next > viewfinder.zoom.factor + 0.05) ?? 1);
$("moment").onclick = () => rail.live();

// Words, by priority: answers to the visitor's actions, the warning before a held moment is lost, other news, the
// connection, and what the shutter waits for.

let passing = "", isAnswer = false, passingTimer = 0, readinessWords = "", refusal = null;

// Time enough to press, or to choose another moment.
const warning = 1500;

function put(element, text) { if (element.textContent !== text) element.textContent = text; }

function showWords() {
  const isBehind = page.behindMs > 500 && !rail.held && performance.now() - page.paintedAt < 1000;
  const isLost = !page.connected && page.painted !== null;
  // Without new frames, the ring does not turn, so the moment stays.
  const isLeaving = rail.held && rail.left < (rail.isKept ? 5 * warning : Math.min(warning, rail.span / 3))
    && page.connected && performance.now() - lastFrame < 1000;
  const lost = isLost && (refusal ? sentence(refusal) : "Connection lost. Trying again …");
  put($("words"), (isAnswer && passing) || (isLeaving && "This moment is about to leave memory")
    || passing || lost || readinessWords
    || (isBehind ? `The picture is ${Math.round(page.behindMs / 500) / 2} s behind` : ""));
}

function say(words, isAnswerToVisitor = true) {
  [passing, isAnswer] = [words, isAnswerToVisitor];
  clearTimeout(passingTimer);
  passingTimer = setTimeout(() => { passing = ""; }, 3000 + 50 * words.length);
  showWords();
  if (viewer.isOpen) viewer.note(words);
}

function showMoment() {
  const isHeld = rail.held !== null;
  page.held = rail.held?.id ?? null;
  $("moment").classList.toggle("held", isHeld);
  if (!isHeld && document.activeElement === $("moment")) goHome();
  $("moment").disabled = !isHeld;
  $("moment").style.setProperty("--rest", rail.rest);
  const isOld = !isHeld && (!page.connected || performance.now() - lastFrame > 2500);
  $("moment").classList.toggle("old", isOld);
  // What the shutter would take now is not what is seen.
  $("shutter").classList.toggle("old", isOld && !isOff());
  put($("moment").children[1], isHeld ? `${seconds(rail.age)} ago` : isOld ? "Not live" : "Live");
}

const isOff = () => camera.state === "off" || page.state === "notReadyCameraOff";

// What the picture cannot show: the last one stays, dimmed, below words.
function showVeil() {
  const name = camera.name ?? status.camera?.name ?? "The camera", silence = performance.now() - lastFrame;
  const [title = "", words = ""] = {
    interrupted: [`${name} is not there`, camera.reason ?? "Plug it in again: the picture comes back by itself."],
    off: ["The camera is off", "Taking a photo switches it on."],
    ended: ["There are no more frames", "Choose another camera in the options, or start livecap again."],
    failed: ["The camera failed", camera.reason ?? "Unplug it and plug it in again, or choose another in the options."],
  }[isOff() ? "off" : camera.state] ?? (page.painted === null
    ? ["", refusal ? sentence(refusal) : "Waiting for the first picture …"]
    : page.connected && silence > 2500 ? ["No new picture", "Waiting for the camera."] : []);
  $("picture").classList.toggle("dimmed", title !== "");
  $("picture").classList.toggle("stale", !page.connected && page.painted !== null);
  put($("veil").children[0], title);
  put($("veil").children[1], words);
}

setInterval(() => {
  showVeil();
  showWords();
  showMoment();
  overlay.draw();
}, 250);

// Taking photos.

const tags = new Map(), seen = new Map(), session = Math.random().toString(36).slice(2, 8);
let shotCount = 0;

const shutter = new Shutter($("shutter"), {
  // The past does not wait.
  shoot, timer: () => rail.held ? 0 : sheet.chosen.timer,
  refused: () => say("Not taken: the moment that you saw has just left memory."),
  countdown: left => put($("countdown"), left ? String(left) : ""),
  say(words) {
    readinessWords = "";
    clearTimeout(shutter.saying);
    // Short waits are seen on the ring; only longer ones are worth words.
    if (words) shutter.saying = setTimeout(() => { readinessWords = words; showWords(); }, 500);
  },
});

async function shoot() {
  const tag = `page-${session}-${shotCount += 1}`, { zoom, mount } = viewfinder;
  const frame = isOff() ? null : page.painted;
  const shot = { tag, frame, state: "sent" };
  tags.set(tag, shot);
  page.shots = [...page.shots.slice(-199), shot];
  $("flash").animate({ opacity: [0.5, 0] }, { duration: 180, easing: "ease-out" });
  gallery.begin(tag, frame && viewfinder.thumbnail());
  try {
    // The server counts in the camera's frames, before they are turned upright.
    const { x, y } = untouched(zoom, mount), part = { factor: zoom.factor, x, y };
    const body = { tag, ...sheet.wishes, ...frame && { frame }, ...(zoom.factor > 1 || status.zoom) && { zoom: part } };
    // A frame as it came cannot be a part of it.
    if (zoom.factor > 1 && (body.quality ?? status.quality) === "single") body.quality = "speed";
    // Without events, the answer has to say what became of it.
    shot.isAwaited = !server.isListening;
    const path = shot.isAwaited ? "/shots?wait=1" : "/shots", isHeld = rail.held !== null;
    const answer = await server.send(path, body, "POST", frame && paintedRun).catch(error => {
      // A moment that was chosen is gone with the server that had it. What was live still is, at the next one.
      if (error.code !== "other-run" || isHeld) throw error;
      shot.frame = null;
      return server.send(path, { ...body, frame: undefined });
    });
    if (shot.isAwaited) hearShot({ tag, state: answer.isProxy ? "proxy" : "photo", shot: answer.shot, photo: answer });
    else shot.shot = answer.shot;
    if (shot.frame) remember(shot, { mount, zoom });
  } catch (error) {
    lose(tag, shot);
    say(sentence(error));
  }
}

// There is no photo of a shot, or none that is heard of.
function lose(tag, shot) {
  shot.state = "failed";
  tags.delete(tag);
  gallery.fail(tag);
}

const blob = async (path, options) => (await server.fetch(path, options)).blob();

// The frame of a shot, to compare its photo with when it has left the ring.
async function remember(shot, how) {
  await sleep(50);
  const path = `/snapshot?frame=${shot.frame}`;
  shot.single = await blob(path, { priority: "low" }).then(blob => ({ blob, ...how }), () => null);
}

function forget(id) {
  delete seen.get(id).single;
  seen.delete(id);
}

async function single(photo) {
  if (seen.get(photo.id)?.single) return seen.get(photo.id).single;
  const url = photo.urls.frame ?? photo.urls.proxy;
  if (!url && photo.keptFrames) throw new Error("What is behind people is hidden in this photo, so no frame is shown");
  if (!url) throw new Error("The single frame was not kept");
  return { blob: await blob(url) };
}

// Photos and movies.

const gallery = new Gallery($("list"), {
  list: after => server.get(`/photos?limit=60${after === undefined ? "" : `&after=${after}`}`),
  group: id => server.get(`/photos?limit=200&group=${id}`),
  urls: ({ urls, bytes }) => ({ ...urls, thumbnail: `${urls.thumbnail}?v=${bytes}` }),
  camera: () => status.camera?.name,
}, {
  open(photo, isRange) {
    undo.load();
    if (selection.isOn) selection.pick(photo, isRange);
    else viewer.open(photo);
  },
  changed: showLists,
});
// Loaded once photos are looked at, before any is deleted.
let undoLoading = null;
const undo = {
  load: () => undoLoading ??= import("./undo.js").then(({ Undo }) => new Undo(server, say))
    .catch(() => { undoLoading = null; }),
  offer: async ids => (await undo.load())?.offer(ids),
};
const viewer = new Viewer($("viewer"), {
  server, gallery, single, say, undo, formats: () => status.formats ?? ["jpeg"], back: goHome,
});
const sheet = new Sheet($("sheet"), { server, viewfinder, say, back: goHome, opens: () => effects.toggle(false) });
const overlay = new Overlay($("known"), { viewfinder, isLive: () => !rail.held });
const effects = new Effects($("looks"), {
  server, say, back: goHome, tell: words => put($("said"), words), fit: () => viewfinder.fit(),
  opens: () => sheet.toggle(false), refused: words => { sheet.noEffects = words; },
  mark: kinds => { overlay.kinds = kinds; },
});
const selection = new Selection({ gallery, server, undo, tell: words => put($("said"), words) });
const movies = new Movies(server, {
  say, play: movie => viewer.play(movie), removed: name => viewer.removedMovie(name), changed: showLists,
});
const tabs = $("shots").querySelectorAll(".segments button");
let isMovies = false;

function showLists() {
  $("list").hidden = isMovies;
  $("movies").hidden = !isMovies;
  $("empty").hidden = !(isMovies ? movies : gallery).isEmpty;
  put($("empty"), isMovies ? "Movies you record appear here." : "Photos you take appear here.");
  $("select").hidden = isMovies || gallery.isEmpty;
  selection.changed();
  tabs.forEach((tab, index) => { tab.ariaPressed = String(Boolean(index) === isMovies); });
}
tabs.forEach((tab, index) => {
  tab.onclick = () => {
    isMovies = Boolean(index);
    selection.toggle(false);
    showLists();
  };
});

const closePhotos = () => showPhotos(false);

function showPhotos(open) {
  if (open === document.body.classList.contains("photos")) return;
  if (open) sheet.toggle(false);
  if (open) effects.toggle(false);
  selection.toggle(false);
  (open ? opened : closed)(closePhotos);
  document.body.classList.toggle("photos", open);
  for (const id of ["stage", "rail", "bar"]) $(id).inert = open;
  $("photos").ariaExpanded = String(open);
  isMovies = false;
  showLists();
  if (open) undo.load();
  if (open) gallery.load();
  if (open) $("closeshots").focus({ preventScroll: true });
  else goHome();
}
$("photos").onclick = () => showPhotos(true);
$("closeshots").onclick = closePhotos;

// What the server tells.

function apply(news) {
  status = { ...status, ...news };
  document.title = status.camera?.name ? `${status.camera.name} – livecap` : "livecap";
  rail.span = Math.max(500, (status.ring?.seconds ?? 4) * 1000);
  rail.label();
  viewfinder.describe(status.format ?? {}, status.mount, status.previewMirrored);
  if (status.zoom && !isZoomKnown) {
    // The page begins with the part that photos show.
    isZoomKnown = true;
    const { factor } = status.zoom, { x, y } = touched(status.zoom, viewfinder.mount);
    viewfinder.set({ factor, x, y });
  }
  sheet.status = status;
  movies.isOffered = Boolean(status.movies);
  offerSound(status.sound);
  tabs[1].hidden = !status.movies;
  if (news.readiness) hearReadiness(news.readiness);
}

function hearReadiness(readiness) {
  page.state = readiness.state;
  shutter.readiness(readiness);
}

function hearPhoto(photo, tag) {
  if (gallery.put(photo, tag)) viewer.changed(photo);
}

server.on("status", apply);
server.on("readiness", hearReadiness);
server.on("notice", ({ words }) => say(words, false));
// A machine that is a little busy takes photos all the same.
server.on("pressure", ({ level }) => !viewer.isOpen && ["serious", "critical"].includes(level)
  && say(`This computer is ${level === "critical" ? "very busy" : "busy"}, so photos take longer.`, false));
server.on("camera", news => {
  const isSwitch = news.state === "switched";
  camera = isSwitch ? { ...news, state: "running" } : news;
  lastFrame = performance.now();
  if (!isSwitch) return;
  rail.forget();
  viewfinder.set(noZoom);
  say(`Now showing ${news.name ?? "another camera"}`, false);
});
function hearShot(news) {
  const shot = tags.get(news.tag), isDone = Boolean(news.photo), hasFailed = news.state === "failed";
  Object.assign(shot ?? {}, news);
  if (isDone) hearPhoto(news.photo, news.tag);
  if (isDone && shot) seen.set(news.photo.id, shot);
  if (seen.size > 24) forget(seen.keys().next().value);
  if (isDone) put($("said"), `Photo ${news.photo.id} taken`);
  if (hasFailed) gallery.fail(news.tag);
  if (hasFailed && shot) say(sentence({ message: news.error ?? "The photo failed", hint: news.hint }));
  if (isDone || hasFailed) tags.delete(news.tag);
}
server.on("shot", hearShot);
server.on("photo", news => {
  if (!news.removed) return hearPhoto(news);
  viewer.removed(news.id);
  gallery.remove(news.id);
});
let lastRun = null;
server.addEventListener("connected", async () => {
  // What became of these shots was told while nobody heard it. Their photos are in the list.
  tags.forEach((shot, tag) => shot.isAwaited === false && lose(tag, shot));
  // Only what events do not carry: this response may be older than the last of them.
  const news = await server.status().catch(() => ({}));
  // Another server's frames have the same names.
  if (lastRun && lastRun !== server.run) {
    rail.forget();
    selection.toggle(false);
  }
  lastRun = server.run;
  gallery.load(true);
  if (news.movies ?? status.movies) movies.load();
});

// Keys work wherever the focus is, unless what has it needs them.

const keys = {
  l: () => rail.live(), o: () => sheet.toggle(), t: () => $("timer").click(),
  g: () => sheet.choose("grid", !sheet.chosen.grid),
  r: () => movies.toggle(), p: () => showPhotos(true), 0: () => viewfinder.set(noZoom),
  e: () => effects.toggle(), s: () => sound?.toggle(),
  escape: () => sheet.isOpen ? sheet.toggle(false) : effects.isOpen ? effects.toggle(false) : rail.live(),
  "+": () => zoomTo(viewfinder.zoom.factor * 1.25), "-": () => zoomTo(viewfinder.zoom.factor / 1.25),
};
keys["="] = keys["+"];
// What has a use of its own for the keys of the shutter.
const users = {
  " ": "button, a, select, input:not([type=range], [type=radio]:checked)", Enter: "button, a, select, input",
};
const isShutterKey = ({ key, target }) => /^(Audio)?Volume(Up|Down)$|^Camera$/.test(key)
  || key in users && (target === $("shutter") || !target.closest(users[key]));

// The shutter has the focus unless something else needs it.
function goHome() {
  const isAway = document.body.classList.contains("photos");
  $(isAway ? "closeshots" : "shutter").focus({ preventScroll: true });
}
document.addEventListener("click", ({ detail, target }) => {
  const button = target.closest("#bar button, #picture button");
  if (detail && button && button === document.activeElement) goHome();
});

document.addEventListener("keydown", event => {
  if (viewer.isOpen || event.ctrlKey || event.metaKey || event.altKey) return;
  if (document.body.classList.contains("photos")) {
    if (event.key === "p" || event.key === "Escape" && !selection.back()) showPhotos(false);
  } else if (isShutterKey(event)) {
    event.preventDefault();
    if (!event.repeat) shutter.down();
  } else if (!event.target.closest("input, select, .side")) {
    // Among the photos, arrows scroll.
    if (!event.target.closest("#shots") && rail.key(event)) event.preventDefault();
    else if (!event.repeat || /[-+=]/.test(event.key)) keys[event.key.toLowerCase()]?.();
  }
});
document.addEventListener("keyup", event => {
  if (viewer.isOpen || !isShutterKey(event)) return;
  event.preventDefault();
  shutter.up();
});
addEventListener("blur", () => shutter.up());
function look() {
  lastFrame = performance.now();
  stream.paused = document.hidden;
}
document.addEventListener("visibilitychange", look);

look();
showMoment();
showLists();
server.listen();
stream.run();
setInterval(() => server.ring().catch(() => null), 10000);
