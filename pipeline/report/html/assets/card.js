"use strict";
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
  return element("section", main ? "card main" : "card", head, ...body);
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
  const shown = element("span", "score", percent(value));
  shown.title = `${metric.label} of this sentence`;
  return element("span", "scored", bar, shown);
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
