"""What every statistic of agreement is made of: options, groups of scores, and a value, the mean over groups."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from ...metrics.base.options import Options, option, render_signature
from ..correlation import quotient

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ...arrays import Floats, Ints

AVERAGES: dict[str, Callable[[Ints], Ints]] = {
    "none": lambda cells: cells.reshape(1, -1),
    "item": lambda cells: cells.T,
    "system": lambda cells: cells,
}
"""For each average, which scores are in a group: from int64 [systems, lines] to int64 [groups, members]."""


class Groups(NamedTuple):
    """The groups of scores within which a statistic compares."""

    cells: Ints
    """The place of each member among all scores, system by system: int64 [groups, members]."""
    present: NDArray[np.bool_]
    """Whether the member has a score: bool [groups, members]."""

    def of(self, scores: Floats) -> Floats:
        """Return scores [..., systems, lines] as [..., groups, members], with 0 where there is no score."""
        flat = scores.reshape(*scores.shape[:-2], -1)
        grouped: Floats = np.where(self.present, flat[..., self.cells], 0.0)
        return grouped

    @property
    def sizes(self) -> Ints:
        """The number of scores in each group: int64 [groups]."""
        sizes: Ints = self.present.sum(axis=1)
        return sizes


@dataclass(frozen=True, kw_only=True)
class Value:
    """A statistic of one metric and one human score."""

    value: float
    """NaN where it is not defined; then `reason` says why."""
    scores: int
    """How many scores of outputs were compared."""
    groups: int
    """How many groups the value is the mean of."""
    undefined: int = 0
    """How many more groups have no value, because all scores of one side are equal there."""
    epsilon: float | None = None
    """The difference of scores of the metric up to which they were taken for equal, where such a one was sought."""
    reason: str = ""
    """Why there is no value."""


@dataclass(frozen=True, kw_only=True)
class Statistic:
    """A statistic of agreement. A subclass gives `name`, `summary` and `of_groups`, and may add options."""

    name: ClassVar[str]
    summary: ClassVar[str]
    options = Options()
    """The options that the class declares, in the order of its fields."""

    level: str = option(
        "sentence",
        choices=("sentence", "system"),
        implicit=True,
        help="whether scores of sentences are compared, or one score for each system",
    )
    average: str = option(
        "none",
        choices=tuple(AVERAGES),
        applies=lambda statistic: statistic.level == "sentence",
        why="systems have one score each",
        help="item: the mean over sentences, each with all its systems; system: the mean over systems, each with all "
        "its sentences; none: all scores at once",
    )

    @property
    def swaps_pairs(self) -> bool:
        """Whether the permutation test swaps results of pairs of scores between two metrics, and not scores."""
        return False

    def of_groups(self, human: Floats, metric: Floats, present: NDArray[np.bool_]) -> Floats:
        """Return the statistic of each group, NaN where it is not defined: float64 [..., groups].

        Scores of people are float64 [groups, members], scores of the metric [..., groups, members]. They are 0 where
        `present`, bool [groups, members], is false.
        """
        raise NotImplementedError

    def groups(self, present: NDArray[np.bool_]) -> Groups:
        """Return the groups that have at least two of the scores that are present: bool [systems, lines]."""
        cells = AVERAGES[self.average](np.arange(present.size).reshape(present.shape))
        kept = present.reshape(-1)[cells]
        if len(cells) == 1:
            cells, kept = cells[:, kept[0]], np.ones((1, int(kept.sum())), np.bool_)
        enough = kept.sum(axis=1) >= 2
        return Groups(cells[enough], kept[enough])

    def value(self, human: Floats, metric: Floats) -> Value:
        """Return the statistic of scores, float64 [systems, lines]. A score that is lacking is NaN on either side.

        At the level of systems, scores are [systems, 1].
        """
        present = ~(np.isnan(human) | np.isnan(metric))
        groups = self.groups(present)
        if not len(groups.cells):
            reason = "there are no two scores to compare"
            return Value(value=math.nan, scores=int(present.sum()), groups=0, reason=reason)
        return self.value_of(groups, groups.of(human), groups.of(metric))

    def value_of(self, groups: Groups, human: Floats, metric: Floats) -> Value:
        """Return the statistic of scores in groups, float64 [groups, members] each."""
        values = self.of_groups(human, metric, groups.present)
        undefined, scores = int(np.isnan(values).sum()), int(groups.sizes.sum())
        if undefined == len(values):
            reason = "in every group all scores of people or of the metric are equal"
            for own, whose in ((metric, "the metric"), (human, "people")):
                low = np.where(groups.present, own, np.inf).min(axis=1)
                high = np.where(groups.present, own, -np.inf).max(axis=1)
                if (low == high).all():
                    where = "" if len(groups.cells) == 1 else " in every group"
                    reason = f"all scores of {whose} are equal{where}"
            return Value(value=math.nan, scores=scores, groups=0, undefined=undefined, reason=reason)
        mean = float(averaged(values))
        return Value(value=mean, scores=scores, groups=len(values) - undefined, undefined=undefined)

    def __str__(self) -> str:
        """Return the signature, which can be read again. It has each option that applies and is not left implicit."""
        usual = {one.name: one.default for one in fields(self)}
        shown = []
        for item in self.options:
            value = getattr(self, item.attribute)
            if (not item.applies or item.applies(self)) and not (item.implicit and value == usual[item.attribute]):
                shown.append((item.key, value))
        return render_signature(self.name, shown)


def averaged(values: Floats) -> Floats:
    """Return the mean of values [..., groups] over the groups that have one; NaN where no group has."""
    defined = ~np.isnan(values)
    counted = defined.sum(axis=-1)
    sums = np.where(defined, values, 0.0).sum(axis=-1)
    return quotient(sums, counted)
