"""Scores, and their bootstrap intervals, with the names of rouge_score.scoring."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ..texts import WrongValueError


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
        tail, intervals = (1 - self.level) / 2, {}
        for name, scores in self.scores.items():
            values = np.array(scores, np.float64)
            drawn = (np.random.choice(np.arange(len(values)), size=len(values)) for _ in range(self.samples))
            means = [values[sample].mean(axis=0) for sample in drawn]
            ends = np.percentile(means, 100 * np.array([tail, 0.5, 1 - tail]), axis=0)
            intervals[name] = AggregateScore(*(type(scores[0])(*end) for end in ends))
        return intervals


def fmeasure(precision: float, recall: float) -> float:
    """Return the harmonic mean of precision and recall, 0 where both are 0."""
    return 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0
