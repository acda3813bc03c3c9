"""Scores of every metric on every data set, with ranks, signatures and notes."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from ..errors import InputError
from ..metrics.base.capabilities import peer_signature, warner
from ..metrics.names import class_of
from .reduce import reduce
from .references import POLICIES
from .references.base import mean_of
from .results import REFERENCES_ROW, DatasetInfo, Mean, Results, Score, ranks
from .scored_columns import signed

LOWER = "the lower the score, the better"
"""The note on scores of metrics such as TER."""

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..corpus.corpus import Corpus
    from ..execution.count import Counted
    from ..metrics.base.metric import Metric
    from .references.base import Reduced


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
            printed, peer = signed(metric, references), peer_signature(metric, most, missing=least < most)
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
            for note in warner(metric).count_warnings(counted):
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
