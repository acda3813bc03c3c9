"""Results in a notebook: tables as HTML, with signatures and warnings."""

from collections.abc import Iterable
from html import escape

from pipeline.errors import printable
from pipeline.report import Cell, DocumentTable, ReportContext, document_tables
from pipeline.scoring import Results

MAX_ROWS = 100
"""Rows that a table shows. A note counts the others."""
THICK = "2px solid"
THIN = "1px solid"
NO_RULE = "none"
SHADE = "; background: rgba(127, 127, 127, 0.2); font-weight: bold"


def results_html(results: Results) -> str:
    """Return the results of a run as HTML for a notebook: the first table, then others and all
    signatures, which can be unfolded, and warnings.

    Letters and colours are those of the notebook; the best cells are shaded, and rules separate
    clusters."""
    parts: list[str] = []
    for document_table in document_tables(ReportContext(results=results)):
        caption = document_table.caption
        table = _table_with_notes(document_table)
        if parts:
            parts.append(_folded(caption, table))
        else:
            parts.append(f"<p>{_text(caption)}</p>{table}")
    if results.warnings:
        parts.append(f"<p>warnings</p>{_items(results.warnings)}")
    return "\n".join(parts)


def _text(text: str) -> str:
    """Return text as HTML on one line, with control characters shown as escapes."""
    return escape(printable(text.replace("\n", " ")))


def _folded(title: str, content: str) -> str:
    return f"<details><summary>{_text(title)}</summary>{content}</details>"


def _items(texts: Iterable[str], tag: str = "span") -> str:
    """Return texts as a list, or nothing if there are none."""
    items = "".join(f"<li><{tag}>{_text(text)}</{tag}></li>" for text in texts)
    return f"<ul>{items}</ul>" if items else ""


def _table_with_notes(document_table: DocumentTable) -> str:
    """Return the first MAX_ROWS rows of a table as HTML, and below it its notes, items and
    signatures.
    """
    parts = [_table(document_table)]
    notes = list(document_table.notes)
    hidden_rows = len(document_table.rows) - MAX_ROWS
    if hidden_rows > 0:
        notes.insert(0, f"And {hidden_rows:,} more rows.")
    if notes:
        parts.append(f"<p>{_text(' '.join(notes))}</p>")
    parts.append(_items(document_table.items))
    if document_table.signatures:
        parts.append(
            _folded("signatures", _items(document_table.signatures, "code"))
        )
    return "".join(parts)


def _table(document_table: DocumentTable) -> str:
    """Return the first MAX_ROWS rows of a table as HTML, with horizontal rules as in a paper: around
    it, below the header, and at the ends of clusters. The best cells are shaded, but not those of a
    single system.
    """

    def cell_element(
        tag: str,
        column: int,
        text: str,
        rules: str,
        shade: str = "",
    ) -> str:
        """Return a cell (th or td) of a column; names are aligned to the left."""
        side = "left" if column in document_table.names else "right"
        return (
            f'<{tag} style="text-align: {side}; {rules}{shade}">{text}</{tag}>'
        )

    header = ""
    rules = f"border-top: {THICK}; border-bottom: {THIN}"
    heads = document_table.heads or [""] * len(document_table.header)
    for column, (head, title) in enumerate(
        zip(heads, document_table.header, strict=True)
    ):
        text = _text(f"{head} {title}".strip())
        header += cell_element("th", column, text, rules)
    lines = [f"<tr>{header}</tr>"]
    rows = document_table.rows[:MAX_ROWS]
    has_rivals = len(document_table.rows) > 1
    for row_index, row in enumerate(rows):
        below = NO_RULE
        if row_index == len(rows) - 1:
            below = THICK
        elif row_index in document_table.rules:
            below = THIN
        rules = f"border-top: {NO_RULE}; border-bottom: {below}"
        cells = ""
        for column, cell in enumerate(row):
            shade = SHADE if cell.best and has_rivals else ""
            cells += cell_element("td", column, _cell_text(cell), rules, shade)
        lines.append(f"<tr>{cells}</tr>")
    return f"<table>{''.join(lines)}</table>"


def _cell_text(cell: Cell) -> str:
    text = _text(cell.text)
    if cell.spread:
        text += f" ± {_text(cell.spread)}"
    if cell.mark:
        text += f"<sup>{_text(cell.mark)}</sup>"
    return text
