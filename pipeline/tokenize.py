"""Tokenisers by name: each turns the lines of a shard into ids.

To add one: a function from Lines to Lines whose tokens are separated by white space, and a line in TOKENIZERS.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from . import kernel
from .corpus import Lines, join_lines
from .errors import InvalidTextError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .kernel.common import Encoded


class Tokenizer(NamedTuple):
    """A split of the kernel, a function that prepares a shard for it (or None), and a line of help."""

    split: str
    prepare: Callable[[Lines], Lines] | None
    help: str


TOKENIZERS: dict[str, Tokenizer] = {
    "whitespace": Tokenizer("whitespace", None, "at Unicode white space, as Python 3's str.split()"),
    "ascii_whitespace": Tokenizer("ascii_whitespace", None, "at ASCII white space, as Python 2's str.split()"),
    "blank": Tokenizer("blank", None, "at every single blank, as str.split(' '): two blanks make an empty token"),
    "char": Tokenizer("char", None, "every code point of the line is a token, blanks included"),
}


@dataclass(frozen=True, order=True)
class Tokenization:
    """How text becomes tokens: a tokeniser, and what is done to each line before."""

    tokenizer: str = "whitespace"
    strip: bool = False
    lowercase: bool = False

    @property
    def key(self) -> str:
        """A short name, safe in file names."""
        return "-".join([self.tokenizer, *(["strip"] if self.strip else []), *(["lc"] if self.lowercase else [])])

    def encode(self, texts: Sequence[Lines]) -> list[Encoded]:
        """Return the ids of the lines of several texts, equal where tokens are equal."""
        tokenizer = TOKENIZERS[self.tokenizer]
        prepared = [self._prepare(text, tokenizer, number) for number, text in enumerate(texts)]
        return kernel.encode(prepared, tokenizer.split)

    def _prepare(self, text: Lines, tokenizer: Tokenizer, number: int) -> Lines:
        if self.strip or self.lowercase:
            cleaned = []
            for index, line in enumerate(text.texts()):
                try:
                    cleaned.append(self._clean(line))
                except UnicodeDecodeError as error:
                    raise InvalidTextError(number, index, error.start) from None
            text = join_lines(cleaned)
        return tokenizer.prepare(text) if tokenizer.prepare else text

    def _clean(self, line: bytes) -> bytes:
        text = line.decode()
        text = text.strip() if self.strip else text
        return (text.lower() if self.lowercase else text).encode()
