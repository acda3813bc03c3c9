"""Strings joined to UTF-8, and what is looked for in some lines of a text, in Python."""

from __future__ import annotations

import re
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from ..common import Encoded


_STOPS = re.compile(r"[.,](?=\s|$)")


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


def stops(lines: list[str]) -> tuple[int, int, int]:
    """Return how many full stops and commas there are, and how many end a word: alone, and at the end of it.

    One ends a word where white space or the end of a line is behind it. It stands alone where white space is before it,
    or where it begins a line that is not the first one; and else at the end of the word where a letter is before it.
    """
    text = "\n".join(lines)
    before = [text[match.start() - 1] for match in _STOPS.finditer(text) if match.start()]
    attached = sum(sign.isalnum() and not sign.isdecimal() for sign in before)
    return text.count(".") + text.count(","), sum(map(str.isspace, before)), attached


def distinct(text: Encoded) -> NDArray[np.int64]:
    """Return how many different tokens each line has: int64 [lines]."""
    return np.array([len(set(line)) for line in text.lines()], np.int64)


def shared(text: Encoded, other: Encoded, offset: int = 0) -> NDArray[np.int64]:
    """Return how many different tokens each line shares with that of another text: int64 [lines].

    Line i is compared with line i - offset, and shares nothing where there is none. Both texts come from one call of
    encode().
    """
    one, two = ([*map(set, own.lines())] for own in (text, other))
    beside = [two[i - offset] if 0 <= i - offset < len(two) else set[int]() for i in range(len(one))]
    return np.array([len(a & b) for a, b in zip(one, beside, strict=True)], np.int64)
