"""Tables in the Markdown of GitHub. Nothing in a name or signature acts as markup."""

import re
from collections.abc import Sequence

from ..errors import printable
from .context import ReportContext
from .documents import Cell, DocumentTable, document_tables, type_tables
from .tables import BETTER, WORSE, padded

_SPECIAL = re.compile(r"[\\`*_\[\]<>|~&$#@]|:(?=//|[A-Za-z0-9+-]+:)|(?<=www)\.")
"""Signs with a meaning in Markdown, in HTML, or to GitHub: formulas, mentions, issues, emoji,
links."""
_LEADING = re.compile(r"([0-9]*)([-+=.)])")
"""Beginnings that make a line a list or a heading."""
MIN_COLUMN_WIDTH = 3
NO_BREAK = "\u00a0"
"""A space at which no line ends."""


def markdown_files(context: ReportContext) -> dict[str, str]:
    """Return results.md, a table for each data set and metric, and types.md if there are scores by
    type.
    """
    files = {}
    if not context.by_type:
        files["results.md"] = "\n".join(map(table, document_tables(context)))
    types = type_tables(context.results, context.digits, context.tier)
    text = "\n".join(map(table, types))
    if text:
        files["types.md"] = text
    return files


def escape(text: str) -> str:
    """Return text that Markdown shows unchanged, on one line, with control characters shown as
    escapes.
    """
    return _SPECIAL.sub(r"\\\g<0>", printable(text.replace("\n", " ")))


def paragraph(text: str) -> str:
    """Return text that Markdown shows as a paragraph, whatever it begins with."""
    line = text.strip()
    if not _LEADING.match(line):
        return escape(line)
    return _LEADING.sub(r"\1\\\2", escape(line), count=1)


def code(text: str) -> str:
    """Return text as code, between more backticks than it has in a row."""
    line = printable(text.replace("\n", " "))
    fence = "`"
    while fence in line:
        fence += "`"
    blank = ""
    if line[:1] in "` " or line[-1:] in "` ":
        blank = " "
    return f"{fence}{blank}{line}{blank}{fence}"


def table(document_table: DocumentTable) -> str:
    """Return a table with its caption, notes and signatures."""
    names = document_table.names
    titles = [escape(title) for title in document_table.header]
    rows = []
    if any(document_table.heads):
        # Markdown has one line of titles, and no cell over several columns
        rows.append(_heads(document_table.heads))
        rows.append([f"**{title}**" for title in titles])
    else:
        rows.append(titles)
    rows += [list(map(_cell, row)) for row in document_table.rows]
    widths = []
    for cells in zip(*rows, strict=True):
        widths.append(max(MIN_COLUMN_WIDTH, *map(len, cells)))
    rules = []
    for column, width in enumerate(widths):
        dashes = "-" * (width - 1)
        rules.append(f":{dashes}" if column in names else f"{dashes}:")
    lines = [
        f"**{escape(document_table.caption)}**",
        "",
        _row(rows[0], widths, names),
        _row(rules, widths, ()),
    ]
    for row in rows[1:]:
        lines.append(_row(row, widths, names))
    lines.append("")
    if document_table.notes:
        notes = " ".join(document_table.notes)
        lines += [paragraph(notes), ""]
    for text in document_table.items:
        lines.append(f"- {paragraph(text)}")
    for signature in document_table.signatures:
        lines.append(f"- {code(signature)}")
    lines.append("")
    return "\n".join(lines)


def _heads(heads: Sequence[str]) -> list[str]:
    """Return the titles above several columns, each above the first of them."""
    cells = []
    previous = None
    for head in heads:
        cells.append("" if head == previous else escape(head))
        previous = head
    return cells


def _row(
    cells: Sequence[str], widths: Sequence[int], left: Sequence[int]
) -> str:
    return f"| {' | '.join(padded(cells, widths, left))} |"


def _cell(cell: Cell) -> str:
    text = escape(cell.text)
    if cell.best and cell.text:
        text = f"**{text}**"
    if cell.spread:
        text += f"{NO_BREAK}±{NO_BREAK}{escape(cell.spread)}"
    if cell.mark in (BETTER, WORSE):
        text += f"{NO_BREAK}{cell.mark}"
    elif cell.mark:
        text += f" <sup>{escape(cell.mark)}</sup>"
    return text
