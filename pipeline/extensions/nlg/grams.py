"""The n-grams of a shard as numbers, and how often those of all references occur.

The key of an n-gram is made of its tokens alone, so that it is the same in every shard. Two n-grams
have the same key by chance once in 2**64 pairs: among a million different n-grams, any two with a
probability of one in forty millions. The n-grams of a text are in the order in which they first
occur in it, so that sums of floats do not depend on shards."""

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline import kernel
from pipeline.arrays import Ints
from pipeline.kernel.common import Encoded, Lines, SharedGrams
from pipeline.metrics.base.statistics_spec import Columns, CorpusPass, Field, StatisticsSpec, Text
from pipeline.tokenizers.tokenization import Tokenization

EMPTY = 0x9E3779B97F4A7C15
"""The key of the n-gram without tokens."""


def token_key(token: bytes) -> int:
    """Return what the keys of n-grams are made of."""
    return int.from_bytes(blake2b(token, digest_size=8).digest(), "little")


def extended(keys: NDArray[np.uint64], tokens: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the keys of n-grams with one token more."""
    mixed = keys * np.uint64(0xBF58476D1CE4E5B9) + tokens
    for shift, factor in ((30, 0x94D049BB133111EB), (27, 0xD6E8FEB86659FD93)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return mixed ^ (mixed >> np.uint64(31))


class Grams(NamedTuple):
    """The n-grams of one length in all texts of a shard."""

    keys: Ints
    """The key of each, as a signed number."""
    shared: SharedGrams
    """Which text has which: a row is the number of a text times the lines of the shard, plus the
    line."""
    cut: int
    """How many entries are of references; those of outputs follow."""


class Shard:
    """The tokens of references and outputs, one text after the other: the references first."""

    def __init__(self, tokenization: Tokenization, text: Text) -> None:
        """Split and number the tokens; raises InvalidTextError for bytes that are not UTF-8."""
        words = tokenization.words([*text.references, *text.systems])
        self.references, self.lines = len(text.references), len(words.texts[0].offsets) - 1
        self.present = (
            np.ones((self.lines, self.references), bool) if text.missing is None else ~text.missing
        )
        """Which references each line has: bool [lines, references]."""
        lengths = np.concatenate([np.diff(own.offsets) for own in words.texts])
        ids = np.concatenate([own.ids for own in words.texts])
        absent = np.zeros(len(lengths), bool)
        absent[: self.references * self.lines] = ~self.present.T.ravel()
        if lengths[absent].any():  # tokens that stand for an empty text
            ids, lengths = ids[~np.repeat(absent, lengths)], np.where(absent, 0, lengths)
        self.lengths: Ints = lengths.reshape(-1, self.lines)
        """The number of tokens of each text: int64 [texts, lines]."""
        self._text = Encoded(ids, np.concatenate(([0], np.cumsum(lengths))))
        ends, data = words.ends.tolist(), words.data
        tokens = [token_key(data[low:high]) for low, high in zip([0, *ends], ends, strict=False)]
        self._tokens = np.array(tokens, np.uint64)

    def grams(self, order: int) -> Iterator[Grams]:
        """Yield the n-grams of the lengths from 1 to `order`."""
        keys = np.array([EMPTY], np.uint64)
        for shared in kernel.shared_ngrams(self._text, self.lines, self.references, order):
            keys = extended(keys[shared.shorter], self._tokens[shared.last])
            yield Grams(
                keys.view(np.int64),
                shared,
                int(np.searchsorted(shared.rows, self.references * self.lines)),
            )


ROWS = 1 << 15
"""So many lines of texts are counted at once, whatever the shards are: what is counted then fits in
fast memory."""


class InPieces(StatisticsSpec):
    """StatisticsSpec that count some lines after the other."""

    @abstractmethod
    def count_piece(self, text: Text) -> list[dict[str, Ints]]:
        """Do what count() does with some lines."""

    def count(self, text: Text) -> list[dict[str, Ints]]:
        """Return the columns of each system, counted piece by piece."""
        every = [*text.references, *text.systems]
        step = max(ROWS // len(every), 1)
        lows = range(0, len(every[0].starts) or 1, step)
        pieces = zip(*(self.count_piece(_cut(text, low, low + step)) for low in lows), strict=True)
        return [
            {name: np.concatenate([columns[name] for columns in own]) for name in own[0]}
            for own in pieces
        ]


def _cut(text: Text, low: int, high: int) -> Text:

    def cut(lines: Lines) -> Lines:
        return lines._replace(starts=lines.starts[low:high], ends=lines.ends[low:high])

    missing = None if text.missing is None else text.missing[low:high]
    references, systems = (list(map(cut, texts)) for texts in (text.references, text.systems))
    return text._replace(references=references, systems=systems, missing=missing)


class Times:
    """How often the n-grams of all references occur."""

    def __init__(self, keys: Ints, times: Ints) -> None:
        """Take sorted keys."""
        self._keys, self._times = keys, times

    def of(self, keys: Ints) -> Ints:
        """Return the numbers of n-grams, 0 for those that no reference has."""
        order = np.argsort(keys)  # what is looked up in order is found sooner
        places = np.empty(len(keys), np.int64)
        places[order] = np.minimum(np.searchsorted(self._keys, keys[order]), len(self._keys) - 1)
        return np.where(self._keys[places] == keys, self._times[places], 0)

    @cached_property
    def whole(self) -> int:
        """The number of the n-gram without tokens: of all tokens, or of all lines."""
        return int(self.of(np.array([EMPTY], np.uint64).view(np.int64))[0])


@dataclass(frozen=True)
class GramSurvey(InPieces, CorpusPass):
    """How often each n-gram of the references occurs in them, or how many lines have a reference
    with it.
    """

    tokenization: Tokenization = field()
    order: int
    by_line: bool = False
    """Whether lines are counted, each once whatever its references are."""
    source: bool = False
    columns: ClassVar[Any] = (Field("gram"), Field("times"))

    def count_piece(self, text: Text) -> list[dict[str, Ints]]:
        """Count the references of some lines."""
        shard = Shard(self.tokenization, text._replace(systems=[]))
        every = shard.lines if self.by_line else int(shard.lengths.sum())
        keys, times = [np.array([EMPTY], np.uint64).view(np.int64)], [np.array([every])]
        for own, shared, _ in shard.grams(self.order):
            if self.by_line:
                owners = np.empty(len(shared.most), np.int64)
                owners[shared.places] = shared.numbers
                counts = np.bincount(owners, minlength=len(own))
            else:
                counts = np.bincount(shared.numbers, shared.times, len(own)).astype(np.int64)
            keys.append(own)
            times.append(counts)
        return [{"gram": np.concatenate(keys), "times": np.concatenate(times)}]

    def reduced(self, columns: Columns) -> dict[str, Ints]:
        """Return a row for each n-gram, sorted by key."""
        order = np.argsort(columns["gram"], kind="stable")
        keys = columns["gram"][order]
        first = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
        return {"gram": keys[first], "times": np.add.reduceat(columns["times"][order], first)}

    def opened(self, columns: Columns) -> Times:
        """Return the rows as a table."""
        return Times(columns["gram"], columns["times"])


FRACTION = 40
"""Real numbers are kept as whole ones, so that sums are exact: 2**40 to the unit."""
HALF = FRACTION // 2


HALVES = ("", "_rest")
"""The ends of the names of terms that stand for real numbers."""


def fixed(values: Any) -> Ints:
    """Return real numbers as whole ones, with an error below 1e-12."""
    return np.rint(np.ldexp(np.asarray(values, np.float64), FRACTION)).astype(np.int64)


def parts(name: str, values: Ints) -> dict[str, Ints]:
    """Return terms for whole numbers that stand for real ones: their upper and lower halves, whose
    sums fit a float.
    """
    return {name + HALVES[0]: values >> HALF, name + HALVES[1]: values & ((1 << HALF) - 1)}


def real(name: str, totals: Columns) -> NDArray[np.float64]:
    """Return the real numbers that sums of parts() stand for."""
    value: NDArray[np.float64] = np.ldexp(
        totals[name] + np.ldexp(totals[name + HALVES[1]], -HALF), -HALF
    )
    return value
