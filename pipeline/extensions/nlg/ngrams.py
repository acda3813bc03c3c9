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
    """Return the keys of n-grams with one token more, from the keys of n-grams and of tokens.

    They are mixed by the steps of the generator SplitMix64, modulo 2**64.
    """
    mixed = keys * np.uint64(0xBF58476D1CE4E5B9) + tokens
    for shift, factor in ((30, 0x94D049BB133111EB), (27, 0xD6E8FEB86659FD93)):
        mixed = mixed ^ (mixed >> np.uint64(shift))
        mixed = mixed * np.uint64(factor)
    return mixed ^ (mixed >> np.uint64(31))


class Entries(NamedTuple):
    """Entries of SharedGrams, each an n-gram of a row: int64 [entries] each."""

    rows: Ints
    numbers: Ints
    """The number of the n-gram, its index in Ngrams.keys."""
    times: Ints
    """How often the row has it."""
    slots: Ints
    """Its index in SharedGrams.most; -1 if no reference of the line has it."""


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
        """How many references there are."""
        self.lines = len(words.texts[0].offsets) - 1
        """How many lines there are."""
        self.present = np.ones((self.lines, self.references), bool)
        """Which references each line has: bool [lines, references]."""
        if text.missing is not None:
            self.present = ~text.missing

        # all texts as one: their lines, text after text, are its rows
        ids = np.concatenate([encoded.ids for encoded in words.texts])
        lengths = np.concatenate(
            [np.diff(encoded.offsets) for encoded in words.texts]
        )

        # missing references have no tokens, not even those that stand for an empty text
        is_missing = np.zeros(len(lengths), bool)
        is_missing[: self.references * self.lines] = ~self.present.T.ravel()
        if lengths[is_missing].any():
            ids = ids[~np.repeat(is_missing, lengths)]
            lengths = np.where(is_missing, 0, lengths)
        self.lengths: Ints = lengths.reshape(-1, self.lines)
        """The number of tokens of each text: int64 [texts, lines]."""
        offsets = np.concatenate(([0], np.cumsum(lengths)))
        self._rows = Encoded(ids, offsets)

        # the key of each distinct token, by its id
        keys = []
        for start, end in pairwise([0, *words.ends.tolist()]):
            keys.append(token_key(words.data[start:end]))
        self._token_keys = np.array(keys, np.uint64)

    def ngrams(self, order: int) -> Iterator[Ngrams]:
        """Yield the n-grams of each length from 1 to `order`."""
        keys = EMPTY  # of the n-grams that are one token shorter
        first_output_row = self.references * self.lines
        for shared in ngram_kernel.shared_ngrams(
            self._rows,
            self.lines,
            self.references,
            order,
        ):
            keys = extended(keys[shared.shorter], self._token_keys[shared.last])
            reference_entries = int(
                np.searchsorted(shared.rows, first_output_row)
            )
            # signed, since columns of counts are int64
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
        """Return the columns of each system (arrays whose first axis is lines, by name).

        They are counted for at most CHUNK_LINES lines of all texts at once. A shard without lines
        is a chunk too, since its columns need their shapes.
        """
        texts = [*text.references, *text.systems]
        chunk_lines = max(CHUNK_LINES // len(texts), 1)
        lines = len(texts[0].starts)
        chunks = []
        for start in range(0, max(lines, 1), chunk_lines):
            chunk = _lines_between(text, start, start + chunk_lines)
            chunks.append(self.count_chunk(chunk))
        columns_of_systems = []
        for chunks_of_system in zip(*chunks, strict=True):
            columns = {}
            for name in chunks_of_system[0]:
                parts = [chunk[name] for chunk in chunks_of_system]
                columns[name] = np.concatenate(parts)
            columns_of_systems.append(columns)
        return columns_of_systems


def _lines_between(text: Text, start: int, end: int) -> Text:
    """Return the lines start <= i < end of references and outputs."""
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
    """The frequency of each n-gram in the references of a data set."""

    def __init__(self, keys: Ints, times: Ints) -> None:
        """Take the keys of n-grams, sorted, and their frequencies: int64 [n-grams] each."""
        self._keys = keys
        self._times = times

    def of(self, keys: Ints) -> Ints:
        """Return the frequencies of n-grams, by their keys; 0 for those that no reference has."""
        order = np.argsort(keys)  # searches in order are faster
        found = np.searchsorted(self._keys, keys[order])
        indexes = np.empty(len(keys), np.int64)
        # a key above all known ones is found behind the last
        indexes[order] = np.minimum(found, len(self._keys) - 1)
        is_known = self._keys[indexes] == keys
        return np.where(is_known, self._times[indexes], 0)

    @cached_property
    def total(self) -> int:
        """The frequency of the n-gram without tokens: the number of all tokens, or of all lines."""
        return int(self.of(EMPTY.view(np.int64))[0])


@dataclass(frozen=True)
class GramSurvey(ChunkedSpec, CorpusPass):
    """Counts the n-grams of a data set's references before the metric counts outputs.

    The frequency of an n-gram is how often references have it or, with `by_line`, in how many lines
    a reference has it. (The class name is part of the keys of stored counts.)
    """

    tokenization: Tokenization = field()
    order: int
    by_line: bool = False
    """Whether lines are counted, each once whatever its references are."""
    source: bool = False
    columns: ClassVar[Any] = (Field("gram"), Field("times"))

    def count_chunk(self, text: Text) -> list[dict[str, Ints]]:
        """Return the keys and the frequencies of the n-grams in the references of some lines.

        The columns gram and times are int64 [n-grams]. First comes the n-gram without tokens, whose
        frequency is the number of all tokens or, with `by_line`, of lines.
        """
        shard = ShardTokens(self.tokenization, text._replace(systems=[]))
        total = shard.lines if self.by_line else int(shard.lengths.sum())
        keys = [EMPTY.view(np.int64)]
        times = [np.array([total])]
        for ngrams in shard.ngrams(self.order):
            shared = ngrams.shared
            distinct = len(ngrams.keys)
            if self.by_line:
                # a slot is an n-gram of a line: all its entries have the same number
                numbers_of_slots = np.empty(len(shared.most), np.int64)
                numbers_of_slots[shared.slots] = shared.numbers
                frequencies = np.bincount(numbers_of_slots, minlength=distinct)
            else:
                sums = np.bincount(shared.numbers, shared.times, distinct)
                frequencies = sums.astype(np.int64)
            keys.append(ngrams.keys)
            times.append(frequencies)
        return [{"gram": np.concatenate(keys), "times": np.concatenate(times)}]

    def reduced(self, columns: Columns) -> dict[str, Ints]:
        """Sum the frequencies of equal n-grams; return a row for each n-gram, sorted by key."""
        order = np.argsort(columns["gram"], kind="stable")
        keys = columns["gram"][order]
        is_first = np.concatenate(([True], keys[1:] != keys[:-1]))
        starts = np.flatnonzero(is_first)
        times = np.add.reduceat(columns["times"][order], starts)
        return {"gram": keys[starts], "times": times}

    def opened(self, columns: Columns) -> Frequencies:
        """Return the reduced rows of all shards as a table to look n-grams up in."""
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
    """Return real numbers as whole multiples of 2**-40, with an error below 1e-12."""
    scaled = np.ldexp(np.asarray(values, np.float64), FRACTION_BITS)
    return np.rint(scaled).astype(np.int64)


def halves(name: str, fixed_numbers: Ints) -> dict[str, Ints]:
    """Return numbers of fixed() as two terms: their upper and lower halves, whose sums fit a float.

    The names of the terms are the name of the column with each of HALVES.
    """
    upper = fixed_numbers >> LOWER_BITS
    lower = fixed_numbers & ((1 << LOWER_BITS) - 1)
    return {name + HALVES[0]: upper, name + HALVES[1]: lower}


def real(name: str, totals: Columns) -> NDArray[np.float64]:
    """Return the sums of real numbers from the sums of their halves(), which `totals` has."""
    upper = totals[name + HALVES[0]]
    lower = np.ldexp(totals[name + HALVES[1]], -LOWER_BITS)
    sums: NDArray[np.float64] = np.ldexp(upper + lower, -LOWER_BITS)
    return sums
