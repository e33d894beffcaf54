// How likely each attribute is looked at; where attributes are a picture, as one, beside the weights.

import { Chart, axes } from "./charts.js";
import { colour } from "./colours.js";
import { cell, HeatMap } from "./heat.js";
import { LARGEST } from "./seldom.js";
import { number, short, table } from "./words.js";

const SHOWN = 20; // in the table

// By attribute: of one class where there are classes. Features that are no attribute, as products, are left out.
function weightsOf(model, dimension, chosen) {
  const weights = model.classes && Array.isArray(model.weights[0]) ? model.weights[chosen] : model.weights;
  const values = Array(dimension).fill(null);
  weights?.forEach((weight, feature) => {
    const attribute = model.attributes ? model.attributes[feature] : feature;
    if (Number.isInteger(attribute)) values[attribute] = (values[attribute] ?? 0) + weight;
  });
  return values;
}

export class Looks {
  // `places`: elements by name: chart, pictures, chance, weights, classes (a choice), words, table.
  constructor(places) {
    this.places = places;
    this.chart = new Chart(places.chart, 190);
    places.classes.addEventListener("change", () => this.showWeights());
    this.clear();
  }

  clear() {
    this.chart.clear();
    this.places.table.replaceChildren();
    this.places.words.textContent = "";
    this.places.pictures.hidden = true;
    this.places.classes.replaceChildren();
    this.shown = [];
    this.weights = null;
  }

  update(status, moments, model) {
    if (status.dimension > LARGEST) {
      this.places.words.textContent = `Of more than ${number(LARGEST)} attributes this is not asked for here: glimpsectl moments shows them.`;
      return;
    }
    if (!moments || (this.shown[0] === moments && this.shown[1] === model)) return;
    this.shown = [moments, model];
    this.grid = status.attribute_grid;
    this.model = model;
    this.places.pictures.hidden = !this.grid;
    this.places.chart.hidden = Boolean(this.grid);
    const known = moments.moments.filter((row) => row.probability !== null);
    if (this.grid) this.showPictures(moments.moments);
    this.places.words.textContent =
      known.length === 0
        ? "This learner looks at everything."
        : `The chance of each attribute${this.grid ? "" : ", by number,"} to be drawn: alike at first, later by what was learned.`;
    if (!this.grid && known.length > 0) this.draw(known);
    this.tell(known);
  }

  draw(known) {
    this.chart.redraw = () => this.draw(known);
    this.chart.show(
      "looks",
      () => ({
        scales: { x: { time: false }, y: { range: (u, low, high) => [0, high > 0 ? high * 1.05 : 1] } },
        axes: axes("chance", "attribute", (tick) => (Number.isInteger(tick) ? short(tick) : "")),
        series: [
          { label: "attribute", value: (u, v) => number(v) },
          {
            label: "chance",
            stroke: colour("--first"),
            width: 1,
            points: { show: true, size: 5, fill: colour("--first") },
            paths: () => null,
            value: (u, v) => number(v),
          },
        ],
      }),
      [known.map((row) => row.attribute), known.map((row) => row.probability)],
    );
  }

  showPictures(rows) {
    this.chance ??= new HeatMap(this.places.chance, "Chance of each attribute to be looked at", false);
    this.weights ??= new HeatMap(this.places.weights, "Weight of each attribute", true);
    this.chance.show(
      this.grid,
      rows.map((row) => row.probability),
    );
    const names = Array.isArray(this.model?.weights?.[0]) ? (this.model.classes ?? []) : [];
    const { classes } = this.places;
    if (classes.options.length !== names.length)
      classes.replaceChildren(...names.map((name, k) => new Option(name, k)));
    classes.parentElement.hidden = names.length === 0;
    this.showWeights();
  }

  showWeights() {
    if (this.grid && this.weights && this.model)
      this.weights.show(
        this.grid,
        weightsOf(this.model, this.grid.columns * this.grid.rows, Number(this.places.classes.value || 0)),
      );
  }

  tell(known) {
    const likeliest = [...known].sort((a, b) => b.probability - a.probability).slice(0, SHOWN);
    this.places.table.replaceChildren(
      table(
        ["attribute", ...(this.grid ? ["pixel"] : []), "chance", "looked at", "mean"],
        likeliest.map((row) => [
          row.name || String(row.attribute),
          ...(this.grid ? [cell(this.grid, row.attribute)] : []),
          number(row.probability),
          number(row.count),
          number(row.mean),
        ]),
      ),
    );
  }
}
