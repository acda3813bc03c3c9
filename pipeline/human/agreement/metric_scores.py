"""Scores of systems and of sentences by a metric, from a run or from a file."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ...errors import InputError
from ...scoring.column_blocks import present_blocks
from ...scoring.sentences import sentence_scores
from ..score_files import means, read_scores, read_sentence_scores

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from ...arrays import Floats
    from ...scoring.board import Board


@dataclass(frozen=True)
class MetricScores:
    """Scores of systems by one metric on one data set, from a run or a file."""

    dataset: str
    metric: str
    scores: dict[str, float]
    """The higher, the better: scores of metrics where lower is better are negated, and so are sentence scores."""
    lines: int = 0
    sentences: Callable[[], Floats] | None = None
    """Returns the sentence scores, float64 [systems, lines], with the systems in ASCII order. None: there are none."""

    @property
    def systems(self) -> list[str]:
        """The names of the systems in ASCII order, in which `sentences` returns them."""
        return sorted(self.scores)

    def sentences_of(self, systems: Sequence[str], what: str) -> Floats:
        """Return the sentence scores of these systems: float64 [systems, lines].

        Raises InputError, which begins with `what`, where there are none.
        """
        if self.sentences is None:
            raise InputError(f"{what}: {self.metric} has no scores of sentences")
        return self.sentences()[[self.systems.index(name) for name in systems]]


def metric_scores(columns: Iterable[Board]) -> list[MetricScores]:
    """Return the scores of a run, with sentence scores. References that are scored as systems are left out."""
    metrics = []
    for scored in columns:
        names = [score.system for score, own in zip(scored.scores, scored.own, strict=False) if own is None]
        goodness = scored.metric.goodness
        scores = {score.system: goodness(score.score) for score in scored.scores if score.system in names}
        first = scored.scores[0]
        metrics.append(MetricScores(first.dataset, first.metric, scores, scored.lines, partial(_sentences, scored)))
    return metrics


def scores_of_file(path: Path) -> list[MetricScores]:
    """Return the scores of systems or of sentences that a file has. Raises CorpusError where it is wrong."""
    sentences = read_sentence_scores(path)
    if sentences is None:
        return [MetricScores("", name, own) for name, own in read_scores(path).items()]
    return [
        MetricScores("", name, means(own), len(next(iter(own.values()))), partial(_in_order, own))
        for name, own in sentences.items()
    ]


def _in_order(scores: dict[str, Floats]) -> Floats:
    """Return scores of sentences with the systems in ASCII order: float64 [systems, lines]."""
    return np.stack([scores[name] for name in sorted(scores)])


def _sentences(scored: Board) -> Floats:
    """Return the sentence scores of the systems in ASCII order: float64 [systems, lines]."""
    numbered = zip(scored.scores, scored.columns, scored.own, strict=False)
    columns = {score.system: blocks for score, blocks, own in numbered if own is None}
    rows = [
        [
            scored.metric.goodness(sentence_scores(scored.metric, block))
            for block in present_blocks(scored.metric, columns[name])
        ]
        for name in sorted(columns)
    ]
    return np.stack([np.concatenate(blocks) for blocks in rows])
