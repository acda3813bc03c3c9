"use strict";
// What a metric has counted of an output: tables of counts, and n-grams.
const COUNT_NAMES = { hyp_len: "tokens", ref_len: "tokens of the reference" };

// Return the counts of every order and their n-grams, with the chosen reference or else the best.
function numbers(state, dataset, metric, line, system) {
  const asked = state.reference >= 0 && metric.apart > 0;
  const reference = metric.edits ? annotator(state, metric, line, system) : asked ? state.reference : best(dataset, metric, line, system);
  const made = [];
  if (metric.apart > 1) made.push(perReference(state, dataset, metric, line, system, reference));
  if (isMissing(dataset, line, Math.max(reference, 0)) && metric.apart > 0) return made;
  if (metric.edits && marksOf(metric, line, system, reference) === null) return made;
  const { lengths, orders } = counts(dataset, metric, line, system, reference);
  const found = analysed(dataset, metric, line, system, reference);
  const wrong = found && disagreement(metric, orders, found);
  const told = Object.entries(lengths).map(([name, value]) => `${COUNT_NAMES[name] ?? name}: ${Number(value.toFixed(4))}`);
  if (told.length) made.push(element("p", "note", told.join(", ")));
  if (metric.edits) made.push(...editTable(metric, line, system, reference));
  if (Object.keys(orders).length) made.push(orderTable(metric, orders));
  if (wrong) made.push(element("p", "note wrong", `The n-grams are not shown: they are not those that were counted (${wrong}).`));
  else if (found) made.push(foldButton(), ...found.map((order) => gramLine(`n=${order.n}`, order)));
  else if (metric.rule) made.push(element("p", "note", "The n-grams are not shown: a text was cut."));
  if (metric.overlaps) made.push(...overlapLines(dataset, metric, line, system, reference, orders));
  return made;
}

function perReference(state, dataset, metric, line, system, reference) {
  const shown = element("p", "note", "by reference: ");
  for (let number = 0; number < metric.apart; number++) {
    const text = `${number}: ${percent(score(dataset, metric, line, system, number))}`;
    shown.append(element(number === reference ? "strong" : "span", "", text), number + 1 < metric.apart ? " · " : "");
  }
  shown.append(`; below: reference ${reference}${state.reference < 0 ? (metric.edits ? ", which counts for the score" : ", the best here") : ""}`);
  return shown;
}

function orderTable(metric, orders) {
  const names = Object.keys(orders);
  const table = element("table", "orders");
  const cell = (tag, text) => element(tag, "", text);
  table.append(element("thead", "", element("tr", "", ...["n", ...names].map((name) => cell("th", explained(name))))));
  const rows = metric.rowNames.slice(0, Math.max(...names.map((name) => orders[name].length)));
  const body = rows.map((title, row) =>
    element("tr", "", cell("th", title), ...names.map((name) => cell("td", orders[name][row] === null || orders[name][row] === undefined ? "–" : String(Number(orders[name][row].toFixed(4)))))),
  );
  table.append(element("tbody", "", ...body));
  return element("div", "scroll", table);
}
