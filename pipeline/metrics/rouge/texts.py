"""What ROUGE reads of a text: sentences, limits to what counts, and warnings about empty texts."""

import functools
import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...arrays import Ints
from ...errors import InvalidTextError, LongTextError
from ...kernel.common import Encoded, Lines, join_lines
from ...tokenizers import Tokenization, inner_newlines
from ..base import Columns, CountWarning

SENTENCE_END = r"(?<=[.!?])\s+"
"""The default regular expression between sentences."""
MAX_MATCH_SECONDS = 10.0
"""Seconds of processor time that an expression may take for one text."""
MAX_PATTERN = 1000
"""The largest number of signs of an expression, and of its numbers of repeats multiplied."""


_REPEATS = re.compile(r"\{(?:[0-9]*,(?=[0-9]))?([0-9]+)")


@functools.cache
def expression(pattern: str) -> Any:
    """Return a compiled regular expression.

    Expressions other than SENTENCE_END are those of the package regex, which stops after a time,
    unlike Python's own. Raises ImportError without the package, and ValueError for no expression.
    """
    if pattern == SENTENCE_END:
        return re.compile(pattern)
    import regex

    repeats = np.prod([float(number) for number in _REPEATS.findall(pattern)])
    if len(pattern) > MAX_PATTERN or repeats > MAX_PATTERN:
        limit = f"{MAX_PATTERN:,}"
        raise ValueError(
            f"more than {limit} signs, or repeats of more than {limit} times in all"
        )
    try:
        return regex.compile(pattern)
    except (regex.error, RecursionError, OverflowError, MemoryError) as error:
        raise ValueError(str(error)) from None


class Splitting(NamedTuple):
    """How a text is split into sentences."""

    mode: str = "newline"
    """newline, marker, regex, nltk or none."""
    boundary: str = ""
    """The marker or the regular expression."""

    @property
    def key(self) -> str:
        """A short name, safe in file names, that is different for every splitting."""
        if not self.boundary:
            return self.mode
        return (
            self.mode
            + hashlib.blake2b(self.boundary.encode(), digest_size=4).hexdigest()
        )

    @property
    def cache_key(self) -> str:
        """The text that stands for the splitting in the keys of stored counts."""
        version = ""
        if self.mode == "nltk":  # its sentences depend on the version
            from importlib import metadata

            try:
                version = f", version={metadata.version('nltk')!r}"
            except metadata.PackageNotFoundError:
                version = ", version=''"
        elif self.mode == "regex" and self.boundary != SENTENCE_END:
            version = ", engine='regex'"
        return f"Splitting(mode={self.mode!r}, boundary={self.boundary!r}{version})"

    def split(self, lines: Lines) -> tuple[Lines, Ints]:
        """Return the sentences of all lines, and the index of each line's first sentence.

        The indices are int64 [lines + 1]. Boundaries are no part of sentences. For text 0, raises
        InvalidTextError if a regular expression meets bytes that are not UTF-8, and LongTextError
        if it takes more than MAX_MATCH_SECONDS.
        """
        if self.mode == "newline":
            return _at_newlines(lines)
        if self.mode == "none":
            return lines, np.arange(len(lines.starts) + 1, dtype=np.int64)
        starts = []
        ends = []
        firsts = [0]
        for index, line in enumerate(lines.texts()):
            base = int(lines.starts[index])
            for low, high in self._spans(index, line):
                starts.append(base + low)
                ends.append(base + high)
            firsts.append(len(starts))
        sentences = Lines(
            lines.data, np.array(starts, np.int64), np.array(ends, np.int64)
        )
        return sentences, np.array(firsts, np.int64)

    def _spans(self, index: int, line: bytes) -> list[tuple[int, int]]:
        """Return the sentences of a line as ranges of its bytes."""
        if self.mode == "marker":
            return self._between_markers(line)
        try:
            text = line.decode()
        except UnicodeDecodeError as error:
            raise InvalidTextError(0, index, error.start) from None
        if self.mode == "regex":
            spans = self._between_matches(index, text)
        else:
            spans = []
            start = 0
            for sentence in _nltk_sentences(text):
                start = text.index(sentence, start)
                spans.append((start, start + len(sentence)))
                start += len(sentence)
        if text.isascii():
            return spans
        return [
            (len(text[:low].encode()), len(text[:high].encode()))
            for low, high in spans
        ]

    def _between_markers(self, line: bytes) -> list[tuple[int, int]]:
        """Return the ranges of bytes between markers."""
        marker = self.boundary.encode()
        spans = []
        start = 0
        end = line.find(marker)
        while end >= 0:
            spans.append((start, end))
            start = end + len(marker)
            end = line.find(marker, start)
        spans.append((start, len(line)))
        return spans

    def _between_matches(self, index: int, text: str) -> list[tuple[int, int]]:
        """Return the ranges of characters between matches of the regular expression."""
        time_limit: dict[str, Any] = {}
        if self.boundary != SENTENCE_END:
            time_limit = {"timeout": MAX_MATCH_SECONDS, "concurrent": True}
        spans = []
        start = 0
        try:
            for match in expression(self.boundary).finditer(text, **time_limit):
                if match.end():
                    spans.append((start, match.start()))
                    start = match.end()
        except TimeoutError:
            seconds = f"{MAX_MATCH_SECONDS:g} seconds"
            message = f"takes more than {seconds} to be split by boundary: {self.boundary}"
            raise LongTextError(0, index, message) from None
        spans.append((start, len(text)))
        return spans

    def unavailable(self) -> str | None:
        """Return why texts cannot be split here, or None: a package or its data may be missing."""
        try:
            if self.mode == "nltk":
                _nltk_sentences("One. Two.")
            elif self.mode == "regex":
                expression(self.boundary)
        except ImportError as error:
            return (
                f"split: {self.mode} needs the package {error.name}: "
                "pip install 'gec-pipeline[rouge]'"
            )
        except LookupError:
            return "split: nltk needs nltk's data for sentences: python -m nltk.downloader punkt_tab"
        return None


@dataclass(frozen=True)
class SentenceTokens:
    """The tokens of a text, sentence by sentence. A marker between sentences is no token."""

    tokenization: Tokenization
    splitting: Splitting

    def tokens(self, text: str) -> list[str]:
        """Return the tokens that are counted of a text."""
        sentences, _ = self.splitting.split(join_lines([text.encode()]))
        tokens = []
        for sentence in sentences.texts():
            tokens += self.tokenization.tokens(sentence.decode())
        return tokens


def _nltk_sentences(text: str) -> list[str]:
    """Return the sentences that nltk's splitter for English finds in a text."""
    from nltk import sent_tokenize

    sentences: list[str] = sent_tokenize(text)
    return sentences


def _at_newlines(lines: Lines) -> tuple[Lines, Ints]:
    """Split every line at the newlines inside it. Newlines between lines belong to none."""
    numbers = np.arange(len(lines.starts) + 1, dtype=np.int64)
    if not len(lines.starts):
        return lines, numbers
    if (
        lines.data.find(b"\n", int(lines.starts.min()), int(lines.ends.max()))
        < 0
    ):
        return lines, numbers
    lines = lines.trimmed()
    newlines, owners = inner_newlines(lines)
    if not len(newlines):
        return lines, numbers
    starts = np.insert(lines.starts, owners + 1, newlines + 1)
    ends = np.insert(lines.ends, owners, newlines)
    return Lines(lines.data, starts, ends), numbers + np.searchsorted(
        owners, numbers
    )


# Limits to the words or bytes of a text that count: the options -l and -b of ROUGE-1.5.5.


class Limit(NamedTuple):
    """How much of each text counts. At most one of the numbers is not 0."""

    words: int = 0
    """The number of words between white space, before they become tokens. 0: all."""
    bytes: int = 0
    """The number of bytes with white space, without the newlines between sentences. 0: all."""

    @property
    def key(self) -> str:
        """A short name, safe in file names; empty without a limit."""
        if self.words:
            return f"w{self.words}"
        if self.bytes:
            return f"b{self.bytes}"
        return ""

    def cut(self, sentences: Lines, firsts: Ints) -> Lines:
        """Return the sentences without what is beyond the limit of their text.

        `firsts` is the index of each text's first sentence: int64 [texts + 1]. White space at the
        start of a sentence counts as a word, as in the script. A character that would be cut in two
        is left out.
        """
        sizes = sentences.ends - sentences.starts
        if self.bytes:
            left = self.bytes - _sum_before(sizes, firsts)
            return _cut_to(sentences, np.clip(left, 0, sizes))
        if not self.words:
            return sentences
        texts = list(sentences.texts())
        words = [text.split() for text in texts]
        leads = []
        for text, words_of_text in zip(texts, words, strict=True):
            leads.append(bool(words_of_text) and text[:1].isspace())
        counts = np.array(list(map(len, words)), np.int64) + np.array(
            leads, np.int64
        )
        left = self.words - _sum_before(counts, firsts)
        sizes = np.where(left > 0, sizes, 0)
        for number in np.flatnonzero((left > 0) & (counts > left)).tolist():
            end = 0
            for word in words[number][: int(left[number]) - leads[number]]:
                end = texts[number].index(word, end) + len(word)
            sizes[number] = end
        return _cut_to(sentences, sizes)

    def cut_each(self, sentences: Lines, firsts: Ints) -> Lines:
        """Return the sentences as the script reads them for L and W, where it adds up no bytes.

        Each sentence of a text is cut to the limit, and the first that reaches it is the last of
        its text.
        """
        if not self.bytes:
            return self.cut(sentences, firsts)
        sizes = sentences.ends - sentences.starts
        ended = _sum_before((sizes >= self.bytes).astype(np.int64), firsts) > 0
        return _cut_to(
            sentences, np.where(ended, 0, np.minimum(sizes, self.bytes))
        )


UNLIMITED_TEXT = Limit()
"""All of each text counts."""


def _sum_before(counts: Ints, firsts: Ints) -> Ints:
    """Return the sums of the counts of earlier sentences of the same text: int64 [sentences]."""
    sums = np.concatenate((np.zeros(1, np.int64), np.cumsum(counts)))
    before: Ints = sums[:-1] - np.repeat(sums[firsts[:-1]], np.diff(firsts))
    return before


def _cut_to(sentences: Lines, sizes: Ints) -> Lines:
    """Return sentences cut to numbers of bytes, or to fewer so that no character is cut in two."""
    ends = sentences.starts + sizes
    for number in np.flatnonzero(ends < sentences.ends).tolist():
        start = int(sentences.starts[number])
        end = int(ends[number])
        # inside a character of UTF-8
        while end > start and sentences.data[end] & 0xC0 == 0x80:
            end -= 1
        ends[number] = end
    return sentences._replace(ends=ends)


def common(one: Encoded, two: Encoded) -> Encoded:
    """Return the tokens that both texts have in the same line, with the smaller of their counts."""
    both = np.intersect1d(
        _numbered(one),
        _numbered(two),
        assume_unique=True,
    )
    lines = np.arange(len(one.offsets))
    offsets = np.searchsorted(both["line"], lines, side="left").astype(np.int64)
    return Encoded(np.ascontiguousarray(both["id"]), offsets)


def _numbered(text: Encoded) -> NDArray[np.void]:
    """Return a row for each token: line, id, and number of equal tokens before it in the line."""
    lines = np.repeat(np.arange(len(text.offsets) - 1), np.diff(text.offsets))
    order = np.lexsort((text.ids, lines))
    rows = np.zeros(
        len(order),
        [
            ("line", np.int64),
            ("id", np.int32),
            ("number", np.int64),
        ],
    )
    rows["line"] = lines[order]
    rows["id"] = text.ids[order]
    is_new = np.ones(len(rows), bool)
    other_line = rows["line"][1:] != rows["line"][:-1]
    is_new[1:] = other_line | (rows["id"][1:] != rows["id"][:-1])
    starts = np.flatnonzero(is_new)
    counts = np.diff(np.append(starts, len(rows)))
    rows["number"] = np.arange(len(rows)) - np.repeat(starts, counts)
    return rows


@dataclass
class EmptiedLines:
    """The lines of a text that have letters but no token."""

    first: int = 0
    """The number of the first, from 1."""
    count: int = 0

    def add(self, is_emptied: Ints, line: int) -> None:
        """Add the lines of a block, which begins with this line."""
        count = int(np.count_nonzero(is_emptied))
        if count and not self.count:
            self.first = line + int(np.argmax(is_emptied))
        self.count += count

    def message(self, tokenizer: str, *, cut: bool) -> str:
        """Return the text of the warning."""
        others = self.count - 1
        more = ""
        if others == 1:
            more = " (nor has one more)"
        elif others:
            more = f" (nor have {others} more)"
        if cut:
            return (
                f"has letters, but no word of it counts{more}: each is left out, "
                f"or none for the tokenizer {tokenizer}"
            )
        return (
            f"has letters, but no token for the tokenizer {tokenizer}{more}: every score with it is 0; "
            "`tokenizer: unicode` reads all scripts, `tokenizer: char` suits Chinese and Japanese too"
        )


def count_warnings(
    counts: Mapping[str, Iterable[Columns]],
    tokenizer: str,
    *,
    has_lsum: bool,
    cut: bool,
) -> list[CountWarning]:
    """Return the warnings about a data set, from the blocks of columns of each system.

    `cut` says that there is a limit to what counts of a text, or that stop words are left out.
    """
    systems: dict[str, EmptiedLines] = defaultdict(EmptiedLines)
    references: dict[int, EmptiedLines] = defaultdict(EmptiedLines)
    most_sentences = 0
    for number, (name, blocks) in enumerate(counts.items()):
        line = 1
        for columns in blocks:
            systems[name].add(columns["hyp_emptied"], line)
            if number == 0:
                for reference, is_emptied in enumerate(
                    columns["ref_emptied"].T
                ):
                    references[reference].add(is_emptied, line)
            for side in ("hyp_sentences", "ref_sentences"):
                largest = int(columns[side].max(initial=0))
                most_sentences = max(most_sentences, largest)
            line += len(columns["hyp_len"])
    warnings = []
    for reference, lines in references.items():
        if lines.count:
            message = lines.message(tokenizer, cut=cut)
            warnings.append(CountWarning(message, None, reference, lines.first))
    if has_lsum and counts and most_sentences <= 1:
        message = "rougeLsum is the same as rougeL: no text has more than one sentence (see `split`)"
        warnings.append(CountWarning(message))
    for system, lines in systems.items():
        if lines.count:
            message = lines.message(tokenizer, cut=cut)
            warnings.append(CountWarning(message, system, None, lines.first))
    return warnings
