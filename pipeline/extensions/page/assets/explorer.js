"use strict";
// A list of any length. Only the rows in sight are elements of the page.
const ROW_HEIGHT = 58;

class VirtualList {
  // draw(item, row) fills a row, and choose(item) is called when an item is chosen.
  constructor(list, track, draw, choose) {
    Object.assign(this, { list, track, draw, choose, items: [], at: -1, rows: new Map() });
    list.addEventListener("scroll", () => this.show(), { passive: true });
    list.addEventListener("click", (event) => {
      const row = event.target.closest("[role=option]");
      if (row) this.choose(this.items[Number(row.dataset.index)]);
    });
    new ResizeObserver(() => this.show()).observe(list);
  }

  set(items) {
    this.items = items;
    this.track.style.height = `${items.length * ROW_HEIGHT}px`;
    this.clear();
    this.show();
  }

  clear() {
    for (const row of this.rows.values()) row.remove();
    this.rows.clear();
  }

  // Mark an item as chosen and bring it into sight.
  select(item) {
    this.at = this.items.indexOf(item);
    if (this.at >= 0) {
      const top = this.at * ROW_HEIGHT, list = this.list;
      const above = list.scrollTop - top, below = top + ROW_HEIGHT - list.scrollTop - list.clientHeight;
      if (Math.max(above, below) > 2 * ROW_HEIGHT) list.scrollTop = top - (list.clientHeight - ROW_HEIGHT) / 2;
      else if (above > 0) list.scrollTop = top;
      else if (below > 0) list.scrollTop += below;
    }
    this.show();
    for (const [index, row] of this.rows) row.setAttribute("aria-selected", String(index === this.at));
    if (this.rows.has(this.at)) this.list.setAttribute("aria-activedescendant", `row-${this.at}`);
    else this.list.removeAttribute("aria-activedescendant");
  }

  show() {
    const low = Math.max(0, Math.floor(this.list.scrollTop / ROW_HEIGHT) - 4);
    const high = Math.min(this.items.length, Math.ceil((this.list.scrollTop + this.list.clientHeight) / ROW_HEIGHT) + 4);
    for (const [index, row] of this.rows) {
      if (index < low || index >= high) {
        row.remove();
        this.rows.delete(index);
      }
    }
    for (let index = low; index < high; index++) {
      if (this.rows.has(index)) continue;
      const place = { "aria-setsize": this.items.length, "aria-posinset": index + 1, "aria-selected": index === this.at };
      const row = element("div", { class: "row", id: `row-${index}`, "data-index": index, role: "option", ...place });
      row.style.transform = `translateY(${index * ROW_HEIGHT}px)`;
      this.draw(this.items[index], row);
      this.track.append(row);
      this.rows.set(index, row);
    }
  }
}

// The state says what the page shows. It is kept in the address, so that a link leads back to it.
const DEFAULTS = { dataset: 0, metric: 0, a: 0, b: 1, reference: -1, against: "source", sort: "line", wins: "all", edits: "all", q: "", line: -1, grams: false, whole: false, scores: false, part: "sentences" };
const SWITCHES = ["grams", "whole", "scores"];
const state = { ...DEFAULTS };
const PAUSE = 200;
let written = "", waiting = 0;

const dataset = () => DATA.datasets[state.dataset];
const metric = () => dataset().metrics[state.metric];
const value = (line, system) => score(dataset(), metric(), line, system, state.reference);
// The score turned so that the highest is the best.
const goodness = (line, system) => (metric().lower && value(line, system) !== null ? -value(line, system) : value(line, system));

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
  state.reference = place(numbersOf(metric()), "reference", -1);
  for (const key of ["sort", "wins", "edits"]) if ([...form.elements[key].options].some((one) => one.value === given.get(key))) state[key] = given.get(key);
  state.against = given.get("against") ?? usualAgainst(own);
  state.q = given.get("q") ?? "";
  for (const key of SWITCHES) state[key] = given.get(key) === "1";
  if (given.get("part") === "compare") state.part = "compare";
  state.line = own.numbers.indexOf(Number(given.get("line") ?? NaN));
}

// Return what edits are marked against if nothing is asked for: the source, but not that of summaries.
function usualAgainst(own) {
  return own.source && !summarises(own) ? "source" : "nothing";
}

// Write the address after a pause, since browsers refuse to change it many times in a second.
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
  if (state.reference >= 0) kept.set("reference", numbersOf(metric())[state.reference]);
  for (const key of ["sort", "wins", "edits", "q"]) if (state[key] !== DEFAULTS[key]) kept.set(key, state[key]);
  if (state.against !== usualAgainst(own)) kept.set("against", state.against);
  for (const key of SWITCHES) if (state[key]) kept.set(key, "1");
  if (state.part !== DEFAULTS.part) kept.set("part", state.part);
  if (state.line >= 0) kept.set("line", own.numbers[state.line]);
  for (const [key, text] of resultParts()) kept.set(key, text);
  written = `#${kept}`;
  history.replaceState(null, "", written);
}

// Return the systems that the metric has scored, the best first.
function rankedSystems() {
  const own = dataset(), rank = (system) => metric().scores[own.systems[system]][0];
  const known = own.systems.map((_, number) => number).filter((number) => hasSystem(own, metric(), number));
  return known.sort((one, two) => rank(one) - rank(two) || one - two);
}

// Return the systems with the best two ranks, -1 where there is no second.
function leaders() {
  const [first = 0, second = -1] = rankedSystems();
  return [first, second];
}

// What a search finds: which texts fit, and the marks in them.
const MOST_HITS = 500;

// Return the search as a regular expression, null where there is none or it is wrong; the field then says why.
function hitExpression() {
  const wanted = state.q.trim(), pattern = /^\/(.+)\/(i?)$/.exec(wanted), input = form.elements.q;
  input.setCustomValidity("");
  if (!pattern) return wanted ? new RegExp(wanted.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "giu") : null;
  try {
    return new RegExp(pattern[1], `gu${pattern[2]}`);
  } catch (error) {
    input.setCustomValidity(error.message);
    input.reportValidity();
    return null;
  }
}

// Mark what was searched for in the texts of an element. Deleted words and labels are no part of a text.
function markHits(root, expression) {
  if (!expression) return;
  for (const text of root.matches?.(".excerpt") ? [root] : root.querySelectorAll(".text")) markIn(text, expression);
}

function markIn(text, expression) {
  const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT), pieces = [];
  let whole = "";
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node.parentElement.closest("del, small, .odd, .wanted") || node.data === "\u2009") continue;
    pieces.push({ node, start: whole.length });
    whole += node.data;
  }
  const hits = [];
  for (const match of whole.matchAll(expression)) {
    if (match[0] && hits.push([match.index, match.index + match[0].length]) === MOST_HITS) break;
  }
  let first = 0;
  for (const { node, start } of pieces) {
    const end = start + node.data.length, parts = [];
    let at = start;
    while (first < hits.length && hits[first][1] <= start) first++;
    for (let number = first; number < hits.length && hits[number][0] < end; number++) {
      const [low, high] = [Math.max(hits[number][0], start), Math.min(hits[number][1], end)];
      if (at < low) parts.push(whole.slice(at, low));
      parts.push(element("mark", "", whole.slice(low, high)));
      at = high;
    }
    if (parts.length) node.replaceWith(...parts, ...(at < end ? [whole.slice(at, end)] : []));
  }
}

// Return the part of a text that a row of the list shows: the beginning, or where a search finds something.
function excerpt(text) {
  const expression = hitExpression(), at = expression ? text.search(expression) : -1, start = at > 40 ? at - 20 : 0;
  const shown = element("bdi", { class: "excerpt", dir: "auto" }, (start ? "… " : "") + (plain(text.slice(start, start + 200)) || "(empty)"));
  markHits(shown, expression);
  return shown;
}

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
      if (!(own.ids && matches(own.ids[line])) && !texts.some(hit) && !own.outputs.slice(own.starts[line], own.starts[line + 1]).some(hit)) continue;
    }
    found.push(line);
  }
  const key = sortKey(), keys = new Map(found.map((line) => [line, key(line)]));
  return found.sort((one, two) => keys.get(one) - keys.get(two) || one - two);
}

// Draws the list, the controls and the sentence as the state says.
const byId = (id) => document.getElementById(id);
const form = byId("controls"), detail = byId("detail"), help = byId("help");
const list = new VirtualList(byId("list"), byId("track"), drawRow, (line) => show(line));

function drawRow(line, row) {
  const own = dataset(), text = DATA.texts[(own.source ?? own.references[0])[line]];
  const head = element("div", "rowhead", element("span", "number", said(own.numbers[line])));
  head.append(element("span", "value a", `A ${percent(value(line, state.a))}`));
  if (state.b >= 0) {
    const one = value(line, state.a), two = value(line, state.b);
    const less = one === null || two === null ? null : one - two;
    const ahead = metric().lower ? -less : less;
    head.append(element("span", "value b", `B ${percent(two)}`));
    head.append(element("span", `less ${ahead > 0 ? "up" : ahead < 0 ? "down" : ""}`, less === null ? "" : `${less > 0 ? "▲ +" : less < 0 ? "▼ " : "= "}${percent(less)}`));
  }
  row.append(head, excerpt(text));
}

function options(select, entries, chosen) {
  select.replaceChildren(...entries.map(([key, label]) => new Option(label, key)));
  select.value = String(chosen);
}

// Draw the choices of data set, metric and systems, which the explorer and the comparison have.
function drawChoices(fields) {
  const numbered = (names) => names.map((name, number) => [number, name]), systems = numbered(dataset().systems);
  options(fields.dataset, numbered(DATA.datasets.map((one) => one.name)), state.dataset);
  options(fields.metric, numbered(dataset().metrics.map((one) => one.called)), state.metric);
  options(fields.a, systems, state.a);
  options(fields.b, [[-1, "none"], ...systems], state.b);
  fields.dataset.closest("label").hidden = DATA.datasets.length === 1;
}

function drawControls() {
  const own = dataset(), fields = form.elements;
  drawChoices(fields);
  const apart = metric().apart > 1;
  if (!apart) state.reference = -1;
  options(fields.reference, [[-1, "all"], ...(apart ? numbersOf(metric()).map((name, number) => [number, name]) : [])], state.reference);
  fields.reference.disabled = !apart;
  const against = [...(own.source ? ["source"] : []), ...own.references.map((_, number) => `reference ${number + 1}`), "nothing"];
  if (!against.includes(state.against)) state.against = usualAgainst(own);
  options(fields.against, against.map((name) => [name, name]), state.against);
  drawMakers(fields.edits, judgeOf(own, metric()));
  for (const key of ["sort", "wins", "edits"]) fields[key].value = state[key];
  fields.edits.disabled = !own.source && !judgeOf(own, metric());
  fields.wins.disabled = state.b < 0;
  if (fields.q.value !== state.q) fields.q.value = state.q;
  const scope = byId("scope"), all = own.numbers.length === own.total;
  scope.hidden = all;
  if (!all) scope.textContent = `${said(own.numbers.length)} of ${said(own.total)} lines are in this page: ${DATA.rule}. The scores above are those of all lines.`;
}

// Make the list anew and draw the sentence: the same as before if the list still has it. `told` is that of show().
function update(told = true) {
  const own = dataset();
  drawControls();
  drawAgreement();
  const lines = wantedLines();
  list.set(lines);
  const all = `${said(own.numbers.length)} sentences`;
  byId("found").textContent = lines.length === own.numbers.length ? all : `${said(lines.length)} of ${all}`;
  show(lines.includes(state.line) ? state.line : lines.length ? lines[0] : -1, told);
  comparison.draw();
}

// Show a sentence. If `told` is true, write it into the address too.
function show(line, told = true) {
  state.line = line;
  list.select(line);
  if (line >= 0) drawDetail(detail, state, dataset(), metric(), line);
  else detail.replaceChildren(element("p", "note", "No sentence fits."));
  if (told) writeAddress();
}

function step(by) {
  if (!list.items.length) return;
  state.part = DEFAULTS.part;
  const at = list.at < 0 ? (by > 0 ? 0 : list.items.length - 1) : list.at + by;
  show(list.items[Math.max(0, Math.min(list.items.length - 1, at))]);
  if (detail.getBoundingClientRect().top < 0 || detail.getBoundingClientRect().top > innerHeight) {
    byId("explorer").scrollIntoView({ block: "start" });
  }
}
