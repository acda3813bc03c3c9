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

    All texts come from one call of encode and have equally many lines. `missing` is which
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
        references_of_line = np.flatnonzero(present[line])
        for order in range(1, SARI_ORDER + 1):
            in_source = ngrams(source_lines[line], order)
            in_references: Ngrams = Counter()
            for reference in references_of_line:
                ids = reference_lines[reference][line]
                in_references += ngrams(ids, order)
            for system, output in enumerate(output_lines):
                in_output = ngrams(output[line], order)
                counted = _sari_counts(
                    in_source, in_references, in_output, len(references_of_line)
                )
                counts[system, line, :, order - 1] = counted.counts
                ratios[system, line, :, order - 1] = counted.ratios
    return counts, ratios


def _sari_counts(
    source: Ngrams,
    all_references: Ngrams,
    output: Ngrams,
    references: int,
) -> SariCounts:
    """Return what sari() counts of the n-grams of one order in a line.

    `source`, `all_references` (together) and `output` are how often the texts have each n-gram, and
    `references` is the number of references. Counts of source and output are multiplied by this
    number, to compare them with those of all references.
    """
    # for each n-gram of the source
    keepable: dict[tuple[int, ...], int] = {}
    kept_correctly: dict[tuple[int, ...], int] = {}
    retained: dict[tuple[int, ...], int] = {}
    deletable: dict[tuple[int, ...], int] = {}
    deleted: dict[tuple[int, ...], int] = {}
    for gram, count in source.items():
        multiplied = references * count
        keepable[gram] = min(multiplied, all_references[gram])
        kept_correctly[gram] = min(references * output[gram], keepable[gram])
        deletable[gram] = multiplied - keepable[gram]
        if gram in output:
            retained[gram] = min(count, output[gram])
        if count > output[gram]:
            deleted[gram] = count - output[gram]
    deleted_correctly = 0
    for gram, count in deleted.items():
        deleted_correctly += min(references * count, deletable[gram])

    # in the order of SARI_COUNTS
    added = [gram for gram in output if gram not in source]
    counts = [
        sum(gram in all_references for gram in added),
        len(added),
        sum(gram not in source for gram in all_references),
        sum(kept_correctly.values()),
        references * sum(retained.values()),
        sum(keepable.values()),
        deleted_correctly,
        references * sum(deleted.values()),
        sum(deletable.values()),
        len(retained),
        sum(count > 0 for count in keepable.values()),
        len(deleted),
        sum(count > 0 for count in deletable.values()),
    ]

    # in the order of SARI_RATIOS
    keep_precision = 0.0
    keep_recall = 0.0
    delete_precision = 0.0
    if references:
        for gram in source:
            if gram in retained:
                keep_precision += kept_correctly[gram] / (
                    references * retained[gram]
                )
            if kept_correctly[gram]:
                keep_recall += kept_correctly[gram] / keepable[gram]
            if gram in deleted:
                multiplied = references * deleted[gram]
                correct = max(multiplied - all_references[gram], 0)
                delete_precision += correct / multiplied
    return SariCounts(counts, [keep_precision, keep_recall, delete_precision])
