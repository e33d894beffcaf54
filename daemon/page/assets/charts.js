// The curves over a log axis of examples, with standard errors as bands and events above them.

import { colour } from "./colours.js";
import { strip, stripHeight } from "./strip.js";
import { number, renew, short, table } from "./words.js";

const ROWS = 40; // of the tables beside the curves

function translucent(hex) {
  return `${hex}33`;
}

const ALL_EXAMPLES = { distr: 3, time: false, range: (u, low, high) => [low, Math.max(high, 10 * low)] };

export function axes(
  yLabel,
  xLabel = "examples learned from",
  xText = (t) => (Number.isInteger(Math.log10(t)) ? short(t) : ""),
) {
  const common = {
    stroke: colour("--quiet"),
    grid: { stroke: colour("--line"), width: 1 },
    ticks: { stroke: colour("--line") },
  };
  return [
    {
      ...common,
      label: xLabel,
      size: 30,
      labelSize: 22,
      values: (u, ticks) => ticks.map((t) => (t === null ? "" : xText(t))),
    },
    { ...common, label: yLabel, size: 62, values: (u, ticks) => ticks.map((t) => short(t)) },
  ];
}

// Under a chart stands what the pointer is at, and the newest that is known where it is elsewhere.
function newest(u) {
  if (u.cursor.idx !== null && u.cursor.idx !== undefined) return;
  const curve = u.data[1];
  if (curve === undefined) return; // nothing is drawn yet
  const known = curve.findLastIndex((value) => value !== null && value !== undefined);
  u.setLegend({ idx: known < 0 ? curve.length - 1 : known }, false);
}

// Why there is nothing to draw.
function nothing(examples) {
  return examples > 0
    ? "The daemon keeps no samples of its progress (--history 0)."
    : "Nothing was learned yet: this begins with the first example.";
}

// A chart in `place` that is drawn again with other colours or of another width.
export class Chart {
  constructor(place, height) {
    this.place = place;
    this.height = height;
    this.plot = null;
    this.shape = "";
    new ResizeObserver(() => this.plot?.setSize({ width: this.width(), height: this.height })).observe(place);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      this.shape = "";
      this.redraw?.();
    });
  }

  width() {
    return Math.max(240, this.place.clientWidth);
  }

  show(shape, options, data) {
    if (this.plot && this.shape === shape) return this.plot.setData(data);
    this.plot?.destroy();
    this.shape = shape;
    // What is dragged over would be shown whole again by the next sample.
    const cursor = { drag: { x: false, y: false } };
    this.plot = new window.uPlot({ width: this.width(), height: this.height, cursor, ...options() }, data, this.place);
  }

  // Nothing is left of what was drawn.
  clear() {
    this.plot?.destroy();
    this.plot = null;
    this.shape = "";
    this.redraw = undefined;
  }
}

// Of a value and its error: its curve, and the ends of the band. A mean of one example has no error, and says nothing.
function withBand(history, name) {
  const errors = history.columns[`${name}_error`];
  const values = history.columns[name].map((value, i) => (errors[i] === null ? null : value));
  const end = (sign) => values.map((value, i) => (value === null ? null : value + sign * errors[i]));
  return [values, end(1), end(-1)];
}

// What there is towards the end is shown whole; what came before may be cut off.
function heights(examples, columns, isR2) {
  const shown = (examples.at(-1) ?? 1) ** 0.35;
  let low = 0,
    high = isR2 ? 0.1 : 0;
  for (const column of columns)
    column.forEach((value, i) => {
      if (value === null || examples[i] < shown) return;
      low = Math.min(low, value);
      high = Math.max(high, value);
    });
  if (isR2) return [Math.max(low, -0.5), high > 0.6 ? 1 : Math.min(1, high * 1.1)];
  return [Math.max(low, -high / 4), high > 0 ? high * 1.05 : 1];
}

// Where the curve is above or below what is shown, its band is not shown either.
function hideBeyond([values, ...edges], [low, high]) {
  values.forEach((value, i) => {
    if (value !== null && (value < low || value > high))
      edges.forEach((edge) => {
        edge[i] = null;
      });
  });
}

// A chart with its table, and words above it.
class Panel {
  constructor(height, place, tablePlace, wordsPlace) {
    this.chart = new Chart(place, height);
    this.tablePlace = tablePlace;
    this.wordsPlace = wordsPlace;
  }

  clear(words = "") {
    this.chart.clear();
    this.wordsPlace.textContent = words;
    this.tablePlace.replaceChildren();
  }
}

export class Curve extends Panel {
  constructor(...places) {
    super(320, ...places);
  }

  show(history) {
    const { examples } = history.columns;
    if (examples.length === 0) return this.clear(nothing(history.examples));
    this.chart.redraw = () => this.show(history);
    const isR2 = history.isKnown("recent_r2");
    const names = isR2 ? ["recent_r2", "held_out_recent_r2"] : ["recent_loss", "held_out_recent_loss"];
    const known = names.filter((name) => history.isKnown(name));
    const bands = known.map((name) => withBand(history, name));
    this.range = heights(examples, bands.flat(), isR2);
    for (const band of bands) hideBeyond(band, this.range);
    const data = [examples, ...bands.flat()];
    this.wordsPlace.textContent = isR2
      ? "R²: the share of the labels' variance that is predicted, of recent examples before they were learned from, ± standard error. 0 is as good as always answering the mean, 1 is perfect."
      : "Mean squared error of predictions for recent examples before they were learned from, ± standard error.";
    const words = ["recent examples", "held out, recent"];
    const colours = [colour("--first"), colour("--second")];
    const dashes = [undefined, [7, 4]];
    const top = stripHeight(history.events);
    this.chart.height = 300 + top;
    this.chart.show(
      `${known.join()} ${top}`,
      () => ({
        padding: [top, null, null, null],
        scales: { x: ALL_EXAMPLES, y: { range: () => this.range } },
        axes: axes(isR2 ? "R²" : "mean squared error"),
        series: [
          { label: "examples", value: (u, v) => number(v) },
          ...known.flatMap((name) => {
            const k = names.indexOf(name);
            const edge = { class: "edge", width: 0, points: { show: false }, value: (u, v) => number(v) };
            return [
              {
                label: words[k],
                stroke: colours[k],
                width: 2,
                dash: dashes[k],
                points: { show: false },
                value: (u, v) => number(v),
              },
              { ...edge, label: `${words[k]} +`, stroke: colours[k] },
              { ...edge, label: `${words[k]} −`, stroke: colours[k] },
            ];
          }),
        ],
        bands: known.map((name, k) => ({
          series: [2 + 3 * k, 3 + 3 * k],
          fill: translucent(colours[names.indexOf(name)]),
        })),
        hooks: { draw: [strip(history)], setLegend: [newest] },
      }),
      data,
    );
    const from = Math.max(0, examples.length - ROWS);
    const rows = [];
    for (let i = examples.length - 1; i >= from; i--)
      rows.push([
        number(examples[i]),
        ...bands.map(([value], k) =>
          value[i] === null ? "–" : `${number(value[i])} ± ${number(history.columns[`${known[k]}_error`][i], 2)}`,
        ),
      ]);
    renew(this.tablePlace, table(["examples", ...known.map((name) => words[names.indexOf(name)])], rows));
  }
}

// Seconds since 1970 that go up: where a clock was set back, what came before is left out.
function forward(times, values) {
  const kept = [[], []];
  for (let i = times.length - 1, last = Infinity; i >= 0; i--)
    if (times[i] !== null && times[i] < last) {
      last = times[i];
      kept[0].unshift(last);
      kept[1].unshift(values[i]);
    }
  return kept;
}

// Over examples, or over time as `choice` says.
export class Rate extends Panel {
  constructor(choice, ...places) {
    super(190, ...places);
    this.choice = choice;
    choice.addEventListener("change", () => this.chart.redraw?.());
  }

  show(history) {
    const { examples, rate, time } = history.columns;
    if (examples.length === 0) return this.clear(nothing(history.examples));
    this.wordsPlace.textContent = "";
    this.chart.redraw = () => this.show(history);
    const isTime = this.choice.value === "time";
    const common = axes("examples a second");
    const words = (u, v) => (v === null ? "–" : isTime ? new Date(1000 * v).toLocaleString() : number(v));
    this.chart.show(
      `rate ${isTime}`,
      () => ({
        scales: {
          x: isTime ? { time: true } : ALL_EXAMPLES,
          y: { range: (u, low, high) => [0, high > 0 ? high * 1.05 : 1] },
        },
        axes: [isTime ? { ...common[0], label: "time", values: undefined } : common[0], common[1]],
        hooks: { setLegend: [newest] },
        series: [
          { label: isTime ? "at" : "examples", value: words },
          {
            label: "examples a second",
            stroke: colour("--third"),
            width: 2,
            points: { show: false },
            value: (u, v) => short(v),
          },
        ],
      }),
      isTime ? forward(time, rate) : [examples, rate],
    );
    const rows = examples
      .slice(-ROWS)
      .map((count, k) => [
        number(count),
        new Date(1000 * time.slice(-ROWS)[k]).toLocaleString(),
        short(rate.slice(-ROWS)[k]),
      ])
      .reverse();
    renew(this.tablePlace, table(["examples", "at", "a second"], rows));
  }
}
