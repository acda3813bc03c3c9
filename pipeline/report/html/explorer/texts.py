"""The texts of a page's sentences, each once, with their tokens where the browser could not find these itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ....tokenizers.tokenization import Tokenization

MAX_TEXT = 20_000
"""How many characters of a text are shown. The rest is cut off."""


class Texts:
    """Different texts, each with a number."""

    def __init__(self) -> None:
        self.numbers: dict[str | tuple[str, int, int], int] = {}
        self.shown: list[str] = []
        """The texts by their numbers, cut to MAX_TEXT characters."""
        self.cut: dict[int, int] = {}
        """The full lengths of texts that were cut, by their numbers."""
        self.alike: dict[int, int] = {}
        """Of texts that differ from an earlier one in their white space alone: the number of that one, by their own."""
        self._words: dict[tuple[str | int, ...], int] = {}
        self.forms: dict[Tokenization, dict[int, str | list[str]]] = {}
        """What tokenize() has noted, by the numbers of texts."""

    def number(self, text: str) -> int:
        """Return the number of a text, which is a new one if the text is new."""
        key = text if len(text) <= MAX_TEXT else (text[:MAX_TEXT], len(text), hash(text))
        number = self.numbers.setdefault(key, len(self.shown))
        if number == len(self.shown):
            self.shown.append(text[:MAX_TEXT])
            if len(text) > MAX_TEXT:
                self.cut[number] = len(text)
            alike = self._words.setdefault(words_of(text), number)
            if alike != number:
                self.alike[number] = alike
        return number

    def tokenize(self, tokenization: Tokenization) -> None:
        """Note the tokens of every text for which the browser would find others. Texts that were cut are left out."""
        forms = self.forms.setdefault(tokenization, {})
        for number, text in enumerate(self.shown):
            if number in self.cut:
                continue
            form = _form(tokenization.tokens(text), text, is_character(tokenization))
            if form is not None:
                forms[number] = form


def words_of(text: str) -> tuple[str | int, ...]:
    """Return what texts have in common that differ in the white space between words alone. Lines stay apart."""
    lines = (" ".join(line.split()) for line in text.strip().split("\n"))
    joined = "\n".join(lines)
    return (joined,) if len(joined) <= MAX_TEXT else (joined[:MAX_TEXT], len(joined), hash(joined))


def is_character(tokenization: Tokenization) -> bool:
    """Return whether tokens are code points."""
    return tokenization.tokenizer in ("char", "nonspace")


def _form(tokens: Sequence[str], text: str, characters: bool) -> str | list[str] | None:
    """Return a text in which the browser finds these tokens, or else the tokens; None if `text` is such a text."""
    joined = ("" if characters else " ").join(tokens)
    if joined == text and _tokens(text, characters) == list(tokens):
        return None
    return joined if _tokens(joined, characters) == list(tokens) else list(tokens)


def _tokens(text: str, characters: bool) -> list[str]:
    """Return the tokens that the browser finds in a text."""
    return list(text) if characters else text.split(" ") if text else []
