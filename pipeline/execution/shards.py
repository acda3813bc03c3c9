"""Which lines go together: arithmetic only. Cuts never change a number, only memory and time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

MIN_BYTES, MAX_BYTES = 1 << 17, 1 << 23
"""Text in a shard: enough to be worth a worker's while, few enough to stay in the processor's caches."""
MIN_SHARDS = 16
MAX_SYSTEMS = 64
"""Systems that share a pass over source and references."""


class Shard(NamedTuple):
    """Lines low <= i < high of systems first <= s < last."""

    low: int
    high: int
    first: int
    last: int


def cut(lines: int, systems: int, size: int, stride: int, shard_lines: int | None = None) -> list[Shard]:
    """Cut lines and systems into shards.

    size: bytes of all files together; stride: lines in a shard are a multiple of it (unless shard_lines is
    given, the exact number of lines wanted). The number of workers is not asked for, on purpose.
    """
    if shard_lines is None:
        target = min(max(size // MIN_SHARDS, MIN_BYTES), MAX_BYTES)
        shard_lines = max(lines * target // max(size, 1) // stride, 1) * stride
    return [
        Shard(low, min(low + shard_lines, lines), first, min(first + MAX_SYSTEMS, systems))
        for low in range(0, lines, shard_lines)
        for first in range(0, systems, MAX_SYSTEMS)
    ]


@dataclass(frozen=True)
class Missing:
    """Lines of a system that could not be counted, from 1, both ends included: it has no score on this data set."""

    dataset: str
    system: str
    first: int
    last: int

    def __str__(self) -> str:
        lines = f"line {self.first:,}" if self.first == self.last else f"lines {self.first:,} to {self.last:,}"
        return f"{self.dataset}: {self.system} has no scores: {lines} could not be counted"
