"""The edits of TER, in Python: insertions, deletions and substitutions of words, and shifts.

This is the search of tercom (Snover et al. 2006) as sacreBLEU 2 does it. It is greedy: the shift
that saves most edits is done, then the search begins anew, until no shift saves any. Which shifts
are tried, and which of two equal ones is taken, decides the number of edits. So every limit and the
order of all keys below belong to the definition.
"""

import math
from collections.abc import Iterator, Sequence
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
        others = [*words[: self.start], *words[end:]]
        # The target as a position among the other words. One inside of the block stays as it is:
        # tercom moves the block by as many words to the right.
        position = self.target
        if self.target > end:
            position -= self.length
        return [*others[:position], *block, *others[position:]]


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


def edit_rate(references: Texts, systems: Texts) -> Ints:
    """Return how many edits turn each output into each reference.

    The result is int64 [systems, lines, references]. Raises as check_edit_rate() does.
    """
    check_edit_rate(references, systems)
    reference_lines = [text.lines() for text in references]
    output_lines = [text.lines() for text in systems]
    lines = len(reference_lines[0])
    shape = (len(systems), lines, len(references))
    edits = np.zeros(shape, np.int64)
    for system, line, reference in np.ndindex(shape):
        output = output_lines[system][line]
        found = path(output, reference_lines[reference][line])
        edits[system, line, reference] = found.edits
    return edits


def path(output: Words, reference: Words) -> Path:
    """Return the shifts and the alignment that turn an output into a reference.

    Both are ids of words. The search for shifts is greedy (see above). With an empty reference, all
    words of the output are insertions.
    """
    if not reference:
        return Path([], output, [INSERTED] * len(output))
    shifts: list[Shift] = []
    words = output
    tried = 0
    while True:
        rows = _costs(words, reference)
        steps = _alignment(words, reference, rows)
        best, tried = _best_shift(words, reference, rows, steps, tried)
        if best is None or tried >= MOST_SHIFTS:
            return Path(shifts, words, steps)
        shifts.append(best)
        words = best.apply(words)


def beam(size: int, target: int) -> list[tuple[int, int]]:
    """Return which columns of each row are computed: the first, and the one behind the last.

    The table of costs has `size` + 1 rows, for an output of `size` words, and `target` + 1 columns,
    for a reference of `target` words. The columns lie around its diagonal. The first and the last
    row are computed to their ends.
    """
    slope = target / size if size else 1.0
    width = BEAM
    if slope / 2 > BEAM:
        # or the beams of two neighbouring rows would not meet
        width = math.ceil(slope / 2 + BEAM)
    bounds = []
    for row in range(size + 1):
        diagonal = math.floor(row * slope)
        first = max(0, diagonal - width)
        stop = min(target + 1, diagonal + width)
        if row in (0, size):
            stop = target + 1
        bounds.append((first, stop))
    return bounds


def _costs(
    words: Words,
    reference: Words,
    known: list[list[int]] | None = None,
) -> list[list[int]]:
    """Return the table of edit distances (Levenshtein) between beginnings of output and reference.

    Row i, column j is how many insertions, deletions and substitutions turn the first i words into
    the first j of the reference; it is OUTSIDE for cells outside of the beam. `known` is the first
    rows, if they have been computed.
    """
    rows = known or [list(range(len(reference) + 1))]
    bounds = beam(len(words), len(reference))
    for row_index in range(len(rows), len(words) + 1):
        above = rows[-1]
        row = [OUTSIDE] * (len(reference) + 1)
        for column in range(*bounds[row_index]):
            cost = above[column] + 1
            if column:
                differs = words[row_index - 1] != reference[column - 1]
                cost = min(
                    above[column - 1] + differs, cost, row[column - 1] + 1
                )
            row[column] = min(cost, OUTSIDE)
        rows.append(row)
    return rows


def _alignment(
    words: Words, reference: Words, rows: list[list[int]]
) -> list[str]:
    """Return the steps of the cheapest alignment, from the left, by the table of costs `rows`.

    The way back goes from the last cell to the first. Of equally cheap steps, one over two words
    (equal or changed) is taken first, then an inserted word, then a deleted one.
    """
    row = len(words)
    column = len(reference)
    steps = []
    while row or column:
        cost = rows[row][column]
        if row and column:
            is_equal = words[row - 1] == reference[column - 1]
            if cost == rows[row - 1][column - 1] + (not is_equal):
                steps.append(EQUAL if is_equal else CHANGED)
                row -= 1
                column -= 1
                continue
        if row and cost == rows[row - 1][column] + 1:
            steps.append(INSERTED)
            row -= 1
        else:
            steps.append(DELETED)
            column -= 1
    return steps[::-1]


def _aligned_positions(steps: list[str]) -> list[int]:
    """Return for each word of the reference the index of the output's word that it is aligned with.

    A deleted word gets the index of the last word before it, or -1 if there is none.
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
    tried: int,
) -> tuple[Shift | None, int]:
    """Return the shift that saves most edits (None if none saves any), and how many were tried.

    Of equally good ones, the longest block is taken, then the one that begins first, then the first
    target. `rows` is the table of costs, and `steps` the alignment, of the words before the shift.
    `tried` is how many shifts were tried before; the search stops after MOST_SHIFTS.
    """
    output_errors = [step != EQUAL for step in steps if step != DELETED]
    reference_errors = [step != EQUAL for step in steps if step != INSERTED]
    positions = _aligned_positions(steps)
    best = None
    best_key = (0, 0, 0, 0)
    for start, reference_start, length in _common_blocks(words, reference):
        end = start + length
        reference_end = reference_start + length

        # only blocks with an error on both sides, and not those that are aligned with themselves
        has_output_error = any(output_errors[start:end])
        has_reference_error = any(
            reference_errors[reference_start:reference_end]
        )
        if not (has_output_error and has_reference_error):
            continue
        if start <= positions[reference_start] < end:
            continue

        # Targets lie behind the words of the output that are aligned with the block's words in the
        # reference, and with the word before these (each target once, in order).
        targets: dict[int, None] = {}
        if reference_start == 0:
            targets[0] = None
        for index in range(max(reference_start - 1, 0), reference_end):
            targets[positions[index] + 1] = None
        for target in targets:
            shift = Shift(start, length, target)
            shifted = shift.apply(words)
            unchanged_rows = rows[: min(start, target) + 1]
            cost = _costs(shifted, reference, unchanged_rows)[-1][-1]
            saved = rows[-1][-1] - cost
            tried += 1
            key = (saved, length, -start, -target)
            if saved > 0 and (best is None or key > best_key):
                best = shift
                best_key = key
        if tried >= MOST_SHIFTS:
            break
    return best, tried


def _common_blocks(words: Words, reference: Words) -> Iterator[Block]:
    """Yield the blocks of at most LONGEST_SHIFT words that output and reference have in common.

    Their positions differ by at most FARTHEST. With a block, all shorter ones from the same
    positions are yielded before it.
    """
    for start in range(len(words)):
        longest_block = words[start : start + LONGEST_SHIFT]
        first = max(start - FARTHEST, 0)
        last = min(start + FARTHEST + 1, len(reference))
        for reference_start in range(first, last):
            reference_end = reference_start + LONGEST_SHIFT
            reference_words = reference[reference_start:reference_end]
            pairs = zip(longest_block, reference_words, strict=False)
            for length, (word, reference_word) in enumerate(pairs, 1):
                if word != reference_word:
                    break
                yield Block(start, reference_start, length)
