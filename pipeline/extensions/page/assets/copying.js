"use strict";
// Copies and saves what the page shows: a table as TSV, Markdown or LaTeX, a figure as SVG or PNG. Each table and each
// figure gets a button; all buttons share one menu. The cards of the sentence explorer get none.
const TEX = {
  "\\": "\\textbackslash{}", "{": "\\{", "}": "\\}", $: "\\$", "&": "\\&", "#": "\\#", "%": "\\%", _: "\\_",
  "^": "\\textasciicircum{}", "~": "\\textasciitilde{}", "<": "\\textless{}", ">": "\\textgreater{}", "|": "\\textbar{}",
  '"': "\\char34{}", "`": "\\textasciigrave{}", "'": "\\textquotesingle{}", "[": "{[}", "]": "{]}", "*": "{*}",
  "-": "-\\kern0pt{}", ",": ",\\kern0pt{}", "±": "$\\pm$", "−": "$-$", "≥": "$\\ge$", "≤": "$\\le$", "–": "--", "…": "\\dots{}",
  "✓": "$\\checkmark$", "✗": "$\\times$", "○": "$\\circ$", "→": "$\\to$", "↑": "$\\uparrow$", "↓": "$\\downarrow$",
};

// Return text that LaTeX prints as it is. Invisible characters are printed by their names.
function tex(text) {
  const shown = (character) => {
    if (character === "\u00a0") return "~";
    if (character === "\n" || character === "<n>") return "\\linebreak[3] ";
    return /\s/.test(character) ? " " : `{\\tiny ${(NAMES.get(character) ?? [code(character)])[0].replace(/[^A-Z0-9+]/g, "?")}}`;
  };
  const plain = (part) => part.replace(/-(?=-)|,(?=,)|[^-,]/gu, (sign) => TEX[sign] ?? sign);
  let found = "", end = 0;
  for (const match of text.matchAll(ODD)) {
    found += plain(text.slice(end, match.index)) + shown(match[0]);
    end = match.index + match[0].length;
  }
  return found + plain(text.slice(end));
}

const copying = (() => {
  const DRAWN = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "opacity", "font-size", "font-family", "font-weight", "text-anchor"];
  const SCALE = 3, BOLD = 700;
  let menu = null, opener = null;

  // Return the text of a cell as people see it: no drawings, no buttons of the page, nothing that is hidden.
  function textOf(cell) {
    const parts = [];
    const add = (node) => {
      if (node.nodeType === Node.TEXT_NODE) parts.push(node.data);
      else if (node.nodeType === Node.ELEMENT_NODE && !node.matches("svg, .take, .copy, [aria-hidden=true]") && getComputedStyle(node).display !== "none") {
        const apart = node.matches("div, p, br, li, small, .delta");
        if (apart) parts.push(" ");
        node.childNodes.forEach(add);
        if (apart) parts.push(" ");
      }
    };
    cell.childNodes.forEach(add);
    return parts.join("").replace(/\s+/g, " ").trim();
  }

  // Return the rows of a table: {cells, head}. A cell is {text, left, bold}; columns that have drawings alone are left
  // out, and so are hidden rows. A cell that spans several columns or rows has its text in the first. `chosen` chooses rows.
  function rowsOf(table, chosen = () => true) {
    const wanted = (row) => !row.hidden && chosen(row);
    const grid = [], drawings = new Set();
    [...table.rows].forEach((row, number) => {
      grid[number] ??= { cells: [], head: row.parentElement.tagName === "THEAD", wanted: wanted(row) };
      let column = 0;
      for (const cell of row.cells) {
        while (grid[number].cells[column]) column++;
        if (cell.matches(".bar, [aria-hidden=true]")) drawings.add(column);
        const own = { text: textOf(cell), left: cell.classList.contains("left"), bold: !grid[number].head && Number(getComputedStyle(cell).fontWeight) >= BOLD };
        for (let down = 0; down < cell.rowSpan; down++) {
          for (let across = 0; across < cell.colSpan; across++) {
            const place = number + down;
            grid[place] ??= { cells: [], head: table.rows[place]?.parentElement.tagName === "THEAD", wanted: table.rows[place] && wanted(table.rows[place]) };
            grid[place].cells[column + across] = down || across ? { ...own, text: "" } : own;
          }
        }
        column += cell.colSpan;
      }
    });
    return grid.filter((row) => row.wanted).map(({ cells, head }) => ({ head, cells: cells.filter((_, column) => !drawings.has(column)) }));
  }

  // A cell of TSV that a spreadsheet would take for a formula begins with an apostrophe, unless it is a number. Numbers
  // have the minus sign that spreadsheets read.
  const plainCell = (text) => (/^[=+\-@]./.test(text) && Number.isNaN(Number.parseFloat(text)) ? `'${text}` : text);
  const read = (text) => text.replace(/(^| )−(?=[\d.])/g, "$1-");
  const tsv = (rows) => rows.map(({ cells }) => `${cells.map((cell) => plainCell(read(cell.text))).join("\t")}\n`).join("");

  function markdown(rows) {
    const escaped = (text) => text.replace(/[\\|`*_<>[\]]/g, "\\$&"), shown = (cell) => (cell.bold && cell.text ? `**${escaped(cell.text)}**` : escaped(cell.text));
    const line = (cells) => `| ${cells.map(shown).join(" | ")} |\n`, heads = rows.filter((row) => row.head), body = rows.filter((row) => !row.head);
    const width = rows[0]?.cells ?? [], first = heads.at(-1)?.cells ?? width.map((cell) => ({ ...cell, text: "" }));
    const rule = `|${first.map((cell) => (cell.left ? " --- " : " ---: ")).join("|")}|\n`;
    return line(first) + rule + [...heads.slice(0, -1), ...body].map((row) => line(row.cells)).join("");
  }

  function latex(rows, title) {
    const shown = (cell) => {
      const text = /^-[\d.]+$/.test(cell.text) ? `$-$${cell.text.slice(1)}` : tex(cell.text);
      return cell.bold && text ? `\\textbf{${text}}` : text;
    };
    const line = (row) => `${row.cells.map(shown).join(" & ")} \\\\\n`, part = (head) => rows.filter((row) => row.head === head).map(line).join("");
    const columns = (rows.find((row) => !row.head) ?? rows[0]).cells.map((cell) => (cell.left ? "l" : "r")).join("");
    const head = part(true);
    return `% ${title}. In the preamble: \\usepackage{booktabs}\n\\begin{tabular}{${columns}}\n\\toprule\n${head}${head ? "\\midrule\n" : ""}${part(false)}\\bottomrule\n\\end{tabular}\n`;
  }

  // Return what a function makes while the page has light colours.
  function inLight(make) {
    const root = document.documentElement, theme = root.getAttribute("data-theme");
    root.setAttribute("data-theme", "light");
    try {
      return make();
    } finally {
      if (theme === null) root.removeAttribute("data-theme");
      else root.setAttribute("data-theme", theme);
    }
  }

  // Return a drawing as a file of its own, in light colours: what style sheets say of its shapes becomes attributes.
  function svgOf(drawing) {
    const copy = drawing.cloneNode(true), shapes = drawing.querySelectorAll("*");
    const [, , width, height] = drawing.getAttribute("viewBox").split(" ");
    inLight(() => copy.querySelectorAll("*").forEach((shape, number) => {
      if (shape.tagName !== "title") {
        const style = getComputedStyle(shapes[number]);
        for (const name of DRAWN) shape.setAttribute(name, style.getPropertyValue(name));
      }
      shape.removeAttribute("class");
      shape.removeAttribute("style");
    }));
    copy.removeAttribute("class");
    for (const [name, value] of Object.entries({ xmlns: "http://www.w3.org/2000/svg", width, height })) copy.setAttribute(name, value);
    return new XMLSerializer().serializeToString(copy);
  }

  // Return a drawing as a PNG on white, three times as large as on the page.
  async function pngOf(drawing) {
    const image = new Image(), canvas = document.createElement("canvas"), [, , width, height] = drawing.getAttribute("viewBox").split(" ").map(Number);
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svgOf(drawing))}`;
    await image.decode();
    Object.assign(canvas, { width: Math.ceil(width * SCALE), height: Math.ceil(height * SCALE) });
    const pen = canvas.getContext("2d");
    pen.fillStyle = "#ffffff";
    pen.fillRect(0, 0, canvas.width, canvas.height);
    pen.drawImage(image, 0, 0, canvas.width, canvas.height);
    return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  }

  // Return the kinds of copies of a table or figure: [name, suffix, media type, a function that makes it].
  function kindsOf(shown) {
    if (shown.tagName === "TABLE") {
      const rows = () => rowsOf(shown);
      return [
        ["TSV", "tsv", "text/tab-separated-values", () => tsv(rows())],
        ["Markdown", "md", "text/markdown", () => markdown(rows())],
        ["LaTeX", "tex", "text/x-tex", () => latex(rows(), nameOf(shown))],
      ];
    }
    const drawing = shown.querySelector("svg");
    return [["SVG", "svg", "image/svg+xml", () => svgOf(drawing)], ["PNG", "png", "image/png", () => pngOf(drawing)]];
  }

  function nameOf(shown) {
    const title = shown.querySelector("caption, figcaption"), board = shown.closest(".board")?.querySelector("h3");
    const name = title ? textOf(title) : shown.closest("[aria-label]")?.getAttribute("aria-label") ?? "table";
    return board && shown.tagName !== "TABLE" ? `${name}, ${textOf(board)}` : name;
  }

  const fileName = (name, suffix) => `${name.replace(/[^\p{L}\p{N}]+/gu, "_").replace(/^_+|_+$/g, "").slice(0, 80) || "table"}.${suffix}`;

  function save(blob, name) {
    const link = element("a", { href: URL.createObjectURL(blob), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  }

  async function copyMade(made, pressed) {
    if (typeof made === "string") return copy(made, pressed);
    try {
      await navigator.clipboard.write([new ClipboardItem({ [made.type]: made })]);
      pressed.textContent = "copied";
    } catch {
      pressed.textContent = "not allowed here";
    }
  }

  const items = (shown) =>
    kindsOf(shown).flatMap(([name, suffix, type, make]) => [
      element("span", "", name),
      button("copy", { "aria-label": `copy as ${name}`, onclick: async ({ target }) => copyMade(await make(), target) }),
      button("save", { "aria-label": `save as ${name}`, onclick: async () => save(new Blob([await make()], { type }), fileName(nameOf(shown), suffix)) }),
    ]);

  function open(pressed, shown) {
    opener = pressed;
    menu.replaceChildren(...items(shown));
    menu.showPopover();
    opener.setAttribute("aria-expanded", "true");
    const { left, bottom, top } = opener.getBoundingClientRect(), { offsetWidth: width, offsetHeight: height } = menu;
    const below = bottom + height + 8 <= innerHeight;
    menu.style.left = `${scrollX + Math.max(4, Math.min(left, document.documentElement.clientWidth - width - 4))}px`;
    menu.style.top = `${scrollY + (below ? bottom + 4 : Math.max(4, top - height - 4))}px`;
    menu.querySelector("button").focus({ preventScroll: true });
  }

  function makeMenu() {
    menu = element("div", { class: "takes", popover: "auto", role: "dialog", "aria-label": "copy or save" });
    menu.addEventListener("toggle", (event) => event.newState === "closed" && opener?.setAttribute("aria-expanded", "false"));
    menu.addEventListener("keydown", (event) => {
      const all = [...menu.querySelectorAll("button")], at = all.indexOf(document.activeElement);
      const to = { ArrowDown: at + 2, ArrowUp: at - 2, ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: all.length - 1 }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      all[Math.max(0, Math.min(all.length - 1, to))].focus();
    });
    document.body.append(menu);
  }

  // Give a button to each table and figure inside of an element that has none yet.
  function copying(inside) {
    if (!menu) makeMenu();
    for (const shown of inside.querySelectorAll("table, figure")) {
      if (shown.dataset.takes || shown.closest("#detail, dialog") || (shown.tagName === "FIGURE" && !shown.querySelector("svg"))) continue;
      shown.dataset.takes = "yes";
      const about = { "aria-haspopup": "dialog", "aria-expanded": "false", "aria-label": `copy or save: ${nameOf(shown)}` };
      const take = button("copy ▾", { class: "take", ...about, onclick: () => open(take, shown) });
      if (shown.tagName === "TABLE") (shown.closest(".scroll") ?? shown).before(take);
      else shown.prepend(take);
    }
  }

  // What is selected inside of a table is copied as its rows alone; so is a whole table whose frame has the focus.
  document.addEventListener("copy", (event) => {
    const selection = getSelection(), focus = document.activeElement;
    const none = selection.isCollapsed, range = none ? null : selection.getRangeAt(0), start = none ? focus : range.commonAncestorContainer;
    const around = start.nodeType === Node.ELEMENT_NODE ? start : start.parentElement;
    if (around.closest("td, th, #detail, input, textarea")) return;
    const table = around.closest("table") ?? (around.matches(".scroll") ? around.querySelector("table") : null);
    if (!table) return;
    event.clipboardData.setData("text/plain", tsv(rowsOf(table, (row) => none || range.intersectsNode(row))));
    event.preventDefault();
  });

  copying(document);
  return Object.assign(copying, { open, inLight });
})();
