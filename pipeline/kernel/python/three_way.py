"""Three-way alignments of source, output and reference, in Python: the columns that I-measure counts, or lists.

A column holds a token of each sequence, or a gap in its place. Its cost is the sum over its three pairs: 0 for equal
ones (two gaps are equal), 2 for a token and a gap, 3 for different tokens. An alignment of least cost is sought. Of
several such alignments, this one is taken: go back from the ends of all three, each time by the first move of MOVES
that attains the cost. There are shortcuts, which may change the choice. Where two sequences are equal and one
of them is the source, the third is aligned with them in the same way: moves are both, the first only, the second only.

Source: Felice and Briscoe 2015 (N15-1060). The order of the moves, and the shortcuts, are those of its program.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..common import FIELDS, THREE_WAY_COUNTS, ChangedColumns, check_three_way

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from ..common import Encoded

    Ids = NDArray[np.int32]
    Column = tuple[int, int, int]

GAP, DIFFERENT = 2, 3
NOTHING = -1
"""What stands in a column for a gap."""
FAR = 1 << 40
"""More than eight times any cost."""
MOVES = ((1, 1, 1), (1, 1, 0), (1, 0, 1), (0, 1, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1))
"""Which of source, output and reference give a token to the column."""
C_TP, TN, D_FP, D_FN, FPN = range(len(THREE_WAY_COUNTS))


def three_way(
    source: Encoded, systems: Sequence[Encoded], references: Encoded, firsts: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Count the columns of the alignment of each line of each system with each reference of the line.

    The references of line i are the lines firsts[i] to firsts[i + 1] - 1 of `references`; firsts is int64 [lines + 1].
    All texts come from one call of encode. Returns int64 [systems, references of all lines, 5]. The five counts are
    THREE_WAY_COUNTS: c_tp (the output is changed as the reference is), tn (all equal), d_fp (the output alone is
    changed), d_fn (the reference alone is), fpn (both are, and differ). With the source as a system, the counts are
    those of the baseline: tn and d_fn. Raises as check_three_way() does. A table of a byte for each three tokens is
    made, where the compiled twin looks at few of them.
    """
    check_three_way(source, systems, references, firsts)
    counts = np.zeros((len(systems), len(references.offsets) - 1, len(THREE_WAY_COUNTS)), np.int64)
    for line in range(len(firsts) - 1):
        for number, system in enumerate(systems):
            for r in range(firsts[line], firsts[line + 1]):
                for column in align(_line(source, line), _line(system, line), _line(references, r)):
                    counts[number, r, kind(column)] += 1
    return counts


def three_way_columns(
    source: Encoded, systems: Sequence[Encoded], references: Encoded, firsts: NDArray[np.int64]
) -> ChangedColumns:
    """Return the columns themselves that three_way() counts, but for those of equal tokens (tn).

    The arguments are those of three_way(), and so is what is raised.
    """
    check_three_way(source, systems, references, firsts)
    rows: list[tuple[int, ...]] = []
    offsets = [0]
    for line in range(len(firsts) - 1):
        for r in range(firsts[line], firsts[line + 1]):
            for system in systems:
                rows += changed_columns(_line(source, line), _line(system, line), _line(references, r))
                offsets.append(len(rows))
    return ChangedColumns(np.array(offsets, np.int64), np.array(rows, np.int32).reshape(-1, len(FIELDS)))


def changed_columns(source: Ids, output: Ids, reference: Ids) -> Iterator[tuple[int, ...]]:
    """Yield the columns whose tokens are not all equal, from the first to the last, in the fields FIELDS."""
    at = [0, 0, 0]
    for column in reversed([*align(source, output, reference)]):
        own = [place if token != NOTHING else NOTHING for place, token in zip(at, column, strict=True)]
        start = at[0]
        at = [place + (token != NOTHING) for place, token in zip(at, column, strict=True)]
        if kind(column) != TN:
            yield start, at[0], own[1], own[2], kind(column)


def kind(column: Column) -> int:
    """Return which of THREE_WAY_COUNTS a column of source, output and reference belongs to."""
    source, output, reference = column
    if source == output:
        return TN if output == reference else D_FN
    if source == reference:
        return D_FP
    return C_TP if output == reference else FPN


def align(source: Ids, output: Ids, reference: Ids) -> Iterator[Column]:
    """Yield the columns of the alignment, from the last to the first."""
    if np.array_equal(source, output):
        yield from ((s, s, r) for s, r in align_two(output, reference))
    elif np.array_equal(source, reference):
        yield from ((s, h, s) for s, h in align_two(reference, output))
    else:
        yield from align_three(source, output, reference)


def align_two(one: Ids, two: Ids) -> Iterator[tuple[int, int]]:
    """Yield the columns of a two-way alignment, from the last to the first."""
    costs = pair_costs(one, two)
    i, j = len(one), len(two)
    while i or j:
        if i and j and costs[i, j] == costs[i - 1, j - 1] + (DIFFERENT if one[i - 1] != two[j - 1] else 0):
            i, j = i - 1, j - 1
            yield int(one[i]), int(two[j])
        elif i and costs[i, j] == costs[i - 1, j] + GAP:
            i -= 1
            yield int(one[i]), NOTHING
        else:
            j -= 1
            yield NOTHING, int(two[j])


def pair_costs(one: Ids, two: Ids) -> NDArray[np.int64]:
    """Return the costs of the best two-way alignments of all beginnings: int64 [one + 1, two + 1]."""
    costs = np.zeros((len(one) + 1, len(two) + 1), np.int64)
    gaps = GAP * np.arange(len(two) + 1)
    costs[0] = gaps
    for i, token in enumerate(one):
        row = costs[i] + GAP
        row[1:] = np.minimum(row[1:], costs[i, :-1] + DIFFERENT * (two != token))
        costs[i + 1] = np.minimum.accumulate(row - gaps) + gaps
    return costs


def align_three(source: Ids, output: Ids, reference: Ids) -> Iterator[Column]:
    """Yield the columns of a three-way alignment, from the last to the first."""
    moves = best_moves(source, output, reference)
    at = (len(source), len(output), len(reference))
    while any(at):
        move = MOVES[moves[at]]
        at = (at[0] - move[0], at[1] - move[1], at[2] - move[2])
        yield (
            int(source[at[0]]) if move[0] else NOTHING,
            int(output[at[1]]) if move[1] else NOTHING,
            int(reference[at[2]]) if move[2] else NOTHING,
        )


def best_moves(source: Ids, output: Ids, reference: Ids) -> NDArray[np.uint8]:
    """Return the number of the move into each cell: uint8 [source + 1, output + 1, reference + 1].

    A cell is eight times its cost. With the number of the move added, the least is the first of the cheapest moves.
    """
    s_h, s_r, h_r = _changes(source, output), _changes(source, reference), _changes(output, reference)
    moves = np.zeros((*s_h.shape, len(reference) + 1), np.uint8)
    gaps = 16 * GAP * np.arange(len(reference) + 1)
    before = np.full((len(output) + 2, len(reference) + 2), FAR)  # cells have a row and a column before them
    for i in range(len(source) + 1):
        here = np.full_like(before, FAR)
        for j in range(len(output) + 1):
            neither, no_source, no_output = before[j], before[j + 1], here[j]
            ways = [
                neither[:-1] + s_h[i, j] + s_r[i] + h_r[j],
                neither[1:] + s_h[i, j] + 16 * GAP + 1,
                no_source[:-1] + s_r[i] + 16 * GAP + 2,
                no_output[:-1] + h_r[j] + 16 * GAP + 3,
                no_source[1:] + 16 * GAP + 4,
                no_output[1:] + 16 * GAP + 5,
            ]
            best = np.minimum.reduce(ways)
            if i == j == 0:
                best[0] = 0
            costs = best & ~7
            here[j + 1, 1:] = np.minimum.accumulate(costs - gaps) + gaps  # the seventh move comes from the left
            moves[i, j] = np.where(here[j + 1, 1:] < costs, 6, best & 7)
        before = here
    return moves


def _changes(one: Ids, two: Ids) -> NDArray[np.int64]:
    """Return eight times the cost of tokens i - 1 and j - 1 in a column; row 0 and column 0 are not used."""
    changes = np.zeros((len(one) + 1, len(two) + 1), np.int64)
    changes[1:, 1:] = 8 * DIFFERENT * np.not_equal.outer(one, two)
    return changes


def _line(text: Encoded, line: int) -> Ids:
    return text.ids[text.offsets[line] : text.offsets[line + 1]]
