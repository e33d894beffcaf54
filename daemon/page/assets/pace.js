// How fast examples come, of successive answers of /v1/status, and since when none came.

import { duration } from "./words.js";

const OVER = 6; // seconds
const STILL = 5; // seconds without an example that are told

// Since when none came, in words; "": one did, or none is to come.
export function idle(status, { still }) {
  return status.frozen || status.examples === 0 || still < STILL ? "" : `the last came ${duration(still)} ago`;
}

export class Pace {
  constructor() {
    this.forget();
  }

  forget() {
    this.seen = [];
    this.changed = null;
  }

  // Examples a second, null where it is not known yet, and `still`: seconds since the last example.
  update(status, history) {
    const now = { examples: status.examples, at: status.uptime_seconds };
    const before = this.seen.at(-1);
    if (before && (now.at < before.at || now.examples < before.examples)) this.forget();
    if (!before || now.examples !== before.examples) this.changed = now.at;
    this.seen.push(now);
    while (now.at - this.seen[0].at > OVER) this.seen.shift();
    const first = this.seen[0];
    const rate = now.at > first.at ? (now.examples - first.examples) / (now.at - first.at) : null;
    return { rate, still: this.still(now, history) };
  }

  // Of the newest sample where that is of now, by the clock of the daemon; or since this page saw a change.
  still(now, history) {
    if (history.last !== now.examples) return now.at - (this.changed ?? now.at);
    return Math.max(0, history.run / 1000 + now.at - history.columns.time.at(-1));
  }
}
