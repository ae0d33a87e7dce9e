// SPDX-License-Identifier: MIT
// How a frame lies on a canvas: the camera's mount, the zoom, and how the viewer turned it.

/// The widths of pictures that the server makes, besides the frames' own.
export const widths = [320, 640, 960, 1280, 1920];

/// Turns the unit square clockwise, after mirroring it.
function turned({ angle = 0, mirrored = false }) {
  const turns = { 0: [1, 0, 0, 1, 0, 0], 90: [0, 1, -1, 0, 1, 0], 180: [-1, 0, 0, -1, 1, 1], 270: [0, -1, 1, 0, 0, 1] };
  const matrix = new DOMMatrix(turns[((angle % 360) + 360) % 360] ?? turns[0]);
  return mirrored ? matrix.multiply(new DOMMatrix([-1, 0, 0, 1, 1, 0])) : matrix;
}

/// Whether a turn exchanges width and height.
export const isSideways = ({ angle = 0 }) => angle % 180 !== 0;

export const noZoom = { factor: 1, x: 0.5, y: 0.5 };

/// Brings a zoom to what can be shown: a factor of 1 to 8, and a centre that keeps the crop inside the picture.
export function bounded({ factor, x, y }) {
  const limited = Math.min(Math.max(factor, 1), 8), margin = 0.5 / limited;
  const inside = value => Math.min(Math.max(value, margin), 1 - margin);
  return { factor: limited, x: inside(x), y: inside(y) };
}

/// From the pixels of a source to those of a canvas. The zoom counts in the upright picture.
export function placement(source, canvas, { mount = {}, zoom = noZoom, view = {} }) {
  const { factor, x, y } = zoom;
  return new DOMMatrix().scale(canvas.width, canvas.height).multiply(turned(view))
    .multiply(new DOMMatrix([factor, 0, 0, factor, 0.5 - x * factor, 0.5 - y * factor]))
    .multiply(turned(mount)).scale(1 / source.width, 1 / source.height);
}

/// Where a point of a turned picture (0 to 1) lies in the picture before it was turned.
export const untouched = ({ x, y }, turn) => turned(turn).inverse().transformPoint({ x, y });

/// The other way round: where a point of a picture lies once it is turned.
export const touched = ({ x, y }, turn) => turned(turn).transformPoint({ x, y });

/// Draws a source over a whole canvas.
export function draw(canvas, source, how) {
  const context = canvas.getContext("2d", { alpha: false });
  context.setTransform(placement(source, canvas, how));
  context.imageSmoothingQuality = "high";
  context.drawImage(source, 0, 0);
}
