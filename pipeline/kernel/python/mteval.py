"""The tokenisers 13a, zh and intl as their authors wrote them: substitutions, one after the other.

Sources: mteval-v13a.pl and mteval-v14.pl (NIST), and sacreBLEU, which removes white space at the end of the line
first. The compiled kernel does the same in one pass. The kinds of characters are in `characters.py`.
"""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, NamedTuple

from ..categories import NUMBERS, PUNCTUATION, SYMBOLS
from ..characters import ASCII_ALONE, CHINESE, Range, parse

if TYPE_CHECKING:
    from collections.abc import Iterable


def western(text: str) -> list[str]:
    """Return the tokens of a line by 13a. Its entities have been replaced before."""
    return _points(f" {text.rstrip()} ").split()


def chinese(text: str) -> list[str]:
    """Return the tokens of a line by zh."""
    return _points(_patterns().chinese.sub(r" \g<0> ", text.strip())).split()


def international(text: str) -> list[str]:
    """Return the tokens of a line by intl."""
    patterns = _patterns()
    text = patterns.point_after.sub(r"\1 \2 ", text.rstrip())
    text = patterns.point_before.sub(r" \1 \2", text)
    return patterns.symbol.sub(r" \g<0> ", text).split()


def _points(text: str) -> str:
    """Put blanks around ASCII punctuation: full stops and commas unless between digits, dashes only after a digit."""
    text = _patterns().punctuation.sub(r" \g<0> ", text)
    text = re.sub("([^0-9])([.,])", r"\1 \2 ", text)
    text = re.sub("([.,])([^0-9])", r" \1 \2", text)
    return re.sub("([0-9])-", r"\1 - ", text)


class _Patterns(NamedTuple):
    punctuation: re.Pattern[str]
    chinese: re.Pattern[str]
    point_after: re.Pattern[str]
    """Punctuation after a character that is no number."""
    point_before: re.Pattern[str]
    """Punctuation before a character that is no number."""
    symbol: re.Pattern[str]


@functools.cache
def _patterns() -> _Patterns:
    number, point, symbol = (_members(parse(text)) for text in (NUMBERS, PUNCTUATION, SYMBOLS))
    ascii_alone, chinese_alone = _members(ASCII_ALONE), _members(CHINESE)
    written = (f"[{ascii_alone}]", f"[{chinese_alone}]", f"([^{number}])([{point}])", f"([{point}])([^{number}])")
    return _Patterns(*(re.compile(pattern) for pattern in (*written, f"[{symbol}]")))


def _members(ranges: Iterable[Range]) -> str:
    """Return what stands inside the brackets of a pattern for these characters."""
    return "".join(f"{re.escape(chr(first))}-{re.escape(chr(last))}" for first, last in ranges)
