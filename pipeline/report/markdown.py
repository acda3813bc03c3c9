"""Tables in the Markdown of GitHub. Nothing in a name or signature acts as markup."""

import re
from collections.abc import Sequence

from ..errors import printable
from .context import ReportContext
from .document_tables import Cell, DocumentTable, document_tables, type_sheets
from .tables import NO_BREAK
from .tables.comparisons import BETTER, WORSE

_SPECIAL = re.compile(r"[\\`*_\[\]<>|~&$#@]|:(?=//|[A-Za-z0-9+-]+:)|(?<=www)\.")
"""Signs that mean something in Markdown, in HTML, or to GitHub: formulas, mentions, issues, emoji,
links."""
_LEADING = re.compile(r"([0-9]*)([-+=.)])")
"""Beginnings that make a line a list or a heading."""


def markdown_files(context: ReportContext) -> dict[str, str]:
    """Return results.md, a table for each data set and metric, and types.md where there are scores
    by type.
    """
    types = [
        table(document_table)
        for document_table in type_sheets(context.results, context.digits, context.tier)
    ]
    files = (
        {}
        if context.by_type
        else {
            "results.md": "\n".join(
                table(document_table) for document_table in document_tables(context)
            )
        }
    )
    return files | ({"types.md": "\n".join(types)} if types else {})


def escape(text: str) -> str:
    """Return text that Markdown shows unchanged, on one line, with control characters shown as
    escapes.
    """
    return _SPECIAL.sub(r"\\\g<0>", printable(text.replace("\n", " ")))


def paragraph(text: str) -> str:
    """Return text that Markdown shows as a paragraph, whatever it begins with."""
    line = text.strip()
    return _LEADING.sub(r"\1\\\2", escape(line), count=1) if _LEADING.match(line) else escape(line)


def code(text: str) -> str:
    """Return text as code, between more backticks than it has in a row."""
    line = printable(text.replace("\n", " "))
    longest = max((len(run) for run in re.findall("`+", line)), default=0)
    fence, blank = "`" * (longest + 1), " " if line[:1] in "` " or line[-1:] in "` " else ""
    return f"{fence}{blank}{line}{blank}{fence}"


def table(document_table: DocumentTable) -> str:
    """Return a table with its caption, notes and signatures."""
    shown = [
        [escape(title) for title in document_table.header],
        *([_cell(cell) for cell in row] for row in document_table.rows),
    ]
    if any(
        document_table.heads
    ):  # Markdown has one line of titles, and no cell over several columns
        firsts = [
            n == 0 or document_table.heads[n - 1] != head
            for n, head in enumerate(document_table.heads)
        ]
        above = [
            escape(head) * first for head, first in zip(document_table.heads, firsts, strict=True)
        ]
        shown[:1] = [above, [f"**{title}**" for title in shown[0]]]
    widths = [
        max(3, *(len(row[column]) for row in shown)) for column in range(len(document_table.header))
    ]
    dashes = ["-" * (width - 1) for width in widths]
    rules = [
        f":{dash}" if column in document_table.names else f"{dash}:"
        for column, dash in enumerate(dashes)
    ]
    lines = [_row(shown[0], widths, document_table.names), _row(rules, widths, ())]
    lines += [_row(row, widths, document_table.names) for row in shown[1:]]
    below = [paragraph(" ".join(document_table.notes)), ""] if document_table.notes else []
    below += [f"- {paragraph(text)}" for text in document_table.items] + [
        f"- {code(text)}" for text in document_table.signatures
    ]
    return "\n".join([f"**{escape(document_table.caption)}**", "", *lines, "", *below, ""])


def _row(cells: Sequence[str], widths: Sequence[int], left: Sequence[int]) -> str:
    sizes = enumerate(zip(cells, widths, strict=True))
    padded = [
        cell.ljust(width) if column in left else cell.rjust(width)
        for column, (cell, width) in sizes
    ]
    return f"| {' | '.join(padded)} |"


def _cell(cell: Cell) -> str:
    text = f"**{escape(cell.text)}**" if cell.best and cell.text else escape(cell.text)
    spread = f"{NO_BREAK}±{NO_BREAK}{escape(cell.spread)}" if cell.spread else ""
    if cell.mark in (BETTER, WORSE):
        return f"{text}{spread}{NO_BREAK}{cell.mark}"
    return f"{text}{spread} <sup>{escape(cell.mark)}</sup>" if cell.mark else f"{text}{spread}"
