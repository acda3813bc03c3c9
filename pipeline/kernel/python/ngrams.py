"""The distinct n-grams of each text, and which of them the references of its line have."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..common import Encoded, SharedGrams, check_rows


def _first_seen(values: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where each distinct value is first, in this order, and the number of each value by it."""
    _, first, numbers = np.unique(values, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return first[order], place[numbers.ravel()]


def shared_ngrams(text: Encoded, lines: int, references: int, order: int) -> list[SharedGrams]:
    """Count the n-grams of the lengths from 1 to `order`.

    `text` has rows: the lines of each reference, one reference after the other, then those of each output. So many
    lines has each. Everything is numbered in the order in which it first occurs. Raises ValueError for rows that are
    no multiple of the lines, for fewer texts than references, and for an order below 1.
    """
    sizes = check_rows(text, lines, references, order)
    rows, ends = np.repeat(np.arange(len(sizes)), sizes), np.repeat(text.offsets[1:], sizes)
    starts, ids, numbers = np.arange(len(rows)), text.ids.astype(np.int64), np.zeros(len(rows), np.int64)
    tokens = int(ids.max(initial=0)) + 1
    result = []
    for length in range(1, order + 1):
        kept = np.flatnonzero(starts + length <= ends)
        rows, ends, starts, before = rows[kept], ends[kept], starts[kept], numbers[kept]
        last = ids[starts + length - 1]
        first, numbers = _first_seen(before * tokens + last)
        pairs = rows * len(first) + numbers
        where, entry = _first_seen(pairs)
        own_rows, own_numbers = rows[where], numbers[where]
        of_references = int(np.searchsorted(own_rows, lines * references))
        at = own_rows % max(lines, 1) * len(first) + own_numbers
        by_line = np.argsort(own_rows[:of_references] % max(lines, 1), kind="stable")
        new, place = _first_seen(at[:of_references][by_line])
        places = np.full(len(at), -1)
        places[by_line] = place
        known, wanted = at[:of_references][by_line][new], at[of_references:]
        sorting = np.argsort(known)
        found = np.append(sorting, 0)[np.searchsorted(known, wanted, sorter=sorting)]
        places[of_references:] = np.where(np.append(known, -1)[np.minimum(found, len(known))] == wanted, found, -1)
        times = np.bincount(entry, minlength=len(where))
        most = np.zeros(len(known), np.int64)
        np.maximum.at(most, places[:of_references], times[:of_references])
        result.append(SharedGrams(before[first], last[first], own_rows, own_numbers, times, places, most))
    return result
