"""The base class of policies of references, and what they take and return.

The policies are in the other files of this folder, and the table of them is in `__init__.py`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ...metrics.base.needs import PRESENT
from ..column_blocks import Subset
from ..summands import Summand, Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from ...arrays import Floats, Ints
    from ...metrics.base.metric import Metric
    from ...metrics.base.needs import Columns
    from ..addends import Chosen, Kind
    from ..column_blocks import HasBlocks
    from ..results import Samples

SENTENCES = frozenset({"mean", "sum"})
"""The levels that are the mean or the sum of sentence scores."""
DRAWN_MEANS = "bootstrap"
"""The level that is the median of means of sentence scores in samples of the sentences."""
WORDS = ("no", "one", "two", "three")
"""Small numbers, as messages write them."""
Z95 = 1.959963984540054
"""The quantile 0.975 of the normal distribution, which the original program uses for its interval."""


@dataclass(frozen=True)
class Reduced:
    """The score of one system."""

    outputs: dict[str, float]
    """All outputs of the metric. The first is the score."""
    samples: Samples | None = None
    """The spread of the score over draws of references, if it is the mean over these."""

    @property
    def score(self) -> float:
        """The ranked score, a fraction."""
        return next(iter(self.outputs.values()))


@dataclass(frozen=True, kw_only=True)
class SystemCounts:
    """The columns of some systems of a data set, to be scored by one metric."""

    metric: Metric
    systems: Sequence[HasBlocks]
    lines: int
    references: int
    own: Sequence[int | None] = ()
    """Which reference each system is. None, or an empty sequence: it is none of them."""
    threads: int = 1

    def without(self, reference: int) -> tuple[list[int], SystemCounts]:
        """Leave out a reference; return the numbers of the systems that are scored without it, and their columns.

        Of the systems that are themselves references, only the one that is left out is scored.
        """
        fields = self.metric.needs.schema(self.references).fields
        apart = frozenset(field.name for field in fields if field.per_reference)
        kept = [number for number in range(self.references) if number != reference]
        own = self.own or [None] * len(self.systems)
        numbers = [number for number, is_reference in enumerate(own) if is_reference in (None, reference)]
        subsets = [Subset(self.systems[number], kept, apart) for number in numbers]
        return numbers, replace(self, systems=subsets, references=len(kept), own=[own[number] for number in numbers])

    def reduced(self, kind: Chosen) -> list[Reduced]:
        """Return the score of each system with the references that a kind of addends chooses."""
        return [Reduced(kind.outputs(system)) for system in self.systems]

    def summand(self, kind: Kind, share: float = 1.0) -> Summand:
        """Return a summand of all systems, with the same share for each."""
        count = len(self.systems)
        return Summand(Table(kind, self.systems, self.lines), range(count), [share] * count)


class Reducer(ABC):
    """A way from columns to scores."""

    @abstractmethod
    def scores(self, counts: SystemCounts) -> list[Reduced]:
        """Return the score of each system."""

    @abstractmethod
    def summands(self, counts: SystemCounts) -> list[Summand]:
        """Return the summands of the score, for samples of the sentences."""

    def drawn_scores(self, counts: SystemCounts) -> list[Floats] | None:
        """Return the score of each system in every draw of references: float64 [iterations]. None: nothing is drawn."""
        del counts
        return None


class Policy(Reducer):
    """Which references count, and how. As a reducer, a policy makes the score of summed terms (level corpus)."""

    minimum_references: ClassVar[int] = 0
    """How many references a data set must have at least."""

    def misfit(self, metric: Metric, references: int, *, missing: bool) -> str | None:
        """Return why this policy cannot score a data set, or None. `missing` says that some lines lack references."""
        if missing and self.needs_all(metric):
            return f"references: {metric.policy} is not defined where references are missing"
        if references < self.minimum_references:
            return f"references: {metric.policy} needs at least {WORDS[self.minimum_references]} references"
        return None

    def needs_all(self, metric: Metric) -> bool:
        """Whether each line must have each reference."""
        del metric
        return False

    def rows(self, references: int) -> Mapping[str, int]:
        """Return the references that are also scored as systems: the number of each, by the name of its row."""
        del references
        return {}

    def best(self, metric: Metric, columns: Columns) -> Ints | None:
        """Return which reference of each sentence counts: int64 [lines]. None: several references count."""
        del metric, columns
        return None

    def over_references(self, metric: Metric, scores: Floats, present: Ints | None) -> tuple[Floats, Floats]:
        """Return the mean and the population deviation of each sentence's scores with its references.

        `scores` is float64 [lines, references]. `present` says how many references each line has (None: all).
        """
        del metric
        if present is None or scores.shape[1] == 1:
            return mean_and_std(scores)
        counted = np.arange(scores.shape[1]) < present[:, None]
        return scores.mean(axis=-1, where=counted), scores.std(axis=-1, where=counted)

    def outputs_of_lines(self, metric: Metric, outputs: dict[str, Floats], columns: Columns) -> dict[str, Floats]:
        """Return the means of outputs [lines, references] over the references of each line: float64 [lines] each."""
        present = columns.get(PRESENT)
        return {name: self.of_lines(metric, values, present) for name, values in outputs.items()}

    def of_lines(self, metric: Metric, scores: Floats, present: Ints | None) -> Floats:
        """Return the mean that over_references() returns, without the deviation."""
        if present is None or scores.shape[1] == 1:
            return mean(scores)
        return self.over_references(metric, scores, present)[0]


def mean_of(reduced: Sequence[Reduced]) -> Reduced:
    """Return the mean of each output over several scores, without a spread."""
    names = reduced[0].outputs
    return Reduced({name: math.fsum(item.outputs[name] for item in reduced) / len(reduced) for name in names})


def mean_and_std(values: Floats) -> tuple[Floats, Floats]:
    """Return mean and population deviation over the last axis. For equal values these are exactly the value and 0."""
    return mean(values), np.where(_equal(values), 0.0, values.std(axis=-1))


def mean(values: Floats) -> Floats:
    """Return the mean over the last axis. For equal values it is exactly the value."""
    count = values.shape[-1]
    if count == 1:
        return values[..., 0]
    return np.where(_equal(values), values[..., 0], np.add.reduce(values, axis=-1) / count)


def _equal(values: Floats) -> NDArray[np.bool_]:
    """Return where all values of the last axis are equal."""
    equal: NDArray[np.bool_] = np.maximum.reduce(values, axis=-1) == np.minimum.reduce(values, axis=-1)
    return equal
