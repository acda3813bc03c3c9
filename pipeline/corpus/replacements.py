"""What can be replaced in all texts of a data set, by the value of its key `replace`."""

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
"""What the Penn Treebank writes for brackets. The last two are not of the treebank; outputs of systems have them."""


def brackets(text: bytes) -> bytes:
    """Return a text with brackets in place of tokens (between blanks) such as -LRB- or -lrb-."""
    if b"-" not in text:
        return text
    return b" ".join(BRACKETS.get(token.lower(), token) for token in text.split(b" "))


REPLACEMENTS: dict[str, Callable[[bytes], bytes]] = {"ptb_brackets": brackets}
"""The functions that change a text, by the value of the key `replace`."""
