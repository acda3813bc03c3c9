"""Limits to the words or bytes of a text that count: the options -l and -b of ROUGE-1.5.5."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...kernel.common import Encoded

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ...arrays import Ints
    from ...kernel.lines import Lines

CONTINUED = 0xC0, 0x80
"""The two highest bits of a byte, and what they are in a byte of UTF-8 that is not the first of its character."""


class Limit(NamedTuple):
    """How much of each text counts. At most one of the numbers is not 0."""

    words: int = 0
    """So many words, before they become tokens: what stands between white space. 0: all."""
    bytes: int = 0
    """So many bytes, white space included, without the newlines between sentences. 0: all."""

    @property
    def key(self) -> str:
        """A short name, safe in file names; empty without a limit."""
        return f"w{self.words}" if self.words else f"b{self.bytes}" if self.bytes else ""

    def cut(self, sentences: Lines, firsts: NDArray[np.int64]) -> Lines:
        """Return the sentences without what is beyond the limit of their text.

        `firsts` is the index of each text's first sentence: int64 [texts + 1]. White space at the start of a sentence
        counts as a word, as in the script. A character that would be cut in two is left out.
        """
        if self.words:
            return _kept(sentences, self._in_words(sentences, firsts))
        sizes = sentences.ends - sentences.starts
        return _kept(sentences, np.clip(self.bytes - _before(sizes, firsts), 0, sizes)) if self.bytes else sentences

    def cut_each(self, sentences: Lines, firsts: NDArray[np.int64]) -> Lines:
        """Return the sentences as the script reads them for L and W, where it does not add up their bytes.

        Each sentence of a text is cut to the limit, and the first that reaches it is the last of its text.
        """
        if not self.bytes:
            return self.cut(sentences, firsts)
        sizes = sentences.ends - sentences.starts
        ended = _before((sizes >= self.bytes).astype(np.int64), firsts) > 0
        return _kept(sentences, np.where(ended, 0, np.minimum(sizes, self.bytes)))

    def _in_words(self, sentences: Lines, firsts: NDArray[np.int64]) -> Ints:
        """Return how many bytes of each sentence count: int64 [sentences]."""
        texts = list(sentences.texts())
        words = [text.split() for text in texts]
        leads = [bool(own) and text[:1].isspace() for text, own in zip(texts, words, strict=True)]
        counts = np.array([len(own) + lead for own, lead in zip(words, leads, strict=True)], np.int64)
        left = self.words - _before(counts, firsts)
        sizes = np.where(left > 0, sentences.ends - sentences.starts, 0)
        for number in np.flatnonzero((left > 0) & (counts > left)).tolist():
            end = 0
            for word in words[number][: int(left[number]) - leads[number]]:
                end = texts[number].index(word, end) + len(word)
            sizes[number] = end
        return sizes


UNLIMITED_TEXT = Limit()
"""All of each text counts."""


def _before(counts: Ints, firsts: NDArray[np.int64]) -> Ints:
    """Return the sum of the counts of the sentences of the same text that come before each: int64 [sentences]."""
    sums = np.concatenate((np.zeros(1, np.int64), np.cumsum(counts)))
    before: Ints = sums[:-1] - np.repeat(sums[firsts[:-1]], np.diff(firsts))
    return before


def _kept(sentences: Lines, sizes: Ints) -> Lines:
    """Return sentences cut to so many bytes, or to fewer where that would be inside a character."""
    ends = sentences.starts + sizes
    mask, later = CONTINUED
    for number in np.flatnonzero(ends < sentences.ends).tolist():
        end, start = int(ends[number]), int(sentences.starts[number])
        while end > start and sentences.data[end] & mask == later:
            end -= 1
        ends[number] = end
    return sentences._replace(ends=ends)


def common(one: Encoded, two: Encoded) -> Encoded:
    """Return the tokens that both texts have in the same line, each as often as the text has it that has fewer."""
    first, second = _numbered(one), _numbered(two)
    both = np.intersect1d(first, second, assume_unique=True)
    offsets = np.searchsorted(both["line"], np.arange(len(one.offsets)), side="left").astype(np.int64)
    return Encoded(np.ascontiguousarray(both["id"]), offsets)


def _numbered(text: Encoded) -> NDArray[np.void]:
    """Return a row for each token: its line, its id, and how many equal ones of the line come before it."""
    lines = np.repeat(np.arange(len(text.offsets) - 1), np.diff(text.offsets))
    order = np.lexsort((text.ids, lines))
    rows = np.zeros(len(order), [("line", np.int64), ("id", np.int32), ("number", np.int64)])
    rows["line"], rows["id"] = lines[order], text.ids[order]
    new = np.ones(len(rows), bool)
    new[1:] = (rows["line"][1:] != rows["line"][:-1]) | (rows["id"][1:] != rows["id"][:-1])
    starts = np.flatnonzero(new)
    rows["number"] = np.arange(len(rows)) - np.repeat(starts, np.diff(np.append(starts, len(rows))))
    return rows
