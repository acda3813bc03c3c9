"""The scores of all systems by a metric on a data set, and the results of a run.

score() makes a MetricResult of each task: the scores of all systems with the columns that they are
made of. Resampling, correlations, comparisons and reports work on these. `results.py` has the rows
in which they are written down.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data import TEXTS, AnyText
from ..errors import InputError, bounded
from ..metrics import goodness
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
    Series,
    ranks,
    series_of,
)
from .sentences import reduce
from .terms import Beside, ByLine, CategoryTerms, HasBlocks, Tier, first, tiers

if TYPE_CHECKING:
    from ..arrays import Ints
    from ..data import Corpus
    from ..execution import Counted, Missing, Task
    from ..metrics.base import Metric


LOWER = "the lower the score, the better"
"""The note on scores of metrics such as TER."""


@dataclass(frozen=True, kw_only=True)
class MetricResult:
    """The scores of a metric on a data set, and the columns of each system, in the same order."""

    metric: Metric
    dataset: str
    signature: str
    lines: int
    references: int
    scores: tuple[Score, ...]
    """If references are scored too, there is one more, without columns: the mean of theirs
    (REFERENCES_ROW)."""
    columns: tuple[HasBlocks, ...]
    reference_of_system: tuple[int | None, ...]
    """Which reference each system is. None: it is none of them."""
    categories: tuple[str, ...] = ()
    """The categories of the data set."""
    parts: tuple[HasBlocks, ...] = ()
    """The columns of each system for its categories; empty if there are none (see Metric.verdicts())."""
    breakdown: tuple[Breakdown, ...] = ()
    """The scores by category."""
    tests: tuple[Comparison, ...] = ()
    """The paired tests of systems, if there are any yet."""
    ids: AnyText | None = None
    """The ids of the lines of the data set, if it has some. Lines that are left out have theirs
    too."""
    left_out: tuple[int, ...] = ()
    """The lines of the data set, from 0, that are left out for all systems, since some system has
    no number there."""

    @property
    def by_line(self) -> MetricResult:
        """The same with all lines of the data set: lines left out have NaN as numbers."""
        if not self.left_out:
            return self
        columns = tuple(
            ByLine(counts, self.left_out) for counts in self.columns
        )
        return replace(
            self,
            columns=columns,
            lines=self.lines + len(self.left_out),
            left_out=(),
        )

    @property
    def counts(self) -> SystemCounts:
        """The columns, to be scored again."""
        return SystemCounts(
            metric=self.metric,
            systems=self.columns,
            lines=self.lines,
            references=self.references,
            reference_of_system=self.reference_of_system,
        )

    @property
    def names(self) -> list[str]:
        """The names of the systems."""
        return [score.system for score in self.scores]

    def reranked(self) -> MetricResult:
        """Return the same with new ranks among its systems."""
        order = ranks(
            [self.metric.goodness(score.score) for score in self.scores]
        )
        scores = [
            replace(score, rank=rank)
            for score, rank in zip(self.scores, order, strict=True)
        ]
        return replace(self, scores=tuple(scores))

    def only(self, systems: Collection[str]) -> MetricResult:
        """Return the same with some of its systems alone."""
        rows = []
        for number, name in enumerate(self.names):
            if name in systems:
                rows.append((self, number))
        return picked(rows)


def picked(rows: Sequence[tuple[MetricResult, int]]) -> MetricResult:
    """Return one result with some rows of several, all of one metric on one data set.

    A row is a result and the number of a system in it.
    """
    # The mean of references, which has no columns, comes last.
    of_systems: list[tuple[MetricResult, int]] = []
    means: list[tuple[MetricResult, int]] = []
    for row in rows:
        source, number = row
        if number < len(source.columns):
            of_systems.append(row)
        else:
            means.append(row)

    scores = [source.scores[number] for source, number in of_systems + means]
    columns = [source.columns[number] for source, number in of_systems]
    references = [
        source.reference_of_system[number] for source, number in of_systems
    ]
    names = {score.system for score in scores}
    sources = list(
        {id(source): source for source, _ in of_systems + means}.values()
    )
    breakdown: list[Breakdown] = []
    tests: list[Comparison] = []
    for source in sources:
        breakdown += [part for part in source.breakdown if part.system in names]
        for test in source.tests:
            if test.system in names and test.other in names:
                tests.append(test)
    parts: list[HasBlocks] = []
    if all(source.parts for source in sources):
        parts = [source.parts[number] for source, number in of_systems]
    return replace(
        sources[0],
        scores=tuple(scores),
        columns=tuple(columns),
        reference_of_system=tuple(references),
        parts=tuple(parts),
        breakdown=tuple(breakdown),
        tests=tuple(tests),
    )


def score(
    tasks: Iterable[Task], counts: Mapping[str, Counted], threads: int = 1
) -> list[MetricResult]:
    """Return the scores of every task. `counts` has the counts of each data set."""
    return [
        _score_task(task, counts[task.corpus.name], threads) for task in tasks
    ]


def _score_task(task: Task, counted: Counted, threads: int) -> MetricResult:
    """Return the scores of all systems by one metric on one data set."""
    metric = task.metric
    corpus = task.corpus

    # The rows of references belong only to policies that score references too.
    rows = POLICIES[metric.policy].rows(task.references)
    names = []
    for name in corpus.systems:
        if name in rows or name not in corpus.references_as_systems:
            names.append(name)

    counts = SystemCounts(
        metric=metric,
        systems=[counted[name, metric.spec] for name in names],
        lines=task.input.lines,
        references=task.references,
        reference_of_system=[rows.get(name) for name in names],
        threads=threads,
    )
    reduced = reduce(counts)
    names_of_rows = list(names)
    if rows and rows.keys() <= set(names):  # no reference is lost
        of_references = []
        for name, item in zip(names, reduced, strict=True):
            if name in rows:
                of_references.append(item)
        reduced.append(mean_of(of_references))
        names_of_rows.append(REFERENCES_ROW)

    fewest, largest = corpus.present()
    peer = metric.peer_signature(largest, missing=fewest < largest)
    order = ranks([metric.goodness(item.score) for item in reduced])
    scores = []
    for name, item, rank in zip(names_of_rows, reduced, order, strict=True):
        notes = list(metric.notes(item.outputs))
        if metric.lower_is_better:
            notes.append(LOWER)
        score = Score(
            dataset=corpus.name,
            system=name,
            metric=task.signature,
            score=item.score,
            outputs=item.outputs,
            samples=item.samples,
            rank=rank,
            notes=tuple(notes),
            peer_signature=peer,
        )
        scores.append(score)

    category_spec = task.category_spec
    parts = []
    if category_spec:
        for name in names:
            if (name, category_spec) in counted:
                parts.append(counted[name, category_spec])
    metric_result = MetricResult(
        metric=metric,
        dataset=corpus.name,
        signature=task.signature,
        lines=task.input.lines,
        references=task.references,
        scores=tuple(scores),
        columns=tuple(counts.systems),
        reference_of_system=tuple(counts.reference_of_system),
        categories=task.input.categories,
        parts=tuple(parts),
        ids=corpus.ids,
        left_out=task.input.left_out,
    )
    if not parts:
        return metric_result
    return replace(metric_result, breakdown=breakdown_of(metric_result))


def breakdown_of(metric_result: MetricResult) -> tuple[Breakdown, ...]:
    """Return the scores by category of all systems, tier by tier, without intervals."""
    metric = metric_result.metric
    terms = CategoryTerms(metric, metric_result.categories)
    totals_of_systems = {}
    systems = map(Beside, metric_result.columns, metric_result.parts)
    for name, system in zip(metric_result.names, systems, strict=False):
        sums = [block.fixed.sum(axis=0) for block in terms.blocks(system)]
        totals_of_systems[name] = np.sum(sums, axis=0)
    breakdown = []
    for number, tier in tiers(metric, metric_result.categories).items():
        for name, totals in totals_of_systems.items():
            counts = tier.counts(terms, totals)
            part = Breakdown(
                dataset=metric_result.dataset,
                metric=metric_result.signature,
                system=name,
                tier=number,
                categories=_categories(metric, tier, counts),
            )
            breakdown.append(part)
    return tuple(breakdown)


def _categories(
    metric: Metric, tier: Tier, counts: Mapping[str, Ints]
) -> tuple[Category, ...]:
    """Return the scores of the categories of a tier that have counts."""
    outputs = metric.score(counts)
    scores = first(outputs)
    categories = []
    for index in np.flatnonzero(sum(counts.values())).tolist():
        numbers: dict[str, float] = {}
        for name, values in outputs.items():
            number = float(values[index])
            if name in metric.counts:
                number = int(number)
            numbers[name] = number
        category = Category(tier.names[index], float(scores[index]), numbers)
        categories.append(category)
    return tuple(categories)


def new_results(
    corpora: Sequence[Corpus],
    metrics: Sequence[Metric],
    metric_results: Iterable[MetricResult],
    *,
    warnings: Sequence[str],
    missing: list[Missing],
    order: str | None,
) -> Results:
    """Return the results of a run whose systems have scores.

    `missing` are the lines that could not be counted. `order` is a pattern of the number in the
    names of systems that have an order, if the config has one.
    """
    warnings = list(warnings)
    series: list[Series] = []
    if order:
        systems: list[str] = []
        for corpus in corpora:
            systems += corpus.systems
        series = series_of(systems, order)
        if not series:
            warnings.append(
                f"output.x: '{order}' finds no number in the names of two systems"
            )
    declared = {}
    for metric in metrics:
        if metric.declared:
            declared[metric.name] = metric.declared
    return Results(
        datasets={corpus.name: describe(corpus) for corpus in corpora},
        declared=declared,
        warnings=warnings,
        missing=missing,
        series=series,
        **rows_of(metric_results),
    )


def rows_of(metric_results: Iterable[MetricResult]) -> dict[str, Any]:
    """Return the sections of Results that are of metrics: scores, tests and scores by category."""
    scores: list[Score] = []
    tests: list[Comparison] = []
    breakdown: list[Breakdown] = []
    for metric_result in metric_results:
        scores += metric_result.scores
        tests += metric_result.tests
        breakdown += metric_result.breakdown
    return {"scores": scores, "tests": tests, "breakdown": breakdown}


def datasets_of(
    metric_results: Iterable[MetricResult],
) -> dict[str, DatasetInfo]:
    """Return what is known of the data sets of results without their texts."""
    datasets: dict[str, DatasetInfo] = {}
    for name, group in grouped_by_dataset(metric_results).items():
        views = {one.metric.spec.input: one.references for one in group}
        references = views.pop(TEXTS, group[0].references)
        datasets[name] = DatasetInfo(
            lines=group[0].lines,
            references=references,
            digests={},
            views=views,
            categories=group[0].categories,
        )
    return datasets


def grouped_by_dataset(
    metric_results: Iterable[MetricResult],
) -> dict[str, list[MetricResult]]:
    """Return results by the name of their data set."""
    groups: dict[str, list[MetricResult]] = {}
    for metric_result in metric_results:
        groups.setdefault(metric_result.dataset, []).append(metric_result)
    return groups


def with_means(results: Results) -> Results:
    """Return the results with the mean over data sets of each system.

    There is one by each metric that all data sets have. Raises InputError if there are fewer than
    two data sets.
    """
    datasets = list(dict.fromkeys(score.dataset for score in results.scores))
    if len(datasets) < 2:
        names = " and ".join(datasets) or "none"
        raise InputError(
            f"a mean needs scores on two data sets or more; there is {names}"
        )
    # by metric, system and data set
    scores: dict[str, dict[str, dict[str, float]]] = {}
    for score in results.scores:
        metric = re.sub(r"\|nrefs:[^|]*", "", score.metric)
        systems = scores.setdefault(metric, {})
        systems.setdefault(score.system, {})[score.dataset] = score.score
    means = [
        _mean(metric, systems, datasets) for metric, systems in scores.items()
    ]
    return replace(results, means=means)


def _mean(
    metric: str, scores: Mapping[str, Mapping[str, float]], datasets: list[str]
) -> Mean:
    """Return the means of a metric; `scores` has the score of each system on each data set."""
    means: dict[str, float] = {}
    missing: dict[str, list[str]] = {}
    for system, by_dataset in scores.items():
        if len(by_dataset) == len(datasets):
            means[system] = math.fsum(by_dataset.values()) / len(datasets)
        else:
            missing[system] = [
                name for name in datasets if name not in by_dataset
            ]

    goodness_of_means = [goodness(metric, mean) for mean in means.values()]
    order = ranks(goodness_of_means)
    rank_of_system = dict(zip(means, order, strict=True))
    ranked = {}
    for system in sorted(means, key=rank_of_system.__getitem__):
        ranked[system] = means[system]
    return Mean(metric, datasets, ranked, missing)


def count_warnings(
    tasks: Iterable[Task], counts: Mapping[str, Counted]
) -> list[str]:
    """Return the warnings of the metrics about their counts, each with the line that it is about.

    They have names instead of paths, since results do not depend on where files are.
    """
    messages: dict[str, None] = {}
    for task in tasks:
        corpus = task.corpus
        counted = counts[corpus.name]
        blocks = {
            name: counted[name, task.metric.spec].blocks()
            for name in corpus.systems
        }
        for note in task.metric.count_warnings(blocks):
            position = ""
            if note.reference is not None:
                text = task.input.references[note.reference]
                line = text.number(note.line)
                position = f"reference {note.reference + 1} ({text.name}), line {line} "
            elif note.system is not None:
                line = corpus.systems[note.system].number(note.line)
                position = f"system {note.system}, line {line} "
            messages[f"{corpus.name}: {position}{note.message}"] = None
    return bounded(list(messages))


def describe(
    corpus: Corpus, known: Mapping[str, str] | None = None
) -> DatasetInfo:
    """Return what results.json has of a data set, with digests of the same kind as `known` ones."""
    texts: dict[str, AnyText | None] = {
        "ids": corpus.ids,
        "source": corpus.source,
    }

    def add(prefix: str, named: Mapping[Any, AnyText]) -> None:
        for name, text in named.items():
            texts[f"{prefix} {name}"] = text

    add("reference", dict(enumerate(corpus.references)))
    add("system", corpus.systems)
    for key, files in corpus.external.items():
        if not files.computed:
            add(key, files.systems)
    categories: tuple[str, ...] = ()
    for index, (key, view) in enumerate(corpus.views.items()):
        if index == 0:
            categories = view.categories
        add(f"{key} annotator", dict(enumerate(view.references)))
        add(f"{key} system", view.systems)

    known = known or {}
    digests = {}
    for role, role_text in texts.items():
        if role_text:
            digests[role] = role_text.digest_like(known.get(role))
    left_out = {
        key: files.left_out
        for key, files in corpus.external.items()
        if files.left_out
    }
    return DatasetInfo(
        lines=corpus.lines,
        references=len(corpus.references),
        digests=digests,
        views={key: len(view.references) for key, view in corpus.views.items()},
        categories=categories,
        left_out=left_out,
    )
