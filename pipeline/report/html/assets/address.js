"use strict";
// The state says what the page shows. It is kept in the address, so that a link leads back to it.
const DEFAULTS = { dataset: 0, metric: 0, a: 0, b: 1, reference: -1, against: "source", sort: "line", wins: "all", edits: "all", q: "", line: -1, grams: false, whole: false, scores: false, part: "sentences" };
const CHOICES = { sort: ["line", "worst", "best", "ahead", "behind", "apart", "spread", "longest", "shortest"], wins: ["all", "a", "b", "tie", "differ"], edits: ["all", "changed", "unchanged", "by-all", "by-some", "by-none"] };
const SWITCHES = ["grams", "whole", "scores"];
const state = { ...DEFAULTS };
const PAUSE = 200;
let written = "", waiting = 0;

const dataset = () => DATA.datasets[state.dataset];
const metric = () => dataset().metrics[state.metric];
const value = (line, system) => score(dataset(), metric(), line, system, state.reference);
// The score turned so that the highest is the best.
const goodness = (line, system) => (metric().lower && value(line, system) !== null ? -value(line, system) : value(line, system));

function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  const before = given.has("dataset") ? given.get("dataset") : DATA.datasets[state.dataset].name;
  Object.assign(state, DEFAULTS);
  state.dataset = Math.max(0, DATA.datasets.findIndex((one) => one.name === before));
  const own = dataset(), place = (names, key, other) => (given.has(key) && names.includes(given.get(key)) ? names.indexOf(given.get(key)) : other);
  state.metric = place(own.metrics.map((one) => one.label), "metric", 0);
  const [first, second] = leaders();
  state.a = place(own.systems, "a", first);
  state.b = given.get("b") === "" ? -1 : place(own.systems, "b", state.a === second ? first : second);
  state.reference = place(numbersOf(metric()), "reference", -1);
  for (const key of Object.keys(CHOICES)) if (CHOICES[key].includes(given.get(key))) state[key] = given.get(key);
  state.against = given.get("against") ?? usualAgainst(own);
  state.q = given.get("q") ?? "";
  for (const key of SWITCHES) state[key] = given.get(key) === "1";
  if (given.get("part") === "compare") state.part = "compare";
  state.line = own.numbers.indexOf(Number(given.get("line") ?? NaN));
}

// Return what edits are marked against if nothing is asked for: the source, but not that of summaries.
function usualAgainst(own) {
  return own.source && !summarises(own) ? "source" : "nothing";
}

// Write the address after a pause, since browsers refuse to change it many times in a second.
function writeAddress() {
  clearTimeout(waiting);
  waiting = setTimeout(writeNow, PAUSE);
}

function writeNow() {
  clearTimeout(waiting);
  const own = dataset(), kept = new URLSearchParams();
  kept.set("dataset", own.name);
  kept.set("metric", metric().label);
  kept.set("a", own.systems[state.a]);
  kept.set("b", state.b < 0 ? "" : own.systems[state.b]);
  if (state.reference >= 0) kept.set("reference", state.reference);
  for (const key of ["sort", "wins", "edits", "q"]) if (state[key] !== DEFAULTS[key]) kept.set(key, state[key]);
  if (state.against !== usualAgainst(own)) kept.set("against", state.against);
  for (const key of SWITCHES) if (state[key]) kept.set(key, "1");
  if (state.part !== DEFAULTS.part) kept.set("part", state.part);
  if (state.line >= 0) kept.set("line", own.numbers[state.line]);
  for (const [key, text] of resultParts()) kept.set(key, text);
  written = `#${kept}`;
  history.replaceState(null, "", written);
}

// Return the systems with the best two ranks, -1 where there is no second.
function leaders() {
  const own = dataset(), scores = metric().scores;
  const order = own.systems.map((_, number) => number).filter((number) => hasSystem(own, metric(), number));
  order.sort((one, two) => scores[own.systems[one]][0] - scores[own.systems[two]][0] || one - two);
  return [order[0] ?? 0, order[1] ?? -1];
}
