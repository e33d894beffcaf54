// What the daemon is doing: the facts of /v1/status, in words.

import { idle } from "./pace.js";
import { bytes, count, duration, event, number, percentWithError, renew, short, table, withError } from "./words.js";

// Examples a second, and since when none came: nothing of it while nothing is to come.
function flow(pace, status) {
  const still = idle(status, pace);
  if (still) return `; ${still}`;
  return !status.frozen && pace.rate ? `, ${short(pace.rate)} a second` : "";
}

// In the label's unit; classes have none.
const errors = (status, of) =>
  status[`${of}_rmse`] === null
    ? "–"
    : `${number(status[`${of}_rmse`], 3)} root mean square, ${number(status[`${of}_mean_absolute_error`], 3)} mean, ${number(status[`${of}_median_absolute_error`], 2)} median`;

// While frozen what is learned stands still; the records that come are judged, and those losses go on.
function quality(status) {
  const of = (what) => `${what}${status.frozen && !status.fleet ? " at the freeze" : ", recent"}`;
  const all = [
    [of("R²"), withError(status.recent_r2, status.recent_r2_error)],
    [of("loss"), withError(status.recent_loss, status.recent_loss_error)],
    [of("root of it"), number(status.recent_rmse, 3)],
  ];
  if (status.mean_absolute_error !== null)
    all.push([
      "absolute error",
      `${number(status.mean_absolute_error, 3)} mean, ${number(status.median_absolute_error, 2)} median`,
    ]);
  if (status.held_out_examples > 0)
    all.push([
      status.frozen ? of("held out") : "held out",
      `${count(status.held_out_examples, "example")}; R², recent ${withError(status.held_out_recent_r2, status.held_out_recent_r2_error)}; error ${errors(status, "held_out")}`,
    ]);
  const wrong = status.held_out_classes;
  if (wrong) all.push([of("wrong, held out"), percentWithError(wrong.recent_error, wrong.recent_error_error)]);
  if (!status.frozen || status.fleet) return all;
  const now = [
    ["frozen", `nothing is learned; ${count(status.frozen_examples, "labelled example")} came meanwhile`],
    ["R² while frozen", withError(status.frozen_recent_r2, status.frozen_recent_r2_error)],
    ["loss while frozen", withError(status.frozen_recent_loss, status.frozen_recent_loss_error)],
    ["error while frozen", errors(status, "frozen")],
  ];
  const frozen = status.frozen_classes;
  if (frozen) now.push(["wrong while frozen", percentWithError(frozen.recent_error, frozen.recent_error_error)]);
  return [...now, ...all];
}

function rows(status, pace) {
  const all = [
    ["examples", `${number(status.examples)}${flow(pace, status)}`],
    ["phase", status.phase_reason],
    [
      "looks",
      status.look_ratio === 1
        ? "each attribute is drawn as often as the others"
        : `effectively at ${number(status.effective_attributes, 3)} attributes; the likeliest is drawn ${number(status.look_ratio, 3)} times as often as the least likely`,
    ],
    ...quality(status),
  ];
  if (status.drift_alarms > 0)
    all.push([
      "changes",
      `${number(status.drift_alarms)} noticed, the last after ${count(status.drift_examples, "example")}`,
    ]);
  all.push([
    "answers",
    status.model_examples === 0
      ? "none yet: the mean of the labels"
      : `the ${status.model_served === "newest" ? "newest model" : status.model_served}${status.model_examples === null ? "" : `, of ${count(status.model_examples, "example")}`}`,
  ]);
  if (status.total_budget !== null || status.total_cost !== null || status.plans_given > 0)
    all.push([
      "bought",
      `for ${number(status.cost_spent)}${status.total_cost === null ? "" : ` of ${number(status.total_cost)}`}; ${count(status.plans_open, "plan")} open`,
    ]);
  if (status.fleet) all.push(["learns", "from the partitions of a topic, with its fleet; doors teach nothing"]);
  all.push([
    "checkpoint",
    status.checkpoint_error
      ? `failed: ${status.checkpoint_error}`
      : status.checkpoint_name
        ? `${status.checkpoint_name}, ${duration(status.checkpoint_age_seconds)} ago`
        : status.fleet
          ? `none: states are in topic ${status.fleet.state_topic}`
          : "none: --state-directory keeps them",
  ]);
  all.push(
    ["queue", bytes(status.queue_bytes)],
    ["memory", bytes(status.memory_bytes)],
    ["up for", duration(status.uptime_seconds)],
  );
  return all;
}

export function showFacts(place, status, pace) {
  renew(
    place,
    ...rows(status, pace).flatMap(([name, words]) => {
      const term = document.createElement("dt");
      const text = document.createElement("dd");
      term.textContent = name;
      text.textContent = words;
      return [term, text];
    }),
  );
}

export function showEvents(place, events) {
  const words = events
    .slice(-12)
    .reverse()
    .map((one) => `${event(one)} (${new Date(1000 * one.time).toLocaleString()})`);
  if (words.length === 0) words.push("nothing yet");
  renew(place, ...words.map((textContent) => Object.assign(document.createElement("li"), { textContent })));
}

export function showDoors(place, status) {
  const troubled = (door) => door.parse_errors > 0 || Boolean(door.failure);
  const doors = [...status.sources].sort((a, b) => troubled(b) - troubled(a));
  renew(
    place,
    table(
      ["door", "errors", "examples", "predictions", "read"],
      doors.map((door) => [
        { text: door.failure ? `${door.name}: ${door.failure}` : door.name, trouble: Boolean(door.failure) },
        { text: number(door.parse_errors), trouble: door.parse_errors > 0 },
        number(door.examples),
        number(door.predictions),
        bytes(door.bytes),
      ]),
    ),
  );
}
