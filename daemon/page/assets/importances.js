// The attributes that matter, with their errors.

import { LARGEST } from "./seldom.js";
import { number, table, withError } from "./words.js";

const SHOWN = 20;

// Of classes the largest of the feature's weights, and whose it is.
function weightOf(model, i) {
  if (!Array.isArray(model.weights[0])) return number(model.weights[i]);
  const of = model.weights.map((weights) => weights[i]);
  const k = of.reduce((most, weight, c) => (Math.abs(weight) > Math.abs(of[most]) ? c : most), 0);
  return `${number(of[k])} (${model.classes?.[k] ?? k})`;
}

export class Importances {
  constructor(place, words) {
    this.place = place;
    this.words = words;
    this.clear();
  }

  clear() {
    this.place.replaceChildren();
    this.words.textContent = "";
    this.shown = null;
  }

  update(status, model) {
    if (status.dimension > LARGEST)
      this.words.textContent = `Models of more than ${number(LARGEST)} attributes are not asked for here: glimpsectl model shows them.`;
    if (!model || model === this.shown) return;
    this.shown = model;
    this.show(model);
  }

  show(model) {
    if (!model.importances || !model.weights) {
      this.words.textContent = "They are not known yet, or not of this learner.";
      this.place.replaceChildren();
      return;
    }
    const rows = model.importances.map((importance, i) => ({
      name: model.names?.[i] || String(i),
      importance,
      error: model.importance_errors?.[i] ?? null,
      weight: weightOf(model, i),
    }));
    for (const { name, importance, importance_error, features } of model.categories ?? [])
      rows.push({
        name: `${name} (${number(features)} ${features === 1 ? "category" : "categories"})`,
        importance,
        error: importance_error,
        weight: "–",
      });
    const known = rows
      .filter((row) => row.importance !== null)
      .sort((a, b) => b.importance - a.importance)
      .slice(0, SHOWN);
    if (known.length === 0) {
      this.words.textContent = "None is known now: too few examples came, or the newest model is withheld.";
      return this.place.replaceChildren();
    }
    this.words.textContent = `The ${number(known.length)} most important of ${number(rows.length)}: by how much the error would grow without each, as a share of the labels' variance.`;
    this.place.replaceChildren(
      table(
        ["attribute", "importance", Array.isArray(model.weights[0]) ? "largest weight" : "weight"],
        known.map(({ name, importance, error, weight }) => [
          name,
          withError(Number(importance.toPrecision(4)), error),
          weight,
        ]),
      ),
    );
  }
}
