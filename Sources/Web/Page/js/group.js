// SPDX-License-Identifier: MIT
// The photos that several cameras took at one tap, side by side, and how far apart their moments are.

import { make } from "./dom.js";
import { caption } from "./gallery.js";

/// The photos in their places: each with its camera's name, and a way to see it alone.
export function beside(members, { gallery, alone }) {
  const count = members.length;
  const box = make("div", { className: "beside", role: "group", ariaLabel: `The pictures of ${count} cameras` });
  // Beside each other where there is more width than height, or else one above the other; many in two rows.
  box.style.setProperty("--wide", count > 3 ? Math.ceil(count / 2) : count);
  box.style.setProperty("--tall", count > 3 ? 2 : 1);
  box.append(...members.map(photo => {
    const { group: { stream }, urls, width, height } = photo;
    const image = make("img", { alt: "", draggable: false, src: gallery.thumbnail(photo) });
    // The same picture in small stands for it until it can be drawn.
    const still = make("img", { src: urls.image });
    still.decode().then(() => { image.src = urls.image; }, () => {});
    const framed = make("span", {}, image, make("b", {}, stream));
    framed.style.setProperty("--ratio", width / height);
    return make("button", {
      ariaLabel: `${stream}: photo ${photo.id} of ${caption(photo)}${photo.isProxy ? ", not finished yet" : ""}`,
      title: "Show it alone", onclick: () => alone(photo),
    }, framed);
  }));
  return box;
}

const words = ms => `${ms < 9.95 ? ms.toFixed(1) : Math.round(ms)} ms`;

/// How far apart the moments are, as far as the cameras say. Each was asked for the same instant of light, so that the
/// distances from it can be compared, whatever clocks the cameras have.
export function apart(members) {
  const sorted = members.filter(({ lagMs }) => lagMs != null).sort((a, b) => a.lagMs - b.lagMs);
  if (sorted.length < 2) return "";
  const [first, last] = [sorted[0], sorted.at(-1)], isBounded = first.lagBoundMs != null && last.lagBoundMs != null;
  const bound = isBounded ? `within ${words(first.lagBoundMs + last.lagBoundMs)}` : "as stated by the cameras";
  return `the moments are ${words(last.lagMs - first.lagMs)} apart (${bound})`;
}

/// What their photos can be saved as: all in one file, or each by itself.
export function saves(members, done) {
  const link = (text, href, name = "") =>
    make("a", { className: "plain", onclick: done, download: name, href }, text);
  return [
    link("All", `/archive?photos=${members.map(({ id }) => id).join()}`),
    ...members.map(({ id, name, isProxy, group: { stream } }) =>
      link(stream, `/photos/${id}/${isProxy ? "proxy" : "final"}?download=1`, name)),
  ];
}
