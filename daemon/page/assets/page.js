// Asks once a second while somebody looks, and shows what is told. What cannot be had is said, and asked for again.

import { Curve, Rate } from "./charts.js";
import { showClasses } from "./classes.js";
import { keepToken, Refused } from "./door.js";
import { showDoors, showEvents, showFacts } from "./facts.js";
import { showFleet } from "./fleet.js";
import { history, loaded, questions } from "./first.js";
import { showHeadline } from "./headline.js";
import { Importances } from "./importances.js";
import { labelQuery, Labels, ofLabel } from "./labels.js";
import { Looks } from "./looks.js";
import { Pace } from "./pace.js";
import { Plans } from "./plans.js";
import { Seldom } from "./seldom.js";
import { Try } from "./try.js";
import { count, duration } from "./words.js";

const EVERY = 1000; // milliseconds
const LONGEST = 10_000; // between two attempts while the daemon is away

const at = (id) => document.getElementById(id);
// Elements of one section by the ends of their ids.
const places = (section, ...names) => Object.fromEntries(names.map((name) => [name, at(`${section}-${name}`)]));
const curve = new Curve(at("curve"), at("curve-table"), at("curve-words"));
const rate = new Rate(at("rate-over"), at("rate"), at("rate-table"), at("rate-words"));
const pace = new Pace();
const labels = new Labels(at("label-choice"), at("label"), () => turn());
const importances = new Importances(at("importances"), at("importances-words"));
const looks = new Looks(places("looks", "chart", "pictures", "chance", "weights", "classes", "words", "table"));
const attempt = new Try(
  places("try", "form", "fields", "others", "name", "names", "more", "words", "trouble", "answer", "classes", "next"),
);
const plans = new Plans({
  ...places("plans", "account", "ask", "trouble", "said", "form", "fields", "label", "list"),
  title: at("plans-title-of"),
});
const classPlaces = places("classes", "words", "matrix", "measures", "calibration", "told");
const fleetPlaces = places("fleet", "words", "trouble", "partitions");
const moments = new Seldom("/v1/moments");
const model = new Seldom("/v1/model");
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
  for (const id of [
    "headline",
    "facts",
    "events",
    "doors",
    "classes-matrix",
    "classes-measures",
    "classes-calibration",
    "classes-told",
    "classes-words",
    "fleet-words",
    "fleet-trouble",
    "fleet-partitions",
  ])
    at(id).replaceChildren();
  for (const one of [curve, rate, looks, importances, attempt, plans]) one.clear();
  for (const one of [history, pace, moments, model]) one.forget();
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

// Until what was drawn is on the screen.
function painted() {
  return new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
}

async function look() {
  const asked = questions();
  const told = await asked.status;
  const label = labels.update(told);
  const status = ofLabel(told, label);
  await history.update(label, asked.samples);
  await loaded;
  history.explain(status);
  showToken(false);
  const isFirst = answeredAt === null;
  document.title = `glimpse: ${count(status.examples, "example")}`;
  at("data").classList.remove("old");
  answeredAt = performance.now();
  const speed = pace.update(status, history);
  showHeadline(at("headline"), status, speed);
  curve.show(history);
  if (isFirst) await painted(); // people look there first, and what follows would be in its way
  showFacts(at("facts"), status, speed);
  showEvents(at("events"), history.events);
  showDoors(at("doors"), status);
  showFleet(at("fleet"), fleetPlaces, status);
  showClasses(at("classes"), classPlaces, status);
  rate.show(history);
  await lookClosely(status, label);
  say("");
  failures = 0;
}

// What is large, and asked for less often.
async function lookClosely(status, label) {
  const newest = await model.get(status, labelQuery(label));
  importances.update(status, newest);
  const looked = await moments.get(status);
  looks.update(status, looked, newest);
  attempt.update(status, looked, newest, label);
  at("plans").hidden = label !== ""; // plans are of one label
  if (label === "") await plans.update(status, newest);
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
