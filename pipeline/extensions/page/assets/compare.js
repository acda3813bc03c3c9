"use strict";
// The figures and tables of the comparison of A and B. Each figure says in its label what it shows, and has a table of
// its numbers behind it.
const drawn = (() => {
  const SPACE = "http://www.w3.org/2000/svg", WIDE = 460, ROW = 22, LETTER = 7.2, NAME = 32, MOST_TEXT = 200;
  const scored = (value) => percent(value === null ? null : Math.floor(value + 0.5));
  // Return names cut in the middle, whole where two would be the same.
  function shortNames(names) {
    const cut = names.map((name) => (name.length <= NAME ? name : `${name.slice(0, NAME - 15)}…${name.slice(-14)}`));
    return names.map((name, number) => (cut.indexOf(cut[number]) === cut.lastIndexOf(cut[number]) ? cut[number] : name));
  }

  // Return a whole number of the data's units as text for an axis, such as 12.5.
  const tick = (value) => String(Number((value / 10 ** DATA.digits).toPrecision(4))).replace("-", "−");

  function shape(tag, attributes, text = "", title = "") {
    const made = document.createElementNS(SPACE, tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, typeof value === "number" ? Math.round(value * 10) / 10 : value);
    if (title) made.append(shape("title", {}, title));
    made.append(text);
    return made;
  }

  function drawing(width, height, label, shapes) {
    const made = shape("svg", { viewBox: `0 0 ${width} ${height}`, width, height, class: "fits", role: "img", "aria-label": label });
    made.append(...shapes);
    return made;
  }

  function figureOf(title, shown, header, rows, note = "") {
    const made = element("figure", "compared", element("figcaption", "", title), shown);
    if (note) made.append(element("p", "note", note));
    if (rows.length) made.append(element("details", "", element("summary", "", "numbers"), tableOf(header, rows, { caption: `${title}: numbers` })));
    return made;
  }

  const between = (low, high, start, stop) => (value) => start + ((value - low) / (high - low || 1)) * (stop - start);

  // Return round numbers from low to high, about `count` of them.
  function ticks(low, high, count) {
    const rough = (high - low) / count || 1, power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((factor) => factor * power).reduce((one, two) => (Math.abs(two - rough) < Math.abs(one - rough) ? two : one));
    const found = [];
    for (let value = Math.ceil(low / step - 1e-9) * step; value <= high + step * 1e-9; value += step) found.push(Math.round(value / step) * step + 0);
    return found;
  }

  // Draw how many sentences A wins, how many are tied and how many B wins, as parts of a bar.
  function wins([first, ties, second], [one, two], lines) {
    const all = first + ties + second, over = between(0, all, 0, WIDE), share = (count) => `${((100 * count) / all).toFixed(1)}%`;
    const label = `A wins ${said(first)}, ties ${said(ties)}, B wins ${said(second)}`;
    const parts = [["of-a", 0, first, `A wins ${said(first)}`], ["of-none", first, first + ties, `ties ${said(ties)}`], ["of-b", first + ties, all, `B wins ${said(second)}`]];
    const shapes = parts.map(([kind, low, high, told]) => shape("rect", { x: over(low), y: 22, width: over(high) - over(low), height: 20, class: kind }, "", told));
    shapes.push(shape("text", { x: 0, y: 14 }, parts[0][3]), shape("text", { x: WIDE / 2, y: 14, class: "middle" }, parts[1][3]), shape("text", { x: WIDE, y: 14, class: "end" }, parts[2][3]));
    const rows = [[`${one} (A) wins`, said(first), share(first)], ["ties", said(ties), share(ties)], [`${two} (B) wins`, said(second), share(second)]];
    return figureOf(`Sentences won, ${lines}`, drawing(WIDE, 46, `${label}, ${lines}`, shapes), ["", "sentences", "share"], rows);
  }

  // Draw the bars of the differences of sentences, those in which A is ahead on the right; for a metric of which the
  // lowest score is the best, on the left.
  function histogram(bars, ties, lines) {
    const title = `Differences of sentences, A − B, ${lines}`, note = `${said(ties)} sentences with equal scores are left out of the bars.`;
    if (!bars.length) return figureOf(title, element("p", "note", "All scores are equal."), [], []);
    const left = 44, bottom = 170, top = Math.max(...bars.map((bar) => bar.count)), low = bars[0].low, high = bars.at(-1).high;
    const over = between(low, high, left, WIDE - 16), up = between(0, top, bottom, 26), shapes = [];
    for (const count of ticks(0, top, 4)) {
      shapes.push(shape("line", { x1: left, x2: WIDE - 16, y1: up(count), y2: up(count), class: "grid" }), shape("text", { x: left - 5, y: up(count) + 4, class: "small end" }, said(count)));
    }
    const better = (bar) => (bar.low >= 0) !== Boolean(metric().lower);
    for (const bar of bars) {
      const told = `${tick(bar.low)} to ${tick(bar.high)}: ${said(bar.count)}`;
      shapes.push(shape("rect", { x: over(bar.low) + 0.75, y: up(bar.count), width: over(bar.high) - over(bar.low) - 1.5, height: bottom - up(bar.count), class: better(bar) ? "of-a" : "of-b" }, "", told));
    }
    for (const value of ticks(low, high, 8)) shapes.push(shape("text", { x: over(value), y: bottom + 16, class: "small middle" }, tick(value)));
    shapes.push(shape("line", { x1: over(0), x2: over(0), y1: 8, y2: bottom, class: "zero" }));
    const [before, after] = metric().lower ? ["A is better", "B is better"] : ["B is better", "A is better"];
    shapes.push(shape("text", { x: over(0) - 8, y: 16, class: "small end" }, `← ${before}`), shape("text", { x: over(0) + 8, y: 16, class: "small" }, `${after} →`));
    const rows = bars.map((bar) => [`${tick(bar.low)} to ${tick(bar.high)}`, said(bar.count)]);
    const counted = (sign) => said(bars.filter((bar) => better(bar) === sign).reduce((sum, bar) => sum + bar.count, 0));
    const label = `histogram of ${title.toLowerCase()}: A is better in ${counted(true)}, B in ${counted(false)}`;
    return figureOf(title, drawing(WIDE, bottom + 22, label, shapes), ["difference", "sentences"], rows, note);
  }

  // Draw the mean scores of A and B for sentences of each length.
  function lengths(groups, [one, two], lines) {
    const title = `Mean score of sentences by length, ${lines}`, left = 150, values = groups.flatMap((group) => [group.a, group.b]);
    const least = Math.min(...values), most = Math.max(...values), room = (most - least) * 0.08 || 50;
    const over = between(least - room, most + room, left, WIDE - 12), bottom = 28 + ROW * groups.length, shapes = [];
    for (const value of ticks(least - room, most + room, 5)) {
      shapes.push(shape("line", { x1: over(value), x2: over(value), y1: 26, y2: bottom, class: "grid" }), shape("text", { x: over(value), y: bottom + 14, class: "small middle" }, tick(value)));
    }
    shapes.push(shape("circle", { cx: left + 6, cy: 11, r: 5, class: "of-a" }), shape("text", { x: left + 16, y: 15, class: "small" }, "A"));
    shapes.push(shape("rect", { x: left + 40, y: 6.5, width: 9, height: 9, class: "of-b" }), shape("text", { x: left + 54, y: 15, class: "small" }, "B"));
    const named = (group) => `${said(group.low)}${group.low < group.high ? ` to ${said(group.high)}` : ""} words`;
    groups.forEach((group, number) => {
      const middle = 28 + ROW * number + ROW / 2, told = `${named(group)}: A ${scored(group.a)}, B ${scored(group.b)}`;
      shapes.push(shape("text", { x: left - 10, y: middle + 4, class: "small end" }, `${named(group)} (${said(group.count)})`));
      shapes.push(shape("line", { x1: over(group.a), x2: over(group.b), y1: middle, y2: middle, class: "link" }));
      shapes.push(shape("rect", { x: over(group.b) - 4.5, y: middle - 4.5, width: 9, height: 9, class: "of-b" }, "", told), shape("circle", { cx: over(group.a), cy: middle, r: 5, class: "of-a" }, "", told));
    });
    const rows = groups.map((group) => [named(group), said(group.count), scored(group.a), scored(group.b), scored(group.a - group.b)]);
    const label = `${title}: ${groups.map((group) => `${named(group)}: A ${scored(group.a)}, B ${scored(group.b)}`).join("; ")}`;
    return figureOf(title, drawing(WIDE, bottom + 20, label, shapes), ["length", "sentences", `${one} (A)`, `${two} (B)`, "difference"], rows);
  }

  // Draw how the scores of sentences of each system lie: a line from 5% to 95% of them, a bar over the middle half, a
  // white mark at the median and a dot at the mean.
  function distributions(systems, lines) {
    const title = `Scores of sentences of each system, ${lines}`, short = shortNames(systems.map((one) => one.name));
    const names = systems.map((one, number) => (one.system === state.a ? "A " : one.system === state.b ? "B " : "") + short[number]);
    const left = Math.max(...names.map((one) => one.length)) * LETTER + 10, wide = Math.max(WIDE, left + 260), bottom = 6 + ROW * systems.length;
    const least = Math.min(...systems.map((one) => one.parts[0])), most = Math.max(...systems.map((one) => one.parts[4])), shapes = [];
    const over = between(least, most, left + 8, wide - 14);
    for (const value of ticks(least, most, 6)) {
      shapes.push(shape("line", { x1: over(value), x2: over(value), y1: 4, y2: bottom, class: "grid" }), shape("text", { x: over(value), y: bottom + 14, class: "small middle" }, tick(value)));
    }
    systems.forEach((one, number) => {
      const middle = 6 + ROW * number + ROW / 2, [low, first, median, third, high] = one.parts.map(over);
      const told = `${one.name}: median ${scored(one.parts[2])}, half from ${scored(one.parts[1])} to ${scored(one.parts[3])}, mean ${scored(one.mean)}`;
      const kind = one.system === state.a ? "of-a" : one.system === state.b ? "of-b" : "of-none";
      shapes.push(shape("text", { x: left, y: middle + 4, class: names[number].startsWith("A ") || names[number].startsWith("B ") ? "end strong" : "end" }, names[number], one.name));
      shapes.push(shape("line", { x1: low, x2: high, y1: middle, y2: middle, class: "link" }, "", told));
      shapes.push(shape("rect", { x: first, y: middle - 6, width: Math.max(third - first, 1), height: 12, class: kind }, "", told));
      shapes.push(shape("rect", { x: median - 1.5, y: middle - 8, width: 3, height: 16, class: "median" }, "", told), shape("circle", { cx: over(one.mean), cy: middle, r: 3.5, class: "mean" }, "", told));
    });
    const rows = systems.map((one) => [one.name, said(one.count), scored(one.mean), ...one.parts.map(scored)]);
    const label = `${title}: ${systems.map((one) => `${one.name} median ${scored(one.parts[2])}`).join(", ")}`;
    const note = "Line: 5% to 95% of the sentences; bar: the middle half; stroke: median; dot: mean.";
    return figureOf(title, drawing(wide, bottom + 20, label, shapes), ["system", "sentences", "mean", "5%", "25%", "median", "75%", "95%"], rows, note);
  }

  // Return the beginning of a text, up to the end of a word.
  const cut = (text) => (text.length <= MOST_TEXT ? text : `${text.slice(0, MOST_TEXT).replace(/\s+\S*$/, "")} …`);

  // Return a table of what A gains or loses. N-grams have a column of their orders.
  function gainTable(title, found, edits) {
    const rows = found.map((one) => {
      const name = element("bdi", "", ...nodes(one.thing.replaceAll(BETWEEN, " "))), less = one.gains - one.loses;
      return [name, ...(edits ? [] : [String(one.order)]), said(one.gains), said(one.loses), `${less > 0 ? "+" : "−"}${said(Math.abs(less))}`];
    });
    const made = element("div", "", element("h4", "", title)), header = [...(edits ? ["edit"] : ["n-gram", "n"]), "gained", "lost", "net"];
    made.append(rows.length ? tableOf(header, rows, { caption: `${edits ? "edits" : "n-grams"}: ${title}` }) : element("p", "note", "none"));
    return made;
  }

  // Return a table of sentences, each with a link that shows it in the explorer.
  function telling(found, lines) {
    if (!found.length) return element("p", "note", "All scores are equal.");
    const base = dataset().source ?? dataset().references[0];
    const rows = found.map((one) => {
      const place = { dataset: dataset().name, metric: metric().label, a: dataset().systems[state.a], b: dataset().systems[state.b], line: dataset().numbers[one.line] };
      const link = element("a", { href: `#${new URLSearchParams(place)}` }, said(dataset().numbers[one.line]));
      const text = element("bdi", { class: "excerpt", dir: "auto" }, plain(cut(DATA.texts[base[one.line]])) || "(empty)");
      return [link, percent(one.a), percent(one.b), `${one.less > 0 ? "+" : ""}${percent(one.less)}`, text];
    });
    const header = ["line", "A", "B", "A − B", dataset().source ? "source" : "reference"];
    const made = tableOf(header, rows, { caption: "the sentences that tell most", left: [0, 4] });
    const note = `Where A and B are furthest apart, ${lines}: half of them with A ahead, half with B; of equal differences the longest sentences come first.`;
    return element("div", "telling", element("p", "note", note), made);
  }

  return { wins, histogram, lengths, distributions, gains: gainTable, telling };
})();

// What A gains and loses against B, sentence after sentence: n-grams, or for metrics of edits the edits.
const gains = (() => {
  const GOOD = new Set(["match", "added", "removed"]), BAD = new Set(["penalised", "kept", "inserted", "lost"]);
  const MOST_SHOWN = 10, SLICE = 8;
  let turn = 0, finish = () => {};

  // Return what each thing of a line counts for an output: 1 where it is right, −1 where it is wrong. A key is the
  // order of an n-gram (nothing for an edit), a tab, and the thing itself.
  const credit = (line, system) => (metric().edits ? creditOfEdits(line, system) : creditOfGrams(line, system));

  function creditOfGrams(line, system) {
    const orders = analysed(dataset(), metric(), line, system, best(dataset(), metric(), line, system)) ?? [], sums = new Map();
    for (const { n, shown, outside } of orders) {
      for (const list of [shown, outside]) {
        for (const [gram, kind] of list) {
          const worth = GOOD.has(kind) ? 1 : BAD.has(kind) ? -1 : 0, key = `${n}\t${gram}`;
          if (worth) sums.set(key, (sums.get(key) ?? 0) + worth);
        }
      }
    }
    return sums;
  }

  // The annotator is the one who counts for the score. Types are left out: some metrics have them for right edits alone.
  function creditOfEdits(line, system) {
    const { edits: judgements } = metric(), sums = new Map();
    const words = judgements.tokens[line] ?? DATA.texts[dataset().source[line]].split(/\s+/).filter((word) => word !== "");
    for (const [number, letter] of marksOf(metric(), line, system, judgements.chosen[line][system]) ?? []) {
      if (letter === "m") continue;
      const { start, end, correction } = editOf(metric(), line, number);
      const key = `\t${words.slice(start, end).join(" ") || "∅"} → ${correction || "∅"}`;
      sums.set(key, (sums.get(key) ?? 0) + (letter === "r" ? 1 : -1));
    }
    return sums;
  }

  // Add to `sums` what A gains and loses in a line: {key: {order, thing, gains, loses}}.
  function add(sums, line) {
    const one = credit(line, state.a), two = credit(line, state.b);
    for (const key of new Set([...one.keys(), ...two.keys()])) {
      const less = (one.get(key) ?? 0) - (two.get(key) ?? 0);
      if (!less) continue;
      const at = key.indexOf("\t");
      if (!sums.has(key)) sums.set(key, { order: Number(key.slice(0, at)), thing: key.slice(at + 1), gains: 0, loses: 0 });
      sums.get(key)[less > 0 ? "gains" : "loses"] += Math.abs(less);
    }
  }

  // Compare as soon as the place comes into sight, in slices of a few milliseconds, so that keys are never late; then
  // draw. Before the page is printed all is compared at once.
  function compareIn(into, found, where) {
    const sums = new Map(), mine = turn;
    const text = (line, system) => systemText(dataset(), line, system);
    const differ = found.map((one) => one.line).filter((line) => metric().bySystem || text(line, state.a) !== text(line, state.b));
    let at = 0;
    const compare = (end) => {
      if (mine !== turn || !into.hasAttribute("aria-busy")) return; // others were chosen meanwhile, or all is done
      for (; at < differ.length && performance.now() < end; at++) add(sums, differ[at]);
      if (at < differ.length) setTimeout(() => compare(performance.now() + SLICE));
      else draw(into, [...sums.values()], where);
    };
    const sight = new IntersectionObserver((seen) => {
      if (!seen.some((one) => one.isIntersecting)) return;
      sight.disconnect();
      compare(performance.now() + SLICE);
    }, { rootMargin: "100%" });
    sight.observe(into);
    finish = () => compare(Infinity);
  }

  function draw(into, found, where) {
    const orders = [...new Set(found.map((one) => one.order))].sort((one, two) => one - two);
    const choice = element("select"), tables = element("div", "sides");
    const label = element("label", "", "n-grams of order ", choice);
    label.hidden = orders.length < 2;
    options(choice, [["all", "all"], ...orders.map((n) => [n, String(n)])], "all");
    const net = (one) => one.gains - one.loses;
    const drawTables = () => {
      const some = found.filter((one) => choice.value === "all" || choice.value === String(one.order));
      const top = (sign) => some.filter((one) => sign * net(one) > 0)
        .sort((one, two) => sign * (net(two) - net(one)) || one.order - two.order || (one.thing < two.thing ? -1 : 1)).slice(0, MOST_SHOWN);
      tables.replaceChildren(...[["A gains", 1], ["A loses", -1]].map(([title, sign]) => drawn.gains(title, top(sign), Boolean(metric().edits))));
      copying(tables);
      tidyStops(tables);
    };
    choice.addEventListener("change", drawTables);
    drawTables();
    const sum = (key) => said(found.reduce((all, one) => all + one[key], 0));
    const rule = metric().edits
      ? "an edit that is right for A and not for B is a gain, and so is a wrong one that B makes and A does not. The annotators are those who count for the score"
      : "an n-gram that counts for A and not for B is a gain, and so is one that counts against B and not against A. Each output is beside its best reference";
    into.replaceChildren(element("p", "note", `A gains ${sum("gains")} and loses ${sum("loses")} against B, ${where}: ${rule}.`), label, tables);
    into.removeAttribute("aria-busy");
  }

  // Return the nodes of this part, which fill themselves later. `found` has the lines with a score of both systems.
  function parts(found, where) {
    const things = metric().edits ? "edits" : "n-grams", title = element("h3", "", `${metric().edits ? "Edits" : "N-grams"} that A gains and loses`);
    if (!metric().rule && !metric().edits) return [title, element("p", "note", `${metric().called} counts no n-grams and judges no edits.`)];
    const into = element("div", "gains", element("p", "note", `The ${things} are compared when they come into sight.`));
    into.setAttribute("aria-busy", "true");
    compareIn(into, found, where);
    return [title, into];
  }

  return { parts, stop: () => turn++, finish: () => finish() };
})();

// Compares A and B by the chosen metric: the difference of their scores with the test of the run, and what the scores of
// the sentences in this page say. The numbers of tests are from `pairs.py`. How they are drawn: compare_figures.js.
const comparison = (() => {
  const PAIRS = JSON.parse(byId("pairs").textContent), controls = byId("pair"), place = byId("compared");
  const TELLING = 10, MOST_BINS = 10, FIFTHS = 5;
  let shown = "", later = 0;

  const own = (line, system) => score(dataset(), metric(), line, system, -1);
  const whole = () => dataset().numbers.length === dataset().total;
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
    const all = [];
    for (const system of rankedSystems()) {
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
    const found = difference(), title = `${name(state.a)} − ${name(state.b)} by ${metric().called}: `;
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
    if (!found.length) return [...made, element("p", "note", `${metric().called} has no scores of sentences, so there is nothing more to compare.`)];
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
    byId("compare").hidden = dataset().systems.length < 2;
    drawChoices(controls.elements);
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
