"use strict";
// Draws n-grams and other parts of an output, with those of the reference that it lacks.
const MOST_GRAMS = 400;

// Return a button that folds matched parts or unfolds them.
function foldButton() {
  const button = element("button", "fold", state.whole ? "differences only" : "all n-grams");
  button.type = "button";
  button.dataset.action = "whole";
  button.title = "n-grams: all, or differences only (d)";
  return button;
}

// Return the parts in which runs of matched ones are one.
function folded(parts) {
  const found = [];
  for (const [part, kind] of parts) {
    if (kind !== "match") found.push([part, kind]);
    else if (found.at(-1)?.[1] === "folded") found.at(-1)[0]++;
    else found.push([1, "folded"]);
  }
  return found;
}

// Return in words which parts are matched, penalised and so on, for those who do not see the colours.
function spoken(parts) {
  const groups = new Map();
  for (const [part, kind] of parts.slice(0, MOST_GRAMS)) {
    const name = kind === "folded" ? "matched" : TOLD[kind].split(":")[0];
    if (!groups.has(name)) groups.set(name, []);
    groups.get(name).push(kind === "folded" ? `${part} in a row` : plain(part.replaceAll(BETWEEN, " ")));
  }
  return [...groups].map(([name, own]) => `${name}: ${own.join(", ")}`).join(". ");
}

// Return a line of parts: first those of the output in their sequence, then those that it lacks.
function gramLine(label, { shown, outside }) {
  const all = [...(state.whole ? shown : folded(shown)), ...outside];
  const line = element("div", "grams", element("span", "order", label), element("span", "hidden", spoken(all)));
  line.setAttribute("role", "group");
  line.setAttribute("aria-label", `n-grams, ${label}`);
  const draw = (list) => list.map(([gram, kind]) => {
    const chip = element("span", `gram ${kind}`, ...(kind === "folded" ? [`${gram} ✓`] : nodes(gram.replaceAll(BETWEEN, " "))));
    chip.ariaHidden = "true"; // the hidden text says the same in fewer pieces
    chip.title = kind === "folded" ? `${gram} matched` : TOLD[kind];
    return chip;
  });
  line.append(...draw(all.slice(0, MOST_GRAMS)));
  if (all.length > MOST_GRAMS) {
    const more = element("button", "", `${(all.length - MOST_GRAMS).toLocaleString("en")} more`);
    more.type = "button";
    more.addEventListener("click", () => more.replaceWith(...draw(all.slice(MOST_GRAMS))));
    line.append(more);
  }
  if (!all.length) line.append(element("span", "dim", "none"));
  return line;
}
