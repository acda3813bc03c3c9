"use strict";
// Draws a text with its edits: pairs of words, with the letters in which they differ.
const LONG = 3000;

// Return the nodes of the white space at a place where another text has `other`: what is more has labels.
function gapNodes(gap, other) {
  if (gap.length <= other.length || gap.includes("\n")) return nodes(gap);
  const span = element("span", "odd", "␣".repeat(gap.length - other.length));
  span.title = `white space differs: ${gap.length} characters here, ${other.length} there`;
  return [...nodes(gap.slice(0, other.length)), span];
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
  const line = element("bdi", "text");
  line.dir = "auto";
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
