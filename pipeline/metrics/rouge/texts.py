"""What ROUGE reads of a text: its sentences, limits to what counts, and warnings about texts
without a token.
"""

import functools
import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...arrays import Ints
from ...errors import InvalidTextError, LongTextError
from ...kernel.common import Encoded, Lines, join_lines
from ...tokenizers.tokenization import Tokenization
from ..base.capabilities import CountWarning
from ..base.statistics_spec import Columns

USUAL = r"(?<=[.!?])\s+"
"""Where a text is split that has to be split by a regular expression, but is not told by which."""
MATCHING = 10.0
"""Seconds of processor time that an expression may take for one text."""
MAX_PATTERN = 1000
"""Signs of an expression, and how often all that it has to repeat may stand in its program,
multiplied."""


@functools.cache
def expression(pattern: str) -> Any:
    """Return a regular expression, compiled. Raises ImportError without the package regex, and
    ValueError for no such.

    That package gives a text up after a time. Python's own engine cannot, and is for the usual
    expression alone."""
    if pattern == USUAL:
        return re.compile(pattern)
    import regex

    copies = np.prod(
        [float(number) for number in re.findall(r"\{(?:[0-9]*,(?=[0-9]))?([0-9]+)", pattern)]
    )
    if len(pattern) > MAX_PATTERN or copies > MAX_PATTERN:
        raise ValueError(
            f"more than {MAX_PATTERN:,} signs, or repeats of more than {MAX_PATTERN:,} times in all"
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
        return self.mode + (
            hashlib.blake2b(self.boundary.encode(), digest_size=4).hexdigest()
            if self.boundary
            else ""
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
        elif self.mode == "regex" and self.boundary != USUAL:
            version = ", engine='regex'"
        return f"Splitting(mode={self.mode!r}, boundary={self.boundary!r}{version})"

    def split(self, lines: Lines) -> tuple[Lines, NDArray[np.int64]]:
        """Return the sentences of all lines, and the index of each line's first sentence: int64
        [lines + 1].

        Boundaries are no part of sentences. For text 0, raises InvalidTextError if a regular
        expression meets bytes that are not UTF-8, and LongTextError if it takes more than MATCHING
        seconds."""
        if self.mode == "newline":
            return _at_newlines(lines)
        if self.mode == "none":
            return lines, np.arange(len(lines.starts) + 1, dtype=np.int64)
        cuts = [self._cuts(index, line) for index, line in enumerate(lines.texts())]
        bases = lines.starts.tolist()
        starts = [base + low for base, cut in zip(bases, cuts, strict=True) for low, _ in cut]
        ends = [base + high for base, cut in zip(bases, cuts, strict=True) for _, high in cut]
        firsts = np.cumsum([0, *(len(cut) for cut in cuts)], dtype=np.int64)
        return Lines(lines.data, np.array(starts, np.int64), np.array(ends, np.int64)), firsts

    def _cuts(self, index: int, line: bytes) -> list[tuple[int, int]]:
        """Return the sentences of a line as ranges of its bytes, by a marker, a regular expression
        or nltk.
        """
        spans, start = [], 0
        if self.mode == "marker":
            marker = self.boundary.encode()
            while (end := line.find(marker, start)) >= 0:
                spans.append((start, end))
                start = end + len(marker)
            return [*spans, (start, len(line))]
        try:
            text = line.decode()
        except UnicodeDecodeError as error:
            raise InvalidTextError(0, index, error.start) from None
        if self.mode == "regex":
            bound = {} if self.boundary == USUAL else {"timeout": MATCHING, "concurrent": True}
            try:
                for match in expression(self.boundary).finditer(text, **bound):
                    if match.end():
                        spans.append((start, match.start()))
                        start = match.end()
            except TimeoutError:
                message = (
                    f"takes more than {MATCHING:g} seconds to be split by boundary: {self.boundary}"
                )
                raise LongTextError(0, index, message) from None
            spans.append((start, len(text)))
        else:
            for sentence in _nltk_sentences(text):
                start = text.index(sentence, start)
                spans.append((start, start + len(sentence)))
                start += len(sentence)
        if text.isascii():
            return spans
        return [(len(text[:low].encode()), len(text[:high].encode())) for low, high in spans]

    def unavailable(self) -> str | None:
        """Return why texts cannot be split here, or None: nltk, its data or regex may be missing."""
        try:
            if self.mode == "nltk":
                _nltk_sentences("One. Two.")
            elif self.mode == "regex":
                expression(self.boundary)
        except ImportError as error:
            return f"split: {self.mode} needs the package {error.name}: pip install 'gec-pipeline[rouge]'"
        except LookupError:
            return (
                "split: nltk needs nltk's data for sentences: python -m nltk.downloader punkt_tab"
            )
        return None


@dataclass(frozen=True)
class SentenceTokens:
    """The tokens of a text, sentence by sentence. What stands between sentences, such as a marker,
    is no token.
    """

    tokenization: Tokenization
    splitting: Splitting

    def tokens(self, text: str) -> list[str]:
        """Return the tokens that are counted of a text."""
        sentences, _ = self.splitting.split(join_lines([text.encode()]))
        return [
            token
            for sentence in sentences.texts()
            for token in self.tokenization.tokens(sentence.decode())
        ]


def _nltk_sentences(text: str) -> list[str]:
    """Return the sentences of a text by nltk's splitter for English, of which each is a part of the
    text.
    """
    from nltk import sent_tokenize

    sentences: list[str] = sent_tokenize(text)
    return sentences


def _at_newlines(lines: Lines) -> tuple[Lines, NDArray[np.int64]]:
    """Split every line at the newlines inside it. Newlines between lines belong to none."""
    if (
        not len(lines.starts)
        or lines.data.find(b"\n", int(lines.starts.min()), int(lines.ends.max())) < 0
    ):
        return lines, np.arange(len(lines.starts) + 1, dtype=np.int64)
    lines = lines.trimmed()
    newlines = np.flatnonzero(np.frombuffer(lines.data, np.uint8) == ord("\n"))
    owners = np.searchsorted(lines.starts, newlines, side="right") - 1
    inside = (owners >= 0) & (newlines < lines.ends[owners])
    newlines, owners = newlines[inside], owners[inside]
    numbers = np.arange(len(lines.starts) + 1, dtype=np.int64)
    if not len(newlines):
        return lines, numbers
    starts = np.insert(lines.starts, owners + 1, newlines + 1)
    ends = np.insert(lines.ends, owners, newlines)
    return Lines(lines.data, starts, ends), numbers + np.searchsorted(owners, numbers)


# Limits to the words or bytes of a text that count: the options -l and -b of ROUGE-1.5.5.


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

        `firsts` is the index of each text's first sentence: int64 [texts + 1]. White space at the
        start of a sentence counts as a word, as in the script. A character that would be cut in two
        is left out."""
        sizes = sentences.ends - sentences.starts
        if not self.words:
            return (
                _kept(sentences, np.clip(self.bytes - _before(sizes, firsts), 0, sizes))
                if self.bytes
                else sentences
            )
        texts = list(sentences.texts())
        words = [text.split() for text in texts]
        leads = [bool(own) and text[:1].isspace() for text, own in zip(texts, words, strict=True)]
        counts = np.array(
            [len(own) + lead for own, lead in zip(words, leads, strict=True)], np.int64
        )
        left = self.words - _before(counts, firsts)
        sizes = np.where(left > 0, sizes, 0)
        for number in np.flatnonzero((left > 0) & (counts > left)).tolist():
            end = 0
            for word in words[number][: int(left[number]) - leads[number]]:
                end = texts[number].index(word, end) + len(word)
            sizes[number] = end
        return _kept(sentences, sizes)

    def cut_each(self, sentences: Lines, firsts: NDArray[np.int64]) -> Lines:
        """Return the sentences as the script reads them for L and W, where it does not add up their
        bytes.

        Each sentence of a text is cut to the limit, and the first that reaches it is the last of
        its text."""
        if not self.bytes:
            return self.cut(sentences, firsts)
        sizes = sentences.ends - sentences.starts
        ended = _before((sizes >= self.bytes).astype(np.int64), firsts) > 0
        return _kept(sentences, np.where(ended, 0, np.minimum(sizes, self.bytes)))


UNLIMITED_TEXT = Limit()
"""All of each text counts."""


def _before(counts: Ints, firsts: NDArray[np.int64]) -> Ints:
    """Return the sum of the counts of the sentences of the same text that come before each: int64
    [sentences].
    """
    sums = np.concatenate((np.zeros(1, np.int64), np.cumsum(counts)))
    before: Ints = sums[:-1] - np.repeat(sums[firsts[:-1]], np.diff(firsts))
    return before


def _kept(sentences: Lines, sizes: Ints) -> Lines:
    """Return sentences cut to so many bytes, or to fewer where that would be inside a character."""
    ends = sentences.starts + sizes
    for number in np.flatnonzero(ends < sentences.ends).tolist():
        end, start = int(ends[number]), int(sentences.starts[number])
        while end > start and sentences.data[end] & 0xC0 == 0x80:  # inside a character of UTF-8
            end -= 1
        ends[number] = end
    return sentences._replace(ends=ends)


def common(one: Encoded, two: Encoded) -> Encoded:
    """Return the tokens that both texts have in the same line, each as often as the text has it
    that has fewer.
    """
    first, second = _numbered(one), _numbered(two)
    both = np.intersect1d(first, second, assume_unique=True)
    offsets = np.searchsorted(both["line"], np.arange(len(one.offsets)), side="left").astype(
        np.int64
    )
    return Encoded(np.ascontiguousarray(both["id"]), offsets)


def _numbered(text: Encoded) -> NDArray[np.void]:
    """Return a row for each token: its line, its id, and how many equal ones of the line come
    before it.
    """
    lines = np.repeat(np.arange(len(text.offsets) - 1), np.diff(text.offsets))
    order = np.lexsort((text.ids, lines))
    rows = np.zeros(len(order), [("line", np.int64), ("id", np.int32), ("number", np.int64)])
    rows["line"], rows["id"] = lines[order], text.ids[order]
    new = np.ones(len(rows), bool)
    new[1:] = (rows["line"][1:] != rows["line"][:-1]) | (rows["id"][1:] != rows["id"][:-1])
    starts = np.flatnonzero(new)
    rows["number"] = np.arange(len(rows)) - np.repeat(starts, np.diff(np.append(starts, len(rows))))
    return rows


def notes(
    counts: Mapping[str, Iterable[Columns]], tokenizer: str, *, has_lsum: bool, cut: bool
) -> list[CountWarning]:
    """Return the notes about a data set, from the blocks of columns of each system.

    `cut` says that there is a limit to what counts of a text, or that stop words are left out.
    """
    empty: dict[tuple[str | None, int | None], tuple[int, int]] = {}
    """The first line, from 1, and the number of lines that have letters but no token: of each
    system and reference."""
    longest = 0
    for number, (name, blocks) in enumerate(counts.items()):
        line = 1
        for columns in blocks:
            texts: dict[tuple[str | None, int | None], Ints] = {
                (name, None): columns["hyp_emptied"]
            }
            if number == 0:
                texts |= {
                    (None, reference): column
                    for reference, column in enumerate(columns["ref_emptied"].T)
                }
            for text, emptied in texts.items():
                if emptied.any():
                    first, several = empty.get(text, (line + int(np.argmax(emptied)), 0))
                    empty[text] = first, several + int(np.count_nonzero(emptied))
            for sentences in ("hyp_sentences", "ref_sentences") if has_lsum else ():
                longest = max(longest, int(columns[sentences].max(initial=0)))
            line += len(columns["hyp_len"])
    warnings = [
        CountWarning(_emptied(several, tokenizer, cut), system, reference, first)
        for (system, reference), (first, several) in empty.items()
    ]
    about_systems = [warning for warning in warnings if warning.system is not None]
    result = sorted(
        (w for w in warnings if w.reference is not None), key=lambda warning: warning.reference or 0
    )
    if has_lsum and counts and longest <= 1:
        result.append(
            CountWarning(
                "rougeLsum is the same as rougeL: no text has more than one sentence (see `split`)"
            )
        )
    return result + about_systems


def _emptied(several: int, tokenizer: str, cut: bool) -> str:
    others = several - 1
    more = f" (nor have {others} more)" if others > 1 else " (nor has one more)" if others else ""
    if cut:
        return f"has letters, but no word of it counts{more}: each is left out, or none for the tokenizer {tokenizer}"
    return (
        f"has letters, but no token for the tokenizer {tokenizer}{more}: every score with it is 0; "
        "`tokenizer: unicode` reads all scripts, `tokenizer: char` suits Chinese and Japanese too"
    )
