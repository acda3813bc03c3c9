"use strict";
// The figures and tables of the comparison of A and B. Each figure says in its label what it shows, and has a table of
// its numbers behind it.
const drawn = (() => {
  const SPACE = "http://www.w3.org/2000/svg", WIDE = 460, ROW = 22, LETTER = 7.2, NAME = 32, MOST_TEXT = 200;
  const said = (number) => number.toLocaleString("en");
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

  // Return a table with a hidden caption. The columns in `left` are text; a cell may be text or a node.
  function tableOf(caption, header, rows, left = [0]) {
    const cell = (tag, content, column) => element(tag, left.includes(column) ? "left" : "", content);
    const head = header.map((title, column) => Object.assign(cell("th", title, column), { scope: "col" }));
    const body = rows.map((row) => element("tr", "", ...row.map((content, column) =>
      column ? cell("td", content, column) : Object.assign(cell("th", content, column), { scope: "row" }))));
    const made = element("table", "", element("caption", "hidden", caption), element("thead", "", element("tr", "", ...head)), element("tbody", "", ...body));
    const around = element("div", "scroll", made);
    around.tabIndex = 0;
    around.setAttribute("role", "region");
    around.setAttribute("aria-label", caption);
    return around;
  }

  function figureOf(title, shown, header, rows, note = "") {
    const made = element("figure", "compared", element("figcaption", "", title), shown);
    if (note) made.append(element("p", "note", note));
    if (rows.length) made.append(element("details", "", element("summary", "", "numbers"), tableOf(`${title}: numbers`, header, rows)));
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
    const title = `Differences of sentences, A less B, ${lines}`, note = `${said(ties)} sentences with equal scores are left out of the bars.`;
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
    made.append(rows.length ? tableOf(`${edits ? "edits" : "n-grams"}: ${title}`, header, rows) : element("p", "note", "none"));
    return made;
  }

  // Return a table of sentences, each with a link that shows it in the explorer.
  function telling(found, lines) {
    if (!found.length) return element("p", "note", "All scores are equal.");
    const base = dataset().source ?? dataset().references[0];
    const rows = found.map((one) => {
      const link = element("a", "", said(dataset().numbers[one.line])), address = new URLSearchParams();
      for (const [key, value] of [["dataset", dataset().name], ["metric", metric().label], ["a", dataset().systems[state.a]], ["b", dataset().systems[state.b]], ["line", dataset().numbers[one.line]]]) address.set(key, value);
      link.href = `#${address}`;
      const text = element("bdi", "excerpt", plain(cut(DATA.texts[base[one.line]])) || "(empty)");
      text.dir = "auto";
      return [link, percent(one.a), percent(one.b), `${one.less > 0 ? "+" : ""}${percent(one.less)}`, text];
    });
    const made = tableOf("the sentences that tell most", ["line", "A", "B", "A − B", dataset().source ? "source" : "reference"], rows, [0, 4]);
    const note = `Where A and B are furthest apart, ${lines}: half of them with A ahead, half with B; of equal differences the longest sentences come first.`;
    return element("div", "telling", element("p", "note", note), made);
  }

  return { wins, histogram, lengths, distributions, gains: gainTable, telling };
})();
