// SPDX-License-Identifier: MIT
// Marks on the picture: the faces and hands that the server knows of, each with its number.

import { placement } from "./placement.js";

// Facts without successors are of a picture that is gone.
const lifetime = 1000;
const gestures = {
  "thumb-up": "thumb up", "thumb-down": "thumb down", victory: "victory", horns: "horns", "half-heart": "half a heart",
};
const faceColour = "#ffc83d", handColour = "#6fe3c4";
// From the wrist along each finger.
const fingers = [1, 5, 9, 13, 17].map(root => [0, root, root + 1, root + 2, root + 3]);

/// The canvas over the picture. It asks for facts while it is shown.
export class Overlay {
  #events = null;
  #again = 0;
  #facts = null;
  #heardAt = 0;
  #kinds = "";

  /// `isLive()` says whether the picture is one of now.
  constructor(canvas, { viewfinder, isLive }) {
    Object.assign(this, { canvas, viewfinder, isLive });
    document.addEventListener("visibilitychange", () => this.#listen());
  }

  /// What is marked, such as "faces,hands"; nothing if empty.
  set kinds(kinds) {
    if (kinds === this.#kinds) return;
    this.#kinds = kinds;
    this.canvas.hidden = !kinds;
    this.#facts = null;
    this.#listen();
  }

  #listen() {
    clearTimeout(this.#again);
    this.#events?.close();
    this.#events = null;
    if (!this.#kinds || document.hidden) return;
    const events = this.#events = new EventSource(`/events?facts=${this.#kinds}`);
    events.addEventListener("facts", event => {
      this.#facts = JSON.parse(event.data);
      this.#heardAt = performance.now();
      this.draw();
    });
    events.onerror = () => {
      events.close();
      this.#again = setTimeout(() => this.#listen(), 2000);
    };
  }

  /// Draws the newest facts as the picture lies now.
  draw() {
    if (this.canvas.hidden) return;
    const { canvas } = this, scale = devicePixelRatio;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight].map(size => Math.round(size * scale));
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    const context = canvas.getContext("2d");
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, width, height);
    if (!this.#facts || !this.isLive() || performance.now() - this.#heardAt > lifetime) return;
    const matrix = placement({ width: 1, height: 1 }, canvas, this.viewfinder);
    const pen = { context, scale, put: ([x, y]) => matrix.transformPoint({ x, y }) };
    for (const face of this.#facts.faces ?? []) drawFace(pen, face);
    for (const hand of this.#facts.hands ?? []) drawHand(pen, hand);
  }
}

function drawFace(pen, { id, box, landmarks, eyesOpen }) {
  const areShut = eyesOpen && Math.min(eyesOpen.right, eyesOpen.left) < 0.5;
  for (const point of landmarks) dot(pen, point, faceColour);
  frame(pen, box, `Face ${id}${areShut ? ", eyes shut" : ""}`, faceColour);
}

function drawHand(pen, { id, box, landmarks, gesture, isRight }) {
  const { context, scale, put } = pen;
  if (landmarks.length === 21) {
    context.strokeStyle = handColour;
    context.lineWidth = 1.5 * scale;
    context.beginPath();
    for (const finger of fingers) {
      finger.forEach((index, step) => {
        const { x, y } = put(landmarks[index]);
        if (step) context.lineTo(x, y);
        else context.moveTo(x, y);
      });
    }
    context.stroke();
  }
  for (const point of landmarks) dot(pen, point, handColour);
  const name = `${isRight ? "Right" : "Left"} hand ${id}`;
  frame(pen, box, gesture ? `${name}, ${gestures[gesture] ?? gesture}` : name, handColour);
}

function dot({ context, scale, put }, point, colour) {
  const { x, y } = put(point);
  context.fillStyle = colour;
  context.beginPath();
  context.arc(x, y, 1.75 * scale, 0, 2 * Math.PI);
  context.fill();
}

// Pictures are turned by quarters, so a box stays upright.
function frame({ context, scale, put }, [left, top, width, height], words, colour) {
  const one = put([left, top]), other = put([left + width, top + height]);
  const x = Math.min(one.x, other.x), y = Math.min(one.y, other.y);
  const size = [Math.abs(other.x - one.x), Math.abs(other.y - one.y)];
  for (const [style, line] of [["#0008", 4], [colour, 2]]) {
    context.strokeStyle = style;
    context.lineWidth = line * scale;
    context.beginPath();
    context.roundRect(x, y, ...size, 8 * scale);
    context.stroke();
  }
  context.font = `600 ${12 * scale}px system-ui, sans-serif`;
  context.textBaseline = "middle";
  const tag = context.measureText(words).width + 12 * scale, tall = 20 * scale;
  // Above the box, or inside it where there is no room.
  const at = y > tall + 4 * scale ? y - tall - 4 * scale : y + 4 * scale, from = Math.max(4 * scale, x);
  context.fillStyle = "#000b";
  context.beginPath();
  context.roundRect(from, at, tag, tall, 6 * scale);
  context.fill();
  context.fillStyle = colour;
  context.fillText(words, from + 6 * scale, at + tall / 2);
}
