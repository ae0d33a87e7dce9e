// SPDX-License-Identifier: MIT
// The browser's way back closes what has opened over the page, rather than leaving the page.

// What is open, and how many entries of the browser's history stand for it.
const open = [];
let depth = history.state?.depth ?? 0, isMoving = false;

function settle() {
  if (isMoving) return;
  if (depth > open.length) {
    isMoving = true;
    history.go(open.length - depth);
  }
  while (depth < open.length) history.pushState({ depth: depth += 1 }, "");
}

addEventListener("popstate", ({ state }) => {
  depth = state?.depth ?? 0;
  if (!isMoving) while (open.length > depth) open.pop()();
  isMoving = false;
  settle();
});

/// Something has opened over the page, and `close()` closes it.
export function opened(close) {
  open.push(close);
  settle();
}

/// It has closed. If that was not by going back, its entry is left, or stands for what opens at once in its place.
export function closed(close) {
  const at = open.lastIndexOf(close);
  if (at < 0) return;
  open.splice(at, 1);
  setTimeout(settle);
}
