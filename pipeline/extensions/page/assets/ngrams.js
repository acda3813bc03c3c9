"use strict";
// What n-grams count as. The rules are data: `DATA.rules`, from the table of `metrics/base/ngram_roles.py`.
const BETWEEN = "\ud800"; // half of a surrogate pair: no text has it alone

function grams(tokens, n) {
  const found = [];
  for (let start = 0; start + n <= tokens.length; start++) found.push(tokens.slice(start, start + n).join(BETWEEN));
  return found;
}

function count(list) {
  const found = new Map();
  for (const gram of list) found.set(gram, (found.get(gram) ?? 0) + 1);
  return found;
}

const TOLD = {
  match: "matched: in output and reference",
  added: "rightly added: in output and reference, not in the source",
  penalised: "penalised: in output and source, not in the reference",
  kept: "wrongly kept: in output and source, not in the reference",
  inserted: "wrongly inserted: in the output alone",
  missing: "missing: in the reference, not in the output",
  removed: "rightly deleted: in the source alone",
  lost: "wrongly deleted: in source and reference, not in the output",
  other: "neither matched nor penalised",
};

// Return the roles of a rule with places in [source, reference, output] for the letters of texts. They are kept.
const keptRoles = new Map();
function rolesOf(rule) {
  const places = (letters) => Array.from(letters, (letter) => "srh".indexOf(letter));
  if (!keptRoles.has(rule)) {
    keptRoles.set(rule, Object.entries(DATA.rules[rule].roles).map(([kind, [of, less, without]]) => (
      { kind, of: places(of), less: places(less), without: places(without), own: of.includes("h") })));
  }
  return keptRoles.get(rule);
}

// Return how often an n-gram has a role, from its counts in source, reference and output: as often as all texts of `of`
// have it, beyond any of `less`; never where the text `without` has it.
function times({ of, less, without }, counts) {
  let most = Infinity, beyond = 0;
  for (let at = 0; at < of.length; at++) most = Math.min(most, counts[of[at]]);
  if (!most || (without.length && counts[without[0]])) return 0;
  for (let at = 0; at < less.length; at++) beyond = Math.max(beyond, counts[less[at]]);
  return Math.max(most - beyond, 0);
}

// Return the roles of n-grams: `shown` has pairs [gram, kind] for those of the output in their sequence, `outside` for
// those that it lacks, and `sums` the number of n-grams of each kind. `sigma` are counts in the source, `references`
// counts in each reference, of which the highest counts, and `list` is the n-grams of the output.
function parts(rule, sigma, references, list) {
  const eta = count(list), left = new Map(), shown = [], outside = [], sums = { other: 0 }, roles = rolesOf(rule);
  const rho = references.length === 1 ? references[0] : new Map(references[0]);
  for (const other of references.slice(1)) for (const [gram, n] of other) rho.set(gram, Math.max(rho.get(gram) ?? 0, n));
  for (const { kind } of roles) sums[kind] = 0;
  for (const gram of new Set([...eta.keys(), ...rho.keys(), ...sigma.keys()])) {
    const counts = [sigma.get(gram) ?? 0, rho.get(gram) ?? 0, eta.get(gram) ?? 0];
    const found = roles.map((role) => times(role, counts));
    roles.forEach(({ kind, own }, at) => {
      sums[kind] += found[at];
      if (!own) for (let i = 0; i < found[at]; i++) outside.push([gram, kind]);
    });
    left.set(gram, found);
  }
  for (const gram of list) {
    const rest = left.get(gram), at = roles.findIndex((role, number) => role.own && rest[number] > 0);
    if (at < 0) sums.other++;
    else rest[at]--;
    shown.push([gram, at < 0 ? "other" : roles[at].kind]);
  }
  return { shown, outside, sums };
}

// Draws n-grams and other parts of an output, with those of the reference that it lacks.
const MOST_GRAMS = 400;

// Return a button that folds matched parts or unfolds them.
function foldButton() {
  const about = { class: "fold", "data-action": "whole", title: "n-grams: all, or differences only (d)" };
  return button(state.whole ? "differences only" : "all n-grams", about);
}

// Return the parts in which runs of matched ones are one.
function folded(parts) {
  const found = [];
  for (const [part, kind] of parts) {
    if (kind !== "match") found.push([part, kind]);
    else if (found.at(-1)?.[1] === "folded") found.at(-1)[0]++;
    else found.push([1, "folded"]);
  }
  return found;
}

// Return in words which parts are matched, penalised and so on, for those who do not see the colours.
function spoken(parts) {
  const groups = new Map();
  for (const [part, kind] of parts.slice(0, MOST_GRAMS)) {
    const name = kind === "folded" ? "matched" : TOLD[kind].split(":")[0];
    if (!groups.has(name)) groups.set(name, []);
    groups.get(name).push(kind === "folded" ? `${part} in a row` : plain(part.replaceAll(BETWEEN, " ")));
  }
  return [...groups].map(([name, own]) => `${name}: ${own.join(", ")}`).join(". ");
}

// Return a line of parts: first those of the output in their sequence, then those that it lacks.
function gramLine(label, { shown, outside }) {
  const all = [...(state.whole ? shown : folded(shown)), ...outside];
  const about = { class: "grams", role: "group", "aria-label": `n-grams, ${label}` };
  const line = element("div", about, element("span", "order", label), element("span", "hidden", spoken(all)));
  const draw = (list) => list.map(([gram, kind]) => {
    const title = kind === "folded" ? `${gram} matched` : TOLD[kind];
    // the hidden text says the same in fewer pieces
    return element("span", { class: `gram ${kind}`, "aria-hidden": "true", title }, ...(kind === "folded" ? [`${gram} ✓`] : nodes(gram.replaceAll(BETWEEN, " "))));
  });
  line.append(...draw(all.slice(0, MOST_GRAMS)));
  if (all.length > MOST_GRAMS) {
    const onclick = ({ target }) => target.replaceWith(...draw(all.slice(MOST_GRAMS)));
    line.append(button(`${said(all.length - MOST_GRAMS)} more`, { onclick }));
  }
  if (!all.length) line.append(element("span", "dim", "none"));
  return line;
}

// What an output shares with a reference by ROUGE and chrF: n-grams, the longest common sequence of words, and the
// characters of long n-grams. Of several references it is one with the counts of the run.

function overlapLines(dataset, metric, line, system, reference, orders) {
  const output = systemText(dataset, line, system);
  const all = dataset.references.map((list, number) => (isMissing(dataset, line, number) ? -1 : list[line]));
  const wanted = metric.apart > 0 ? [all[reference]] : all;
  const texts = wanted.filter((number) => number !== undefined && number >= 0);
  if ([output, ...texts].some((number) => Object.hasOwn(DATA.cut, number))) return [element("p", "note", "The overlaps are not shown: a text was cut.")];
  const lines = metric.overlaps.map((overlap) => {
    const found = texts.map((number) => overlapOf(overlap, output, number)).find((one) => one.match === orders.match?.[overlap.row] && one.total === (orders.ref_total?.[overlap.row] ?? one.total));
    const label = metric.apart > 0 ? `n=${overlap.n}` : metric.rowNames[overlap.row];
    if (!found) return element("p", "note wrong", `${label}: the overlap is not shown: it is not the one that was counted.`);
    return overlap.kind === "characters" ? characterLine(overlap, label, output, found) : gramLine(label, found);
  });
  return [...(metric.overlaps.some((one) => one.kind !== "characters") ? [foldButton()] : []), ...lines];
}

// Return what two texts share: {match, total, shown, outside}, where `total` is what the reference has.
function overlapOf({ kind, n, tokens: which }, output, number) {
  const one = tokens(output, which), two = tokens(number, which);
  if (kind === "sequence") return commonWords(one, two);
  const { shown, outside, sums } = parts("match", new Map(), [counted(number, which, n)], grams(one, n));
  return { match: sums.match, total: Math.max(two.length - n + 1, 0), shown, outside };
}

function commonWords(one, two) {
  const shown = [], outside = [];
  let match = 0;
  longestCommon(one, two, 0, one.length, 0, two.length, (kind, a, b, c, d) => {
    for (let i = a; i < b; i++) shown.push([one[i], kind === "same" ? "match" : "other"]);
    if (kind === "same") match += b - a;
    else for (let j = c; j < d; j++) outside.push([two[j], "missing"]);
  });
  return { match, total: two.length, shown, outside };
}

// Return the output, in which the characters of n-grams that match are marked.
function characterLine({ n, tokens: which }, label, output, { shown }) {
  const text = DATA.texts[output], size = tokens(output, which).length, covered = new Array(size).fill(false);
  shown.forEach(([, kind], start) => kind === "match" && covered.fill(true, start, start + n));
  const characters = Array.from(text), spaces = size < characters.length;
  const line = element("bdi", { class: "text overlap", dir: "auto", title: `characters of ${n}-grams that the reference has` });
  let at = 0, run = "", last = null;
  const flush = () => run && line.append(last ? element("span", "gram match", ...nodes(run)) : element("span", "", ...nodes(run)));
  for (const character of characters) {
    const blank = spaces && /\s/u.test(character), now = blank ? last : covered[at++];
    if (now !== last) flush(), (run = ""), (last = now);
    run += character;
  }
  flush();
  return element("div", "grams", element("span", "order", label), line);
}
