"use strict";
// A sentence as the example of a paper: its texts with the edits of A and B, in LaTeX or in Markdown.

// Return the texts of a sentence as {place, label, metric, rows}. A row has a name, a score and the parts of its text:
// [gap, kind, old, text], where the gap is the white space before it.
function exampleOf(line) {
  const own = dataset(), before = againstText(state, own, line), rows = [];
  const add = (name, number, score = "") => rows.push({ name, score, parts: partsOf(DATA.texts[number], before) });
  if (own.source) add("source", own.source[line]);
  own.references.forEach((list, number) => isMissing(own, line, number) || add(own.references.length > 1 ? `reference ${number + 1}` : "reference", list[line]));
  for (const system of state.b < 0 || state.b === state.a ? [state.a] : [state.a, state.b]) {
    add(own.systems[system], systemText(own, line, system), hasSystem(own, metric(), system) ? percent(value(line, system)) : "");
  }
  return { place: `${lineName(own, line)} of ${own.name}`, metric: metric().called, rows };
}

function partsOf(text, before) {
  const own = split(text);
  if (before === null || before === text) return [["", "same", "", text.trim()]];
  const old = split(before), parts = [];
  const range = (of, whole, low, high) => (low < high ? whole.slice(of.starts[low], of.starts[high - 1] + of.words[high - 1].length) : "");
  for (const [kind, a, b, c, d] of wordEdits(old.words, own.words)) {
    const gap = c < d ? own.gaps[c] : old.gaps[a];
    parts.push([parts.length ? gap : "", kind, kind === "same" ? "" : range(old, before, a, b), range(own, text, c, d)]);
  }
  return parts;
}

// Return two texts that replace each other as lists of [letters, whether only this text has them].
function lettersOf(old, text) {
  if (!old || !text || /[\s\u200c\u200d]/.test(old + text) || !isPair(old, text)) return [[[old, true]], [[text, true]]];
  const [one, two] = [letters(old), letters(text)], found = [[], []];
  for (const [kind, a, b, c, d] of edits(one, two)) {
    if (a < b) found[0].push([one.slice(a, b).join(""), kind !== "same"]);
    if (c < d) found[1].push([two.slice(c, d).join(""), kind !== "same"]);
  }
  return found;
}

function isRightToLeft(text) {
  return /^[^\p{L}]*[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u.test(text);
}

function latexOf({ place, metric, rows }) {
  const pieces = (list) => list.map(([part, only]) => (only ? `\\textbf{${tex(part)}}` : tex(part))).join("");
  // Words are apart, so that lines can break between them.
  const ruled = (command, text, list) => {
    if (!list.every(([, only]) => only)) return `\\${command}{${pieces(list)}}`;
    const { words, gaps } = split(text.replace(/<n>/g, " "));
    return words.map((word, number) => (number ? tex(gaps[number].replace(/\s+/g, " ")) : "") + `\\${command}{\\textbf{${tex(word)}}}`).join("");
  };
  const lineOf = ({ name, score, parts }) => {
    const text = parts.map(([gap, kind, old, now]) => {
      if (kind === "same") return tex(gap + now);
      const [gone, added] = lettersOf(old, now);
      return tex(gap) + [old && ruled("gecdel", old, gone), now && ruled("gecins", now, added)].filter(Boolean).join(" ");
    }).join("");
    const turned = isRightToLeft(parts.map((part) => part[3]).join(" ")) ? `\\gecrtl{${text}}` : text;
    return `${tex(name)} & ${turned} & ${score.replace("−", "$-$")} \\\\`;
  };
  return [
    "% Made by gec-pipeline. In the preamble: \\usepackage{tabularx,xcolor}",
    "% and, for pdfLaTeX, \\usepackage[T1]{fontenc} and \\usepackage{textcomp}",
    "% Other letters than Latin ones: LuaLaTeX, with \\usepackage[bidi=basic]{babel} and a font that has them: \\babelfont{rm}{...}",
    "\\providecommand{\\gecrule}[2]{\\leavevmode\\begingroup\\setbox0\\hbox{#2}\\rlap{\\raisebox{#1}{\\rule{\\wd0}{.5pt}}}\\box0\\endgroup}",
    "\\providecommand{\\gecins}[1]{\\textcolor{green!35!black}{\\gecrule{-.35ex}{#1}}}",
    "\\providecommand{\\gecdel}[1]{\\textcolor{red!65!black}{\\gecrule{.5ex}{#1}}}",
    "\\providecommand{\\gecrtl}[1]{\\ifdefined\\textdir\\bgroup\\textdir TRT #1\\egroup\\else#1\\fi}",
    "\\begin{figure}",
    "\\centering\\small",
    "\\begin{tabularx}{\\linewidth}{@{}l>{\\raggedright\\arraybackslash}Xr@{}}",
    ...rows.map(lineOf),
    "\\end{tabularx}",
    `\\caption{${tex(place.replace(/^l/, "L"))}, with scores by ${tex(metric)}.}`,
    `\\label{fig:${place.replace(/[^A-Za-z0-9]+/g, "-")}}`,
    "\\end{figure}",
    "",
  ].join("\n");
}

// Return text that Markdown shows as it is, in a cell of a table.
function markdownText(text) {
  const signs = text.replace(ODD, (sign) => (sign === "\n" || sign === "<n>" || /\s/.test(sign) ? " " : `⟨${(NAMES.get(sign) ?? [code(sign)])[0]}⟩`));
  return signs.replace(/[\\`*_{}[\]<>#|~$]/g, "\\$&").replace(/&/g, "&amp;").replace(/:(?=\/\/)/g, "\\:");
}

// Signs beside letters of a word end no mark in Markdown. There the marks are elements.
function markdownOf({ place, metric, rows }) {
  const wrap = (text, sign, name, free) => (free || /^[\p{L}\p{N}](.*[\p{L}\p{N}])?$/u.test(text) ? `${sign}${markdownText(text)}${sign}` : `<${name}>${markdownText(text)}</${name}>`);
  const lineOf = ({ name, score, parts }) => {
    const text = parts.map(([gap, kind, old, now], number) => {
      if (kind === "same") return markdownText(gap + now);
      const free = (!number || /\s$/.test(gap)) && (number === parts.length - 1 || /^\s/.test(parts[number + 1][0]));
      return gap.replace(/\s+/g, " ") + [old && wrap(old, "~~", "del", free), now && wrap(now, "**", "ins", free)].filter(Boolean).join(" ");
    }).join("");
    return `| ${markdownText(name)} | ${text} | ${score} |`;
  };
  return [`| ${markdownText(place)} | | ${markdownText(metric)} |`, "|---|---|---:|", ...rows.map(lineOf), ""].join("\n");
}
