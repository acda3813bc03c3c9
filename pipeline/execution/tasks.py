"""Tasks: what a metric reads of a data set, and the columns to count for it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from .._version import __version__
from ..metrics.base import StatisticsSpec
from ..metrics.options import render_signature

if TYPE_CHECKING:
    from ..data import Corpus
    from ..metrics.base import Metric


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
        """Bind a metric; raises InputError if the data set does not have what it reads."""
        return cls(
            metric=metric, corpus=corpus, input=corpus.read_by(metric.spec)
        )

    @property
    def references(self) -> int:
        """How many references the metric reads."""
        return len(self.input.references)

    @property
    def signature(self) -> str:
        """The signature of the metric on this data set."""
        return signature_of(self.metric, self.references)

    @property
    def category_spec(self) -> StatisticsSpec | None:
        """The columns that count the categories of the data set; None if there are none."""
        return self.metric.category_spec(self.input.categories)

    @property
    def spec(self) -> tuple[StatisticsSpec, ...]:
        """The columns to count: those of the metric, and of the categories."""
        of_categories = self.category_spec
        if of_categories is None:
            return (self.metric.spec,)
        return self.metric.spec, of_categories

    def without(self, systems: Collection[str]) -> Task:
        """Return the task without some systems."""
        if not systems:
            return self
        return replace(self, corpus=self.corpus.without(systems))


def tasks_of(
    metrics: Sequence[Metric], corpora: Iterable[Corpus]
) -> tuple[Task, ...]:
    """Bind every metric to every data set; raises InputError if it lacks what a metric reads."""
    tasks = []
    for corpus in corpora:
        tasks += [Task.of(metric, corpus) for metric in metrics]
    return tuple(tasks)


def specs_of(tasks: Iterable[Task]) -> tuple[StatisticsSpec, ...]:
    """Return the columns to count for some tasks, each once."""
    specs: dict[StatisticsSpec, None] = {}
    for task in tasks:
        specs |= dict.fromkeys(task.spec)
    return tuple(specs)


@lru_cache(256)
def signature_of(metric: Metric, references: int) -> str:
    """Return the signature of a metric in this version, for a number of references."""
    settings = [*metric.settings(references), ("v", __version__)]
    return render_signature(metric.name, settings)
