"use strict";
// The marks of a figure, one after the other: a press on a mark, or the arrows up and down where the figure has the
// focus, say below its title what the mark shows, with the whole name of the system.
for (const figure of document.querySelectorAll("figure")) {
  const marks = new Map();
  for (const title of figure.querySelectorAll("svg title")) {
    if (!marks.has(title.textContent)) marks.set(title.textContent, []);
    marks.get(title.textContent).push(title.parentElement);
  }
  if (!marks.size) continue;
  const said = document.createElement("p"), titles = [...marks.keys()];
  said.className = "said-mark note";
  said.setAttribute("role", "status");
  figure.querySelector("figcaption").after(said);
  let at = -1;
  const go = (number) => {
    for (const mark of marks.get(titles[at]) ?? []) mark.classList.remove("at");
    at = Math.max(0, Math.min(titles.length - 1, number));
    for (const mark of marks.get(titles[at])) mark.classList.add("at");
    said.textContent = titles[at];
    marks.get(titles[at])[0].scrollIntoView({ block: "nearest", inline: "nearest" });
  };
  figure.addEventListener("focus", () => {
    if (figure.matches(":focus-visible") && !said.textContent) said.textContent = `↑ ↓ go through the ${titles.length} marks`;
  });
  figure.addEventListener("click", (event) => {
    const title = event.target.closest("svg > *")?.querySelector("title");
    if (title) go(titles.indexOf(title.textContent));
  });
  figure.addEventListener("keydown", (event) => {
    if (event.target !== figure || event.ctrlKey || event.metaKey || event.altKey) return;
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    go(at + by);
  });
}
