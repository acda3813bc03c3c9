"""The edits of TER, in Python: insertions, deletions and substitutions of words, and shifts of
blocks of words.

This is the search of tercom (Snover et al. 2006) as sacreBLEU 2 does it. It is greedy: the shift
that saves most edits is done, then the search begins anew, until no shift saves any. Which shifts
are tried, and which of two equal ones is taken, decides the number of edits, so that every limit
and the order of all keys below belong to the definition."""

import math
from collections.abc import Iterator, Sequence
from itertools import accumulate, islice
from typing import NamedTuple

import numpy as np

from ...arrays import Ints
from ..common import BEAM, FARTHEST, LONGEST_SHIFT, MOST_SHIFTS, Texts, check_edit_rate

OUTSIDE = 1 << 60
"""The cost of a cell outside of the beam."""

EQUAL, CHANGED, ADDED, LEFT_OUT = "equal", "changed", "added", "left out"
"""What an alignment does: two words are equal or not, the output has a word more, or lacks one of
the reference."""


class Shift(NamedTuple):
    """A block of words of an output that is moved."""

    start: int
    length: int
    target: int
    """Where the block goes, in positions before the move. In the block itself or behind it, it is
    by how much."""

    def of(self, words: Sequence[int]) -> list[int]:
        """Return the words after the move."""
        end = self.start + self.length
        rest = [*words[: self.start], *words[end:]]
        # inside of the block, the target counts how many of the words behind it come before
        at = self.target - (self.length if self.target > end else 0)
        return [*rest[:at], *words[self.start : end], *rest[at:]]


class Path(NamedTuple):
    """How an output becomes a reference."""

    shifts: list[Shift]
    """The shifts, in their order."""
    words: Sequence[int]
    """The output after the shifts."""
    steps: list[str]
    """The alignment of these words with the reference, from the left."""

    @property
    def edits(self) -> int:
        """How many edits there are: each shift is one."""
        return len(self.shifts) + sum(step != EQUAL for step in self.steps)


def edit_rate(references: Texts, systems: Texts) -> Ints:
    """Return how many edits make each output each reference: int64 [systems, lines, references].

    Raises as check_edit_rate() does.
    """
    check_edit_rate(references, systems)
    edits = np.zeros((len(systems), len(references[0].offsets) - 1, len(references)), np.int64)
    ones, twos = ([text.lines() for text in texts] for texts in (references, systems))
    for system, line, reference in np.ndindex(edits.shape):
        edits[system, line, reference] = path(twos[system][line], ones[reference][line]).edits
    return edits


def path(output: Sequence[int], reference: Sequence[int]) -> Path:
    """Return the shifts and the alignment that make an output a reference."""
    shifts: list[Shift] = []
    words, tried = output, 0
    if not reference:
        return Path([], words, [ADDED] * len(words))
    while True:
        rows = _rows(words, reference)
        steps = _steps(words, reference, rows)
        best, tried = _best_shift(words, reference, rows, steps, tried)
        if best is None or tried >= MOST_SHIFTS:
            return Path(shifts, words, steps)
        shifts.append(best)
        words = best.of(words)


def beam(size: int, target: int) -> list[tuple[int, int]]:
    """Return which cells of each row are computed: the first, and the one behind the last.

    They lie around the diagonal of a table with `size` + 1 rows and `target` + 1 columns. The last
    row is computed to its end."""
    slope = target / size if size else 1.0
    width = math.ceil(slope / 2 + BEAM) if slope / 2 > BEAM else BEAM
    middles = [math.floor(row * slope) for row in range(size + 1)]
    bounds = [(max(0, middle - width), min(target + 1, middle + width)) for middle in middles]
    return [(0, target + 1), *bounds[1:-1], *([(bounds[-1][0], target + 1)] if size else [])]


def _rows(
    words: Sequence[int], reference: Sequence[int], known: list[list[int]] | None = None
) -> list[list[int]]:
    """Return the costs of making each beginning of the words (a row) each beginning of the
    reference (a column).

    `known` are the first rows where they are known.
    """
    rows = known or [list(range(len(reference) + 1))]
    bounds = beam(len(words), len(reference))
    for number in range(len(rows), len(words) + 1):
        above, row = rows[-1], [OUTSIDE] * (len(reference) + 1)
        for column in range(*bounds[number]):
            cost = above[column] + 1
            if column:
                same = words[number - 1] == reference[column - 1]
                cost = min(above[column - 1] + (not same), cost, row[column - 1] + 1)
            row[column] = min(cost, OUTSIDE)
        rows.append(row)
    return rows


def _steps(words: Sequence[int], reference: Sequence[int], rows: list[list[int]]) -> list[str]:
    """Return the alignment, from the left. Of equal ones a pair of words goes first, then a word
    more in the output.
    """
    row, column = len(words), len(reference)
    steps = []
    while row or column:
        cost = rows[row][column]
        same = bool(row and column) and words[row - 1] == reference[column - 1]
        if row and column and cost == rows[row - 1][column - 1] + (not same):
            steps.append(EQUAL if same else CHANGED)
            row, column = row - 1, column - 1
        elif row and cost == rows[row - 1][column] + 1:
            steps.append(ADDED)
            row -= 1
        else:
            steps.append(LEFT_OUT)
            column -= 1
    return steps[::-1]


def _best_shift(
    words: Sequence[int],
    reference: Sequence[int],
    rows: list[list[int]],
    steps: list[str],
    tried: int,
) -> tuple[Shift | None, int]:
    """Return the shift that saves most edits, None where none saves any, and how many shifts have
    been tried so far.

    Of equal ones the longest block is taken, then the one that begins first, then the first target.
    """
    wrong = [step != EQUAL for step in steps if step != LEFT_OUT]
    missed = [step != EQUAL for step in steps if step != ADDED]
    # for each word of the reference, the word of the output that is aligned with it, or the one
    # before; or -1
    before = accumulate((step != LEFT_OUT for step in steps), initial=-1)
    places = [
        place for place, step in zip(islice(before, 1, None), steps, strict=True) if step != ADDED
    ]
    best, best_key = None, (0, 0, 0, 0)
    for start, place, length in _blocks(words, reference):
        if not any(wrong[start : start + length]) or not any(missed[place : place + length]):
            continue
        if start <= places[place] < start + length:
            continue
        # behind the words with which the reference before and in the block is aligned
        targets = [
            places[number] + 1 if number >= 0 else 0 for number in range(place - 1, place + length)
        ]
        for shift in [Shift(start, length, target) for target in dict.fromkeys(targets)]:
            moved, kept = shift.of(words), min(start, shift.target)
            saved = rows[-1][-1] - _rows(moved, reference, rows[: kept + 1])[-1][-1]
            tried += 1
            key = (saved, length, -start, -shift.target)
            if saved > 0 and (best is None or key > best_key):
                best, best_key = shift, key
        if tried >= MOST_SHIFTS:
            break
    return best, tried


def _blocks(words: Sequence[int], reference: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Yield blocks that both have: where they begin in the output and in the reference, and how
    long they are.
    """
    for start in range(len(words)):
        for place in range(max(start - FARTHEST, 0), min(start + FARTHEST + 1, len(reference))):
            most = min(LONGEST_SHIFT, len(words) - start, len(reference) - place)
            for length in range(1, most + 1):
                if words[start + length - 1] != reference[place + length - 1]:
                    break
                yield start, place, length
