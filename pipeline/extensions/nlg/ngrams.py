"""The n-grams of a shard as 64-bit keys, and their frequencies in all references.

The key of an n-gram is made of its tokens alone, so that it is the same in every shard. Two n-grams
have the same key by chance once in 2**64 pairs: among a million different n-grams, any two with a
probability of one in forty millions. The n-grams of a text are in the order in which they first
occur in it, so that sums of floats do not depend on shards.
"""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.arrays import Ints
from pipeline.kernel.common import Encoded, Lines
from pipeline.metrics.base import (
    Columns,
    CorpusPass,
    Field,
    StatisticsSpec,
    Text,
)
from pipeline.tokenizers import Tokenization

from . import kernel as ngram_kernel
from .kernel.counted_ngrams import SharedGrams

Keys = NDArray[np.uint64]

EMPTY = np.array([0x9E3779B97F4A7C15], np.uint64)
"""The key of the n-gram without tokens, in an array."""


def token_key(token: bytes) -> int:
    """Return the 64-bit hash from which the keys of n-grams with a token are made."""
    return int.from_bytes(blake2b(token, digest_size=8).digest(), "little")


def extended(keys: Keys, tokens: Keys) -> Keys:
    """Return the keys of n-grams with one token more."""
    mixed = keys * np.uint64(0xBF58476D1CE4E5B9) + tokens
    for shift, factor in ((30, 0x94D049BB133111EB), (27, 0xD6E8FEB86659FD93)):
        mixed = mixed ^ (mixed >> np.uint64(shift))
        mixed = mixed * np.uint64(factor)
    return mixed ^ (mixed >> np.uint64(31))


class Entries(NamedTuple):
    """N-grams of rows, as SharedGrams has them: int64 [entries] each."""

    rows: Ints
    numbers: Ints
    times: Ints
    indexes: Ints
    """Where SharedGrams.most has the n-gram of the row's line; -1 if no reference has it."""


class Ngrams(NamedTuple):
    """The n-grams of one length in all texts of a shard."""

    keys: Ints
    """The key of each, as a signed number."""
    shared: SharedGrams
    """Which text has which: a row is the number of a text times the lines of the shard, plus the
    line.
    """
    reference_entries: int
    """The number of entries of references; those of outputs follow."""

    def of_references(self) -> Entries:
        """Return the entries of references."""
        return self._entries(slice(self.reference_entries))

    def of_outputs(self) -> Entries:
        """Return the entries of outputs."""
        return self._entries(slice(self.reference_entries, None))

    def _entries(self, part: slice) -> Entries:
        shared = self.shared
        columns = (shared.rows, shared.numbers, shared.times, shared.slots)
        return Entries(*(column[part] for column in columns))


class ShardTokens:
    """The tokens of references and outputs, one text after the other: the references first."""

    def __init__(self, tokenization: Tokenization, text: Text) -> None:
        """Split and number the tokens; raises InvalidTextError for bytes that are not UTF-8."""
        words = tokenization.words([*text.references, *text.systems])
        self.references = len(text.references)
        self.lines = len(words.texts[0].offsets) - 1
        # which references each line has: bool [lines, references]
        if text.missing is None:
            self.present = np.ones((self.lines, self.references), bool)
        else:
            self.present = ~text.missing
        lengths = np.concatenate(
            [np.diff(encoded.offsets) for encoded in words.texts]
        )
        ids = np.concatenate([encoded.ids for encoded in words.texts])
        # missing references have no tokens, not even those that stand for an empty text
        missing = np.zeros(len(lengths), bool)
        missing[: self.references * self.lines] = ~self.present.T.ravel()
        if lengths[missing].any():
            ids = ids[~np.repeat(missing, lengths)]
            lengths = np.where(missing, 0, lengths)
        self.lengths: Ints = lengths.reshape(-1, self.lines)
        """The number of tokens of each text: int64 [texts, lines]."""
        offsets = np.concatenate(([0], np.cumsum(lengths)))
        self._text = Encoded(ids, offsets)
        ends = words.ends.tolist()
        tokens = (words.data[start:end] for start, end in pairwise([0, *ends]))
        self._token_keys = np.array(list(map(token_key, tokens)), np.uint64)

    def ngrams(self, order: int) -> Iterator[Ngrams]:
        """Yield the n-grams of the lengths from 1 to `order`."""
        keys = EMPTY
        first_output_row = self.references * self.lines
        for shared in ngram_kernel.shared_ngrams(
            self._text,
            self.lines,
            self.references,
            order,
        ):
            keys = extended(keys[shared.shorter], self._token_keys[shared.last])
            reference_entries = int(
                np.searchsorted(shared.rows, first_output_row)
            )
            yield Ngrams(keys.view(np.int64), shared, reference_entries)


CHUNK_LINES = 1 << 15
"""Lines of all texts together that are counted at once, however large shards are: their counts fit
in fast memory.
"""


class ChunkedSpec(StatisticsSpec):
    """Statistics that are counted for some lines after the other."""

    @abstractmethod
    def count_chunk(self, text: Text) -> list[dict[str, Ints]]:
        """Return the columns of each system for some lines, as count() does."""

    def count(self, text: Text) -> list[dict[str, Ints]]:
        """Return the columns of each system, counted chunk by chunk."""
        texts = [*text.references, *text.systems]
        size = max(CHUNK_LINES // len(texts), 1)
        lines = len(texts[0].starts)
        chunks = []
        for start in range(0, lines or 1, size):
            chunks.append(
                self.count_chunk(_lines_between(text, start, start + size))
            )
        return [
            _concatenated(of_chunks) for of_chunks in zip(*chunks, strict=True)
        ]


def _concatenated(chunks: Sequence[dict[str, Ints]]) -> dict[str, Ints]:
    """Return the columns of all lines from those of chunks."""
    columns = {}
    for name in chunks[0]:
        columns[name] = np.concatenate([chunk[name] for chunk in chunks])
    return columns


def _lines_between(text: Text, start: int, end: int) -> Text:
    """Return some lines of references and outputs."""
    lines = slice(start, end)

    def cut(texts: Sequence[Lines]) -> list[Lines]:
        return [
            text._replace(starts=text.starts[lines], ends=text.ends[lines])
            for text in texts
        ]

    return text._replace(
        references=cut(text.references),
        systems=cut(text.systems),
        missing=None if text.missing is None else text.missing[lines],
    )


class Frequencies:
    """How often the n-grams of all references occur."""

    def __init__(self, keys: Ints, times: Ints) -> None:
        """Take sorted keys."""
        self._keys = keys
        self._times = times

    def of(self, keys: Ints) -> Ints:
        """Return the frequencies of n-grams, 0 for those that no reference has."""
        order = np.argsort(keys)  # searches in order are faster
        indexes = np.empty(len(keys), np.int64)
        last = len(self._keys) - 1
        found = np.searchsorted(self._keys, keys[order])
        indexes[order] = np.minimum(found, last)
        is_known = self._keys[indexes] == keys
        return np.where(is_known, self._times[indexes], 0)

    @cached_property
    def total(self) -> int:
        """The frequency of the n-gram without tokens: the number of all tokens, or of all lines."""
        return int(self.of(EMPTY.view(np.int64))[0])


@dataclass(frozen=True)
class GramSurvey(ChunkedSpec, CorpusPass):
    """The frequencies of the n-grams of the references, or in how many lines a reference has them.

    The class name is part of the keys of stored counts.
    """

    tokenization: Tokenization = field()
    order: int
    by_line: bool = False
    """Whether lines are counted, each once whatever its references are."""
    source: bool = False
    columns: ClassVar[Any] = (Field("gram"), Field("times"))

    def count_chunk(self, text: Text) -> list[dict[str, Ints]]:
        """Count the references of some lines."""
        shard = ShardTokens(self.tokenization, text._replace(systems=[]))
        total = shard.lines if self.by_line else int(shard.lengths.sum())
        keys = [EMPTY.view(np.int64)]
        times = [np.array([total])]
        for ngrams in shard.ngrams(self.order):
            shared = ngrams.shared
            distinct = len(ngrams.keys)
            if self.by_line:
                numbers = np.empty(len(shared.most), np.int64)
                numbers[shared.slots] = shared.numbers
                counts = np.bincount(numbers, minlength=distinct)
            else:
                sums = np.bincount(shared.numbers, shared.times, distinct)
                counts = sums.astype(np.int64)
            keys.append(ngrams.keys)
            times.append(counts)
        return [{"gram": np.concatenate(keys), "times": np.concatenate(times)}]

    def reduced(self, columns: Columns) -> dict[str, Ints]:
        """Return a row for each n-gram, sorted by key."""
        order = np.argsort(columns["gram"], kind="stable")
        keys = columns["gram"][order]
        is_first = np.concatenate(([True], keys[1:] != keys[:-1]))
        starts = np.flatnonzero(is_first)
        times = np.add.reduceat(columns["times"][order], starts)
        return {"gram": keys[starts], "times": times}

    def opened(self, columns: Columns) -> Frequencies:
        """Return the rows as a table."""
        return Frequencies(columns["gram"], columns["times"])


# --- real numbers as whole ones


FRACTION_BITS = 40
"""Real numbers are stored as multiples of 2**-40, so that sums are exact."""
LOWER_BITS = FRACTION_BITS // 2
"""The bits of the lower half of such a number."""
HALVES = ("", "_rest")
"""The suffixes of the names of terms that are the halves of a number: the upper and the lower one.
"""


def fixed(values: Any) -> Ints:
    """Return real numbers as whole ones, with an error below 1e-12."""
    scaled = np.ldexp(np.asarray(values, np.float64), FRACTION_BITS)
    return np.rint(scaled).astype(np.int64)


def halves(name: str, values: Ints) -> dict[str, Ints]:
    """Return numbers of fixed() as terms: their upper and lower halves, whose sums fit a float."""
    lower = values & ((1 << LOWER_BITS) - 1)
    return {name + HALVES[0]: values >> LOWER_BITS, name + HALVES[1]: lower}


def real(name: str, totals: Columns) -> NDArray[np.float64]:
    """Return the real numbers of sums of halves()."""
    upper = totals[name + HALVES[0]]
    lower = np.ldexp(totals[name + HALVES[1]], -LOWER_BITS)
    value: NDArray[np.float64] = np.ldexp(upper + lower, -LOWER_BITS)
    return value
