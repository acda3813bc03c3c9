"""Rows of the benchmark: what was timed beside what, and how the pairs of times are summed up."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isnan
from statistics import median
from typing import NamedTuple

NOTHING = float("nan")
HEADER = ("row", "here", "peer", "ratio", "least", "most", "limit", "others", "aim")
"""The columns of the printed table. `others` is the share of the machine that other processes had meanwhile."""


@dataclass
class Row:
    """A figure: what was timed beside what, and the ratio of both, which is the median of those of the pairs."""

    name: str
    ours: str
    peer: str
    ratio: float
    aim: str
    seconds: float = field(default=NOTHING, kw_only=True)
    """The seconds of this program, by which builds are compared."""
    least: float = field(default=NOTHING, kw_only=True)
    """The least ratio of a pair."""
    most: float = field(default=NOTHING, kw_only=True)
    """The greatest ratio of a pair."""
    limit: str = field(default="-", kw_only=True)
    """What the machine needs to do the least with the same texts."""

    def cells(self, others: str) -> list[str]:
        """Return the row as HEADER has it."""
        ratios = ["-" if isnan(ratio) else f"{ratio:.2f}" for ratio in (self.ratio, self.least, self.most)]
        return [self.name, self.ours, self.peer or "-", *ratios, self.limit, others, self.aim]


def shown(seconds: float) -> str:
    """Return seconds as people read them, with two or three digits."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size or unit == "µs":
            amount = seconds / size
            return f"{amount:,.{0 if amount >= 100 else 1 if amount >= 10 else 2}f} {unit}"
    raise AssertionError


class Timing(NamedTuple):
    """Seconds of this program and of a peer, measured in turn."""

    ours: list[float]
    peer: list[float]
    """Empty where there is no peer."""

    def row(self, name: str, peer: str, aim: str, limit: str = "-", *, slower: bool = False) -> Row:
        """Return the row, with medians. slower: the ratio says how many times the peer's time this program takes."""
        ratios = [o / p if slower else p / o for o, p in zip(self.ours, self.peer, strict=False)] or [NOTHING]
        return Row(
            name,
            shown(median(self.ours)),
            f"{peer}: {shown(median(self.peer))}" if self.peer else "",
            median(ratios),
            aim,
            seconds=min(self.ours),
            least=min(ratios),
            most=max(ratios),
            limit=limit,
        )
