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
  const shown = element("bdi", "text judged");
  shown.dir = "auto";
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
  const [verdict] = VERDICTS[letter], old = words.join(" "), made = element("span", `edit ${verdict}`);
  const gone = letter === "m" ? element("span", "left", ...nodes(old)) : element("del", "", ...nodes(old));
  if (old && !(again && letter === "m")) made.append(gone);
  if (edit.correction) made.append(element(letter === "m" ? "span" : "ins", letter === "m" ? "wanted" : "", ...nodes(edit.correction)));
  else if (letter === "m") made.append(element("span", "wanted", "∅"));
  made.append(element("small", "", signed(letter), ...(edit.type ? [" ", ...nodes(edit.type)] : [])));
  made.title = `${verdict}: ${old || "∅"} → ${edit.correction || "∅"}${edit.type && ` (${edit.type})`}`;
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
    const shown = element("td", letters.length ? `said ${VERDICTS[letters[0]][0]}` : "");
    shown.append(...(brief ? letters.map((letter) => signed(letter)) : [told]));
    if (brief && told) shown.title = told;
    return shown;
  };
  const left = (...children) => element("td", "left", ...children);
  const table = element("table", `orders judgements${brief ? " brief" : ""}`, editHead(present, reference, brief, typed));
  table.append(element("tbody", "", ...body.map(([edit, cells]) =>
    element("tr", "", element("td", "left place", `${edit.start}–${edit.end}`), left(...nodes(edit.correction || "∅")), ...(typed ? [left(...nodes(edit.type))] : []), ...present.map((number) => cell(cells[number]))),
  )));
  if (brief) note.unshift(element("p", "note", Object.values(VERDICTS).map(([verdict, sign]) => `${sign} ${verdict}`).join(" · ")));
  return [element("div", "scroll", table), ...note];
}

function signed(letter) {
  const [verdict, sign] = VERDICTS[letter];
  return element("span", "", sign, element("span", "hidden", ` ${verdict}`));
}

function editHead(present, reference, brief, typed) {
  const names = ["tokens", "correction", ...(typed ? ["type"] : [])].map((name) => element("th", "left", name));
  const own = present.map((number) => element("th", number === reference ? "chosen" : "", brief ? String(number) : `annotator ${number}`));
  if (!brief) return element("thead", "", element("tr", "", ...names, ...own));
  const above = element("th", "over", "annotator");
  above.colSpan = own.length;
  for (const name of names) name.rowSpan = 2;
  return element("thead", "", element("tr", "", ...names, above), element("tr", "", ...own));
}
