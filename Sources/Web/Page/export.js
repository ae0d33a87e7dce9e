// SPDX-License-Identifier: MIT
// Shows the photos that photos.js lists. A plain script: files that are opened by a double click may not be modules.

"use strict";
const get = id => document.getElementById(id), viewer = get("viewer"), photos = window.photos ?? [], buttons = [];
let shown = 0;

function lag({ lagMs }) {
  if (lagMs == null) return "";
  if (Math.abs(lagMs) < 0.5) return "the frame that was seen";
  return `${Math.round(Math.abs(lagMs))} ms ${lagMs < 0 ? "before" : "after"} the moment`;
}

function words(photo) {
  const frames = photo.framesUsed && `${photo.framesUsed} ${photo.framesUsed === 1 ? "frame" : "frames"}`;
  const time = new Date(photo.taken).toLocaleString(undefined, { dateStyle: "long", timeStyle: "medium" });
  const quality = photo.proxy ? "not finished yet" : photo.quality;
  return [time, lag(photo), frames, quality, photo.width && `${photo.width} × ${photo.height}`].filter(Boolean).join(" · ");
}

const place = (folder, name) => `${folder}/${encodeURIComponent(name)}`;

function show(index) {
  const photo = photos[index];
  if (!photo) return;
  shown = index;
  const isShowable = !/\.hei[cf]$/i.test(photo.name);
  // Where the browser cannot show the file, the small picture stands for it.
  const small = place("thumbnails", `${photo.name}.jpg`), image = get("image");
  image.onerror = () => {
    image.onerror = null;
    image.src = small;
  };
  image.src = isShowable ? place("photos", photo.name) : small;
  image.alt = get("caption").textContent = words(photo);
  get("save").href = place("photos", photo.name);
  get("save").download = photo.name;
  get("newer").disabled = index === 0;
  get("older").disabled = index === photos.length - 1;
  if (!viewer.open) viewer.showModal();
}

let day = null, grid = null;
photos.forEach((photo, index) => {
  const date = new Date(photo.taken).toLocaleDateString(undefined, { dateStyle: "full" });
  if (date !== day) {
    const title = document.createElement("h2");
    title.textContent = day = date;
    grid = document.createElement("div");
    grid.className = "grid";
    get("days").append(title, grid);
  }
  const button = document.createElement("button"), image = new Image();
  image.loading = "lazy";
  image.alt = words(photo);
  // Photos of other programs may have no small picture.
  image.onerror = () => { image.onerror = null; image.src = place("photos", photo.name); };
  image.src = place("thumbnails", `${photo.name}.jpg`);
  button.append(image);
  button.onclick = () => show(index);
  buttons.push(button);
  grid.append(button);
});
get("count").textContent = photos.length === 1 ? "1 photo" : `${photos.length} photos`;

get("close").onclick = () => viewer.close();
get("newer").onclick = () => show(shown - 1);
get("older").onclick = () => show(shown + 1);
viewer.onclose = () => buttons[shown].focus();
viewer.onkeydown = ({ key }) =>
  show({ ArrowLeft: shown - 1, ArrowRight: shown + 1, Home: 0, End: photos.length - 1 }[key]);
let start = null;
get("image").onpointerdown = event => { start = event.pointerType === "touch" ? event : null; };
get("image").onpointerup = event => {
  const across = event.clientX - start?.clientX, down = event.clientY - start?.clientY;
  if (Math.abs(across) > 60 && Math.abs(across) > 2 * Math.abs(down)) show(shown + (across > 0 ? -1 : 1));
  else if (down > 90) viewer.close();
};
