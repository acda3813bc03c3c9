"""The second of two layers from columns to scores: which references count, and how.

A policy says which references count: the best of each sentence, each alone, or draws of them. A
metric names it in `Metric.policy`. A new policy is a class here, and a line in the table POLICIES.
`sentences.py` has the aggregations of sentence scores. Both make the score of all sentences, and
the summands of it for samples of the sentences.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Ints
from ..metrics.base import Columns, Draws, Metric, Schema
from .rows import Samples
from .sums import Summand, drawn_sums
from .terms import (
    HasBlocks,
    MetricColumns,
    MetricTerms,
    Outputs,
    SentenceTerms,
    Subset,
    first,
)

SENTENCES = frozenset({"mean", "sum"})
"""The levels that are the mean or the sum of sentence scores."""
DRAWN_MEANS = "bootstrap"
"""The level that is the median of means of sentence scores in samples of the sentences."""
Z95 = 1.959963984540054
"""The quantile 0.975 of the normal distribution, as the original program of GLEU has it."""


@dataclass(frozen=True)
class Reduced:
    """The score of one system."""

    outputs: dict[str, float]
    """All outputs of the metric. The first is the score."""
    samples: Samples | None = None
    """The spread of the score over draws of references, if it is the mean over these."""

    @property
    def score(self) -> float:
        """The ranked score, a fraction."""
        return next(iter(self.outputs.values()))


@dataclass(frozen=True, kw_only=True)
class SystemCounts:
    """The columns of some systems of a data set, to be scored by one metric.

    They share the draws of references.
    """

    metric: Metric
    systems: Sequence[HasBlocks]
    lines: int
    references: int
    reference_of_system: Sequence[int | None] = ()
    """Which reference each system is, for policies that score references too. None, or an empty
    sequence: it is none of them."""
    threads: int = 1
    """How many threads share the iterations of a score for which references are drawn."""

    def without(self, left_out: int) -> "tuple[list[int], SystemCounts]":
        """Return the numbers of the systems to score without a reference, and their columns.

        Of the systems that are themselves references, only the one that is left out is scored.
        """
        remaining = list(range(self.references))
        remaining.remove(left_out)
        reference_columns = self.metric.spec.of_references
        no_references = [None] * len(self.systems)
        references = self.reference_of_system or no_references
        numbers = []
        systems = []
        scored_references = []
        for number, reference in enumerate(references):
            if reference is None or reference == left_out:
                system = self.systems[number]
                numbers.append(number)
                systems.append(Subset(system, remaining, reference_columns))
                scored_references.append(reference)
        rest = replace(
            self,
            systems=systems,
            references=len(remaining),
            reference_of_system=scored_references,
        )
        return numbers, rest

    def reduced(self, reference: int | None = None) -> list[Reduced]:
        """Return the score of each system with a certain reference.

        None: with those that the metric chooses.
        """
        terms = MetricTerms(self.metric, reference)
        return [Reduced(terms.of_system(system)) for system in self.systems]

    def summand(self, terms: SentenceTerms, share: float = 1.0) -> Summand:
        """Return a summand of all systems, with the same share for each."""
        return Summand.of(terms, self.systems, self.lines, share)


class Aggregation(ABC):
    """A way from columns to scores."""

    @abstractmethod
    def scores(self, counts: SystemCounts) -> list[Reduced]:
        """Return the score of each system."""

    @abstractmethod
    def summands(self, counts: SystemCounts) -> list[Summand]:
        """Return the summands of the score, for samples of the sentences."""


class Policy(Aggregation):
    """Which references count, and how.

    As an aggregation, a policy makes the score of summed terms (level corpus).
    """

    several: ClassVar[bool] = False
    """Whether a data set must have two references at least."""
    missing_at: ClassVar[Collection[str] | None] = None
    """The levels at which lines may have missing references; None: all levels."""
    spreads: ClassVar[bool] = True
    """Whether the scores of a sentence with its references all have a part in its score."""

    def misfit(
        self, metric: Metric, references: int, *, missing: bool
    ) -> str | None:
        """Return why this policy cannot score a data set, or None.

        `missing` says that some lines have missing references.
        """
        allowed_levels = self.missing_at
        is_allowed = allowed_levels is None or metric.level in allowed_levels
        if missing and not is_allowed:
            return f"references: {metric.policy} is not defined where references are missing"
        if self.several and references < 2:
            return f"references: {metric.policy} needs at least two references"
        return None

    def rows(self, references: int) -> Mapping[str, int]:
        """Return the references that are also scored as systems: their numbers by name."""
        return {}

    def sentence_scores(
        self, metric: Metric, by_reference: Floats, present: Ints | None
    ) -> Floats:
        """Return one score for each sentence from its scores with each reference.

        Here this is their mean: float64 [lines]. `by_reference` is float64 [lines, references].
        Only the first references of a line count if some are missing: `present`, int64 [lines],
        says how many. None: no line misses a reference.
        """
        if present is None or by_reference.shape[1] == 1:
            return mean(by_reference)
        numbers = np.arange(by_reference.shape[1])
        is_present = numbers < present[:, None]
        means: Floats = by_reference.mean(axis=-1, where=is_present)
        return means

    def sentence_outputs(
        self, metric: Metric, by_reference: Outputs, columns: Columns
    ) -> Outputs:
        """Return one value for each sentence and output: float64 [lines] each.

        Here this is the mean over references. `by_reference` has the outputs with each reference,
        float64 [lines, references] each, and `columns` are what they are made of.
        """
        present = columns.get(Schema.PRESENT)
        means = {}
        for name, values in by_reference.items():
            means[name] = self.sentence_scores(metric, values, present)
        return means


def mean_of(reduced: Sequence[Reduced]) -> Reduced:
    """Return the mean of each output over several scores, without a spread."""
    means = {}
    for name in reduced[0].outputs:
        values = [item.outputs[name] for item in reduced]
        means[name] = math.fsum(values) / len(values)
    return Reduced(means)


def deviation(values: Floats) -> Floats:
    """Return the population deviation over the last axis. For equal values it is exactly 0."""
    deviations = values.std(axis=-1)
    return np.where(_equal(values), 0.0, deviations)


def mean(values: Floats) -> Floats:
    """Return the mean over the last axis. For equal values it is exactly the value."""
    count = values.shape[-1]
    if count == 1:
        return values[..., 0]
    means = np.add.reduce(values, axis=-1) / count
    return np.where(_equal(values), values[..., 0], means)


def _equal(values: Floats) -> NDArray[np.bool_]:
    """Return where all values of the last axis are equal."""
    smallest = np.minimum.reduce(values, axis=-1)
    largest = np.maximum.reduce(values, axis=-1)
    equal: NDArray[np.bool_] = smallest == largest
    return equal


# --- policies without draws


class Best(Policy):
    """The best reference of each sentence.

    This policy is also used if all references are merged into one.
    """

    spreads = False

    def scores(self, counts: SystemCounts) -> list[Reduced]:
        """Return the scores of the terms with the references that the metric chooses."""
        return counts.reduced()

    def summands(self, counts: SystemCounts) -> list[Summand]:
        """Return the score as one summand."""
        return [counts.summand(MetricTerms(counts.metric))]

    def sentence_outputs(
        self, metric: Metric, by_reference: Outputs, columns: Columns
    ) -> Outputs:
        """Return the outputs with the reference that has the best score of its line.

        They are float64 [lines] each. Of several best references it is the one that the metric
        chooses, or else the first.
        """
        scores = first(by_reference)  # [lines, references]
        if scores.shape[1] == 1:
            return {name: values[:, 0] for name, values in by_reference.items()}
        rows = np.arange(len(scores))
        goodness = metric.goodness(scores)
        best = goodness.argmax(axis=1)  # [lines]
        chosen = metric.choose(columns)  # [lines]
        goodness_of_best = goodness[rows, best]
        goodness_of_chosen = goodness[rows, chosen]
        is_best = goodness_of_chosen == goodness_of_best
        chosen = np.where(is_best, chosen, best)
        return {
            name: values[rows, chosen] for name, values in by_reference.items()
        }

    def sentence_scores(
        self, metric: Metric, by_reference: Floats, present: Ints | None
    ) -> Floats:
        """Return the best score of each line."""
        choose_best = np.minimum if metric.lower_is_better else np.maximum
        best: Floats = choose_best.reduce(by_reference, axis=-1)
        return best


class Mean(Policy):
    """The mean of the scores with each reference alone."""

    missing_at = (*SENTENCES, DRAWN_MEANS)
    """Sentence scores are averaged over the references that there are."""

    def scores(self, counts: SystemCounts) -> list[Reduced]:
        """Return the means of the outputs."""
        references = range(counts.references)
        with_each = [counts.reduced(reference) for reference in references]
        shares = self.shares(counts)
        scores = []
        for of_system in zip(*with_each, strict=True):
            outputs = [reduced.outputs for reduced in of_system]
            scores.append(self.combined(shares, outputs))
        return scores

    def combined(
        self, shares: Sequence[float], outputs: Sequence[dict[str, float]]
    ) -> Reduced:
        """Return the mean of a system's outputs with each reference."""
        means = {}
        for name in outputs[0]:
            products = []
            for share, with_reference in zip(shares, outputs, strict=True):
                products.append(share * with_reference[name])
            means[name] = math.fsum(products)
        return Reduced(means)

    def summands(self, counts: SystemCounts) -> list[Summand]:
        """Return a summand for each reference, with its share."""
        summands = []
        for reference, share in enumerate(self.shares(counts)):
            if share:
                terms = MetricTerms(counts.metric, reference)
                summands.append(counts.summand(terms, share))
        return summands

    def shares(self, counts: SystemCounts) -> Sequence[float]:
        """Return the share of each reference."""
        if counts.metric.shares:
            return counts.metric.shares
        share = 1 / counts.references
        return [share] * counts.references


class Each(Mean):
    """The mean, with the scores with each reference as further outputs: name@0, name@1 ..."""

    def combined(
        self, shares: Sequence[float], outputs: Sequence[dict[str, float]]
    ) -> Reduced:
        """Return the mean of a system's outputs, and its score with each reference."""
        name = next(iter(outputs[0]))
        means = super().combined(shares, outputs).outputs
        for number, with_reference in enumerate(outputs):
            means[f"{name}@{number}"] = with_reference[name]
        return Reduced(means)


class Weighted(Mean):
    """The mean of the scores with each reference, which have weights."""

    missing_at = ()
    """The weight of a reference that is missing has no meaning."""

    def misfit(
        self, metric: Metric, references: int, *, missing: bool
    ) -> str | None:
        """Return why this policy cannot score a data set, such as a wrong number of weights."""
        reason = super().misfit(metric, references, missing=missing)
        weights = len(metric.shares)
        if reason is None and weights != references:
            return f"weights: {weights} are given for {references} references"
        return reason

    def sentence_scores(
        self, metric: Metric, by_reference: Floats, present: Ints | None
    ) -> Floats:
        """Return the weighted mean of each line's scores."""
        shares = np.array(metric.shares)  # [references]
        means: Floats = by_reference @ shares
        return means


# --- policies by which references are drawn at random

MAX_TURNS = 4
"""The most turns that are made of a draw of references."""


class Sampled(Policy):
    """The mean score over many draws, in each of which a reference is drawn for each sentence."""

    def scores(self, counts: SystemCounts) -> list[Reduced]:
        """Return the means of the outputs over iterations."""
        draws = counts.metric.draws(counts.lines, counts.references)
        if draws is None:
            return [self.single(item.outputs) for item in counts.reduced(0)]
        terms = MetricTerms(counts.metric, each=True)
        scores = []
        if counts.lines == 1:
            for system in counts.systems:
                outputs = _outputs_of_line(terms, system, draws)
                scores.append(self.averaged(outputs, draws))
        else:
            sums = drawn_sums(terms, counts.systems, draws, counts.threads)
            for number in range(len(counts.systems)):
                outputs = terms.outputs(sums[:, number])
                scores.append(self.averaged(outputs, draws))
        return scores

    def single(self, outputs: dict[str, float]) -> Reduced:
        """Return the score with the only reference, for which nothing is drawn."""
        return Reduced(outputs, Samples(1, 0.0, (math.nan, math.nan)))

    def averaged(self, outputs: Outputs, draws: Draws) -> Reduced:
        """Return the mean of each output over iterations, with the spread of the score.

        `outputs` are float64 [iterations] each, the score first.
        """
        table = np.array(list(outputs.values()))  # [outputs, iterations]
        means = mean(table).tolist()
        score = means[0]
        std = float(deviation(table[0]))
        interval = (math.nan, math.nan)
        if std > 0:
            half = Z95 * std
            interval = (score - half, score + half)
        samples = Samples(draws.iterations, std, interval)
        return Reduced(dict(zip(outputs, means, strict=True)), samples)

    def summands(self, counts: SystemCounts) -> list[Summand]:
        """Return a summand with one draw of references for each sample, and with turns of it.

        The score is a mean over hundreds of draws, so it has almost no noise from them. The mean
        over one draw and its turns has, to the first order, as little noise, since every reference
        of a sentence has a part in it.
        """
        draws = counts.metric.draws(counts.lines, counts.references)
        if draws is None:
            return [counts.summand(MetricTerms(counts.metric, 0))]
        references = counts.references
        count = min(references, MAX_TURNS)
        turns = [number * references // count for number in range(count)]
        terms = MetricTerms(counts.metric, each=True)
        summand = counts.summand(terms)
        summand.draws = self.one_of(draws)
        summand.turns = turns
        return [summand]

    def one_of(self, draws: Draws) -> Draws:
        """Return the draws of references for samples of the sentences, which summands() turns."""
        return draws


class Expected(Sampled):
    """The limit of the sampled score, by balanced draws (Draws.balanced).

    Beside it there is the standard error of the mean.
    """

    def single(self, outputs: dict[str, float]) -> Reduced:
        """Return a score that is exact, since there is only one reference."""
        return Reduced(outputs | {"standard_error": 0.0})

    def averaged(self, outputs: Outputs, draws: Draws) -> Reduced:
        """Return the mean of each output over iterations, with the standard error of the score.

        `outputs` are float64 [iterations] each, the score first. A group of iterations is a draw
        with all its turns, and the error is that of the means of groups.
        """
        table = np.array(list(outputs.values()))  # [outputs, iterations]
        error = 0.0
        if draws.sampler == "turned":
            groups = table[0].reshape(-1, draws.references)
            means_of_groups = groups.mean(axis=-1)
            error = math.nan
            if len(groups) > 1:
                std = means_of_groups.std(ddof=1)
                error = float(std / math.sqrt(len(groups)))
        means = table.mean(axis=-1).tolist()
        averaged = dict(zip(outputs, means, strict=True))
        return Reduced(averaged | {"standard_error": error})

    def one_of(self, draws: Draws) -> Draws:
        """Return one draw of each group, since the draws of the metric are already turned."""
        iterations = max(draws.iterations // draws.references, 1)
        return draws._replace(sampler="numpy", iterations=iterations)


class LeaveOneOut(Policy):
    """Leaves out each reference in turn.

    Systems get the mean score. References are scored against the others.
    """

    several = True
    missing_at = ()
    """A reference that is missing cannot be left out."""
    inner = Sampled()
    """The policy for the references that are left."""

    def scores(self, counts: SystemCounts) -> list[Reduced]:
        """Return the means of the outputs over the references left out.

        A reference has one score, without itself.
        """
        scores: list[list[Reduced]] = [[] for _ in counts.systems]
        for left_out in range(counts.references):
            numbers, rest = counts.without(left_out)
            scores_of_rest = self.inner.scores(rest)
            for number, reduced in zip(numbers, scores_of_rest, strict=True):
                scores[number].append(reduced)
        return [mean_of(items) for items in scores]

    def summands(self, counts: SystemCounts) -> list[Summand]:
        """Return a summand without each reference.

        It is a share of a system's score, or all of that reference's score.
        """
        summands = []
        for left_out in range(counts.references):
            numbers, rest = counts.without(left_out)
            shares = [1.0] * len(numbers)
            for index, reference in enumerate(rest.reference_of_system):
                if reference is None:
                    shares[index] = 1 / counts.references
            for summand in self.inner.summands(rest):
                summands.append(
                    replace(summand, numbers=numbers, shares=shares)
                )
        return summands

    def rows(self, references: int) -> Mapping[str, int]:
        """Return all references."""
        rows = {}
        for number in range(references):
            rows[f"reference{number}"] = number
        return rows


def _outputs_of_line(
    terms: MetricTerms, system: HasBlocks, draws: Draws
) -> Outputs:
    """Return the outputs of a system with a single line in each iteration.

    They are float64 [iterations] each. Each reference is scored once, whatever the number of
    iterations in which it is drawn.
    """
    (columns,) = MetricColumns(terms.metric).compact_blocks(system)
    count = None
    if Schema.PRESENT in columns:
        count = int(columns[Schema.PRESENT][0])
    references, drawn = _drawn_for_line(draws, count)
    block = terms.of_each(columns)
    terms_of_line = block.with_each()[0]  # [references, width]
    totals = terms_of_line[references].astype(np.float64)
    outputs = {}
    for name, values in terms.outputs(totals).items():
        outputs[name] = values.take(drawn, axis=-1)
    return outputs


@lru_cache(16)
def _drawn_for_line(
    draws: Draws, present: int | None
) -> tuple[list[int], NDArray[np.intp]]:
    """Return the references that are drawn for a data set of one line, each once.

    The array [iterations] has the index of the reference of each iteration among them. `present` is
    how many references the line has, None if it has all.
    """
    limits = None
    if present is not None:
        limits = np.array([present], np.int64)
    drawer = draws.drawer(range(draws.iterations))
    taken = drawer.take(1, limits)[:, 0]
    references, drawn = np.unique(taken, return_inverse=True)
    drawn.flags.writeable = False
    return references.tolist(), drawn


POLICIES: dict[str, Policy] = {
    "sample": Sampled(),
    "expected": Expected(),
    "max": Best(),
    "merged": Best(),
    "mean": Mean(),
    "each": Each(),
    "weighted": Weighted(),
    "leave_one_out": LeaveOneOut(),
}
"""The policies of references, by their names in `Metric.policy`."""
