"""Scores, and their bootstrap intervals, with the names of rouge_score.scoring."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..texts import WrongValueError

if TYPE_CHECKING:
    from ...arrays import Floats


class Score(NamedTuple):
    """Precision, recall and their harmonic mean."""

    precision: float
    recall: float
    fmeasure: float


class AggregateScore(NamedTuple):
    """The interval of a score, and its middle."""

    low: Any
    mid: Any
    high: Any


class BootstrapAggregator:
    """The means of scores, with intervals over bootstrap samples.

    Samples are drawn by numpy.random, whose seed is the caller's, as in rouge-score.
    """

    def __init__(self, confidence_interval: float = 0.95, n_samples: int = 1000) -> None:
        if not 0 <= confidence_interval <= 1:
            raise WrongValueError(f"confidence_interval: expected a number from 0 to 1, found {confidence_interval!r}")
        if n_samples <= 0:
            raise WrongValueError(f"n_samples: expected a whole number from 1, found {n_samples!r}")
        self.level, self.samples = confidence_interval, n_samples
        self.scores: dict[str, list[Any]] = {}

    def add_scores(self, scores: Mapping[str, Any]) -> None:
        """Add the scores of a text, by their types."""
        for name, score in scores.items():
            self.scores.setdefault(name, []).append(score)

    def aggregate(self) -> dict[str, AggregateScore]:
        """Return the interval of each type."""
        return {name: self._interval(scores) for name, scores in self.scores.items()}

    def _interval(self, scores: Sequence[Any]) -> AggregateScore:
        values = np.array(scores, np.float64)
        means: Floats = np.empty((self.samples, values.shape[1]))
        for sample in range(self.samples):
            drawn = np.random.choice(np.arange(len(values)), size=len(values))
            means[sample] = values[drawn].mean(axis=0)
        tail = (1 - self.level) / 2
        low, mid, high = np.percentile(means, 100 * np.array([tail, 0.5, 1 - tail]), axis=0)
        kind = type(scores[0])
        return AggregateScore(kind(*low), kind(*mid), kind(*high))


def fmeasure(precision: float, recall: float) -> float:
    """Return the harmonic mean of precision and recall, 0 where both are 0."""
    return 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0
