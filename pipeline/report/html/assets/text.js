"use strict";
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

function element(tag, className, ...children) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...children);
  return made;
}

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
    const span = element("span", "odd", label);
    span.title = match[0] === "<n>" ? name : `${code(match[0])} ${name}`;
    found.push(span);
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
