"""Policies without draws: the best reference of each sentence counts, or each reference alone."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ...metrics.base.capabilities import draws_references
from ..addends import Chosen
from .base import DRAWN_MEANS, SENTENCES, Policy, Reduced

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...arrays import Floats, Ints
    from ...metrics.base.columns import Columns
    from ...metrics.base.metric import Metric
    from ..summands import Summand
    from .base import SystemCounts


class Best(Policy):
    """The best reference of each sentence. This policy is also used where all references are merged into one."""

    def scores(self, counts: SystemCounts) -> list[Reduced]:
        """Return the scores of the terms with the references that the metric chooses."""
        return counts.reduced(Chosen(counts.metric))

    def summands(self, counts: SystemCounts) -> list[Summand]:
        """Return the score as one summand."""
        return [counts.summand(Chosen(counts.metric))]

    def best(self, metric: Metric, columns: Columns) -> Ints | None:
        """Return the references that the metric chooses."""
        return metric.choose(columns)

    def over_references(self, metric: Metric, scores: Floats, present: Ints | None) -> tuple[Floats, Floats]:
        """Return the best score, and no deviation."""
        best = scores.min(axis=-1, keepdims=True) if metric.lower_is_better else scores.max(axis=-1, keepdims=True)
        return super().over_references(metric, best, present)

    def outputs_of_lines(self, metric: Metric, outputs: dict[str, Floats], columns: Columns) -> dict[str, Floats]:
        """Return the outputs with a reference that has the best score of its line: float64 [lines] each.

        Of several it is the one that the metric chooses, or else the first.
        """
        scores = next(iter(outputs.values()))
        if scores.shape[1] == 1:
            return {name: values[:, 0] for name, values in outputs.items()}
        rows, chosen, good = np.arange(len(scores)), metric.choose(columns), metric.goodness(scores)
        chosen = np.where(good[rows, chosen] == good.max(axis=1), chosen, good.argmax(axis=1))
        return {name: values[rows, chosen] for name, values in outputs.items()}

    def of_lines(self, metric: Metric, scores: Floats, present: Ints | None) -> Floats:
        """Return the best score of each line."""
        del present
        best: Floats = (np.minimum if metric.lower_is_better else np.maximum).reduce(scores, axis=-1)
        return best


class Mean(Policy):
    """The mean of the scores with each reference alone."""

    def scores(self, counts: SystemCounts) -> list[Reduced]:
        """Return the means of the outputs."""
        alone = [counts.reduced(Chosen(counts.metric, number)) for number in range(counts.references)]
        shares = self.shares(counts)
        return [self.combined(shares, [item.outputs for item in items]) for items in zip(*alone, strict=True)]

    def combined(self, shares: Sequence[float], outputs: Sequence[dict[str, float]]) -> Reduced:
        """Return the mean of a system's outputs with each reference."""
        names = outputs[0]
        return Reduced({n: math.fsum(w * own[n] for w, own in zip(shares, outputs, strict=True)) for n in names})

    def summands(self, counts: SystemCounts) -> list[Summand]:
        """Return a summand for each reference, with its share."""
        shares = enumerate(self.shares(counts))
        return [counts.summand(Chosen(counts.metric, number), share) for number, share in shares if share]

    def shares(self, counts: SystemCounts) -> Sequence[float]:
        """Return the share of each reference."""
        return draws_references(counts.metric).shares or (1 / counts.references,) * counts.references

    def needs_all(self, metric: Metric) -> bool:
        """Return True for scores of whole texts. Sentence scores are averaged over the references that there are."""
        return metric.level not in (*SENTENCES, DRAWN_MEANS)


class Each(Mean):
    """The mean, with the scores with each reference as further outputs: name@0, name@1 ..."""

    def combined(self, shares: Sequence[float], outputs: Sequence[dict[str, float]]) -> Reduced:
        """Return the mean of a system's outputs, and its score with each reference."""
        name = next(iter(outputs[0]))
        scores = {f"{name}@{number}": own[name] for number, own in enumerate(outputs)}
        return Reduced(super().combined(shares, outputs).outputs | scores)


class Weighted(Mean):
    """The mean of the scores with each reference, which have weights."""

    def misfit(self, metric: Metric, references: int, *, missing: bool) -> str | None:
        """Return why this policy cannot score a data set, such as for another number of weights than references."""
        message = super().misfit(metric, references, missing=missing)
        if message is None and len(draws_references(metric).shares) != references:
            return f"weights: {len(draws_references(metric).shares)} are given for {references} references"
        return message

    def needs_all(self, metric: Metric) -> bool:
        """Return True: the weight of a reference that is missing has no meaning."""
        del metric
        return True

    def over_references(self, metric: Metric, scores: Floats, present: Ints | None) -> tuple[Floats, Floats]:
        """Return the weighted mean of each sentence's scores, and their population deviation without weights."""
        return scores @ np.array(draws_references(metric).shares), super().over_references(metric, scores, present)[1]

    def of_lines(self, metric: Metric, scores: Floats, present: Ints | None) -> Floats:
        """Return the weighted mean of each line's scores."""
        return self.over_references(metric, scores, present)[0]
