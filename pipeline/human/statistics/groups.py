"""How scores of outputs are cut into groups: a statistic compares within a group, and is averaged over the groups."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

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


def grouped(present: NDArray[np.bool_], average: str) -> Groups:
    """Return the groups of an average that have at least two scores. `present` is bool [systems, lines]."""
    cells = AVERAGES[average](np.arange(present.size).reshape(present.shape))
    kept = present.reshape(-1)[cells]
    if len(cells) == 1:
        cells, kept = cells[:, kept[0]], np.ones((1, int(kept.sum())), np.bool_)
    enough = kept.sum(axis=1) >= 2
    return Groups(cells[enough], kept[enough])
