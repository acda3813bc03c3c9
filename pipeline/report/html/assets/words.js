"use strict";
// The edits between two texts: by words, in pairs of words, and by the letters of a pair. `report/word_edits.py` does the
// same for the terminal, and tests compare the two.
const WORDS =
  /<n>|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|(?:(?!<n>)[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])+/gu;
const MOST_CELLS = 4_000_000;
const FEW_CELLS = 10_000; // larger tables are cut at words that both texts have once
const MOST_PAIRS = 400; // as many pairs of words of a changed part are looked at
const LONG_WORD = 40;

// Return the words of a text, where each begins, and the gaps before each word and after the last.
function split(text) {
  const words = [], gaps = [], starts = [];
  let end = 0;
  for (const match of text.matchAll(WORDS)) {
    gaps.push(text.slice(end, match.index));
    words.push(match[0]);
    starts.push(match.index);
    end = match.index + match[0].length;
  }
  gaps.push(text.slice(end));
  return { words, gaps, starts };
}

// Return the edits from one list of words to another as [kind, low, high, low, high]: the kind is "same" or "changed",
// and the bounds are those of a range in the first list and in the second.
function edits(one, two) {
  const found = [];
  const add = (kind, a, b, c, d) => {
    if (a === b && c === d) return;
    const last = found.at(-1);
    if (last && last[0] === kind) (last[2] = b), (last[4] = d);
    else found.push([kind, a, b, c, d]);
  };
  const between = (a, b, c, d) => {
    let low = 0, high = 0;
    while (a + low < b && c + low < d && one[a + low] === two[c + low]) low++;
    add("same", a, a + low, c, c + low);
    a += low, c += low;
    while (b - high > a && d - high > c && one[b - high - 1] === two[d - high - 1]) high++;
    b -= high, d -= high;
    const cells = (b - a) * (d - c), fixed = cells > FEW_CELLS ? anchors(one, two, a, b, c, d) : [];
    if (fixed.length) {
      let [x, y] = [a, c];
      for (const [i, j] of fixed) {
        between(x, i, y, j);
        add("same", i, i + 1, j, j + 1);
        [x, y] = [i + 1, j + 1];
      }
      between(x, b, y, d);
    } else if (!cells || cells > MOST_CELLS) add("changed", a, b, c, d);
    else longestCommon(one, two, a, b, c, d, add);
    add("same", b, b + high, d, d + high);
  };
  between(0, one.length, 0, two.length);
  return found;
}

// Add the edits of two ranges so that as many words as possible stay the same.
function longestCommon(one, two, a, b, c, d, add) {
  const rows = b - a, columns = d - c, width = columns + 1, longest = new Uint16Array((rows + 1) * width);
  for (let i = rows - 1; i >= 0; i--) {
    for (let j = columns - 1; j >= 0; j--) {
      longest[i * width + j] =
        one[a + i] === two[c + j]
          ? longest[(i + 1) * width + j + 1] + 1
          : Math.max(longest[(i + 1) * width + j], longest[i * width + j + 1]);
    }
  }
  let i = 0, j = 0;
  while (i < rows || j < columns) {
    if (i < rows && j < columns && one[a + i] === two[c + j]) {
      add("same", a + i, a + i + 1, c + j, c + j + 1);
      i++, j++;
    } else if (j === columns || (i < rows && longest[(i + 1) * width + j] >= longest[i * width + j + 1])) {
      add("changed", a + i, a + i + 1, c + j, c + j);
      i++;
    } else {
      add("changed", a + i, a + i, c + j, c + j + 1);
      j++;
    }
  }
}

// Return the places [i, j] of words that both ranges have once, as many as rise in both.
function anchors(one, two, a, b, c, d) {
  const places = new Map();
  for (let i = a; i < b; i++) places.set(one[i], places.has(one[i]) ? null : [i, -1]);
  for (let j = c; j < d; j++) {
    const place = places.get(two[j]);
    if (place) place[1] = place[1] === -1 ? j : -2;
  }
  const common = [...places.values()].filter((place) => place && place[1] >= 0), tails = [], before = new Map();
  for (const place of common) {
    let low = 0, high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (tails[middle][1] < place[1]) low = middle + 1;
      else high = middle;
    }
    before.set(place, tails[low - 1]);
    tails[low] = place;
  }
  const found = [];
  for (let place = tails.at(-1); place; place = before.get(place)) found.push(place);
  return found.reverse();
}

// Return the letters of a word, each with its marks.
function letters(word) {
  return word.match(/\P{M}\p{M}*|\p{M}+/gu) ?? [];
}

// Return how much two words have in common: the share of their letters, upper and lower case alike, from 0 to 1. What
// was found is kept, since the outputs of a sentence have many words in common. Words of very different lengths have 0.
const keptLikeness = new Map();
function likeness(one, two) {
  const low = Math.min(one.length, two.length), high = Math.max(one.length, two.length);
  if (4 * low < high) return 0;
  const key = `${one} ${two}`;
  if (keptLikeness.size > 50_000) keptLikeness.clear();
  if (!keptLikeness.has(key)) keptLikeness.set(key, shareOf(letters(one.toLowerCase()), letters(two.toLowerCase())));
  return keptLikeness.get(key);
}

function shareOf(one, two) {
  if (!one.length || !two.length || Math.max(one.length, two.length) > LONG_WORD) return 0;
  let before = new Uint8Array(two.length + 1);
  for (const letter of one) {
    const row = new Uint8Array(two.length + 1);
    for (let j = 1; j <= two.length; j++) row[j] = letter === two[j - 1] ? before[j - 1] + 1 : Math.max(before[j], row[j - 1]);
    before = row;
  }
  return (2 * before[two.length]) / (one.length + two.length);
}

function isPair(one, two) {
  return likeness(one, two) > 0.5;
}

// Return the parts [a, b, c, d] of a changed part: words that are alike are pairs, and what lies between stays together.
function paired(one, two, a, b, c, d) {
  const rows = b - a, columns = d - c;
  if (rows * columns < 2 || rows * columns > MOST_PAIRS || one.slice(a, b).join("") === two.slice(c, d).join("")) return [[a, b, c, d]];
  const width = columns + 1, worth = new Float64Array((rows + 1) * width), alike = new Float64Array(rows * columns);
  for (let i = rows - 1; i >= 0; i--) {
    for (let j = columns - 1; j >= 0; j--) {
      const own = likeness(one[a + i], two[c + j]);
      alike[i * columns + j] = own > 0.5 ? own : -1;
      const pair = own > 0.5 ? worth[(i + 1) * width + j + 1] + own : 0;
      worth[i * width + j] = Math.max(pair, worth[(i + 1) * width + j], worth[i * width + j + 1]);
    }
  }
  const found = [];
  let i = 0, j = 0, from = [0, 0];
  const close = () => {
    if (from[0] < i || from[1] < j) found.push([a + from[0], a + i, c + from[1], c + j]);
  };
  while (i < rows && j < columns) {
    const own = alike[i * columns + j];
    if (own > 0 && worth[i * width + j] === worth[(i + 1) * width + j + 1] + own) {
      close();
      found.push([a + i, a + i + 1, c + j, c + j + 1]);
      i++, j++;
      from = [i, j];
    } else if (worth[(i + 1) * width + j] >= worth[i * width + j + 1]) i++;
    else j++;
  }
  [i, j] = [rows, columns];
  close();
  return found;
}

// Return the edits between two lists of words as edits() does, where changed parts are pairs of words if they can be.
function wordEdits(one, two) {
  return edits(one, two).flatMap(([kind, ...at]) => (kind === "same" ? [[kind, ...at]] : paired(one, two, ...at).map((part) => [kind, ...part])));
}

// Draws a text with its edits: pairs of words, with the letters in which they differ.
const LONG = 3000;

// Return the nodes of the white space at a place where another text has `other`: what is more has labels.
function gapNodes(gap, other) {
  if (gap.length <= other.length || gap.includes("\n")) return nodes(gap);
  const title = `white space differs: ${gap.length} characters here, ${other.length} there`;
  return [...nodes(gap.slice(0, other.length)), element("span", { class: "odd", title }, "␣".repeat(gap.length - other.length))];
}

// Return del and ins for two texts that replace each other. Where they are a pair of words, the letters in which they
// differ are marked too.
function replaced(old, text, name = "") {
  const one = old && element("del", name), two = text && element("ins", name);
  if (!one || !two || /[\s\u200c\u200d]/.test(old + text) || !isPair(old, text)) {
    if (one) one.append(...nodes(old));
    if (two) two.append(...nodes(text));
    return [one, two];
  }
  const [before, after] = [letters(old), letters(text)];
  for (const [kind, a, b, c, d] of edits(before, after)) {
    const put = (parent, part) => part && parent.append(...(kind === "same" ? nodes(part) : [element("b", "", ...nodes(part))]));
    put(one, before.slice(a, b).join(""));
    put(two, after.slice(c, d).join(""));
  }
  return [one, two];
}

// Return a text in which edits against the text `before` are marked; if that is null, nothing is marked. `note` returns
// what stands behind an edit, of its bounds in the words of both texts.
function marked(text, before, note = null) {
  const line = element("bdi", { class: "text", dir: "auto" });
  if (before === null) line.append(...nodes(text));
  else putEdits(line, split(text), text, split(before), before, note);
  if (text.length > LONG) {
    line.classList.add("long");
    line.tabIndex = 0; // the keyboard can scroll it
  }
  if (!line.hasChildNodes()) line.append(element("span", "dim", "(empty)"));
  line.normalize(); // text side by side is one piece, as screen readers read it
  return line;
}

function putEdits(line, own, text, old, before, note) {
  const range = (of, whole, low, high) => whole.slice(of.starts[low], of.starts[high - 1] + of.words[high - 1].length);
  for (const [kind, a, b, c, d] of wordEdits(old.words, own.words)) {
    if (kind === "same") {
      putSame(line, own, text, old, a, c, d);
      continue;
    }
    const [gone, added] = replaced(a < b ? range(old, before, a, b) : "", c < d ? range(own, text, c, d) : "");
    const space = c < d ? own.gaps[c] : old.gaps[a];
    if (line.hasChildNodes() || a === b) line.append(...nodes(space));
    line.append(...[gone, gone && added && "\u2009", added].filter(Boolean));
    if (note) line.append(...note(a, b, c, d));
  }
  line.append(...gapNodes(own.gaps.at(-1), old.gaps.at(-1)));
}

// Append words that both texts have: as one piece where the white space between them is the same too.
function putSame(line, own, text, old, a, c, d) {
  let from = c;
  const flush = (to) => {
    if (from < to) line.append(...nodes(text.slice(own.starts[from] - own.gaps[from].length, own.starts[to - 1] + own.words[to - 1].length)));
    from = to;
  };
  for (let number = c; number < d; number++) {
    const other = old.gaps[a + number - c];
    if (own.gaps[number] === other || own.gaps[number].length <= other.length) continue;
    flush(number);
    line.append(...gapNodes(own.gaps[number], other), ...nodes(own.words[number]));
    from = number + 1;
  }
  flush(d);
}
