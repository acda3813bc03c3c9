"""What three_way_columns() returns: the columns of three-way alignments in which something is changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FIELDS = ("start", "end", "output", "reference", "kind")
"""What is said of a column: it holds the source's tokens from start up to but not end, which are one or none. Output
and reference are the numbers of their tokens in their lines, -1 for a gap. The kind is a place in THREE_WAY_COUNTS."""


class ChangedColumns(NamedTuple):
    """The changed columns of the alignments of all references with all systems."""

    offsets: NDArray[np.int64]
    """Where the columns of each alignment begin: [references of all lines * systems + 1]. Those of reference r and
    system s are at r * systems + s."""
    columns: NDArray[np.int32]
    """FIELDS of each column, from the first to the last of an alignment: [columns, 5]."""
