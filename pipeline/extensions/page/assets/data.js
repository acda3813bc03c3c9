"use strict";
// The data of the explorer: each text once, and numbers in rows (see `explorer/data.py`). Only this file reads the rows.
const DATA = JSON.parse(document.getElementById("data").textContent);

function systemText(dataset, line, system) {
  return dataset.outputs[dataset.starts[line] + dataset.who[line * dataset.systems.length + system]];
}

// Return how a sentence is called: its line, and its id where it has one.
function lineName(dataset, line) {
  return `line ${said(dataset.numbers[line])}${dataset.ids ? ` (id ${dataset.ids[line]})` : ""}`;
}

// Return the number of the first text that has the same words, though perhaps other white space between them.
function alike(number) {
  return DATA.alike[number] ?? number;
}

function place(dataset, metric, line, system) {
  const row = metric.bySystem
    ? line * dataset.systems.length + system
    : dataset.starts[line] + dataset.who[line * dataset.systems.length + system];
  return row * metric.width;
}

// Return a number of the rows of a metric: a list, or a text with a letter for each number (`lettered` of explorer.py).
function numberAt(metric, at) {
  if (typeof metric.rows !== "string") return metric.rows[at];
  const value = metric.rows.charCodeAt(at) - 93;
  return value < 0 ? null : value;
}

// Return a score in units of the last digit that is shown, null where there is none. For the reference -1 this is the
// score of the metric itself, for others the score with that reference.
function score(dataset, metric, line, system, reference) {
  if (!hasSystem(dataset, metric, system)) return null;
  const first = place(dataset, metric, line, system);
  return numberAt(metric, reference >= 0 && metric.apart > 0 ? first + 1 + reference : first);
}

function hasSystem(dataset, metric, system) {
  return Object.hasOwn(metric.scores, dataset.systems[system]);
}

// Return the reference with which an output has its best score.
function best(dataset, metric, line, system) {
  return metric.apart > 0 ? numberAt(metric, place(dataset, metric, line, system) + 1 + metric.apart) : 0;
}

// Return the counts of an output with a reference: {lengths: {name: n}, orders: {name: [n ...]}}.
function counts(dataset, metric, line, system, reference) {
  const first = place(dataset, metric, line, system), lengths = {}, orders = {};
  for (const [name, at, apart, many] of metric.fields) {
    const start = first + at + (apart ? reference * Math.max(many, 1) : 0);
    if (many) orders[name] = Array.from({ length: many }, (_, order) => numberAt(metric, start + order));
    else lengths[name] = numberAt(metric, start);
  }
  return { lengths, orders };
}

// Return a score as text, with exactly the digits that it was rounded to.
function percent(value) {
  if (value === null || value === undefined) return "–";
  const digits = String(Math.abs(value)).padStart(DATA.digits + 1, "0");
  const whole = digits.slice(0, digits.length - DATA.digits);
  return `${value < 0 ? "−" : ""}${whole}${DATA.digits ? `.${digits.slice(-DATA.digits)}` : ""}`;
}

// The ways to find tokens in a text, the same as in `explorer/texts.py`.
const WAYS = {
  words: (text) => (text === "" ? [] : text.split(" ")),
  runs: (text) => text.split(" ").filter(Boolean),
  characters: (text) => Array.from(text),
  spaceless: (text) => Array.from(text.replace(/[ \t-\r]/g, "")),
  ascii: (text) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase()).match(/[a-z0-9]+/g) ?? [],
};

// Return the tokens of a text. `which` is the number of a way to split texts.
function tokens(number, which) {
  const how = DATA.tokens[which], form = how.forms[number] ?? DATA.texts[number];
  return Array.isArray(form) ? form : WAYS[how.way](form);
}

// Return the numbers of the references that a metric scores one at a time, from 1 as lines, or of the annotators whose
// edits it reads, as M2 files have them.
function numbersOf(metric) {
  return Array.from({ length: metric.apart }, (_, number) => String(number + (metric.edits ? 0 : 1)));
}

function isMissing(dataset, line, reference) {
  return dataset.missing && reference < dataset.references.length && DATA.texts[dataset.references[reference][line]].trim() === "";
}

// Return the n-grams of an output for each order, null where the metric has no n-grams or a text was cut.
function analysed(dataset, metric, line, system, reference) {
  const rule = metric.rule;
  if (!rule) return null;
  const all = dataset.references.map((list) => list[line]);
  const used = rule.merged ? all.filter((_, number) => !isMissing(dataset, line, number)) : [all[reference]];
  const output = systemText(dataset, line, system), source = dataset.source ? dataset.source[line] : null;
  if ([...used, output, ...(source === null ? [] : [source])].some((number) => Object.hasOwn(DATA.cut, number))) return null;
  const found = [], none = new Map();
  for (let n = rule.first; n <= rule.last; n++) {
    const sigma = source === null ? none : counted(source, rule.tokens, n);
    const rhos = used.map((number) => counted(number, rule.tokens, n));
    found.push({ n, ...parts(rule.name, sigma, rhos, grams(tokens(output, rule.tokens), n)) });
  }
  return found;
}

// Return the n-grams of a source or reference with their counts, which are kept for the next sentences.
const kept = new Map();
function counted(number, which, n) {
  const key = `${which} ${n} ${number}`;
  if (kept.size > 1000) kept.clear();
  if (!kept.has(key)) kept.set(key, count(grams(tokens(number, which), n)));
  return kept.get(key);
}

// Return in which count the n-grams of this page differ from those that were counted, null where they agree.
// Only counts that the metric shows can be compared.
function disagreement(metric, orders, found) {
  for (const { n, sums } of found) {
    for (const [name, kinds] of Object.entries(DATA.rules[metric.rule.name].counts)) {
      const value = kinds.reduce((sum, kind) => sum + sums[kind], 0);
      if (orders[name] && orders[name][n - 1] !== value) return `${name}_${n}: ${value} n-grams, ${orders[name][n - 1]} counted`;
    }
  }
  return null;
}
