"use strict";
// Draws the list, the controls and the sentence as the state says.
const byId = (id) => document.getElementById(id);
const form = byId("controls"), detail = byId("detail"), help = byId("help");
const list = new VirtualList(byId("list"), byId("track"), drawRow, (line) => show(line));

function drawRow(line, row) {
  const own = dataset(), text = DATA.texts[(own.source ?? own.references[0])[line]];
  const head = element("div", "rowhead", element("span", "number", own.numbers[line].toLocaleString("en")));
  head.append(element("span", "value", `A ${percent(value(line, state.a))}`));
  if (state.b >= 0) {
    const one = value(line, state.a), two = value(line, state.b);
    const less = one === null || two === null ? null : one - two;
    const ahead = metric().lower ? -less : less;
    head.append(element("span", "value", `B ${percent(two)}`));
    head.append(element("span", `less ${ahead > 0 ? "up" : ahead < 0 ? "down" : ""}`, less === null ? "" : `${less > 0 ? "▲ +" : less < 0 ? "▼ " : "= "}${percent(less)}`));
  }
  row.append(head, excerpt(text));
}

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
  options(fields.reference, [[-1, "all"], ...(apart ? numbersOf(metric()).map((name, number) => [number, name]) : [])], state.reference);
  fields.reference.disabled = !apart;
  const against = [...(own.source ? ["source"] : []), ...own.references.map((_, number) => `reference ${number}`), "nothing"];
  if (!against.includes(state.against)) state.against = usualAgainst(own);
  options(fields.against, against.map((name) => [name, name]), state.against);
  drawMakers(fields.edits, judgeOf(own, metric()));
  for (const key of ["sort", "wins", "edits"]) fields[key].value = state[key];
  fields.edits.disabled = !own.source && !judgeOf(own, metric());
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

// Make the list anew and draw the sentence: the same as before if the list still has it. `told` is that of show().
function update(told = true) {
  const own = dataset();
  drawControls();
  drawAgreement();
  const lines = wantedLines();
  list.set(lines);
  const number = lines.length.toLocaleString("en"), all = own.numbers.length.toLocaleString("en");
  byId("found").textContent = lines.length === own.numbers.length ? `${all} sentences` : `${number} of ${all} sentences`;
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
