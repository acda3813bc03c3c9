"use strict";
// One sentence: its source, references, and each different output with edits, score, counts and n-grams.
const MOST_GRAMS = 400;

const COUNT_NAMES = { hyp_len: "tokens", ref_len: "tokens of the reference" };

function drawDetail(place, state, dataset, metric, line) {
  const text = (number) => DATA.texts[number];
  const source = dataset.source ? dataset.source[line] : null;
  const before = againstText(state, dataset, line);
  const parts = [];
  if (source !== null) parts.push(block("source", source, state.against === "source" ? null : before));
  dataset.references.forEach((list, number) => {
    const missing = isMissing(dataset, line, number);
    const own = state.against === `reference ${number}` ? null : before;
    parts.push(missing ? named(`reference ${number}`, element("span", "dim", "(none for this sentence)")) : block(`reference ${number}`, list[line], own));
  });
  const texts = element("div", "given", ...parts);
  const cards = element("div", "cards", ...groupsOf(state, dataset, metric, line).map((group) => card(state, dataset, metric, line, group, before)));
  place.replaceChildren(heading(dataset, metric, line), texts, cards);

  function block(name, number, against) {
    const shown = named(name, marked(text(number), against === null ? null : against));
    shown.append(...cutNote(number));
    return shown;
  }
}

function named(name, ...children) {
  return element("div", "named", element("h4", "", name), ...children);
}

function cutNote(number) {
  if (!Object.hasOwn(DATA.cut, number)) return [];
  const whole = DATA.cut[number].toLocaleString("en");
  return [element("p", "note", `… cut: the first ${DATA.maxText.toLocaleString("en")} of ${whole} characters`)];
}

function heading(dataset, metric, line) {
  const title = element("h3", "", `line ${dataset.numbers[line].toLocaleString("en")} `, element("small", "", dataset.name));
  const buttons = element("div", "buttons");
  for (const [name, label, hint] of [["previous", "‹ k", "the sentence before (k)"], ["next", "j ›", "next sentence (j)"], ["link", "copy link", "a link to this sentence"]]) {
    const button = element("button", "", label);
    button.type = "button";
    button.dataset.action = name;
    button.title = hint;
    if (name !== "link") button.setAttribute("aria-label", hint);
    buttons.append(button);
  }
  return element("div", "heading", title, buttons);
}

// Return the text against which edits are marked, null for none.
function againstText(state, dataset, line) {
  if (state.against === "source") return dataset.source ? DATA.texts[dataset.source[line]] : null;
  const number = state.against.startsWith("reference ") ? Number(state.against.slice(10)) : -1;
  return number >= 0 && number < dataset.references.length ? DATA.texts[dataset.references[number][line]] : null;
}

// Return the systems of each different output, where outputs that differ in white space alone are one if their scores
// are equal: first that of A, then that of B, then the others by their scores.
function groupsOf(state, dataset, metric, line) {
  const found = new Map();
  dataset.systems.forEach((_, system) => {
    const own = metric.bySystem ? "" : score(dataset, metric, line, system, state.reference);
    const key = `${alike(systemText(dataset, line, system))} ${own}`;
    if (!found.has(key)) found.set(key, []);
    found.get(key).push(system);
  });
  const value = (system) => score(dataset, metric, line, system, state.reference) ?? -Infinity;
  const first = (group) => (group.includes(state.a) ? 0 : group.includes(state.b) ? 1 : 2);
  return [...found.values()].sort((one, two) => first(one) - first(two) || value(two[0]) - value(one[0]) || one[0] - two[0]);
}

function card(state, dataset, metric, line, group, before) {
  const number = systemText(dataset, line, group[0]);
  const names = element("div", "names");
  for (const system of group) {
    const letter = system === state.a ? "A" : system === state.b ? "B" : "";
    const name = element("span", letter ? `name ${letter.toLowerCase()}` : "name", letter ? `${letter} ` : "", dataset.systems[system]);
    if (metric.bySystem && group.length > 1) name.append(` ${percent(score(dataset, metric, line, system, state.reference))}`);
    names.append(name);
  }
  const main = group.includes(state.a) || group.includes(state.b);
  const scored = group.filter((system) => hasSystem(dataset, metric, system));
  const head = element("div", "head", names);
  const body = [];
  if (scored.length && !(metric.bySystem && group.length > 1)) head.append(scoreOf(state, dataset, metric, line, scored[0]));
  if (!scored.length) head.append(element("span", "dim", `no ${metric.output} of it`));
  if (dataset.source && alike(number) === alike(dataset.source[line])) body.push(element("span", "tag", "unchanged"));
  if (dataset.references.some((list) => alike(list[line]) === alike(number))) body.push(element("span", "tag good", "equal to a reference"));
  if (metric.edits && scored.length) body.push(...judgedOnce(state, dataset, metric, line, scored));
  else body.push(marked(DATA.texts[number], before), ...cutNote(number));
  if (scored.length) {
    const shown = element("details", "counts", element("summary", "", metric.edits ? "counts and edits" : metric.rule ? "counts and n-grams" : "counts"));
    shown.open = state.grams || main;
    const fill = () => {
      if (shown.open && shown.childElementCount === 1) shown.append(...numbers(state, dataset, metric, line, scored[0]));
    };
    shown.addEventListener("toggle", fill);
    fill();
    body.push(shown);
  }
  return element("section", main ? "card main" : "card", head, ...body);
}

// Return the edits of systems whose outputs are the same text: once, or with their names where the edits differ.
function judgedOnce(state, dataset, metric, line, systems) {
  const found = new Map();
  for (const system of systems) {
    const reference = annotator(state, metric, line, system);
    const key = `${reference} ${metric.edits.marks[line][system][reference]}`;
    if (!found.has(key)) found.set(key, { reference, members: [] });
    found.get(key).members.push(system);
  }
  return [...found.values()].flatMap(({ reference, members }) => [
    ...(found.size > 1 ? [element("p", "note", members.map((system) => dataset.systems[system]).join(", "))] : []),
    judged(dataset, metric, line, members[0], reference),
  ]);
}

function scoreOf(state, dataset, metric, line, system) {
  const value = score(dataset, metric, line, system, state.reference);
  const bar = element("span", "level", element("i"));
  bar.firstChild.style.width = `${Math.max(0, Math.min(100, (value ?? 0) / 10 ** DATA.digits))}%`;
  const shown = element("span", "score", percent(value));
  shown.title = `${metric.label} of this sentence`;
  return element("span", "scored", bar, shown);
}

// Return the counts of every order and their n-grams, with the chosen reference or else the best.
function numbers(state, dataset, metric, line, system) {
  const asked = state.reference >= 0 && metric.apart > 0;
  const reference = metric.edits ? annotator(state, metric, line, system) : asked ? state.reference : best(dataset, metric, line, system);
  const made = [];
  if (metric.apart > 1) made.push(perReference(state, dataset, metric, line, system, reference));
  if (isMissing(dataset, line, Math.max(reference, 0)) && metric.apart > 0) return made;
  if (metric.edits && marksOf(metric, line, system, reference) === null) return made;
  const { lengths, orders } = counts(dataset, metric, line, system, reference);
  const found = analysed(dataset, metric, line, system, reference);
  const wrong = found && disagreement(dataset, metric, line, system, reference);
  const told = Object.entries(lengths).map(([name, value]) => `${COUNT_NAMES[name] ?? name}: ${Number(value.toFixed(4))}`);
  if (told.length) made.push(element("p", "note", told.join(", ")));
  if (metric.edits) made.push(...editTable(metric, line, system, reference));
  if (Object.keys(orders).length) made.push(orderTable(metric, orders));
  if (wrong) made.push(element("p", "note wrong", `The n-grams are not shown: they are not those that were counted (${wrong}).`));
  else if (found) made.push(...found.map((order) => gramLine(order)));
  else if (metric.rule) made.push(element("p", "note", "The n-grams are not shown: a text was cut."));
  return made;
}

function perReference(state, dataset, metric, line, system, reference) {
  const shown = element("p", "note", "by reference: ");
  for (let number = 0; number < metric.apart; number++) {
    const text = `${number}: ${percent(score(dataset, metric, line, system, number))}`;
    shown.append(element(number === reference ? "strong" : "span", "", text), number + 1 < metric.apart ? " · " : "");
  }
  shown.append(`; below: reference ${reference}${state.reference < 0 ? (metric.edits ? ", which counts for the score" : ", the best here") : ""}`);
  return shown;
}

function orderTable(metric, orders) {
  const names = Object.keys(orders);
  const table = element("table", "orders");
  const cell = (tag, text) => element(tag, "", text);
  table.append(element("thead", "", element("tr", "", ...["n", ...names].map((name) => cell("th", name)))));
  const rows = metric.rowNames.slice(0, Math.max(...names.map((name) => orders[name].length)));
  const body = rows.map((title, row) =>
    element("tr", "", cell("th", title), ...names.map((name) => cell("td", orders[name][row] === null || orders[name][row] === undefined ? "–" : String(Number(orders[name][row].toFixed(4)))))),
  );
  table.append(element("tbody", "", ...body));
  return element("div", "scroll", table);
}

// Return the n-grams of an order: first those of the output in their sequence, then those that it lacks.
function gramLine({ n, shown, outside }) {
  const line = element("div", "grams", element("span", "order", `n=${n}`));
  const all = [...shown, ...outside];
  const draw = (list) => list.map(([gram, kind]) => {
    const chip = element("span", `gram ${kind}`, ...nodes(gram.replaceAll(BETWEEN, " ")));
    chip.title = TOLD[kind];
    return chip;
  });
  line.append(...draw(all.slice(0, MOST_GRAMS)));
  if (all.length > MOST_GRAMS) {
    const more = element("button", "", `${(all.length - MOST_GRAMS).toLocaleString("en")} more`);
    more.type = "button";
    more.addEventListener("click", () => more.replaceWith(...draw(all.slice(MOST_GRAMS))));
    line.append(more);
  }
  if (!all.length) line.append(element("span", "dim", "none"));
  return line;
}
