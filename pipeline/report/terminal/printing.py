"""Printed tables and sentences: fitted to a terminal, plain and complete in a pipe.

Rich draws the tables of a terminal. This file computes which columns fit, and how wide they are,
because rich breaks numbers and words if room is short, cuts names at their end, and leaves no
column out.
"""

import os
import re
import shutil
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TextIO

from ...errors import printable
from ..tables import columns_of, padded

if TYPE_CHECKING:
    from rich.console import Console

Styles = Mapping[tuple[int, int], str]
"""The styles of cells, such as "bold green", by the numbers of their rows and columns."""
LOUD = {"warning:": "\x1b[1;33m", "missed:": "\x1b[1;31m"}
"""First words of important lines, with the codes of their colours on a terminal."""
GAP = 3
"""Columns of letters between two columns of a table."""
EDGES = 2
"""Columns of letters before the first column of a table and after its last, together."""
MAX_NAME = 40
"""How many letters of a name are printed if room is short."""
NARROW = 24
"""A name is not cut below this width as long as a column can leave."""
NARROWEST = 8
"""A name is not cut below this width if no column can leave."""
MIN_TERMINAL_WIDTH = 40
"""Columns of letters of the narrowest terminal."""
INTERVAL = re.compile(r"[0-9.]+%( interval| of draws)?")
"""The title of a column that has the intervals of the column before it."""
RULED = "    \n    \n ── \n    \n ── \n    \n    \n    \n"
"""The lines of a table as rich has them: below the header, and below rows that have a rule."""


def print_text(text: str, stream: TextIO | None = None) -> None:
    """Print text that is wrapped between words on a terminal, so that a line which goes on is
    indented.
    """
    stream = stream or sys.stdout
    print(
        coloured(wrapped(printable(text), stream), stream),
        file=unescaped(stream),
    )


def print_line(text: object, stream: TextIO | None = None) -> None:
    """Print text as it is, with control characters shown as escapes."""
    print(printable(text), file=stream or sys.stdout)


def print_styled(text: str, style: str = "") -> None:
    """Print a line, in a style of rich on a terminal."""
    if not style or not sys.stdout.isatty():
        print_text(text)
        return
    from rich.text import Text

    styled = Text(wrapped(text, sys.stdout), style=style)
    console(soft_wrap=True, highlight=False).print(styled)


def print_warnings(warnings: Iterable[object], *, quiet: bool = False) -> None:
    """Print warnings on standard error, each on lines of its own; commands do so before they print
    anything else.
    """
    if quiet:
        return
    for warning in warnings:
        print_text(f"warning: {warning}", sys.stderr)


def unescaped(stream: TextIO) -> TextIO:
    """Return the stream behind one that escapes control characters.

    Only what this file draws goes there: its texts have none.
    """
    return getattr(stream, "unescaped", stream)


def console(stream: TextIO | None = None, **settings: Any) -> "Console":
    """Return a console of rich, on standard output unless a stream is named."""
    from rich.console import Console

    return Console(file=unescaped(stream or sys.stdout), **settings)


def coloured(text: str, stream: TextIO) -> str:
    """Return text whose first word is in colour if it is one of LOUD and the stream has colours."""
    if has_colours(stream):
        for word, colour in LOUD.items():
            if text.startswith(word):
                return f"{colour}{word}\x1b[0m{text[len(word) :]}"
    return text


def has_colours(stream: TextIO) -> bool:
    """Return whether a stream is a terminal with colours, and nobody asks for none."""
    return (
        stream.isatty()
        and not os.environ.get("NO_COLOR")
        and os.environ.get("TERM") not in ("dumb", "unknown")
    )


def wrapped(text: str, stream: TextIO) -> str:
    """Return text with line breaks between words if the stream is a terminal, else the same text."""
    if not stream.isatty():
        return text
    import textwrap

    wrapper = textwrap.TextWrapper(
        terminal_width(),
        subsequent_indent="  ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(map(wrapper.fill, text.split("\n")))


def terminal_width() -> int:
    """Return how many columns of letters the terminal has, at least MIN_TERMINAL_WIDTH."""
    return max(shutil.get_terminal_size().columns, MIN_TERMINAL_WIDTH)


def as_printed(cell: str) -> str:
    """Return a cell as standard output shows it, with the replacements of letters that its encoding
    lacks, so that columns are as wide as these.
    """
    encoding = sys.stdout.encoding or "utf-8"
    errors = sys.stdout.errors or "strict"
    encoded = printable(cell).encode(encoding, errors)
    return encoded.decode(encoding)


def shown_width(text: str) -> int:
    """Return how many columns of letters a text has on a terminal; some letters have two."""
    from rich.cells import cell_len

    return cell_len(text)


def shortened(name: str, width: int = MAX_NAME) -> str:
    """Return a name, or the beginning and end of a name that is longer than width."""
    if len(name) <= width:
        return name
    tail = width // 3
    return f"{name[: max(width - tail - 1, 0)]}…{name[len(name) - tail :]}"


def print_table(
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    left: Iterable[int] = (1,),
    *,
    first_out: Sequence[str] = (),
    stay: Collection[int] = (0,),
    unwrapped: Collection[int] = (),
    styles: Styles | None = None,
    rules: Collection[int] = (),
) -> None:
    """Print a table, drawn by rich on a terminal and as aligned text elsewhere.

    `left` holds the numbers of the columns that are aligned to the left. If a terminal is too
    narrow, columns are left out as fit() says, and a line below the table names them. A terminal
    alone has the `styles` of cells, and a rule below each of the rows whose numbers are in `rules`.
    """
    header = list(map(as_printed, header))
    rows = [list(map(as_printed, row)) for row in rows]
    left = set(left)
    if not sys.stdout.isatty():
        all_rows = [header, *rows]
        widths = [max(map(len, cells)) for cells in zip(*all_rows, strict=True)]
        for row in all_rows:
            print("  ".join(padded(row, widths, left)).rstrip())
        return
    from rich.box import Box
    from rich.table import Table
    from rich.text import Text

    fitted = fit(
        header,
        rows,
        left=left,
        width=terminal_width(),
        first_out=first_out,
        stay=stay,
        unwrapped=unwrapped,
    )
    table = Table(box=Box(RULED), pad_edge=False)
    columns = []
    for number, width in fitted.widths.items():
        side: Literal["left", "right"] = "left" if number in left else "right"
        title = Text(header[number])
        table.add_column(title, justify=side, overflow="fold", width=width)
        cells = [row[number] for row in rows]
        if number in unwrapped:
            columns.append(cut_names(cells, width))
        else:
            columns.append([_cut_words(cell, width) for cell in cells])
    for row_number in range(len(rows)):
        drawn = []
        for number, cells in zip(fitted.widths, columns, strict=True):
            style = (styles or {}).get((row_number, number), "")
            drawn.append(Text(cells[row_number], style=style))
        table.add_row(*drawn, end_section=row_number in rules)
    width = max(terminal_width(), table_width(fitted.widths.values()))
    # a dumb terminal would have 80 columns without a height
    console(width=width, height=25).print(table)
    if fitted.left_out:
        print_text(
            f"({', '.join(fitted.left_out)}: in a wider window, or piped)"
        )


def _cut_words(text: str, width: int) -> str:
    return " ".join(cut_name(word, width) for word in text.split(" "))


class Fitted(NamedTuple):
    """The columns of a table that have room on a terminal."""

    widths: dict[int, int]
    """The widths of the columns, by their numbers."""
    left_out: list[str]
    """The titles of the columns that are left out."""


class ColumnWidths(NamedTuple):
    """How wide a column may be, in columns of letters."""

    full: int
    """Without a line break."""
    wrapped: int
    """With line breaks between the words of its title and its text."""
    title: int | None
    """The width of the title, which is not cut; None for numbers, which are not cut either."""

    def cut(self, narrow: int) -> int:
        """Return the width with names cut in the middle, but not below `narrow`."""
        if self.title is None:
            return self.wrapped
        return min(self.wrapped, max(narrow, self.title))


def fit(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    left: Collection[int],
    width: int,
    first_out: Sequence[str] = (),
    stay: Collection[int] = (0,),
    unwrapped: Collection[int] = (),
) -> Fitted:
    """Return the widths of the columns that have room in `width` columns of letters, and the titles
    of the others.

    No number is broken, and no word of a text.

    Titles, and text in the columns `left`, are wrapped between words first, then names are cut in
    the middle. Then columns leave: intervals of the column before them, then those titled
    `first_out`, in this order, then those of numbers and then of text, the last one first.
    Intervals are named once, as others if some stay. The columns `stay` always stay. The columns
    `unwrapped` are not wrapped.
    """
    possible = []
    for number, title in enumerate(header):
        cells = [row[number] for row in rows]
        is_text = number in left
        is_wrapped = is_text and number not in unwrapped
        possible.append(_column_widths(title, cells, is_text, is_wrapped))

    def widths(columns: Iterable[int], narrow: int = NARROW) -> dict[int, int]:
        possible_widths = {number: possible[number] for number in columns}
        return _narrowed(possible_widths, width, narrow)

    def has_room(columns: Iterable[int]) -> bool:
        return table_width(widths(columns).values()) <= width

    columns = list(range(len(header)))
    can_leave = [number for number in reversed(columns) if number not in stay]
    intervals = [
        number for number in can_leave if INTERVAL.fullmatch(header[number])
    ]
    leaving = list(intervals)
    for title in first_out:
        leaving += [number for number in can_leave if header[number] == title]
    leaving += sorted(can_leave, key=lambda number: number in left)
    removed: list[int] = []
    for number in dict.fromkeys(leaving):
        if has_room(columns):
            break
        columns.remove(number)
        removed.append(number)
    # a narrow column may fit where a wide one left, but no p-value without its difference
    for number in reversed(removed):
        before = header[number - 1]
        is_adjusted = header[number] == "p adjusted" and before.startswith(
            "against "
        )
        if (is_adjusted or number in intervals) and number - 1 not in columns:
            continue
        if has_room([*columns, number]):
            columns = sorted([*columns, number])
    final = widths(columns)
    if table_width(final.values()) > width:
        final = widths(columns, NARROWEST)
    left_out = []
    for number, title in enumerate(header):
        if number in columns:
            continue
        if number not in intervals:
            left_out.append(title)
        elif set(intervals) & set(columns):
            left_out.append("other intervals")
        else:
            left_out.append("intervals")
    return Fitted(final, list(dict.fromkeys(left_out)))


def _column_widths(
    title: str, cells: Sequence[str], is_text: bool, is_wrapped: bool
) -> ColumnWidths:
    unbroken = title.split()
    for cell in cells:
        if is_wrapped:
            unbroken += cell.split()
        else:
            unbroken.append(cell)
    return ColumnWidths(
        full=max(map(shown_width, [title, *cells])),
        wrapped=max(map(shown_width, unbroken), default=0),
        title=shown_width(title) if is_text else None,
    )


def _narrowed(
    columns: Mapping[int, ColumnWidths], width: int, narrow: int
) -> dict[int, int]:
    """Return the widths of columns, of which the widest become narrower until all have room or none
    can.

    Names are not cut below the width `narrow`.
    """
    widths = {number: column.full for number, column in columns.items()}
    wrapped_widths = {
        number: column.wrapped for number, column in columns.items()
    }
    cut_widths = {
        number: column.cut(narrow) for number, column in columns.items()
    }
    for least in (wrapped_widths, cut_widths):
        while table_width(widths.values()) > width:
            wider = [
                number for number in widths if widths[number] > least[number]
            ]
            if not wider:
                break
            widths[max(wider, key=widths.__getitem__)] -= 1
    return widths


def table_width(widths: Collection[int]) -> int:
    """Return how many columns of letters a table of columns of these widths needs."""
    return sum(widths) + GAP * (len(widths) - 1) + EDGES


def cut_name(name: str, width: int) -> str:
    """Return a name, or its beginning and end, in at most so many columns of letters."""
    for length in range(len(name), 0, -1):
        text = shortened(name, length)
        if shown_width(text) <= width:
            return text
    return shortened(name, 0)


def cut_names(names: Sequence[str], width: int) -> list[str]:
    """Return names in at most so many columns of letters: if some look alike, without their common
    beginning.
    """
    cut = [cut_name(name, width) for name in names]
    if len(set(cut)) == len(set(names)):
        return cut
    shared = max(len(os.path.commonprefix(names)) - 2, 0)  # noqa: RUF071 (by letters)
    return [cut_name(f"…{name[shared:]}", width) for name in names]


def fits(header: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Return whether all of a table is printed, each cell on a line: always except on a narrower
    terminal.
    """
    if not sys.stdout.isatty():
        return True
    widths = []
    for number, title in enumerate(header):
        texts = title.split()
        for row in rows:
            texts.append(as_printed(row[number]))
        widths.append(max(map(shown_width, texts), default=0))
    return table_width(widths) <= terminal_width()


def print_square(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    styles: Styles | None = None,
) -> None:
    """Print a table whose columns are of one kind. On a terminal, those that do not fit are printed
    in tables below it.

    A line gives the number of tables, if these are several. A terminal alone has the `styles` of
    cells.
    """
    remaining = list(range(1, len(header)))
    tables = 0
    while remaining:
        count = len(remaining)
        part = columns_of((header, rows), [0, *remaining])
        while count > 1 and not fits(*part):
            count -= 1
            part = columns_of((header, rows), [0, *remaining[:count]])
        numbers = [0, *remaining[:count]]
        part_styles = {}
        for (row, column), style in (styles or {}).items():
            if column in numbers:
                part_styles[row, numbers.index(column)] = style
        print_table(*part, left=(0,), styles=part_styles, unwrapped=(0,))
        remaining = remaining[count:]
        tables += 1
    if tables > 1:
        print_text(
            f"(in {tables} tables; one table: in a wider window, or piped)"
        )
