"""Three-way alignments of source, output and reference, in Python: the columns that I-measure
counts, or lists.

A column holds a token of each sequence, or a gap in its place. Its cost is the sum over its three
pairs: 0 for equal ones (two gaps are equal), 2 for a token and a gap, 3 for different tokens. An
alignment of least cost is sought. Of several such alignments, this one is taken: go back from the
ends of all three, each time by the first move of MOVES that attains the cost. There are shortcuts,
which may change the choice. Where two sequences are equal and one of them is the source, the third
is aligned with them in the same way: moves are both, the first only, the second only.

Source: Felice and Briscoe 2015 (N15-1060). The order of the moves, and the shortcuts, are those of
its program."""

import itertools
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ...arrays import Ints
from ..common import FIELDS, THREE_WAY_COUNTS, ChangedColumns, Encoded, Texts, check_three_way

Ids = tuple[int, ...]
Column = tuple[int, int, int]
Moves = tuple[Column, ...]

GAP, DIFFERENT = 2, 3
NOTHING = -1
"""What stands in a column for a gap."""
FAR = 1 << 30
"""More than any cost."""
MOVES = ((1, 1, 1), (1, 1, 0), (1, 0, 1), (0, 1, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1))
"""Which of source, output and reference give a token to the column."""
TOGETHER = ((1, 1, 1), (1, 1, 0), (0, 0, 1))
"""The same where the first two are equal."""
C_TP, TN, D_FP, D_FN, FPN = range(len(THREE_WAY_COUNTS))


def three_way(source: Encoded, systems: Texts, references: Encoded, firsts: Ints) -> Ints:
    """Count the columns of the alignment of each line of each system with each reference of the
    line.

    The references of line i are the lines firsts[i] to firsts[i + 1] - 1 of `references`; firsts is
    int64 [lines + 1]. All texts come from one call of encode. Returns int64 [systems, references of
    all lines, 5]. The five counts are THREE_WAY_COUNTS: c_tp (the output is changed as the
    reference is), tn (all equal), d_fp (the output alone is changed), d_fn (the reference alone
    is), fpn (both are, and differ). With the source as a system, the counts are those of the
    baseline: tn and d_fn. Raises as check_three_way() does. The costs of all triples of tokens are
    computed, where the compiled twin looks at few of them."""
    counts = np.zeros((len(systems), len(references.offsets) - 1, len(THREE_WAY_COUNTS)), np.int64)
    for r, number, columns in _alignments(source, systems, references, firsts):
        for column in columns:
            counts[number, r, kind(column)] += 1
    return counts


def _alignments(
    source: Encoded, systems: Texts, references: Encoded, firsts: Ints
) -> Iterator[tuple[int, int, Iterator[Column]]]:
    """Yield the number of each reference and each system, with the columns of their alignment, from
    the last on.
    """
    check_three_way(source, systems, references, firsts)
    three = references.lines()
    for line, (one, *outputs) in enumerate(
        zip(*(text.lines() for text in (source, *systems)), strict=True)
    ):
        for r in range(firsts[line], firsts[line + 1]):
            for number, two in enumerate(outputs):
                yield r, number, align(one, two, three[r])


def three_way_columns(
    source: Encoded, systems: Texts, references: Encoded, firsts: Ints
) -> ChangedColumns:
    """Return the columns themselves that three_way() counts, but for those of equal tokens (tn).

    The arguments are those of three_way(), and so is what is raised.
    """
    rows: list[tuple[int, ...]] = []
    offsets = [0]
    for _, _, columns in _alignments(source, systems, references, firsts):
        at = [0, 0, 0]
        for column in reversed([*columns]):
            own = [
                place if token != NOTHING else NOTHING
                for place, token in zip(at, column, strict=True)
            ]
            start, at = (
                at[0],
                [place + (token != NOTHING) for place, token in zip(at, column, strict=True)],
            )
            if kind(column) != TN:
                rows.append((start, at[0], *own[1:], kind(column)))
        offsets.append(len(rows))
    return ChangedColumns(
        np.array(offsets, np.int64), np.array(rows, np.int32).reshape(-1, len(FIELDS))
    )


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
    if source == output:
        yield from trace((source, output, reference), TOGETHER)
    elif source == reference:
        yield from ((s, h, r) for s, r, h in trace((source, reference, output), TOGETHER))
    else:
        yield from trace((source, output, reference), MOVES)


def trace(texts: tuple[Ids, Ids, Ids], moves: Moves) -> Iterator[Column]:
    """Yield the columns of an alignment of texts, from the last to the first."""
    costs, at = costs_of(texts, moves), tuple(map(len, texts))
    while any(at):
        for move in moves:
            before = tuple(place - step for place, step in zip(at, move, strict=True))
            parts = zip(texts, before, move, strict=True)
            one, two, three = (
                text[place] if step and place >= 0 else NOTHING for text, place, step in parts
            )
            if min(before) >= 0 and costs[at] == costs[before] + cost((one, two, three)):
                yield one, two, three
                at = before
                break


def cost(column: Column) -> int:
    """Return the cost of a column: the sum over its pairs."""
    pairs = [pair for pair in itertools.combinations(column, 2) if pair[0] != pair[1]]
    return sum(GAP if NOTHING in pair else DIFFERENT for pair in pairs)


def costs_of(texts: tuple[Ids, Ids, Ids], moves: Moves) -> NDArray[np.int32]:
    """Return the costs of the best alignments of all beginnings: int32 [first + 1, second + 1,
    third + 1].

    Those of a row, from one token of the third text to the next, are computed at once. The minimum
    is over the moves into a cell; `gaps` is what the last of them costs, a token of the third text
    alone, as often as it is made."""
    pairs = itertools.combinations(texts, 2)
    between = [np.pad(DIFFERENT * np.not_equal.outer(*pair), ((1, 0), (1, 0))) for pair in pairs]
    gaps = 2 * GAP * np.arange(len(texts[2]) + 1, dtype=np.int32)
    costs = np.full([len(text) + 1 for text in texts], FAR, np.int32)
    costs[0, 0, 0] = 0
    for i, j in np.ndindex(costs.shape[:2]):
        here = costs[i, j]
        for one, two in ((1, 1), (1, 0), (0, 1)):
            if (one, two, 0) in moves and i >= one and j >= two:
                before, both = costs[i - one, j - two], one * two
                changed = (
                    both * between[0][i, j]
                )  # what the two cost, without and with a token of the third text
                np.minimum(here, before + changed + 2 * GAP, out=here)
                third = (one * between[1][i] + two * between[2][j])[1:] + 2 * GAP * (1 - both)
                np.minimum(here[1:], before[:-1] + changed + third, out=here[1:])
        here[:] = np.minimum.accumulate(here - gaps) + gaps
    return costs
