"""Scores by type of edit as tables: systems side by side, all numbers of one system, or long rows."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pipeline.metrics.names import class_of
from pipeline.report.tables import Table, percent
from pipeline.report.tables.comparisons import level_name, shown_interval
from pipeline.report.tables.ranked import Group, groups
from pipeline.scoring.results import REST, Category, Results

TIERS = {1: "missing, replaced or unnecessary", 2: "categories", 3: "whole types"}
"""What the types of each tier are."""
TIER = 2
"""The tier that is shown where none is asked for."""
NONE = "-"
"""What is shown where a system has no score, or no counts of a type."""


class Types(NamedTuple):
    """The scores of a metric on a data set by type."""

    group: Group
    tier: int
    names: list[str]
    """The types, sorted."""
    cells: dict[tuple[str, str], Category]
    """By system and type. Systems without counts of a type have none."""
    level: str
    """The level of intervals, such as 95%, or an empty string where there are none."""

    @property
    def systems(self) -> list[str]:
        """The systems, the best first."""
        named = {system for system, _ in self.cells}
        return [score.system for score in self.group.scores if score.system in named]

    @property
    def fractions(self) -> list[str]:
        """The outputs that are fractions: the score comes first."""
        return [name for name in next(iter(self.cells.values())).outputs if name not in self.counts]

    @property
    def counts(self) -> list[str]:
        """The outputs that are counts."""
        counts = class_of(self.group.metric).counts
        return [name for name in next(iter(self.cells.values())).outputs if name in counts]

    def shown(self, system: str, name: str, output: str, digits: int) -> str:
        """Return an output of a system for a type as text."""
        if (system, name) not in self.cells:
            return NONE
        value = self.cells[system, name].outputs[output]
        return percent(value, digits) if output in self.fractions else f"{value:.0f}"

    def interval(self, system: str, name: str, digits: int) -> str:
        """Return the interval of the score as text."""
        cell = self.cells.get((system, name))
        bounds = cell.intervals.get(self.fractions[0]) if cell else None
        return shown_interval(bounds, digits) if bounds else NONE


def types_of(results: Results, tier: int = TIER) -> Iterator[Types]:
    """Yield the scores by type of each data set and metric that has them.

    Metrics whose types have no such tier are shown by their whole types.
    """
    for group in groups(results):
        own = [
            part
            for part in results.breakdown
            if (part.dataset, part.metric) == (group.dataset, group.metric)
        ]
        parts = [part for part in own if part.tier == tier] or [
            part for part in own if part.tier == 3
        ]
        cells = {(part.system, item.category): item for part in parts for item in part.categories}
        if cells:
            names = sorted({name for _, name in cells}, key=lambda name: (name == REST, name))
            level = level_name(results) if any(item.intervals for item in cells.values()) else ""
            yield Types(group, parts[0].tier, names, cells, level)


def side_by_side(types: Types, digits: int, outputs: Sequence[str] = ()) -> Table:
    """Return a row for each type, with some outputs of each system, such as "A P" for precision, or
    the score alone.
    """
    outputs = outputs or types.fractions[:1]
    short = {
        output: "F" if output == types.fractions[0] else output[:1].upper() for output in outputs
    }
    columns = [(system, output) for system in types.systems for output in outputs]
    titles = [
        system if len(outputs) == 1 else f"{system} {short[output]}" for system, output in columns
    ]
    rows = [
        [name, *(types.shown(system, name, output, digits) for system, output in columns)]
        for name in types.names
    ]
    return ["type", *titles], rows


def of_system(types: Types, system: str, digits: int) -> Table:
    """Return a row for each type with all numbers of a system: counts, the score and other
    fractions, the interval.
    """
    fractions = [*types.fractions[1:], *types.fractions[:1]]
    header = [
        "type",
        *types.counts,
        *fractions,
        *([f"{types.level} interval"] if types.level else []),
    ]
    rows = []
    for name in types.names:
        if (system, name) in types.cells:
            cells = [
                types.shown(system, name, output, digits) for output in (*types.counts, *fractions)
            ]
            rows.append(
                [name, *cells, *([types.interval(system, name, digits)] if types.level else [])]
            )
    return header, rows


def caption(types: Types) -> str:
    """Return what a table of types shows."""
    return f"{types.group.dataset}: {types.group.called} by type (tier {types.tier}: {TIERS[types.tier]})"
