"use strict";
// A finding to share, as a picture that stands for itself: a sentence with the edits of A and B, or a comparison of the
// two, with scores, signature and the address of what the page shows. A menu copies or saves it as SVG or PNG.
const finding = (() => {
  const WIDE = 760, EDGE = 20, LABEL = 116, LINE = 21, SIZE = 14, SMALL = 11.5, FONT = "sans-serif", GAP = 24;
  const SPACE = "http://www.w3.org/2000/svg", pen = document.createElement("canvas").getContext("2d");
  const place = element("div", { hidden: "hidden" });
  document.body.append(place);

  function shape(tag, attributes, text = "") {
    const made = document.createElementNS(SPACE, tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(text);
    return made;
  }

  // Return the pieces of a text as the page shows it, each with its look.
  function piecesOf(shown) {
    const walker = document.createTreeWalker(shown, NodeFilter.SHOW_TEXT), found = [];
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const own = node.parentElement, style = getComputedStyle(own), first = node === own.firstChild;
      if (own.closest(".hidden")) continue;
      const line = own.closest("del") ? "line-through" : own.closest("ins, .left") ? "underline" : "none";
      const begins = own.matches("ins, .wanted") || own.parentElement.matches("small");
      const before = (first && begins && found.length && !/\s$/.test(found.at(-1).text) ? " " : "") + (first && own.matches(".wanted") ? "→ " : "");
      found.push({ text: before + node.data, fill: style.color, "font-weight": style.fontWeight, "font-style": style.fontStyle, "text-decoration": line });
    }
    return found;
  }

  // Write pieces between the edges from a line on, with breaks between words; return the next line.
  function write(drawing, pieces, left, y, size = SIZE) {
    const parts = pieces.flatMap(({ text, ...look }) => text.split(/(?<=\s)|(?=\s)|(?=[|&?#/])/).map((word) => {
      pen.font = `${look["font-style"] ?? "normal"} ${look["font-weight"] ?? 400} ${size}px ${FONT}`;
      return { word, look, width: pen.measureText(word).width };
    }));
    let x = left;
    while (parts.length) {
      const end = parts.findIndex(({ word }, at) => at && /^[\s|&?#/]/.test(word)), run = parts.splice(0, end < 0 ? parts.length : end);
      if (x > left && x + run.reduce((sum, part) => sum + part.width, 0) > WIDE - EDGE) [x, y] = [left, y + 1.5 * size];
      for (const { word, look, width } of run) {
        if (!word.trim()) {
          x += x > left ? width : 0;
          continue;
        }
        const made = shape("text", { x: x.toFixed(1), y, ...look, "xml:space": "preserve" }, word);
        made.style.cssText = `font-size: ${size}px; fill: ${look.fill}`; // where the page's own style says something else
        drawing.append(made);
        x += width;
      }
    }
    return y + LINE;
  }

  const plainly = (text, look = {}) => [{ text, fill: "#1b1f24", ...look }], dim = { fill: "#565e68" };

  // Return the address of what the page shows. Of a file there is only the name: folders tell others nothing.
  const address = () => (location.protocol === "file:" ? location.pathname.replace(/^.*\//, "") + location.hash : location.href);

  // Draw a finding: what it says, rows of a name, a score and pieces of text, and drawings of the page beside each other.
  function draw(title, rows, drawings) {
    const drawing = shape("svg", { role: "img", "aria-label": title });
    let y = write(drawing, plainly(title, { "font-weight": 650 }), EDGE, 32, 16) + 8;
    for (const { name, score, pieces } of rows) {
      const under = write(drawing, plainly(name, { ...dim, "font-weight": 600 }), EDGE, y, SMALL);
      if (score) drawing.append(shape("text", { x: EDGE, y: under - 2, fill: "#1b1f24", "font-weight": 650 }, score));
      y = Math.max(write(drawing, pieces, EDGE + LABEL, y), under + (score ? LINE : 0)) + 6;
    }
    let x = EDGE, tall = 0;
    for (const one of drawings) {
      const [, , width, height] = one.getAttribute("viewBox").split(" ").map(Number), inner = one.cloneNode(true);
      if (x > EDGE && x + width > WIDE - EDGE) [x, y, tall] = [EDGE, y + tall + GAP, 0];
      for (const [name, value] of Object.entries({ x, y, width, height })) inner.setAttribute(name, value);
      drawing.append(inner);
      [x, tall] = [x + width + GAP, Math.max(tall, height)];
    }
    y = write(drawing, plainly(metric().signature, dim), EDGE, y + tall + (tall ? GAP : 0) + 4, SMALL);
    y = write(drawing, plainly(address(), dim), EDGE, y - 3, SMALL);
    for (const [name, value] of Object.entries({ viewBox: `0 0 ${WIDE} ${y}`, width: WIDE, height: y })) drawing.setAttribute(name, value);
    drawing.prepend(shape("rect", { width: WIDE, height: y, fill: "#ffffff" }));
    return drawing;
  }

  const share = (pressed, title, rows, drawings = []) => {
    writeNow();
    place.replaceChildren(element("figure", "", element("figcaption", "", title), copying.inLight(() => draw(title, rows(), drawings))));
    copying.open(pressed, place.firstChild);
  };
  const cardRow = (card) => ({ name: [...card.querySelectorAll(".name.a, .name.b")].map((one) => one.textContent).join(", "), score: card.querySelector(".score")?.textContent, pieces: piecesOf(card.querySelector(".text")) });
  const givenRow = (given) => ({ name: given.querySelector("h4").textContent, pieces: piecesOf(given.querySelector(".text") ?? given.lastChild) });
  return {
    sentence: (pressed) => share(pressed, `${lineName(dataset(), state.line)} of ${dataset().name}, ${metric().called}`, () => [
      ...[...detail.querySelectorAll(".given .named")].map(givenRow), ...[...detail.querySelectorAll(".card.main")].map(cardRow),
    ]),
    comparison: (pressed) => share(pressed, byId("pair-told").textContent, () => [], [...document.querySelectorAll("#compared figure svg")].slice(0, 2)),
  };
})();
