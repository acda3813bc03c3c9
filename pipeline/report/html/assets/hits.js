"use strict";
// What a search finds: which texts fit, and the marks in them.
const MOST_HITS = 500;

// Return the search as a regular expression, null where there is none or it is wrong; the field then says why.
function hitExpression() {
  const wanted = state.q.trim(), pattern = /^\/(.+)\/(i?)$/.exec(wanted), input = form.elements.q;
  input.setCustomValidity("");
  if (!pattern) return wanted ? new RegExp(wanted.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "giu") : null;
  try {
    return new RegExp(pattern[1], `gu${pattern[2]}`);
  } catch (error) {
    input.setCustomValidity(error.message);
    input.reportValidity();
    return null;
  }
}

// Mark what was searched for in the texts of an element. Deleted words and labels are no part of a text.
function markHits(root, expression) {
  if (!expression) return;
  for (const text of root.matches?.(".excerpt") ? [root] : root.querySelectorAll(".text")) markIn(text, expression);
}

function markIn(text, expression) {
  const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT), pieces = [];
  let whole = "";
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node.parentElement.closest("del, small, .odd, .wanted") || node.data === "\u2009") continue;
    pieces.push({ node, start: whole.length });
    whole += node.data;
  }
  const hits = [];
  for (const match of whole.matchAll(expression)) {
    if (match[0] && hits.push([match.index, match.index + match[0].length]) === MOST_HITS) break;
  }
  let first = 0;
  for (const { node, start } of pieces) {
    const end = start + node.data.length, parts = [];
    let at = start;
    while (first < hits.length && hits[first][1] <= start) first++;
    for (let number = first; number < hits.length && hits[number][0] < end; number++) {
      const [low, high] = [Math.max(hits[number][0], start), Math.min(hits[number][1], end)];
      if (at < low) parts.push(whole.slice(at, low));
      parts.push(element("mark", "", whole.slice(low, high)));
      at = high;
    }
    if (parts.length) node.replaceWith(...parts, ...(at < end ? [whole.slice(at, end)] : []));
  }
}

// Return the part of a text that a row of the list shows: the beginning, or where a search finds something.
function excerpt(text) {
  const expression = hitExpression(), at = expression ? text.search(expression) : -1, start = at > 40 ? at - 20 : 0;
  const shown = element("bdi", "excerpt", (start ? "… " : "") + (plain(text.slice(start, start + 200)) || "(empty)"));
  shown.dir = "auto";
  markHits(shown, expression);
  return shown;
}
