"""Tables in LaTeX with booktabs, for pdfLaTeX and LuaLaTeX. Nothing in a name or signature acts as
a command.
"""

import re
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from ..errors import printable
from .context import ReportContext
from .document_tables import Cell, DocumentTable, document_tables, type_sheets
from .tables.comparisons import BETTER, WORSE

_SIGNS = Path(__file__).with_name("latex_signs.tsv").read_text(encoding="utf-8")
SIGNS = dict(line.split("\t") for line in _SIGNS.splitlines())
"""What stands for signs that LaTeX reads as commands, does not print, or takes for options of a
line break."""
COLUMN = 219.0
"""The width in points of a column of a page with two columns."""
LETTER, MARK, GAP = 4.7, 3.6, 12.0
"""About how wide a letter, a raised letter and the space between two columns are in \\small, in
points.
"""
_INTERVAL = re.compile(r"([-+]?[0-9.]+) to ([-+]?[0-9.]+)")
HEAD = """\
% Made by gec-pipeline. In the preamble: \\usepackage{booktabs,graphicx}
% and, for pdfLaTeX, \\usepackage[T1]{fontenc}. Names with other than Latin letters need LuaLaTeX or XeLaTeX and a font.
"""


def latex_files(context: ReportContext) -> dict[str, str]:
    r"""Return results.tex, a table for each data set and metric, to \input; types.tex for scores by
    type.

    The signatures of all metrics stand once in signatures.tex.
    """
    own = [] if context.by_type else list(document_tables(context))
    types = list(type_sheets(context.results, context.digits, context.tier))
    files = (
        {}
        if context.by_type
        else {"results.tex": HEAD + "".join(f"\n{table(document_table)}" for document_table in own)}
    )
    files |= (
        {"types.tex": HEAD + "".join(f"\n{table(document_table)}" for document_table in types)}
        if types
        else {}
    )
    signatures = list(
        dict.fromkeys(
            text for document_table in [*own, *types] for text in document_table.signatures
        )
    )
    if signatures:
        items = [rf"\item {code(text)}" for text in signatures]
        lines = [HEAD, r"\begin{itemize}\raggedright\footnotesize", *items, r"\end{itemize}", ""]
        files["signatures.tex"] = "\n".join(lines)
    return files


def escape(text: str) -> str:
    """Return text that LaTeX prints unchanged, on one line, with control characters shown as
    escapes."""
    parts = [SIGNS.get(sign, sign) for sign in printable(text.replace("\n", " "))]
    for index in range(len(parts) - 1):
        if parts[index] in ("-", ",") and parts[index + 1] == parts[index]:
            parts[index] += (
                r"\kern0pt{}"  # else two make a dash or a quotation mark; in LuaLaTeX {} does not part them
            )
    return re.sub(
        r"\}(\.?)\\textsubscript\{", r"\1", "".join(parts)
    )  # F₀.₅ has its point between the small digits


def code(text: str) -> str:
    """Return a signature as code, in lines that may break after each of its parts."""
    return rf"\texttt{{{escape(text)}}}".replace(r"\textbar{}", r"\textbar\allowbreak{}")


def table(document_table: DocumentTable) -> str:
    """Return a table, over both columns of the page where it does not fit one of them."""
    columns = "".join(
        "l" if column in document_table.names else "r"
        for column in range(len(document_table.header))
    )
    widths = [
        LETTER * len(title) for title in document_table.header
    ]  # a little too wide: nobody knows them without LaTeX
    for row in document_table.rows:
        for column, cell in enumerate(row):
            letters = len(cell.text) + (len(f" + {cell.spread}") if cell.spread else 0)
            widths[column] = max(widths[column], LETTER * letters + MARK * len(cell.mark))
    kind = "table" if sum(widths) + GAP * len(widths) <= COLUMN else "table*"
    below = [" ".join(map(escape, document_table.notes))] if document_table.notes else []
    below += [rf"\par {escape(text)}" for text in document_table.items]
    if below:
        page = [r"\par\smallskip", r"\begin{minipage}{\linewidth}\raggedright\footnotesize"]
        below = [*page, *below, r"\end{minipage}"]
    lines = [
        *(f"% {printable(text.replace(chr(10), ' '))}" for text in document_table.signatures),
        rf"\begin{{{kind}}}",
        r"\centering\small",
        rf"\caption{{{escape(document_table.caption)}.}}",
        rf"\label{{tab:{re.sub('[^A-Za-z0-9]+', '-', document_table.name).strip('-')}}}",
        r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        *_heads(document_table.heads),
        f"{' & '.join(escape(title) for title in document_table.header)} \\\\",
        r"\midrule",
        *(f"{' & '.join(_cell(cell) for cell in row)} \\\\" for row in document_table.rows),
        r"\bottomrule",
        r"\end{tabular}}",
        *below,
        rf"\end{{{kind}}}",
    ]
    return "\n".join(lines) + "\n"


def _heads(heads: Sequence[str]) -> list[str]:
    """Return the line of what stands above columns, and rules below it; nothing where there is
    nothing."""
    cells, rules, last = list[str](), list[str](), 0
    for head, columns in groupby(heads):
        first, last = last + 1, last + len(list(columns))
        cells += (
            [rf"\multicolumn{{{last - first + 1}}}{{c}}{{{escape(head)}}}"]
            if head
            else [""] * (last - first + 1)
        )
        rules += [rf"\cmidrule(lr){{{first}-{last}}}"] if head else []
    return [" & ".join(cells) + r" \\", "".join(rules)] if rules else []


def _cell(cell: Cell) -> str:
    text = _number(cell.text)
    text = rf"\textbf{{{text}}}" if cell.best and cell.text else text
    spread = rf"~$\pm$~{_number(cell.spread)}" if cell.spread else ""
    if arrow := {BETTER: r"\uparrow", WORSE: r"\downarrow"}.get(cell.mark):
        mark = f"$^{{{arrow}}}$"
    else:
        mark = rf"\textsuperscript{{{escape(cell.mark)}}}" if cell.mark else ""
    return f"{text}{spread}{mark}"


def _number(text: str) -> str:
    """Return a cell in LaTeX, with its minus signs, intervals and ranges of numbers typeset."""
    bounds = _INTERVAL.fullmatch(text)
    if bounds:
        return f"[{_number(bounds[1])}, {_number(bounds[2])}]"
    if re.fullmatch("[0-9]+-[0-9]+", text):
        return text.replace("-", "--")
    return re.sub(r"^([-+])", r"$\1$", text) if re.fullmatch(r"[-+][0-9.]+", text) else escape(text)
