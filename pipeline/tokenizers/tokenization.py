"""How a metric turns text into tokens: a tokeniser, and what is done to lines before it and to words after it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .. import kernel
from ..errors import InvalidTextError
from ..kernel.common import FOLDS, Encoded, Lines, Words, join_lines
from . import Tokenizer, sacrebleu, tokenizer_called

if TYPE_CHECKING:
    from ..arrays import Ints


def changed_lines(text: Lines, number: int, change: Callable[[str], str]) -> Lines:
    """Return the lines of a text changed; raises InvalidTextError, of the number-th of several texts."""
    lines = []
    for index, line in enumerate(text.texts()):
        try:
            lines.append(change(line.decode()).encode())
        except UnicodeDecodeError as error:
            raise InvalidTextError(number, index, error.start) from None
    return join_lines(lines)


@dataclass(frozen=True, order=True)
class Tokenization:
    """How text becomes tokens: a tokeniser, and what is done to lines before it and to words after it."""

    tokenizer: str = "whitespace"
    """A key of TOKENIZERS, or the name of tokens that a program of the user has made."""
    strip: bool = False
    """Whether white space at both ends of a line is removed first."""
    lowercase: bool = False
    """Whether lines are lower-cased first, by str.lower()."""
    stemmer: str = "none"
    """A key of STEMMERS, or "none". Only the tokenisers google and perl, whose words are ASCII, can have one."""
    strip_end: bool = False
    """Whether white space at the end of a line is removed first."""

    @property
    def key(self) -> str:
        """A short name, safe in file names."""
        strip = "strip" if self.strip else "rstrip" if self.strip_end else ""
        stem = "" if self.stemmer == "none" else f"stem_{self.stemmer}"
        return "-".join(filter(None, (self.tokenizer, strip, "lc" if self.lowercase else "", stem)))

    @property
    def cache_key(self) -> str:
        """The text that stands for this in the keys of stored counts. If it changes, all is counted again."""
        texts = f"tokenizer={self.tokenizer!r}, strip={self.strip}, lowercase={self.lowercase}"
        return f"Tokenization({texts}, stemmer={self.stemmer!r}, strip_end={self.strip_end})"

    @property
    def version(self) -> str:
        """The versions of other packages that tokens depend on; empty where the tokeniser is our own."""
        return sacrebleu.version(self.tokenizer)

    def unavailable(self) -> str | None:
        """Return why the tokeniser cannot be used on this computer, or None."""
        return sacrebleu.unavailable(self.tokenizer)

    def encode(self, texts: Sequence[Lines]) -> list[Encoded]:
        """Return the ids of the tokens of several texts; equal tokens have equal ids, across all texts.

        Raises InvalidTextError for bytes that are not UTF-8, and InputError where the tokeniser cannot be used.
        """
        tokenizer = tokenizer_called(self.tokenizer)
        if tokenizer.split in FOLDS:
            words = self.words(texts)
            if self.stemmer == "none":
                return words.texts
            stem, stems = self._stem(), dict[str, int]()  # each stem gets an id in place of those of its words
            ids = np.array([stems.setdefault(stem(word), len(stems)) for word in words.distinct()], np.int32)
            return [Encoded(ids[text.ids], text.offsets) for text in words.texts]
        prepared = [self._prepare(text, tokenizer, number) for number, text in enumerate(texts)]
        return kernel.encode(prepared, tokenizer.split)

    def words(self, texts: Sequence[Lines]) -> Words:
        """Return what encode() does, before words are stemmed, and the distinct tokens; raises as encode() does."""
        tokenizer = tokenizer_called(self.tokenizer)
        prepared = [self._prepare(text, tokenizer, number) for number, text in enumerate(texts)]
        return self.kept(kernel.words(prepared, tokenizer.split))

    def kept(self, words: Words) -> Words:
        """Return the words that count, before they are stemmed: here all; see `stop_words.py`."""
        return words

    def prepared(self, source: Lines | None, references: Sequence[Lines]) -> PreparedTokens | None:
        """Return source and references encoded, for outputs that come later; None with a stemmer.

        Raises as encode() does.
        """
        tokenizer = tokenizer_called(self.tokenizer)
        if self.stemmer != "none":
            return None
        texts = [*([source] if source is not None else []), *references]
        ready = [self._prepare(text, tokenizer, number) for number, text in enumerate(texts)]
        first = ready.pop(0) if source is not None else None
        return PreparedTokens(self, kernel.Prepared(first, ready, tokenizer.split))

    def ready(self, texts: Sequence[str]) -> Sequence[str | bytes]:
        """Return texts as the kernel's split takes them."""
        if self.strip or self.strip_end:
            texts = [text.strip() if self.strip else text.rstrip() for text in texts]
        if self.lowercase:
            texts = [text.lower() for text in texts]
        tokenizer = tokenizer_called(self.tokenizer)
        signs = tokenizer.signs
        if tokenizer.prepare is None or (signs and not any(sign in text for text in texts for sign in signs)):
            return texts
        return list(tokenizer.prepare(join_lines([text.encode() for text in texts])).texts())

    def tokens(self, text: str) -> list[str]:
        """Return the tokens of one text, for which encode() has ids; they are for people to read."""
        from ..kernel.python.encode import SPLITS

        tokenizer = tokenizer_called(self.tokenizer)
        (line,) = self._prepare(join_lines([text.encode()]), tokenizer, 0).texts()
        if tokenizer.split in FOLDS:
            words = self.kept(kernel.words([join_lines([line])], tokenizer.split))
            distinct = words.distinct()
            tokens = [distinct[number] for number in words.texts[0].ids.tolist()]
            return tokens if self.stemmer == "none" else list(map(self._stem(), tokens))
        return [token if isinstance(token, str) else token.decode() for token in SPLITS[tokenizer.split](line)]

    def _stem(self) -> Callable[[str], str]:
        from .stemmers import STEMMERS  # here, because few tokens are stemmed

        return STEMMERS[self.stemmer]

    def _prepare(self, text: Lines, tokenizer: Tokenizer, number: int) -> Lines:
        """Return a text, the number-th of several, ready for the kernel's split; raises as encode() does."""
        try:
            stripped = self.strip or self.strip_end
            text = text.own() if self.lowercase or tokenizer.prepare else text
            if self.lowercase and not stripped and text.data.isascii():
                text = text._replace(data=text.data.lower())
            elif stripped or self.lowercase:
                lines = (line.decode() for line in text.texts())
                if stripped:
                    lines = (line.strip() if self.strip else line.rstrip() for line in lines)
                text = join_lines((line.lower() if self.lowercase else line).encode() for line in lines)
            return tokenizer.prepare(text) if tokenizer.prepare and tokenizer.changes(text.data) else text
        except InvalidTextError as error:
            raise InvalidTextError(number, error.line, error.byte) from None
        except UnicodeDecodeError as error:
            index = next(index for index, line in enumerate(text.texts()) if error.object == line)
            raise InvalidTextError(number, index, error.start) from None


@dataclass(frozen=True)
class PreparedTokens:
    """Source and references as tokens, and outputs counted against them."""

    tokenization: Tokenization
    encoded: kernel.Prepared

    def count(
        self, outputs: Sequence[str], rows: Ints, order: int, kinds: tuple[str, ...], subsequences: bool = False
    ) -> dict[str, Ints]:
        """Return the columns of outputs, each with the line that `rows` names; see Prepared of the kernel."""
        return self.encoded.count(self.tokenization.ready(outputs), rows, order, kinds, subsequences)
