"""The order of keys in a dictionary of Python 2, on which official programs depend in ties."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Key = TypeVar("Key", str, int)

MASK = (1 << 64) - 1
SMALLEST = 8
"""How many places a new dictionary has."""
LARGE = 50_000
"""The number of keys from which a dictionary doubles where it had grown fourfold before."""


def python2_hash(text: str) -> int:
    """Return the hash of a text in Python 2 with 64 bits and without a seed, as a number from 0."""
    if not text:
        return 0
    value = ord(text[0]) << 7
    for sign in text:
        value = (value * 1000003 & MASK) ^ ord(sign)
    return value ^ len(text)


def python2_order(keys: Iterable[Key], hashed: Callable[[Key], int]) -> list[Key]:
    """Return distinct keys in the order in which a dictionary of Python 2 holds them, entered in the given order.

    `hashed` is python2_hash for texts. The hash of a small number is the number itself.
    """
    keys = list(keys)
    if len(keys) < 2:
        return keys
    places: list[Key | None] = [None] * SMALLEST
    for number, key in enumerate(keys, 1):
        _enter(places, key, hashed(key))
        if 3 * number >= 2 * len(places):
            held, size = [other for other in places if other is not None], len(places)
            while size <= number * (2 if number > LARGE else 4):
                size *= 2
            places = [None] * size
            for other in held:
                _enter(places, other, hashed(other))
    return [key for key in places if key is not None]


def _enter(places: list[Key | None], key: Key, disturbance: int) -> None:
    """Put a key into the first free place of those that its hash leads to."""
    place = disturbance
    while places[place % len(places)] is not None:
        place = 5 * place + disturbance + 1
        disturbance >>= 5
    places[place % len(places)] = key
