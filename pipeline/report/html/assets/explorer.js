"use strict";
// What is shown: the state, kept in the address; controls, keys, order and filters of the list.
const DEFAULTS = { dataset: 0, metric: 0, a: 0, b: 1, reference: -1, against: "source", sort: "line", wins: "all", edits: "all", q: "", line: -1, grams: false };
const CHOICES = { sort: ["line", "worst", "best", "ahead", "behind", "apart", "spread", "longest", "shortest"], wins: ["all", "a", "b", "tie", "differ"], edits: ["all", "changed", "unchanged"] };
const state = { ...DEFAULTS };
const byId = (id) => document.getElementById(id);
const form = byId("controls"), detail = byId("detail"), help = byId("help");
const list = new VirtualList(byId("list"), byId("track"), drawRow, (line) => show(line));
const PAUSE = 200;
let written = "", waiting = 0;

const dataset = () => DATA.datasets[state.dataset];
const metric = () => dataset().metrics[state.metric];
const value = (line, system) => score(dataset(), metric(), line, system, state.reference);

// --- the address

function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  const before = given.has("dataset") ? given.get("dataset") : DATA.datasets[state.dataset].name;
  Object.assign(state, DEFAULTS);
  state.dataset = Math.max(0, DATA.datasets.findIndex((one) => one.name === before));
  const own = dataset(), place = (names, key, other) => (given.has(key) && names.includes(given.get(key)) ? names.indexOf(given.get(key)) : other);
  state.metric = place(own.metrics.map((one) => one.label), "metric", 0);
  const [first, second] = leaders();
  state.a = place(own.systems, "a", first);
  state.b = given.get("b") === "" ? -1 : place(own.systems, "b", state.a === second ? first : second);
  state.reference = place(own.references.map((_, number) => String(number)), "reference", -1);
  for (const key of Object.keys(CHOICES)) if (CHOICES[key].includes(given.get(key))) state[key] = given.get(key);
  state.against = given.get("against") ?? (own.source ? "source" : "nothing");
  state.q = given.get("q") ?? "";
  state.grams = given.get("grams") === "1";
  state.line = own.numbers.indexOf(Number(given.get("line") ?? NaN));
}

// Write the address a moment later: browsers refuse to change it many times in a second.
function writeAddress() {
  clearTimeout(waiting);
  waiting = setTimeout(writeNow, PAUSE);
}

function writeNow() {
  clearTimeout(waiting);
  const own = dataset(), kept = new URLSearchParams();
  kept.set("dataset", own.name);
  kept.set("metric", metric().label);
  kept.set("a", own.systems[state.a]);
  kept.set("b", state.b < 0 ? "" : own.systems[state.b]);
  if (state.reference >= 0) kept.set("reference", state.reference);
  for (const key of ["sort", "wins", "edits", "q"]) if (state[key] !== DEFAULTS[key]) kept.set(key, state[key]);
  if (state.against !== (own.source ? "source" : "nothing")) kept.set("against", state.against);
  if (state.grams) kept.set("grams", "1");
  if (state.line >= 0) kept.set("line", own.numbers[state.line]);
  written = `#${kept}`;
  history.replaceState(null, "", written);
}

// Return the systems with the best two ranks, -1 where there is no second.
function leaders() {
  const own = dataset(), scores = metric().scores;
  const order = own.systems.map((_, number) => number).filter((number) => hasSystem(own, metric(), number));
  order.sort((one, two) => scores[own.systems[one]][0] - scores[own.systems[two]][0] || one - two);
  return [order[0] ?? 0, order[1] ?? -1];
}

// --- the list

function sortKey() {
  const own = dataset(), systems = own.systems.map((_, number) => number);
  const size = (line) => DATA.texts[(own.source ?? own.references[0])[line]].length;
  const difference = (line) => (value(line, state.a) ?? 0) - (value(line, state.b) ?? 0);
  const spread = (line) => {
    const known = systems.map((system) => value(line, system)).filter((one) => one !== null);
    return known.length ? Math.max(...known) - Math.min(...known) : 0;
  };
  return {
    line: () => 0,
    worst: (line) => value(line, state.a) ?? Infinity,
    best: (line) => -(value(line, state.a) ?? -Infinity),
    ahead: (line) => -difference(line),
    behind: difference,
    apart: (line) => -Math.abs(difference(line)),
    spread: (line) => -spread(line),
    longest: (line) => -size(line),
    shortest: size,
  }[state.sort];
}

function matcher() {
  const wanted = state.q.trim(), pattern = /^\/(.+)\/(i?)$/.exec(wanted);
  const input = form.elements.q;
  input.setCustomValidity("");
  if (pattern) {
    try {
      const expression = new RegExp(pattern[1], `u${pattern[2]}`);
      return (text) => expression.test(text);
    } catch (error) {
      input.setCustomValidity(error.message);
      input.reportValidity();
      return () => false;
    }
  }
  const folded = wanted.toLowerCase();
  return folded ? (text) => text.toLowerCase().includes(folded) : null;
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
  for (let line = 0; line < own.numbers.length; line++) {
    if (wins && state.b >= 0 && !wins(value(line, state.a), value(line, state.b))) continue;
    if (state.edits !== "all" && own.source) {
      if ((systemText(own, line, state.a) === own.source[line]) !== (state.edits === "unchanged")) continue;
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

function drawRow(line, row) {
  const own = dataset(), text = DATA.texts[(own.source ?? own.references[0])[line]];
  const head = element("div", "rowhead", element("span", "number", own.numbers[line].toLocaleString("en")));
  head.append(element("span", "value", `A ${percent(value(line, state.a))}`));
  if (state.b >= 0) {
    const one = value(line, state.a), two = value(line, state.b);
    const less = one === null || two === null ? null : one - two;
    head.append(element("span", "value", `B ${percent(two)}`));
    head.append(element("span", `less ${less > 0 ? "up" : less < 0 ? "down" : ""}`, less === null ? "" : `${less > 0 ? "▲ +" : less < 0 ? "▼ " : "= "}${percent(less)}`));
  }
  const shown = element("bdi", "excerpt", plain(text.slice(0, 200)) || "(empty)");
  shown.dir = "auto";
  row.append(head, shown);
}

// --- drawing

function options(select, entries, chosen) {
  select.replaceChildren(...entries.map(([key, label]) => {
    const option = element("option", "", label);
    option.value = key;
    return option;
  }));
  select.value = String(chosen);
}

function drawControls() {
  const own = dataset(), fields = form.elements, systems = own.systems.map((name, number) => [number, name]);
  options(fields.dataset, DATA.datasets.map((one, number) => [number, one.name]), state.dataset);
  options(fields.metric, own.metrics.map((one, number) => [number, one.label]), state.metric);
  options(fields.a, systems, state.a);
  options(fields.b, [[-1, "none"], ...systems], state.b);
  const apart = metric().apart > 1;
  if (!apart) state.reference = -1;
  options(fields.reference, [[-1, "all"], ...(apart ? own.references.map((_, number) => [number, String(number)]) : [])], state.reference);
  fields.reference.disabled = !apart;
  const against = [...(own.source ? ["source"] : []), ...own.references.map((_, number) => `reference ${number}`), "nothing"];
  if (!against.includes(state.against)) state.against = own.source ? "source" : "nothing";
  options(fields.against, against.map((name) => [name, name]), state.against);
  for (const key of ["sort", "wins", "edits"]) fields[key].value = state[key];
  fields.edits.disabled = !own.source;
  fields.wins.disabled = state.b < 0;
  if (fields.q.value !== state.q) fields.q.value = state.q;
  fields.dataset.closest("label").hidden = DATA.datasets.length === 1;
  const scope = byId("scope"), all = own.numbers.length === own.total;
  scope.hidden = all;
  if (!all) {
    const [shown, whole] = [own.numbers.length, own.total].map((number) => number.toLocaleString("en"));
    scope.textContent = `${shown} of ${whole} lines are in this page: ${DATA.rule}. The scores above are those of all lines.`;
  }
}

// Make the list anew, keep the sentence if it is still in it, and draw it.
function update(told = true) {
  const own = dataset();
  drawControls();
  const lines = wantedLines();
  list.set(lines);
  const number = lines.length.toLocaleString("en"), all = own.numbers.length.toLocaleString("en");
  byId("found").textContent = lines.length === own.numbers.length ? `${all} sentences` : `${number} of ${all} sentences`;
  if (state.line < 0 && lines.length) state.line = lines[0];
  show(state.line, told);
}

// Show a sentence; told: in the address too.
function show(line, told = true) {
  state.line = line;
  list.select(line);
  if (line >= 0) drawDetail(detail, state, dataset(), metric(), line);
  else detail.replaceChildren(element("p", "note", "No sentence fits."));
  if (told) writeAddress();
}

function step(by) {
  if (!list.items.length) return;
  const at = list.at < 0 ? (by > 0 ? 0 : list.items.length - 1) : list.at + by;
  show(list.items[Math.max(0, Math.min(list.items.length - 1, at))]);
  if (detail.getBoundingClientRect().top < 0 || detail.getBoundingClientRect().top > innerHeight) {
    byId("explorer").scrollIntoView({ block: "start" });
  }
}

// --- controls and keys

form.addEventListener("submit", (event) => {
  event.preventDefault();
  byId("list").focus();
});
form.addEventListener("input", (event) => {
  const { name, value: chosen } = event.target;
  if (["dataset", "metric", "a", "b", "reference"].includes(name)) state[name] = Number(chosen);
  else state[name] = chosen;
  if (name === "dataset") {
    Object.assign(state, { metric: 0, line: -1, reference: -1 });
    [state.a, state.b] = leaders();
  }
  if (name === "sort" || name === "q") state.line = -1; // the first of the new order
  update();
});

const actions = {
  next: () => step(1),
  previous: () => step(-1),
  link: (button) => {
    writeNow();
    copy(location.href, button);
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
  grams: () => {
    state.grams = !state.grams;
    show(state.line);
  },
  help: () => (help.open ? help.close() : help.showModal()),
};
byId("swap").addEventListener("click", actions.swap);
byId("clear").addEventListener("click", actions.clear);
byId("keys").addEventListener("click", actions.help);
detail.addEventListener("click", (event) => {
  const button = event.target.closest("[data-action]");
  if (button) actions[button.dataset.action](button);
});

const KEYS = { j: actions.next, k: actions.previous, n: actions.grams, x: actions.swap, "?": actions.help };
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
  } else if (!typing && Object.hasOwn(KEYS, event.key)) {
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
  if (location.hash === written || !location.hash.includes("=")) return;
  readAddress();
  update();
  byId("sentences").scrollIntoView();
});

form.hidden = byId("explorer").hidden = false;
const linked = location.hash.includes("=");
readAddress();
update(linked);
if (linked) byId("sentences").scrollIntoView();
