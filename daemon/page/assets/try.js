// A prediction from what is typed in: what is left empty is unknown. And what would be known best next.

import { send } from "./door.js";
import { field, submit, typed, values, wordsOf } from "./forms.js";
import { number, percent, renew, table } from "./words.js";

const SHOWN = 10; // fields at first, those of the most important attributes
const NEXT = 5; // attributes that are proposed
const LISTED = 2000; // names in the list of further ones

// Of attributes, not of features: a category has its own, and of a date the first feature is worth all of it.
function importances(model, dimension) {
  const worth = Array(dimension).fill(null);
  model?.importances?.forEach((importance, k) => {
    const attribute = model.attributes ? model.attributes[k] : k;
    if (Number.isInteger(attribute)) worth[attribute] ??= importance ?? 0;
  });
  for (const { attribute, importance } of model?.categories ?? []) worth[attribute] = importance;
  return worth.map((importance) => importance ?? 0);
}

export class Try {
  // `at`: elements by name.
  constructor(at) {
    this.at = at;
    at.form.addEventListener("submit", (submitted) => {
      submitted.preventDefault();
      submit(at.form, at.trouble, () => this.predict());
    });
    at.more.addEventListener("click", () => this.add());
    this.clear();
  }

  clear() {
    for (const name of ["fields", "names", "answer", "classes", "next", "trouble", "words"])
      this.at[name].replaceChildren();
    this.names = [];
    this.label = "";
  }

  /// Fields are made once names are known; what was typed stays.
  update(status, moments, model, label = "") {
    this.label = label;
    this.at.form.hidden = !moments;
    this.at.words.textContent = moments
      ? "What is left empty is unknown."
      : `Not of so many attributes: glimpsectl predict does it.`;
    if (!moments) return;
    this.words = wordsOf(model);
    const names = moments.moments.map((row) => row.name || String(row.attribute));
    if (names.length === this.names.length && names.every((name, k) => name === this.names[k])) return;
    this.names = names;
    const worth = importances(model, names.length);
    const order = names
      .map((name, k) => k)
      .sort((a, b) => worth[b] - worth[a] || a - b)
      .slice(0, SHOWN)
      .sort((a, b) => a - b);
    const old = [...this.at.fields.querySelectorAll("input")].filter(
      (input) => typed(input.value) !== null && names.includes(input.dataset.attribute),
    );
    const kept = new Map(old.map((input) => [input.dataset.attribute, input.value]));
    this.at.fields.replaceChildren();
    for (const name of new Set([...kept.keys(), ...order.map((k) => names[k])]))
      this.show(name).value = kept.get(name) ?? "";
    this.at.names.replaceChildren(...names.slice(0, LISTED).map((name) => new Option(name, name)));
    this.at.others.hidden = names.length <= SHOWN;
  }

  show(name) {
    const row = field(name, this.words[name]);
    this.at.fields.append(row);
    return row.querySelector("input");
  }

  add() {
    const name = this.at.name.value.trim();
    if (name === "") return;
    this.at.name.value = "";
    const there = [...this.at.fields.querySelectorAll("input")].find((input) => input.dataset.attribute === name);
    (there ?? this.show(name)).focus();
  }

  async predict() {
    const known = values(this.at.fields).given;
    for (const name of ["answer", "classes", "next"]) this.at[name].replaceChildren();
    const query = this.label ? `?label=${encodeURIComponent(this.label)}` : "";
    this.tell(await send(`/v1/predict${query}`, { known }));
    const next = await send(`/v1/ask${query}`, { for: "prediction", known, count: NEXT });
    if (next.choices.length === 0) return;
    const isClass = next.choices[0].gain !== undefined;
    this.at.next.append(
      Object.assign(document.createElement("h3"), { textContent: "Worth looking at next" }),
      table(
        ["attribute", "price", isClass ? "lowers the loss by" : "± is then"],
        next.choices.map((one) => [
          one.name ?? String(one.attribute),
          number(one.cost),
          number(isClass ? one.gain : one.standard_error, 3),
        ]),
      ),
    );
  }

  tell(answer) {
    const [prediction] = answer.predictions;
    const large = Object.assign(document.createElement("strong"), { className: "large" });
    const more = Object.assign(document.createElement("span"), { className: "quiet" });
    this.at.answer.append(large, " ", more);
    if (answer.classes) {
      large.textContent = prediction;
      more.textContent = `with probability ${percent(answer.probability?.[0], 3)}`;
      const rows = answer.classes.map((name, k) => [name, answer.probabilities[0][k]]).sort((a, b) => b[1] - a[1]);
      return renew(
        this.at.classes,
        table(
          ["class", "probability"],
          rows.map(([name, part]) => [name, percent(part, 3)]),
        ),
      );
    }
    const error = answer.standard_errors?.[0];
    large.textContent = number(prediction);
    more.textContent =
      error === null || error === undefined
        ? ""
        : `± ${number(error, 2)}; in 95 of 100 cases between ${number(prediction - 1.96 * error)} and ${number(prediction + 1.96 * error)}`;
  }
}
