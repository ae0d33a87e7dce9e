// SPDX-License-Identifier: MIT
// The browser's way back closes what has opened over the page, rather than leaving the page.

const open = [];
let ownSteps = 0;

addEventListener("popstate", () => {
  if (ownSteps) ownSteps -= 1;
  else open.pop()?.();
});

/// Something has opened over the page, and `close()` closes it.
export function opened(close) {
  open.push(close);
  history.pushState(null, "");
}

/// It has closed. If that was not by going back, its step of the browser's history is taken back.
export function closed(close) {
  const at = open.lastIndexOf(close);
  if (at < 0) return;
  open.splice(at, 1);
  ownSteps += 1;
  history.back();
}
