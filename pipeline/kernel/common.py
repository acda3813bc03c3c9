"""What both kernels share."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SPLITS = ("whitespace", "ascii_whitespace", "blank", "char")
"""How encode() can split lines."""

KINDS = ("match", "penalty")
"""What overlap() can count."""


MAX_ORDER = 16
"""The longest n-grams that overlap() counts."""


class Encoded(NamedTuple):
    """Tokens of some lines: int32 ids, and int64 offsets, one more than lines, of each line's first id."""

    ids: NDArray[np.int32]
    offsets: NDArray[np.int64]
