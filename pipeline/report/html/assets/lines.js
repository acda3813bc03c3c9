"use strict";
// Filters, search and sorting decide which sentences are in the list, and in which order.
function sortKey() {
  const own = dataset(), systems = own.systems.map((_, number) => number);
  const size = (line) => DATA.texts[(own.source ?? own.references[0])[line]].length;
  const difference = (line) => (goodness(line, state.a) ?? 0) - (goodness(line, state.b) ?? 0);
  const spread = (line) => {
    const known = systems.map((system) => value(line, system)).filter((one) => one !== null);
    return known.length ? Math.max(...known) - Math.min(...known) : 0;
  };
  return {
    line: () => 0,
    worst: (line) => goodness(line, state.a) ?? Infinity,
    best: (line) => -(goodness(line, state.a) ?? -Infinity),
    ahead: (line) => -difference(line),
    behind: difference,
    apart: (line) => -Math.abs(difference(line)),
    spread: (line) => -spread(line),
    longest: (line) => -size(line),
    shortest: size,
  }[state.sort];
}

// Return whether a text has what is searched for, null where nothing is.
function matcher() {
  const expression = hitExpression();
  if (!expression) return form.elements.q.validity.customError ? () => false : null;
  if (/^\/.+\/i?$/.test(state.q.trim())) return (text) => text.search(expression) >= 0;
  const folded = state.q.trim().toLowerCase();
  return (text) => text.toLowerCase().includes(folded);
}

function wantedLines() {
  const own = dataset(), found = [], matches = matcher(), seen = new Map();
  const hit = (number) => {
    if (!seen.has(number)) seen.set(number, matches(DATA.texts[number]));
    return seen.get(number);
  };
  const wins = {
    a: (one, two) => one > two,
    b: (one, two) => one < two,
    tie: (one, two) => one === two,
    differ: (one, two) => one !== two,
  }[state.wins];
  const judge = judgeOf(own, metric());
  for (let line = 0; line < own.numbers.length; line++) {
    if (wins && state.b >= 0 && !wins(goodness(line, state.a), goodness(line, state.b))) continue;
    if (state.edits.startsWith("by-")) {
      if (!agreement(own, judge, line, state.a)?.[state.edits.slice(3)]) continue;
    } else if (state.edits !== "all" && own.source) {
      if ((alike(systemText(own, line, state.a)) === alike(own.source[line])) !== (state.edits === "unchanged")) continue;
    }
    if (matches) {
      const texts = [...(own.source ? [own.source[line]] : []), ...own.references.map((one) => one[line])];
      if (!texts.some(hit) && !own.outputs.slice(own.starts[line], own.starts[line + 1]).some(hit)) continue;
    }
    found.push(line);
  }
  const key = sortKey(), keys = new Map(found.map((line) => [line, key(line)]));
  return found.sort((one, two) => keys.get(one) - keys.get(two) || one - two);
}
