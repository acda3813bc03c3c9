"""The distinct n-grams of each text, and which of them the references of its line have, in Python."""

import numpy as np

from pipeline.arrays import Ints
from pipeline.kernel.common import Encoded

from ..counted_ngrams import SharedGrams, check_rows


def _numbered(keys: Ints) -> tuple[Ints, Ints]:
    """Give distinct keys numbers from 0 in the order in which they first occur.

    Returns the index at which each distinct key occurs first, in this order, and the number of each
    of `keys`. For the keys 7, 3, 7 these are 0, 1 and 0, 1, 0.
    """
    # np.unique() numbers them in the order of their size
    _distinct, firsts, size_numbers = np.unique(
        keys, return_index=True, return_inverse=True
    )
    order = np.argsort(firsts)
    number_of = np.empty(len(order), np.int64)
    number_of[order] = np.arange(len(order))
    return firsts[order], number_of[size_numbers.ravel()]


def shared_ngrams(
    text: Encoded,
    lines: int,
    references: int,
    order: int,
) -> list[SharedGrams]:
    """Count the n-grams of each length from 1 to `order` in each row of a text (see SharedGrams).

    The rows are the lines of each reference, one reference after the other, then those of each
    output, `lines` each. `references` is the number of references. Everything is numbered in the
    order in which it first occurs. Raises ValueError for rows that are no multiple of the lines,
    for fewer texts than references, and for an order below 1.
    """
    sizes = check_rows(text, lines, references, order)
    ids = text.ids.astype(np.int64)
    tokens = int(ids.max(initial=0)) + 1
    # For each occurrence of an n-gram of the present length: its row, the end of the row, its first
    # token, and the number of the n-gram.
    rows = np.repeat(np.arange(len(sizes)), sizes)
    ends = np.repeat(text.offsets[1:], sizes)
    starts = np.arange(len(rows))
    numbers = np.zeros(len(rows), np.int64)
    shared_grams = []
    for length in range(1, order + 1):
        # the next token makes each n-gram longer, if the row has one
        in_row = np.flatnonzero(starts + length <= ends)
        rows = rows[in_row]
        ends = ends[in_row]
        starts = starts[in_row]
        shorter = numbers[in_row]
        last = ids[starts + length - 1]
        firsts, numbers = _numbered(shorter * tokens + last)
        distinct = len(firsts)

        # an entry is a distinct n-gram of a row
        entry_firsts, entries = _numbered(rows * distinct + numbers)
        entry_rows = rows[entry_firsts]
        entry_numbers = numbers[entry_firsts]
        times = np.bincount(entries, minlength=len(entry_firsts))

        # a slot is a distinct n-gram of the references of a line, numbered line after line
        entry_lines = entry_rows % max(lines, 1)
        keys = entry_lines * distinct + entry_numbers
        reference_entries = int(np.searchsorted(entry_rows, lines * references))
        by_line = np.argsort(entry_lines[:reference_entries], kind="stable")
        reference_keys = keys[:reference_entries][by_line]
        slot_firsts, reference_slots = _numbered(reference_keys)
        slots = np.full(len(keys), -1)
        slots[by_line] = reference_slots

        # entries of outputs have the slot of the same n-gram of the same line, if there is one
        slot_of = {}
        for slot, key in enumerate(reference_keys[slot_firsts].tolist()):
            slot_of[key] = slot
        for entry, key in enumerate(keys.tolist()):
            if entry >= reference_entries:
                slots[entry] = slot_of.get(key, -1)
        most = np.zeros(len(slot_firsts), np.int64)
        np.maximum.at(
            most, slots[:reference_entries], times[:reference_entries]
        )
        shared_grams.append(
            SharedGrams(
                shorter=shorter[firsts],
                last=last[firsts],
                rows=entry_rows,
                numbers=entry_numbers,
                times=times,
                slots=slots,
                most=most,
            )
        )
    return shared_grams
