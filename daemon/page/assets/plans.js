// Attributes that are bought by hand: a plan is asked for, and answered once its values are there.

import { ask, remove, send } from "./door.js";
import { field, submit, typed, values, wordsOf } from "./forms.js";
import { count, number } from "./words.js";

const SHOWN = 20; // open plans

function button(text, what) {
  const made = Object.assign(document.createElement("button"), { type: "button", textContent: text });
  made.addEventListener("click", what);
  return made;
}

const nameOf = (plan, k) => plan.names?.[k] || String(plan.attributes[k]);

// What was spent, what open plans hold back, and what is left where there is a limit.
function account(status) {
  const of = (what, spent, reserved, total) =>
    `${what}: ${number(spent)} spent${reserved > 0 ? `, ${number(reserved)} for open plans` : ""}${total === null || total === undefined ? "" : `, ${number(Math.max(0, total - spent - reserved))} of ${number(total)} left`}`;
  // Without --costs each attribute costs 1, and money says nothing of its own.
  const hasPrices = status.total_cost !== null || status.cost_spent !== status.attributes_revealed;
  return [
    ...(hasPrices ? [of("money", status.cost_spent, status.cost_reserved, status.total_cost)] : []),
    of("attributes", status.attributes_revealed, status.attributes_reserved, status.total_budget),
    `${count(status.plans_open, "plan")} open`,
    // The form below has a place for one.
    ...(status.labels ? ["of several labels plans are told by POST /v1/tell or glimpsectl tell, not here"] : []),
  ].join("; ");
}

export class Plans {
  // `at`: elements by name.
  constructor(at) {
    this.at = at;
    at.ask.addEventListener("submit", (submitted) => {
      submitted.preventDefault();
      submit(at.ask, at.trouble, async () => this.answer((await send("/v1/ask", { count: 1 })).plans[0]));
    });
    at.form.addEventListener("submit", (submitted) => {
      submitted.preventDefault();
      submit(at.form, at.trouble, () => this.tell());
    });
    this.clear();
  }

  clear() {
    for (const name of ["account", "list", "fields", "title", "trouble", "said"]) this.at[name].replaceChildren();
    this.at.form.hidden = true;
    this.plan = null;
    this.seen = "";
  }

  async update(status, model) {
    this.model = model;
    this.at.account.textContent = account(status);
    const seen = ["given", "open", "learned", "not_learned", "abandoned", "expired"]
      .map((name) => status[`plans_${name}`])
      .join();
    if (seen === this.seen) return;
    await this.list();
    this.seen = seen;
  }

  async list() {
    const { plans, open } = await ask(`/v1/plans?limit=${SHOWN}`);
    if (this.plan && open <= SHOWN && !plans.some((plan) => plan.id === this.plan.id)) this.close();
    const rows = plans.map((plan) => {
      const row = document.createElement("li");
      row.append(
        `${plan.names?.length || plan.attributes.length <= 6 ? plan.attributes.map((a, k) => nameOf(plan, k)).join(", ") : count(plan.attributes.length, "attribute")} for ${number(plan.cost)} `,
        button("Answer", () => this.answer(plan)),
        " ",
        button("Give back", () => submit(this.at.ask, this.at.trouble, () => this.giveBack(plan))),
      );
      return row;
    });
    if (open > plans.length)
      rows.push(
        Object.assign(document.createElement("li"), { textContent: `and ${number(open - plans.length)} more` }),
      );
    this.at.list.replaceChildren(...rows);
  }

  close() {
    this.plan = null;
    this.at.form.hidden = true;
  }

  answer(plan) {
    this.plan = plan;
    this.at.said.textContent = "";
    this.at.title.textContent = `Plan ${plan.id}, for ${number(plan.cost)}`;
    const words = wordsOf(this.model);
    this.at.fields.replaceChildren(...plan.attributes.map((a, k) => field(nameOf(plan, k), words[nameOf(plan, k)])));
    this.at.label.value = "";
    this.at.form.hidden = false;
    this.at.fields.querySelector("input")?.focus();
  }

  async tell() {
    const { given, missing } = values(this.at.fields);
    const { id } = this.plan;
    const body = {
      id,
      label: typed(this.at.label.value),
      values: given,
      ...(missing.length > 0 && { refused: missing }),
    };
    const told = await send("/v1/tell", body);
    this.at.said.textContent = `Plan ${id}: ${told.status}`;
    this.close();
    await this.list();
  }

  async giveBack(plan) {
    await remove(`/v1/plans/${encodeURIComponent(plan.id)}`);
    if (this.plan?.id === plan.id) this.close();
    this.at.said.textContent = `Plan ${plan.id} was given back.`;
    await this.list();
  }
}
