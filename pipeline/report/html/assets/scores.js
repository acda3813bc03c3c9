"use strict";
// All metrics of one sentence side by side: a row for each different output, a column for each metric.

// Return the table in an element that can be folded, or nothing where there is a single metric.
function scoreTable(state, dataset, line, groups) {
  if (dataset.metrics.length < 2) return [];
  const place = element("details", "allscores", element("summary", "", "all metrics of this sentence"));
  place.open = state.scores;
  place.addEventListener("toggle", () => {
    if (place.open && place.childElementCount === 1) place.append(scoreRows(state, dataset, line, groups));
    if (place.isConnected && state.scores !== place.open) (state.scores = place.open), writeAddress();
  });
  if (place.open) place.append(scoreRows(state, dataset, line, groups));
  return [place];
}

// Outputs that are the same text have the same scores, but for metrics that read files or edits: then systems have rows
// of their own.
function scoreRows(state, dataset, line, groups) {
  const reference = (metric) => (metric.apart > 1 ? state.reference : -1);
  const cells = (system) => dataset.metrics.map((metric) => score(dataset, metric, line, system, reference(metric)));
  const rows = groups.flatMap((group) => {
    const found = new Map();
    for (const system of group) {
      const own = cells(system), key = own.join();
      if (!found.has(key)) found.set(key, { own, systems: [] });
      found.get(key).systems.push(system);
    }
    return [...found.values()];
  });
  const best = dataset.metrics.map((metric, column) => {
    const known = rows.map(({ own }) => own[column]).filter((one) => one !== null && one !== undefined);
    return known.length ? Math[metric.lower ? "min" : "max"](...known) : null;
  });
  const heads = dataset.metrics.map((metric, number) => element("th", number === state.metric ? "chosen" : "", metric.label));
  const letter = (system) => (system === state.a ? "A " : system === state.b ? "B " : "");
  const body = rows.map(({ own, systems }) => {
    const name = element("th", "left", systems.map((system) => letter(system) + dataset.systems[system]).join(", "));
    name.scope = "row";
    return element("tr", "", name, ...own.map((one, column) => element("td", one !== null && one === best[column] && rows.length > 1 ? "best" : "", percent(one))));
  });
  for (const head of heads) head.scope = "col";
  const table = element("table", "orders", element("thead", "", element("tr", "", element("th", "left", "system"), ...heads)), element("tbody", "", ...body));
  const shown = element("div", "scroll", table);
  shown.tabIndex = 0;
  shown.setAttribute("role", "region");
  shown.setAttribute("aria-label", "all metrics of this sentence");
  return shown;
}
