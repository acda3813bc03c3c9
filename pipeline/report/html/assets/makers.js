"use strict";
// Who makes an edit of an output: all annotators who take part in the sentence, some, or none. The edits are those of a
// metric that judges edits. Where the run has none, they are those of this page's own alignment of words, and
// references stand for annotators.
const PLAIN = { label: "the alignment of words" }; // judges where no metric does
const keptEdits = new Map(), agreed = new Map();

// Return the metric whose edits are judged: the shown one, else the first that has edits, m2 before others, else PLAIN.
// There is null where edits against the source say nothing.
function judgeOf(own, shown) {
  if (shown.edits) return shown;
  const able = own.metrics.filter((one) => one.edits);
  if (able.length) return able.find((one) => one.output.startsWith("m2")) ?? able[0];
  return own.source && own.references.length && !summarises(own) ? PLAIN : null;
}

// Return whether a data set has texts that are much shorter than their sources, as summaries are.
function summarises(own) {
  if (own.short === undefined) {
    const size = (number) => DATA.cut[number] ?? DATA.texts[number].length;
    const mean = (list) => list.reduce((sum, number) => sum + size(number), 0) / list.length;
    const others = [...own.references.flat(), ...own.outputs].filter((number) => size(number));
    own.short = Boolean(own.source && others.length) && mean(own.source) > 2.5 * mean(others);
  }
  return own.short;
}

// Return how many edits of an output there are that all, some or none make, and the missed ones; null where nobody
// takes part. Edits that count for the score of a metric are as many as the metric says: those that the annotator who
// counts calls right or wrong. Others make an edit if they call the same one right: the same place and correction.
function agreement(own, judge, line, system) {
  return judge.edits ? agreementByMetric(judge, line, system) : agreementByWords(own, line, systemText(own, line, system));
}

function agreementByMetric(metric, line, system) {
  if (!metric.edits.marks[line][system]) return null;
  const text = (number) => metric.edits.edits[line].slice(4 * number, 4 * number + 3).join();
  const own = marksOf(metric, line, system, metric.edits.chosen[line][system]);
  if (own === null) return null;
  const made = [];
  metric.edits.marks[line][system].forEach((_, number) => {
    const marks = marksOf(metric, line, system, number);
    if (marks) made.push(new Set(marks.filter(([, letter]) => letter === "r").map(([edit]) => text(edit))));
  });
  const counts = { all: 0, some: 0, none: 0, missed: 0 };
  for (const [edit, letter] of own) {
    if (letter === "m") counts.missed++;
    else counts[madeBy(made.filter((edits) => edits.has(text(edit))).length, made.length)]++;
  }
  return counts;
}

function agreementByWords(own, line, number) {
  const found = makersOf(own, line, number);
  if (!found) return null;
  const counts = { all: 0, some: 0, none: 0, missed: found.missed.length };
  for (const makers of found.made.values()) counts[madeBy(makers, found.references)]++;
  return counts;
}

// Return for an output how many references make each of its edits, `made` by their keys, and the edits that it misses:
// those of the reference that has most edits in common with it. null where no reference is there or a text was cut.
function makersOf(own, line, number) {
  const references = own.references.map((list) => list[line]).filter((_, one) => !isMissing(own, line, one));
  const source = own.source[line];
  if (!references.length || [source, number, ...references].some((one) => Object.hasOwn(DATA.cut, one))) return null;
  const several = references.map((one) => editsOf(source, one)), made = new Map();
  for (const key of editsOf(source, number).keys()) made.set(key, several.filter((edits) => edits.has(key)).length);
  const common = several.map((edits) => [...made.keys()].filter((key) => edits.has(key)).length);
  const nearest = several[common.indexOf(Math.max(...common))];
  const missed = [...nearest].filter(([key]) => !made.has(key)).map(([key, at]) => ({ at, makers: several.filter((edits) => edits.has(key)).length }));
  return { made, missed, references: references.length };
}

// Return the edits from one text to another by their keys: place and words. They are kept, since they take a moment.
function editsOf(source, number) {
  const key = `${source} ${number}`;
  if (!keptEdits.has(key)) {
    const one = split(DATA.texts[source]).words, two = split(DATA.texts[number]).words, found = new Map();
    for (const [kind, a, b, c, d] of wordEdits(one, two)) {
      const [old, text] = [one.slice(a, b).join(" "), two.slice(c, d).join(" ")];
      if (kind === "changed") found.set(`${a} ${b} ${text}`, { start: a, end: b, old, text });
    }
    keptEdits.set(key, found);
  }
  return keptEdits.get(key);
}

function madeBy(makers, annotators) {
  return makers === annotators ? "all" : makers ? "some" : "none";
}

// Return the sums of a system over the sentences of this page. They are kept, since they take a moment.
function agreementOf(own, judge, system) {
  const key = judge.edits ? judge : own;
  if (!agreed.has(key)) agreed.set(key, new Map());
  const kept = agreed.get(key);
  if (!kept.has(system)) {
    const sums = { all: 0, some: 0, none: 0, missed: 0 };
    for (let line = 0; line < own.numbers.length; line++) {
      for (const [name, count] of Object.entries(agreement(own, judge, line, system) ?? {})) sums[name] += count;
    }
    kept.set(system, sums);
  }
  return kept.get(system);
}

// Return what stands behind an edit of an output in its text: how many references make it.
function makersNote(own, line, number) {
  const found = makersOf(own, line, number);
  if (!found) return null;
  const words = split(DATA.texts[number]).words;
  return (a, b, c, d) => {
    const makers = found.made.get(`${a} ${b} ${words.slice(c, d).join(" ")}`);
    return makers === undefined ? [] : [makersSign(makers, found.references)];
  };
}

function makersSign(makers, references) {
  const sign = element("small", `makers by-${madeBy(makers, references)}`, `${makers}/${references}`);
  sign.title = `${makers} of ${references} ${references === 1 ? "reference makes" : "references make"} this edit`;
  return sign;
}

// Return a line with the edits that the nearest reference makes and the output does not.
const MOST_MISSED = 12;
function missedNote(own, line, number) {
  const found = makersOf(own, line, number);
  if (!found?.missed.length) return [];
  const shown = element("p", "note missing", "not made: ");
  found.missed.slice(0, MOST_MISSED).forEach(({ at, makers }, count) => {
    const pair = element("bdi", "", ...replaced(at.old, at.text).flatMap((one) => (one ? [one, " "] : [])).slice(0, -1));
    shown.append(...(count ? [" · "] : []), pair, " ", makersSign(makers, found.references));
  });
  if (found.missed.length > MOST_MISSED) shown.append(` · ${found.missed.length - MOST_MISSED} more`);
  return [shown];
}
