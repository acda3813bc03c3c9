"""Scores of every metric on every data set, with ranks, signatures and notes."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from .._version import __version__
from ..dataclass import dataclass
from ..errors import InputError
from ..metrics.base import signature
from ..metrics.names import class_of
from .reduce import drawn_scores, reduce
from .references import POLICIES
from .references.base import mean_of
from .results import REFERENCES_ROW, DatasetInfo, Mean, Results, Score, ranks

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ..arrays import Floats
    from ..corpus.corpus import Corpus
    from ..execution.count import Counted
    from ..metrics.base.metric import Metric, Needs
    from .column_blocks import HasBlocks
    from .references.base import Reduced


# Which columns are counted for the categories of a data set.


def breakdown_of(corpus: Corpus, metric: Metric) -> Needs | None:
    """Return the columns that count the categories of a data set, None where there are no categories."""
    categories = corpus.read_by(metric.needs).categories
    return metric.breakdown(categories) if categories else None


def needs_of(corpus: Corpus, metrics: Sequence[Metric]) -> tuple[Needs, ...]:
    """Return the columns to count for a data set: those of the metrics, and of their categories."""
    apart = (breakdown_of(corpus, metric) for metric in metrics)
    return tuple(dict.fromkeys([*(metric.needs for metric in metrics), *filter(None, apart)]))


# The scores of systems together with the columns from which they are made.


@dataclass(frozen=True, kw_only=True)
class Board:
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
) -> Board:
    """Return the scores of a metric on a data set with their columns. The columns of REFERENCES_ROW are None.

    `parts` are the columns of their categories. Where those of a system are None, there are none for any.
    """
    references = info.references_of(metric.needs)
    rows = POLICIES[metric.policy].rows(references)
    own = tuple(rows.get(score.system) for score, blocks in zip(scores, columns, strict=True) if blocks is not None)
    return Board(
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
) -> Iterator[Board]:
    """Yield the scores of every metric on every data set with their columns."""
    for corpus in corpora:
        for metric in metrics:
            printed, counted = signed(metric, len(corpus.read_by(metric.needs).references)), counts[corpus.name]
            scores = [score for score in results.scores if (score.dataset, score.metric) == (corpus.name, printed)]
            columns = [counted.get((score.system, metric.needs)) for score in scores]
            apart = breakdown_of(corpus, metric)
            parts = [counted.get((score.system, apart)) for score in scores] if apart else []
            yield scored_columns(metric, results.datasets[corpus.name], scores, columns, parts)


def with_scores_of(columns: Sequence[Board], results: Results) -> tuple[Board, ...]:
    """Return the same columns with the scores in the results, which may have gained intervals."""
    scores = {(score.dataset, score.metric, score.system): score for score in results.scores}
    return tuple(
        replace(item, scores=tuple(scores[score.dataset, score.metric, score.system] for score in item.scores))
        for item in columns
    )


def scores_of_draws(measured: Board) -> dict[str, Floats]:
    """Return for each system its score in every draw of references: float64 [iterations].

    The scores are computed anew from the columns. The result is empty where no reference is drawn for the score.
    """
    scores = drawn_scores(measured.metric, measured.columns, measured.lines, measured.references)
    return dict(zip(measured.names, scores or (), strict=False))


@lru_cache(256)
def signed(metric: Metric, references: int) -> str:
    """Return the signature of a metric in this version, for a number of references."""
    return signature.render(metric.name, [*metric.settings(references), ("v", __version__)])


LOWER = "the lower the score, the better"
"""The note on scores of metrics such as TER."""


def score(
    corpora: Sequence[Corpus], metrics: Sequence[Metric], counts: Mapping[str, Counted], threads: int = 1
) -> list[Score]:
    """Return the scores of every data set, metric and system. `counts` has the counts of each data set."""
    scores = []
    for corpus in corpora:
        least, most = corpus.present()
        for metric in metrics:
            references = len(corpus.read_by(metric.needs).references)
            rows = POLICIES[metric.policy].rows(references)
            names = [name for name in corpus.systems if name in rows or name not in corpus.references_as_systems]
            columns = [counts[corpus.name][name, metric.needs] for name in names]
            own = [rows.get(name) for name in names]
            reduced = reduce(metric, columns, corpus.lines, references, threads, own)
            if rows and rows.keys() <= set(names):  # no reference is lost
                names.append(REFERENCES_ROW)
                reduced.append(mean_of([r for r, number in zip(reduced, own, strict=True) if number is not None]))
            printed, peer = signed(metric, references), metric.peer_signature(most, missing=least < most)
            for name, item, rank in zip(names, reduced, _ranks(metric, reduced), strict=True):
                scores.append(
                    Score(
                        dataset=corpus.name,
                        system=name,
                        metric=printed,
                        score=item.score,
                        outputs=item.outputs,
                        samples=item.samples,
                        rank=rank,
                        notes=(*metric.notes(item.outputs), *([LOWER] if metric.lower_is_better else [])),
                        peer_signature=peer,
                    )
                )
    return scores


def _ranks(metric: Metric, reduced: Sequence[Reduced]) -> list[int]:
    return ranks([metric.goodness(item.score) for item in reduced])


def with_means(results: Results) -> Results:
    """Return the results with the mean over data sets of each system, by each metric that all data sets have.

    Raises InputError where there are no two data sets.
    """
    datasets = list(dict.fromkeys(score.dataset for score in results.scores))
    if len(datasets) < 2:
        raise InputError(f"a mean needs scores on two data sets or more; there is {' and '.join(datasets) or 'none'}")
    scores: dict[str, dict[str, dict[str, float]]] = {}
    for score in results.scores:
        own = scores.setdefault(_on_any_data(score.metric), {})
        own.setdefault(score.system, {})[score.dataset] = score.score
    return replace(results, means=[_mean(metric, own, datasets) for metric, own in scores.items()])


def _mean(metric: str, scores: Mapping[str, Mapping[str, float]], datasets: list[str]) -> Mean:
    """Return the means of a metric; `scores` has the score of each system on each data set."""
    means = {name: math.fsum(own.values()) / len(datasets) for name, own in scores.items() if len(own) == len(datasets)}
    better = class_of(metric).goodness
    order = ranks([better(mean) for mean in means.values()])
    lacking = {name: [d for d in datasets if d not in own] for name, own in scores.items() if name not in means}
    ranked = sorted(zip(order, means.items(), strict=True), key=lambda item: item[0])
    return Mean(metric, datasets, dict(item for _, item in ranked), lacking)


def _on_any_data(printed: str) -> str:
    """Return a signature without the number of references."""
    return "|".join(part for part in printed.split("|") if not part.startswith("nrefs:"))


def remarks(corpora: Sequence[Corpus], metrics: Sequence[Metric], counts: Mapping[str, Counted]) -> list[str]:
    """Return the remarks of the metrics on their counts, each with the line that it is about."""
    messages: dict[str, None] = {}
    for corpus in corpora:
        for metric in metrics:
            counted = {name: counts[corpus.name][name, metric.needs].blocks() for name in corpus.systems}
            for note in metric.remarks(counted):
                position = ""  # with names instead of paths, since results do not depend on where files are
                if note.reference is not None:
                    text = corpus.read_by(metric.needs).references[note.reference]
                    position = f"reference {note.reference} ({text.name}), line {text.number(note.line)} "
                elif note.system is not None:
                    position = f"system {note.system}, line {corpus.systems[note.system].number(note.line)} "
                messages[f"{corpus.name}: {position}{note.message}"] = None
    return list(messages)


def describe(corpus: Corpus) -> DatasetInfo:
    """Return what results.json says of a data set."""
    digests = {"source": corpus.source.digest} if corpus.source else {}
    digests |= {f"reference {number}": file.digest for number, file in enumerate(corpus.references)}
    digests |= {f"system {name}": file.digest for name, file in corpus.systems.items()}
    for key, files in corpus.external.items():
        digests |= {f"{key} {name}": file.digest for name, file in files.systems.items()}
    for key, view in corpus.views.items():
        digests |= {f"{key} annotator {number}": file.digest for number, file in enumerate(view.references)}
        digests |= {f"{key} system {name}": file.digest for name, file in view.systems.items()}
    views = {key: len(view.references) for key, view in corpus.views.items()}
    categories = next((view.categories for view in corpus.views.values()), ())
    return DatasetInfo(corpus.lines, len(corpus.references), digests, views, categories)
