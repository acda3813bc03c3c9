"""Which lines of a data set are scored: `keep` or `drop` with numbers and ranges, from 1, or a file of them."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import ConfigError, Problem

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

RANGE = re.compile(r"([0-9]{1,15})(?:\s*-\s*([0-9]{1,15}))?")
MAX_BYTES = 100_000_000
"""A longer file of numbers is none."""


@dataclass(frozen=True)
class Selection:
    """Lines to keep, or to drop: ranges (first, last, place) from 1, in order, none twice."""

    keep: bool
    ranges: tuple[tuple[int, int, str], ...]

    def numbers(self, lines: int) -> list[tuple[int, int]]:
        """Return the kept lines of a text as ranges low <= i < high from 0; raises ConfigError.

        A number beyond the last line, or nothing left, is an error.
        """
        first, last, place = self.ranges[-1]
        if last > lines:
            named = f"line {last}" if last != first or first > lines else f"line {first}"
            raise ConfigError([Problem(place, f"{named} is beyond the end: there are {lines} lines")])
        ranges = [(first - 1, last) for first, last, _ in self.ranges]
        if not self.keep:
            borders = [0, *(border for pair in ranges for border in pair), lines]
            ranges = [(low, high) for low, high in zip(borders[::2], borders[1::2], strict=True) if low < high]
        if not ranges:
            raise ConfigError([Problem(place, "every line is dropped; nothing can be scored")])
        return ranges


def select(keep: bool, items: Iterable[tuple[str, str]]) -> Selection:
    """Return the selection that (text, place) items write: "418", "1-100"; raises ConfigError with all problems."""
    problems, ranges = [], []
    for text, place in items:
        found = RANGE.fullmatch(text.strip())
        low, high = (int(found[1]), int(found[2] or found[1])) if found else (0, 0)
        if not found:
            problems.append(Problem(place, f"'{text[:50]}' is no line number or range, such as 418 or 1-100"))
        elif low < 1:
            problems.append(Problem(place, f"'{text}': lines are numbered from 1"))
        elif high < low:
            problems.append(Problem(place, f"'{text}' ends before it begins"))
        else:
            ranges.append((low, high, place))
    ranges.sort(key=lambda item: item[:2])
    for one, two in itertools.pairwise(ranges):
        if two[0] <= one[1]:
            problems.append(Problem(two[2], f"line {two[0]} is named twice (also at {one[2]})"))
    if problems:
        raise ConfigError(problems)
    return Selection(keep, tuple(ranges))


def read_numbers(path: Path) -> list[tuple[str, str]]:
    """Return the lines of a file of numbers and ranges, with their places; blank lines are passed over."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise ConfigError([Problem(str(path), f"cannot be read: {reason}")]) from None
    if len(data) > MAX_BYTES:
        raise ConfigError([Problem(str(path), "is too large for a file of line numbers")])
    lines = data.decode("utf-8-sig", "replace").split("\n")
    items = [(line.strip(), f"{path}:{number}") for number, line in enumerate(lines, 1) if line.strip()]
    if not items:
        raise ConfigError([Problem(str(path), "names no line")])
    return items
