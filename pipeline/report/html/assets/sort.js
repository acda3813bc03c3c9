// Tables of the class "sortable": a press on a title sorts the rows by its column, another press turns the order round.
"use strict";
(() => {
  const number = (text) => {
    const value = parseFloat(text.replaceAll(",", "").replace("−", "-"));
    return Number.isNaN(value) ? null : value;
  };
  const compared = (a, b) => {
    const [x, y] = [number(a), number(b)];
    if (x !== null && y !== null) return x - y;
    if (x !== null || y !== null) return x === null ? -1 : 1;
    return a < b ? -1 : a > b ? 1 : 0;
  };
  const sort = (table, column, falling) => {
    const rows = [...table.tBodies[0].rows].map((row, place) => [row.cells[column].textContent.trim(), place, row]);
    rows.sort((a, b) => (falling ? -1 : 1) * compared(a[0], b[0]) || a[1] - b[1]);
    table.tBodies[0].append(...rows.map((item) => item[2]));
  };
  for (const table of document.querySelectorAll("table.sortable")) {
    const titles = [...table.tHead.rows[0].cells];
    titles.forEach((title, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sorts";
      button.append(...[...title.childNodes].filter((part) => !(part instanceof HTMLButtonElement)));
      title.prepend(button);
      button.addEventListener("click", () => {
        const first = number(table.tBodies[0].rows[0]?.cells[column].textContent ?? "") !== null;
        const before = title.getAttribute("aria-sort");
        const falling = before ? before === "ascending" : first; // numbers: the highest first
        titles.forEach((other) => other.removeAttribute("aria-sort"));
        title.setAttribute("aria-sort", falling ? "descending" : "ascending");
        sort(table, column, falling);
      });
    });
  }
})();
