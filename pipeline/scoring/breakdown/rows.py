"""The scores of a system by category, as they stand in results.json."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

TIERS = (3, 2, 1)
"""How finely categories are told apart: 3 is as the data set has them, 1 is coarsest."""
REST = "(other types)"
"""The category of what is of none of the categories that are counted apart."""


@dataclass(frozen=True)
class Category:
    """The score of a system in a category."""

    category: str
    score: float
    outputs: dict[str, float]
    """All outputs of the metric for the category. The first is the score. Counts are whole numbers."""
    intervals: dict[str, tuple[float, float]] = field(default_factory=dict)
    """The bootstrap intervals of those outputs that are fractions; empty where no statistics were asked for."""


@dataclass(frozen=True, kw_only=True)
class Breakdown:
    """The scores of a system on a data set by category. Sums of its counts are the counts of the score."""

    dataset: str
    metric: str
    """The signature of the metric."""
    system: str
    tier: int
    """One of TIERS."""
    categories: tuple[Category, ...]
    """Those that have counts, sorted by name."""

    def rows(self) -> list[dict[str, Any]]:
        """Return a mapping for each category: its type and score, `low` and `high` of the interval, and its outputs."""
        return [
            {
                "type": item.category,
                "score": item.score,
                **dict(zip(("low", "high"), next(iter(item.intervals.values()), ()), strict=False)),
                **item.outputs,
            }
            for item in self.categories
        ]


def read(item: dict[str, Any]) -> Breakdown:
    """Return what results.json says of a system; raises ValueError, KeyError or TypeError where it is damaged."""
    categories = tuple(
        Category(
            category=str(row["category"]),
            score=float(row["score"]),
            outputs={str(name): _number(value) for name, value in row["outputs"].items()},
            intervals={str(name): (float(low), float(high)) for name, (low, high) in row["intervals"].items()},
        )
        for row in item["categories"]
    )
    return Breakdown(**{**item, "categories": categories})


def _number(value: object) -> float:
    """Return a number as it is: counts are whole."""
    if isinstance(value, int | float):
        return value
    raise TypeError(f"expected a number, found {value!r}")
