"use strict";
// Boxes that scroll: a hint where more is out of sight, and a stop of the Tab key only where there is something to scroll.
// The links of a table, and its titles, are one stop each: the arrows go from one to the next.
const Boxes = (() => {
  const KINDS = ".scroll, .grams, .text.long, .copied pre", watched = new WeakSet();
  const edge = (box) => {
    const left = box.scrollWidth - box.clientWidth - Math.abs(box.scrollLeft);
    box.classList.toggle("more", left > 2);
  };
  const tend = (box) => {
    const wide = box.scrollWidth > box.clientWidth + 2, tall = box.scrollHeight > box.clientHeight + 2;
    const scrolls = (wide && getComputedStyle(box).overflowX !== "visible") || (tall && getComputedStyle(box).overflowY !== "visible");
    if (scrolls || box.tagName === "FIGURE") box.tabIndex = 0;
    else box.removeAttribute("tabindex");
    if (!box.matches(".scroll")) return;
    const title = box.querySelector(":scope > figcaption");
    if (wide && !(title ? title.nextElementSibling : box.previousElementSibling)?.matches(".hint")) {
      const hint = document.createElement("p");
      hint.className = "hint";
      hint.ariaHidden = "true"; // who cannot see that it goes on hears all of it anyway
      hint.textContent = "scroll to the right for more →";
      if (title) title.after(hint);
      else box.before(hint);
    }
    edge(box);
  };
  const sizes = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      if (target.isConnected) tend(target);
      else sizes.unobserve(target);
    }
  });
  // Watch all boxes in a part of the page; those that are watched already stay so.
  const watch = (part) => {
    for (const box of part.querySelectorAll(KINDS)) {
      if (watched.has(box)) continue;
      watched.add(box);
      sizes.observe(box);
      box.addEventListener("scroll", () => edge(box), { passive: true });
    }
  };
  return { watch };
})();

// Make elements one stop of the Tab key: `back` and `forth` are the keys that go from one to the next.
function oneStop(parent, wanted, back, forth) {
  const members = () => [...parent.querySelectorAll(wanted)];
  const stopAt = (member) => members().forEach((one) => (one.tabIndex = one === member ? 0 : -1));
  if (members().length < 2) return;
  stopAt(members()[0]);
  parent.addEventListener("focusin", (event) => event.target.matches(wanted) && stopAt(event.target));
  parent.addEventListener("keydown", (event) => {
    const by = { [back]: -1, [forth]: 1 }[event.key], all = members(), at = all.indexOf(event.target);
    if (!by || at < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    all[Math.max(0, Math.min(all.length - 1, at + by))].focus();
  });
}

// Return a title of a column as a button that explains it, if the page has an explanation, else as it is.
function explained(title) {
  const about = [...document.querySelectorAll(".about")].find((one) => one.firstElementChild.textContent === title);
  if (!about) return title;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "explained";
  button.title = about.lastChild.textContent.trim();
  button.setAttribute("popovertarget", about.id);
  button.append(title);
  return button;
}

// Make few stops of the tables and boxes in a part of the page; those that were seen stay as they are.
const seenTables = new WeakSet();
function tidyStops(part) {
  Boxes.watch(part);
  for (const table of part.querySelectorAll("table")) {
    if (seenTables.has(table)) continue;
    seenTables.add(table);
    if (table.tHead) oneStop(table.tHead, ".explained", "ArrowLeft", "ArrowRight");
    if (table.tBodies[0]) oneStop(table.tBodies[0], "th a, td a, .base", "ArrowUp", "ArrowDown");
  }
}

document.addEventListener("DOMContentLoaded", () => {
  tidyStops(document);
  for (const id of ["detail", "agreement"]) {
    const part = document.getElementById(id);
    if (part) new MutationObserver(() => tidyStops(part)).observe(part, { childList: true, subtree: true });
  }
});
