"use strict";
// The edits between two texts: by words, in pairs of words, and by the letters of a pair.
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

// Return pairs [i, j] of a row and a column that rise in both and are worth most together, the first ones where equal.
// `worth` is that of a pair, 0 where it is none. Where all pairs are worth 1, there are as many as there can be.
function bestPairs(rows, columns, worth) {
  const width = columns + 1, best = new Float64Array((rows + 1) * width), found = [];
  for (let i = rows - 1; i >= 0; i--) {
    for (let j = columns - 1; j >= 0; j--) {
      const own = worth(i, j), at = i * width + j;
      best[at] = Math.max(own ? best[at + width + 1] + own : 0, best[at + width], best[at + 1]);
    }
  }
  for (let i = 0, j = 0; i < rows && j < columns; ) {
    const own = worth(i, j), at = i * width + j;
    if (own && best[at] === best[at + width + 1] + own) found.push([i++, j++]);
    else if (best[at + width] >= best[at + 1]) i++;
    else j++;
  }
  return found;
}

// Add the edits of two ranges so that as many words as possible stay the same.
function longestCommon(one, two, a, b, c, d, add) {
  let [x, y] = [a, c];
  for (const [i, j] of bestPairs(b - a, d - c, (row, column) => Number(one[a + row] === two[c + column]))) {
    add("changed", x, a + i, y, c + j);
    [x, y] = [a + i + 1, c + j + 1];
    add("same", x - 1, x, y - 1, y);
  }
  add("changed", x, b, y, d);
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
  return (2 * bestPairs(one.length, two.length, (i, j) => Number(one[i] === two[j])).length) / (one.length + two.length);
}

function isPair(one, two) {
  return likeness(one, two) > 0.5;
}

// Return the parts [a, b, c, d] of a changed part: words that are alike are pairs, and what lies between stays together.
function paired(one, two, a, b, c, d) {
  const rows = b - a, columns = d - c;
  if (rows * columns < 2 || rows * columns > MOST_PAIRS || one.slice(a, b).join("") === two.slice(c, d).join("")) return [[a, b, c, d]];
  const worth = (i, j) => {
    const own = likeness(one[a + i], two[c + j]);
    return own > 0.5 ? own : 0;
  };
  const pairs = bestPairs(rows, columns, worth), found = [];
  let [x, y] = [a, c];
  for (const [i, j] of [...pairs, [rows, columns]]) {
    if (x < a + i || y < c + j) found.push([x, a + i, y, c + j]);
    [x, y] = [a + i + 1, c + j + 1];
    if (i < rows) found.push([x - 1, x, y - 1, y]);
  }
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
