"""N-grams that texts share, in Python."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from ...arrays import Ints
from ..common import (
    COUNTED,
    KINDS,
    MERGED_KINDS,
    WITHOUT_OUTPUT,
    Encoded,
    Texts,
    check_overlap,
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
        # the n-grams of each text, by order
        of_source = _all_orders(source_lines[line], order)
        of_references = []
        for text in reference_lines:
            of_references.append(_all_orders(text[line], order))
        of_merged = _merged(of_references)
        first_with: dict[tuple[int, ...], int] = {}
        for system, output in enumerate(output_lines):
            ids = output[line]
            # outputs are often equal: copy the counts of the first system that has the same
            first = first_with.setdefault(ids, system)
            if first != system:
                for array in counts.values():
                    array[system, line] = array[first, line]
                continue
            of_output = _all_orders(ids, order)
            for kind, array in counts.items():
                if kind in MERGED_KINDS:
                    array[system, line] = _sums(
                        kind, of_source, of_merged, of_output
                    )
                    continue
                for reference, of_reference in enumerate(of_references):
                    sums = _sums(kind, of_source, of_reference, of_output)
                    array[system, line, reference] = sums
    return counts


def _all_orders(ids: Sequence[int], order: int) -> list[Ngrams]:
    """Count the n-grams of each order from 1."""
    return [ngrams(ids, n) for n in range(1, order + 1)]


def _merged(references: list[list[Ngrams]]) -> list[Ngrams]:
    """Return the counts of n-grams of all references of a line, by order.

    references[reference][order] has the counts of a reference. An n-gram has the largest count that
    it has in a reference.
    """
    merged = []
    for counts_of_order in zip(*references, strict=True):
        union: Ngrams = Counter()
        for counts in counts_of_order:
            union |= counts
        merged.append(union)
    return merged


def _sums(
    kind: str,
    source: list[Ngrams],
    reference: list[Ngrams],
    output: list[Ngrams],
) -> list[int]:
    """Return how many n-grams of a kind there are (see Kind), for each order.

    The texts are the n-grams of a line in each text, by order.
    """
    times = COUNTED[kind].times
    sums = []
    for ngrams_of_order in zip(source, reference, output, strict=True):
        in_source, in_reference, in_output = ngrams_of_order
        grams = set(in_output)
        if kind in WITHOUT_OUTPUT:
            grams = set(in_source) | set(in_reference)
        total = 0
        for gram in grams:
            total += times(in_source[gram], in_reference[gram], in_output[gram])
        sums.append(total)
    return sums
