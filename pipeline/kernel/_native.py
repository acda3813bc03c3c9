"""The compiled kernel: equal to `_python.py` on every input. Importing it costs nothing but the extensions."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._python import encode, overlap
else:
    from ._native_encode import encode
    from ._native_overlap import overlap

__all__ = ["encode", "overlap"]
