"""What the three-way alignments of both kernels take and return, their limits, and checks."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.arrays import Ints
from pipeline.errors import LongTextError
from pipeline.kernel.common import Encoded, Texts, check_parallel, check_rising

THREE_WAY_COUNTS = ("c_tp", "tn", "d_fp", "d_fn", "fpn")
"""What three_way() counts: columns, in the names of I-measure."""

FIELDS = ("start", "end", "output", "reference", "kind")
"""What describes a column.

It holds the source's tokens from start up to but not end, which are one or none. Output and
reference are the numbers of their tokens in their lines, -1 for a gap. The kind is an index in
THREE_WAY_COUNTS.
"""


class ChangedColumns(NamedTuple):
    """The changed columns of the alignments of all references with all systems."""

    offsets: Ints
    """Where the columns of each alignment begin: [references of all lines * systems + 1].

    Those of reference r and system s are at r * systems + s.
    """
    columns: NDArray[np.int32]
    """FIELDS of each column, from the first to the last of an alignment: [columns, 5]."""


MAX_PAIRS = 1 << 25
"""The most cells of a two-way alignment in three_way(), which take about half a gigabyte."""

MAX_TRIPLES = 1 << 36
"""The most cells of a three-way alignment in three_way(). To compute them all would take minutes."""


def check_three_way(
    source: Encoded,
    systems: Texts,
    references: Encoded,
    firsts: Ints,
) -> None:
    """Check the arguments of three_way().

    Line i has the references firsts[i] to firsts[i + 1] - 1; `firsts` is int64 [lines + 1]. Raises
    ValueError if source and systems have different numbers of lines, if a reference belongs to no
    line, and for unsound offsets and ids. Raises LongTextError for lines that are too long to be
    aligned: a two-way alignment exceeds MAX_PAIRS, or the three-way one MAX_TRIPLES. In this error
    text 0 is the references, and the line is that of the source.
    """
    check_parallel([source], systems)
    check_parallel([references], [])
    if len(firsts) != len(source.offsets):
        raise ValueError("firsts: expected one for each line, and one more")
    check_rising(firsts, len(references.offsets) - 1)
    if firsts[-1] != len(references.offsets) - 1:
        raise ValueError("firsts: there are references that belong to no line")
    # for each reference: its line, and the sizes of the alignment's table, tokens and one more
    lines = np.repeat(np.arange(len(firsts) - 1), np.diff(firsts))
    rows = np.diff(source.offsets)[lines] + 1
    layers = np.diff(references.offsets) + 1
    for text, system in enumerate(systems, 1):
        columns = np.diff(system.offsets)[lines] + 1
        pairs = np.maximum(rows * columns, rows * layers)
        pairs = np.maximum(pairs, columns * layers)
        # as floats, since the product may be too large for int64
        triples = rows * columns * layers.astype(float)
        too_long = (pairs > MAX_PAIRS) | (triples > MAX_TRIPLES)
        if too_long.any():
            index = int(too_long.argmax())
            sizes = f"{rows[index] - 1:,}, {columns[index] - 1:,} and {layers[index] - 1:,} tokens"
            message = (
                f"source, output and reference of {sizes} are too long for a three-way alignment "
                "(I-measure)"
            )
            raise LongTextError(text, int(lines[index]), message)
