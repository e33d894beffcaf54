// The few numbers that are looked for first, large.

import { number, percent, renew, share, short } from "./words.js";
import { idle } from "./pace.js";

// Of classes what people ask for is how many are wrong; of numbers how much is explained.
function quality(status) {
  const when = status.frozen ? "while frozen" : "recent";
  const of = status.frozen ? "frozen" : "held_out";
  const classes = status[`${of}_classes`];
  const r2 = status.frozen ? "frozen_recent_r2" : "recent_r2";
  const loss = status.frozen ? "frozen_recent_loss" : "recent_loss";
  const rest = `loss ${number(status[loss], 3)}`;
  if (classes && classes.recent_error !== null)
    return [
      `wrong, ${status.frozen ? when : "held out"}`,
      percent(classes.recent_error),
      `± ${percent(classes.recent_error_error, 2)}; R² ${number(status[`${of}_recent_r2`], 3)}`,
    ];
  if (status[r2] === null || status[r2] === undefined)
    return [`mean squared error, ${when}`, number(status[loss], 3), "R² is not known yet"];
  return [`R², ${when}`, number(status[r2], 3), `± ${number(status[`${r2}_error`], 2)}; ${rest}`];
}

function looked(status) {
  if (share(status) === null) return ["looked at", "–", "nothing was there yet"];
  return [
    "looked at",
    percent(share(status), 2),
    `of everything: ${short(status.attributes_revealed)} of ${short(status.examples * status.dimension)} attributes`,
  ];
}

function flow(status, pace) {
  if (status.frozen) return ["examples a second", "frozen", "nothing is learned"];
  const still = idle(status, pace);
  return ["examples a second", still ? "0" : short(pace.rate), still || "over the last seconds"];
}

// "phase 2 since example 8: looks go to …": what stands large is not repeated.
function phase(status) {
  return ["phase", number(status.phase), status.phase_reason.replace(/^phase \d+[:, ]*/, "")];
}

export function showHeadline(place, status, pace) {
  const tiles = [
    [
      "examples learned from",
      number(status.examples),
      `${status.algorithm}, ${number(status.budget)} of ${number(status.dimension)} attributes of each`,
    ],
    quality(status),
    looked(status),
    flow(status, pace),
    phase(status),
  ];
  renew(
    place,
    ...tiles.map(([name, value, more]) => {
      const tile = document.createElement("div");
      for (const [tag, className, text] of [
        ["dt", "", name],
        ["dd", "large", value],
        ["dd", "quiet", more],
      ])
        tile.append(Object.assign(document.createElement(tag), { className, textContent: text }));
      return tile;
    }),
  );
}
