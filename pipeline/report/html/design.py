"""What the page is made of: the names of its template, styles and scripts, all of them in `assets`."""

from __future__ import annotations

from . import shell

ALWAYS = (
    "theme.js",
    "tabs.js",
    "baseline.js",
    "sort.js",
    "boxes.js",
    "marks.js",
    "copying.js",
)
"""The scripts that work without sentences too, in the order in which they run: the first before the page is drawn."""
SENTENCES = (
    "text.js",
    "words.js",
    "marked.js",
    "ngrams.js",
    "edits.js",
    "data.js",
    "makers.js",
    "list.js",
    "grams.js",
    "overlaps.js",
    "counts.js",
    "card.js",
    "scores.js",
    "detail.js",
    "example.js",
    "address.js",
    "hits.js",
    "lines.js",
    "agreement.js",
    "explorer.js",
    "compare_figures.js",
    "compare_gains.js",
    "compare.js",
    "keys.js",
)
"""The scripts of the sentences, in the order in which they run, after the others."""
SCRIPTS = (*ALWAYS, *SENTENCES)
STYLES = (
    "page.css",
    "overview.css",
    "explorer.css",
    "sentence.css",
    "compare.css",
    "copying.css",
    "print.css",
)
"""The style sheets. Where two say something else, the later one holds."""
DESIGN = shell.Design("page.html", STYLES, SCRIPTS)
