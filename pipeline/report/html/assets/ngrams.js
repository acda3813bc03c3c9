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
  penalised: "penalised: in output and source, not in the reference",
  kept: "wrongly kept: in output and source, not in the reference",
  inserted: "wrongly inserted: in the output alone",
  missing: "missing: in the reference, not in the output",
  removed: "rightly deleted: in the source alone",
  lost: "wrongly deleted: in source and reference, not in the output",
  other: "neither matched nor penalised",
};

// Return how often an n-gram has a role, from its counts in source, reference and output: as often as all texts of `of`
// have it, beyond any of `less`; never where the text `without` has it.
function times([of, less, without], counts) {
  if (without && counts[without]) return 0;
  let most = Infinity, beyond = 0;
  for (const text of of) most = Math.min(most, counts[text]);
  for (const text of less) beyond = Math.max(beyond, counts[text]);
  return Math.max(most - beyond, 0);
}

// Return the roles of n-grams: `shown` has pairs [gram, kind] for those of the output in their sequence, `outside` for
// those that it lacks, and `sums` the number of n-grams of each kind. `sigma` are counts in the source, `references`
// counts in each reference, of which the highest counts, and `list` is the n-grams of the output.
function parts(rule, sigma, references, list) {
  const rho = new Map(references[0]), eta = count(list), left = new Map(), shown = [], outside = [], sums = { other: 0 };
  for (const other of references.slice(1)) for (const [gram, n] of other) rho.set(gram, Math.max(rho.get(gram) ?? 0, n));
  const roles = Object.entries(DATA.rules[rule].roles), own = roles.filter(([, [of]]) => of.includes("h")).map(([kind]) => kind);
  for (const [kind] of roles) sums[kind] = 0;
  for (const gram of new Set([...eta.keys(), ...rho.keys(), ...sigma.keys()])) {
    const counts = { s: sigma.get(gram) ?? 0, r: rho.get(gram) ?? 0, h: eta.get(gram) ?? 0 }, found = {};
    for (const [kind, role] of roles) {
      found[kind] = times(role, counts);
      sums[kind] += found[kind];
      if (!own.includes(kind)) for (let i = 0; i < found[kind]; i++) outside.push([gram, kind]);
    }
    left.set(gram, found);
  }
  for (const gram of list) {
    const kind = own.find((name) => left.get(gram)[name] > 0) ?? "other";
    if (kind === "other") sums.other++;
    else left.get(gram)[kind]--;
    shown.push([gram, kind]);
  }
  return { shown, outside, sums };
}
