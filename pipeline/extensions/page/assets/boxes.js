"use strict";
// Boxes that scroll: a hint where more is out of sight, and a stop of the Tab key only where there is something to scroll.
// The links of a table, and its titles, are one stop each: the arrows go from one to the next.
const seen = new WeakSet();

// Say by its hint what a box has further to the right: the titles of columns, where they are few.
function tendEdge(box) {
  const more = box.scrollWidth - box.clientWidth - Math.abs(box.scrollLeft) > 2;
  box.classList.toggle("more", more);
  const hint = box.previousElementSibling?.matches(".hint") ? box.previousElementSibling : box.querySelector(":scope > .hint");
  if (!hint) return;
  const end = box.getBoundingClientRect().right, titles = [...box.querySelectorAll(":scope > table > thead > tr:last-child > th:not(.bar)")];
  const unseen = more ? titles.filter((title) => title.getBoundingClientRect().right > end + 2).map((title) => title.innerText.replace(/[↕↑↓?]|lower is better/g, "").trim()) : [];
  hint.textContent = !more ? "← scroll back" : unseen.length && unseen.length < 6 ? `${unseen.join(", ")} →` : "scroll to the right for more →";
}

function tendBox(box) {
  const wide = box.scrollWidth > box.clientWidth + 2, tall = box.scrollHeight > box.clientHeight + 2, style = getComputedStyle(box);
  if ((wide && style.overflowX !== "visible") || (tall && style.overflowY !== "visible") || box.tagName === "FIGURE") box.tabIndex = 0;
  else box.removeAttribute("tabindex");
  if (!box.matches(".scroll")) return;
  const title = box.querySelector(":scope > figcaption");
  let hint = title ? title.nextElementSibling : box.previousElementSibling;
  if (wide && !hint?.matches(".hint")) {
    // who cannot see that it goes on hears all of it anyway, and the keys scroll the box itself
    hint = button("", { class: "hint", "aria-hidden": "true", tabindex: -1, onclick: () => box.scrollBy({ left: 0.8 * box.clientWidth }) });
    if (title) title.after(hint);
    else box.before(hint);
  }
  if (hint?.matches(".hint")) hint.hidden = !wide;
  tendEdge(box);
}

const sizes = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    if (target.isConnected) tendBox(target);
    else sizes.unobserve(target);
  }
});

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
  return about ? button(title, { class: "explained", title: about.lastChild.textContent.trim(), popovertarget: about.id }) : title;
}

// Make few stops of the tables and boxes in a part of the page; those that were seen stay as they are.
function tidyStops(part) {
  for (const box of part.querySelectorAll(".scroll, .grams, .text.long, .copied pre, table")) {
    if (seen.has(box)) continue;
    seen.add(box);
    if (box.tagName === "TABLE") {
      if (box.tHead) oneStop(box.tHead, ".explained", "ArrowLeft", "ArrowRight");
      if (box.tBodies[0]) oneStop(box.tBodies[0], "th a, td a, .base", "ArrowUp", "ArrowDown");
    } else {
      sizes.observe(box);
      box.addEventListener("scroll", () => tendEdge(box), { passive: true });
    }
  }
}

// Tables of the class "sortable": a press on a title sorts the rows by its column, another press turns the order round.
const numberIn = (text) => {
  const value = parseFloat(text.replaceAll(",", "").replace("−", "-"));
  return Number.isNaN(value) ? null : value;
};

function sortRows(table, column, falling) {
  const compared = (a, b) => {
    const [x, y] = [numberIn(a), numberIn(b)];
    if (x !== null && y !== null) return x - y;
    if (x !== null || y !== null) return x === null ? -1 : 1;
    return a < b ? -1 : a > b ? 1 : 0;
  };
  const rows = [...table.tBodies[0].rows].map((row, place) => [row.cells[column].textContent.trim(), place, row]);
  rows.sort((a, b) => (falling ? -1 : 1) * compared(a[0], b[0]) || a[1] - b[1]);
  table.tBodies[0].append(...rows.map((item) => item[2]));
}

for (const table of document.querySelectorAll("table.sortable")) {
  const titles = [...table.tHead.rows[0].cells];
  titles.forEach((title, column) => {
    const onclick = () => {
      const first = numberIn(table.tBodies[0].rows[0]?.cells[column].textContent ?? "") !== null;
      const before = title.getAttribute("aria-sort"), falling = before ? before === "ascending" : first; // numbers: the highest first
      titles.forEach((other) => other.removeAttribute("aria-sort"));
      title.setAttribute("aria-sort", falling ? "descending" : "ascending");
      sortRows(table, column, falling);
    };
    title.prepend(button([...title.childNodes].filter((part) => !(part instanceof HTMLButtonElement)), { class: "sorts", onclick }));
  });
}

// The marks of a figure, one after the other: a press on a mark, or the arrows up and down where the figure has the
// focus, say below its title what the mark shows, with the whole name of the system.
for (const figure of document.querySelectorAll("figure")) {
  const marks = new Map();
  for (const title of figure.querySelectorAll("svg title")) marks.set(title.textContent, [...(marks.get(title.textContent) ?? []), title]);
  if (!marks.size) continue;
  const shown = element("p", { class: "said-mark note", role: "status" }), titles = [...marks.keys()];
  figure.querySelector("figcaption").after(shown);
  let at = -1;
  const go = (number) => {
    for (const title of marks.get(titles[at]) ?? []) title.parentElement.classList.remove("at");
    at = Math.max(0, Math.min(titles.length - 1, number));
    for (const title of marks.get(titles[at])) title.parentElement.classList.add("at");
    shown.textContent = titles[at];
    marks.get(titles[at])[0].parentElement.scrollIntoView({ block: "nearest", inline: "nearest" });
  };
  figure.addEventListener("focus", () => {
    if (figure.matches(":focus-visible") && !shown.textContent) shown.textContent = `↑ ↓ go through the ${titles.length} marks`;
  });
  figure.addEventListener("click", (event) => {
    const title = event.target.closest("svg > *")?.querySelector("title");
    if (title) go(titles.indexOf(title.textContent));
  });
  figure.addEventListener("keydown", (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!by || event.target !== figure || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    go(at + by);
  });
}

document.addEventListener("DOMContentLoaded", () => {
  tidyStops(document);
  for (const id of ["detail", "agreement"]) {
    const part = document.getElementById(id);
    if (part) new MutationObserver(() => tidyStops(part)).observe(part, { childList: true, subtree: true });
  }
});
