"""The edits of TER, in Python: insertions, deletions and substitutions of words, and shifts.

This is the search of tercom (Snover et al. 2006) as sacreBLEU 2 does it. It is greedy: the shift
that saves most edits is done, then the search begins anew, until no shift saves any. Which shifts
are tried, and which of two equal ones is taken, decides the number of edits. So every limit and the
order of all keys below belong to the definition.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...arrays import Ints
from ..common import (
    BEAM,
    FARTHEST,
    LONGEST_SHIFT,
    MOST_SHIFTS,
    Texts,
    check_edit_rate,
)

Words = Sequence[int]
OUTSIDE = 1 << 60
"""The cost of a cell outside of the beam."""

EQUAL = "equal"
CHANGED = "changed"
INSERTED = "inserted"
"""The output has a word that the reference lacks."""
DELETED = "deleted"
"""The output lacks a word of the reference."""


class Shift(NamedTuple):
    """A block of words of an output that is moved."""

    start: int
    length: int
    target: int
    """Where the block goes, as a position before the move. In the block itself or behind it, it is
    by how much the block moves."""

    def apply(self, words: Words) -> list[int]:
        """Return the words after the move."""
        end = self.start + self.length
        block = words[self.start : end]
        rest = [*words[: self.start], *words[end:]]
        position = self.target
        if self.target > end:
            position -= self.length
        return [*rest[:position], *block, *rest[position:]]


class Path(NamedTuple):
    """How an output becomes a reference."""

    shifts: list[Shift]
    """The shifts, in their order."""
    words: Words
    """The output after the shifts."""
    steps: list[str]
    """The alignment of these words with the reference, from the left."""

    @property
    def edits(self) -> int:
        """How many edits there are: each shift is one."""
        changes = sum(step != EQUAL for step in self.steps)
        return len(self.shifts) + changes


class Block(NamedTuple):
    """A block of words that output and reference have in common."""

    start: int
    """Where it begins in the output."""
    reference_start: int
    """Where it begins in the reference."""
    length: int


@dataclass
class Search:
    """The state of the search for shifts."""

    tried: int = 0
    """How many shifts have been tried so far."""


def edit_rate(references: Texts, systems: Texts) -> Ints:
    """Return how many edits turn each output into each reference.

    The result is int64 [systems, lines, references]. Raises as check_edit_rate() does.
    """
    check_edit_rate(references, systems)
    reference_lines = [text.lines() for text in references]
    output_lines = [text.lines() for text in systems]
    lines = len(reference_lines[0])
    edits = np.zeros((len(systems), lines, len(references)), np.int64)
    for system, line, reference in np.ndindex(edits.shape):
        output = output_lines[system][line]
        found = path(output, reference_lines[reference][line])
        edits[system, line, reference] = found.edits
    return edits


def path(output: Words, reference: Words) -> Path:
    """Return the shifts and the alignment that turn an output into a reference."""
    if not reference:
        return Path([], output, [INSERTED] * len(output))
    shifts: list[Shift] = []
    words = output
    search = Search()
    while True:
        rows = _costs(words, reference)
        steps = _alignment(words, reference, rows)
        best = _best_shift(words, reference, rows, steps, search)
        if best is None or search.tried >= MOST_SHIFTS:
            return Path(shifts, words, steps)
        shifts.append(best)
        words = best.apply(words)


def beam(size: int, target: int) -> list[tuple[int, int]]:
    """Return which cells of each row are computed: the first, and the one behind the last.

    They lie around the diagonal of a table with `size` + 1 rows and `target` + 1 columns. The first
    and the last row are computed to their ends.
    """
    slope = target / size if size else 1.0
    width = BEAM
    if slope / 2 > BEAM:
        width = math.ceil(slope / 2 + BEAM)
    bounds = []
    for row in range(size + 1):
        middle = math.floor(row * slope)
        first = max(0, middle - width)
        stop = min(target + 1, middle + width)
        if row == 0:
            first = 0
        if row in (0, size):
            stop = target + 1
        bounds.append((first, stop))
    return bounds


def _costs(
    words: Words,
    reference: Words,
    known: list[list[int]] | None = None,
) -> list[list[int]]:
    """Return what it costs to turn the first words (a row) into the first of the reference.

    A row has a column for each number of words of the reference. `known` has the first rows, if
    they are known.
    """
    rows = known or [list(range(len(reference) + 1))]
    bounds = beam(len(words), len(reference))
    for number in range(len(rows), len(words) + 1):
        above = rows[-1]
        row = [OUTSIDE] * (len(reference) + 1)
        for column in range(*bounds[number]):
            cost = above[column] + 1
            if column:
                differs = words[number - 1] != reference[column - 1]
                cost = min(
                    above[column - 1] + differs, cost, row[column - 1] + 1
                )
            row[column] = min(cost, OUTSIDE)
        rows.append(row)
    return rows


def _alignment(
    words: Words, reference: Words, rows: list[list[int]]
) -> list[str]:
    """Return the steps of the alignment, from the left.

    Of equal ones a pair of words goes first, then an inserted word.
    """
    row = len(words)
    column = len(reference)
    steps = []
    while row or column:
        cost = rows[row][column]
        is_equal = (
            bool(row and column) and words[row - 1] == reference[column - 1]
        )
        if (
            row
            and column
            and cost == rows[row - 1][column - 1] + (not is_equal)
        ):
            steps.append(EQUAL if is_equal else CHANGED)
            row -= 1
            column -= 1
        elif row and cost == rows[row - 1][column] + 1:
            steps.append(INSERTED)
            row -= 1
        else:
            steps.append(DELETED)
            column -= 1
    return steps[::-1]


def _aligned_positions(steps: list[str]) -> list[int]:
    """Return for each word of the reference the word of the output that it is aligned with.

    For a deleted word that is the last one before, or -1.
    """
    position = -1
    positions = []
    for step in steps:
        if step != DELETED:
            position += 1
        if step != INSERTED:
            positions.append(position)
    return positions


def _best_shift(
    words: Words,
    reference: Words,
    rows: list[list[int]],
    steps: list[str],
    search: Search,
) -> Shift | None:
    """Return the shift that saves most edits, or None if none saves any.

    Of equal ones the longest block is taken, then the one that begins first, then the first target.
    """
    output_errors = [step != EQUAL for step in steps if step != DELETED]
    reference_errors = [step != EQUAL for step in steps if step != INSERTED]
    positions = _aligned_positions(steps)
    best = None
    best_key = (0, 0, 0, 0)
    for start, reference_start, length in _common_blocks(words, reference):
        has_output_error = any(output_errors[start : start + length])
        has_reference_error = any(
            reference_errors[reference_start : reference_start + length]
        )
        if not (has_output_error and has_reference_error):
            continue
        if start <= positions[reference_start] < start + length:
            continue
        # Targets lie behind the words that the reference before and in the block is aligned with.
        targets: dict[int, None] = {}
        for number in range(reference_start - 1, reference_start + length):
            targets[positions[number] + 1 if number >= 0 else 0] = None
        for target in targets:
            shift = Shift(start, length, target)
            shifted = shift.apply(words)
            unchanged_rows = rows[: min(start, target) + 1]
            cost = _costs(shifted, reference, unchanged_rows)[-1][-1]
            saved = rows[-1][-1] - cost
            search.tried += 1
            key = (saved, length, -start, -target)
            if saved > 0 and (best is None or key > best_key):
                best = shift
                best_key = key
        if search.tried >= MOST_SHIFTS:
            break
    return best


def _common_blocks(words: Words, reference: Words) -> Iterator[Block]:
    """Yield the blocks of words that both have."""
    for start in range(len(words)):
        first = max(start - FARTHEST, 0)
        last = min(start + FARTHEST + 1, len(reference))
        for reference_start in range(first, last):
            longest = min(
                LONGEST_SHIFT,
                len(words) - start,
                len(reference) - reference_start,
            )
            for length in range(1, longest + 1):
                if (
                    words[start + length - 1]
                    != reference[reference_start + length - 1]
                ):
                    break
                yield Block(start, reference_start, length)
