// What people type, as JSON takes it, and fields for attributes by their names.

// A number where it reads as one, else a word; null: nothing was typed.
export function typed(text) {
  const word = text.trim();
  if (word === "") return null;
  const value = Number(word);
  return Number.isFinite(value) ? value : word;
}

// By name or number of what was typed into fields(); what is left empty is in `missing`.
export function values(place) {
  const given = Object.create(null),
    missing = []; // a name may be any word
  for (const input of place.querySelectorAll("input[data-attribute]")) {
    const value = typed(input.value);
    if (value === null) missing.push(input.dataset.attribute);
    else given[input.dataset.attribute] = value;
  }
  return { given, missing };
}

let fieldsSoFar = 0; // labels and lists belong to fields by ids

/// A field of this attribute; `words`: what it can hold where these are known.
export function field(name, words = []) {
  const id = `field-${++fieldsSoFar}`;
  const row = Object.assign(document.createElement("div"), { className: "field" });
  const label = Object.assign(document.createElement("label"), { htmlFor: id, textContent: name });
  const input = Object.assign(document.createElement("input"), { id, autocomplete: "off", spellcheck: false });
  input.dataset.attribute = name;
  row.append(label, input);
  if (words.length > 0) {
    const list = Object.assign(document.createElement("datalist"), { id: `${id}-words` });
    list.append(...words.map((word) => new Option(word, word)));
    input.setAttribute("list", list.id);
    row.append(list);
  }
  return row;
}

// {attribute: words that it has held}, of features that are called "skin=rough".
export function wordsOf(model) {
  const words = {};
  for (const { attribute, name } of model?.categories ?? [])
    words[name ?? attribute] = (model.names ?? [])
      .filter((feature, k) => model.attributes?.[k] === attribute && feature.startsWith(`${name ?? attribute}=`))
      .map((feature) => feature.slice(String(name ?? attribute).length + 1));
  return words;
}

/// While `what` is under way nothing is sent again; what went wrong is said in `trouble`.
export async function submit(form, trouble, what) {
  const button = form.querySelector("button");
  button.disabled = true;
  trouble.textContent = "";
  try {
    await what();
  } catch (error) {
    trouble.textContent = error.message;
  }
  button.disabled = false;
}
