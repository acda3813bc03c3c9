"use strict";
// Any system as the baseline: the differences of all others to it in the overview and in the boards. What is
// significant is known where the run has a test of the two. Rows of the overview are filtered by the names of systems.
(() => {
  const element = document.getElementById("scores"), choices = document.getElementById("choices");
  if (!element) return;
  const { boards, digits } = JSON.parse(element.textContent);
  const select = document.getElementById("baseline"), wanted = document.getElementById("wanted"), tested = document.getElementById("tested");
  const systems = [...new Set(Object.values(boards).flatMap((board) => board.systems))];

  // Return a number that is not negative with so many decimals. Its decimal form is rounded half up, as in the tables.
  const rounded = (number) => {
    const [mantissa, exponent = "0"] = String(number).split("e"), [whole, rest = ""] = mantissa.split(".");
    const shift = digits + Number(exponent) - rest.length, all = BigInt(whole + rest);
    const unit = 10n ** BigInt(Math.max(-shift, 0));
    const text = String(shift >= 0 ? all * 10n ** BigInt(shift) : (2n * all + unit) / (2n * unit)).padStart(digits + 1, "0");
    return digits ? `${text.slice(0, -digits)}.${text.slice(-digits)}` : text;
  };
  const signed = (difference) => {
    const text = rounded(100 * Math.abs(difference));
    return /[1-9]/.test(text) ? `${difference < 0 ? "−" : "+"}${text}` : text;
  };
  // Return what the run's test says of two systems: "-" without a test, "=" or "*".
  const test = (board, one, two) => {
    const [low, high] = one < two ? [one, two] : [two, one], count = board.systems.length;
    return board.tests ? board.tests[low * count - (low * (low + 1)) / 2 + high - low - 1] : "-";
  };
  // Return the difference of a system to the baseline, as an element; null where one of them has no score.
  const delta = (board, system, base, tag) => {
    const [one, two] = [board.systems.indexOf(system), board.systems.indexOf(base)];
    if (one < 0 || two < 0 || one === two || board.scores[one] === null || board.scores[two] === null) return null;
    const sign = test(board, one, two), shown = document.createElement(tag);
    const direction = sign === "*" ? (one < two ? "better" : "worse") : ""; // the best comes first
    shown.textContent = signed(board.scores[one] - board.scores[two]) + { better: " ↑", worse: " ↓", "": "" }[direction];
    shown.className = `delta ${direction}`.trim();
    shown.title = { "*": `significantly ${direction}`, "=": "not significant", "-": "no test was made" }[sign];
    return shown;
  };

  // Return which of the pairs with the baseline the run has tested, in words.
  const said = (base) => {
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

  const clear = () => document.querySelectorAll("#results .delta, #results .deltas").forEach((one) => one.remove());
  const draw = (base) => {
    clear();
    select.value = base;
    document.getElementById("results").classList.toggle("compared", base !== "");
    document.querySelectorAll(".base").forEach((button) => button.setAttribute("aria-pressed", String(button.dataset.system === base)));
    tested.textContent = base ? said(base) : "";
    if (!base) return;
    for (const row of document.querySelectorAll(".grid tbody tr")) {
      for (const cell of row.querySelectorAll("td[data-board]")) cell.append(delta(boards[cell.dataset.board], row.dataset.system, base, "span") ?? "");
    }
    for (const [name, board] of Object.entries(boards)) {
      const table = document.querySelector(`#${CSS.escape(name)} table.ranked`);
      if (!table || !board.systems.includes(base)) continue;
      const title = document.createElement("th");
      title.className = "deltas";
      title.scope = "col";
      title.textContent = `less ${base}`;
      table.tHead.rows[0].cells[3].after(title); // after the bars
      [...table.tBodies[0].rows].forEach((row, number) => {
        const cell = row.insertCell(4), shown = delta(board, board.systems[number], base, "span");
        cell.className = "deltas";
        cell.dataset.title = `less ${base}`;
        cell.append(shown ?? "-");
      });
    }
  };
  const choose = (base) => {
    draw(base);
    writeResultPart("baseline", base);
  };

  for (const name of systems) select.add(new Option(name, name));
  for (const head of document.querySelectorAll(".grid tbody th")) {
    const button = document.createElement("button"), name = head.parentElement.dataset.system;
    button.type = "button";
    button.className = "base";
    button.dataset.system = name;
    button.title = "differences to this system";
    button.append(head.firstChild);
    button.textContent = button.textContent.trim();
    button.addEventListener("click", () => choose(select.value === name ? "" : name));
    head.prepend(button, " ");
  }
  select.addEventListener("change", () => choose(select.value));
  wanted?.addEventListener("input", () => {
    const parts = wanted.value.toLowerCase().split(/[\s,]+/).filter(Boolean);
    for (const row of document.querySelectorAll(".grid tbody tr")) {
      const name = row.dataset.system.toLowerCase();
      row.hidden = parts.length > 0 && !parts.some((part) => name.includes(part));
    }
  });
  choices.hidden = systems.length < 2;
  const follow = () => {
    const given = new Map(resultParts()).get("baseline") ?? "";
    draw(systems.includes(given) ? given : "");
  };
  follow();
  window.addEventListener("hashchange", follow);
})();
