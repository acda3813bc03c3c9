"""Names that are short enough for a plot, cut in the middle so that they still tell systems apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

NAME = 18
"""How many letters of a name plots show where these tell all names apart. The title has all letters."""


def short(name: str) -> str:
    """Return a name of at most NAME letters: the beginning and the end of a longer one."""
    return _cut(name, NAME, NAME // 3)


def short_names(names: Sequence[str]) -> dict[str, str]:
    """Return for each name what plots show: at least NAME letters of it, and as many as tell it from the others."""
    whole = list(dict.fromkeys(names))
    for size in range(NAME, max(map(len, whole), default=0)):
        for tail in (size // 3, size // 2, size - size // 3):
            cut = [_cut(name, size, tail) for name in whole]
            if len(set(cut)) == len(whole):
                return dict(zip(whole, cut, strict=True))
    return {name: name for name in whole}


def _cut(name: str, size: int, tail: int) -> str:
    """Return a name in at most `size` letters, of which `tail` are the last of a longer name."""
    return name if len(name) <= size else f"{name[: size - tail - 1]}…{name[len(name) - tail :]}"
