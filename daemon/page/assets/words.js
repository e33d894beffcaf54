// Numbers and events as people read them.

export function number(value, digits = 4) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  if (Number.isInteger(value)) return value.toLocaleString("en");
  return String(Number(value.toPrecision(digits)));
}

export function short(value) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  for (const [unit, letter] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]])
    if (Math.abs(value) >= unit) return `${Number((value / unit).toPrecision(3))}${letter}`;
  return String(Number(value.toPrecision(3)));
}

export function withError(value, error) {
  if (value === null || value === undefined) return "–";
  return error === null || error === undefined ? number(value) : `${number(value)} ± ${number(error, 2)}`;
}

export function duration(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  for (const [unit, word] of [[86400, "d"], [3600, "h"], [60, "min"]])
    if (seconds >= unit) return `${Math.floor(seconds / unit)} ${word}`;
  return `${Number(seconds.toPrecision(2))} s`;
}

export function event(one) {
  const at = ` after ${number(one.examples)} examples`;
  switch (one.event) {
    case "phase": return `phase ${one.value}${at}`;
    case "drift": return `the stream has changed: noticed${at}`;
    case "promotion": return `a checkpoint of ${number(one.examples)} examples took the place of a model of ${number(one.value)}`;
    case "checkpoint_failed": return `a checkpoint failed${at}`;
    default: return one.event.replaceAll("_", " ") + (one.label ? ` (label ${one.label})` : "") + at;
  }
}

/// A table of rows of texts, the first of each at the left.
export function table(titles, rows) {
  const make = (name, text) => {
    const cell = document.createElement(name);
    cell.textContent = text;
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
