"use strict";
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
  const line = element("bdi", "text overlap");
  line.dir = "auto";
  line.title = `characters of ${n}-grams that the reference has`;
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
