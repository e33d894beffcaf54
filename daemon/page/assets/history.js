// The samples of /v1/history, kept up to date by what is new.

import { ask } from "./door.js";

const COLUMNS = [
  "examples",
  "time",
  "rate",
  "recent_r2",
  "recent_r2_error",
  "held_out_recent_r2",
  "held_out_recent_r2_error",
  "recent_loss",
  "recent_loss_error",
  "held_out_recent_loss",
  "held_out_recent_loss_error",
];
const MOST = 5000; // samples that are added to each other, and twice what was told at once; the daemon thins its own

export class History {
  constructor() {
    this.label = "";
    this.forget();
  }

  forget() {
    this.columns = Object.fromEntries(COLUMNS.map((name) => [name, []]));
    this.events = [];
    this.examples = 0; // of now
    this.promotions = 0;
    this.run = undefined;
    this.most = MOST;
    this.since = 0; // of the last question
  }

  get last() {
    return this.columns.examples.at(-1) ?? 0;
  }

  // Asks for what is new; update() wants what this returns.
  ask() {
    if (this.columns.examples.length > this.most) this.forget();
    this.since = this.last;
    const since = this.since > 0 ? `&since=${this.since}` : "";
    const label = this.label ? `&label=${encodeURIComponent(this.label)}` : "";
    const asked = ask(`/v1/history?columns=${COLUMNS.join(",")}${since}${label}`);
    asked.catch(() => {}); // update() tells it
    return asked;
  }

  // Adds the answer to ask(). `label`: of several the one that is shown; "": there is one.
  async update(label, asked) {
    if (label === this.label) return this.add(await asked);
    this.forget();
    this.label = label;
    const told = await asked.catch(() => null);
    // What was asked for without a label is of the first one.
    return this.add(told?.label === label && this.since === 0 ? told : await this.ask());
  }

  async add(told) {
    const { since } = this;
    // Another process, and a promotion, do not go on from what is here.
    if (since > 0 && (told.run !== this.run || told.examples < since || told.promotions !== this.promotions)) {
      this.forget();
      return this.add(await this.ask());
    }
    this.promotions = told.promotions;
    this.run = told.run;
    this.examples = told.examples;
    if (since === 0) this.most = Math.max(MOST, 2 * told.samples);
    const kept = this.events.filter((one) => one.examples < since);
    for (const name of COLUMNS) this.columns[name].push(...told.columns[name]);
    this.events = [...kept, ...told.events];
  }

  // Why a phase began is told of the newest alone.
  explain(status) {
    const why = status.phase_reason.replace(/^phase \d+( since example \d+)?[:,] /, "");
    for (const one of this.events)
      if (one.event === "phase" && one.value === status.phase && one.examples === status.phase_since) one.why = why;
  }

  isKnown(name) {
    return this.columns[name].some((value) => value !== null);
  }
}
