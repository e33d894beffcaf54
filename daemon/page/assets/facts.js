// What the daemon is doing: the facts of /v1/status, in words.

import { duration, event, number, short, table, withError } from "./words.js";

function share(status) {
  const there = status.examples * status.dimension;
  if (!(there > 0)) return "nothing was looked at yet";
  const percent = Number((100 * status.attributes_revealed / there).toPrecision(2));
  return `looked at ${percent} % of everything: ${number(status.attributes_revealed)} of ${number(there)} attributes`;
}

function rows(status, rate) {
  const all = [
    ["learns with", `${status.algorithm}, ${number(status.budget)} of ${number(status.dimension)} attributes of each example`],
    ["examples", `${number(status.examples)}${rate ? `, ${short(rate)} a second` : ""}`],
    ["attributes", share(status)],
    ["phase", status.phase_reason],
    ["looks", `effectively at ${number(status.effective_attributes, 3)} attributes; the likeliest is drawn ${number(status.look_ratio, 3)} times as often as the least likely`],
    ["R² of late", withError(status.recent_r2, status.recent_r2_error)],
    ["loss of late", withError(status.recent_loss, status.recent_loss_error)],
  ];
  if (status.held_out_examples > 0)
    all.push(["held out", `${number(status.held_out_examples)} examples; R² of late ${withError(status.held_out_recent_r2, status.held_out_recent_r2_error)}`]);
  if (status.frozen) all.push(["frozen", `nothing is learned; ${number(status.frozen_examples)} labelled examples came meanwhile`]);
  if (status.drift_alarms > 0) all.push(["changes", `${number(status.drift_alarms)} noticed, the last after ${number(status.drift_examples)} examples`]);
  all.push(["answers", `the ${status.model_served === "newest" ? "newest model" : status.model_served}${status.model_examples === null ? "" : `, of ${number(status.model_examples)} examples`}`]);
  if (status.total_budget !== null || status.total_cost !== null || status.plans_given > 0)
    all.push(["bought", `for ${number(status.cost_spent)}${status.total_cost === null ? "" : ` of ${number(status.total_cost)}`}; ${number(status.plans_open)} plans open`]);
  all.push(["checkpoint", status.checkpoint_error ? `failed: ${status.checkpoint_error}` : status.checkpoint_name ? `${status.checkpoint_name}, ${duration(status.checkpoint_age_seconds)} ago` : "none: --state-directory keeps them"]);
  all.push(["queue", `${short(status.queue_bytes)} bytes`], ["memory", `${short(status.memory_bytes)} bytes`], ["up for", duration(status.uptime_seconds)]);
  return all;
}

export function showFacts(place, status, rate) {
  place.replaceChildren(...rows(status, rate).flatMap(([name, words]) => {
    const term = document.createElement("dt");
    const text = document.createElement("dd");
    term.textContent = name;
    text.textContent = words;
    return [term, text];
  }));
}

export function summary(status) {
  return `${status.algorithm}: ${number(status.examples)} examples, ${share(status)}`;
}

export function showEvents(place, events) {
  place.replaceChildren(...events.slice(-12).reverse().map((one) => {
    const item = document.createElement("li");
    item.textContent = `${event(one)} (${new Date(1000 * one.time).toLocaleString()})`;
    return item;
  }));
  if (events.length === 0) place.append(Object.assign(document.createElement("li"), { textContent: "nothing yet" }));
}

export function showDoors(place, status) {
  place.replaceChildren(table(["door", "examples", "predictions", "errors", "bytes"], status.sources.map((door) =>
    [door.name, number(door.examples), number(door.predictions), number(door.parse_errors), short(door.bytes)])));
}
