"""The shape of a JSON file: which keys it has, and what their values are. It is checked before the file is believed.

A shape is a function such as `text`, a list with the shape of its items, or a mapping of keys to shapes. A key with a
question mark may be missing. `Each` is a mapping of any names, and `Maybe` is the shape or null.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    Shape = Any

MOST = 2**53
"""The largest whole number: counts are exact in float64 up to here."""
MAX_TEXT = 100_000
"""The most signs of a text, such as a warning that lists names."""
MAX_ITEMS = 20_000
"""The most entries of a list or mapping within a section. A section itself, such as all scores, may have more."""
MAX_REFERENCES = 1 << 12
"""The most references. The names of the columns of counts are made for each of them."""


class Each(NamedTuple):
    """A mapping of any names."""

    shape: Shape
    most: float = math.inf
    """The most names."""


class Maybe(NamedTuple):
    """The shape, or null."""

    shape: Shape


def text(value: object) -> str:
    """Return what was expected, or "" where the value is text."""
    if isinstance(value, str) and len(value) > MAX_TEXT:
        return f"at most {MAX_TEXT:,} signs"
    return "" if isinstance(value, str) else "text"


def truth(value: object) -> str:
    """Return what was expected, or "" where the value is true or false."""
    return "" if isinstance(value, bool) else "true or false"


def number(value: object) -> str:
    """Return what was expected, or "" where the value is a number, or null, which stands for NaN."""
    if isinstance(value, float):
        return "" if math.isfinite(value) else "a number"
    right = value is None or (isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**1000)
    return "" if right else "a number"


def whole(value: object) -> str:
    """Return what was expected, or "" where the value is a whole number from 0."""
    right = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST
    return "" if right else "a whole number"


def references(value: object) -> str:
    """Return what was expected, or "" where the value is a number of references."""
    return whole(value) if whole(value) or int(str(value)) <= MAX_REFERENCES else f"at most {MAX_REFERENCES} references"


def anything(_: object) -> str:
    """Return "": nothing is expected."""
    return ""


def mistakes(value: Any, shape: Shape, place: str = "") -> Iterator[str]:
    """Yield the place of each value that has not its shape, with what was expected and what was found."""
    if isinstance(shape, Maybe):
        if value is not None:
            yield from mistakes(value, shape.shape, place)
    elif isinstance(value, list | dict) and len(value) > (most := _most(shape, place)):
        yield f"{place}: has {len(value):,} entries; {most:,} are allowed"
    elif isinstance(shape, list):
        yield from _of_list(value, shape, place)
    elif isinstance(shape, Each | dict):
        if isinstance(value, dict):
            yield from _of_mapping(value, shape, place)
        else:
            yield _wrong(place, "a mapping", value)
    elif expected := shape(value):
        yield _wrong(place, expected, value)


def _most(shape: Shape, place: str) -> float:
    """Return how many entries a list or mapping may have."""
    most = MAX_ITEMS if set(place) & set(".[") else math.inf
    return min(most, shape.most) if isinstance(shape, Each) else most


def _of_list(value: Any, shape: list[Shape], place: str) -> Iterator[str]:
    """Yield what is wrong in a list. A shape with several items is that of a list with so many."""
    if not isinstance(value, list) or (len(shape) > 1 and len(value) != len(shape)):
        yield _wrong(place, f"a list of {len(shape)}" if len(shape) > 1 else "a list", value)
        return
    for index, item in enumerate(value):
        yield from mistakes(item, shape[index if len(shape) > 1 else 0], f"{place}[{index}]")


def _of_mapping(value: dict[str, Any], shape: Each | dict[str, Shape], place: str) -> Iterator[str]:
    if isinstance(shape, Each):
        for name, child in value.items():
            yield from mistakes(child, shape.shape, f"{place}.{name[:50]}".lstrip("."))
        return
    for key, child in shape.items():
        name = key.rstrip("?")
        if name in value:
            yield from mistakes(value[name], child, f"{place}.{name}".lstrip("."))
        elif name == key:
            yield f"{place}: the key '{key}' is missing".removeprefix(": ")


def _wrong(place: str, expected: str, value: object) -> str:
    kinds = {dict: "a mapping", list: "a list", type(None): "null"}
    shown = kinds.get(type(value)) or repr(value)[:50]
    return f"{place}: expected {expected}, found {shown}".removeprefix(": ")
