"use strict";
// What happens when a person chooses, clicks or types. The last lines start the explorer.
form.addEventListener("submit", (event) => {
  event.preventDefault();
  byId("list").focus();
});
form.addEventListener("input", (event) => {
  const { name, value: chosen } = event.target;
  if (["dataset", "metric", "a", "b", "reference"].includes(name)) state[name] = Number(chosen);
  else state[name] = chosen;
  state.part = DEFAULTS.part;
  if (name === "dataset") {
    Object.assign(state, { metric: 0, line: -1, reference: -1, against: usualAgainst(dataset()) });
    [state.a, state.b] = leaders();
  }
  if (name === "sort" || name === "q") state.line = -1; // start at the first sentence of the new order
  update();
});

const actions = {
  next: () => step(1),
  previous: () => step(-1),
  link: (pressed) => {
    state.part = DEFAULTS.part;
    writeNow();
    copy(location.href, pressed);
  },
  swap: () => {
    if (state.b < 0) return;
    [state.a, state.b] = [state.b, state.a];
    update();
  },
  clear: () => {
    Object.assign(state, { wins: "all", edits: "all", q: "" });
    update();
  },
  ...Object.fromEntries(SWITCHES.map((name) => [name, () => {
    state[name] = !state[name];
    show(state.line);
  }])),
  picture: (pressed) => finding.sentence(pressed),
  latex: (pressed) => copy(latexOf(exampleOf(state.line)), pressed),
  markdown: (pressed) => copy(markdownOf(exampleOf(state.line)), pressed),
  help: () => (help.open ? help.close() : help.showModal()),
};
byId("agreement").addEventListener("toggle", drawAgreement);
byId("swap").addEventListener("click", actions.swap);
byId("pair-picture").addEventListener("click", (event) => {
  state.part = "compare";
  finding.comparison(event.currentTarget);
});
byId("clear").addEventListener("click", actions.clear);
byId("keys").addEventListener("click", actions.help);
detail.addEventListener("click", (event) => {
  const pressed = event.target.closest("[data-action]");
  if (!pressed) return;
  actions[pressed.dataset.action](pressed);
  if (!pressed.isConnected) detail.querySelector(`[data-action=${pressed.dataset.action}]`)?.focus(); // it was drawn anew
});

const KEYS = { j: actions.next, k: actions.previous, n: actions.grams, x: actions.swap, d: actions.whole, m: actions.scores, "?": actions.help };
const LIST_KEYS = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8, Home: -Infinity, End: Infinity };

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const typing = event.target.closest("input, select, textarea");
  if (event.key === "Escape" && event.target === form.elements.q && state.q) {
    state.q = "";
    update();
  } else if (event.key === "Escape" && typing) {
    typing.blur();
  } else if (help.open && event.key !== "?") {
    return;
  } else if (!typing && event.key === "/") {
    form.elements.q.focus();
    form.elements.q.select();
  } else if ((!typing || (typing.matches("select") && "jk".includes(event.key))) && Object.hasOwn(KEYS, event.key)) {
    KEYS[event.key]();
  } else if (event.target === byId("list") && Object.hasOwn(LIST_KEYS, event.key)) {
    step(LIST_KEYS[event.key]);
  } else {
    return;
  }
  event.preventDefault();
});

window.addEventListener("hashchange", () => {
  clearTimeout(waiting);
  if (location.hash === written || !leadsToSentences()) return;
  readAddress();
  update();
  byId(state.part).scrollIntoView();
});

form.hidden = byId("explorer").hidden = false;
const linked = leadsToSentences();
readAddress();
update(linked);
if (linked) byId(state.part).scrollIntoView();
