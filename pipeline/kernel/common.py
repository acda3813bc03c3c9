"""What both kernels share."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SPLITS = ("whitespace", "ascii_whitespace", "blank", "char")
"""How encode() can split lines."""

KINDS = ("match", "penalty", "source_only", "common", "source_match")
"""What overlap() can count with each reference."""

MERGED_KINDS = ("union_match", "new_match", "gone_match", "added_match", "removed_match", "added")
"""What overlap() can count with all references merged by maximum count."""


WITHOUT_OUTPUT = frozenset({"source_match", "added"})
"""Kinds that do not look at the output: n-grams that it has not count too."""

MAX_ORDER = 16
"""The longest n-grams that overlap() counts."""


class Encoded(NamedTuple):
    """Tokens of some lines: int32 ids, and int64 offsets, one more than lines, of each line's first id."""

    ids: NDArray[np.int32]
    offsets: NDArray[np.int64]
