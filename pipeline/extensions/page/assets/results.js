"use strict";
// Leader boards as tabs: one is shown, and the address says which (`board=2`). Without scripts, and in print, all are.

// The parts of the address that are about results; all others are about sentences.
const RESULT_PARTS = ["board", "baseline"];

const partsOfAddress = () => [...new URLSearchParams(location.hash.includes("=") ? location.hash.slice(1) : "")];
const resultParts = () => partsOfAddress().filter(([key, value]) => RESULT_PARTS.includes(key) && value);
const leadsToSentences = () => partsOfAddress().some(([key]) => !RESULT_PARTS.includes(key));

// Write a part of the address; an empty value takes it away. A link then leads to the results.
function writeResultPart(key, value) {
  const parts = new URLSearchParams(resultParts().filter(([name]) => name !== key));
  if (value) parts.set(key, value);
  history.replaceState(null, "", parts.size ? `#${parts}` : location.pathname + location.search);
}

(() => {
  const boards = [...document.querySelectorAll("section.board")], contents = document.querySelector("ul.contents");
  if (!contents || boards.length < 2) return;
  const tabs = [...contents.querySelectorAll("a")];
  const open = (number) => {
    boards.forEach((board, at) => (board.hidden = at !== number));
    tabs.forEach((tab, at) => {
      tab.setAttribute("aria-selected", String(at === number));
      tab.tabIndex = at === number ? 0 : -1;
    });
  };
  const choose = (number) => {
    open(number);
    writeResultPart("board", String(number + 1));
  };
  // The board that the address names: as a part, or as a place in the page.
  const named = () => {
    const part = new Map(resultParts()).get("board"), place = document.getElementById(location.hash.slice(1));
    return part ? Number(part) - 1 : boards.findIndex((board) => place && board.contains(place));
  };
  const follow = () => {
    const number = named();
    if (!boards[number]) return;
    open(number);
    if (!leadsToSentences()) contents.scrollIntoView();
  };
  contents.setAttribute("role", "tablist");
  tabs.forEach((tab, number) => {
    tab.parentElement.setAttribute("role", "presentation");
    tab.setAttribute("role", "tab");
    tab.id = `tab-${number + 1}`;
    tab.setAttribute("aria-controls", boards[number].id);
    boards[number].setAttribute("role", "tabpanel");
    boards[number].setAttribute("aria-labelledby", tab.id);
    tab.addEventListener("click", (event) => {
      event.preventDefault();
      choose(number);
    });
    tab.addEventListener("keydown", (event) => {
      const last = tabs.length - 1;
      const next = { ArrowRight: number === last ? 0 : number + 1, ArrowLeft: number === 0 ? last : number - 1, Home: 0, End: last, " ": number }[event.key];
      if (next === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      choose(next);
      tabs[next].focus();
    });
  });
  open(0);
  follow();
  window.addEventListener("hashchange", follow);
})();

// Any system as the baseline: the differences of all others to it in the overview and in the boards. What is
// significant is known where the run has a test of the two. Rows of the overview are filtered by the names of systems.
(() => {
  const data = document.getElementById("scores"), choices = document.getElementById("choices");
  if (!data) return;
  const { boards, digits } = JSON.parse(data.textContent);
  const select = document.getElementById("baseline"), wanted = document.getElementById("wanted"), tested = document.getElementById("tested");
  const systems = [...new Set(Object.values(boards).flatMap((board) => board.systems))];
  const rows = () => document.querySelectorAll(".grid tbody tr");

  // Return a difference in percent with its sign, rounded half up as in the tables.
  const signed = (difference) => {
    const unit = 10 ** digits, exact = Number((100 * Math.abs(difference) * unit).toPrecision(15));
    const text = (Math.floor(exact + 0.5) / unit).toFixed(digits);
    return /[1-9]/.test(text) ? `${difference < 0 ? "−" : "+"}${text}` : text;
  };
  // Return what the run's test says of two systems: "-" without a test, "=" or "*".
  const test = (board, one, two) => {
    const [low, high] = one < two ? [one, two] : [two, one], count = board.systems.length;
    return board.tests ? board.tests[low * count - (low * (low + 1)) / 2 + high - low - 1] : "-";
  };
  // Return the difference of a system to the baseline, as an element; null where one of them has no score.
  const delta = (board, system, base) => {
    const [one, two] = [board.systems.indexOf(system), board.systems.indexOf(base)];
    if (one < 0 || two < 0 || one === two || board.scores[one] === null || board.scores[two] === null) return null;
    const sign = test(board, one, two), direction = sign === "*" ? (one < two ? "better" : "worse") : ""; // the best comes first
    const title = { "*": `significantly ${direction}`, "=": "not significant", "-": "no test was made" }[sign];
    const shown = signed(board.scores[one] - board.scores[two]) + { better: " ↑", worse: " ↓", "": "" }[direction];
    return element("span", { class: `delta ${direction}`.trim(), title }, shown);
  };

  // Return which of the pairs with the baseline the run has tested, in words.
  const told = (base) => {
    const signs = Object.values(boards).flatMap((board) => {
      const at = board.systems.indexOf(base);
      return at < 0 ? [] : board.systems.map((name, other) => [name, other === at ? "" : test(board, at, other)]).filter(([, sign]) => sign);
    });
    const names = [...new Set(signs.filter(([, sign]) => sign !== "-").map(([name]) => name))];
    if (!signs.length) return `${base} has no rival.`;
    if (!names.length) return `Differences to ${base}. No test was made of these pairs.`;
    if (signs.every(([, sign]) => sign !== "-")) return `Differences to ${base}; ↑ ↓ significantly better or worse.`;
    return `Differences to ${base}; ↑ ↓ significantly better or worse. Only ${names.join(", ")} ${names.length === 1 ? "was" : "were"} tested against it; of the others no test was made.`;
  };

  const draw = (base) => {
    document.querySelectorAll("#results .delta, #results .deltas").forEach((one) => one.remove());
    select.value = base;
    document.getElementById("results").classList.toggle("compared", base !== "");
    document.querySelectorAll(".base").forEach((one) => one.setAttribute("aria-pressed", String(one.dataset.system === base)));
    tested.textContent = base ? told(base) : "";
    if (!base) return;
    for (const row of rows()) {
      for (const cell of row.querySelectorAll("td[data-board]")) cell.append(delta(boards[cell.dataset.board], row.dataset.system, base) ?? "");
    }
    for (const [name, board] of Object.entries(boards)) {
      const table = document.querySelector(`#${CSS.escape(name)} table.ranked`);
      if (!table || !board.systems.includes(base)) continue;
      const title = `− ${base}`;
      table.tHead.rows[0].cells[3].after(element("th", { class: "deltas", scope: "col" }, title)); // after the bars
      [...table.tBodies[0].rows].forEach((row, number) => {
        row.cells[3].after(element("td", { class: "deltas", "data-title": title }, delta(board, board.systems[number], base) ?? "-"));
      });
    }
  };
  const choose = (base) => {
    draw(base);
    writeResultPart("baseline", base);
  };

  for (const name of systems) select.add(new Option(name, name));
  for (const head of document.querySelectorAll(".grid tbody th")) {
    const name = head.parentElement.dataset.system, text = head.firstChild.textContent.trim();
    const onclick = () => choose(select.value === name ? "" : name);
    head.firstChild.replaceWith(button(text, { class: "base", "data-system": name, title: "differences to this system", onclick }), " ");
  }
  select.addEventListener("change", () => choose(select.value));
  wanted?.addEventListener("input", () => {
    const parts = wanted.value.toLowerCase().split(/[\s,]+/).filter(Boolean);
    for (const row of rows()) row.hidden = parts.length > 0 && !parts.some((part) => row.dataset.system.toLowerCase().includes(part));
  });
  choices.hidden = systems.length < 2;
  const intervals = document.getElementById("intervals"), plain = () => document.getElementById("results").classList.toggle("plain", !intervals?.checked);
  intervals?.addEventListener("change", plain);
  plain();
  const follow = () => {
    const given = new Map(resultParts()).get("baseline") ?? "";
    draw(systems.includes(given) ? given : "");
  };
  follow();
  window.addEventListener("hashchange", follow);
})();
