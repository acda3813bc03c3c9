"use strict";
// What a metric has counted of an output: tables of counts, and n-grams.
const COUNT_NAMES = { hyp_len: "tokens", ref_len: "tokens of the reference" };

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
  const wrong = found && disagreement(metric, orders, found);
  const told = Object.entries(lengths).map(([name, value]) => `${COUNT_NAMES[name] ?? name}: ${Number(value.toFixed(4))}`);
  if (told.length) made.push(element("p", "note", told.join(", ")));
  if (metric.edits) made.push(...editTable(metric, line, system, reference));
  made.push(...effectTable(dataset, metric, line, system));
  if (Object.keys(orders).length) made.push(orderTable(metric, orders));
  if (wrong) made.push(element("p", "note wrong", `The n-grams are not shown: they are not those that were counted (${wrong}).`));
  else if (found) made.push(foldButton(), ...found.map((order) => gramLine(`n=${order.n}`, order)));
  else if (metric.rule) made.push(element("p", "note", "The n-grams are not shown: a text was cut."));
  if (metric.overlaps) made.push(...overlapLines(dataset, metric, line, system, reference, orders));
  return made;
}

function perReference(state, dataset, metric, line, system, reference) {
  const numbers = numbersOf(metric), who = metric.edits ? "annotator" : "reference", shown = element("p", "note", `by ${who}: `);
  for (let number = 0; number < metric.apart; number++) {
    const text = `${numbers[number]}: ${percent(score(dataset, metric, line, system, number))}`;
    shown.append(element(number === reference ? "strong" : "span", "", text), number + 1 < metric.apart ? " · " : "");
  }
  shown.append(`; below: ${who} ${numbers[reference]}${state.reference < 0 ? (metric.edits ? ", which counts for the score" : ", the best here") : ""}`);
  return shown;
}

function orderTable(metric, orders) {
  const names = Object.keys(orders), titles = metric.rowNames.slice(0, Math.max(...names.map((name) => orders[name].length)));
  const shown = (value) => (value === null || value === undefined ? "–" : String(Number(value.toFixed(4))));
  const rows = titles.map((title, row) => [title, ...names.map((name) => shown(orders[name][row]))]);
  return tableOf(["n", ...names].map((name) => explained(name)), rows, { kind: "orders", left: [] });
}

// A card for each different output of a sentence: its systems, its text with its edits, and its score.

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
  const names = element("h4", "names");
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
  else body.push(...textOf(state, dataset, metric, line, number, before));
  if (scored.length) {
    const shown = element("details", "counts", element("summary", "", metric.edits ? "counts and edits" : metric.rule ? "counts and n-grams" : metric.overlaps ? "counts and overlaps" : "counts"));
    shown.open = state.grams || main;
    const fill = () => {
      if (shown.open && shown.childElementCount === 1) shown.append(...numbers(state, dataset, metric, line, scored[0]));
    };
    shown.addEventListener("toggle", fill);
    if (shown.open && DATA.texts[number].length > LONG) later.push(fill);
    else fill();
    body.push(shown);
  }
  return element("section", main ? `card main ${group.includes(state.a) ? "a" : "b"}` : "card", head, ...body);
}

// Return an output with its edits. Where no metric judges edits, each has the number of references that make it.
function textOf(state, dataset, metric, line, number, before) {
  const counted = state.against === "source" && judgeOf(dataset, metric) === PLAIN;
  const note = counted ? makersNote(dataset, line, number) : null;
  return [marked(DATA.texts[number], before, note), ...cutNote(number), ...(counted ? missedNote(dataset, line, number) : [])];
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
  return element("span", "scored", bar, element("span", { class: "score", title: `${metric.called} of this sentence` }, percent(value)));
}

// Return the cards of a sentence. Of long texts only the first cards are drawn at once, and the others one by one when
// the page has time, so that keys are answered; all are there before the page is printed.
const AT_ONCE = 2, MUCH = 30_000;
let later = [], pause = 0;

function drawCards(groups, draw) {
  const size = groups.reduce((sum, [system]) => sum + DATA.texts[systemText(dataset(), state.line, system)].length, 0);
  const place = element("div", "cards"), now = size > MUCH ? AT_ONCE : groups.length;
  clearTimeout(pause);
  later = [];
  place.append(...groups.slice(0, now).map(draw));
  for (const group of groups.slice(now)) {
    later.push(() => {
      const shown = draw(group);
      markHits(shown, hitExpression());
      place.append(shown);
    });
  }
  if (later.length) pause = setTimeout(drawNext, 120);
  return place;
}

function drawNext() {
  later.shift()?.();
  if (later.length) pause = setTimeout(drawNext, 4);
}

window.addEventListener("beforeprint", () => {
  clearTimeout(pause);
  while (later.length) later.shift()();
});

// All metrics of one sentence side by side: a row for each different output, a column for each metric.

// Return the table in an element that can be folded, or nothing where there is a single metric.
function scoreTable(state, dataset, line, groups) {
  if (dataset.metrics.length < 2) return [];
  const place = element("details", "allscores", element("summary", "", "all metrics of this sentence"));
  place.open = state.scores;
  place.addEventListener("toggle", () => {
    if (place.open && place.childElementCount === 1) place.append(scoreRows(state, dataset, line, groups));
    if (place.isConnected && state.scores !== place.open) (state.scores = place.open), writeAddress();
  });
  if (place.open) place.append(scoreRows(state, dataset, line, groups));
  return [place];
}

// Outputs that are the same text have the same scores, but for metrics that read files or edits: then systems have rows
// of their own.
function scoreRows(state, dataset, line, groups) {
  const reference = (metric) => (metric.apart > 1 ? state.reference : -1);
  const cells = (system) => dataset.metrics.map((metric) => score(dataset, metric, line, system, reference(metric)));
  const rows = groups.flatMap((group) => {
    const found = new Map();
    for (const system of group) {
      const own = cells(system), key = own.join();
      if (!found.has(key)) found.set(key, { own, systems: [] });
      found.get(key).systems.push(system);
    }
    return [...found.values()];
  });
  const best = dataset.metrics.map((metric, column) => {
    const known = rows.map(({ own }) => own[column]).filter((one) => one !== null && one !== undefined);
    return known.length ? Math[metric.lower ? "min" : "max"](...known) : null;
  });
  const heads = dataset.metrics.map((one, number) => element("th", { class: number === state.metric ? "chosen" : "", scope: "col" }, one.called));
  const letter = (system) => (system === state.a ? "A " : system === state.b ? "B " : "");
  const body = rows.map(({ own, systems }) => [
    systems.map((system) => letter(system) + dataset.systems[system]).join(", "),
    ...own.map((one, column) => element("td", one !== null && one === best[column] && rows.length > 1 ? "best" : "", percent(one))),
  ]);
  return tableOf(["system", ...heads], body, { caption: "all metrics of this sentence", kind: "orders" });
}

// One sentence: its source, its references, all scores, and a card for each different output.

// Draw a sentence. A source that is much longer than the outputs stands beside them.
function drawDetail(place, state, dataset, metric, line) {
  const source = dataset.source ? dataset.source[line] : null, before = againstText(state, dataset, line), beside = summarises(dataset);
  const given = source === null ? [] : [textBlock("source", source, state.against === "source" ? null : before)];
  const references = dataset.references.map((list, number) => {
    if (isMissing(dataset, line, number)) return named(`reference ${number + 1}`, element("span", "dim", "(none for this sentence)"));
    return textBlock(`reference ${number + 1}`, list[line], state.against === `reference ${number + 1}` ? null : before);
  });
  const groups = groupsOf(state, dataset, metric, line);
  const cards = drawCards(groups, (group) => card(state, dataset, metric, line, group, before));
  const rest = [...scoreTable(state, dataset, line, groups), cards];
  place.classList.toggle("beside", beside);
  const parts = beside
    ? [element("div", "given source", ...given), element("div", "", element("div", "given", ...references), ...rest)]
    : [element("div", "given", ...given, ...references), ...rest];
  const expression = hitExpression();
  for (const part of parts) markHits(part, expression);
  place.replaceChildren(heading(dataset, metric, line), ...parts);
}

function textBlock(name, number, against) {
  return named(name, marked(DATA.texts[number], against), ...cutNote(number));
}

function named(name, ...children) {
  return element("div", "named", element("h4", "", name), ...children);
}

function cutNote(number) {
  if (!Object.hasOwn(DATA.cut, number)) return [];
  return [element("p", "note", `… cut: the first ${said(DATA.maxText)} of ${said(DATA.cut[number])} characters`)];
}

function heading(dataset, metric, line) {
  const title = element("h3", "", `${lineName(dataset, line)} `, element("small", "", dataset.name));
  const buttons = [["previous", "‹ previous", "the sentence before (k)"], ["next", "next ›", "next sentence (j)"], ["link", "copy link", "a link to this sentence"], ["picture", "picture", "the sentence with the edits of A and B as a picture to share, as SVG or PNG"], ["latex", "LaTeX", "copy the texts with the edits of A and B as a figure in LaTeX"], ["markdown", "Markdown", "copy the texts with the edits of A and B as Markdown"]].map(
    ([action, label, title]) => button(label, { "data-action": action, title, "aria-keyshortcuts": { previous: "k", next: "j" }[action] ?? "" }),
  );
  return element("div", "heading", title, element("div", "buttons", ...buttons));
}

// Return the text against which edits are marked, null for none.
function againstText(state, dataset, line) {
  if (state.against === "source") return dataset.source ? DATA.texts[dataset.source[line]] : null;
  const number = state.against.startsWith("reference ") ? Number(state.against.slice(10)) - 1 : -1;
  return number >= 0 && number < dataset.references.length ? DATA.texts[dataset.references[number][line]] : null;
}
