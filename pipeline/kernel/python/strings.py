"""Strings joined to UTF-8, in Python."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray


def joined(texts: Iterable[str]) -> tuple[tuple[str, ...], bytes, NDArray[np.int64], list[int]]:
    """Return texts as plain strings, joined in UTF-8, with the edges between them, and which have no token.

    The edges are int64 [texts + 1], in bytes. Texts without a token are told by their numbers, from 1. Raises
    UnicodeEncodeError where a text holds half of a surrogate pair.
    """
    strings = tuple(map(str.__str__, texts))
    encoded = [text.encode() for text in strings]
    edges = np.fromiter(accumulate(map(len, encoded), initial=0), np.int64, len(strings) + 1)
    return (
        strings,
        b"".join(encoded),
        edges,
        [number for number, text in enumerate(strings, 1) if not text or text.isspace()],
    )
