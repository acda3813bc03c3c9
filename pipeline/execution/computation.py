"""Numbers of metrics that are computed before counting, for all data sets and systems together.

Each data set gets them as texts with the numbers of each line, which are then counted as others.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ..data import Corpus
from ..metrics.base import Metric
from .options import AUTO, SILENT, Listener, RunOptions


class Computation(ABC):
    """Computes the numbers of some metrics. Options and listener change no number."""

    def __init__(
        self,
        metrics: Sequence[Metric],
        options: RunOptions = AUTO,
        listener: Listener = SILENT,
    ) -> None:
        """Take the metrics whose numbers are computed, and options and listener of the run."""
        self.metrics = metrics
        self.options = options
        self.listener = listener
        self.records: dict[str, dict[str, Any]] = {}
        """What run.json has of each metric, by its name."""

    @abstractmethod
    def with_numbers(self, corpora: Sequence[Corpus]) -> list[Corpus]:
        """Return data sets with the numbers in `Corpus.external`, by the keys of specifications.

        Raises InputError for a text without numbers, and IncompleteError if a process dies.
        """

    @abstractmethod
    def planned(self, corpora: Sequence[Corpus]) -> Iterator[str]:
        """Yield for each metric how much would be computed, for `run --dry-run`."""

    @abstractmethod
    def tried(self, corpora: Sequence[Corpus]) -> Iterator[str]:
        """Yield for each metric that some numbers are the same in several calls, for `--try`.

        Raises InputError if they are not.
        """


def computations(
    metrics: Iterable[Metric],
    options: RunOptions = AUTO,
    listener: Listener = SILENT,
) -> list[Computation]:
    """Return the computations of those metrics whose numbers are computed before counting."""
    metrics_of: dict[type[Computation], list[Metric]] = {}
    for metric in metrics:
        if metric.computes_numbers:
            metrics_of.setdefault(metric.computation(), []).append(metric)
    return [
        kind(group, options, listener) for kind, group in metrics_of.items()
    ]


def with_computed(
    corpora: Sequence[Corpus],
    metrics: Iterable[Metric],
    options: RunOptions = AUTO,
    listener: Listener = SILENT,
) -> list[Corpus]:
    """Return data sets with all numbers that are computed before counting."""
    computed = list(corpora)
    for computation in computations(metrics, options, listener):
        computed = computation.with_numbers(computed)
    return computed
