"""N-grams, in Python: what texts share of them, what SARI counts of them, and which are distinct."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...arrays import Bools, Floats, Ints
from ..common import (
    COUNTED,
    KINDS,
    MERGED_KINDS,
    SARI_COUNTS,
    SARI_ORDER,
    SARI_RATIOS,
    WITHOUT_OUTPUT,
    Encoded,
    SharedGrams,
    Texts,
    check_overlap,
    check_rows,
    check_sari,
)

Ngrams = Counter[tuple[int, ...]]


def ngrams(ids: Sequence[int], order: int) -> Ngrams:
    """Count the n-grams of one order."""
    shifted = [ids[start:] for start in range(order)]
    return Counter(zip(*shifted, strict=False))


def overlap(
    source: Encoded | None,
    references: Texts,
    systems: Texts,
    order: int,
    kinds: Sequence[str],
) -> dict[str, Ints]:
    """Count the n-grams that outputs share with references and source, for orders 1 to `order`.

    All texts come from one call of encode and have equally many lines. Without a source, its counts
    are 0. Returns an int64 array for each of `kinds`: [systems, lines, references, order] for those
    in KINDS, and [systems, lines, order] for those in MERGED_KINDS. Raises ValueError for an order
    outside of 1 to MAX_ORDER and for texts that do not fit together, and KeyError for an unknown
    kind.
    """
    check_overlap(source, references, systems, order, kinds)
    lines = len(references[0].offsets) - 1
    counts: dict[str, Ints] = {}
    for kind in kinds:
        shape = [len(systems), lines, order]
        if kind in KINDS:
            shape.insert(2, len(references))
        counts[kind] = np.zeros(shape, np.int64)
    source_lines = source.lines() if source else [()] * lines
    reference_lines = [text.lines() for text in references]
    output_lines = [text.lines() for text in systems]
    for line in range(lines):
        of_source = _all_orders(source_lines[line], order)
        of_references = []
        for reference in reference_lines:
            of_references.append(_all_orders(reference[line], order))
        of_merged = _merged(of_references)
        first_with: dict[tuple[int, ...], int] = {}
        for number, output in enumerate(output_lines):
            ids = output[line]
            first = first_with.setdefault(ids, number)
            if first != number:  # outputs are often equal: copy the counts of the first
                for array in counts.values():
                    array[number, line] = array[first, line]
                continue
            of_output = _all_orders(ids, order)
            for kind, array in counts.items():
                if kind in MERGED_KINDS:
                    array[number, line] = _sums(kind, of_source, of_merged, of_output)
                    continue
                for index, of_reference in enumerate(of_references):
                    sums = _sums(kind, of_source, of_reference, of_output)
                    array[number, line, index] = sums
    return counts


def _all_orders(ids: Sequence[int], order: int) -> list[Ngrams]:
    """Count the n-grams of each order from 1."""
    return [ngrams(ids, n) for n in range(1, order + 1)]


def _merged(references: list[list[Ngrams]]) -> list[Ngrams]:
    """Return each n-gram as often as in the reference that has it most often, for each order."""
    merged = []
    for of_order in zip(*references, strict=True):
        union: Ngrams = Counter()
        for reference in of_order:
            union |= reference
        merged.append(union)
    return merged


def _sums(
    kind: str,
    source: list[Ngrams],
    reference: list[Ngrams],
    output: list[Ngrams],
) -> list[int]:
    """Return the sum of a kind over the n-grams of each order."""
    times = COUNTED[kind].times
    sums = []
    for texts in zip(source, reference, output, strict=True):
        in_source, in_reference, in_output = texts
        grams = set(in_output)
        if kind in WITHOUT_OUTPUT:
            grams = set(in_source) | set(in_reference)
        total = 0
        for gram in grams:
            total += times(
                source=in_source[gram],
                reference=in_reference[gram],
                output=in_output[gram],
            )
        sums.append(total)
    return sums


# --- SARI: an output, its source and its references


@dataclass
class SariCounts:
    """What sari() counts of one line and one order."""

    counts: list[int]
    """In the order of SARI_COUNTS."""
    ratios: list[float]
    """In the order of SARI_RATIOS."""


def sari(
    source: Encoded,
    references: Texts,
    systems: Texts,
    missing: Bools | None = None,
) -> tuple[Ints, Floats]:
    """Count the n-grams that outputs add, keep and delete, for the orders 1 to SARI_ORDER.

    All texts come from one call of encode and have equally many lines. `missing` says which
    references a line does not have: bool [lines, references]. None: it has all. Returns
    SARI_COUNTS, int64 [systems, lines, counts, order], and SARI_RATIOS, float64 [systems, lines,
    ratios, order]. Ratios are added in the order in which n-grams first stand in the source; they
    are 0 for a line without references. Raises as overlap() does.
    """
    present = check_sari(source, references, systems, missing)
    lines = len(source.offsets) - 1
    counts_shape = (len(systems), lines, len(SARI_COUNTS), SARI_ORDER)
    ratios_shape = (len(systems), lines, len(SARI_RATIOS), SARI_ORDER)
    counts = np.zeros(counts_shape, np.int64)
    ratios = np.zeros(ratios_shape)
    source_lines = source.lines()
    reference_lines = [text.lines() for text in references]
    output_lines = [text.lines() for text in systems]
    for line in range(lines):
        indices = np.flatnonzero(present[line])
        for order in range(1, SARI_ORDER + 1):
            in_source = ngrams(source_lines[line], order)
            in_references: Ngrams = Counter()
            for index in indices:
                ids = reference_lines[index][line]
                in_references += ngrams(ids, order)
            for number, output in enumerate(output_lines):
                in_output = ngrams(output[line], order)
                counted = _sari_counts(
                    in_source, in_references, in_output, len(indices)
                )
                counts[number, line, :, order - 1] = counted.counts
                ratios[number, line, :, order - 1] = counted.ratios
    return counts, ratios


def _sari_counts(
    source: Ngrams,
    all_references: Ngrams,
    output: Ngrams,
    references: int,
) -> SariCounts:
    """Return the counts and the ratios of one order.

    `all_references` counts the n-grams of all references together, `references` is their number.
    The names of counts are those of SARI_COUNTS in `common.py`.
    """
    keepable: dict[tuple[int, ...], int] = {}
    keep_right: dict[tuple[int, ...], int] = {}
    retained: dict[tuple[int, ...], int] = {}
    deleted: dict[tuple[int, ...], int] = {}
    deletable: dict[tuple[int, ...], int] = {}
    for gram, count in source.items():
        weighted = references * count
        keepable[gram] = min(weighted, all_references[gram])
        keep_right[gram] = min(references * output[gram], keepable[gram])
        deletable[gram] = weighted - keepable[gram]
        if gram in output:
            retained[gram] = min(count, output[gram])
        if count > output[gram]:
            deleted[gram] = count - output[gram]
    added = [gram for gram in output if gram not in source]
    delete_right = 0
    for gram, count in deleted.items():
        delete_right += min(references * count, deletable[gram])
    counts = [
        sum(gram in all_references for gram in added),
        len(added),
        sum(gram not in source for gram in all_references),
        sum(keep_right.values()),
        references * sum(retained.values()),
        sum(keepable.values()),
        delete_right,
        references * sum(deleted.values()),
        sum(deletable.values()),
        len(retained),
        sum(count > 0 for count in keepable.values()),
        len(deleted),
        sum(count > 0 for count in deletable.values()),
    ]
    ratios = [0.0, 0.0, 0.0]
    if not references:
        return SariCounts(counts, ratios)
    for gram in source:
        if gram in retained:
            ratios[0] += keep_right[gram] / (references * retained[gram])
        if keep_right[gram]:
            ratios[1] += keep_right[gram] / keepable[gram]
        if gram in deleted:
            surplus = max(references * deleted[gram] - all_references[gram], 0)
            ratios[2] += surplus / (references * deleted[gram])
    return SariCounts(counts, ratios)


# --- the distinct n-grams of each text, and which of them the references of its line have


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
        entry_lines = entry_rows % max(lines, 1)
        line_and_number = entry_lines * len(first) + entry_numbers
        of_references = int(np.searchsorted(entry_rows, lines * references))
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
