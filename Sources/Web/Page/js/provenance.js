// SPDX-License-Identifier: MIT
// How a photo was made, in sentences.

import { seconds } from "./dom.js";
import { lag } from "./gallery.js";

const causes = {
  motion: "something moved", noise: "the frames differed by more than their noise", color: "only the colour differed",
  clipped: "the picture is clipped",
};
const percent = share => `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;
const several = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

const shown = photo => lag(photo) || "the moment you chose";

/// Sentences about what provenance says. Whatever it does not say is left out.
export function provenance(made, photo) {
  const used = made.framesUsed ?? [], rejected = made.rejected ?? [], words = [];
  const times = used.map(frame => Number(frame.ns ?? frame.timeNs) / 1e6).filter(Number.isFinite);
  if (used.length > 1) {
    const spread = times.length > 1 ? ` over ${seconds(Math.max(...times) - Math.min(...times))}` : "";
    words.push(`Made of ${used.length} frames${spread}. It shows ${shown(photo)}.`);
  } else if (used.length === 1 || photo.framesUsed === 1) {
    words.push(`Made of one frame: ${shown(photo)}.`);
  }
  if (rejected.length) {
    const reasons = [...new Set(rejected.map(({ reason }) => reason).filter(Boolean))];
    words.push(`${several(rejected.length, "frame")} left out${reasons.length ? `: ${reasons.join(", ")}` : ""}.`);
  }
  const refused = Object.entries(made.refused ?? {}).filter(([, share]) => share >= 0.01);
  if (refused.length) {
    words.push(`Some places rest on fewer frames: ${refused.map(([why, share]) =>
      `${percent(share)} because ${causes[why] ?? why}`).join(", ")}.`);
  }
  if (made.qualityAsked && made.qualityGiven && made.qualityAsked !== made.qualityGiven) {
    words.push(`Asked for ${made.qualityAsked}, made as ${made.qualityGiven}.`);
  }
  if (made.hotPixels) words.push(`${several(made.hotPixels, "hot pixel")} of the sensor taken out.`);
  if (made.exposureSettled === false) words.push("The exposure had not settled yet.");
  if (made.cameraWasOff) words.push("The camera was off, and was switched on for it.");
  const total = made.stagesMs?.total;
  if (total) words.push(`It took ${total < 100 ? `${total.toFixed(0)} ms` : seconds(total)}.`);
  words.push(...(made.notes ?? []).map(note => typeof note === "string" ? note : note.words ?? "").filter(Boolean));
  return words.length ? words : ["Nothing more is known about this photo."];
}
