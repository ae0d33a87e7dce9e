// SPDX-License-Identifier: MIT
// A photo beside the single frame that it shows, and a picture of how many frames each place of it rests on.

import { make } from "./dom.js";
import { draw } from "./placement.js";

/// The photo with its frame, `{ blob, mount, zoom }`, on the left of a line that can be moved.
export async function curtain(still, { blob, ...how }) {
  const { naturalWidth: width, naturalHeight: height } = still, bitmap = await createImageBitmap(blob);
  const single = make("canvas", { width: width || bitmap.width, height: height || bitmap.height });
  draw(single, bitmap, how);
  bitmap.close();
  const at = make("input", {
    type: "range", max: 100, step: 0.1, value: 50, ariaLabel: "Left of here the single frame, right of it the photo",
  });
  const box = make("div", { className: "curtain" },
    still, single, make("b", {}, "Frame"), make("b", {}, "Photo"), make("i"), at);
  const move = () => box.style.setProperty("--cut", `${at.value}%`);
  at.addEventListener("input", move);
  box.style.setProperty("--ratio", single.width / single.height);
  move();
  return box;
}

/// The server's picture of how many frames each place of a photo rests on, with a legend.
export async function explanation({ width, height, framesUsed }, answer) {
  const url = URL.createObjectURL(await answer.blob());
  const image = make("img", { src: url, alt: "Yellow where all frames agree, violet where one stands alone" });
  await image.decode();
  URL.revokeObjectURL(url);
  // The file has a legend for those who have no page, below the picture, which may lie on its side.
  const { naturalWidth: across, naturalHeight: down } = image;
  const ratios = [width / height, height / width].filter(ratio => across / ratio <= down + 1);
  const box = make("div", { className: "explained" }, image, make("p", { className: "legend" },
    make("span", {}, "One frame"), make("i"), make("span", {}, framesUsed ? `All ${framesUsed} agree` : "All agree"),
    make("small", {}, "White: others were left out, because something moved (slanted lines), differed (dots), "
      + "had another colour (upright) or was too bright (crossed)")));
  box.style.setProperty("--ratio", ratios.length ? Math.min(...ratios) : width / height);
  return box;
}
