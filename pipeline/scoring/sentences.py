"""Scores of single sentences, and the levels of metrics that are made from them: mean and sum."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, islice
from typing import TYPE_CHECKING

import numpy as np

from ..metrics.base.columns import PRESENT
from ..metrics.compiled import lines_formula
from .addends import SHORT, Addends, Kind, exact_sum, short_sum
from .column_blocks import compact, present_blocks
from .references import POLICIES
from .references.base import Z95, Reduced, Reducer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..arrays import Floats
    from ..metrics.base.columns import Columns
    from ..metrics.base.metric import Metric
    from .column_blocks import HasBlocks
    from .references.base import SystemCounts
    from .summands import Summand

BITS = 26
"""Bits in each half of a sentence score, so that sums of 2**26 sentences stay below 2**53. Beyond that, fewer."""


def sentence_outputs(metric: Metric, columns: Columns) -> dict[str, Floats]:
    """Return the outputs that level mean averages, the score first: float64 [lines] each."""
    columns, formula = _compact(metric, columns), lines_formula(metric)
    outputs = formula(columns) if formula else metric.line_outputs(columns)
    return outputs or {metric.output: sentence_scores(metric, columns)}


def sentence_scores(metric: Metric, columns: Columns) -> Floats:
    """Return the score of each sentence over its references, as the policy says: float64 [lines]."""
    return sentence_spread(metric, columns)["score"]


def sentence_spread(metric: Metric, columns: Columns) -> dict[str, Floats]:
    """Return score, std, low and high of each sentence over references: float64 [lines] each.

    std is the population deviation. low and high are the score ± 1.959964 std, or NaN where std is 0, as the
    option -d of the original program has them. There is no spread where only the best reference counts.
    """
    columns = _compact(metric, columns)
    scores = metric.sentence_scores(columns)
    mean, std = POLICIES[metric.policy].over_references(metric, scores, columns.get(PRESENT))
    half = np.where(std > 0, Z95 * std, math.nan)
    return {"score": mean, "std": std, "low": mean - half, "high": mean + half}


def _compact(metric: Metric, columns: Columns) -> Columns:
    return compact(columns, [field.name for field in metric.needs.schema(1).fields if field.per_reference])


class SentenceLevel(Reducer):
    """The mean or the sum of sentence scores. The policy of references has its part in each sentence score."""

    def scores(self, counts: SystemCounts) -> list[Reduced]:
        """Return the mean or the sum of the sentences' outputs for each system."""
        return [self._reduced(counts.metric, system) for system in counts.systems]

    def _reduced(self, metric: Metric, system: HasBlocks) -> Reduced:
        """Return the score of a system. Sums are exact, so blocks do not change them."""
        blocks = (sentence_outputs(metric, columns) for columns in present_blocks(metric, system))
        begun = [*islice(blocks, 2)]
        first = next(iter(begun[0].values()))
        if len(begun) == 1 and len(first) <= SHORT:
            divisor = _divisor(metric, len(first))
            return Reduced({name: short_sum(values) / divisor for name, values in begun[0].items()})
        totals: dict[str, Fraction] = {}
        lines = 0
        for outputs in chain(begun, blocks):
            for name, values in outputs.items():
                totals[name] = totals.get(name, Fraction(0)) + exact_sum(values)
            lines += len(next(iter(outputs.values())))
        return Reduced({name: float(total) / _divisor(metric, lines) for name, total in totals.items()})

    def summands(self, counts: SystemCounts) -> list[Summand]:
        """Return the mean or the sum as one summand."""
        return [counts.summand(Sentences.of(counts.metric, counts.systems, counts.lines))]


def _divisor(metric: Metric, lines: int) -> int:
    return lines if metric.level == "mean" else 1


@dataclass(frozen=True)
class Sentences(Kind):
    """Sentence scores as two whole numbers, the high and the low half of 53 bits, so that sums are exact.

    The unit of the low half is 2**(exponent - 2 * bits - 1), as fine as float64 is for the largest score. Scores of
    several systems must have the same exponent.
    """

    metric: Metric
    exponent: int
    """All scores are below 2**exponent."""
    divisor: int
    """The score is the sum divided by this number."""
    bits: int = BITS

    @staticmethod
    def of(metric: Metric, systems: Iterable[HasBlocks], lines: int) -> Sentences:
        """Return the kind for some systems, whose sentence scores are read once to find the largest."""
        blocks = (columns for system in systems for columns in present_blocks(metric, system))
        top = max((float(np.abs(sentence_scores(metric, columns)).max()) for columns in blocks), default=0.0)
        bits = min(BITS, 52 - (lines - 1).bit_length())
        return Sentences(metric, math.frexp(top)[1], _divisor(metric, lines), bits)

    def addends(self, system: HasBlocks) -> Iterator[Addends]:
        """Yield both halves of the scores, one block of lines after the other."""
        return map(self.make, present_blocks(self.metric, system))

    def make(self, columns: Columns) -> Addends:
        """Return the halves of the scores of a block: [lines, 2], the high half first."""
        scores = sentence_scores(self.metric, columns)
        high = np.rint(np.ldexp(scores, self.bits - self.exponent))
        rest = scores - np.ldexp(high, self.exponent - self.bits)
        return Addends(np.stack([high, np.rint(np.ldexp(rest, 2 * self.bits + 1 - self.exponent))], axis=-1), [])

    def score(self, totals: Floats) -> Floats:
        """Return the mean or the sum of the scores."""
        high = np.ldexp(totals[..., 0], self.exponent - self.bits)
        low = np.ldexp(totals[..., 1], self.exponent - 2 * self.bits - 1)
        total: Floats = (high + low) / self.divisor
        return total
