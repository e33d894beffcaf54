// A fleet as this instance sees it: its partitions, and what its model is made of.

import { count, duration, number, renew, table } from "./words.js";

const WHERE = { here: "here", elsewhere: "elsewhere", fencing: "comes here", reading: "comes here" };

function told(fleet) {
  const model = fleet.model;
  const age = model.age_seconds === null ? "no model yet" : `model of ${duration(model.age_seconds)} ago`;
  const here = `${fleet.partitions_here} of ${count(fleet.partitions.length, "partition")} here`;
  const behind = fleet.lag === null ? "" : `, ${count(fleet.lag, "message")} behind`;
  const without = model.left_out ? ` ${count(model.left_out, "partition")} left out of it: see the last column.` : "";
  const changes = fleet.cut ? ` Its stream has changed ${count(fleet.cut.number, "time")}.` : "";
  return `Group ${fleet.group} learns from topic ${fleet.topic}: ${here}${behind}; ${age}, of ${count(model.examples, "example")}.${without}${changes}`;
}

export function showFleet(section, { words, trouble, partitions }, status) {
  const fleet = status.fleet;
  section.hidden = !fleet;
  if (!fleet) return;
  words.textContent = told(fleet);
  trouble.textContent = [fleet.trouble, fleet.model.error].filter(Boolean).join("; ");
  const known = (value) => (value === null ? "" : number(value));
  renew(
    partitions,
    table(
      ["partition", "learned", "owner", "next message", "behind", "in the model", "states", "trouble"],
      fleet.partitions.map((one) => [
        number(one.partition),
        WHERE[one.state],
        one.owner ?? "",
        known(one.offset ?? one.committed_offset),
        known(one.lag),
        known(one.model_offset),
        known(one.generation),
        one.model_trouble ?? "",
      ]),
    ),
  );
}
