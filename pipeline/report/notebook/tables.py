"""The tables of results as HTML and Markdown for notebooks. Nothing in a name, note or signature acts as markup.

The HTML is a part of a page. It has no colours of its own, so that it suits light and dark notebooks. A table that is
wider than the notebook scrolls.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from ...errors import printable
from .. import markdown
from ..material import Material
from ..sheets import sheets
from ..tables import NO_BREAK

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...scoring.results import Results
    from ..sheets import Cell, Sheet

MOST = 100
"""Rows that a table shows in HTML. The number of the others is said."""
LEFT = ' style="text-align: left"'
RIGHT = ' style="text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums"'
WRAP = "overflow-wrap: anywhere"
SMALL = f"{WRAP}; font-size: 0.85em"


def as_html(results: Results, warnings: Sequence[str]) -> str:
    """Return the tables of a run and its warnings: the first table, and what else there is folded below it."""
    shown = _sheets(results)
    parts, known = [], set(shown[0].signatures if shown else ())
    for number, sheet in enumerate(shown):
        signatures = [text for text in sheet.signatures if not number or text not in known]
        caption, table = _text(sheet.caption), _sheet(sheet, signatures)
        if number:
            parts.append(f"<details><summary>{caption}</summary>{table}</details>")
        else:
            parts.append(f'<div style="{WRAP}"><strong>{caption}</strong></div>{table}')
    if warnings:
        items = "".join(f'<li style="{WRAP}">{_text(warning)}</li>' for warning in warnings)
        word = "warning" if len(warnings) == 1 else "warnings"
        parts.append(f"<details open><summary>{len(warnings)} {word}</summary><ul>{items}</ul></details>")
    return f'<div class="gec-pipeline">{"".join(parts)}</div>'


def as_markdown(results: Results, warnings: Sequence[str]) -> str:
    """Return the tables of a run and its warnings."""
    text = "\n".join(markdown.table(sheet) for sheet in _sheets(results))
    items = "".join(f"- {markdown.paragraph(warning)}\n" for warning in warnings)
    return f"{text}\n**warnings**\n\n{items}" if items else text


def _sheets(results: Results) -> list[Sheet]:
    """Return the tables of a run. Where there is a single system, none is marked as the best."""
    shown = list(sheets(Material(results=results)))
    for sheet in shown:
        if len(sheet.rows) == 1:
            sheet.rows[0][:] = [cell._replace(best=False) for cell in sheet.rows[0]]
    return shown


def _text(text: str) -> str:
    """Return text on one line, with nothing in it that HTML reads, and control characters as escapes."""
    return escape(printable(text.replace("\n", " ")))


def _sheet(sheet: Sheet, signatures: Sequence[str]) -> str:
    """Return a table with what stands below it."""
    header = "".join(f"<th{_side(sheet, column)}>{_text(title)}</th>" for column, title in enumerate(sheet.header))
    rows = "".join(_row(sheet, row) for row in sheet.rows[:MOST])
    table = f'<table style="margin: 0.3em 0"><thead><tr>{header}</tr></thead><tbody>{rows}</tbody></table>'
    left_out = len(sheet.rows) - MOST
    below = [*([f"and {left_out:,} more rows"] if left_out > 0 else []), *sheet.notes, *sheet.items]
    lines = [f'<div style="{WRAP}">{_text(note)}</div>' for note in below]
    breakable = (_text(text).replace("|", "|<wbr>") for text in signatures)
    lines += [f'<div><code style="{SMALL}">{text}</code></div>' for text in breakable]
    return f'<div style="overflow-x: auto; max-width: 100%">{table}</div>{"".join(lines)}'


def _side(sheet: Sheet, column: int) -> str:
    return LEFT if column in sheet.names else RIGHT


def _row(sheet: Sheet, row: Sequence[Cell]) -> str:
    return f"<tr>{''.join(f'<td{_side(sheet, column)}>{_cell(cell)}</td>' for column, cell in enumerate(row))}</tr>"


def _cell(cell: Cell) -> str:
    text = f"<strong>{_text(cell.text)}</strong>" if cell.best and cell.text else _text(cell.text)
    spread = f"{NO_BREAK}±{NO_BREAK}{_text(cell.spread)}" if cell.spread else ""
    return text + spread + (f"<sup>{_text(cell.mark)}</sup>" if cell.mark else "")
