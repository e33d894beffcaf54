// What the first picture needs is asked for at once, while the rest of the page still comes.

import { ask } from "./door.js";
import { History } from "./history.js";

export const history = new History();

function askBoth() {
  const status = ask("/v1/status");
  status.catch(() => {}); // who awaits it tells it
  return { status, samples: history.ask() };
}

/// The charts' library is there as well: its script follows this one.
export const loaded = new Promise((resolve) => document.addEventListener("DOMContentLoaded", resolve, { once: true }));

let first = document.hidden ? null : askBoth();
document.addEventListener("visibilitychange", () => {
  first = null; // it may be old once somebody looks
});

/// The status, and what is new in the history: two promises of answers. The first ones may be there already.
export function questions() {
  const asked = first ?? askBoth();
  first = null;
  return asked;
}
