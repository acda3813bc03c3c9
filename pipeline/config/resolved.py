"""What a run reads: data sets, systems, where their texts are, and which of their lines are scored."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ..errors import ConfigError, Problem
from ..io.remote import Remote

if TYPE_CHECKING:
    from collections.abc import Iterable

UNPACKED = 1 << 34
"""Bytes that compressed and other unpacked inputs of a run may take together, unless the config says otherwise."""
STDIN = Path("/dev/stdin")
"""What the path - stands for."""
RANGE = re.compile(r"([0-9]{1,15})(?:\s*-\s*([0-9]{1,15}))?")
MAX_BYTES = 100_000_000
"""A file of line numbers may not be longer."""


@dataclass(frozen=True, kw_only=True)
class Column:
    """Texts in the records of a file, or numbers in its columns."""

    kind: str
    """The name of the format, a key of `READERS` in `corpus/formats/`; or "numbers"."""
    path: Path | Remote
    column: str
    """The name or number of the column. Several columns of numbers are joined by +."""
    header: bool = False
    """Whether the first line holds the names of the columns. For numbers: whether the columns were named."""
    null: bool = False
    """Whether a record may have no text."""
    decimals: int | None = None
    """Decimals that numbers have at most. None allows any real numbers."""
    width: int = 0
    """How many columns each line has to have; 0: as many as the first one."""
    lenient: bool = False
    """Whether edits of an M2 file that cannot be applied are left out of its text. Otherwise they are an error."""


Input = Path | Remote | Column
"""Where texts are: a file of lines, here or at an address, or a column."""


@dataclass(frozen=True)
class Selection:
    """Lines to keep, or to drop."""

    keep: bool
    ranges: tuple[tuple[int, int, str], ...]
    """First line, last line and position of each range. Lines count from 1; the ranges are in order and disjoint."""

    def numbers(self, lines: int) -> list[tuple[int, int]]:
        """Return the kept lines of a text as ranges low <= i < high from 0.

        Raises ConfigError for a number beyond the last line, and where no line is left.
        """
        _, last, position = self.ranges[-1]
        if last > lines:
            raise ConfigError([Problem(position, f"line {last} is beyond the end: there are {lines} lines")])
        ranges = [(first - 1, last) for first, last, _ in self.ranges]
        if not self.keep:
            borders = [0, *(border for pair in ranges for border in pair), lines]
            ranges = [(low, high) for low, high in zip(borders[::2], borders[1::2], strict=True) if low < high]
        if not ranges:
            raise ConfigError([Problem(position, "every line is dropped; nothing can be scored")])
        return ranges


@dataclass(frozen=True, kw_only=True)
class Dataset:
    """A data set: a source and references in the order in which they are written, or an M2 file, which has both."""

    name: str
    source: Input | None
    references: tuple[Input, ...]
    empty_references: Literal["keep", "error", "none"] = "keep"
    m2: Path | Remote | None = None
    """The M2 file from which the references are made, and the source where none is given."""
    gold: tuple[Path | Remote, ...] = ()
    """The M2 files whose edits are what metrics of edits compare with. Each has annotators of its own."""
    missing_annotator: Literal["first", "source", "none"] = "first"
    explicit: bool = False
    """Whether the config says what `missing_annotator` is."""
    selection: Selection | None = None
    """The lines that are scored. None stands for all."""
    outputs: Literal["whole", "kept"] = "whole"
    """Whether the files of systems have all lines of the data set, or only those that are kept."""
    replace: Literal["none", "ptb_brackets"] = "none"
    """What is replaced in all texts."""

    @property
    def annotated(self) -> tuple[Path | Remote, ...]:
        """The M2 files from which the references are made."""
        if self.m2 is None:
            return ()
        return self.gold if self.m2 in self.gold else (self.m2,)


@dataclass(frozen=True)
class System:
    """A system, with its output for each data set that it has one for."""

    name: str
    paths: dict[str, Input]


@dataclass(frozen=True)
class Match:
    """The files that a glob matched, for the user to see."""

    key: str
    """The key of the config that holds the glob."""
    pattern: str
    files: tuple[Path | Remote, ...]


def fill(path: str, dataset: str, system: str) -> str:
    """Return a written path with its placeholders replaced."""
    return path.replace("{dataset}", dataset).replace("{system}", system)


def select_lines(keep: bool, items: Iterable[tuple[str, str]]) -> Selection:
    """Return the selection of written numbers and ranges such as "418" and "1-100".

    Each item is such a text with its position. Raises ConfigError with all problems of the items.
    """
    problems, ranges = [], []
    for text, position in items:
        match = RANGE.fullmatch(text.strip())
        low, high = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
        if not match:
            problems.append(Problem(position, f"'{text[:50]}' is no line number or range, such as 418 or 1-100"))
        elif low < 1:
            problems.append(Problem(position, f"'{text}': lines are numbered from 1"))
        elif high < low:
            problems.append(Problem(position, f"'{text}' ends before it begins"))
        else:
            ranges.append((low, high, position))
    ranges.sort(key=lambda item: item[:2])
    for (_, last, position), (first, _, second_position) in itertools.pairwise(ranges):
        if first <= last:
            problems.append(Problem(second_position, f"line {first} is named twice (also at {position})"))
    if problems:
        raise ConfigError(problems)
    return Selection(keep, tuple(ranges))


def read_line_numbers(path: Path) -> list[tuple[str, str]]:
    """Return the lines of a file of numbers and ranges that are not blank, each with its position."""
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
