"""Tables and sentences as they are printed: fitted to a terminal, plain and whole where they are
piped.

Rich draws the tables of a terminal. Which columns fit, and how wide they are, is found here,
because rich breaks numbers and words where room is short, cuts names at their end, and leaves no
column out."""

import os
import re
import shutil
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TextIO

from ...errors import printable

if TYPE_CHECKING:
    from rich.console import Console

Styles = Mapping[tuple[int, int], str]
"""How cells are drawn, such as "bold green", by the numbers of their rows and columns."""
LOUD = {"warning:": "\x1b[1;33m", "missed:": "\x1b[1;31m"}
"""Words at which a terminal's line begins that nobody should miss, with the codes of their colours.
"""
GAP = 3
"""Columns of letters between two columns of a table."""
EDGES = 2
"""Columns of letters before the first column of a table and after its last, together."""
MAX_NAME = 40
"""How many letters of a name are shown where room is short."""
NARROW, NARROWEST = 24, 8
"""A name is not cut below these widths: as long as a column can leave, and where none can."""
INTERVAL = re.compile(r"[0-9.]+%( interval| of draws)?")
"""The title of a column that has the intervals of the column before it."""
RULED = "    \n    \n ── \n    \n ── \n    \n    \n    \n"
"""The lines of a table as rich has them: below the header, and below rows that have a rule."""


def print_text(text: str, stream: TextIO | None = None) -> None:
    """Print text that is wrapped between words on a terminal, so that a line which goes on is
    indented.
    """
    stream = stream or sys.stdout
    print(coloured(wrapped(printable(text), stream), stream), file=unescaped(stream))


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
    for warning in () if quiet else warnings:
        print_text(f"warning: {warning}", sys.stderr)


def unescaped(stream: TextIO) -> TextIO:
    """Return where a stream takes the codes of colours. Only what this file draws goes there: its
    texts have none.
    """
    return getattr(stream, "unescaped", stream)


def console(stream: TextIO | None = None, **settings: Any) -> "Console":
    """Return what draws with rich, on standard output unless a stream is named."""
    from rich.console import Console

    return Console(file=unescaped(stream or sys.stdout), **settings)


def coloured(text: str, stream: TextIO) -> str:
    """Return text whose first word is in colour if it is one of LOUD, where the stream is a
    terminal with colours.
    """
    word = next((word for word in LOUD if text.startswith(word)), "") if has_colours(stream) else ""
    return f"{LOUD[word]}{word}\x1b[0m{text[len(word) :]}" if word else text


def has_colours(stream: TextIO) -> bool:
    """Return whether a stream is a terminal with colours, and nobody asks for none."""
    return (
        stream.isatty()
        and not os.environ.get("NO_COLOR")
        and os.environ.get("TERM") not in ("dumb", "unknown")
    )


def wrapped(text: str, stream: TextIO) -> str:
    """Return text with line breaks between words where the stream is a terminal, else the same
    text.
    """
    if not stream.isatty():
        return text
    import textwrap

    width = terminal_width()
    lines = textwrap.TextWrapper(
        width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )
    return "\n".join(map(lines.fill, text.split("\n")))


def terminal_width() -> int:
    """Return how many columns of letters the terminal has, at least 40."""
    return max(shutil.get_terminal_size().columns, 40)


def as_shown(cell: str) -> str:
    """Return a cell as standard output shows it, so that columns are as wide as what stands for
    missing letters.
    """
    encoding = sys.stdout.encoding or "utf-8"
    return printable(cell).encode(encoding, sys.stdout.errors or "strict").decode(encoding)


def shown_width(text: str) -> int:
    """Return how many columns of letters a text has on a terminal, where some letters have two."""
    from rich.cells import cell_len

    return cell_len(text)


def shortened(name: str, width: int = MAX_NAME) -> str:
    """Return a name, or the beginning and end of a name that is longer than width."""
    tail = width // 3
    return (
        name
        if len(name) <= width
        else f"{name[: max(width - tail - 1, 0)]}…{name[len(name) - tail :]}"
    )


def print_table(
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    left: Iterable[int] = (1,),
    *,
    first_out: Sequence[str] = (),
    stay: Collection[int] = (0,),
    whole: Collection[int] = (),
    styles: Styles | None = None,
    rules: Collection[int] = (),
) -> None:
    """Print a table, drawn by rich on a terminal and as aligned text elsewhere.

    `left` holds the numbers of the columns that are aligned to the left. Where a terminal is too
    narrow, columns are left out as fit() says, and a line below the table names them. A terminal
    alone has the `styles` of cells, and a rule below each of the rows whose numbers are in `rules`.
    """
    header, *rows = [[as_shown(cell) for cell in row] for row in (header, *rows)]
    lefts = set(left)
    if not sys.stdout.isatty():
        longest = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
        for row in [header, *rows]:
            pairs = enumerate(zip(row, longest, strict=True))
            cells = [
                cell.ljust(size) if n in lefts else cell.rjust(size) for n, (cell, size) in pairs
            ]
            print("  ".join(cells).rstrip())
        return
    from rich.box import Box
    from rich.table import Table
    from rich.text import Text

    widths, left_out = fit(
        header,
        rows,
        left=lefts,
        width=terminal_width(),
        first_out=first_out,
        stay=stay,
        whole=whole,
    )
    table = Table(box=Box(RULED), pad_edge=False)
    for n, width in widths.items():
        table.add_column(
            Text(header[n]), justify="left" if n in lefts else "right", overflow="fold", width=width
        )
    cut = {
        n: cut_names([row[n] for row in rows], width) for n, width in widths.items() if n in whole
    }
    for number, row in enumerate(rows):
        drawn = []
        for n, width in widths.items():
            text = (
                cut[n][number]
                if n in cut
                else " ".join(cut_name(word, width) for word in row[n].split(" "))
            )
            drawn.append(Text(text, style=(styles or {}).get((number, n), "")))
        table.add_row(*drawn, end_section=number in rules)
    width = max(terminal_width(), total(widths.values()) + GAP)
    console(width=width, height=25).print(
        table
    )  # a dumb terminal would have 80 columns without a height
    if left_out:
        print_text(f"({', '.join(left_out)}: in a wider window, or piped)")


def fit(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    left: Collection[int],
    width: int,
    first_out: Sequence[str] = (),
    stay: Collection[int] = (0,),
    whole: Collection[int] = (),
) -> tuple[dict[int, int], list[str]]:
    """Return the widths of the columns that have room in `width` columns of letters, and the titles
    of the others.

    No number is broken, and no word of a text.

    Titles, and text in the columns `left`, are wrapped between words first, then names are cut in
    the middle. Then columns leave: intervals of the column before them, then those titled
    `first_out`, in this order, then those of numbers and then of text, the last one first.
    Intervals are named once, as others where some stay. The columns `stay` always stay. Of the
    columns `left`, those in `whole` are not wrapped."""

    def widths(kept: Iterable[int], narrow: int = NARROW) -> dict[int, int]:
        """Return the widths of these columns, of which the widest become narrower until all have
        room or none can.
        """
        own, wrapped, cut = dict[int, int](), dict[int, int](), dict[int, int]()
        for n in kept:
            cells = [row[n] for row in rows]
            apart, together = (cells, []) if n in left and n not in whole else ([], cells)
            words = [word for text in (header[n], *apart) for word in text.split()]
            own[n] = max(map(shown_width, [header[n], *cells]))
            wrapped[n] = max(map(shown_width, ["", *words, *together]))
            cut[n] = (
                min(wrapped[n], max(narrow, shown_width(header[n]))) if n in left else wrapped[n]
            )
        for least in (wrapped, cut):
            while total(own.values()) > width and (able := [n for n in own if own[n] > least[n]]):
                own[max(able, key=own.__getitem__)] -= 1
        return own

    rest = [n for n in range(len(header) - 1, -1, -1) if n not in stay]
    bare = [n for n in rest if INTERVAL.fullmatch(header[n])]
    asked = [n for title in first_out for n in rest if header[n] == title]
    leaving = list(dict.fromkeys([*bare, *asked, *sorted(rest, key=lambda n: n in left)]))
    kept, gone = list(range(len(header))), list[int]()
    while total(widths(kept).values()) > width and leaving:
        gone.append(leaving.pop(0))
        kept.remove(gone[-1])
    for column in reversed(
        gone
    ):  # a narrow one may fit where a wide one left, but no p-value without its difference
        belongs = header[column] == "p adjusted" and header[column - 1].startswith("against ")
        if (belongs or column in bare) and column - 1 not in kept:
            continue
        if total(widths([*kept, column]).values()) <= width:
            kept = sorted([*kept, column])
    final = widths(kept)
    if total(final.values()) > width:
        final = widths(kept, NARROWEST)
    intervals = "other intervals" if set(bare) & set(kept) else "intervals"
    named = [intervals if n in bare else title for n, title in enumerate(header) if n not in kept]
    return final, list(dict.fromkeys(named))


def total(widths: Collection[int]) -> int:
    """Return how many columns of letters a table of columns of these widths needs."""
    return sum(widths) + GAP * (len(widths) - 1) + EDGES


def cut_name(name: str, width: int) -> str:
    """Return a name, or its beginning and end, in at most so many columns of letters."""
    return next(
        text for n in range(len(name), -1, -1) if shown_width(text := shortened(name, n)) <= width
    )


def cut_names(names: Sequence[str], width: int) -> list[str]:
    """Return names in at most so many columns of letters: if some look alike, without what all
    begin with.
    """
    cut = [cut_name(name, width) for name in names]
    shared = max(len(os.path.commonprefix(names)) - 2, 0)  # noqa: RUF071 (by signs)
    return (
        cut
        if len(set(cut)) == len(set(names))
        else [cut_name(f"…{name[shared:]}", width) for name in names]
    )


def fits(header: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Return whether a table is printed whole, each cell on a line: always but on a terminal that
    is narrower.
    """
    if not sys.stdout.isatty():
        return True
    columns = [
        [*title.split(), *(as_shown(row[n]) for row in rows)] for n, title in enumerate(header)
    ]
    return (
        total([max(map(shown_width, column), default=0) for column in columns]) <= terminal_width()
    )


def print_square(
    header: Sequence[str], rows: Sequence[Sequence[str]], *, styles: Styles | None = None
) -> None:
    """Print a table whose columns are of one kind. On a terminal, those that do not fit stand in
    tables below it.

    A line says in how many tables it stands, if these are several. A terminal alone has the
    `styles` of cells."""

    def part(columns: Sequence[int]) -> tuple[list[str], list[list[str]]]:
        return [header[n] for n in (0, *columns)], [[row[n] for n in (0, *columns)] for row in rows]

    columns, parts = list(range(1, len(header))), 0
    while columns:
        count = len(columns)
        while count > 1 and not fits(*part(columns[:count])):
            count -= 1
        numbers = [0, *columns[:count]]
        own = {
            (row, numbers.index(n)): style
            for (row, n), style in (styles or {}).items()
            if n in numbers
        }
        print_table(*part(columns[:count]), left=(0,), styles=own, whole=(0,))
        columns, parts = columns[count:], parts + 1
    if parts > 1:
        print_text(f"(in {parts} tables; one table: in a wider window, or piped)")
