// SPDX-License-Identifier: MIT
// Small helpers: finding and making elements, rows of settings, words for times, and choices that last.

export const $ = id => document.getElementById(id);

/// Makes an element. Keys that start with "on" are listeners; others are properties, or attributes if there is a dash.
export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(properties)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key.includes("-") || key === "role") element.setAttribute(key, value);
    else element[key] = value;
  }
  element.append(...children);
  return element;
}

/// One of the page's symbols.
export function icon(name) {
  const [svg, use] = ["svg", "use"].map(tag => document.createElementNS("http://www.w3.org/2000/svg", tag));
  use.setAttribute("href", `#i-${name}`);
  svg.setAttribute("aria-hidden", "true");
  svg.append(use);
  return svg;
}

/// A choice of one of a few. Labels may differ from values.
export function segments(legend, values, chosen, choose, label = value => value) {
  const name = `s-${legend}`;
  return make("fieldset", { className: "segments" }, make("legend", {}, legend), ...values.map(value =>
    make("label", {}, make("input", {
      type: "radio", name, value: String(value), checked: value === chosen, onchange: () => choose(value),
    }), make("span", {}, label(value)))));
}

/// A small remark.
export const note = words => make("p", { className: "note" }, words);

/// A row with words, an input, and a button that resets it.
export function row(words, input, { reset, output = "", isSlide } = {}) {
  input.id ||= `row-${words}`;
  return make("div", { className: isSlide ? "row slide" : "row" },
    make("label", { htmlFor: input.id }, words), reset ?? "", output, input);
}

/// A switch.
export const toggle = (checked, change, more = {}) => make("input", {
  type: "checkbox", role: "switch", checked, onchange: event => change(event.target.checked), ...more,
});

/// A menu of values, words, and which one is selected.
export const menu = (options, change, more = {}) => make("select", {
  onchange: event => change(event.target.value), ...more,
}, ...options.map(([value, words, selected]) => make("option", { value, selected }, words)));

/// What the person chose, kept in this browser.
export const kept = {
  get(key, otherwise) {
    try {
      return JSON.parse(localStorage.getItem(`livecap.${key}`)) ?? otherwise;
    } catch {
      return otherwise;
    }
  },
  set(key, value) {
    try {
      localStorage.setItem(`livecap.${key}`, JSON.stringify(value));
    } catch { /* Private windows may keep nothing; the choice then lasts as long as the page. */ }
  },
};

export const sleep = milliseconds => new Promise(done => setTimeout(done, milliseconds));

/// Such as "0.25 s", "1.2 s" or "12 s".
export function seconds(milliseconds) {
  const value = Math.abs(milliseconds) / 1000;
  return `${value.toFixed(value < 0.995 ? 2 : value < 9.95 ? 1 : 0)} s`;
}

/// Such as "1:05".
export const clockTime = value => `${Math.floor(value / 60)}:${String(Math.floor(value % 60)).padStart(2, "0")}`;

/// Such as "640 kB".
export const size = bytes =>
  bytes < 1e6 ? `${Math.max(1, Math.round(bytes / 1e3))} kB` : `${(bytes / 1e6).toFixed(1)} MB`;

/// A sentence about an error, with what to do next.
export const sentence = error => [error.message, error.hint].filter(Boolean).map(words =>
  /[.!?…]$/.test(words) ? words : `${words}.`).map(words => words[0].toUpperCase() + words.slice(1)).join(" ");
