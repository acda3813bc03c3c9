"""In which order the M² scorer takes the annotators of a sentence: the order of a dict of Python 2.

The order decides between annotators who are equal in everything. It is that of the numbers, unless one is 8 or more.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

SMALLEST = 8
"""The places of an empty table."""
GROWTH = 4
"""By how many times the number of keys a table grows that is two thirds full."""
PERTURB_SHIFT = 5


@lru_cache(1024)
def official_order(annotators: tuple[int, ...]) -> tuple[int, ...]:
    """Return the numbers of annotators, given in the order of the file, in the order in which the scorer takes them."""
    table: list[int | None] = [None] * SMALLEST
    count = 0
    for annotator in annotators:
        _put(table, annotator)
        count += 1
        if 3 * count >= 2 * len(table):
            size = SMALLEST
            while size <= GROWTH * count:
                size *= 2
            table = _filled(size, (key for key in table if key is not None))
    return tuple(key for key in table if key is not None)


def _filled(size: int, keys: Iterable[int]) -> list[int | None]:
    table: list[int | None] = [None] * size
    for key in keys:
        _put(table, key)
    return table


def _put(table: list[int | None], key: int) -> None:
    """Put a key, whose hash is its own number, into the first free place of its sequence of places."""
    mask, perturb = len(table) - 1, key
    place = key & mask
    while table[place] is not None:
        place = 5 * place + perturb + 1
        perturb >>= PERTURB_SHIFT
        if table[place & mask] is None:
            place &= mask
            break
    table[place] = key
