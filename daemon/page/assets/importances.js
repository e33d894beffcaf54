// The attributes that matter, with their errors: of /v1/model, which is large, and so asked for seldom.

import { ask } from "./door.js";
import { number, table, withError } from "./words.js";

const EVERY = 10_000; // milliseconds
const LARGEST = 20_000; // attributes
const SHOWN = 20;

export class Importances {
  constructor(place, words) {
    this.place = place;
    this.words = words;
    this.askedAt = -Infinity;
    this.examples = -1;
  }

  clear() {
    this.place.replaceChildren();
    this.words.textContent = "";
    this.askedAt = -Infinity;
    this.examples = -1;
  }

  async update(status) {
    if (status.dimension > LARGEST) {
      this.words.textContent = `Models of more than ${number(LARGEST)} attributes are not asked for here: glimpsectl model shows them.`;
      return;
    }
    if (status.examples === this.examples || performance.now() - this.askedAt < EVERY) return;
    this.askedAt = performance.now();
    const model = await ask("/v1/model");
    this.examples = status.examples;
    this.show(model);
  }

  show(model) {
    if (!model.importances || Array.isArray(model.weights?.[0])) {
      this.words.textContent = "They are not known yet, or not of this learner.";
      this.place.replaceChildren();
      return;
    }
    const rows = model.importances.map((importance, i) => ({ i, importance, error: model.importance_errors?.[i] ?? null }));
    const known = rows.filter((row) => row.importance !== null).sort((a, b) => b.importance - a.importance).slice(0, SHOWN);
    if (known.length === 0) {
      this.words.textContent = "None is known now: too few examples came, or the newest model is withheld.";
      return this.place.replaceChildren();
    }
    this.words.textContent = `The ${number(known.length)} most important of ${number(rows.length)}: by how much the error would grow without each, as a share of the labels' variance.`;
    this.place.replaceChildren(table(["attribute", "importance", "weight"], known.map(({ i, importance, error }) =>
      [model.names?.[i] || String(i), withError(Number(importance.toPrecision(4)), error), number(model.weights[i])])));
  }
}
