"""Tasks and boards: what a metric reads of a data set, and the scores that come of it.

A Task is a metric bound to its input. score() makes a Board of each task: the scores of all systems
with the columns that they are made of. Boards are carried to resampling, correlations, comparisons
and reports; `results.py` has the rows in which they are written down."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from .._version import __version__
from ..data.inputs import TEXTS
from ..data.texts import KIND, AnyText, digest_like
from ..errors import InputError, bounded
from ..metrics.base.capabilities import category_spec, peer_signature, warner
from ..metrics.base.options import render_signature
from ..metrics.base.statistics_spec import StatisticsSpec
from ..metrics.names import goodness
from .aggregation import POLICIES, SystemCounts, mean_of
from .results import (
    REFERENCES_ROW,
    Breakdown,
    Category,
    Comparison,
    DatasetInfo,
    Mean,
    Results,
    Score,
    ranks,
)
from .sentences import reduce
from .terms import Beside, ByLine, CategoryTerms, HasBlocks, first, tiers

if TYPE_CHECKING:
    from ..data.corpus import Corpus
    from ..execution.count import Counted
    from ..metrics.base.metric import Metric

LOWER = "the lower the score, the better"
"""The note on scores of metrics such as TER."""


@dataclass(frozen=True, kw_only=True)
class Task:
    """A metric with what it reads of a data set."""

    metric: Metric
    corpus: Corpus
    """The data set."""
    input: Corpus
    """What the metric reads of it: the texts, edits in place of them, or files of numbers."""

    @classmethod
    def of(cls, metric: Metric, corpus: Corpus) -> Task:
        """Bind a metric; raises InputError where the data set has not what it reads."""
        return cls(metric=metric, corpus=corpus, input=corpus.read_by(metric.spec))

    @property
    def references(self) -> int:
        """How many references the metric reads."""
        return len(self.input.references)

    @property
    def signature(self) -> str:
        """The signature of the metric on this data set."""
        return signed(self.metric, self.references)

    @property
    def apart(self) -> StatisticsSpec | None:
        """The columns that count the categories of the data set; None where there are no
        categories.
        """
        return category_spec(self.metric, self.input.categories)

    @property
    def spec(self) -> tuple[StatisticsSpec, ...]:
        """The columns to count: those of the metric, and of the categories."""
        apart = self.apart
        return (self.metric.spec, apart) if apart else (self.metric.spec,)

    def without(self, systems: Collection[str]) -> Task:
        """Return the task without some systems."""
        return replace(self, corpus=self.corpus.without(systems)) if systems else self


def tasks_of(metrics: Sequence[Metric], corpora: Iterable[Corpus]) -> tuple[Task, ...]:
    """Bind every metric to every data set; raises InputError where one has not what a metric reads."""
    return tuple(Task.of(metric, corpus) for corpus in corpora for metric in metrics)


def needs_of(tasks: Iterable[Task]) -> tuple[StatisticsSpec, ...]:
    """Return the columns to count for some tasks, each once."""
    return tuple(dict.fromkeys(need for task in tasks for need in task.spec))


def views_of(tasks: Iterable[Task]) -> list[tuple[Corpus, tuple[StatisticsSpec, ...]]]:
    """Return what tasks read of a data set, such as its texts or a set of files of numbers, each
    with its columns.

    The data set itself comes first.
    """
    readers: dict[int, list[Task]] = {}
    for task in tasks:
        readers.setdefault(id(task.input), []).append(task)
    ordered = sorted(readers.values(), key=lambda own: own[0].input is not own[0].corpus)
    return [(own[0].input, needs_of(own)) for own in ordered]


@lru_cache(256)
def signed(metric: Metric, references: int) -> str:
    """Return the signature of a metric in this version, for a number of references."""
    return render_signature(metric.name, [*metric.settings(references), ("v", __version__)])


@dataclass(frozen=True, kw_only=True)
class MetricResult:
    """The scores of a metric on a data set, and the columns of each system, in the same order."""

    metric: Metric
    dataset: str
    signature: str
    lines: int
    references: int
    scores: tuple[Score, ...]
    """Where references are scored too, there is one more, without columns: the mean of theirs
    (REFERENCES_ROW)."""
    columns: tuple[HasBlocks, ...]
    reference_of_system: tuple[int | None, ...]
    """Which reference each system is. None: it is none of them."""
    categories: tuple[str, ...] = ()
    """The categories of the data set."""
    parts: tuple[HasBlocks, ...] = ()
    """The columns of each system for its categories; empty where there are none (see
    JudgesEdits)."""
    breakdown: tuple[Breakdown, ...] = ()
    """The scores by category."""
    tests: tuple[Comparison, ...] = ()
    """The paired tests of systems, where there are any yet."""
    ids: AnyText | None = None
    """The ids of the lines of the data set, where it has some. Lines that are left out have theirs
    too."""
    left_out: tuple[int, ...] = ()
    """The lines of the data set, from 0, that are left out for all systems, since some system has
    no number there."""

    @property
    def by_line(self) -> MetricResult:
        """The board for whoever shows lines or joins them with others: NaN stands for the numbers
        of lines left out.
        """
        if not self.left_out:
            return self
        columns = tuple(ByLine(own, self.left_out) for own in self.columns)
        return replace(self, columns=columns, lines=self.lines + len(self.left_out), left_out=())

    @property
    def names(self) -> list[str]:
        """The names of the systems."""
        return [score.system for score in self.scores]

    def reranked(self) -> MetricResult:
        """Return the board with new ranks among its systems."""
        order = ranks([self.metric.goodness(score.score) for score in self.scores])
        scores = (replace(score, rank=rank) for score, rank in zip(self.scores, order, strict=True))
        return replace(self, scores=tuple(scores))

    def only(self, systems: Collection[str]) -> MetricResult:
        """Return the board with some of its systems alone."""
        return picked([(self, number) for number, name in enumerate(self.names) if name in systems])


def picked(rows: Sequence[tuple[MetricResult, int]]) -> MetricResult:
    """Return one board of rows of boards, each given by its number; all are of one metric on one
    data set.
    """
    rows = sorted(
        rows, key=lambda row: row[1] >= len(row[0].columns)
    )  # the mean of references comes last
    counted = [
        (metric_result, number)
        for metric_result, number in rows
        if number < len(metric_result.columns)
    ]
    names = {metric_result.scores[number].system for metric_result, number in rows}
    metric_results = list({id(metric_result): metric_result for metric_result, _ in rows}.values())
    return replace(
        metric_results[0],
        scores=tuple(metric_result.scores[number] for metric_result, number in rows),
        columns=tuple(metric_result.columns[number] for metric_result, number in counted),
        reference_of_system=tuple(
            metric_result.reference_of_system[number] for metric_result, number in counted
        ),
        parts=tuple(b.parts[number] for b, number in counted)
        if all(metric_result.parts for metric_result in metric_results)
        else (),
        breakdown=tuple(
            part
            for metric_result in metric_results
            for part in metric_result.breakdown
            if part.system in names
        ),
        tests=tuple(
            test
            for metric_result in metric_results
            for test in metric_result.tests
            if {test.system, test.other} <= names
        ),
    )


def score(
    tasks: Iterable[Task], counts: Mapping[str, Counted], threads: int = 1
) -> list[MetricResult]:
    """Return the scores of every task. `counts` has the counts of each data set."""
    return [_scored(task, counts[task.corpus.name], threads) for task in tasks]


def _scored(task: Task, counted: Counted, threads: int) -> MetricResult:
    metric, corpus, references, printed = task.metric, task.corpus, task.references, task.signature
    lines = task.input.lines
    rows = POLICIES[metric.policy].rows(references)
    names = [
        name for name in corpus.systems if name in rows or name not in corpus.references_as_systems
    ]
    columns = [counted[name, metric.spec] for name in names]
    own = [rows.get(name) for name in names]
    every = SystemCounts(
        metric=metric,
        systems=columns,
        lines=lines,
        references=references,
        reference_of_system=own,
        threads=threads,
    )
    reduced = reduce(every)
    if rows and rows.keys() <= set(names):  # no reference is lost
        reduced.append(
            mean_of([r for r, number in zip(reduced, own, strict=True) if number is not None])
        )
    least, most = corpus.present()
    peer = peer_signature(metric, most, missing=least < most)
    order = ranks([metric.goodness(item.score) for item in reduced])
    scores = [
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
        for name, item, rank in zip([*names, REFERENCES_ROW], reduced, order, strict=False)
    ]
    apart = task.apart
    parts = [counted[name, apart] for name in names if (name, apart) in counted] if apart else []
    metric_result = MetricResult(
        metric=metric,
        dataset=corpus.name,
        signature=printed,
        lines=lines,
        references=references,
        scores=tuple(scores),
        columns=tuple(columns),
        reference_of_system=tuple(own),
        categories=task.input.categories,
        parts=tuple(parts),
        ids=corpus.ids,
        left_out=task.input.left_out,
    )
    return replace(metric_result, breakdown=breakdown_of(metric_result)) if parts else metric_result


def breakdown_of(metric_result: MetricResult) -> tuple[Breakdown, ...]:
    """Return the scores by category of the systems of a board, tier by tier, without intervals."""
    metric, terms = (
        metric_result.metric,
        CategoryTerms(metric_result.metric, metric_result.categories),
    )
    blocks = [
        terms.blocks(Beside(*columns))
        for columns in zip(metric_result.columns, metric_result.parts, strict=True)
    ]
    totals = [np.sum([block.fixed.sum(axis=0) for block in own], axis=0) for own in blocks]
    breakdown = []
    for number, tier in tiers(metric, metric_result.categories).items():
        for name, own in zip(metric_result.names, totals, strict=False):
            counts = tier.counts(terms, own)
            outputs = metric.score(counts)
            kinds = {output: int if output in metric.counts else float for output in outputs}
            categories = []
            for place in np.flatnonzero(sum(counts.values())).tolist():
                numbers = {
                    output: kinds[output](values[place]) for output, values in outputs.items()
                }
                categories.append(
                    Category(tier.names[place], float(first(outputs)[place]), numbers)
                )
            breakdown.append(
                Breakdown(
                    dataset=metric_result.dataset,
                    metric=metric_result.signature,
                    system=name,
                    tier=number,
                    categories=tuple(categories),
                )
            )
    return tuple(breakdown)


def rows_of(metric_results: Iterable[MetricResult]) -> dict[str, Any]:
    """Return what Results have of boards: their scores, tests and scores by category."""
    metric_results = list(metric_results)
    return {
        "scores": [score for metric_result in metric_results for score in metric_result.scores],
        "tests": [test for metric_result in metric_results for test in metric_result.tests],
        "breakdown": [part for metric_result in metric_results for part in metric_result.breakdown],
    }


def datasets_of(metric_results: Sequence[MetricResult]) -> dict[str, DatasetInfo]:
    """Return what is known of the data sets of boards without their texts."""
    found = {}
    for name in dict.fromkeys(metric_result.dataset for metric_result in metric_results):
        own = [metric_result for metric_result in metric_results if metric_result.dataset == name]
        views = {metric_result.metric.spec.input: metric_result.references for metric_result in own}
        references = views.pop(TEXTS, own[0].references)
        found[name] = DatasetInfo(
            lines=own[0].lines,
            references=references,
            digests={},
            views=views,
            categories=own[0].categories,
        )
    return found


def with_means(results: Results) -> Results:
    """Return the results with the mean over data sets of each system, by each metric that all data
    sets have.

    Raises InputError where there are no two data sets.
    """
    datasets = list(dict.fromkeys(score.dataset for score in results.scores))
    if len(datasets) < 2:
        raise InputError(
            f"a mean needs scores on two data sets or more; there is {' and '.join(datasets) or 'none'}"
        )
    scores: dict[str, dict[str, dict[str, float]]] = {}
    for score in results.scores:
        parts = (part for part in score.metric.split("|") if not part.startswith("nrefs:"))
        own = scores.setdefault("|".join(parts), {})
        own.setdefault(score.system, {})[score.dataset] = score.score
    return replace(results, means=[_mean(metric, own, datasets) for metric, own in scores.items()])


def _mean(metric: str, scores: Mapping[str, Mapping[str, float]], datasets: list[str]) -> Mean:
    """Return the means of a metric; `scores` has the score of each system on each data set."""
    means = {
        name: math.fsum(own.values()) / len(datasets)
        for name, own in scores.items()
        if len(own) == len(datasets)
    }
    order = ranks([goodness(metric, mean) for mean in means.values()])
    lacking = {
        name: [d for d in datasets if d not in own]
        for name, own in scores.items()
        if name not in means
    }
    ranked = sorted(zip(order, means.items(), strict=True), key=lambda item: item[0])
    return Mean(metric, datasets, dict(item for _, item in ranked), lacking)


def count_warnings(tasks: Iterable[Task], counts: Mapping[str, Counted]) -> list[str]:
    """Return the warnings of the metrics about their counts, each with the line that it is about."""
    messages: dict[str, None] = {}
    for task in tasks:
        corpus, spec = task.corpus, task.metric.spec
        counted = {name: counts[corpus.name][name, spec].blocks() for name in corpus.systems}
        for note in warner(task.metric).count_warnings(counted):
            position = (
                ""  # with names instead of paths, since results do not depend on where files are
            )
            if note.reference is not None:
                text = task.input.references[note.reference]
                position = (
                    f"reference {note.reference + 1} ({text.name}), line {text.number(note.line)} "
                )
            elif note.system is not None:
                position = (
                    f"system {note.system}, line {corpus.systems[note.system].number(note.line)} "
                )
            messages[f"{corpus.name}: {position}{note.message}"] = None
    return bounded(list(messages))


def describe(corpus: Corpus, known: Mapping[str, str] | None = None) -> DatasetInfo:
    """Return what results.json says of a data set, with digests of the kinds that `known` ones are."""
    texts: dict[str, AnyText | None] = {"ids": corpus.ids, "source": corpus.source}
    texts |= {f"reference {number}": file for number, file in enumerate(corpus.references)}
    texts |= {f"system {name}": file for name, file in corpus.systems.items()}
    for key, files in corpus.external.items():
        if not files.computed:
            texts |= {f"{key} {name}": file for name, file in files.systems.items()}
    for key, view in corpus.views.items():
        texts |= {f"{key} annotator {number}": file for number, file in enumerate(view.references)}
        texts |= {f"{key} system {name}": file for name, file in view.systems.items()}
    digests = {
        role: digest_like(text, (known or {}).get(role, KIND))
        for role, text in texts.items()
        if text
    }
    views = {key: len(view.references) for key, view in corpus.views.items()}
    return DatasetInfo(
        lines=corpus.lines,
        references=len(corpus.references),
        digests=digests,
        views=views,
        categories=next((view.categories for view in corpus.views.values()), ()),
        left_out={key: files.left_out for key, files in corpus.external.items() if files.left_out},
    )
