"""N-grams, in Python: what texts share of them, what SARI counts of them, and which are distinct."""

import functools
import operator
from collections import Counter
from collections.abc import Sequence

import numpy as np

from ...arrays import Bools, Floats, Ints
from .. import common
from ..common import (
    COUNTED,
    KINDS,
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
    return Counter(zip(*(ids[start:] for start in range(order)), strict=False))


def overlap(
    source: Encoded | None, references: Texts, systems: Texts, order: int, kinds: Sequence[str]
) -> dict[str, Ints]:
    """Count the n-grams that outputs share with references and source, for orders 1 to `order`.

    All texts come from one call of encode and have equally many lines. Where there is no source,
    its counts are 0. Returns an int64 array for each of `kinds`: [systems, lines, references,
    order] for those in KINDS, and [systems, lines, order] for those in MERGED_KINDS. Raises
    ValueError for an order outside of 1 to MAX_ORDER and for texts that do not fit together, and
    KeyError for an unknown kind."""
    check_overlap(source, references, systems, order, kinds)
    lines, shape = len(references[0].offsets) - 1, (len(references), order)
    counts = {
        kind: np.zeros((len(systems), lines, *(shape if kind in KINDS else shape[1:])), np.int64)
        for kind in kinds
    }
    of_source = source.lines() if source else [()] * lines
    of_references, outputs = ([text.lines() for text in texts] for texts in (references, systems))
    for line in range(lines):
        source_grams = _orders(of_source[line], order)
        reference_grams = [_orders(reference[line], order) for reference in of_references]
        merged_grams = [
            functools.reduce(operator.or_, of_order)
            for of_order in zip(*reference_grams, strict=True)
        ]
        seen: dict[tuple[int, ...], int] = {}
        for number, ids in enumerate(output[line] for output in outputs):
            twin = seen.setdefault(ids, number)
            if twin != number:  # outputs are often equal: copy the counts of the first
                for array in counts.values():
                    array[number, line] = array[twin, line]
                continue
            grams = _orders(ids, order)
            for kind, array in counts.items():
                if kind in KINDS:
                    array[number, line] = [
                        _sums(kind, source_grams, rho, grams) for rho in reference_grams
                    ]
                else:
                    array[number, line] = _sums(kind, source_grams, merged_grams, grams)
    return counts


def _sums(
    kind: str, source: list[Ngrams], reference: list[Ngrams], hypothesis: list[Ngrams]
) -> list[int]:
    """Return the sum of a kind over the n-grams of each order."""
    times, sums = COUNTED[kind].times, []
    for sigma, rho, eta in zip(source, reference, hypothesis, strict=True):
        grams = sigma.keys() | rho.keys() if kind in WITHOUT_OUTPUT else eta.keys()
        sums.append(sum(times(sigma[gram], rho[gram], eta[gram]) for gram in grams))
    return sums


def _orders(ids: Sequence[int], order: int) -> list[Ngrams]:
    return [ngrams(ids, n) for n in range(1, order + 1)]


# --- SARI: an output, its source and its references


def sari(
    source: Encoded, references: Texts, systems: Texts, missing: Bools | None = None
) -> tuple[Ints, Floats]:
    """Count the n-grams that outputs add, keep and delete, for the orders 1 to SARI_ORDER.

    All texts come from one call of encode and have equally many lines. `missing` says which
    references a line does not have: bool [lines, references]. None: it has all. Returns
    SARI_COUNTS, int64 [systems, lines, counts, order], and SARI_RATIOS, float64 [systems, lines,
    ratios, order]. Ratios are added in the order in which n-grams first stand in the source; they
    are 0 for a line without references. Raises as overlap() does."""
    there = check_sari(source, references, systems, missing)
    lines = len(source.offsets) - 1
    counts = np.zeros((len(systems), lines, len(common.SARI_COUNTS), common.SARI_ORDER), np.int64)
    ratios = np.zeros((len(systems), lines, len(common.SARI_RATIOS), common.SARI_ORDER))
    of_source, *others = (text.lines() for text in (source, *references, *systems))
    for line in range(lines):
        own = [text[line] for text, is_there in zip(others, there[line], strict=False) if is_there]
        for order in range(1, common.SARI_ORDER + 1):
            sigma = ngrams(of_source[line], order)
            rho: Ngrams = functools.reduce(
                operator.iadd, [ngrams(ids, order) for ids in own], Counter()
            )
            for number, output in enumerate(others[len(references) :]):
                found = _counted(sigma, rho, ngrams(output[line], order), len(own))
                counts[number, line, :, order - 1], ratios[number, line, :, order - 1] = found
    return counts, ratios


def _counted(
    sigma: Ngrams, rho: Ngrams, eta: Ngrams, references: int
) -> tuple[list[int], list[float]]:
    """Return the counts and the ratios of one order, from the n-grams of source, all references,
    and output.
    """
    wanted = {gram: min(references * count, rho[gram]) for gram, count in sigma.items()}
    right = {gram: min(references * eta[gram], count) for gram, count in wanted.items()}
    kept = {gram: min(count, eta[gram]) for gram, count in sigma.items() if gram in eta}
    gone = {gram: count - eta[gram] for gram, count in sigma.items() if count > eta[gram]}
    surplus = {gram: references * count - wanted[gram] for gram, count in sigma.items()}
    added = [gram for gram in eta if gram not in sigma]
    counts = [
        sum(gram in rho for gram in added),
        len(added),
        sum(gram not in sigma for gram in rho),
        sum(right.values()),
        references * sum(kept.values()),
        sum(wanted.values()),
        sum(min(references * count, surplus[gram]) for gram, count in gone.items()),
        references * sum(gone.values()),
        sum(surplus.values()),
        len(kept),
        sum(count > 0 for count in wanted.values()),
        len(gone),
        sum(count > 0 for count in surplus.values()),
    ]
    if not references:
        return counts, [0.0, 0.0, 0.0]
    ratios = [0.0, 0.0, 0.0]
    for gram in sigma:
        if gram in kept:
            ratios[0] += right[gram] / (references * kept[gram])
        if right[gram]:
            ratios[1] += right[gram] / wanted[gram]
        if gram in gone:
            ratios[2] += max(references * gone[gram] - rho[gram], 0) / (references * gone[gram])
    return counts, ratios


# --- the distinct n-grams of each text, and which of them the references of its line have


def _first_seen(values: Ints) -> tuple[Ints, Ints]:
    """Return where each distinct value is first, in this order, and the number of each value by it."""
    _, first, numbers = np.unique(values, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return first[order], place[numbers.ravel()]


def shared_ngrams(text: Encoded, lines: int, references: int, order: int) -> list[SharedGrams]:
    """Count the n-grams of the lengths from 1 to `order`.

    `text` has rows: the lines of each reference, one reference after the other, then those of each
    output. So many lines has each. Everything is numbered in the order in which it first occurs.
    Raises ValueError for rows that are no multiple of the lines, for fewer texts than references,
    and for an order below 1."""
    sizes = check_rows(text, lines, references, order)
    rows, ends = np.repeat(np.arange(len(sizes)), sizes), np.repeat(text.offsets[1:], sizes)
    starts, ids, numbers = (
        np.arange(len(rows)),
        text.ids.astype(np.int64),
        np.zeros(len(rows), np.int64),
    )
    tokens = int(ids.max(initial=0)) + 1
    result = []
    for length in range(1, order + 1):
        kept = np.flatnonzero(starts + length <= ends)
        rows, ends, starts, before = rows[kept], ends[kept], starts[kept], numbers[kept]
        last = ids[starts + length - 1]
        first, numbers = _first_seen(before * tokens + last)
        where, entry = _first_seen(rows * len(first) + numbers)
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
        places[of_references:] = np.where(
            np.append(known, -1)[np.minimum(found, len(known))] == wanted, found, -1
        )
        times = np.bincount(entry, minlength=len(where))
        most = np.zeros(len(known), np.int64)
        np.maximum.at(most, places[:of_references], times[:of_references])
        result.append(
            SharedGrams(before[first], last[first], own_rows, own_numbers, times, places, most)
        )
    return result
