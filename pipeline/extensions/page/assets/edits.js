"use strict";
// The edits of a sentence (see `explorer/edits.py`): drawn in the source's words, each with its type and its verdict.
const VERDICTS = { r: ["right", "✓"], w: ["wrong", "✗"], m: ["missed", "○"] };

// Return the annotator who counts: the one that was asked for, or else the one that was chosen for the whole data set.
function annotator(state, metric, line, system) {
  return state.reference >= 0 ? state.reference : metric.edits.chosen[line][system];
}

// Return the edits of an output as [edit number, verdict letter], null where the annotator takes no part.
function marksOf(metric, line, system, reference) {
  const text = metric.edits.marks[line][system][reference];
  if (text === null || text === undefined) return null;
  return [...text.matchAll(/(\d+)([rwm])/g)].map((match) => [Number(match[1]), match[2]]);
}

function editOf(metric, line, number) {
  const [start, end, correction, type] = metric.edits.edits[line].slice(4 * number, 4 * number + 4);
  return { start, end, correction: metric.edits.words[correction], type: metric.edits.words[type] };
}

// Return the source with the edits of an output in it, or a note where the annotator takes no part.
function judged(dataset, metric, line, system, reference) {
  const found = marksOf(metric, line, system, reference);
  if (found === null) return element("p", "note", `annotator ${reference} has no line for this sentence`);
  const words = metric.edits.tokens[line] ?? DATA.texts[dataset.source[line]].split(/\s+/).filter((word) => word !== "");
  const shown = element("bdi", { class: "text judged", dir: "auto" });
  let at = 0;
  const blank = () => shown.hasChildNodes() && shown.append(" ");
  const plain = (until) => {
    for (; at < Math.min(until, words.length); at++) blank(), shown.append(...nodes(words[at]));
  };
  for (const [number, letter] of found) {
    const edit = editOf(metric, line, number);
    plain(edit.start);
    blank();
    shown.append(oneEdit(edit, letter, words.slice(edit.start, edit.end), edit.start < at));
    at = Math.max(at, edit.end);
  }
  plain(words.length);
  if (!shown.hasChildNodes()) shown.append(element("span", "dim", "(empty)"));
  shown.normalize(); // words side by side are one piece of text, as screen readers read it
  return shown;
}

// Return an edit. What an annotator would replace and the output has not is no deletion: it is only underlined.
// `again` says that its words stand before it already, in an edit of the same place.
function oneEdit(edit, letter, words, again) {
  const [verdict] = VERDICTS[letter], old = words.join(" ");
  const title = `${verdict}: ${old || "∅"} → ${edit.correction || "∅"}${edit.type && ` (${edit.type})`}`;
  const made = element("span", { class: `edit ${verdict}`, title });
  const gone = letter === "m" ? element("span", "left", ...nodes(old)) : element("del", "", ...nodes(old));
  if (old && !(again && letter === "m")) made.append(gone);
  if (edit.correction) made.append(element(letter === "m" ? "span" : "ins", letter === "m" ? "wanted" : "", ...nodes(edit.correction)));
  else if (letter === "m") made.append(element("span", "wanted", "∅"));
  made.append(element("small", "", signed(letter), ...(edit.type ? [" ", ...nodes(edit.type)] : [])));
  return made;
}

// Return a table of all edits of an output, and of those that annotators have, with the verdict of each annotator who
// takes part in the sentence. Of more than two annotators there are signs alone, so that they fit into a card.
function editTable(metric, line, system, reference) {
  const several = metric.edits.marks[line][system].map((_, number) => marksOf(metric, line, system, number));
  const present = [...several.keys()].filter((number) => several[number] !== null), rows = new Map();
  for (const number of present) {
    for (const [edit, letter] of several[number]) {
      if (!rows.has(edit)) rows.set(edit, several.map(() => []));
      rows.get(edit)[number].push(letter);
    }
  }
  const absent = [...several.keys()].filter((number) => several[number] === null);
  const note = absent.length ? [element("p", "note", `no line for this sentence: annotator ${absent.join(", ")}`)] : [];
  if (!rows.size) return [element("p", "note", "neither the output nor an annotator has an edit that is counted"), ...note];
  const body = [...rows].map(([number, cells]) => [editOf(metric, line, number), cells]).sort(([one], [two]) => one.start - two.start || one.end - two.end);
  const brief = present.length > 2, typed = body.some(([edit]) => edit.type);
  const cell = (letters) => {
    const told = letters.map((letter) => VERDICTS[letter].toReversed().join(" ")).join(", ");
    const about = { class: letters.length ? `said ${VERDICTS[letters[0]][0]}` : "", title: brief ? told : "" };
    return element("td", about, ...(brief ? letters.map((letter) => signed(letter)) : [told]));
  };
  const row = (...cells) => element("tr", "", ...cells), left = (kind, ...children) => element("td", kind, ...children);
  const names = ["tokens", "correction", ...(typed ? ["type"] : [])].map((name) => element("th", { class: "left", rowspan: brief ? 2 : 1 }, name));
  const own = present.map((number) => element("th", number === reference ? "chosen" : "", brief ? String(number) : `annotator ${number}`));
  const head = brief ? [row(...names, element("th", { class: "over", colspan: own.length }, "annotator")), row(...own)] : [row(...names, ...own)];
  const lines = body.map(([edit, cells]) => row(
    left("left place", `${edit.start}–${edit.end}`), left("left", ...nodes(edit.correction || "∅")), ...(typed ? [left("left", ...nodes(edit.type))] : []),
    ...present.map((number) => cell(cells[number])),
  ));
  const table = element("table", `orders judgements${brief ? " brief" : ""}`, element("thead", "", ...head), element("tbody", "", ...lines));
  if (brief) note.unshift(element("p", "note", Object.values(VERDICTS).map(([verdict, sign]) => `${sign} ${verdict}`).join(" · ")));
  return [element("div", "scroll", table), ...note];
}

// Return a table of what each edit between source and output does to the score, where the page has that.
function effectTable(dataset, metric, line, system) {
  const own = metric.effects?.[line]?.[dataset.systems[system]];
  if (!own?.edits.length) return [];
  const change = (value) => (value > 0 ? `+${percent(value)}` : percent(value)), typed = own.edits.some((edit) => edit[4]);
  const rows = own.edits.map(([start, end, original, correction, type, ...values]) => [
    `${start}–${end}`, element("td", "left", ...nodes(original || "∅"), " → ", ...nodes(correction || "∅")), ...(typed ? [element("td", "left", ...nodes(type))] : []), ...values.map(change),
  ]);
  const header = ["tokens", "edit", ...(typed ? ["type"] : []), "alone", "left out", "share"];
  const note = `What each edit does to ${metric.called} of this sentence: alone in the source, left out of the output, and its share of the difference between the two${own.drawn ? `, estimated from ${own.drawn} orders of the edits` : ""}. The edits are ${own.by}.`;
  return [element("p", "note", note), tableOf(header, rows, { left: [0, 1, 2], kind: "orders effects" })];
}

function signed(letter) {
  const [verdict, sign] = VERDICTS[letter];
  return element("span", "", sign, element("span", "hidden", ` ${verdict}`));
}

// Who makes an edit of an output: all annotators who take part in the sentence, some, or none. The edits are those of a
// metric that judges edits. Where the run has none, they are those of this page's own alignment of words, and
// references stand for annotators.
const PLAIN = { label: "the alignment of words", called: "the alignment of words" }; // judges where no metric does
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
  const title = `${makers} of ${references} ${references === 1 ? "reference makes" : "references make"} this edit`;
  return element("small", { class: `makers by-${madeBy(makers, references)}`, title }, `${makers}/${references}`);
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

// The table of edits of each system: how many of them all, some or no annotators make (see `makers.js`).
const MAKERS = { all: "made by all", some: "made by some", none: "made by none" };

// Draw the table of all systems, the best first, where it is open. A press on a number lists the sentences.
function drawAgreement() {
  const place = byId("agreement"), own = dataset(), judge = judgeOf(own, metric()), who = judge?.edits ? "annotators" : "references";
  place.hidden = !judge;
  place.firstElementChild.textContent = `edits of each system: made by all, some or no ${who}`;
  if (place.hidden || !place.open) return;
  const key = `${state.dataset} ${state.metric}`;
  if (place.dataset.shows === key) return;
  place.dataset.shows = key;
  const cell = (name, system, count, whole) => {
    if (!count) return element("td", "dim", "0", element("small"));
    const onclick = () => {
      if (state.b === system) state.b = state.a;
      Object.assign(state, { a: system, edits: `by-${name}`, line: -1 });
      update();
      byId("controls").scrollIntoView();
    };
    const title = `sentences with edits of ${own.systems[system]} that are ${MAKERS[name]} of the ${who}`;
    const share = element("small", "dim", ` ${Math.round((100 * count) / whole)} %`);
    return element("td", "", button(said(count), { class: "plain", title, onclick }), share);
  };
  const rows = rankedSystems().map((system) => {
    const { missed, ...made } = agreementOf(own, judge, system), whole = made.all + made.some + made.none;
    return [own.systems[system], said(whole), ...Object.entries(made).map(([name, count]) => cell(name, system, count, whole)), said(missed)];
  });
  const table = tableOf(["system", "edits", ...Object.values(MAKERS), "missed"], rows), lines = said(own.numbers.length);
  const note = judge.edits
    ? `Edits in the ${lines} sentences of this page, by ${judge.called}: as the annotator who counts sees them, and how many annotators of the sentence make the same edit. Missed are edits of the annotator who counts.`
    : `Edits in the ${lines} sentences of this page, by this page's own alignment of words, since no metric of the run judges edits: how many references make the same edit, at the same place with the same words. Missed are edits of the reference that has most edits in common with the output.`;
  place.replaceChildren(place.firstElementChild, element("p", "note", note), table);
}

// Say in the filter of edits who makes them. Where nobody can be asked, it has no such choices.
function drawMakers(select, judge) {
  const [one, several] = judge?.edits ? ["annotator", "annotators"] : ["reference", "references"];
  const choices = { "by-all": `all ${several} make`, "by-some": `only some ${several} make`, "by-none": `no ${one} makes` };
  if (!judge && state.edits.startsWith("by-")) state.edits = "all";
  for (const option of select.options) {
    if (!(option.value in choices)) continue;
    option.textContent = choices[option.value];
    option.hidden = option.disabled = !judge;
  }
}
