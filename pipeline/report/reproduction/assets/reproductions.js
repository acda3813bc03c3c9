"use strict";
// Results open where a link leads to them; two buttons open and close all. The search leaves what has all of its words.
(() => {
  const results = () => document.querySelectorAll("details.result");
  const reveal = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target?.tagName !== "DETAILS") return;
    target.open = true;
    target.scrollIntoView();
  };
  for (const [name, open] of [["open", true], ["close", false]]) {
    document.getElementById(name)?.addEventListener("click", () => results().forEach((one) => (one.open = open)));
  }
  for (const table of document.querySelectorAll("table.ranked")) { // titles that narrow screens show beside each cell
    const titles = [...table.tHead.rows[0].cells].map((cell) => cell.textContent.trim());
    for (const row of table.tBodies[0].rows) {
      [...row.cells].forEach((cell, at) => { if (at > 3) cell.dataset.title ??= titles[at]; });
    }
  }
  const search = document.getElementById("find"), texts = new Map();
  const text = (part) => texts.get(part) ?? texts.set(part, part.textContent.toLowerCase()).get(part);
  const all = (selector, inside = document) => [...inside.querySelectorAll(selector)];
  search.addEventListener("input", () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const lacks = (...parts) => !words.every((word) => parts.some((part) => text(part).includes(word)));
    const boards = all(".contents li"); // in the order of the boards, of which one is open at a time
    all(".board").forEach((board, number) => (boards[number].hidden = lacks(board)));
    for (const publication of all(".publication")) {
      const about = all(":scope > h3, :scope > p", publication), own = all("details.result", publication);
      for (const result of own) {
        result.hidden = lacks(result, ...about);
        document.querySelector(`#results a[href="#${CSS.escape(result.id)}"]`).closest("tr").hidden = result.hidden;
      }
      publication.hidden = own.every((result) => result.hidden);
    }
    for (const field of all(".field")) {
      let next = field.nextElementSibling;
      while (next?.hidden) next = next.nextElementSibling;
      field.hidden = !next?.matches(".publication");
    }
    const left = (parts) => parts.filter((part) => !part.hidden).length;
    document.getElementById("found").textContent = words.length ? `${left(all("details.result"))} results, ${left(boards)} boards` : "";
  });
  window.addEventListener("hashchange", reveal);
  reveal();
})();
