"""The n-grams of a shard as numbers, and how often those of all references occur.

The key of an n-gram is made of its tokens alone, so that it is the same in every shard. Two n-grams have the same key
by chance once in 2**64 pairs: among a million different n-grams, any two with a probability of one in forty millions.
What is sorted by keys has the same order whatever the shards are, and so have sums of floats.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from ..base.needs import Field, Survey

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from ...arrays import Ints
    from ...tokenizers.tokenization import Tokenization
    from ..base.needs import Columns, Text

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
    """The n-grams of one length in all texts of a shard, in the order of texts and their tokens."""

    rows: Ints
    """Where each stands: the number of the text times the lines of the shard, plus the number of the line."""
    numbers: Ints
    """The number of each, from 0 in the order of keys."""
    keys: Ints
    """The keys, by number, as signed numbers."""
    shorter: Ints
    """The number of the n-gram without the last token, by number: its place in the keys of the length below."""


class Shard:
    """The tokens of references and outputs, one text after the other: the references first."""

    def __init__(self, tokenization: Tokenization, text: Text) -> None:
        """Split and number the tokens; raises InvalidTextError for bytes that are not UTF-8."""
        words = tokenization.words([*text.references, *text.systems])
        self.references, self.lines = len(text.references), len((*text.references, *text.systems)[0].starts)
        self.present = np.ones((self.lines, self.references), bool)
        """Which references each line has: bool [lines, references]."""
        if text.missing is not None:
            self.present = ~text.missing
        lengths = np.concatenate([np.diff(own.offsets) for own in words.texts])
        self._ids = np.concatenate([own.ids for own in words.texts])
        absent = np.zeros(len(lengths), bool)
        absent[: self.references * self.lines] = ~self.present.T.ravel()
        if lengths[absent].any():  # tokens that stand for an empty text
            self._ids, lengths = self._ids[~np.repeat(absent, lengths)], np.where(absent, 0, lengths)
        self.lengths: Ints = lengths.reshape(-1, self.lines)
        """The number of tokens of each text: int64 [texts, lines]."""
        ends, data = words.ends.tolist(), words.data
        tokens = [token_key(data[low:high]) for low, high in zip([0, *ends], ends, strict=False)]
        self._tokens = np.array(tokens, np.uint64)

    def grams(self, order: int) -> Iterator[Grams]:
        """Yield the n-grams of the lengths from 1 to `order`."""
        lengths = self.lengths.ravel()
        rows, ends = (np.repeat(each, lengths) for each in (np.arange(len(lengths)), np.cumsum(lengths)))
        starts, tokens = np.arange(len(rows)), self._tokens[self._ids]
        keys, numbers = np.full(len(rows), EMPTY, np.uint64), np.zeros(len(rows), np.int64)
        for length in range(1, order + 1):
            kept = np.flatnonzero(starts + length <= ends)
            rows, ends, starts, before = rows[kept], ends[kept], starts[kept], numbers[kept]
            keys = extended(keys[kept], tokens[starts + length - 1])
            distinct, numbers = np.unique(keys.view(np.int64), return_inverse=True)
            shorter = np.zeros(len(distinct), np.int64)
            shorter[numbers] = before
            yield Grams(rows, numbers, distinct, shorter)


def counted(rows: Ints, numbers: Ints, distinct: int) -> tuple[Ints, Ints, Ints]:
    """Return each pair of a row and a number once, sorted, and how often it occurs."""
    pairs, times = np.unique(rows * distinct + numbers, return_counts=True)
    return (*np.divmod(pairs, max(distinct, 1)), times)


class Shared(NamedTuple):
    """The n-grams of a length that each text has, and which of its line's references have them.

    Each entry is an n-gram of a text. Those of a row stand together, in the order of keys. A place stands for an n-gram
    that some reference of a line has.
    """

    lines: Ints
    """The line of each entry of references."""
    rows: Ints
    """The row of each entry of references: the number of the reference times the lines, plus the line."""
    numbers: Ints
    """The number of its n-gram."""
    times: Ints
    """How often the reference has it."""
    places: Ints
    """The place of each entry of references."""
    most: Ints
    """For each place, how often the reference has it that has most of it."""
    out_rows: Ints
    """The row of each entry of outputs: the number of the output times the lines, plus the line."""
    out_numbers: Ints
    out_times: Ints
    out_places: Ints
    """The place of each entry of outputs; -1 where no reference of the line has the n-gram."""


def shared(shard: Shard, grams: Grams) -> Shared:
    """Return what references and outputs share of the n-grams of a length."""
    lines, size = shard.lines, len(grams.keys)
    cut = int(np.searchsorted(grams.rows, shard.references * lines))
    rows, numbers, times = counted(grams.rows[:cut], grams.numbers[:cut], size)
    pairs, places = np.unique(rows % lines * size + numbers, return_inverse=True)
    most = np.zeros(len(pairs), np.int64)
    np.maximum.at(most, places, times)
    out_rows, out_numbers, out_times = counted(grams.rows[cut:] - shard.references * lines, grams.numbers[cut:], size)
    wanted = out_rows % lines * size + out_numbers
    found = np.searchsorted(pairs, wanted)
    is_there = np.append(pairs, -1)[found] == wanted
    own = (rows % lines, rows, numbers, times, places, most)
    return Shared(*own, out_rows, out_numbers, out_times, np.where(is_there, found, -1))


class Times:
    """How often the n-grams of all references occur."""

    def __init__(self, keys: Ints, times: Ints) -> None:
        """Take sorted keys."""
        self._keys, self._times = keys, times

    def of(self, keys: Ints) -> Ints:
        """Return the numbers of n-grams, 0 for those that no reference has."""
        places = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        return np.where(self._keys[places] == keys, self._times[places], 0)

    @cached_property
    def whole(self) -> int:
        """The number of the n-gram without tokens: of all tokens, or of all lines."""
        return int(self.of(np.array([EMPTY], np.uint64).view(np.int64))[0])


@dataclass(frozen=True)
class GramSurvey(Survey):
    """How often each n-gram of the references occurs in them, or how many lines have a reference with it."""

    tokenization: Tokenization = field()
    order: int
    by_line: bool = False
    """Whether lines are counted, each once whatever its references are."""
    source: bool = False
    columns: ClassVar[Any] = (Field("gram"), Field("times"))

    def count(self, text: Text) -> list[dict[str, Ints]]:
        """Count the references of a shard."""
        shard = Shard(self.tokenization, text._replace(systems=[]))
        every = shard.lines if self.by_line else int(shard.lengths.sum())
        keys, times = [np.array([EMPTY], np.uint64).view(np.int64)], [np.array([every])]
        for grams in shard.grams(self.order):
            size = len(grams.keys)
            owners = grams.numbers
            if self.by_line:
                _, owners, _ = counted(grams.rows % shard.lines, grams.numbers, size)
            keys.append(grams.keys)
            times.append(np.bincount(owners, minlength=size))
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
    """Return terms for whole numbers that stand for real ones: their upper and lower halves, whose sums fit a float."""
    return {name + HALVES[0]: values >> HALF, name + HALVES[1]: values & ((1 << HALF) - 1)}


def real(name: str, totals: Columns) -> NDArray[np.float64]:
    """Return the real numbers that sums of parts() stand for."""
    value: NDArray[np.float64] = np.ldexp(totals[name] + np.ldexp(totals[name + HALVES[1]], -HALF), -HALF)
    return value
