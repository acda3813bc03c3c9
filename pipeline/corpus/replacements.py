"""What a data set can have replaced in all its texts, by the names of its option `replace`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

BRACKETS = {
    b"-lrb-": b"(",
    b"-rrb-": b")",
    b"-lsb-": b"[",
    b"-rsb-": b"]",
    b"-lcb-": b"{",
    b"-rcb-": b"}",
    b"-lcb": b"{",
    b"-rcb": b"}",
}
"""What stands for brackets in the Penn Treebank; the last two occur so in outputs of systems."""


def brackets(text: bytes) -> bytes:
    """Return a text with tokens (between blanks) such as -LRB-, upper or lower case, as brackets."""
    if b"-" not in text:
        return text
    return b" ".join(BRACKETS.get(token.lower(), token) for token in text.split(b" "))


REPLACEMENTS: dict[str, Callable[[bytes], bytes]] = {"ptb_brackets": brackets}
