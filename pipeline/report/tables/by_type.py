"""Scores by type of edit as tables: systems side by side, or all numbers of one system."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from ...metrics import class_of
from ...scoring import Breakdown, Category, Results
from .cells import Table, percent, shown_interval, shown_level
from .ranked import Group, groups


@dataclass(frozen=True)
class Types:
    """The scores of a metric on a data set by type."""

    group: Group
    tier: int
    names: list[str]
    """The types, sorted."""
    cells: dict[tuple[str, str], Category]
    """By system and type. Systems without counts of a type have none."""
    level: str
    """The level of intervals, such as 95%, or an empty string without any."""
    TIERS: ClassVar[dict[int, str]] = {
        1: "missing, replaced or unnecessary",
        2: "categories",
        3: "whole types",
    }
    """The types of each tier."""
    TIER: ClassVar[int] = 2
    """The tier that is displayed by default."""
    NONE: ClassVar[str] = "-"
    """The cell of a system without a score, or without counts of a type."""

    @classmethod
    def of(cls, results: Results, tier: int = TIER) -> "Iterator[Types]":
        """Yield the scores by type of each data set and metric that has them.

        Metrics whose types have no such tier are displayed by their whole types.
        """
        for group in groups(results):
            by_tier: dict[int, list[Breakdown]] = {}
            for breakdown in group.breakdown:
                by_tier.setdefault(breakdown.tier, []).append(breakdown)
            found_tier = tier if tier in by_tier else 3
            cells: dict[tuple[str, str], Category] = {}
            level = ""
            for breakdown in by_tier.get(found_tier, ()):
                for category in breakdown.categories:
                    cells[breakdown.system, category.category] = category
                    if category.intervals:
                        level = shown_level(results.level)
            if cells:
                names = sorted({name for _, name in cells}, key=_rest_last)
                yield cls(group, found_tier, names, cells, level)

    @property
    def caption(self) -> str:
        """The caption of a table of types."""
        tier = f"tier {self.tier}: {self.TIERS[self.tier]}"
        return f"{self.group.dataset}: {self.group.called} by type ({tier})"

    @property
    def systems(self) -> list[str]:
        """The systems, the best first."""
        named = {system for system, _ in self.cells}
        return [
            score.system for score in self.group.scores if score.system in named
        ]

    @property
    def fractions(self) -> list[str]:
        """The outputs that are fractions: the score comes first."""
        return [name for name in self._outputs if name not in self.counts]

    @property
    def counts(self) -> list[str]:
        """The outputs that are counts."""
        counts = class_of(self.group.metric).counts
        return [name for name in self._outputs if name in counts]

    @property
    def _outputs(self) -> Sequence[str]:
        return list(next(iter(self.cells.values())).outputs)

    def cell(
        self,
        system: str,
        name: str,
        output: str,
        digits: int,
    ) -> str:
        """Return an output of a system for a type as text."""
        category = self.cells.get((system, name))
        if category is None:
            return self.NONE
        value = category.outputs[output]
        if output in self.fractions:
            return percent(value, digits)
        return f"{value:.0f}"

    def interval(
        self,
        system: str,
        name: str,
        digits: int,
    ) -> str:
        """Return the interval of the score as text."""
        category = self.cells.get((system, name))
        if category is None:
            return self.NONE
        bounds = category.intervals.get(self.fractions[0])
        return shown_interval(bounds, digits) if bounds else self.NONE

    def side_by_side(self, digits: int, outputs: Sequence[str] = ()) -> Table:
        """Return a row for each type, with some outputs of each system, or the score alone.

        Columns of several outputs have titles such as "A P" for the precision of the system A.
        """
        outputs = outputs or self.fractions[:1]
        titles = []
        columns = []
        for system in self.systems:
            for output in outputs:
                title = system
                if len(outputs) > 1:
                    letter = output[:1].upper()
                    if output == self.fractions[0]:
                        letter = "F"
                    title += f" {letter}"
                titles.append(title)
                columns.append((system, output))
        rows = []
        for name in self.names:
            cells = [
                self.cell(system, name, output, digits)
                for system, output in columns
            ]
            rows.append([name, *cells])
        return ["type", *titles], rows

    def of_system(self, system: str, digits: int) -> Table:
        """Return a row for each type with the counts, fractions and interval of a system."""
        outputs = [*self.counts, *self.fractions[1:], *self.fractions[:1]]
        header = ["type", *outputs]
        if self.level:
            header.append(f"{self.level} interval")
        rows = []
        for name in self.names:
            if (system, name) not in self.cells:
                continue
            row = [name]
            for output in outputs:
                row.append(self.cell(system, name, output, digits))
            if self.level:
                row.append(self.interval(system, name, digits))
            rows.append(row)
        return header, rows


def _rest_last(name: str) -> tuple[bool, str]:
    return name == Category.REST, name
