"""How a metric turns text into tokens: a tokeniser, with steps before and after it."""

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import kernel
from ..arrays import Ints
from ..errors import InvalidTextError
from ..kernel.common import FOLDS, Encoded, Lines, Words, join_lines
from . import sacrebleu
from .table import Tokenizer, tokenizer_named


def changed_lines(
    text: Lines, number: int, change: Callable[[str], str]
) -> Lines:
    """Return the lines of a text changed.

    Raises InvalidTextError with this number of the text.
    """
    lines = []
    for index, line in enumerate(text.texts()):
        try:
            lines.append(change(line.decode()).encode())
        except UnicodeDecodeError as error:
            raise InvalidTextError(number, index, error.start) from None
    return join_lines(lines)


def inner_newlines(lines: Lines) -> tuple[Ints, Ints]:
    """Return where newlines are inside of lines, and the index of the line of each."""
    newlines = np.flatnonzero(np.frombuffer(lines.data, np.uint8) == ord("\n"))
    owners = np.searchsorted(lines.starts, newlines, side="right") - 1
    inside = (owners >= 0) & (newlines < lines.ends[owners])
    return newlines[inside], owners[inside]


def lower_case(text: Lines, number: int) -> Lines:
    """Return the lines of a text in lower case, by str.lower(); raises as changed_lines() does.

    Only lines with more than ASCII are decoded, since most texts have few of them.
    """
    text = text.trimmed()
    data = bytearray(text.data.lower())
    others = np.flatnonzero(np.frombuffer(text.data, np.uint8) >= 0x80)
    has_others = np.searchsorted(others, text.starts) < np.searchsorted(
        others, text.ends
    )
    for index in np.flatnonzero(has_others).tolist():
        start = int(text.starts[index])
        end = int(text.ends[index])
        try:
            line = text.data[start:end].decode().lower().encode()
        except UnicodeDecodeError as error:
            raise InvalidTextError(number, index, error.start) from None
        if len(line) != end - start:
            return changed_lines(text, number, str.lower)
        data[start:end] = line
    return text._replace(data=bytes(data))


class _Letters(dict[int, str]):
    """A table for str.translate: letters, marks and numbers stay, and all else becomes white space.

    Ideographs and kana get white space around them, so that each is a word.
    """

    ALONE = (
        *(range(0x3040, 0x3100), range(0x3400, 0x4DC0), range(0x4E00, 0xA000)),
        *(range(0xF900, 0xFB00), range(0x20000, 0x323B0)),
    )

    def __missing__(self, code: int) -> str:
        character = chr(code)
        if unicodedata.category(character)[0] not in "LMN":
            character = " "
        elif any(code in codes for codes in self.ALONE):
            character = f" {character} "
        self[code] = character
        return character


_LETTERS = _Letters()


def unicode_words(lines: Lines) -> Lines:
    """Return the words of lines in lower case, with white space between them.

    Raises InvalidTextError.
    """
    return changed_lines(
        lines, 0, lambda line: line.lower().translate(_LETTERS)
    )


@dataclass(frozen=True, order=True)
class Tokenization:
    """How text becomes tokens: a tokeniser, with steps before and after it."""

    tokenizer: str = "whitespace"
    """A key of TOKENIZERS, or the name of tokens that a program of the user has made."""
    strip: bool = False
    """Whether white space at both ends of a line is removed first."""
    lowercase: bool = False
    """Whether lines are lower-cased first, by str.lower()."""
    stemmer: str = "none"
    """A key of STEMMERS, or "none". Only the tokenisers google and perl can have a stemmer."""
    strip_end: bool = False
    """Whether white space at the end of a line is removed first."""

    @property
    def key(self) -> str:
        """A short name, safe in file names."""
        names = [self.tokenizer]
        if self.strip:
            names.append("strip")
        elif self.strip_end:
            names.append("rstrip")
        if self.lowercase:
            names.append("lc")
        if self.stemmer != "none":
            names.append(f"stem_{self.stemmer}")
        return "-".join(names)

    @property
    def cache_key(self) -> str:
        """The text of this in the keys of stored counts. If it changes, all is counted again."""
        texts = f"tokenizer={self.tokenizer!r}, strip={self.strip}, lowercase={self.lowercase}"
        return f"Tokenization({texts}, stemmer={self.stemmer!r}, strip_end={self.strip_end})"

    @property
    def _entry(self) -> Tokenizer:
        """The entry of the tokeniser in the table."""
        return tokenizer_named(self.tokenizer)

    @property
    def expects(self) -> str:
        """Which texts the tokeniser is for; see Tokenizer."""
        return self._entry.expects

    @property
    def sacrebleu_signature(self) -> str | None:
        """SacreBLEU's name of its tokeniser and dictionary; None for one of this program."""
        return sacrebleu.signature(self.tokenizer)

    @property
    def version(self) -> str:
        """The versions of other packages that tokens depend on; may be empty."""
        return sacrebleu.version(self.tokenizer)

    def unavailable(self) -> str | None:
        """Return why the tokeniser cannot be used on this computer, or None."""
        return sacrebleu.unavailable(self.tokenizer)

    def encode(self, texts: Sequence[Lines]) -> list[Encoded]:
        """Return the ids of the tokens of several texts; equal tokens have equal ids in all texts.

        Raises InvalidTextError for bytes that are not UTF-8, and InputError if the tokeniser cannot
        be used.
        """
        tokenizer = self._entry
        if tokenizer.split not in FOLDS:
            return kernel.encode(
                self._prepare_all(texts, tokenizer), tokenizer.split
            )
        words = self.words(texts)
        if self.stemmer == "none":
            return words.texts
        # Each stem gets an id in place of those of its words.
        stem = self._stem()
        stems: dict[str, int] = {}
        ids = [
            stems.setdefault(stem(word), len(stems))
            for word in words.distinct()
        ]
        id_of = np.array(ids, np.int32)
        return [Encoded(id_of[text.ids], text.offsets) for text in words.texts]

    def words(self, texts: Sequence[Lines]) -> Words:
        """Return the distinct tokens and the ids, as encode() has them before words are stemmed.

        Raises as encode() does.
        """
        tokenizer = self._entry
        return self.counted(
            kernel.words(self._prepare_all(texts, tokenizer), tokenizer.split)
        )

    def counted(self, words: Words) -> Words:
        """Return the words that count, before they are stemmed: here all."""
        return words

    def prepared(
        self, source: Lines | None, references: Sequence[Lines]
    ) -> "PreparedTokens | None":
        """Return source and references encoded, for outputs that come later; None with a stemmer.

        None also with the Python kernel, which has no form for it. Raises as encode() does.
        """
        prepared_class = kernel.native_function("Prepared", "prepared")
        if prepared_class is None or self.stemmer != "none":
            return None
        tokenizer = self._entry
        if source is None:
            ready = self._prepare_all(references, tokenizer)
        else:
            source, *ready = self._prepare_all([source, *references], tokenizer)
        return PreparedTokens(
            self, prepared_class(source, ready, tokenizer.split)
        )

    def ready(self, texts: Sequence[str]) -> Sequence[str | bytes]:
        """Return texts ready for the kernel's split."""
        if self.strip:
            texts = [text.strip() for text in texts]
        elif self.strip_end:
            texts = [text.rstrip() for text in texts]
        if self.lowercase:
            texts = [text.lower() for text in texts]
        tokenizer = self._entry
        if tokenizer.prepare is None:
            return texts
        # one pair of texts is quickly searched, and mostly has none of them
        if tokenizer.signs:
            joined = "".join(texts)
            if not any(sign in joined for sign in tokenizer.signs):
                return texts
        return list(
            tokenizer.prepare(
                join_lines([text.encode() for text in texts])
            ).texts()
        )

    def tokens(self, text: str) -> list[str]:
        """Return the tokens of one text, for reports."""
        from ..kernel.python.encode import SPLITS

        tokenizer = self._entry
        lines = join_lines([text.encode()])
        if tokenizer.split in FOLDS:
            words = self.words([lines])
            distinct = words.distinct()
            tokens = [
                distinct[number] for number in words.texts[0].ids.tolist()
            ]
            return (
                tokens
                if self.stemmer == "none"
                else list(map(self._stem(), tokens))
            )
        (line,) = self._prepare(lines, tokenizer, 0).texts()
        return list(SPLITS[tokenizer.split](line.decode()))

    def _stem(self) -> Callable[[str], str]:
        from .stemmers import STEMMERS  # here, because few tokens are stemmed

        return STEMMERS[self.stemmer]

    def _prepare_all(
        self, texts: Sequence[Lines], tokenizer: Tokenizer
    ) -> list[Lines]:
        """Return texts ready for the kernel's split; raises as encode() does."""
        return [
            self._prepare(text, tokenizer, number)
            for number, text in enumerate(texts)
        ]

    def _prepare(self, text: Lines, tokenizer: Tokenizer, number: int) -> Lines:
        """Return a text stripped, lower-cased and changed by the `prepare` of a tokeniser.

        `number` is its index in the list of texts. Raises InvalidTextError with this number.
        """
        try:
            if tokenizer.prepare:
                # only the bytes of these lines: the data may be that of a whole file
                text = text.trimmed()
            if self.strip or self.strip_end:
                text = changed_lines(
                    text, number, str.strip if self.strip else str.rstrip
                )
            if self.lowercase:
                text = lower_case(text, number)
            if tokenizer.prepare and tokenizer.changes(text.data):
                text = tokenizer.prepare(text)
            return text
        except (
            InvalidTextError
        ) as error:  # `prepare` does not know the number of the text
            raise InvalidTextError(number, error.line, error.byte) from None
        except UnicodeDecodeError as error:
            index = next(
                index
                for index, line in enumerate(text.texts())
                if error.object == line
            )
            raise InvalidTextError(number, index, error.start) from None


@dataclass(frozen=True)
class PreparedTokens:
    """Source and references as tokens, and outputs counted against them."""

    tokenization: Tokenization
    encoded: Any
    """Prepared of the compiled kernel (`kernel/native/prepared.pyx`)."""

    def count(
        self,
        outputs: Sequence[str],
        rows: Ints,
        order: int,
        kinds: tuple[str, ...],
        subsequences: bool = False,
    ) -> dict[str, Ints]:
        """Return the columns of outputs, each counted against the line that `rows` has for it.

        See Prepared of the kernel.
        """
        texts = self.tokenization.ready(outputs)
        columns: dict[str, Ints] = self.encoded.count(
            texts, rows, order, kinds, subsequences
        )
        return columns
