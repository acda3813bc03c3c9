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
      const row = element("div", "row");
      row.id = `row-${index}`;
      row.dataset.index = index;
      row.style.transform = `translateY(${index * ROW_HEIGHT}px)`;
      row.setAttribute("role", "option");
      row.setAttribute("aria-setsize", this.items.length);
      row.setAttribute("aria-posinset", index + 1);
      row.setAttribute("aria-selected", String(index === this.at));
      this.draw(this.items[index], row);
      this.track.append(row);
      this.rows.set(index, row);
    }
  }
}
