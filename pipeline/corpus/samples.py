"""A look at some lines of a data set: evenly spread, the same on every run, and few however large the files are."""

from __future__ import annotations

from functools import cached_property, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from .. import kernel
from ..kernel.common import Encoded, Lines
from ..kernel.python.strings import stops
from .texts import read_texts, same

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..arrays import Floats, Ints
    from .texts import AnyText


STRETCHES = 5
"""How many stretches of neighbouring lines are read of a text."""
FEW = 10
"""With fewer lines, full stops or words than this, nothing is said of them."""
LENGTH = 100
"""How many lines a stretch has at most."""
SIZE = 1 << 16
"""How many bytes a stretch has at most on average, unless FEW lines have more: of documents fewer are read."""
WHOLE, ALL = 1 << 18, 1 << 24
"""Of a line with more characters only so many are looked at, and then of all lines of a text together at most so many:
as words they take ten times as much memory."""
CLEARLY = 0.1
"""How much more of their words, from 0 to 1, neighbouring lines must have in common for a warning of a shift."""


@lru_cache(64)
def stretches(lines: int, length: int = LENGTH) -> tuple[tuple[int, int], ...]:
    """Return the lines low <= i < high of each stretch, which has at most `length` lines.

    Together they are all lines where a text has only so few.
    """
    if lines > STRETCHES * length:
        starts = [number * (lines - length) // (STRETCHES - 1) for number in range(STRETCHES)]
        return tuple((start, start + length) for start in starts)
    count = min(STRETCHES, max(lines // (2 * FEW), 1))
    edges = [number * lines // count for number in range(count + 1)]
    return tuple(pairwise(edges)) if lines else ()


class Sample:
    """The lines of a text that are looked at."""

    def __init__(self, text: AnyText, length: int = LENGTH) -> None:
        self.text = text
        self.stretches = stretches(text.lines, length)
        self.tokens = Encoded(np.zeros(0, np.int32), np.zeros(1, np.int64))
        """The words of each line as ids, once Samples.encode() has made them: what stands between white space."""
        self._shares: dict[tuple[int, int], tuple[Floats, Ints]] = {}
        """For each line the share of its words that are in that of another sample too, and how many both have."""

    @cached_property
    def lines(self) -> list[str]:
        """The lines of all stretches; of a very long line its beginning."""
        lines = [line for low, high in self.stretches for line in read_texts(self.text, low, high)]
        if max(map(len, lines), default=0) <= WHOLE:
            return lines
        most = min(WHOLE, max(ALL // len(lines), 1)) if sum(map(len, lines)) > ALL else WHOLE
        return [line[:most] for line in lines]

    @cached_property
    def sizes(self) -> Ints:
        """How many different words each line has: int64 [lines]."""
        sizes: Ints = kernel.distinct(self.tokens)
        return sizes

    def vocabulary(self, beyond: Sample) -> int:
        """Return how many different words the lines have that those of another sample do not have."""
        texts = self.tokens.ids, beyond.tokens.ids
        own = np.zeros(max(int(ids.max(initial=0)) for ids in texts) + 1, bool)
        own[texts[0]] = True
        own[texts[1]] = False
        return int(np.count_nonzero(own))

    @cached_property
    def spaced(self) -> float | None:
        """The share of full stops and commas with white space before them, None where there are too few to tell.

        Those count that end a word: a letter or white space is before them, and white space behind.
        """
        signs, apart, attached = stops(self.lines)
        whole = apart + attached
        return apart / whole if signs >= FEW and whole >= FEW else None

    def _differ(self, other: Sample) -> list[bool]:
        return [own.split() != its.split() for own, its in zip(self.lines, other.lines, strict=True)]

    def same_as(self, other: Sample) -> float:
        """Return the share of lines that both texts have, from 0 to 1."""
        return self._differ(other).count(False) / max(len(self.lines), 1)

    def changes(self, source: Sample) -> list[int]:
        """Return, for each line that differs from the source, how many different words the source does not have."""
        own: Ints = self.sizes - kernel.shared(self.tokens, source.tokens)
        return [int(number) for number in own[self._differ(source)]]

    def like(self, other: Sample) -> float:
        """Return how much of their words the lines of two texts have in common, from 0 to 1."""
        return self.overlap(other, 0, len(self.lines))

    def overlap(self, other: Sample, low: int, high: int, offset: int = 0) -> float:
        """Return the mean share of the words of two lines that both have. Pairs without any word are left out.

        The lines are low <= i < high of this sample, and i - offset of the other one.
        """
        if (id(other), offset) not in self._shares:
            both = kernel.shared(self.tokens, other.tokens, offset)
            words = self.sizes + np.roll(other.sizes, offset)
            self._shares[id(other), offset] = both / np.maximum(words - both, 1), words
        shares, words = self._shares[id(other), offset]
        shares = shares[low:high][words[low:high] > 0]
        return float(sum(shares.tolist())) / max(len(shares), 1)


class Samples:
    """The samples of the texts of a data set."""

    def __init__(self, source: AnyText | None, references: Sequence[AnyText], systems: Mapping[str, AnyText]) -> None:
        texts = [*([source] if source else []), *references, *systems.values()]
        length = max(min((length_of(text) for text in texts), default=LENGTH), FEW)
        self.source = Sample(source, length) if source else None
        self.references = [Sample(text, length) for text in references]
        self.systems = {name: Sample(text, length) for name, text in systems.items()}

    def encode(self) -> None:
        """Turn the words of all samples into ids, equal ones into equal ids."""
        samples = [sample for _, sample in self.named]
        joined = [kernel.joined(sample.lines) for sample in samples]
        texts = [Lines(data, edges[:-1], edges[1:]) for _, data, edges, _ in joined]
        for sample, tokens in zip(samples, kernel.encode(texts, "whitespace"), strict=True):
            sample.tokens = tokens

    @cached_property
    def named(self) -> list[tuple[str, Sample]]:
        """Each sample with what a warning calls its text."""
        source = [(f"the source ({self.source.text.name})", self.source)] if self.source else []
        references = [(f"reference {n} ({sample.text.name})", sample) for n, sample in enumerate(self.references)]
        return [*source, *references, *((f"system {name}", sample) for name, sample in self.systems.items())]

    @cached_property
    def others(self) -> list[Sample]:
        """The outputs that are neither the source nor a reference."""
        given = [*([self.source] if self.source else []), *self.references]
        return [s for s in self.systems.values() if not any(same(s.text, other.text) for other in given)]


def length_of(text: AnyText) -> int:
    """Return how many lines of a text have SIZE bytes, on average, and at most LENGTH."""
    return min(LENGTH, SIZE * text.lines // max(text.size, 1))


def shifted(one: Sample, two: Sample, low: int, high: int) -> int:
    """Return by how many lines, -1 or 1, lines low <= i < high of the first text fit the second much better; else 0."""
    if high - low < FEW:
        return 0
    own = one.overlap(two, low, high)
    if 1.5 * own >= 1:
        return 0
    for offset, first, last in ((1, low + 1, high), (-1, low, high - 1)):
        if one.overlap(two, first, last, offset) > max(own + CLEARLY, 1.5 * own):
            return offset
    return 0
