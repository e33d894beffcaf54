// How often classes are mistaken for each other, and whether their probabilities are to be believed.

import { number, percent, percentWithError, renew, table, withError } from "./words.js";

const LEVELS = 9; // of shades
const SIDE = 220,
  EDGE = 34,
  TOP = 12; // of the drawing of probabilities, and its margins

function cell(name, text, more = {}) {
  const { scope, ...data } = more;
  const made = Object.assign(document.createElement(name), { textContent: text });
  if (scope) made.scope = scope;
  Object.assign(made.dataset, data);
  return made;
}

// Rows are what came, columns what was predicted; the last of both is all other classes.
function matrix({ confusion }, names) {
  const last = confusion.length - 1;
  const isUsed = (k) =>
    k < last || confusion[last].some((count) => count > 0) || confusion.some((row) => row[last] > 0);
  const used = confusion.map((row, k) => k).filter(isUsed);
  const name = (k) => (k < last ? (names[k] ?? String(k)) : "others");
  const all = document.createElement("table");
  all.className = "confusion";
  all
    .createTHead()
    .insertRow()
    .append(
      cell("th", "came as", { scope: "col" }),
      ...used.map((k) => cell("th", name(k), { scope: "col" })),
      cell("th", "of it right", { scope: "col" }),
    );
  const body = all.createTBody();
  for (const k of used) {
    const sum = confusion[k].reduce((a, b) => a + b, 0);
    const level = (count) => (sum > 0 && count > 0 ? Math.max(1, Math.round((LEVELS * count) / sum)) : 0);
    body
      .insertRow()
      .append(
        cell("th", name(k), { scope: "row" }),
        ...used.map((p) =>
          cell("td", number(confusion[k][p]), { level: level(confusion[k][p]), ...(p === k && { right: "" }) }),
        ),
        cell("td", sum > 0 ? percent(confusion[k][k] / sum, 2) : "–"),
      );
  }
  return all;
}

const rounded = (value, error) => withError(value === null ? null : Number(value.toPrecision(3)), error);

function measures(report) {
  const of = [
    ["wrong", "error", percentWithError],
    ["log loss", "log_loss", rounded],
    ["Brier score", "brier", rounded],
  ];
  const rows = of.map(([words, key, say]) => [
    words,
    say(report[`recent_${key}`], report[`recent_${key}_error`]),
    say(report[key], report[`${key}_error`]),
  ]);
  return table(
    ["measure", "recent", "all"],
    [...rows, ["probabilities off by", "", percent(report.calibration_error, 2)]],
  );
}

function draw(name, attributes, text = "") {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.textContent = text;
  return made;
}

// Of each bin how often the predicted class was right, with its standard error, beside how often that was told.
function calibration(bins) {
  const x = (value) => EDGE + value * (SIDE - EDGE - TOP);
  const y = (value) => SIDE - EDGE - value * (SIDE - EDGE - TOP);
  const used = bins.filter((bin) => bin.count > 0);
  const words = used
    .map((bin) => `told ${percent(bin.mean_probability, 2)}, right ${percent(bin.share_right, 2)}`)
    .join("; ");
  const svg = draw("svg", {
    viewBox: `0 0 ${SIDE} ${SIDE}`,
    role: "img",
    class: "calibration",
    "aria-label": `Probabilities of predicted classes and how often these were right: ${words}`,
  });
  for (const tick of [0, 0.5, 1])
    svg.append(
      draw("line", { x1: x(0), x2: x(1), y1: y(tick), y2: y(tick), class: "grid" }),
      draw("line", { x1: x(tick), x2: x(tick), y1: y(0), y2: y(1), class: "grid" }),
      draw("text", { x: x(tick), y: y(0) + 14, "text-anchor": "middle" }, String(100 * tick)),
      draw("text", { x: x(0) - 4, y: y(tick) + 4, "text-anchor": "end" }, String(100 * tick)),
    );
  svg.append(draw("line", { x1: x(0), x2: x(1), y1: y(0), y2: y(1), class: "even" }));
  for (const { mean_probability: told, share_right: right, share_right_error: error } of used) {
    svg.append(
      draw("line", {
        x1: x(told),
        x2: x(told),
        y1: y(Math.max(0, right - error)),
        y2: y(Math.min(1, right + error)),
        class: "error",
      }),
      draw("circle", { cx: x(told), cy: y(right), r: 4, class: "point" }),
    );
  }
  svg.append(
    draw("text", { x: x(0.5), y: SIDE - 4, "text-anchor": "middle" }, "probability that was told, %"),
    draw("text", { x: -y(0.5), y: 10, transform: "rotate(-90)", "text-anchor": "middle" }, "right, %"),
  );
  return svg;
}

export function showClasses(section, places, status) {
  section.hidden = !status.classes;
  if (!status.classes) return;
  const report = status.frozen ? status.frozen_classes : status.held_out_classes;
  const isJudged = Boolean(report && report.examples > 0);
  for (const place of [places.matrix, places.measures, places.calibration, places.told])
    place.parentElement.hidden = !isJudged;
  const counts = status.classes.first.map((one) => `${one.name} (${number(one.examples)})`).join(", ");
  const of = status.frozen ? "that came while frozen" : "held out";
  places.words.textContent = isJudged
    ? `Of ${number(report.examples)} examples ${of}. Learned from: ${counts}.`
    : `Learned from: ${counts}. How good the answers are is known of examples held out: --hold-out 5%.`;
  if (!isJudged) return;
  renew(
    places.matrix,
    matrix(
      report,
      status.classes.first.map((one) => one.name),
    ),
  );
  renew(places.measures, measures(report));
  places.calibration.replaceChildren(calibration(report.calibration));
  renew(
    places.told,
    table(
      ["told", "right", "examples"],
      report.calibration
        .filter((bin) => bin.count > 0)
        .map((bin) => [percent(bin.mean_probability, 3), percent(bin.share_right, 3), number(bin.count)]),
    ),
  );
}
