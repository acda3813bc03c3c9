"""Three-way alignments of source, output and reference, in Python: the columns of I-measure.

A column holds a token of each sequence, or a gap in its place. Its cost is the sum over its three
pairs: 0 for equal ones (two gaps are equal), 2 for a token and a gap, 3 for different tokens. An
alignment of least cost is sought. Of several such alignments, this one is taken: go back from the
ends of all three, each time by the first move of MOVES that attains the cost. There are shortcuts,
which may change the choice. If two sequences are equal and one of them is the source, the third
is aligned with them in the same way: moves are both, the first only, the second only.

Source: Felice and Briscoe 2015 (N15-1060). The order of the moves, and the shortcuts, are those of
its program.
"""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipeline.arrays import Ints
from pipeline.kernel.common import Encoded, Texts

from ..alignments import FIELDS, THREE_WAY_COUNTS, ChangedColumns, check_three_way

Ids = tuple[int, ...]
Column = tuple[int, int, int]
"""The tokens of source, output and reference in a column; NOTHING for a gap."""
Moves = tuple[Column, ...]

GAP = 2
"""The cost of a pair of a token and a gap."""
DIFFERENT = 3
"""The cost of a pair of different tokens."""
NOTHING = -1
"""What stands in a column for a gap."""
UNREACHED = 1 << 30
"""More than any cost."""
MOVES = ((1, 1, 1), (1, 1, 0), (1, 0, 1), (0, 1, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1))
"""Which of source, output and reference give a token to the column."""
TOGETHER = ((1, 1, 1), (1, 1, 0), (0, 0, 1))
"""The same if the first two are equal."""
C_TP, TN, D_FP, D_FN, FPN = range(len(THREE_WAY_COUNTS))


@dataclass(frozen=True)
class Alignment:
    """The alignment of an output with its source and a reference."""

    reference: int
    """The number of the reference among those of all lines."""
    system: int
    columns: Iterator[Column]
    """From the last to the first."""


def three_way(
    source: Encoded,
    systems: Texts,
    references: Encoded,
    firsts: Ints,
) -> Ints:
    """Count the columns of the alignment of each output with each reference of its line.

    The references of line i are the lines firsts[i] to firsts[i + 1] - 1 of `references`; firsts is
    int64 [lines + 1]. All texts come from one call of encode. Returns int64 [systems, references of
    all lines, 5]. The five counts are THREE_WAY_COUNTS: c_tp (the output is changed as the
    reference is), tn (all equal), d_fp (the output alone is changed), d_fn (the reference alone
    is), fpn (both are, and differ). With the source as a system, the counts are those of the
    baseline: tn and d_fn. Raises as check_three_way() does. The costs of all triples of tokens are
    computed, where the compiled twin looks at few of them.
    """
    counts = np.zeros(
        (len(systems), len(references.offsets) - 1, len(THREE_WAY_COUNTS)), np.int64
    )
    for alignment in _alignments(source, systems, references, firsts):
        for column in alignment.columns:
            counts[alignment.system, alignment.reference, kind(column)] += 1
    return counts


def _alignments(
    source: Encoded,
    systems: Texts,
    references: Encoded,
    firsts: Ints,
) -> Iterator[Alignment]:
    """Yield the alignment of each output with each reference of its line, line after line."""
    check_three_way(source, systems, references, firsts)
    source_lines = source.lines()
    output_lines = [text.lines() for text in systems]
    reference_lines = references.lines()
    for line, source_ids in enumerate(source_lines):
        for reference in range(firsts[line], firsts[line + 1]):
            for system, outputs in enumerate(output_lines):
                columns = align(source_ids, outputs[line], reference_lines[reference])
                yield Alignment(reference, system, columns)


def three_way_columns(
    source: Encoded,
    systems: Texts,
    references: Encoded,
    firsts: Ints,
) -> ChangedColumns:
    """Return the columns themselves that three_way() counts, but for those of equal tokens (tn).

    The arguments are those of three_way(), and so is what is raised.
    """
    rows: list[tuple[int, ...]] = []
    offsets = [0]
    for alignment in _alignments(source, systems, references, firsts):
        positions = [0, 0, 0]  # of the next token of source, output and reference
        for column in reversed(list(alignment.columns)):
            start = positions[0]
            tokens = []
            for text, token in enumerate(column):
                tokens.append(NOTHING if token == NOTHING else positions[text])
                positions[text] += token != NOTHING
            if kind(column) != TN:
                rows.append((start, positions[0], tokens[1], tokens[2], kind(column)))
        offsets.append(len(rows))
    table = np.array(rows, np.int32).reshape(-1, len(FIELDS))
    return ChangedColumns(np.array(offsets, np.int64), table)


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
        for of_source, of_reference, of_output in trace(
            (source, reference, output), TOGETHER
        ):
            yield of_source, of_output, of_reference
    else:
        yield from trace((source, output, reference), MOVES)


def trace(texts: tuple[Ids, Ids, Ids], moves: Moves) -> Iterator[Column]:
    """Yield the columns of an alignment of texts, from the last to the first."""
    costs = costs_of(texts, moves)
    position = (len(texts[0]), len(texts[1]), len(texts[2]))
    while any(position):
        for move in moves:
            before = (
                position[0] - move[0],
                position[1] - move[1],
                position[2] - move[2],
            )
            if min(before) < 0:
                continue
            column = (
                texts[0][before[0]] if move[0] else NOTHING,
                texts[1][before[1]] if move[1] else NOTHING,
                texts[2][before[2]] if move[2] else NOTHING,
            )
            if costs[position] == costs[before] + cost(column):
                yield column
                position = before
                break


def cost(column: Column) -> int:
    """Return the cost of a column: the sum over its pairs."""
    total = 0
    for one, two in itertools.combinations(column, 2):
        if one != two:
            total += GAP if NOTHING in (one, two) else DIFFERENT
    return total


def costs_of(texts: tuple[Ids, Ids, Ids], moves: Moves) -> NDArray[np.int32]:
    """Return the costs of the best alignments of all beginnings of the three texts.

    The result is int32 [first + 1, second + 1, third + 1]. The costs of a row, from one token of
    the third text to the next, are computed at once. The minimum is over the moves into a cell;
    `gaps` is what the last of them costs, a token of the third text alone, as often as it is made.
    """
    between = []  # what the tokens of each pair of texts cost
    for one, two in itertools.combinations(texts, 2):
        between.append(
            np.pad(DIFFERENT * np.not_equal.outer(one, two), ((1, 0), (1, 0)))
        )
    gaps = 2 * GAP * np.arange(len(texts[2]) + 1, dtype=np.int32)
    costs = np.full([len(text) + 1 for text in texts], UNREACHED, np.int32)
    costs[0, 0, 0] = 0
    for i, j in np.ndindex(costs.shape[:2]):
        row = costs[i, j]
        for first, second in ((1, 1), (1, 0), (0, 1)):
            if (first, second, 0) not in moves or i < first or j < second:
                continue
            before = costs[i - first, j - second]
            has_both = first * second
            pair_cost = has_both * between[0][i, j]
            # without a token of the third text, then with one
            np.minimum(row, before + pair_cost + 2 * GAP, out=row)
            third_cost = first * between[1][i] + second * between[2][j]
            third_cost = third_cost[1:] + 2 * GAP * (1 - has_both)
            np.minimum(row[1:], before[:-1] + pair_cost + third_cost, out=row[1:])
        row[:] = np.minimum.accumulate(row - gaps) + gaps
    return costs
