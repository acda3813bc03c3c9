"use strict";
// What all scripts use: elements, colours, copies, texts.

// Return an element. `about` is its class, or its attributes; those that begin with "on" are what to do at an event.
function element(tag, about = "", ...children) {
  const made = document.createElement(tag), attributes = typeof about === "string" ? { class: about } : about;
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== "") made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

// Return a button with a text, or with other nodes.
function button(content, about = {}) {
  return element("button", { type: "button", ...(typeof about === "string" ? { class: about } : about) }, ...[content].flat());
}

// Return a table in a box that scrolls, with a hidden caption where it has a name. Cells are texts or nodes; the first
// of a row is its head, and the columns in `left` are text. `kind` is the class of the table.
function tableOf(header, rows, { caption = "", left = [0], kind = "" } = {}) {
  const cell = (tag, content, column, scope = "") =>
    content instanceof HTMLTableCellElement ? content : element(tag, { class: left.includes(column) ? "left" : "", scope }, content ?? "–");
  const head = element("tr", "", ...header.map((title, column) => cell("th", title, column, "col")));
  const body = rows.map((row) => element("tr", "", ...row.map((content, column) => (column ? cell("td", content, column) : cell("th", content, column, "row")))));
  const made = element("table", kind, ...(caption ? [element("caption", "hidden", caption)] : []), element("thead", "", head), element("tbody", "", ...body));
  return element("div", caption ? { class: "scroll", tabindex: 0, role: "region", "aria-label": caption } : "scroll", made);
}

const said = (number) => number.toLocaleString("en");

// Light or dark colours, or those of the system. The choice is kept for the next visit if the browser allows it.
const THEMES = ["auto", "light", "dark"];

function setTheme(name) {
  const root = document.documentElement;
  if (name === "auto") root.removeAttribute("data-theme");
  else root.setAttribute("data-theme", name);
  try {
    localStorage.setItem("gec-pipeline-theme", name);
  } catch {
    // the browser keeps nothing
  }
  const shown = document.getElementById("theme");
  if (!shown) return;
  shown.textContent = { auto: "◐ auto", light: "☀ light", dark: "☾ dark" }[name];
  shown.setAttribute("aria-label", `colours: ${name === "auto" ? "as the system has them" : name}`);
}

function knownTheme() {
  try {
    const name = localStorage.getItem("gec-pipeline-theme");
    return THEMES.includes(name) ? name : "auto";
  } catch {
    return "auto";
  }
}

async function copy(text, pressed) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = element("textarea", "", text);
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
    pressed.focus();
  }
  const before = pressed.textContent;
  if (before === "copied") return;
  pressed.textContent = "copied";
  setTimeout(() => (pressed.textContent = before), 1200);
}

setTheme(knownTheme());
document.addEventListener("DOMContentLoaded", () => {
  let theme = knownTheme();
  setTheme(theme);
  document.getElementById("theme").addEventListener("click", () => {
    theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
    setTheme(theme);
  });
  for (const one of document.querySelectorAll("button.copy")) {
    one.addEventListener("click", () => copy(one.parentElement.querySelector("code").textContent, one));
  }
});

// Shows texts. Invisible characters, and those that turn text round, have labels.

const NAMES = new Map(
  Object.entries({
    "\t": ["⇥", "tab"],
    "\n": ["↵", "newline"],
    "<n>": ["↵", "the sign <n>, which stands for a newline"],
    "\r": ["␍", "carriage return"],
    "\u00a0": ["⍽", "no-break space"],
    "\u202f": ["⍽", "narrow no-break space"],
    "\u3000": ["□", "ideographic space"],
    "\u00ad": ["SHY", "soft hyphen"],
    "\u200b": ["ZWSP", "zero width space"],
    "\u200c": ["ZWNJ", "zero width non-joiner"],
    "\u200d": ["ZWJ", "zero width joiner"],
    "\u200e": ["LRM", "left-to-right mark"],
    "\u200f": ["RLM", "right-to-left mark"],
    "\u061c": ["ALM", "Arabic letter mark"],
    "\u2028": ["LS", "line separator"],
    "\u2029": ["PS", "paragraph separator"],
    "\u202a": ["LRE", "left-to-right embedding"],
    "\u202b": ["RLE", "right-to-left embedding"],
    "\u202c": ["PDF", "pop directional formatting"],
    "\u202d": ["LRO", "left-to-right override"],
    "\u202e": ["RLO", "right-to-left override"],
    "\u2066": ["LRI", "left-to-right isolate"],
    "\u2067": ["RLI", "right-to-left isolate"],
    "\u2068": ["FSI", "first strong isolate"],
    "\u2069": ["PDI", "pop directional isolate"],
    "\ufeff": ["BOM", "byte order mark"],
  }),
);
// Joiners belong to words of many scripts and to emoji, where they get no label.
const ODD =
  /<n>|(?<![\p{L}\p{M}\p{Extended_Pictographic}\ufe0f\u{1f3fb}-\u{1f3ff}])[\u200c\u200d]|[\u200c\u200d](?![\p{L}\p{M}\p{Extended_Pictographic}])|[\u0000-\u001f\u007f-\u00a0\u00ad\u061c\u1680\u180e\u2000-\u200b\u200e\u200f\u2028-\u202f\u205f-\u206f\u3000\ufdd0-\ufdef\ufeff\ufff9-\ufffb\ufffe\uffff\u{e0000}-\u{e007f}]/gu;

function code(character) {
  return `U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
}

// A combining mark needs a character before it.
function based(text) {
  return text.replace(/(?<=^|\s)(?=\p{M})/gu, "\u25cc");
}

// Return the nodes of a text, in which odd characters become marked labels.
function nodes(text) {
  const found = [];
  let end = 0;
  for (const match of text.matchAll(ODD)) {
    if (match.index > end) found.push(based(text.slice(end, match.index)));
    const [label, name] = NAMES.get(match[0]) ?? [code(match[0]), "control or invisible character"];
    found.push(element("span", { class: "odd", title: match[0] === "<n>" ? name : `${code(match[0])} ${name}` }, label));
    if (match[0] === "\n" || match[0] === "<n>") found.push("\n"); // a text of several lines is shown in several lines
    end = match.index + match[0].length;
  }
  if (end < text.length) found.push(based(text.slice(end)));
  return found;
}

// Return a text in one line for lists, in which odd characters become labels.
function plain(text) {
  return text.replace(ODD, (character) => `⟨${(NAMES.get(character) ?? [code(character)])[0]}⟩`);
}
