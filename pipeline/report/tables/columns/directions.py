"""Marks that say in which direction a difference is significant, instead of a star that only says that it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....metrics.build import class_of
from ..comparisons import baseline_of, settings_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ....scoring.results import Comparison, Results

BETTER, WORSE = "↑", "↓"
"""Marks of what is significantly better or worse."""
STAR = "*"


class Directions:
    """Which of two systems is better, for each comparison of a metric on a data set."""

    def __init__(self, tests: Iterable[Comparison]) -> None:
        self._ahead = {(t.system, t.other): class_of(t.metric).goodness(t.difference) > 0 for t in tests}

    def marked(self, cells: Sequence[str], system: str, other: str | None) -> list[str]:
        """Return cells with the mark of a direction in place of the star that a significant difference has."""
        ahead = self._ahead.get((system, other or ""))
        mark = STAR if ahead is None else BETTER if ahead else WORSE
        return [cell.removesuffix(STAR) + mark if cell.endswith(STAR) else cell for cell in cells]

    def pairs(self, rows: Iterable[Sequence[str]]) -> list[list[str]]:
        """Return rows that begin with the two systems of a comparison, with such marks."""
        return [self.marked(row, row[0], row[1]) for row in rows]


def marked_settings(results: Results) -> str:
    """Return in a line how intervals and tests were computed and what the marks mean; nothing where there are none."""
    if not results.statistics:
        return ""
    baseline = baseline_of(results)
    if baseline is None or results.statistics["test"] == "none":
        return settings_line(results.statistics, f"{BETTER} {WORSE}")
    line = settings_line(results.statistics, "significant")
    return f"{line}. {BETTER} {WORSE}: significantly better or worse than {baseline}"
