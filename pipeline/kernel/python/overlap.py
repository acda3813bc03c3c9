"""N-gram overlap, in Python: ids become n-grams, and n-grams become counts."""

from __future__ import annotations

import functools
import operator
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..common import COUNTED, KINDS, WITHOUT_OUTPUT, Encoded, check_overlap

Ngrams = Counter[tuple[int, ...]]


def ngrams(ids: Sequence[int], order: int) -> Ngrams:
    """Count the n-grams of one order."""
    return Counter(zip(*(ids[start:] for start in range(order)), strict=False))


def overlap(
    source: Encoded | None, references: Sequence[Encoded], systems: Sequence[Encoded], order: int, kinds: Sequence[str]
) -> dict[str, NDArray[np.int64]]:
    """Count the n-grams that outputs share with references and source, for orders 1 to `order`.

    All texts come from one call of encode and have equally many lines. Where there is no source, its counts are 0.
    Returns an int64 array for each of `kinds`: [systems, lines, references, order] for those in KINDS, and
    [systems, lines, order] for those in MERGED_KINDS. Raises ValueError for an order outside of 1 to MAX_ORDER and
    for texts that do not fit together, and KeyError for an unknown kind.
    """
    check_overlap(source, references, systems, order, kinds)
    lines, shape = len(references[0].offsets) - 1, (len(references), order)
    counts = {
        kind: np.zeros((len(systems), lines, *(shape if kind in KINDS else shape[1:])), np.int64) for kind in kinds
    }
    of_source = source.lines() if source else [()] * lines
    of_references, outputs = ([text.lines() for text in texts] for texts in (references, systems))
    for line in range(lines):
        source_grams = _orders(of_source[line], order)
        reference_grams = [_orders(reference[line], order) for reference in of_references]
        merged_grams = [functools.reduce(operator.or_, of_order) for of_order in zip(*reference_grams, strict=True)]
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
                    array[number, line] = [_sums(kind, source_grams, rho, grams) for rho in reference_grams]
                else:
                    array[number, line] = _sums(kind, source_grams, merged_grams, grams)
    return counts


def _sums(kind: str, source: list[Ngrams], reference: list[Ngrams], hypothesis: list[Ngrams]) -> list[int]:
    """Return the sum of a kind over the n-grams of each order."""
    times, sums = COUNTED[kind].times, []
    for sigma, rho, eta in zip(source, reference, hypothesis, strict=True):
        grams = sigma.keys() | rho.keys() if kind in WITHOUT_OUTPUT else eta.keys()
        sums.append(sum(times(sigma[gram], rho[gram], eta[gram]) for gram in grams))
    return sums


def _orders(ids: Sequence[int], order: int) -> list[Ngrams]:
    return [ngrams(ids, n) for n in range(1, order + 1)]
