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
    Reduced,
    SystemCounts,
    deviation,
)
from .sums import Summand
from .terms import (
    Block,
    HasBlocks,
    Outputs,
    SentenceTerms,
    blocks_of,
    compact,
    exact_parts,
    present_blocks,
)

BITS = 26
"""Bits in each half of a sentence score, so that sums of 2**26 sentences stay below 2**53. Beyond
that, fewer."""


def score_alone(metric: Metric, columns: Columns) -> Outputs:
    """Return the score of each sentence as the only output: float64 [lines]."""
    return {metric.output: sentence_scores(metric, columns)}


def sentence_outputs(metric: Metric, columns: Columns) -> Outputs:
    """Return the outputs that level mean averages, the score first: float64 [lines] each."""
    columns = compact(columns, metric.spec.of_references)
    return metric.line_outputs(columns) or score_alone(metric, columns)


def every_output(metric: Metric, columns: Columns) -> Outputs:
    """Return all outputs of each sentence over its references, the score first.

    They are float64 [lines] each. The names are those of Metric.score(), whatever the level. The
    score is what sentence_scores() returns. If the best reference of a sentence counts, all outputs
    are those with this reference; else they are means over references.
    """
    columns = compact(columns, metric.spec.of_references)
    outputs = metric.line_outputs(columns)
    if not outputs:
        policy = POLICIES[metric.policy]
        with_each = metric.sentence_outputs(columns)
        outputs = policy.outputs_of_lines(metric, with_each, columns)
    name_of_score = next(iter(outputs))
    return outputs | {name_of_score: sentence_scores(metric, columns)}


def sentence_scores(metric: Metric, columns: Columns) -> Floats:
    """Return the score of each sentence over its references, as the policy says: float64 [lines]."""
    columns = compact(columns, metric.spec.of_references)
    scores = metric.sentence_scores(columns)
    policy = POLICIES[metric.policy]
    return policy.of_lines(metric, scores, columns.get(Schema.PRESENT))


def scores_of_system(metric: Metric, system: HasBlocks) -> Floats:
    """Return the scores of all sentences of a system: float64 [lines]."""
    scores = []
    for columns in present_blocks(metric, system):
        scores.append(sentence_scores(metric, columns))
    return np.concatenate(scores)


def sentence_spread(metric: Metric, columns: Columns) -> Outputs:
    """Return score, std, low and high of each sentence over references: float64 [lines] each.

    std is the population deviation. low and high are the score ± 1.959964 std, or NaN if std is 0,
    as the option -d of the original program has them. There is no spread if only the best reference
    counts.
    """
    columns = compact(columns, metric.spec.of_references)
    scores = metric.sentence_scores(columns)
    references = scores.shape[1]
    policy = POLICIES[metric.policy]
    present = columns.get(Schema.PRESENT)
    mean = policy.of_lines(metric, scores, present)
    if not policy.spreads:
        std = np.zeros(len(scores))
    elif present is None or references == 1:
        std = deviation(scores)
    else:
        is_present = np.arange(references) < present[:, None]
        std = scores.std(axis=-1, where=is_present)
    half = np.where(std > 0, Z95 * std, math.nan)
    return {"score": mean, "std": std, "low": mean - half, "high": mean + half}


class SentenceLevel(Aggregation):
    """The mean or the sum of sentence scores, which the policy of references makes."""

    def scores(self, counts: SystemCounts) -> list[Reduced]:
        """Return the mean or the sum of the sentences' outputs for each system."""
        metric = counts.metric
        divisor = _divisor(metric, counts.lines)
        scores = []
        for system in counts.systems:
            # sums of the parts are exact, whatever the blocks
            parts: dict[str, list[float]] = {}
            for columns in present_blocks(metric, system):
                outputs_of_block = sentence_outputs(metric, columns)
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
            blocks = present_blocks(metric, system)
            of_blocks = [
                sentence_outputs(metric, columns) for columns in blocks
            ]
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
    outputs_of: Callable[[Metric, Columns], Outputs]
    """Makes the outputs of a block, the score first: score_alone() or sentence_outputs()."""
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
        outputs_of: Callable[[Metric, Columns], Outputs],
    ) -> "OutputTerms":
        """Return the terms for some systems.

        Their outputs are read once, for the largest value of each output.
        """
        largest: dict[str, float] = {}
        for system in systems:
            for columns in present_blocks(metric, system):
                for name, values in outputs_of(metric, columns).items():
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
        for columns in present_blocks(self.metric, system):
            outputs = self.outputs_of(self.metric, columns)
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


# --- scores of lines for many calls with a few lines each


@dataclass(frozen=True)
class LineScores:
    """The scores of lines by one metric: those of sentence_scores(), bit for bit."""

    metric: Metric

    @cached_property
    def _formula(self) -> Callable[[Columns], Floats]:
        return self.metric.compiled() or self.metric.sentence_scores

    def of(self, columns: dict[str, Ints], *, missing: bool) -> Floats:
        """Return the score of each line over its references, as the policy says: float64 [lines].

        `missing` says that some references may be missing.
        """
        metric = self.metric
        complete: Columns = columns
        if metric.corpus_sums:
            counts = InMemoryCounts([], metric.spec.schema(1), columns)
            (complete,) = blocks_of(metric, counts)
        if missing:
            complete = compact(complete, metric.spec.of_references)
        scores = self._formula(complete)
        policy = POLICIES[metric.policy]
        return policy.of_lines(metric, scores, complete.get(Schema.PRESENT))


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
