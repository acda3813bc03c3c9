"use strict";
// Compares A and B by the chosen metric: the difference of their scores with the test of the run, and what the scores of
// the sentences in this page say. The numbers of tests are from `pairs.py`. How they are drawn: compare_figures.js.
const comparison = (() => {
  const PAIRS = JSON.parse(byId("pairs").textContent), controls = byId("pair"), place = byId("compared");
  const TELLING = 10, MOST_BINS = 10, FIFTHS = 5;
  let shown = "", later = 0;

  const own = (line, system) => score(dataset(), metric(), line, system, -1);
  const whole = () => dataset().numbers.length === dataset().total;
  const said = (number) => number.toLocaleString("en");
  const lines = () => (whole() ? `${said(dataset().total)} lines` : `of ${said(dataset().numbers.length)} lines in this page`);
  const plus = (value) => (value > 0 ? `+${percent(value)}` : percent(value));
  const name = (system) => dataset().systems[system];

  // Return the difference of the scores, and the test of the run where it has one: {difference, low, high, p, real,
  // wins, losses, ties}. The difference is null where one of the systems has no score.
  function difference() {
    const known = PAIRS.of[dataset().name][metric().signature], one = name(state.a), two = name(state.b);
    for (const [first, second, ...rest] of known.tests) {
      const turned = first === two && second === one;
      if (!turned && !(first === one && second === two)) continue;
      const [middle, low, high, p, real, wins, losses, ties] = rest, less = (value) => (value === null ? null : -value);
      if (turned) return { difference: less(middle), low: less(high), high: less(low), p, real, wins: losses, losses: wins, ties };
      return { difference: middle, low, high, p, real, wins, losses, ties };
    }
    const scores = [known.scores[one] ?? null, known.scores[two] ?? null];
    if (scores.includes(null)) return { difference: null };
    return { difference: Math.floor((scores[0] - scores[1]) * 10 ** (DATA.digits + 2) + 0.5) };
  }

  // Return the lines with a score of both systems: [{line, a, b, less, ahead, size}]. `less` is A less B, and `ahead`
  // is positive where A is better. The size is the number of words of the source, or else of the first reference.
  function sentences() {
    const found = [], base = dataset().source ?? dataset().references[0];
    for (let line = 0; line < dataset().numbers.length; line++) {
      const a = own(line, state.a), b = own(line, state.b);
      if (a === null || b === null) continue;
      found.push({ line, a, b, less: a - b, ahead: metric().lower ? b - a : a - b, size: wordsIn(base[line]) });
    }
    return found;
  }

  // Return how many words a text has. They are kept, since they are asked for again and again.
  const sizes = new Map();
  function wordsIn(number) {
    if (!sizes.has(number)) sizes.set(number, (DATA.texts[number].match(WORDS) ?? []).length);
    return sizes.get(number);
  }

  const mean = (values) => values.reduce((sum, one) => sum + one, 0) / values.length;
  // Return a quantile of numbers in rising order, with linear steps between neighbours.
  function quantile(sorted, share) {
    const at = share * (sorted.length - 1), low = Math.floor(at), high = Math.ceil(at);
    return sorted[low] + (sorted[high] - sorted[low]) * (at - low);
  }

  // Return bars of the differences that are not 0: [{low, high, count}]. No bar goes over 0.
  function histogram(found) {
    const values = found.map((one) => one.less).filter((one) => one !== 0);
    if (!values.length) return [];
    const most = values.reduce((top, one) => Math.max(top, Math.abs(one)), 0), step = roundStep(most / MOST_BINS);
    const many = Math.ceil(most / step), bars = [];
    for (let bin = -many; bin < many; bin++) bars.push({ low: bin * step, high: (bin + 1) * step, count: 0 });
    for (const one of values) bars[many + (one > 0 ? Math.ceil(one / step) - 1 : Math.floor(one / step))].count++;
    return bars;
  }

  function roundStep(least) {
    const power = 10 ** Math.floor(Math.log10(least));
    return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least * (1 - 1e-9));
  }

  // Return the mean scores of sentences of like length, in about as many lines each: [{low, high, count, a, b}].
  function byLength(found) {
    const sorted = found.map((one) => one.size).sort((one, two) => one - two), groups = [];
    const ends = [...new Set(Array.from({ length: FIFTHS }, (_, number) => sorted[Math.ceil(((number + 1) * sorted.length) / FIFTHS) - 1]))];
    ends.forEach((high, number) => {
      const low = number ? ends[number - 1] + 1 : sorted[0], own = found.filter((one) => one.size >= low && one.size <= high);
      groups.push({ low, high, count: own.length, a: mean(own.map((one) => one.a)), b: mean(own.map((one) => one.b)) });
    });
    return groups;
  }

  // Return how the scores of sentences of each system lie, the best system first. They are kept for the metric.
  const kept = new Map();
  function distributions() {
    if (kept.has(metric())) return kept.get(metric());
    const ranked = dataset().systems.map((_, number) => number).filter((system) => hasSystem(dataset(), metric(), system)), all = [];
    ranked.sort((one, two) => metric().scores[name(one)][0] - metric().scores[name(two)][0] || one - two);
    for (const system of ranked) {
      const values = dataset().numbers.map((_, line) => own(line, system)).filter((one) => one !== null).sort((one, two) => one - two);
      if (!values.length) continue;
      all.push({ system, name: name(system), count: values.length, mean: mean(values), parts: [0.05, 0.25, 0.5, 0.75, 0.95].map((share) => quantile(values, share)) });
    }
    kept.set(metric(), all);
    return all;
  }

  // Return the ten sentences that tell most: five in which A is furthest ahead and five in which B is, or more of one
  // where the other has too few. Of equal differences the longest sentences come first.
  function telling(found) {
    const order = (list) => list.sort((one, two) => Math.abs(two.less) - Math.abs(one.less) || two.size - one.size || one.line - two.line);
    const first = order(found.filter((one) => one.ahead > 0)), second = order(found.filter((one) => one.ahead < 0)), half = TELLING / 2;
    const many = Math.min(first.length, Math.max(half, TELLING - second.length));
    return [...first.slice(0, many), ...second.slice(0, TELLING - many)];
  }

  // Say in a sentence how A and B differ.
  function verdict() {
    const found = difference(), title = `${name(state.a)} less ${name(state.b)} by ${metric().label}: `;
    if (found.difference === null) return `${title}one of them has no score`;
    const better = metric().lower ? -found.difference : found.difference;
    const ahead = better > 0 ? "A is better" : better < 0 ? "B is better" : "they are equal";
    if (found.p === undefined) return `${title}${plus(found.difference)} (${ahead}). The run made no test of these two.`;
    const real = found.real ? `${ahead}, and the difference is significant` : "the difference is not significant";
    return `${title}${plus(found.difference)} (${PAIRS.level} interval ${plus(found.low)} to ${plus(found.high)}), p ${found.p}: ${real}.`;
  }

  function parts() {
    const found = sentences(), test = difference(), made = [];
    if (test.p !== undefined && PAIRS.settings) made.push(element("p", "note", `The test: ${PAIRS.settings}.`));
    if (!found.length) return [...made, element("p", "note", `${metric().label} has no scores of sentences, so there is nothing more to compare.`)];
    const count = (test) => found.filter(test).length;
    const tested = whole() && test.wins !== undefined;
    const wins = tested ? [test.wins, test.ties, test.losses] : [count((one) => one.ahead > 0), count((one) => one.ahead === 0), count((one) => one.ahead < 0)];
    const names = [name(state.a), name(state.b)], where = lines();
    made.push(element("div", "plots",
      drawn.histogram(histogram(found), count((one) => one.less === 0), where),
      element("div", "stack", drawn.wins(wins, names, where), drawn.lengths(byLength(found), names, where)),
      drawn.distributions(distributions(), where)));
    made.push(element("h3", "", "The sentences that tell most"), drawn.telling(telling(found), where));
    return [...made, ...gains.parts(found, where)];
  }

  // Draw the comparison if A, B, the metric or the data set have changed since it was drawn. The sentence comes first,
  // so that no key is late, unless the address leads here.
  function draw() {
    clearTimeout(later);
    if (state.part === "compare") drawNow();
    else later = setTimeout(drawNow);
  }

  function drawNow() {
    const key = [state.dataset, state.metric, state.a, state.b].join();
    if (key === shown) return;
    shown = key;
    gains.stop();
    const fields = controls.elements, systems = dataset().systems.map((one, number) => [number, one]);
    byId("compare").hidden = systems.length < 2;
    options(fields.dataset, DATA.datasets.map((one, number) => [number, one.name]), state.dataset);
    options(fields.metric, dataset().metrics.map((one, number) => [number, one.label]), state.metric);
    options(fields.a, systems, state.a);
    options(fields.b, [[-1, "none"], ...systems], state.b);
    fields.dataset.closest("label").hidden = DATA.datasets.length === 1;
    const two = state.b >= 0 && state.a !== state.b;
    byId("pair-told").textContent = two ? verdict() : "Choose two systems.";
    place.replaceChildren(...(two ? parts() : []));
    copying(place);
    tidyStops(place);
  }

  // A choice here is a choice in the explorer, whose controls have the same names.
  controls.addEventListener("input", (event) => {
    const field = form.elements[event.target.name];
    field.value = event.target.value;
    field.dispatchEvent(new InputEvent("input", { bubbles: true }));
    state.part = "compare"; // the address leads back here
  });
  byId("pair-swap").addEventListener("click", () => byId("swap").click());
  byId("pair-link").addEventListener("click", (event) => {
    state.part = "compare";
    writeNow();
    copy(location.href, event.currentTarget);
  });
  addEventListener("beforeprint", () => {
    drawNow();
    gains.finish();
  });
  controls.hidden = false;
  return { draw };
})();
