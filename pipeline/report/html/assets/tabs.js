"use strict";
// Leader boards as tabs: one is shown, and the address says which (`board=2`). Without scripts, and in print, all are.

// The parts of the address that are about results; all others are about sentences.
const RESULT_PARTS = ["board", "baseline"];

function resultParts() {
  const given = new URLSearchParams(location.hash.includes("=") ? location.hash.slice(1) : "");
  return RESULT_PARTS.filter((key) => given.get(key)).map((key) => [key, given.get(key)]);
}

function leadsToSentences() {
  return location.hash.includes("=") && [...new URLSearchParams(location.hash.slice(1)).keys()].some((key) => !RESULT_PARTS.includes(key));
}

// Write a part of the address; an empty value takes it away. A link then leads to the results.
function writeResultPart(key, value) {
  const parts = new URLSearchParams(resultParts().filter(([name]) => name !== key));
  if (value) parts.set(key, value);
  history.replaceState(null, "", parts.size ? `#${parts}` : location.pathname + location.search);
}

(() => {
  const boards = [...document.querySelectorAll("section.board")];
  const contents = document.querySelector("ul.contents");
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
    const part = resultParts().find(([key]) => key === "board");
    return part ? Number(part[1]) - 1 : boards.findIndex((board) => location.hash.length > 1 && board.contains(document.getElementById(location.hash.slice(1))));
  };
  const follow = () => {
    const number = named();
    if (boards[number]) open(number);
    if (boards[number] && !leadsToSentences()) contents.scrollIntoView();
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
