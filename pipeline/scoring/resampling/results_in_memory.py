"""Intervals and paired tests of results that are in memory, with the counts that they are made of."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Protocol

from ...errors import InputError, did_you_mean
from ...metrics.base.views import TEXTS
from ..board import scored_columns
from ..results import REFERENCES_ROW, DatasetInfo, Results
from .significance import statistics_of, with_statistics

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from ...config.models import WrittenStatistics
    from ...metrics.base.columns import Schema
    from ...metrics.base.metric import Metric
    from ..column_blocks import HasBlocks
    from ..results import Score

    class Counts(HasBlocks, Protocol):
        """Counts of a system, and what they are."""

        @property
        def schema(self) -> Schema:
            """The columns."""

    class Counted(Protocol):
        """The score of a system with its counts, such as a Result of Python."""

        @property
        def found(self) -> Score:
            """The score."""

        @property
        def measure(self) -> Metric:
            """The metric."""

        @property
        def statistics(self) -> Counts:
            """The counts of each sentence."""


def settings_of(written: Mapping[str, Any], systems: Iterable[str], prefix: str = "") -> WrittenStatistics:
    """Return the settings of intervals and tests. Raises InputError for wrong ones, and an unknown baseline."""
    settings = statistics_of({name: str(value) for name, value in written.items() if value is not None}, prefix)
    names = list(dict.fromkeys(systems))
    if settings.baseline is not None and settings.baseline not in names:
        hint = did_you_mean(settings.baseline, names)
        raise InputError(
            f"{prefix}baseline {settings.baseline}: no system is called so{hint}; there are {', '.join(names)}"
        )
    return settings


def compared(results: Sequence[Counted], written: Mapping[str, Any]) -> Results:
    """Return scores with intervals and ranges of ranks, and paired tests. `written` are the settings.

    Systems are compared by each metric on each data set. Raises InputError as settings_of() does, where there is no
    result, and for metrics that cannot be sampled.
    """
    if not results:
        raise InputError("there is no result to compare")
    settings = settings_of(written, (result.found.system for result in results))
    datasets = {
        name: _described([result for result in results if result.found.dataset == name])
        for name in dict.fromkeys(result.found.dataset for result in results)
    }
    columns = []
    ordered = sorted(range(len(results)), key=lambda number: _key(results, number))
    for _, numbers in groupby(ordered, key=lambda number: _key(results, number)):
        own = [results[number] for number in numbers]
        first = own[0]
        counts = [None if result.found.system == REFERENCES_ROW else result.statistics for result in own]
        info = datasets[first.found.dataset]
        columns.append(scored_columns(first.measure, info, [result.found for result in own], counts))
    return with_statistics(Results(datasets=datasets, scores=[r.found for r in results]), columns, settings)


def _key(results: Sequence[Counted], number: int) -> tuple[int, ...]:
    """Return the number of the first result of the same metric and data set, which groups results in their order."""
    own = results[number].found
    return (next(n for n, r in enumerate(results) if (r.found.dataset, r.found.metric) == (own.dataset, own.metric)),)


def _described(results: Sequence[Counted]) -> DatasetInfo:
    """Return what is known of a data set from the counts of its systems."""
    with_columns = [result for result in results if result.found.system != REFERENCES_ROW]
    lines = sum(len(next(iter(block.values()))) for block in with_columns[0].statistics.blocks())
    by_view = {result.measure.needs.view: result.statistics.schema.references for result in with_columns}
    references = by_view.pop(TEXTS, 0)
    return DatasetInfo(lines, references or next(iter(by_view.values())), {}, by_view)
