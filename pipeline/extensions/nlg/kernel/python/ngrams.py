"""The distinct n-grams of each text, and which of them the references of its line have, in Python."""

import numpy as np

from pipeline.arrays import Ints
from pipeline.kernel.common import Encoded

from ..counted_ngrams import SharedGrams, check_rows


def _first_seen(values: Ints) -> tuple[Ints, Ints]:
    """Give numbers to distinct values in the order in which they first occur.

    Returns where each distinct value is first, in this order, and the number of each value.
    """
    _values, first, sorted_numbers = np.unique(
        values, return_index=True, return_inverse=True
    )
    order = np.argsort(first)
    new_numbers = np.empty(len(order), np.int64)
    new_numbers[order] = np.arange(len(order))
    return first[order], new_numbers[sorted_numbers.ravel()]


def shared_ngrams(
    text: Encoded,
    lines: int,
    references: int,
    order: int,
) -> list[SharedGrams]:
    """Count the n-grams of the lengths from 1 to `order`.

    `text` has rows: the lines of each reference, one reference after the other, then those of each
    output, `lines` each. Everything is numbered in the order in which it first occurs. Raises
    ValueError for rows that are no multiple of the lines, for fewer texts than references, and for
    an order below 1.
    """
    sizes = check_rows(text, lines, references, order)
    ids = text.ids.astype(np.int64)
    tokens = int(ids.max(initial=0)) + 1
    # For each n-gram of the length that is looked at: its row, the end of the row, its first token,
    # and the number of the n-gram without its last token.
    rows = np.repeat(np.arange(len(sizes)), sizes)
    ends = np.repeat(text.offsets[1:], sizes)
    starts = np.arange(len(rows))
    numbers = np.zeros(len(rows), np.int64)
    result = []
    for length in range(1, order + 1):
        in_row = np.flatnonzero(starts + length <= ends)
        rows = rows[in_row]
        ends = ends[in_row]
        starts = starts[in_row]
        shorter = numbers[in_row]
        last = ids[starts + length - 1]
        first, numbers = _first_seen(shorter * tokens + last)
        # An entry is a distinct n-gram of a row.
        first_of_entry, entry = _first_seen(rows * len(first) + numbers)
        entry_rows = rows[first_of_entry]
        entry_numbers = numbers[first_of_entry]
        times = np.bincount(entry, minlength=len(first_of_entry))
        # A slot is a distinct n-gram of the references of a line, numbered line after line.
        line_and_number = (
            entry_rows % max(lines, 1) * len(first) + entry_numbers
        )
        of_references = int(np.searchsorted(entry_rows, lines * references))
        entry_lines = entry_rows % max(lines, 1)
        by_line = np.argsort(entry_lines[:of_references], kind="stable")
        in_references = line_and_number[:of_references][by_line]
        first_of_slot, slots_of_references = _first_seen(in_references)
        slots = np.full(len(line_and_number), -1)
        slots[by_line] = slots_of_references
        # Entries of outputs have the slot of the same n-gram of the same line, if there is one.
        known = in_references[first_of_slot].tolist()
        slot_of = {gram: slot for slot, gram in enumerate(known)}
        in_outputs = line_and_number[of_references:].tolist()
        slots[of_references:] = [slot_of.get(gram, -1) for gram in in_outputs]
        highest = np.zeros(len(known), np.int64)
        np.maximum.at(highest, slots[:of_references], times[:of_references])
        shared = SharedGrams(
            shorter=shorter[first],
            last=last[first],
            rows=entry_rows,
            numbers=entry_numbers,
            times=times,
            slots=slots,
            most=highest,
        )
        result.append(shared)
    return result
