// Of several labels the one that is shown: chosen above the curves, and kept for this tab.

import { renew } from "./words.js";

const KEY = "glimpse-label";

export class Labels {
  // `changed` is called once another one is chosen.
  constructor(place, choice, changed) {
    this.place = place;
    this.choice = choice;
    choice.addEventListener("change", () => {
      sessionStorage.setItem(KEY, choice.value);
      changed();
    });
  }

  // The name; "": there is one label, which needs none.
  update(status) {
    const names = (status.labels ?? []).map((one) => one.name);
    this.place.hidden = names.length < 2;
    if (names.length < 2) return "";
    const kept = sessionStorage.getItem(KEY);
    const chosen = names.includes(kept) ? kept : names[0];
    renew(this.choice, ...names.map((name) => new Option(name, name)));
    this.choice.value = chosen;
    return chosen;
  }
}

/// The status with the losses of this label in place of the first one's.
export function ofLabel(status, name) {
  return name === "" ? status : { ...status, ...status.labels.find((one) => one.name === name) };
}

export function labelQuery(name) {
  return name === "" ? "" : `?label=${encodeURIComponent(name)}`;
}
