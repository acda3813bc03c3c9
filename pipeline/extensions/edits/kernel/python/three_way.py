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

from ..alignments import (
    FIELDS,
    THREE_WAY_COUNTS,
    ChangedColumns,
    check_three_way,
)

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
MOVES = (
    (1, 1, 1),
    (1, 1, 0),
    (1, 0, 1),
    (0, 1, 1),
    (1, 0, 0),
    (0, 1, 0),
    (0, 0, 1),
)
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
    rows = len(references.offsets) - 1
    counts = np.zeros((len(systems), rows, len(THREE_WAY_COUNTS)), np.int64)
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
            reference_ids = reference_lines[reference]
            for system, outputs in enumerate(output_lines):
                columns = align(source_ids, outputs[line], reference_ids)
                yield Alignment(reference, system, columns)


def three_way_columns(
    source: Encoded,
    systems: Texts,
    references: Encoded,
    firsts: Ints,
) -> ChangedColumns:
    """Return the columns themselves that three_way() counts, but for those of equal tokens (tn).

    Arguments and errors are those of three_way().
    """
    rows: list[tuple[int, ...]] = []  # FIELDS
    offsets = [0]
    for alignment in _alignments(source, systems, references, firsts):
        # how many tokens of source, output and reference have been passed
        positions = [0, 0, 0]
        for column in reversed(list(alignment.columns)):
            before = positions.copy()
            tokens = []  # the position of each text's token, or NOTHING
            for text, token in enumerate(column):
                if token == NOTHING:
                    tokens.append(NOTHING)
                else:
                    tokens.append(before[text])
                    positions[text] += 1
            column_kind = kind(column)
            if column_kind != TN:
                _, output, reference = tokens
                span = (before[0], positions[0])
                rows.append((*span, output, reference, column_kind))
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
    """Yield the columns of the alignment, from the last to the first.

    There is a shortcut if the source equals another text.
    """
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
    """Yield the columns of an alignment of texts, from the last to the first.

    Each is made by the first of `moves` that attains the least cost.
    """
    costs = costs_of(texts, moves)
    i, j, k = map(len, texts)
    while i or j or k:
        for move in moves:
            before = (i - move[0], j - move[1], k - move[2])
            if min(before) < 0:
                continue
            tokens = []
            for text, index, has_token in zip(texts, before, move, strict=True):
                tokens.append(text[index] if has_token else NOTHING)
            column: Column = (tokens[0], tokens[1], tokens[2])
            if costs[i, j, k] == costs[before] + cost(column):
                yield column
                i, j, k = before
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

    The result is int32 [first + 1, second + 1, third + 1]: cell i, j, k is for the first i, j and k
    tokens. The cells of a row (all k) are computed at once: each is the minimum over the moves into
    it.
    """
    # what a token of one text costs beside one of another: [first, second], [first, third] and
    # [second, third], counted from 1
    pair_tables = []
    for text, other in itertools.combinations(texts, 2):
        pair_table = np.zeros((len(text) + 1, len(other) + 1), np.int32)
        pair_table[1:, 1:] = DIFFERENT * np.not_equal.outer(text, other)
        pair_tables.append(pair_table)
    first_second, first_third, second_third = pair_tables

    shape = [len(text) + 1 for text in texts]
    costs = np.full(shape, UNREACHED, np.int32)
    costs[0, 0, 0] = 0
    for i, j in np.ndindex(costs.shape[:2]):
        row = costs[i, j]
        # moves that take a token of the first text, of the second, or of both
        for first, second in ((1, 1), (1, 0), (0, 1)):
            if (first, second, 0) not in moves or i < first or j < second:
                continue
            before = costs[i - first, j - second]
            has_both = first * second
            pair_cost = has_both * first_second[i, j]
            # a gap in the third text makes two pairs with a gap
            np.minimum(row, before + pair_cost + 2 * GAP, out=row)
            # with a token of the third text, two pairs have a gap unless both other texts have a token
            third_costs = first * first_third[i] + second * second_third[j]
            third_costs += pair_cost + 2 * GAP * (1 - has_both)
            with_third = before[:-1] + third_costs[1:]
            np.minimum(row[1:], with_third, out=row[1:])
        # Tokens of the third text alone, any number of them: a running minimum, in which each token
        # adds two pairs with a gap.
        gaps = 2 * GAP * np.arange(shape[2], dtype=np.int32)
        row[:] = np.minimum.accumulate(row - gaps) + gaps
    return costs
