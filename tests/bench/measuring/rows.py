"""Rows of the benchmark: what was timed beside what, and how the pairs of times are summed up."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import isnan
from statistics import median
from typing import NamedTuple

from pipeline import __version__

NOTHING = float("nan")
HEADER = ("row", "here", "peer", "ratio", "least", "most", "aim")
"""The columns of the printed table."""


@dataclass
class Row:
    """A figure: what was timed beside what, and the ratio of both, which is the median of those of
    the pairs.
    """

    name: str
    ours: str
    peer: str
    ratio: float
    aim: str
    seconds: float = field(default=NOTHING, kw_only=True)
    """The seconds of this program, by which builds are compared (`--json`)."""
    least: float = field(default=NOTHING, kw_only=True)
    """The least ratio of a pair."""
    most: float = field(default=NOTHING, kw_only=True)
    """The greatest ratio of a pair."""

    def cells(self) -> list[str]:
        """Return the row as HEADER has it."""
        ratios = [
            "-" if isnan(ratio) else f"{ratio:.2f}"
            for ratio in (self.ratio, self.least, self.most)
        ]
        return [self.name, self.ours, self.peer or "-", *ratios, self.aim]

    def published(self, group: str) -> list[str]:
        """Return the row as `gec-pipeline help speed` has it: with day, version, processors and its
        group.
        """
        ratio = ""
        if "its time" in self.aim or "the time" in self.aim:
            ratio = f"{self.ratio:.1f} times its time"
        elif not isnan(self.ratio):
            ratio = f"{self.ratio:.{0 if self.ratio >= 10 else 1}f} times {'faster' if self.ratio >= 1 else 'as fast'}"
        measured = f"{datetime.now(UTC):%Y-%m-%d}, {__version__}, {os.cpu_count()} cores"
        return [self.name, self.ours, self.peer, ratio, measured, group]


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

    def row(
        self, name: str, peer: str, aim: str, *, slower: bool = False
    ) -> Row:
        """Return the row, with medians. slower: the ratio says how many times the peer's time this
        program takes.
        """
        ratios = [
            o / p if slower else p / o
            for o, p in zip(self.ours, self.peer, strict=False)
        ] or [NOTHING]
        return Row(
            name,
            shown(median(self.ours)),
            f"{peer}: {shown(median(self.peer))}" if self.peer else "",
            median(ratios),
            aim,
            seconds=min(self.ours),
            least=min(ratios),
            most=max(ratios),
        )
