"""Tables in LaTeX with booktabs, for pdfLaTeX and LuaLaTeX. Nothing in a name or signature acts as a command."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..errors import printable
from .by_type.sheets import type_sheets
from .sheets import sheets

if TYPE_CHECKING:
    from .material import Material
    from .sheets import Cell, Sheet

SIGNS = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\char34{}",
    "`": r"\textasciigrave{}",
    "'": r"\textquotesingle{}",
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    "±": r"$\pm$",
    "≥": r"$\ge$",
    "≤": r"$\le$",
    "…": r"\dots{}",
}
"""What stands for signs that LaTeX reads as commands, does not print, or takes for options of a line break."""
_INTERVAL = re.compile(r"([-+]?[0-9.]+) to ([-+]?[0-9.]+)")
HEAD = """\
% Made by gec-pipeline. In the preamble: \\usepackage{booktabs,graphicx}
% and, for pdfLaTeX, \\usepackage[T1]{fontenc}. Names with other than Latin letters need LuaLaTeX or XeLaTeX and a font.
"""


def latex_files(material: Material) -> dict[str, str]:
    r"""Return results.tex, a table for each data set and metric, to \input; types.tex for scores by type."""
    types = [f"\n{_table(sheet)}" for sheet in type_sheets(material.results, material.digits, material.tier)]
    files = {} if material.by_type else {"results.tex": HEAD + "".join(f"\n{_table(s)}" for s in sheets(material))}
    return files | ({"types.tex": HEAD + "".join(types)} if types else {})


def escape(text: str) -> str:
    """Return text that LaTeX prints unchanged, on one line, with control characters shown as escapes."""
    parts = [SIGNS.get(sign, sign) for sign in printable(text.replace("\n", " "))]
    for index in range(len(parts) - 1):
        if parts[index] in ("-", ",") and parts[index + 1] == parts[index]:
            parts[index] += r"\kern0pt{}"  # else two make a dash or a quotation mark; in LuaLaTeX {} does not part them
    return "".join(parts)


def _table(sheet: Sheet) -> str:
    columns = "".join("l" if column in sheet.names else "r" for column in range(len(sheet.header)))
    lines = [
        r"\begin{table}",
        r"\centering\small",
        rf"\caption{{{escape(sheet.caption)}.}}",
        rf"\label{{tab:{re.sub('[^A-Za-z0-9]+', '-', sheet.name).strip('-')}}}",
        r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        f"{' & '.join(escape(title) for title in sheet.header)} \\\\",
        r"\midrule",
        *(f"{' & '.join(_cell(cell) for cell in row)} \\\\" for row in sheet.rows),
        r"\bottomrule",
        r"\end{tabular}}",
        *_below(sheet),
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _below(sheet: Sheet) -> list[str]:
    """Return the lines below a table: notes, and signatures that may break after each of their parts."""
    if not (sheet.notes or sheet.items or sheet.signatures):
        return []
    broken = [escape(text).replace(r"\textbar{}", r"\textbar\allowbreak{}") for text in sheet.signatures]
    return [
        r"\par\smallskip",
        r"\begin{minipage}{\linewidth}\raggedright\footnotesize",
        *([" ".join(escape(note) for note in sheet.notes)] if sheet.notes else []),
        *(rf"\par {escape(text)}" for text in sheet.items),
        *(rf"\par\texttt{{{text}}}" for text in broken),
        r"\end{minipage}",
    ]


def _cell(cell: Cell) -> str:
    text = _number(cell.text)
    text = rf"\textbf{{{text}}}" if cell.best and cell.text else text
    spread = rf" $\pm$ {_number(cell.spread)}" if cell.spread else ""
    mark = "$^{*}$" if cell.mark == "*" else rf"\textsuperscript{{{escape(cell.mark)}}}" if cell.mark else ""
    return f"{text}{spread}{mark}"


def _number(text: str) -> str:
    """Return a cell in LaTeX, with its minus signs, intervals and ranges of numbers typeset."""
    bounds = _INTERVAL.fullmatch(text)
    if bounds:
        return f"[{_number(bounds[1])}, {_number(bounds[2])}]"
    if re.fullmatch("[0-9]+-[0-9]+", text):
        return text.replace("-", "--")
    return re.sub(r"^([-+])", r"$\1$", text) if re.fullmatch(r"[-+][0-9.]+", text) else escape(text)
