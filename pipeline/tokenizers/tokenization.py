"""How the text of a metric becomes tokens: a tokeniser, and what is done to each line before and after."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .. import kernel
from ..errors import InvalidTextError
from ..kernel.common import FOLDS, Encoded
from ..kernel.lines import Lines, join_lines
from . import TOKENIZERS, Tokenizer, sacrebleu
from .stemmers import STEMMERS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..kernel.common import Words


@dataclass(frozen=True, order=True)
class Tokenization:
    """How text becomes tokens: a tokeniser, and what is done to each line before."""

    tokenizer: str = "whitespace"
    strip: bool = False
    lowercase: bool = False
    stemmer: str = "none"
    """Of ASCII words alone: tokenizers google and perl."""
    strip_end: bool = False

    @property
    def key(self) -> str:
        """A short name, safe in file names."""
        return "-".join(
            [
                self.tokenizer,
                *(["strip"] if self.strip else ["rstrip"] if self.strip_end else []),
                *(["lc"] if self.lowercase else []),
                *self._stem_key,
            ]
        )

    @property
    def identity(self) -> str:
        """The text that stands for this in the keys of stored counts: another text, and they are counted again."""
        texts = f"tokenizer={self.tokenizer!r}, strip={self.strip}, lowercase={self.lowercase}"
        return f"Tokenization({texts}, stemmer={self.stemmer!r}, strip_end={self.strip_end})"

    @property
    def _stem_key(self) -> list[str]:
        return [] if self.stemmer == "none" else [f"stem_{self.stemmer}"]

    @property
    def version(self) -> str:
        """What tokens depend on that is no part of this program: the version of a package, or nothing."""
        return sacrebleu.version(self.tokenizer)

    def unavailable(self) -> str | None:
        """Return why the tokeniser cannot be used on this computer, or None."""
        return sacrebleu.unavailable(self.tokenizer)

    def encode(self, texts: Sequence[Lines]) -> list[Encoded]:
        """Return the ids of the lines of several texts, equal where tokens are equal."""
        tokenizer = TOKENIZERS[self.tokenizer]
        prepared = [self._prepare(text, tokenizer, number) for number, text in enumerate(texts)]
        if tokenizer.split not in FOLDS:
            return kernel.encode(prepared, tokenizer.split)
        words = kernel.words(prepared, tokenizer.split)
        return words.texts if self.stemmer == "none" else _stemmed(words, STEMMERS[self.stemmer])

    def tokens(self, text: str) -> list[str]:
        """Return the tokens of one text, to be shown: what the ids of encode() stand for."""
        from ..kernel.python.encode import SPLITS

        (line,) = self._prepare(join_lines([text.encode()]), TOKENIZERS[self.tokenizer], 0).texts()
        if TOKENIZERS[self.tokenizer].split in FOLDS:
            found = kernel.words([join_lines([line])], TOKENIZERS[self.tokenizer].split)
            ends = found.ends.tolist()
            known = [found.data[low:high].decode() for low, high in zip([0, *ends], ends, strict=False)]
            words = [known[number] for number in found.texts[0].ids.tolist()]
            return words if self.stemmer == "none" else [STEMMERS[self.stemmer](word) for word in words]
        split = SPLITS[TOKENIZERS[self.tokenizer].split]
        return [token if isinstance(token, str) else token.decode() for token in split(line)]

    def _prepare(self, text: Lines, tokenizer: Tokenizer, number: int) -> Lines:
        try:
            stripped = self.strip or self.strip_end
            if self.lowercase and not stripped and text.data.isascii():
                text = text._replace(data=text.data.lower())
            elif stripped or self.lowercase:
                text = join_lines(self._clean(line) for line in text.texts())
            return tokenizer.prepare(text) if tokenizer.prepare else text
        except InvalidTextError as error:
            raise InvalidTextError(number, error.line, error.byte) from None
        except UnicodeDecodeError as error:
            index = next(index for index, line in enumerate(text.texts()) if error.object == line)
            raise InvalidTextError(number, index, error.start) from None

    def _clean(self, line: bytes) -> bytes:
        text = line.decode()
        text = text.strip() if self.strip else text.rstrip() if self.strip_end else text
        return (text.lower() if self.lowercase else text).encode()


def _stemmed(words: Words, stem: Callable[[str], str]) -> list[Encoded]:
    """Return texts with the ids of stems in place of those of words."""
    ends = words.ends.tolist()
    text = words.data.decode()
    stems: dict[str, int] = {}
    ids = [stems.setdefault(stem(text[low:high]), len(stems)) for low, high in zip([0, *ends], ends, strict=False)]
    table = np.array(ids, np.int32)
    return [Encoded(table[found.ids], found.offsets) for found in words.texts]
