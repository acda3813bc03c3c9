"use strict";
// How many annotators make an edit of an output: all who take part in the sentence, some, or none.
// The edits are those that count for the score, so there are as many as the metric says: those that the annotator who
// counts calls right or wrong. Others make an edit if they call the same one right: the same place and correction.
const MAKERS = { all: "made by all", some: "made by some", none: "made by none" };

// Return how many edits of an output there are of each of MAKERS, and the missed ones; null where nobody takes part.
function agreement(metric, line, system) {
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

function madeBy(makers, annotators) {
  return makers === annotators ? "all" : makers ? "some" : "none";
}

// Return the sums of a system over the sentences of this page. They are kept, since they take a moment.
const agreed = new Map();
function agreementOf(own, metric, system) {
  if (!agreed.has(metric)) agreed.set(metric, new Map());
  const kept = agreed.get(metric);
  if (!kept.has(system)) {
    const sums = { all: 0, some: 0, none: 0, missed: 0 };
    for (let line = 0; line < own.numbers.length; line++) {
      for (const [name, count] of Object.entries(agreement(metric, line, system) ?? {})) sums[name] += count;
    }
    kept.set(system, sums);
  }
  return kept.get(system);
}

// Draw the table of all systems, the best first, where it is open. A press on a number lists the sentences.
function drawAgreement() {
  const place = byId("agreement"), own = dataset(), shown = metric();
  place.hidden = !shown.edits;
  if (place.hidden || !place.open) return;
  const key = `${state.dataset} ${state.metric}`;
  if (place.dataset.shows === key) return;
  place.dataset.shows = key;
  const cell = (name, system, count, whole) => {
    if (!count) return element("td", "dim", "0", element("small", ""));
    const share = element("small", "dim", ` ${Math.round((100 * count) / whole)} %`);
    const button = element("button", "plain", count.toLocaleString("en"));
    button.type = "button";
    button.title = `sentences with edits of ${own.systems[system]} that are ${MAKERS[name]} of the annotators`;
    button.addEventListener("click", () => {
      if (state.b === system) state.b = state.a;
      Object.assign(state, { a: system, edits: `by-${name}`, line: -1 });
      update();
      byId("controls").scrollIntoView();
    });
    return element("td", "", button, share);
  };
  const ranked = own.systems.map((_, number) => number).filter((system) => hasSystem(own, shown, system));
  ranked.sort((one, two) => shown.scores[own.systems[one]][0] - shown.scores[own.systems[two]][0] || one - two);
  const rows = ranked.map((system) => {
    const { missed, ...made } = agreementOf(own, shown, system), whole = made.all + made.some + made.none;
    const counts = Object.entries(made).map(([name, count]) => cell(name, system, count, whole));
    return element("tr", "", element("th", "left", own.systems[system]), element("td", "", whole.toLocaleString("en")), ...counts, element("td", "", missed.toLocaleString("en")));
  });
  const heads = ["edits", ...Object.values(MAKERS), "missed"].map((name) => element("th", "", name));
  const table = element("table", "", element("thead", "", element("tr", "", element("th", "left", "system"), ...heads)), element("tbody", "", ...rows));
  const note = `Edits in the ${own.numbers.length.toLocaleString("en")} sentences of this page, by ${shown.label}: as the annotator who counts sees them, and how many annotators of the sentence make the same edit. Missed are edits of the annotator who counts.`;
  place.replaceChildren(place.firstElementChild, element("p", "note", note), element("div", "scroll", table));
}
