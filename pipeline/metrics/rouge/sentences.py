"""The sentences of a text, for ROUGE-Lsum and the script ROUGE-1.5.5."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...errors import InvalidTextError
from ...kernel.lines import Lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    Cuts = list[tuple[int, int]]

NEWLINE = ord("\n")


class Splitting(NamedTuple):
    """How a text is split into sentences."""

    mode: str = "newline"
    """newline, marker, regex, nltk or none."""
    boundary: str = ""
    """The marker or the regular expression."""

    @property
    def key(self) -> str:
        """A short name, safe in file names, that is different for every splitting."""
        return self.mode + (hashlib.blake2b(self.boundary.encode(), digest_size=4).hexdigest() if self.boundary else "")

    @property
    def cache_key(self) -> str:
        """The text that stands for the splitting in the keys of stored counts."""
        version = f", version={_nltk_version()!r}" if self.mode == "nltk" else ""
        return f"Splitting(mode={self.mode!r}, boundary={self.boundary!r}{version})"

    def split(self, lines: Lines) -> tuple[Lines, NDArray[np.int64]]:
        """Return the sentences of all lines, and the index of each line's first sentence: int64 [lines + 1].

        Boundaries are no part of sentences. Raises InvalidTextError (for text 0) if a regular expression meets bytes
        that are not UTF-8.
        """
        if self.mode == "newline":
            return _at_newlines(lines)
        if self.mode == "none":
            return lines, np.arange(len(lines.starts) + 1, dtype=np.int64)
        cut = {"marker": self._at_marker, "regex": self._at_matches, "nltk": self._by_nltk}[self.mode]
        return _joined(lines, [cut(index, line) for index, line in enumerate(lines.texts())])

    def _at_marker(self, _: int, line: bytes) -> Cuts:
        marker, cuts, start = self.boundary.encode(), [], 0
        while (end := line.find(marker, start)) >= 0:
            cuts.append((start, end))
            start = end + len(marker)
        return [*cuts, (start, len(line))]

    def _at_matches(self, index: int, line: bytes) -> Cuts:
        try:
            text = line.decode()
        except UnicodeDecodeError as error:
            raise InvalidTextError(0, index, error.start) from None
        spans = [match.span() for match in re.finditer(self.boundary, text) if match.end()]
        starts, stops = [0, *(high for _, high in spans)], [*(low for low, _ in spans), len(text)]
        return _in_bytes(text, zip(starts, stops, strict=True))

    def _by_nltk(self, index: int, line: bytes) -> Cuts:
        try:
            text = line.decode()
        except UnicodeDecodeError as error:
            raise InvalidTextError(0, index, error.start) from None
        cuts, end = [], 0
        for sentence in _nltk_sentences(text):
            start = text.index(sentence, end)
            end = start + len(sentence)
            cuts.append((start, end))
        return _in_bytes(text, cuts)

    def unavailable(self) -> str | None:
        """Return why texts cannot be split here, or None. Only nltk may be missing, or its data."""
        if self.mode != "nltk":
            return None
        try:
            _nltk_sentences("One. Two.")
        except ImportError:
            return "split: nltk needs the package nltk: pip install 'gec-pipeline[rouge]'"
        except LookupError:
            return "split: nltk needs nltk's data for sentences: python -m nltk.downloader punkt_tab"
        return None


def _nltk_sentences(text: str) -> list[str]:
    """Return the sentences of a text by nltk's splitter for English, of which each is a part of the text."""
    from nltk import sent_tokenize

    sentences: list[str] = sent_tokenize(text)
    return sentences


def _nltk_version() -> str:
    """Return the version of nltk, on which its sentences depend; empty where it is not installed."""
    from importlib import metadata

    try:
        return metadata.version("nltk")
    except metadata.PackageNotFoundError:
        return ""


def _in_bytes(text: str, spans: Iterable[tuple[int, int]]) -> Cuts:
    """Return ranges of characters of a text as ranges of its bytes."""
    size: Callable[[int], int] = (lambda n: n) if text.isascii() else (lambda n: len(text[:n].encode()))
    return [(size(low), size(high)) for low, high in spans]


def _at_newlines(lines: Lines) -> tuple[Lines, NDArray[np.int64]]:
    """Split every line at the newlines inside it. Newlines between lines belong to none."""
    if not len(lines.starts) or lines.data.find(b"\n", int(lines.starts.min()), int(lines.ends.max())) < 0:
        return lines, np.arange(len(lines.starts) + 1, dtype=np.int64)
    lines = lines.own()
    newlines = np.flatnonzero(np.frombuffer(lines.data, np.uint8) == NEWLINE)
    owners = np.searchsorted(lines.starts, newlines, side="right") - 1
    inside = (owners >= 0) & (newlines < lines.ends[owners])
    newlines, owners = newlines[inside], owners[inside]
    numbers = np.arange(len(lines.starts) + 1, dtype=np.int64)
    if not len(newlines):
        return lines, numbers
    starts = np.insert(lines.starts, owners + 1, newlines + 1)
    ends = np.insert(lines.ends, owners, newlines)
    return Lines(lines.data, starts, ends), numbers + np.searchsorted(owners, numbers)


def _joined(lines: Lines, cuts: Sequence[Cuts]) -> tuple[Lines, NDArray[np.int64]]:
    """Return what split() does, from the sentences of each line as ranges of bytes in the line."""
    bases = lines.starts.tolist()
    starts = [base + low for base, cut in zip(bases, cuts, strict=True) for low, _ in cut]
    ends = [base + high for base, cut in zip(bases, cuts, strict=True) for _, high in cut]
    firsts = np.cumsum([0, *(len(cut) for cut in cuts)], dtype=np.int64)
    return Lines(lines.data, np.array(starts, np.int64), np.array(ends, np.int64)), firsts
