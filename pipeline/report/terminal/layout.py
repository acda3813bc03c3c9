"""Which columns of a table fit a terminal, and how wide each is. No number, name or word is broken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

GAP = 3
"""Columns of letters between two columns of a table."""
EDGES = 2
"""Columns of letters before the first column of a table and after its last, together."""
MAX_NAME = 40
"""How many letters of a name are shown where room is short."""
NARROW = 24
"""A name is not cut below this width."""


@dataclass(frozen=True)
class Layout:
    """Which columns are shown, their widths in columns of letters, and the titles of those that are not."""

    columns: list[int]
    widths: list[int]
    left_out: list[str]


def fit(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    left: Collection[int],
    width: int,
    first_out: Sequence[str] = (),
    whole: Collection[int] = (),
) -> Layout:
    """Return how a table is drawn in `width` columns of letters.

    Text in the columns `left` is wrapped between words first, then names are cut in the middle; then columns leave:
    those titled `first_out`, in this order, then those of numbers and then of text, the last one first. The first
    column always stays. Of the columns `left`, those in `whole` are not wrapped.
    """
    kept, leaving = list(range(len(header))), _leaving(header, left, first_out)
    gone: list[int] = []
    while total(_widths(header, rows, left, kept, width, whole)) > width and leaving:
        gone.append(leaving.pop(0))
        kept.remove(gone[-1])
    for column in reversed(gone):  # a narrow one may fit where a wide one left
        more = sorted([*kept, column])
        if total(_widths(header, rows, left, more, width, whole)) <= width:
            kept = more
    left_out = [title for n, title in enumerate(header) if n not in kept]
    return Layout(kept, _widths(header, rows, left, kept, width, whole), left_out)


def _widths(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    left: Collection[int],
    kept: Sequence[int],
    width: int,
    whole: Collection[int] = (),
) -> list[int]:
    """Return the widths of these columns: as narrow as `width` makes them, but without breaking a number or a word."""
    texts = [[header[n], *(row[n] for row in rows)] for n in kept]
    wrapped = [n in left and n not in whole for n in kept]
    words = [
        _longest_word(column) if is_wrapped else _whole(column)
        for is_wrapped, column in zip(wrapped, texts, strict=True)
    ]
    titles = [min(least, _unbroken(column)) for least, column in zip(words, texts, strict=True)]
    names = [
        min(least, max(NARROW, shown_width(column[0]))) if n in left else least
        for n, least, column in zip(kept, titles, texts, strict=True)
    ]
    widths, room = [_whole(column) for column in texts], width - EDGES - GAP * (len(kept) - 1)
    for least in (words, titles, names):
        _narrow(widths, least, room)
    return widths


def _narrow(widths: list[int], least: Sequence[int], room: int) -> None:
    """Make columns narrower, the widest first, until all are in the room or none may be narrower."""
    while sum(widths) > room:
        able = [n for n, width in enumerate(widths) if width > least[n]]
        if not able:
            break
        widths[max(able, key=lambda n: widths[n])] -= 1


def total(widths: Sequence[int]) -> int:
    """Return how many columns of letters a table of columns of these widths needs."""
    return sum(widths) + GAP * (len(widths) - 1) + EDGES


def natural(header: Sequence[str], rows: Sequence[Sequence[str]]) -> int:
    """Return how many columns of letters a table needs with each cell on one line; titles are wrapped."""
    return total([_unbroken([title, *(row[n] for row in rows)]) for n, title in enumerate(header)])


def _leaving(header: Sequence[str], left: Collection[int], first_out: Sequence[str]) -> list[int]:
    """Return the numbers of all columns but the first in the order in which they leave."""
    rest = range(len(header) - 1, 0, -1)
    named = [n for title in first_out for n in rest if header[n] == title]
    others = [n for n in rest if n not in named]
    return [*named, *(n for n in others if n not in left), *(n for n in others if n in left)]


def _whole(column: Sequence[str]) -> int:
    return max(map(shown_width, column))


def _unbroken(column: Sequence[str]) -> int:
    """Return the width of a column whose title alone may be wrapped, between words."""
    title, *cells = column
    return max([0, *map(shown_width, title.split()), *map(shown_width, cells)])


def _longest_word(column: Sequence[str]) -> int:
    return max([0, *(shown_width(word) for cell in column for word in cell.split())])


def shown_width(text: str) -> int:
    """Return how many columns of letters a text has on a terminal, where some letters have two."""
    from rich.cells import cell_len

    return cell_len(text)


def shortened(name: str, width: int = MAX_NAME) -> str:
    """Return a name, or the beginning and end of a name that is longer than width."""
    tail = width // 3
    return name if len(name) <= width else f"{name[: max(width - tail - 1, 0)]}…{name[len(name) - tail :]}"


def cut_words(text: str, width: int) -> str:
    """Return a text whose words are cut in the middle where they are longer than the width."""
    return " ".join(cut_name(word, width) for word in text.split(" "))


def cut_name(name: str, width: int) -> str:
    """Return a name, or its beginning and end, in at most so many columns of letters."""
    return next(text for n in range(len(name), -1, -1) if shown_width(text := shortened(name, n)) <= width)
