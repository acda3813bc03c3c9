"""The compiled kernel: equal to `_python.py` on every input. Importing it costs nothing but the extensions."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._python import encode, overlap
    from ._python_lcs import lcs, union_lcs, weighted_lcs, weighted_union
    from ._python_skip import skip_bigrams
    from ._python_words import words
else:
    from ._native_encode import encode
    from ._native_lcs import lcs, union_lcs, weighted_lcs, weighted_union
    from ._native_overlap import overlap
    from ._native_skip import skip_bigrams
    from ._native_words import words

__all__ = ["encode", "lcs", "overlap", "skip_bigrams", "union_lcs", "weighted_lcs", "weighted_union", "words"]
