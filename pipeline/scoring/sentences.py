"""Scores of single sentences, and the levels of metrics that are made from them.

reduce() makes the scores of metrics of all levels.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..arrays import Floats, Ints
from ..errors import InputError
from ..execution import InMemoryCounts
from ..metrics.base import Columns, Metric, Schema
from .aggregation import (
    DRAWN_MEANS,
    POLICIES,
    SENTENCES,
    Z95,
    Aggregation,
    Policy,
    Reduced,
    SystemCounts,
    deviation,
)
from .sums import Summand
from .terms import (
    Block,
    HasBlocks,
    MetricColumns,
    Outputs,
    SentenceTerms,
    exact_parts,
)

BITS = 26
"""Bits in each half of a sentence score, so that sums of 2**26 sentences stay below 2**53. Beyond
that, fewer."""


@dataclass(frozen=True)
class SentenceScores:
    """Computes the scores and other outputs of sentences by one metric, from columns of counts.

    A sentence has one score over its references, as the policy of the metric says. All arrays are
    float64 [lines].
    """

    metric: Metric

    @property
    def _policy(self) -> Policy:
        return POLICIES[self.metric.policy]

    def scores(self, columns: Columns) -> Floats:
        """Return the score of each sentence."""
        columns = MetricColumns(self.metric).compact(columns)
        by_reference = self.metric.sentence_scores(columns)
        present = columns.get(Schema.PRESENT)
        return self._policy.sentence_scores(self.metric, by_reference, present)

    def of_system(self, system: HasBlocks) -> Floats:
        """Return the scores of all sentences of a system."""
        blocks = MetricColumns(self.metric).compact_blocks(system)
        return np.concatenate([self.scores(columns) for columns in blocks])

    def score_alone(self, columns: Columns) -> Outputs:
        """Return the score of each sentence as the only output."""
        return {self.metric.output: self.scores(columns)}

    def averaged_outputs(self, columns: Columns) -> Outputs:
        """Return the outputs that level mean averages, the score first."""
        columns = MetricColumns(self.metric).compact(columns)
        return self.metric.line_outputs(columns) or self.score_alone(columns)

    def outputs(self, columns: Columns) -> Outputs:
        """Return all outputs of each sentence, the score first.

        The names are those of Metric.score(), whatever the level. The score is what scores()
        returns. If the best reference of a sentence counts, all outputs are those with this
        reference; else they are means over references.
        """
        columns = MetricColumns(self.metric).compact(columns)
        outputs = self.metric.line_outputs(columns)
        if not outputs:
            outputs = self._policy.sentence_outputs(
                self.metric, self.metric.sentence_outputs(columns), columns
            )
        name_of_score = next(iter(outputs))
        return outputs | {name_of_score: self.scores(columns)}

    def spread(self, columns: Columns) -> Outputs:
        """Return score, std, low and high of each sentence over references.

        std is the population deviation. low and high are the score ± 1.959964 std, or NaN if std is
        0, as the option -d of the original program has them. There is no spread if only the best
        reference counts.
        """
        columns = MetricColumns(self.metric).compact(columns)
        by_reference = self.metric.sentence_scores(columns)
        references = by_reference.shape[1]
        present = columns.get(Schema.PRESENT)
        score = self._policy.sentence_scores(self.metric, by_reference, present)
        if not self._policy.spreads:
            std = np.zeros(len(by_reference))
        elif present is None or references == 1:
            std = deviation(by_reference)
        else:
            is_present = np.arange(references) < present[:, None]
            std = by_reference.std(axis=-1, where=is_present)
        half = np.where(std > 0, Z95 * std, math.nan)
        return {
            "score": score,
            "std": std,
            "low": score - half,
            "high": score + half,
        }

    @cached_property
    def _formula(self) -> Callable[[Columns], Floats]:
        return self.metric.compiled() or self.metric.sentence_scores

    def of_lines(self, columns: dict[str, Ints], *, missing: bool) -> Floats:
        """Return what scores() does, bit for bit, faster in many calls with a few lines each.

        `missing` says that some references may be missing.
        """
        metric = self.metric
        complete: Columns = columns
        if metric.corpus_sums:
            counts = InMemoryCounts([], metric.spec.schema(1), columns)
            (complete,) = MetricColumns(metric).blocks(counts)
        if missing:
            complete = MetricColumns(metric).compact(complete)
        by_reference = self._formula(complete)
        present = complete.get(Schema.PRESENT)
        return self._policy.sentence_scores(metric, by_reference, present)


class SentenceLevel(Aggregation):
    """The mean or the sum of sentence scores, which the policy of references makes."""

    def scores(self, counts: SystemCounts) -> list[Reduced]:
        """Return the mean or the sum of the sentences' outputs for each system."""
        metric = counts.metric
        divisor = _divisor(metric, counts.lines)
        sentence_scores = SentenceScores(metric)
        scores = []
        for system in counts.systems:
            # sums of the parts are exact, whatever the blocks
            parts: dict[str, list[float]] = {}
            for columns in MetricColumns(metric).compact_blocks(system):
                outputs_of_block = sentence_scores.averaged_outputs(columns)
                for name, values in outputs_of_block.items():
                    parts_of_output = parts.setdefault(name, [])
                    parts_of_output += exact_parts(values)
            outputs = {}
            for name, numbers in parts.items():
                outputs[name] = math.fsum(numbers) / divisor
            scores.append(Reduced(outputs))
        return scores

    def summands(self, counts: SystemCounts) -> list[Summand]:
        """Return the mean or the sum as one summand."""
        score_alone = SentenceScores(counts.metric).score_alone
        terms = OutputTerms.of(
            counts.metric, counts.systems, counts.lines, score_alone
        )
        return [counts.summand(terms)]


class DrawnMeans(Aggregation):
    """Means of sentence scores in samples of the sentences, which the metric itself draws."""

    def scores(self, counts: SystemCounts) -> list[Reduced]:
        """Return what the metric makes of the outputs of all sentences, for each system."""
        metric = counts.metric
        scores = []
        for system in counts.systems:
            blocks = MetricColumns(metric).compact_blocks(system)
            of_blocks = list(
                map(SentenceScores(metric).averaged_outputs, blocks)
            )
            outputs = {}
            for name in of_blocks[0]:
                values = [
                    outputs_of_block[name] for outputs_of_block in of_blocks
                ]
                outputs[name] = np.concatenate(values)
            scores.append(Reduced(metric.aggregated(outputs)))
        return scores

    def summands(self, counts: SystemCounts) -> list[Summand]:
        """Raise InputError: the score is no sum; see unsupported() in `resampling/intervals.py`."""
        raise InputError(
            f"{counts.metric.name}: a median of samples is not sampled again"
        )


def _divisor(metric: Metric, lines: int) -> int:
    return lines if metric.level == "mean" else 1


@dataclass(frozen=True)
class OutputTerms(SentenceTerms):
    """Outputs of sentences, each as two whole numbers, so that sums are exact.

    These are the high and the low half of 53 bits. The unit of the low half is 2**(exponent - 2 *
    bits - 1), as fine as float64 is for the largest value. Outputs of several systems must have the
    same exponents.
    """

    metric: Metric
    outputs_of: Callable[[Columns], Outputs]
    """Makes the outputs of a block, the score first: a method of SentenceScores."""
    exponents: dict[str, int]
    """For each output: all its values are below 2**exponent."""
    divisor: int
    """The outputs of a data set are the sums divided by this number."""
    bits: int = BITS

    @classmethod
    def of(
        cls,
        metric: Metric,
        systems: Iterable[HasBlocks],
        lines: int,
        outputs_of: Callable[[Columns], Outputs],
    ) -> "OutputTerms":
        """Return the terms for some systems.

        Their outputs are read once, for the largest value of each output.
        """
        largest: dict[str, float] = {}
        for system in systems:
            for columns in MetricColumns(metric).compact_blocks(system):
                for name, values in outputs_of(columns).items():
                    largest_before = largest.get(name, 0.0)
                    largest_of_block = float(np.abs(values).max())
                    largest[name] = max(largest_before, largest_of_block)
        exponents = {}
        for name, value in largest.items():
            _, exponents[name] = math.frexp(value)
        bits = min(BITS, 52 - (lines - 1).bit_length())
        return cls(metric, outputs_of, exponents, _divisor(metric, lines), bits)

    def blocks(self, system: HasBlocks) -> Iterator[Block]:
        """Yield the halves of all outputs, one block of lines after the other.

        They are [lines, 2 for each output].
        """
        for columns in MetricColumns(self.metric).compact_blocks(system):
            outputs = self.outputs_of(columns)
            halves = []
            for name, exponent in self.exponents.items():
                values = outputs[name]  # [lines]
                high_unit = exponent - self.bits
                low_unit = exponent - 2 * self.bits - 1
                high = np.rint(np.ldexp(values, -high_unit))
                rest = values - np.ldexp(high, high_unit)
                low = np.rint(np.ldexp(rest, -low_unit))
                halves.append(high)
                halves.append(low)
            whole_numbers = np.stack(halves, axis=-1).astype(np.int64)
            yield Block(whole_numbers)

    def outputs(self, totals: Floats) -> Outputs:
        """Return the means or the sums of all outputs."""
        outputs = {}
        for index, (name, exponent) in enumerate(self.exponents.items()):
            high = totals[..., 2 * index]
            low = totals[..., 2 * index + 1]
            high_part = np.ldexp(high, exponent - self.bits)
            low_part = np.ldexp(low, exponent - 2 * self.bits - 1)
            outputs[name] = (high_part + low_part) / self.divisor
        return outputs


# --- scores of data sets


def aggregation_of(metric: Metric) -> Aggregation:
    """Return the aggregation of a metric's level and policy of references."""
    if metric.level == DRAWN_MEANS:
        return DrawnMeans()
    if metric.level in SENTENCES:
        return SentenceLevel()
    return POLICIES[metric.policy]


def reduce(counts: SystemCounts) -> list[Reduced]:
    """Return the score of each system from its columns; nothing if all systems were lost."""
    if not counts.systems:
        return []
    return aggregation_of(counts.metric).scores(counts)
