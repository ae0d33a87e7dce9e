// SPDX-License-Identifier: MIT
// Shows the photos that photos.js lists. A plain script: files that are opened by a double click may not be modules.

"use strict";
const get = id => document.getElementById(id), viewer = get("viewer"), photos = window.photos ?? [], buttons = [];
let shown = 0;

function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

// What is shown together: a photo, or those that several cameras took at one tap, in the order of the cameras' names.
const groups = new Map(), sets = [];
for (const photo of photos) {
  const known = groups.get(photo.groupId);
  if (known) known.push(photo);
  else sets.push([photo]);
  if (photo.groupId && !known) groups.set(photo.groupId, sets.at(-1));
}
const byCamera = (a, b) => a.groupStream.localeCompare(b.groupStream) || a.id - b.id;
groups.forEach(photos => photos.sort(byCamera));

function lag({ lagMs }) {
  if (lagMs == null) return "";
  if (Math.abs(lagMs) < 0.5) return "the frame that was seen";
  return `${Math.round(Math.abs(lagMs))} ms ${lagMs < 0 ? "before" : "after"} the moment`;
}

const time = ({ taken }) => new Date(taken).toLocaleString(undefined, { dateStyle: "long", timeStyle: "medium" });

function words(photo) {
  const frames = photo.framesUsed && `${photo.framesUsed} ${photo.framesUsed === 1 ? "frame" : "frames"}`;
  const quality = photo.proxy ? "not finished yet" : photo.quality;
  const size = photo.width && `${photo.width} × ${photo.height}`;
  return [photo.groupStream, time(photo), lag(photo), frames, quality, size].filter(Boolean).join(" · ");
}

// Each was asked for the same instant of light, so that the distances from it can be compared.
function apart(set) {
  const sorted = [...set].sort((a, b) => a.lagMs - b.lagMs), [first, last] = [sorted[0], sorted.at(-1)];
  const inWords = ms => `${ms < 9.95 ? ms.toFixed(1) : Math.round(ms)} ms`;
  const isBounded = first.lagBoundMs != null && last.lagBoundMs != null;
  const bound = isBounded ? `within ${inWords(first.lagBoundMs + last.lagBoundMs)}` : "as stated by the cameras";
  const distance = `the moments are ${inWords(last.lagMs - first.lagMs)} apart (${bound})`;
  return [time(set[0]), `${set.length} cameras`, distance].join(" · ");
}

const place = (folder, name) => `${folder}/${encodeURIComponent(name)}`;

function picture(photo) {
  const isShowable = !/\.hei[cf]$/i.test(photo.name);
  // Where the browser cannot show the file, the small picture stands for it.
  const small = place("thumbnails", `${photo.name}.jpg`), image = new Image();
  image.draggable = false;
  image.onerror = () => {
    image.onerror = null;
    image.src = small;
  };
  image.src = isShowable ? place("photos", photo.name) : small;
  image.alt = words(photo);
  return image;
}

function link(photo, text) {
  const link = make("a", { href: place("photos", photo.name), download: photo.name }, text);
  if (text !== "Save") link.ariaLabel = `Save ${text}`;
  return link;
}

function show(index) {
  const set = sets[index];
  if (!set) return;
  shown = index;
  const isOne = set.length === 1, pictures = get("pictures");
  pictures.replaceChildren(...set.map(photo => isOne ? picture(photo)
    : make("figure", {}, picture(photo), make("figcaption", {}, photo.groupStream))));
  pictures.style.setProperty("--wide", set.length > 3 ? Math.ceil(set.length / 2) : set.length);
  pictures.style.setProperty("--tall", set.length > 3 ? 2 : 1);
  get("caption").textContent = isOne ? words(set[0]) : apart(set);
  get("saves").replaceChildren(...isOne ? [link(set[0], "Save")]
    : ["Save: ", ...set.map(photo => link(photo, photo.groupStream))]);
  get("newer").disabled = index === 0;
  get("older").disabled = index === sets.length - 1;
  if (!viewer.open) viewer.showModal();
}

function tile(set, index) {
  const [photo] = set, image = new Image();
  image.loading = "lazy";
  image.alt = set.length === 1 ? words(photo)
    : `${new Intl.ListFormat("en").format(set.map(({ groupStream }) => groupStream))} · ${apart(set)}`;
  // Photos of other programs may have no small picture.
  image.onerror = () => { image.onerror = null; image.src = place("photos", photo.name); };
  image.src = place("thumbnails", `${photo.name}.jpg`);
  const button = make("button", { onclick: () => show(index) }, image);
  if (set.length > 1) {
    button.className = "stack";
    button.append(make("b", { ariaHidden: "true" }, String(set.length)));
  }
  return button;
}

let day = null, grid = null;
sets.forEach((set, index) => {
  const date = new Date(set[0].taken).toLocaleDateString(undefined, { dateStyle: "full" });
  if (date !== day) {
    day = date;
    grid = make("div", { className: "grid" });
    get("days").append(make("h2", {}, date), grid);
  }
  buttons.push(tile(set, index));
  grid.append(buttons.at(-1));
});
get("count").textContent = photos.length === 1 ? "1 photo" : `${photos.length} photos`;

get("close").onclick = () => viewer.close();
get("newer").onclick = () => show(shown - 1);
get("older").onclick = () => show(shown + 1);
viewer.onclose = () => buttons[shown].focus();
viewer.onkeydown = ({ key }) =>
  show({ ArrowLeft: shown - 1, ArrowRight: shown + 1, Home: 0, End: sets.length - 1 }[key]);
let start = null;
get("pictures").onpointerdown = event => { start = event.pointerType === "touch" ? event : null; };
get("pictures").onpointerup = event => {
  const across = event.clientX - start?.clientX, down = event.clientY - start?.clientY;
  if (Math.abs(across) > 60 && Math.abs(across) > 2 * Math.abs(down)) show(shown + (across > 0 ? -1 : 1));
  else if (down > 90) viewer.close();
};
