"""The scores of all systems by a metric on a data set, and the results of a run.

score() makes a MetricResult of each task: the scores of all systems with the columns that they are
made of. Resampling, correlations, comparisons and reports work on these. `results.py` has the rows
in which they are written down.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ..data import AnyText
from ..errors import bounded
from .aggregation import POLICIES, SystemCounts, mean_of
from .rows import Breakdown, Category, Comparison, MetricRows, Score, ranks
from .sentences import SentenceScores, reduce
from .terms import (
    Beside,
    ByLine,
    CategoryTerms,
    HasBlocks,
    MetricColumns,
    Tier,
    first,
    tiers,
)

if TYPE_CHECKING:
    from ..arrays import Floats, Ints
    from ..data import AnyText
    from ..execution import Counted, Task
    from ..metrics.base import Metric


LOWER = "the lower the score, the better"
"""The note on scores of metrics such as TER."""


@dataclass(frozen=True, kw_only=True)
class MetricResult(MetricRows):
    """The scores of a metric on a data set, and the columns of each system, in the same order.

    If references are scored too, there is one score more, without columns: the mean of theirs.
    """

    metric: Metric
    lines: int
    references: int
    columns: tuple[HasBlocks, ...]
    reference_of_system: tuple[int | None, ...]
    """Which reference each system is. None: it is none of them."""
    categories: tuple[str, ...] = ()
    """The categories of the data set."""
    parts: tuple[HasBlocks, ...] = ()
    """The columns of each system for its categories; empty if there are none (see JudgesEdits)."""
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
    def by_system(self) -> dict[str, HasBlocks]:
        """The columns of each system, by its name."""
        return dict(zip(self.names, self.columns, strict=False))

    def sentence_scores(self) -> Iterator[Floats]:
        """Yield the sentence scores of all systems in blocks: float64 [systems, lines]."""
        scores = SentenceScores(self.metric).scores
        read = MetricColumns(self.metric).compact_blocks
        for blocks in zip(*map(read, self.columns), strict=True):
            yield np.stack([scores(columns) for columns in blocks])

    def most_different(
        self, one: str, two: str, count: int
    ) -> list[tuple[int, float, float]]:
        """Return the sentences in which two systems differ most: line, score of one, score of two.

        Sentences with equal scores are left out.
        """
        by_system = self.by_line.by_system
        scores = SentenceScores(self.metric)
        first_scores = scores.of_system(by_system[one])
        second_scores = scores.of_system(by_system[two])
        distances = np.nan_to_num(np.abs(first_scores - second_scores))
        lines = np.argsort(-distances, kind="stable")[:count].tolist()
        differing = []
        for line in lines:
            if distances[line]:
                pair = (float(first_scores[line]), float(second_scores[line]))
                differing.append((line + 1, *pair))
        return differing

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
        return self.of_rows(rows)

    @staticmethod
    def of_rows(rows: Sequence[tuple[MetricResult, int]]) -> MetricResult:
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

        scores = [
            source.scores[number] for source, number in of_systems + means
        ]
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
            breakdown += [
                part for part in source.breakdown if part.system in names
            ]
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
        names_of_rows.append(Score.REFERENCES)

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
