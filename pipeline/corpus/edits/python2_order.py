"""The order of texts in a dictionary of Python 2, on which official programs depend in ties."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

MASK = (1 << 64) - 1
SMALLEST = 8
"""How many places a new dictionary has."""
LARGE = 50_000
"""The number of texts from which a dictionary doubles where it had grown fourfold before."""


def python2_hash(text: str) -> int:
    """Return the hash of a text in Python 2 with 64 bits and without a seed, as a number from 0."""
    if not text:
        return 0
    value = ord(text[0]) << 7
    for sign in text:
        value = (value * 1000003 & MASK) ^ ord(sign)
    return value ^ len(text)


def python2_order(texts: Iterable[str]) -> list[str]:
    """Return distinct texts in the order in which a dictionary of Python 2 holds them, entered in the given order."""
    places: list[str | None] = [None] * SMALLEST
    for number, text in enumerate(texts, 1):
        _enter(places, text)
        if 3 * number >= 2 * len(places):
            held, size = [other for other in places if other is not None], len(places)
            while size <= number * (2 if number > LARGE else 4):
                size *= 2
            places = [None] * size
            for other in held:
                _enter(places, other)
    return [text for text in places if text is not None]


def _enter(places: list[str | None], text: str) -> None:
    """Put a text into the first free place of those that its hash leads to."""
    disturbance = python2_hash(text)
    place = disturbance
    while places[place % len(places)] is not None:
        place = 5 * place + disturbance + 1
        disturbance >>= 5
    places[place % len(places)] = text
