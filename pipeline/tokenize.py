"""Tokenisers by name: each turns the lines of a shard into ids.

To add one: a function from Lines to Lines whose tokens are separated by white space, and a line in TOKENIZERS.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from . import kernel
from .corpus import Lines, join_lines
from .errors import InvalidTextError
from .kernel.common import FOLDS, Encoded
from .stem import STEMMERS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .kernel.common import Words


class Tokenizer(NamedTuple):
    """A split of the kernel, a function that prepares a shard for it (or None), and a line of help."""

    split: str
    prepare: Callable[[Lines], Lines] | None
    help: str


class _Letters(dict[int, str]):
    """For str.translate: letters, marks and digits stay, ideographs and kana stand alone, all else is white space."""

    ALONE = ((0x3040, 0x3100), (0x3400, 0x4DC0), (0x4E00, 0xA000), (0xF900, 0xFB00), (0x20000, 0x323B0))

    def __missing__(self, code: int) -> str:
        letter = chr(code) if unicodedata.category(chr(code))[0] in "LMN" else " "
        if letter != " " and any(low <= code < high for low, high in self.ALONE):
            letter = f" {letter} "
        self[code] = letter
        return letter


_LETTERS = _Letters()


def unicode_words(lines: Lines) -> Lines:
    """Return the words of lines, lower-cased, with white space between them."""
    words = []
    for index, line in enumerate(lines.texts()):
        try:
            words.append(line.decode().lower().translate(_LETTERS).encode())
        except UnicodeDecodeError as error:
            raise InvalidTextError(0, index, error.start) from None
    return join_lines(words)


TOKENIZERS: dict[str, Tokenizer] = {
    "whitespace": Tokenizer("whitespace", None, "at Unicode white space, as Python 3's str.split()"),
    "ascii_whitespace": Tokenizer("ascii_whitespace", None, "at ASCII white space, as Python 2's str.split()"),
    "blank": Tokenizer("blank", None, "at every single blank, as str.split(' '): two blanks make an empty token"),
    "char": Tokenizer("char", None, "every code point of the line is a token, blanks included"),
    "google": Tokenizer("google", None, "as rouge-score: lower-cased, then runs of a-z and 0-9; all else is dropped"),
    "perl": Tokenizer("perl", None, "as ROUGE-1.5.5: the same, but A-Z alone are lower-cased"),
    "unicode": Tokenizer("whitespace", unicode_words, "lower-cased runs of letters and digits; ideographs stand alone"),
}


@dataclass(frozen=True, order=True)
class Tokenization:
    """How text becomes tokens: a tokeniser, and what is done to each line before."""

    tokenizer: str = "whitespace"
    strip: bool = False
    lowercase: bool = False
    stemmer: str = "none"
    """Of ASCII words alone: tokenizers google and perl."""

    @property
    def key(self) -> str:
        """A short name, safe in file names."""
        return "-".join(
            [self.tokenizer, *(["strip"] if self.strip else []), *(["lc"] if self.lowercase else []), *self._stem_key]
        )

    @property
    def _stem_key(self) -> list[str]:
        return [] if self.stemmer == "none" else [f"stem_{self.stemmer}"]

    def encode(self, texts: Sequence[Lines]) -> list[Encoded]:
        """Return the ids of the lines of several texts, equal where tokens are equal."""
        tokenizer = TOKENIZERS[self.tokenizer]
        prepared = [self._prepare(text, tokenizer, number) for number, text in enumerate(texts)]
        if tokenizer.split not in FOLDS:
            return kernel.encode(prepared, tokenizer.split)
        words = kernel.words(prepared, tokenizer.split)
        return words.texts if self.stemmer == "none" else _stemmed(words, STEMMERS[self.stemmer])

    def _prepare(self, text: Lines, tokenizer: Tokenizer, number: int) -> Lines:
        if self.strip or self.lowercase:
            cleaned = []
            for index, line in enumerate(text.texts()):
                try:
                    cleaned.append(self._clean(line))
                except UnicodeDecodeError as error:
                    raise InvalidTextError(number, index, error.start) from None
            text = join_lines(cleaned)
        try:
            return tokenizer.prepare(text) if tokenizer.prepare else text
        except InvalidTextError as error:
            raise InvalidTextError(number, error.line, error.byte) from None

    def _clean(self, line: bytes) -> bytes:
        text = line.decode()
        text = text.strip() if self.strip else text
        return (text.lower() if self.lowercase else text).encode()


def _stemmed(words: Words, stem: Callable[[str], str]) -> list[Encoded]:
    """Return texts with the ids of stems in place of those of words."""
    ends = words.ends.tolist()
    text = words.data.decode()
    stems: dict[str, int] = {}
    ids = [stems.setdefault(stem(text[low:high]), len(stems)) for low, high in zip([0, *ends], ends, strict=False)]
    table = np.array(ids, np.int32)
    return [Encoded(table[found.ids], found.offsets) for found in words.texts]
