"""Three-way alignments of source, output and reference, in Python: the columns that I-measure counts, or lists.

A column holds a token of each sequence, or a gap in its place. Its cost is the sum over its three pairs: 0 for equal
ones (two gaps are equal), 2 for a token and a gap, 3 for different tokens. An alignment of least cost is sought. Of
several such alignments, this one is taken: go back from the ends of all three, each time by the first move of MOVES
that attains the cost. There are shortcuts, which may change the choice. Where two sequences are equal and one
of them is the source, the third is aligned with them in the same way: moves are both, the first only, the second only.

Source: Felice and Briscoe 2015 (N15-1060). The order of the moves, and the shortcuts, are those of its program.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from ..common import FIELDS, THREE_WAY_COUNTS, ChangedColumns, check_three_way

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from ..common import Encoded

    Ids = NDArray[np.int32]
    Column = tuple[int, int, int]

GAP, DIFFERENT = 2, 3
NOTHING = -1
"""What stands in a column for a gap."""
FAR = 1 << 30
"""More than any cost."""
MOVES = ((1, 1, 1), (1, 1, 0), (1, 0, 1), (0, 1, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1))
"""Which of source, output and reference give a token to the column."""
PAIR_MOVES = ((1, 1), (1, 0), (0, 1))
"""The same with two sequences."""
C_TP, TN, D_FP, D_FN, FPN = range(len(THREE_WAY_COUNTS))


def three_way(
    source: Encoded, systems: Sequence[Encoded], references: Encoded, firsts: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Count the columns of the alignment of each line of each system with each reference of the line.

    The references of line i are the lines firsts[i] to firsts[i + 1] - 1 of `references`; firsts is int64 [lines + 1].
    All texts come from one call of encode. Returns int64 [systems, references of all lines, 5]. The five counts are
    THREE_WAY_COUNTS: c_tp (the output is changed as the reference is), tn (all equal), d_fp (the output alone is
    changed), d_fn (the reference alone is), fpn (both are, and differ). With the source as a system, the counts are
    those of the baseline: tn and d_fn. Raises as check_three_way() does. The costs of all triples of tokens are
    computed, where the compiled twin looks at few of them.
    """
    check_three_way(source, systems, references, firsts)
    counts = np.zeros((len(systems), len(references.offsets) - 1, len(THREE_WAY_COUNTS)), np.int64)
    for r, number, texts in _triples(source, systems, references, firsts):
        for column in align(*texts):
            counts[number, r, kind(column)] += 1
    return counts


def _triples(
    source: Encoded, systems: Sequence[Encoded], references: Encoded, firsts: NDArray[np.int64]
) -> Iterator[tuple[int, int, tuple[Ids, Ids, Ids]]]:
    """Yield the number of each reference and each system, with the lines of source, output and reference."""
    one, three = source.lines(), references.lines()
    for line, lines in enumerate(zip(*(system.lines() for system in systems), strict=True)):
        for r in range(firsts[line], firsts[line + 1]):
            for number, two in enumerate(lines):
                yield r, number, (_ids(one[line]), _ids(two), _ids(three[r]))


def three_way_columns(
    source: Encoded, systems: Sequence[Encoded], references: Encoded, firsts: NDArray[np.int64]
) -> ChangedColumns:
    """Return the columns themselves that three_way() counts, but for those of equal tokens (tn).

    The arguments are those of three_way(), and so is what is raised.
    """
    check_three_way(source, systems, references, firsts)
    rows: list[tuple[int, ...]] = []
    offsets = [0]
    for _, _, texts in _triples(source, systems, references, firsts):
        rows += changed_columns(*texts)
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
        yield from ((s, s, r) for s, r in trace((output, reference), pair_costs(output, reference), PAIR_MOVES))
    elif np.array_equal(source, reference):
        yield from ((s, h, s) for s, h in trace((reference, output), pair_costs(reference, output), PAIR_MOVES))
    else:
        texts = (source, output, reference)
        yield from trace(texts, triple_costs(*texts), MOVES)


def trace(texts: tuple[Ids, ...], costs: NDArray[np.int32], moves: Iterable[tuple[int, ...]]) -> Iterator[Any]:
    """Yield the columns of an alignment of texts, from the last to the first, by the costs of all beginnings."""
    at = tuple(map(len, texts))
    while any(at):
        ways = [tuple(place - step for place, step in zip(at, move, strict=True)) for move in moves]
        columns = ((before, _column(texts, before, at)) for before in ways if min(before) >= 0)
        before, column = next(way for way in columns if costs[at] == costs[way[0]] + cost(way[1]))
        yield column
        at = before


def _column(texts: tuple[Ids, ...], before: tuple[int, ...], at: tuple[int, ...]) -> tuple[int, ...]:
    """Return what each text has from one place to the next: a token, or a gap."""
    return tuple(int(text[low]) if low < high else NOTHING for text, low, high in zip(texts, before, at, strict=True))


def cost(column: Sequence[int]) -> int:
    """Return the cost of a column: the sum over its pairs."""
    pairs = [pair for pair in itertools.combinations(column, 2) if pair[0] != pair[1]]
    return sum(GAP if NOTHING in pair else DIFFERENT for pair in pairs)


def pair_costs(one: Ids, two: Ids) -> NDArray[np.int32]:
    """Return the costs of the best two-way alignments of all beginnings: int32 [one + 1, two + 1]."""
    gaps = GAP * np.arange(len(two) + 1, dtype=np.int32)
    costs = np.full((len(one) + 1, len(two) + 1), gaps)
    for i, token in enumerate(one):
        here = costs[i] + GAP
        here[1:] = np.minimum(here[1:], costs[i, :-1] + DIFFERENT * (two != token))
        costs[i + 1] = np.minimum.accumulate(here - gaps) + gaps
    return costs


def triple_costs(source: Ids, output: Ids, reference: Ids) -> NDArray[np.int32]:
    """Return the costs of the best alignments of all beginnings: int32 [source + 1, output + 1, reference + 1].

    Those of a row, from one token of the reference to the next, are computed at once. The minimum is over the moves
    into a cell; `gaps` is what the last of them costs, a token of the reference alone, as often as it is made.
    """
    texts = (source, output, reference)
    s_h, s_r, h_r = (DIFFERENT * np.not_equal.outer(*pair) for pair in itertools.combinations(texts, 2))
    gaps = 2 * GAP * np.arange(len(reference) + 1, dtype=np.int32)
    costs = np.full([len(text) + 1 for text in texts], FAR, np.int32)
    costs[0, 0, 0] = 0
    for i, j in np.ndindex(len(source) + 1, len(output) + 1):
        here = costs[i, j]
        ways = []  # from where, at what cost without the reference's token, and at what cost with it
        if i and j:
            changed = s_h[i - 1, j - 1]
            ways.append((costs[i - 1, j - 1], changed + 2 * GAP, changed + s_r[i - 1] + h_r[j - 1]))
        if i:
            ways.append((costs[i - 1, j], 2 * GAP, 2 * GAP + s_r[i - 1]))
        if j:
            ways.append((costs[i, j - 1], 2 * GAP, 2 * GAP + h_r[j - 1]))
        for before, without, beside in ways:
            np.minimum(here, before + without, out=here)
            np.minimum(here[1:], before[:-1] + beside, out=here[1:])
        here[:] = np.minimum.accumulate(here - gaps) + gaps
    return costs


def _ids(line: tuple[int, ...]) -> Ids:
    return np.array(line, np.int32)
