"""Tables in LaTeX with booktabs, for pdfLaTeX and LuaLaTeX. Nothing in a name or signature acts as
a command.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path

from ..errors import printable
from .context import ReportContext
from .documents import Cell, DocumentTable, document_tables, type_tables
from .tables import BETTER, WORSE

_SIGNS = Path(__file__).with_name("latex_signs.tsv").read_text(encoding="utf-8")
SIGNS = dict(line.split("\t") for line in _SIGNS.splitlines())
"""Replacements of signs that LaTeX reads as commands, does not print, or takes for options of a
line break."""
COLUMN_WIDTH = 219.0
"""The width in points of a column of a page with two columns."""
LETTER_WIDTH = 4.7
"""About the width of a letter in \\small, in points."""
MARK_WIDTH = 3.6
"""About the width of a raised letter in \\small, in points."""
GAP = 12.0
"""The space between two columns of a table, in points."""
INTERVAL = re.compile(r"([-+]?[0-9.]+) to ([-+]?[0-9.]+)")
ARROWS = {BETTER: r"\uparrow", WORSE: r"\downarrow"}
HEAD = """\
% Made by gec-pipeline. In the preamble: \\usepackage{booktabs,graphicx}
% and, for pdfLaTeX, \\usepackage[T1]{fontenc}. Names with other than Latin letters need \
LuaLaTeX or XeLaTeX and a font.
"""


def latex_files(context: ReportContext) -> dict[str, str]:
    r"""Return results.tex, a table for each data set and metric, to \input; types.tex for scores by
    type.

    The signatures of all metrics are in signatures.tex, each once.
    """
    files = {}
    tables: list[DocumentTable] = []
    if not context.by_type:
        tables = list(document_tables(context))
        files["results.tex"] = _file(tables)
    types = list(type_tables(context.results, context.digits, context.tier))
    if types:
        files["types.tex"] = _file(types)
    signatures: dict[str, None] = {}
    for document_table in [*tables, *types]:
        signatures.update(dict.fromkeys(document_table.signatures))
    if signatures:
        lines = [
            HEAD,
            r"\begin{itemize}\raggedright\footnotesize",
            *(rf"\item {code(text)}" for text in signatures),
            r"\end{itemize}",
            "",
        ]
        files["signatures.tex"] = "\n".join(lines)
    return files


def _file(tables: Sequence[DocumentTable]) -> str:
    return HEAD + "".join(
        f"\n{table(document_table)}" for document_table in tables
    )


def escape(text: str) -> str:
    """Return text that LaTeX prints unchanged, on one line, with control characters shown as
    escapes.
    """
    parts = [
        SIGNS.get(sign, sign) for sign in printable(text.replace("\n", " "))
    ]
    for index in range(len(parts) - 1):
        if parts[index] in ("-", ",") and parts[index + 1] == parts[index]:
            # else two make a dash or a quotation mark; in LuaLaTeX {} does not part them
            parts[index] += r"\kern0pt{}"
    # F₀.₅ has its point between the small digits
    return re.sub(r"\}(\.?)\\textsubscript\{", r"\1", "".join(parts))


def code(text: str) -> str:
    """Return a signature as code, in lines that may break after each of its parts."""
    return rf"\texttt{{{escape(text)}}}".replace(
        r"\textbar{}", r"\textbar\allowbreak{}"
    )


def table(document_table: DocumentTable) -> str:
    """Return a table, over both columns of the page if it does not fit one of them."""
    sides = ""
    for column in range(len(document_table.header)):
        sides += "l" if column in document_table.names else "r"
    environment = (
        "table" if _width(document_table) <= COLUMN_WIDTH else "table*"
    )
    label = re.sub("[^A-Za-z0-9]+", "-", document_table.name).strip("-")
    lines = []
    for text in document_table.signatures:
        one_line = text.replace("\n", " ")
        lines.append(f"% {printable(one_line)}")
    lines += [
        rf"\begin{{{environment}}}",
        r"\centering\small",
        rf"\caption{{{escape(document_table.caption)}.}}",
        rf"\label{{tab:{label}}}",
        r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
        rf"\begin{{tabular}}{{{sides}}}",
        r"\toprule",
        *_heads(document_table.heads),
        _row(map(escape, document_table.header)),
        r"\midrule",
        *(_row(map(_cell, row)) for row in document_table.rows),
        r"\bottomrule",
        r"\end{tabular}}",
        *_below(document_table),
        rf"\end{{{environment}}}",
    ]
    return "\n".join(lines) + "\n"


def _width(document_table: DocumentTable) -> float:
    """Return an estimate of the width of a table in points, which is a little too high."""
    widths = [LETTER_WIDTH * len(title) for title in document_table.header]
    for row in document_table.rows:
        for column, cell in enumerate(row):
            letters = len(cell.text)
            if cell.spread:
                letters += len(f" + {cell.spread}")
            width = LETTER_WIDTH * letters + MARK_WIDTH * len(cell.mark)
            widths[column] = max(widths[column], width)
    return sum(widths) + GAP * len(widths)


def _below(document_table: DocumentTable) -> list[str]:
    """Return the notes and items below a table."""
    lines = []
    if document_table.notes:
        lines.append(" ".join(map(escape, document_table.notes)))
    lines += [rf"\par {escape(text)}" for text in document_table.items]
    if not lines:
        return []
    return [
        r"\par\smallskip",
        r"\begin{minipage}{\linewidth}\raggedright\footnotesize",
        *lines,
        r"\end{minipage}",
    ]


def _heads(heads: Sequence[str]) -> list[str]:
    """Return the line of titles above several columns, and rules below it; nothing without
    titles.
    """
    cells = []
    rules = ""
    last = 0
    for head, columns in groupby(heads):
        count = len(list(columns))
        first = last + 1
        last += count
        if head:
            cells.append(rf"\multicolumn{{{count}}}{{c}}{{{escape(head)}}}")
            rules += rf"\cmidrule(lr){{{first}-{last}}}"
        else:
            cells += [""] * count
    return [_row(cells), rules] if rules else []


def _row(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"


def _cell(cell: Cell) -> str:
    text = _number(cell.text)
    if cell.best and cell.text:
        text = rf"\textbf{{{text}}}"
    if cell.spread:
        text += rf"~$\pm$~{_number(cell.spread)}"
    if cell.mark in ARROWS:
        text += f"$^{{{ARROWS[cell.mark]}}}$"
    elif cell.mark:
        text += rf"\textsuperscript{{{escape(cell.mark)}}}"
    return text


def _number(text: str) -> str:
    """Return a cell in LaTeX, with its minus signs, intervals and ranges of numbers typeset."""
    bounds = INTERVAL.fullmatch(text)
    if bounds:
        return f"[{_number(bounds[1])}, {_number(bounds[2])}]"
    if re.fullmatch("[0-9]+-[0-9]+", text):
        return text.replace("-", "--")
    if re.fullmatch(r"[-+][0-9.]+", text):
        return f"${text[0]}${text[1:]}"
    return escape(text)
