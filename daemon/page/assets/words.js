// Numbers and events as people read them.

// Of which nobody counts the digits.
const LARGE = 1e15;

function exponential(value, digits) {
  const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
  return `${Number(mantissa)}e${exponent}`;
}

export function number(value, digits = 4) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  if (Math.abs(value) >= LARGE) return exponential(value, digits);
  if (Number.isInteger(value)) return value.toLocaleString("en");
  return String(Number(value.toPrecision(digits)));
}

export function short(value) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  if (Math.abs(value) >= LARGE) return exponential(value, 3);
  for (const [unit, letter] of [
    [1e12, "T"],
    [1e9, "G"],
    [1e6, "M"],
    [1e3, "k"],
  ])
    if (Math.abs(value) >= unit) return `${Number((value / unit).toPrecision(3))}${letter}`;
  return String(Number(value.toPrecision(3)));
}

/// "512 bytes", "17 MB".
export function bytes(value) {
  const [, digits, letter] = /^(.*?)([kMGT]?)$/.exec(short(value));
  return letter === "" ? `${digits} bytes` : `${digits} ${letter}B`;
}

/// "1 example", "2 examples".
export function count(value, one) {
  return `${number(value)} ${one}${value === 1 ? "" : "s"}`;
}

export function withError(value, error) {
  if (value === null || value === undefined) return "–";
  return error === null || error === undefined ? number(value) : `${number(value)} ± ${number(error, 2)}`;
}

/// Of 0.00613 and two digits "0.61 %".
export function percent(part, digits = 3) {
  return part === null || part === undefined ? "–" : `${number(Number((100 * part).toPrecision(digits)), digits)} %`;
}

export function percentWithError(part, error) {
  if (part === null || part === undefined) return "–";
  return `${withError(Number((100 * part).toPrecision(3)), error === null || error === undefined ? error : 100 * error)} %`;
}

/// Which part of all attributes that were there was looked at; null: none was there.
export function share(status) {
  const there = status.examples * status.dimension;
  return there > 0 ? status.attributes_revealed / there : null;
}

export function duration(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  for (const [unit, word] of [
    [86400, "d"],
    [3600, "h"],
    [60, "min"],
  ])
    if (seconds >= unit) return `${Math.floor(seconds / unit)} ${word}`;
  return `${Number(seconds.toPrecision(2))} s`;
}

// What it is called. `why`: of a phase, where it is known.
export function eventName(one) {
  switch (one.event) {
    case "phase":
      return `phase ${one.value}${one.why ? `: ${one.why}` : ""}`;
    case "drift":
      return "alarm: the stream has changed";
    case "restart":
      return "restart from a checkpoint";
    case "promotion":
      return "promotion of a checkpoint";
    case "checkpoint_failed":
      return "a checkpoint failed";
    default:
      return one.event.replaceAll("_", " ") + (one.label ? ` (label ${one.label})` : "");
  }
}

export function event(one) {
  const at = ` after ${count(one.examples, "example")}`;
  switch (one.event) {
    case "phase":
      return `phase ${one.value}${at}${one.why ? `: ${one.why}` : ""}`;
    case "promotion":
      return `a checkpoint of ${count(one.examples, "example")} took the place of a model of ${number(one.value)}`;
    default:
      return eventName(one) + at;
  }
}

function isOfOneKind(one, other) {
  return one.nodeType === Node.ELEMENT_NODE && one.cloneNode(false).isEqualNode(other.cloneNode(false));
}

/// Makes the children of `place` like `fresh`. What is the same already is not touched: what is selected, or scrolled
/// to, stays so.
export function renew(place, ...fresh) {
  const old = [...place.childNodes];
  fresh.forEach((node, k) => {
    if (!old[k]) place.append(node);
    else if (old[k].isEqualNode(node)) return;
    else if (isOfOneKind(old[k], node)) renew(old[k], ...node.childNodes);
    else old[k].replaceWith(node);
  });
  for (const node of old.slice(fresh.length)) node.remove();
}

/// A table of rows of texts, the first of each at the left. { text, trouble }: one that is marked.
export function table(titles, rows) {
  const make = (name, text) => {
    const cell = document.createElement(name);
    cell.textContent = text.trouble ? `⚠ ${text.text}` : (text.text ?? text);
    if (text.trouble) cell.className = "trouble";
    return cell;
  };
  const all = document.createElement("table");
  const head = all.createTHead().insertRow();
  for (const title of titles) {
    const cell = make("th", title);
    cell.scope = "col";
    head.append(cell);
  }
  const body = all.createTBody();
  for (const row of rows) body.insertRow().append(...row.map((text) => make("td", text)));
  return all;
}
