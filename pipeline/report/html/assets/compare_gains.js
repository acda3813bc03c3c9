"use strict";
// What A gains and loses against B, sentence after sentence: n-grams, or for metrics of edits the edits.
const gains = (() => {
  const GOOD = new Set(["match", "removed"]), BAD = new Set(["penalised", "kept", "inserted", "lost"]);
  const MOST_SHOWN = 10, SLICE = 8;
  const said = (number) => number.toLocaleString("en");
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
    if (!metric().rule && !metric().edits) return [title, element("p", "note", `${metric().label} counts no n-grams and judges no edits.`)];
    const into = element("div", "gains", element("p", "note", `The ${things} are compared when they come into sight.`));
    into.setAttribute("aria-busy", "true");
    compareIn(into, found, where);
    return [title, into];
  }

  return { parts, stop: () => turn++, finish: () => finish() };
})();
