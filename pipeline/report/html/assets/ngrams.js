"use strict";
// What n-grams count as: the same, by the same names, as in `metrics/base/capabilities.py`.
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

function union(maps) {
  const found = new Map();
  for (const map of maps) for (const [gram, n] of map) found.set(gram, Math.max(found.get(gram) ?? 0, n));
  return found;
}

// Each rule takes the counts of an n-gram in source, reference and output, and returns how often it has which role.
const RULES = {
  match: (s, r, h) => ({ match: Math.min(h, r), missing: Math.max(r - h, 0) }),
  gleu: (s, r, h) => ({
    match: Math.min(h, r),
    penalised: r === 0 ? Math.min(h, s) : 0,
    missing: Math.max(r - h, 0),
  }),
  paper: (s, r, h) => ({
    match: Math.min(h, r),
    penalised: Math.max(Math.min(h, s) - Math.min(h, r), 0),
    missing: Math.max(r - h, 0),
  }),
  green: (s, r, h) => ({
    match: Math.min(h, r),
    inserted: Math.max(h - Math.max(s, r), 0),
    kept: Math.max(Math.min(s, h) - r, 0),
    missing: Math.max(r - Math.max(s, h), 0),
    removed: Math.max(s - Math.max(r, h), 0),
    lost: Math.max(Math.min(s, r) - h, 0),
  }),
};
const OF_OUTPUT = ["match", "penalised", "kept", "inserted"];
const OUTSIDE = ["missing", "removed", "lost"];
const TOLD = {
  match: "matched: in output and reference",
  penalised: "penalised: in output and source, not in the reference",
  kept: "wrongly kept: in output and source, not in the reference",
  inserted: "wrongly inserted: in the output alone",
  missing: "missing: in the reference, not in the output",
  removed: "rightly deleted: in the source alone",
  lost: "wrongly deleted: in source and reference, not in the output",
  other: "neither matched nor penalised",
};

// Return the roles of n-grams: `shown` has pairs [gram, kind] for those of the output in their sequence, `outside` for
// those that it lacks, and `sums` the number of n-grams of each kind. `sigma` are counts in the source, `references`
// counts in each reference, and `list` is the n-grams of the output.
function parts(rule, sigma, references, list) {
  const rho = references.length === 1 ? references[0] : union(references), eta = count(list);
  const left = new Map(), shown = [], outside = [], sums = { other: 0 };
  for (const kind of [...OF_OUTPUT, ...OUTSIDE]) sums[kind] = 0;
  for (const gram of new Set([...eta.keys(), ...rho.keys(), ...sigma.keys()])) {
    const found = RULES[rule](sigma.get(gram) ?? 0, rho.get(gram) ?? 0, eta.get(gram) ?? 0);
    left.set(gram, found);
    for (const kind of Object.keys(found)) sums[kind] += found[kind];
    for (const kind of OUTSIDE) for (let i = 0; i < (found[kind] ?? 0); i++) outside.push([gram, kind]);
  }
  for (const gram of list) {
    const kind = OF_OUTPUT.find((name) => left.get(gram)[name] > 0) ?? "other";
    if (kind === "other") sums.other++;
    else left.get(gram)[kind]--;
    shown.push([gram, kind]);
  }
  return { shown, outside, sums };
}

// Return the counts of a metric, by their names, that follow from the sums of its rule.
function told(rule, sums) {
  if (rule === "green") {
    return { tp: sums.match + sums.removed, fp: sums.inserted + sums.lost, fn: sums.kept + sums.missing };
  }
  return rule === "match" ? { match: sums.match } : { match: sums.match, penalty: sums.penalised };
}
