"""What SARI counts of n-grams, in Python."""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from pipeline.arrays import Bools, Floats, Ints
from pipeline.kernel.common import Encoded, Texts
from pipeline.kernel.python.overlap import Ngrams, ngrams

from ..counted_ngrams import SARI_COUNTS, SARI_ORDER, SARI_RATIOS, check_sari


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
    shape = (len(systems), lines)
    counts = np.zeros((*shape, len(SARI_COUNTS), SARI_ORDER), np.int64)
    ratios = np.zeros((*shape, len(SARI_RATIOS), SARI_ORDER))
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
    The names of counts are those of SARI_COUNTS in `counted_ngrams.py`.
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
