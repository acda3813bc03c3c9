"""What both kernels share."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from ..corpus import Lines

SPLITS = ("whitespace", "ascii_whitespace", "blank", "char", "nonspace", "chrf", "13a", "zh", "intl")
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


def check_texts(texts: Sequence[Lines], split: str) -> None:
    """Check what encode() is given, before memory is read: KeyError for the split, ValueError for impossible lines."""
    if split not in SPLITS:
        raise KeyError(split)
    for text in texts:
        if len(text.starts) != len(text.ends):
            raise ValueError("lines: there are not as many ends as starts")
        inside = (text.starts >= 0) & (text.starts <= text.ends) & (text.ends <= len(text.data))
        if not inside.all():
            raise ValueError("lines: they reach outside of the data")


def check_overlap(
    source: Encoded | None, references: Sequence[Encoded], systems: Sequence[Encoded], order: int, kinds: Sequence[str]
) -> None:
    """Check what overlap() is given, before memory is read: ValueError, and KeyError for an unknown kind."""
    if not 1 <= order <= MAX_ORDER:
        raise ValueError(f"order: expected 1 to {MAX_ORDER}, found {order}")
    for kind in kinds:
        if kind not in KINDS and kind not in MERGED_KINDS:
            raise KeyError(kind)
    if not references:
        raise ValueError("references: at least one is needed")
    for text in [*([] if source is None else [source]), *references, *systems]:
        offsets = text.offsets
        if len(offsets) != len(references[0].offsets) or len(offsets) == 0:
            raise ValueError("texts: they have different numbers of lines")
        if offsets[0] != 0 or offsets[-1] > len(text.ids) or (offsets[1:] < offsets[:-1]).any():
            raise ValueError("texts: offsets do not rise from 0 to the number of ids")
