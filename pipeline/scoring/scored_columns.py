"""Scores of the systems with the columns that they are made of."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from .._version import __version__
from ..metrics.base import signature
from .reduce import drawn_scores
from .references import POLICIES
from .results import REFERENCES_ROW, Results

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ..arrays import Floats
    from ..corpus.corpus import Corpus
    from ..execution.count import Counted
    from ..metrics.base.metric import Metric
    from .column_blocks import HasBlocks
    from .results import DatasetInfo, Score


@dataclass(frozen=True, kw_only=True)
class ScoredColumns:
    """A metric on a data set: scores of its systems, and the columns of each, in the same order.

    own: which reference a system is (None: none); human: whether a last score is the mean of those, without columns.
    """

    metric: Metric
    lines: int
    references: int
    scores: tuple[Score, ...]
    columns: tuple[HasBlocks, ...]
    own: tuple[int | None, ...]
    human: bool = False

    @property
    def names(self) -> list[str]:
        """The names of the systems."""
        return [score.system for score in self.scores]


def scored_columns(
    metric: Metric, info: DatasetInfo, scores: Sequence[Score], columns: Sequence[HasBlocks | None]
) -> ScoredColumns:
    """Return scores of one metric on one data set with their columns; None: there are none of a mean of systems."""
    rows = POLICIES[metric.policy].rows(info.references)
    found = tuple(blocks for blocks in columns if blocks is not None)
    own = tuple(rows.get(score.system) for score, blocks in zip(scores, columns, strict=True) if blocks is not None)
    human = bool(rows) and scores[-1].system == REFERENCES_ROW
    return ScoredColumns(
        metric=metric,
        lines=info.lines,
        references=info.references,
        scores=tuple(scores),
        columns=found,
        own=own,
        human=human,
    )


def all_scored_columns(
    corpora: Sequence[Corpus], chosen: Sequence[Metric], statistics: Mapping[str, Counted], results: Results
) -> Iterator[ScoredColumns]:
    """Yield what intervals and tests are made of, for every data set and metric."""
    for corpus in corpora:
        for metric in chosen:
            printed, counted = signed(metric, len(corpus.references)), statistics[corpus.name]
            scores = [score for score in results.scores if (score.dataset, score.metric) == (corpus.name, printed)]
            columns = [counted.get((score.system, metric.needs)) for score in scores]
            yield scored_columns(metric, results.datasets[corpus.name], scores, columns)


def with_scores_of(columns: Sequence[ScoredColumns], results: Results) -> tuple[ScoredColumns, ...]:
    """Return the same columns with the scores that the results have of them, such as those with intervals."""
    scores = {(score.dataset, score.metric, score.system): score for score in results.scores}
    return tuple(
        replace(item, scores=tuple(scores[score.dataset, score.metric, score.system] for score in item.scores))
        for item in columns
    )


def scores_of_draws(measured: ScoredColumns) -> dict[str, Floats]:
    """Return for each system its score in every draw of references: float64 [iterations].

    The scores are computed anew from the columns. There are none where no reference is drawn for the score.
    """
    scores = drawn_scores(measured.metric, measured.columns, measured.lines, measured.references)
    return dict(zip(measured.names, scores or (), strict=False))


def signed(metric: Metric, references: int) -> str:
    """Return the signature of a metric in this version, for a number of references."""
    return signature.render(metric.name, [*metric.settings(references), ("v", __version__)])
