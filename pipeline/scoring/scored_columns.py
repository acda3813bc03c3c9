"""The scores of systems together with the columns from which they are made."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from .._version import __version__
from ..metrics.base.options import render_signature
from .breakdown.needs import breakdown_of
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
    """The scores of a metric on a data set, and the columns of each system, in the same order."""

    metric: Metric
    lines: int
    references: int
    scores: tuple[Score, ...]
    columns: tuple[HasBlocks, ...]
    own: tuple[int | None, ...]
    """Which reference each system is. None: it is none of them."""
    categories: tuple[str, ...] = ()
    """The categories of the data set."""
    parts: tuple[HasBlocks, ...] = ()
    """The columns of each system for its categories; empty where there are none (see Metric.breakdown)."""
    has_mean: bool = False
    """Whether there is one more score, the mean of the references' scores (REFERENCES_ROW), which has no columns."""

    @property
    def names(self) -> list[str]:
        """The names of the systems."""
        return [score.system for score in self.scores]


def scored_columns(
    metric: Metric,
    info: DatasetInfo,
    scores: Sequence[Score],
    columns: Sequence[HasBlocks | None],
    parts: Sequence[HasBlocks | None] = (),
) -> ScoredColumns:
    """Return the scores of a metric on a data set with their columns. The columns of REFERENCES_ROW are None.

    `parts` are the columns of their categories. Where those of a system are None, there are none for any.
    """
    references = info.references_of(metric.needs)
    rows = POLICIES[metric.policy].rows(references)
    own = tuple(rows.get(score.system) for score, blocks in zip(scores, columns, strict=True) if blocks is not None)
    return ScoredColumns(
        metric=metric,
        lines=info.lines,
        references=references,
        scores=tuple(scores),
        columns=tuple(blocks for blocks in columns if blocks is not None),
        own=own,
        categories=info.categories,
        parts=tuple(part for part in parts if part is not None) if all(parts) else (),
        has_mean=bool(rows) and scores[-1].system == REFERENCES_ROW,
    )


def all_scored_columns(
    corpora: Sequence[Corpus], metrics: Sequence[Metric], counts: Mapping[str, Counted], results: Results
) -> Iterator[ScoredColumns]:
    """Yield the scores of every metric on every data set with their columns."""
    for corpus in corpora:
        for metric in metrics:
            printed, counted = signed(metric, len(corpus.read_by(metric.needs).references)), counts[corpus.name]
            scores = [score for score in results.scores if (score.dataset, score.metric) == (corpus.name, printed)]
            columns = [counted.get((score.system, metric.needs)) for score in scores]
            apart = breakdown_of(corpus, metric)
            parts = [counted.get((score.system, apart)) for score in scores] if apart else []
            yield scored_columns(metric, results.datasets[corpus.name], scores, columns, parts)


def with_scores_of(columns: Sequence[ScoredColumns], results: Results) -> tuple[ScoredColumns, ...]:
    """Return the same columns with the scores in the results, which may have gained intervals."""
    scores = {(score.dataset, score.metric, score.system): score for score in results.scores}
    return tuple(
        replace(item, scores=tuple(scores[score.dataset, score.metric, score.system] for score in item.scores))
        for item in columns
    )


def scores_of_draws(measured: ScoredColumns) -> dict[str, Floats]:
    """Return for each system its score in every draw of references: float64 [iterations].

    The scores are computed anew from the columns. The result is empty where no reference is drawn for the score.
    """
    scores = drawn_scores(measured.metric, measured.columns, measured.lines, measured.references)
    return dict(zip(measured.names, scores or (), strict=False))


@lru_cache(256)
def signed(metric: Metric, references: int) -> str:
    """Return the signature of a metric in this version, for a number of references."""
    return render_signature(metric.name, [*metric.settings(references), ("v", __version__)])
