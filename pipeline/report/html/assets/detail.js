"use strict";
// One sentence: its source, its references, all scores, and a card for each different output.

// Draw a sentence. A source that is much longer than the outputs stands beside them.
function drawDetail(place, state, dataset, metric, line) {
  const source = dataset.source ? dataset.source[line] : null, before = againstText(state, dataset, line), beside = summarises(dataset);
  const given = source === null ? [] : [textBlock("source", source, state.against === "source" ? null : before)];
  const references = dataset.references.map((list, number) => {
    if (isMissing(dataset, line, number)) return named(`reference ${number}`, element("span", "dim", "(none for this sentence)"));
    return textBlock(`reference ${number}`, list[line], state.against === `reference ${number}` ? null : before);
  });
  const groups = groupsOf(state, dataset, metric, line);
  const cards = drawCards(groups, (group) => card(state, dataset, metric, line, group, before));
  const rest = [...scoreTable(state, dataset, line, groups), cards];
  place.classList.toggle("beside", beside);
  const parts = beside
    ? [element("div", "given source", ...given), element("div", "", element("div", "given", ...references), ...rest)]
    : [element("div", "given", ...given, ...references), ...rest];
  const expression = hitExpression();
  for (const part of parts) markHits(part, expression);
  place.replaceChildren(heading(dataset, metric, line), ...parts);
}

function textBlock(name, number, against) {
  return named(name, marked(DATA.texts[number], against), ...cutNote(number));
}

function named(name, ...children) {
  return element("div", "named", element("h4", "", name), ...children);
}

function cutNote(number) {
  if (!Object.hasOwn(DATA.cut, number)) return [];
  const whole = DATA.cut[number].toLocaleString("en");
  return [element("p", "note", `… cut: the first ${DATA.maxText.toLocaleString("en")} of ${whole} characters`)];
}

function heading(dataset, metric, line) {
  const title = element("h3", "", `line ${dataset.numbers[line].toLocaleString("en")} `, element("small", "", dataset.name));
  const buttons = element("div", "buttons");
  for (const [name, label, hint] of [["previous", "‹ k", "the sentence before (k)"], ["next", "j ›", "next sentence (j)"], ["link", "copy link", "a link to this sentence"], ["latex", "LaTeX", "copy the texts with the edits of A and B as a figure in LaTeX"], ["markdown", "Markdown", "copy the texts with the edits of A and B as Markdown"]]) {
    const button = element("button", "", label);
    button.type = "button";
    button.dataset.action = name;
    button.title = hint;
    if (["previous", "next"].includes(name)) button.setAttribute("aria-label", hint);
    buttons.append(button);
  }
  return element("div", "heading", title, buttons);
}

// Return the text against which edits are marked, null for none.
function againstText(state, dataset, line) {
  if (state.against === "source") return dataset.source ? DATA.texts[dataset.source[line]] : null;
  const number = state.against.startsWith("reference ") ? Number(state.against.slice(10)) : -1;
  return number >= 0 && number < dataset.references.length ? DATA.texts[dataset.references[number][line]] : null;
}
