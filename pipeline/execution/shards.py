"""Which lines are counted together. Shards change memory and time, but never a result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

MIN_BYTES, MAX_BYTES = 1 << 17, 6 << 20
"""Bytes of text in a shard: enough to be worth a worker's start, few enough for the processor's caches."""
MIN_SHARDS = 16
"""How many shards a data set is cut into, unless they would be too small."""
MAX_SYSTEMS = 64
"""At most so many systems are in a shard: they share a pass over source and references."""
MAX_ROWS = 1 << 18
"""At most so many pairs of a line of an output and a reference are in a shard, however short the lines are: while they
are counted, each pair takes some 300 bytes."""


class Shard(NamedTuple):
    """Lines low <= i < high of systems first <= s < last."""

    low: int
    high: int
    first: int
    last: int


def cut(
    lines: int,
    systems: int,
    size: int,
    stride: int,
    shard_lines: int | None = None,
    *,
    references: int = 1,
    least: int = MIN_SHARDS,
) -> list[Shard]:
    """Cut lines and systems into shards, whatever the number of workers is.

    `size` is the number of bytes of all files together. A shard has `shard_lines` lines; where that is None, the
    number of lines follows from the size and the number of references, and is a multiple of `stride`. `least` is how
    many shards there are, unless they would be too small or too large; fewer than MIN_SHARDS are for counts in memory,
    which nobody keeps if they are interrupted.
    """
    if shard_lines is None:
        target = min(max(size // least, MIN_BYTES), MAX_BYTES)
        most = MAX_ROWS // max(min(systems, MAX_SYSTEMS) * references, 1)
        wanted = lines * target + (max(size, 1) - 1 if stride == 1 else 0)  # rounded up, so that no rest is left
        shard_lines = max(min(wanted // max(size, 1), most) // stride, 1) * stride
    return [
        Shard(low, min(low + shard_lines, lines), first, min(first + MAX_SYSTEMS, systems))
        for low in range(0, lines, shard_lines)
        for first in range(0, systems, MAX_SYSTEMS)
    ]


@dataclass(frozen=True)
class Missing:
    """Lines first <= i <= last of a system that could not be counted: the system has no score on the data set."""

    dataset: str
    system: str
    first: int
    """The number of the line, as the user counts: from 1."""
    last: int

    def __str__(self) -> str:
        lines = f"line {self.first:,}" if self.first == self.last else f"lines {self.first:,} to {self.last:,}"
        return f"{self.dataset}: {self.system} has no scores: {lines} could not be counted"
