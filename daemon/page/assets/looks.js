// How likely each attribute is looked at: of /v1/moments, which is large, and so asked for seldom.

import { ask } from "./door.js";
import { Chart, axes, colour } from "./charts.js";
import { number, short, table } from "./words.js";

const EVERY = 10_000; // milliseconds
const LARGEST = 20_000; // attributes
const SHOWN = 20; // in the table

export class Looks {
  constructor(place, words, tablePlace) {
    this.chart = new Chart(place, 190);
    this.words = words;
    this.tablePlace = tablePlace;
    this.askedAt = -Infinity;
    this.examples = -1;
  }

  clear() {
    this.chart.clear();
    this.tablePlace.replaceChildren();
    this.words.textContent = "";
    this.askedAt = -Infinity;
    this.examples = -1;
  }

  async update(status) {
    if (status.dimension > LARGEST) {
      this.words.textContent = `Of more than ${number(LARGEST)} attributes this is not asked for here: glimpsectl moments shows them.`;
      return;
    }
    if (status.examples === this.examples || performance.now() - this.askedAt < EVERY) return;
    this.askedAt = performance.now();
    const { moments } = await ask("/v1/moments");
    this.examples = status.examples;
    this.show(moments);
  }

  show(rows) {
    this.rows = rows;
    this.chart.redraw = () => this.show(this.rows);
    const known = rows.filter((row) => row.probability !== null);
    if (known.length === 0) {
      this.words.textContent = "This learner looks at everything.";
      return;
    }
    this.words.textContent = "The chance of each attribute, by number, to be drawn: alike at first, later by what was learned.";
    this.chart.show("looks", () => ({
      scales: { x: { time: false }, y: { range: (u, low, high) => [0, high > 0 ? high * 1.05 : 1] } },
      axes: axes("chance", "attribute", (tick) => (Number.isInteger(tick) ? short(tick) : "")),
      series: [{ label: "attribute", value: (u, v) => number(v) },
        { label: "chance", stroke: colour("--first"), width: 1, points: { show: true, size: 4 }, paths: () => null, value: (u, v) => number(v) }],
    }), [known.map((row) => row.attribute), known.map((row) => row.probability)]);
    const likeliest = [...known].sort((a, b) => b.probability - a.probability).slice(0, SHOWN);
    this.tablePlace.replaceChildren(table(["attribute", "chance", "looked at", "mean"], likeliest.map((row) =>
      [row.name || String(row.attribute), number(row.probability), number(row.count), number(row.mean)])));
  }
}
