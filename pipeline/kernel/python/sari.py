"""What SARI counts of an output, its source and its references, in Python."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Sequence
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from ..common import SARI_COUNTS, SARI_ORDER, SARI_RATIOS, Encoded, check_sari
from .overlap import Ngrams, ngrams


def sari(
    source: Encoded, references: Sequence[Encoded], systems: Sequence[Encoded], missing: NDArray[np.bool_] | None = None
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Count the n-grams that outputs add, keep and delete, for the orders 1 to SARI_ORDER.

    All texts come from one call of encode and have equally many lines. `missing` says which references a line does not
    have: bool [lines, references]. None: it has all. Returns SARI_COUNTS, int64 [systems, lines, counts, order], and
    SARI_RATIOS, float64 [systems, lines, ratios, order]. Ratios are added in the order in which n-grams first stand in
    the source; they are 0 for a line without references. Raises as overlap() does.
    """
    there = check_sari(source, references, systems, missing)
    lines = len(source.offsets) - 1
    counts = np.zeros((len(systems), lines, len(SARI_COUNTS), SARI_ORDER), np.int64)
    ratios = np.zeros((len(systems), lines, len(SARI_RATIOS), SARI_ORDER))
    of_source, *others = (text.lines() for text in (source, *references, *systems))
    for line in range(lines):
        own = [text[line] for text, is_there in zip(others, there[line], strict=False) if is_there]
        for order in range(1, SARI_ORDER + 1):
            sigma = ngrams(of_source[line], order)
            rho: Ngrams = reduce(operator.iadd, [ngrams(ids, order) for ids in own], Counter())
            for number, output in enumerate(others[len(references) :]):
                found = _counted(sigma, rho, ngrams(output[line], order), len(own))
                counts[number, line, :, order - 1], ratios[number, line, :, order - 1] = found
    return counts, ratios


def _counted(sigma: Ngrams, rho: Ngrams, eta: Ngrams, references: int) -> tuple[list[int], list[float]]:
    """Return the counts and the ratios of one order, from the n-grams of source, all references, and output."""
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
