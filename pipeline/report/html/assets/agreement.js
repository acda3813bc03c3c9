"use strict";
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
    if (!count) return element("td", "dim", "0", element("small", ""));
    const share = element("small", "dim", ` ${Math.round((100 * count) / whole)} %`);
    const button = element("button", "plain", count.toLocaleString("en"));
    button.type = "button";
    button.title = `sentences with edits of ${own.systems[system]} that are ${MAKERS[name]} of the ${who}`;
    button.addEventListener("click", () => {
      if (state.b === system) state.b = state.a;
      Object.assign(state, { a: system, edits: `by-${name}`, line: -1 });
      update();
      byId("controls").scrollIntoView();
    });
    return element("td", "", button, share);
  };
  const shown = metric(), ranked = own.systems.map((_, number) => number).filter((system) => hasSystem(own, shown, system));
  ranked.sort((one, two) => shown.scores[own.systems[one]][0] - shown.scores[own.systems[two]][0] || one - two);
  const rows = ranked.map((system) => {
    const { missed, ...made } = agreementOf(own, judge, system), whole = made.all + made.some + made.none;
    const counts = Object.entries(made).map(([name, count]) => cell(name, system, count, whole));
    return element("tr", "", element("th", "left", own.systems[system]), element("td", "", whole.toLocaleString("en")), ...counts, element("td", "", missed.toLocaleString("en")));
  });
  const heads = ["edits", ...Object.values(MAKERS), "missed"].map((name) => element("th", "", name));
  const table = element("table", "", element("thead", "", element("tr", "", element("th", "left", "system"), ...heads)), element("tbody", "", ...rows));
  const note = judge.edits
    ? `Edits in the ${own.numbers.length.toLocaleString("en")} sentences of this page, by ${judge.label}: as the annotator who counts sees them, and how many annotators of the sentence make the same edit. Missed are edits of the annotator who counts.`
    : `Edits in the ${own.numbers.length.toLocaleString("en")} sentences of this page, by this page's own alignment of words, since no metric of the run judges edits: how many references make the same edit, at the same place with the same words. Missed are edits of the reference that has most edits in common with the output.`;
  place.replaceChildren(place.firstElementChild, element("p", "note", note), element("div", "scroll", table));
}

// Say in the filter of edits who makes them. Where nobody can be asked, it has no such choices.
function drawMakers(select, judge) {
  const [one, several] = judge?.edits ? ["annotator", "annotators"] : ["reference", "references"];
  const said = { "by-all": `all ${several} make`, "by-some": `only some ${several} make`, "by-none": `no ${one} makes` };
  if (!judge && state.edits.startsWith("by-")) state.edits = "all";
  for (const option of select.options) {
    if (!(option.value in said)) continue;
    option.textContent = said[option.value];
    option.hidden = option.disabled = !judge;
  }
}
