"use strict";
// Shows texts with their edits by words. Invisible characters, and those that turn text round, have labels.

const NAMES = new Map(
  Object.entries({
    "\t": ["⇥", "tab"],
    "\n": ["↵", "newline"],
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
  /(?<![\p{L}\p{M}\p{Extended_Pictographic}\ufe0f\u{1f3fb}-\u{1f3ff}])[\u200c\u200d]|[\u200c\u200d](?![\p{L}\p{M}\p{Extended_Pictographic}])|[\u0000-\u001f\u007f-\u00a0\u00ad\u061c\u1680\u180e\u2000-\u200b\u200e\u200f\u2028-\u202f\u205f-\u206f\u3000\ufdd0-\ufdef\ufeff\ufff9-\ufffb\ufffe\uffff\u{e0000}-\u{e007f}]/gu;
const WORDS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+/gu;
const LONG = 3000;
const MOST_CELLS = 4_000_000;

function element(tag, className, ...children) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...children);
  return made;
}

function code(character) {
  return `U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
}

// Return the nodes of a text, in which odd characters become marked labels.
function nodes(text) {
  const found = [];
  let end = 0;
  if (/^\p{M}/u.test(text)) found.push("\u25cc"); // a combining mark needs a character before it
  for (const match of text.matchAll(ODD)) {
    if (match.index > end) found.push(text.slice(end, match.index));
    const [label, name] = NAMES.get(match[0]) ?? [code(match[0]), "control or invisible character"];
    const span = element("span", "odd", label);
    span.title = `${code(match[0])} ${name}`;
    found.push(span);
    if (match[0] === "\n") found.push("\n"); // a text of several lines is shown in several lines
    end = match.index + match[0].length;
  }
  if (end < text.length) found.push(text.slice(end));
  return found;
}

// Return a text in one line for lists, in which odd characters become labels.
function plain(text) {
  return text.replace(ODD, (character) => `⟨${(NAMES.get(character) ?? [code(character)])[0]}⟩`);
}

// Return the words of a text, and the gaps before each word and after the last: {words, gaps}.
function split(text) {
  const words = [], gaps = [];
  let end = 0;
  for (const match of text.matchAll(WORDS)) {
    gaps.push(text.slice(end, match.index));
    words.push(match[0]);
    end = match.index + match[0].length;
  }
  gaps.push(text.slice(end));
  return { words, gaps };
}

// Return the edits from one list of words to another as [kind, low, high, low, high]: the kind is "same" or "changed",
// and the bounds are those of a range in the first list and in the second.
function edits(one, two) {
  let low = 0, highOne = one.length, highTwo = two.length;
  while (low < highOne && low < highTwo && one[low] === two[low]) low++;
  while (highOne > low && highTwo > low && one[highOne - 1] === two[highTwo - 1]) highOne--, highTwo--;
  const found = [];
  const add = (kind, a, b, c, d) => {
    if (a === b && c === d) return;
    const last = found.at(-1);
    if (last && last[0] === kind) (last[2] = b), (last[4] = d);
    else found.push([kind, a, b, c, d]);
  };
  add("same", 0, low, 0, low);
  const rows = highOne - low, columns = highTwo - low;
  if (rows * columns > MOST_CELLS || !rows || !columns) {
    add("changed", low, highOne, low, highTwo);
  } else {
    const width = columns + 1;
    const longest = new Uint16Array((rows + 1) * width);
    for (let i = rows - 1; i >= 0; i--) {
      for (let j = columns - 1; j >= 0; j--) {
        longest[i * width + j] =
          one[low + i] === two[low + j]
            ? longest[(i + 1) * width + j + 1] + 1
            : Math.max(longest[(i + 1) * width + j], longest[i * width + j + 1]);
      }
    }
    let i = 0, j = 0;
    while (i < rows || j < columns) {
      if (i < rows && j < columns && one[low + i] === two[low + j]) {
        add("same", low + i, low + i + 1, low + j, low + j + 1);
        i++, j++;
      } else if (j === columns || (i < rows && longest[(i + 1) * width + j] >= longest[i * width + j + 1])) {
        add("changed", low + i, low + i + 1, low + j, low + j);
        i++;
      } else {
        add("changed", low + i, low + i, low + j, low + j + 1);
        j++;
      }
    }
  }
  add("same", highOne, one.length, highTwo, two.length);
  return found;
}

// Return the nodes of the white space at a place where another text has `other`: what is more has labels.
function gapNodes(gap, other) {
  if (gap.length <= other.length || gap.includes("\n")) return nodes(gap);
  const span = element("span", "odd", "␣".repeat(gap.length - other.length));
  span.title = `white space differs: ${gap.length} characters here, ${other.length} there`;
  return [...nodes(gap.slice(0, other.length)), span];
}

// Return a text in which edits against the text `before` are marked; if that is null, nothing is marked.
function marked(text, before) {
  const line = element("bdi", "text");
  line.dir = "auto";
  const { words, gaps } = split(text);
  const put = (parent, number, other = gaps[number]) => parent.append(...gapNodes(gaps[number], other), ...nodes(words[number]));
  if (before === null) {
    words.forEach((_, number) => put(line, number));
  } else {
    const old = split(before);
    for (const [kind, a, b, c, d] of edits(old.words, words)) {
      if (kind === "same") {
        for (let number = c; number < d; number++) put(line, number, old.gaps[a + number - c]);
        continue;
      }
      if (a < b) {
        const gone = element("del");
        for (let number = a; number < b; number++) {
          if (number > a) gone.append(...nodes(old.gaps[number]));
          gone.append(...nodes(old.words[number]));
        }
        const space = c < d ? gaps[c] : old.gaps[a];
        if (line.hasChildNodes()) line.append(...nodes(space));
        line.append(gone);
        if (c < d) line.append("\u2009");
      }
      if (c < d) {
        if (a === b) line.append(...nodes(gaps[c]));
        const added = element("ins");
        for (let number = c; number < d; number++) {
          if (number > c) added.append(...nodes(gaps[number]));
          added.append(...nodes(words[number]));
        }
        line.append(added);
      }
    }
  }
  if (gaps.at(-1)) line.append(...gapNodes(gaps.at(-1), before === null ? gaps.at(-1) : split(before).gaps.at(-1)));
  if (text.length > LONG) {
    line.classList.add("long");
    line.tabIndex = 0; // the keyboard can scroll it
  }
  if (!line.hasChildNodes()) line.append(element("span", "dim", "(empty)"));
  return line;
}
