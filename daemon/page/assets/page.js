// Asks once a second while somebody looks, and shows what is told. What cannot be had is said, and asked for again.

import { ask, keepToken, Refused } from "./door.js";
import { Curve, Rate } from "./charts.js";
import { showDoors, showEvents, showFacts } from "./facts.js";
import { showHeadline } from "./headline.js";
import { History } from "./history.js";
import { Importances } from "./importances.js";
import { Looks } from "./looks.js";
import { Pace } from "./pace.js";
import { count, duration } from "./words.js";

const EVERY = 1000; // milliseconds
const LONGEST = 10_000; // between two attempts while the daemon is away

const at = (id) => document.getElementById(id);
const history = new History();
const curve = new Curve(at("curve"), at("curve-table"), at("curve-words"));
const rate = new Rate(at("rate"), at("rate-table"), at("rate-words"));
const pace = new Pace();
const importances = new Importances(at("importances"), at("importances-words"));
const looks = new Looks(at("looks"), at("looks-words"), at("looks-table"));
let failures = 0;
let answeredAt = null;
let timer = 0;
let isAsking = false;

function say(trouble) {
  at("trouble").hidden = trouble === "";
  at("trouble").textContent = trouble;
}

function showToken(needed, message = "") {
  at("token-form").hidden = !needed;
  at("data").hidden = needed;
  if (!needed) return;
  say(message);
  // Nothing stays of what was shown with a token that is gone.
  document.title = "glimpse";
  for (const id of ["headline", "facts", "events", "doors"]) at(id).replaceChildren();
  for (const one of [curve, rate, looks, importances]) one.clear();
  history.forget();
  pace.forget();
  answeredAt = null;
}

// What is shown is of the last answer: greyed, with its age.
function away() {
  const again = "the daemon does not answer; this page asks again by itself";
  if (answeredAt === null) return again;
  at("data").classList.add("old");
  document.title = "glimpse: no answer";
  return `${again}. What is shown is ${duration((performance.now() - answeredAt) / 1000)} old.`;
}

async function look() {
  const status = await ask("/v1/status");
  await history.update();
  showToken(false);
  document.title = `glimpse: ${count(status.examples, "example")}`;
  at("data").classList.remove("old");
  answeredAt = performance.now();
  const speed = pace.update(status, history);
  showHeadline(at("headline"), status, speed);
  showFacts(at("facts"), status, speed);
  showEvents(at("events"), history.events);
  showDoors(at("doors"), status);
  curve.show(history);
  rate.show(history);
  await importances.update(status);
  await looks.update(status);
  say("");
  failures = 0;
}

async function turn() {
  clearTimeout(timer);
  if (isAsking || document.hidden) return;
  isAsking = true;
  let wait = EVERY;
  try {
    await look();
  } catch (error) {
    if (error instanceof Refused && error.status === 401) {
      showToken(true, sessionStorage.length > 0 ? error.message : "");
      wait = 0; // until a token is typed
    } else {
      failures += 1;
      wait = Math.min(LONGEST, EVERY * 2 ** Math.min(failures - 1, 4));
      say(error instanceof Refused ? error.message : away());
    }
  }
  isAsking = false;
  if (wait > 0 && !document.hidden) timer = setTimeout(turn, wait);
}

at("token-form").addEventListener("submit", (submitted) => {
  submitted.preventDefault();
  keepToken(at("token").value.trim());
  at("token").value = "";
  turn();
});
document.addEventListener("visibilitychange", turn);
turn();
