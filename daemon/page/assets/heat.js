// Numbers of attributes that are the pixels of a picture, as colours with their legend.

import { colour } from "./colours.js";
import { number } from "./words.js";

const STEPS = 128; // of the legend

function rgb(hex) {
  const digits = hex.length === 4 ? [...hex.slice(1)].map((digit) => digit + digit).join("") : hex.slice(1);
  return [0, 2, 4].map((at) => parseInt(digits.slice(at, at + 2), 16));
}

// The colour of a part from -1 to 1 of the largest: the ground is 0.
function shade(part, ground, ends) {
  const end = part < 0 ? ends[0] : ends[1];
  return ground.map((from, k) => Math.round(from + Math.abs(part) * (end[k] - from)));
}

function paint(canvas, columns, rows, part) {
  if (canvas.width !== columns || canvas.height !== rows) Object.assign(canvas, { width: columns, height: rows });
  const context = canvas.getContext("2d");
  const picture = context.createImageData(columns, rows);
  const ground = rgb(colour("--cold"));
  const ends = [rgb(colour("--below")), rgb(colour("--above"))];
  for (let i = 0; i < columns * rows; ++i) {
    const value = part(i);
    picture.data.set(value === null ? [0, 0, 0, 0] : [...shade(value, ground, ends), 255], 4 * i);
  }
  context.putImageData(picture, 0, 0);
}

// Where a cell is, as people count.
export function cell(grid, attribute) {
  return `row ${Math.floor(attribute / grid.columns) + 1}, column ${(attribute % grid.columns) + 1}`;
}

export class HeatMap {
  // `what`: of what the numbers are, in words. `isSigned`: they may be below 0.
  constructor(place, what, isSigned) {
    this.what = what;
    this.isSigned = isSigned;
    this.picture = document.createElement("canvas");
    this.picture.className = "heat";
    this.picture.setAttribute("role", "img");
    this.scale = document.createElement("canvas");
    this.scale.className = "scale";
    this.scale.setAttribute("aria-hidden", "true");
    this.ends = document.createElement("div");
    this.ends.className = "ends";
    this.at = document.createElement("p");
    this.at.className = "quiet";
    place.replaceChildren(this.picture, this.scale, this.ends, this.at);
    this.picture.addEventListener("pointermove", (moved) => this.point(moved));
    this.picture.addEventListener("pointerleave", () => this.tellLargest());
    matchMedia("(prefers-color-scheme: dark)").addEventListener(
      "change",
      () => this.grid && this.show(this.grid, this.values),
    );
  }

  show(grid, values) {
    Object.assign(this, { grid, values });
    const known = values.filter((value) => value !== null);
    this.most = known.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    const part = (value) => (value === null ? null : this.most > 0 ? value / this.most : 0);
    paint(this.picture, grid.columns, grid.rows, (i) => part(values[i] ?? null));
    paint(this.scale, STEPS, 1, (i) => (this.isSigned ? (2 * i) / (STEPS - 1) - 1 : i / (STEPS - 1)));
    const ends = this.isSigned ? [-this.most, 0, this.most] : [0, this.most];
    this.ends.replaceChildren(
      ...ends.map((end) => Object.assign(document.createElement("span"), { textContent: number(end, 2) })),
    );
    this.picture.setAttribute("aria-label", `${this.what}, ${grid.columns} by ${grid.rows}: ${this.largest()}`);
    this.tellLargest();
  }

  largest() {
    const i = this.values.findIndex((value) => value !== null && Math.abs(value) === this.most);
    return i < 0 ? "none is known" : `largest is ${number(this.values[i], 3)} at ${cell(this.grid, i)}`;
  }

  tellLargest() {
    if (this.grid) this.at.textContent = this.largest();
  }

  point(moved) {
    const { left, top, width, height } = this.picture.getBoundingClientRect();
    const column = Math.floor(((moved.clientX - left) / width) * this.grid.columns);
    const row = Math.floor(((moved.clientY - top) / height) * this.grid.rows);
    if (column < 0 || row < 0 || column >= this.grid.columns || row >= this.grid.rows) return;
    const i = row * this.grid.columns + column;
    this.at.textContent = `attribute ${i}, ${cell(this.grid, i)}: ${number(this.values[i], 3)}`;
  }
}
