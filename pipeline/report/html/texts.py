"""The texts of a page's sentences, each once, with their tokens where the browser could not find these itself."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from ...corpus.texts import Span, read_span

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ...arrays import Ints
    from ...corpus.texts import AnyText
    from ...tokenizers.tokenization import Tokenization

STEP = 1024
"""How many lines of a text are read at once."""
MAX_TEXT = 20_000
"""How many characters of a text are shown. The rest is cut off."""
SAMPLE = 300
"""In how many texts it is tried which way finds most tokens."""
WAYS: dict[str, Callable[[str], list[str]]] = {
    "words": lambda text: text.split(" ") if text else [],
    "characters": list,
    "spaceless": lambda text: list(re.sub("[ \\t-\\r]", "", text)),
    "ascii": lambda text: re.findall("[a-z0-9]+", re.sub("[A-Z]", lambda letter: letter[0].lower(), text)),
}
"""The ways in which the browser finds tokens in a text; `assets/data.js` has the same ones."""
OF_CHARACTERS = ("characters", "spaceless")


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

    def tokens(self, tokenization: Tokenization) -> dict[str, Any]:
        """Return in which way the browser finds the tokens of most texts, and forms of the texts where it does not.

        Texts that were cut are left out.
        """
        split = {n: tokenization.tokens(text) for n, text in enumerate(self.shown) if n not in self.cut}
        tried = list(split.items())[:SAMPLE]
        way = min(WAYS, key=lambda way: sum(_form(tokens, self.shown[n], way) is not None for n, tokens in tried))
        forms = {n: _form(tokens, self.shown[n], way) for n, tokens in split.items()}
        return {"way": way, "forms": {n: form for n, form in forms.items() if form is not None}}


def words_of(text: str) -> tuple[str | int, ...]:
    """Return what texts have in common that differ in the white space between words alone. Lines stay apart."""
    lines = (" ".join(line.split()) for line in text.strip().split("\n"))
    joined = "\n".join(lines)
    return (joined,) if len(joined) <= MAX_TEXT else (joined[:MAX_TEXT], len(joined), hash(joined))


def _form(tokens: Sequence[str], text: str, way: str) -> str | list[str] | None:
    """Return a text in which a way finds these tokens, or else the tokens; None if `text` is such a text."""
    if WAYS[way](text) == tokens:
        return None
    joined = ("" if way in OF_CHARACTERS else " ").join(tokens)
    return joined if WAYS[way](joined) == tokens else list(tokens)


def lines_of(text: AnyText, lines: Ints) -> Iterator[str]:
    """Yield these lines of a text, which count from 0 and are in rising order. At most STEP lines are in memory."""
    for low in range(0, text.lines, STEP):
        first, last = np.searchsorted(lines, (low, low + STEP))
        if first == last:
            continue
        span = text.span(low, min(low + STEP, text.lines))
        plain = read_span(span) if isinstance(span, Span) else span
        for line in (lines[first:last] - low).tolist():
            yield plain.data[int(plain.starts[line]) : int(plain.ends[line])].decode()
