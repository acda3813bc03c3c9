"""A look at some lines of a data set: evenly spread, the same on every run, and few however large the files are."""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from itertools import islice, pairwise
from operator import eq, ne
from typing import TYPE_CHECKING

from ..texts import read_texts, same

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ..texts import AnyText

STRETCHES = 5
"""How many stretches of neighbouring lines are read of a text."""
FEW = 10
"""With fewer lines, full stops or words than this, nothing is said of them."""
LENGTH = 100
"""How many lines a stretch has at most."""
WHOLE, ALL = 1 << 18, 1 << 24
"""Of a line with more characters only so many are looked at, and then of all lines of a text together at most so many:
as words they take ten times as much memory."""
_STOPS = re.compile(r"[.,](?=\s|$)")


@lru_cache(64)
def stretches(lines: int) -> tuple[tuple[int, int], ...]:
    """Return the lines low <= i < high of each stretch. Together they are all lines where a text has only so few."""
    if lines > STRETCHES * LENGTH:
        starts = [number * (lines - LENGTH) // (STRETCHES - 1) for number in range(STRETCHES)]
        return tuple((start, start + LENGTH) for start in starts)
    count = min(STRETCHES, max(lines // (2 * FEW), 1))
    edges = [number * lines // count for number in range(count + 1)]
    return tuple(pairwise(edges)) if lines else ()


class Sample:
    """The lines of a text that are looked at."""

    def __init__(self, text: AnyText) -> None:
        self.text = text
        self._likeness: dict[int, float] = {}

    @cached_property
    def parts(self) -> list[list[str]]:
        """The lines of each stretch; of a very long line its beginning."""
        parts = [read_texts(self.text, low, high) for low, high in stretches(self.text.lines)]
        sizes = [len(line) for part in parts for line in part]
        if max(sizes, default=0) <= WHOLE:
            return parts
        most = min(WHOLE, max(ALL // len(sizes), 1)) if sum(sizes) > ALL else WHOLE
        return [[line[:most] for line in part] for part in parts]

    @cached_property
    def lines(self) -> list[str]:
        """The lines of all stretches."""
        return [line for part in self.parts for line in part]

    @cached_property
    def joined(self) -> str:
        """The lines of all stretches as one text."""
        return "\n".join(self.lines)

    @cached_property
    def tokens(self) -> list[list[str]]:
        """The words of each line."""
        return [line.split() for line in self.lines]

    @cached_property
    def words(self) -> list[list[frozenset[str]]]:
        """The different words of each line, by stretch."""
        lines = map(frozenset, self.tokens)
        return [list(islice(lines, len(part))) for part in self.parts]

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """The different words of all stretches."""
        return frozenset().union(*(line for part in self.words for line in part))

    @cached_property
    def spaced(self) -> float | None:
        """The share of full stops and commas with white space before them, None where there are too few to tell.

        Those count that end a word: a letter or white space is before them, and white space behind.
        """
        text = self.joined
        if text.count(".") + text.count(",") < FEW:
            return None
        before = [text[match.start() - 1] for match in _STOPS.finditer(text) if match.start()]
        apart = sum(map(str.isspace, before))
        whole = apart + sum(sign.isalnum() and not sign.isdecimal() for sign in before)
        return apart / whole if whole >= FEW else None

    def same_as(self, other: Sample) -> float:
        """Return the share of lines that both texts have, from 0 to 1."""
        equal: int = sum(map(eq, self.tokens, other.tokens))
        return equal / max(len(self.tokens), 1)

    def changes(self, source: Sample) -> list[int]:
        """Return, for each line that differs from the source, how many different words the source does not have."""
        words = zip(*([line for part in text.words for line in part] for text in (self, source)), strict=True)
        differ = map(ne, self.tokens, source.tokens)
        return [len(a - b) for (a, b), differs in zip(words, differ, strict=True) if differs]

    def like(self, other: Sample) -> float:
        """Return how much of their words the lines of two texts have in common, from 0 to 1."""
        if id(other) not in self._likeness:
            parts = (zip(one, two, strict=True) for one, two in zip(self.words, other.words, strict=True))
            self._likeness[id(other)] = mean_overlap(pair for part in parts for pair in part)
        return self._likeness[id(other)]


class Samples:
    """The samples of the texts of a data set."""

    def __init__(self, source: AnyText | None, references: Sequence[AnyText], systems: Mapping[str, AnyText]) -> None:
        self.source = Sample(source) if source else None
        self.references = [Sample(text) for text in references]
        self.systems = {name: Sample(text) for name, text in systems.items()}

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


def mean_overlap(pairs: Iterable[tuple[frozenset[str], frozenset[str]]]) -> float:
    """Return the mean share of the words of two lines that both have. Pairs without any word are left out."""
    common = ((len(one & two), len(one) + len(two)) for one, two in pairs if one or two)
    shares = [both / (words - both) for both, words in common]
    return sum(shares) / max(len(shares), 1)


def shifted(one: Sequence[frozenset[str]], two: Sequence[frozenset[str]]) -> int:
    """Return by how many lines, -1 or 1, the first text fits the second much better than with its own lines; else 0."""
    if len(one) < FEW:
        return 0
    own = mean_overlap(zip(one, two, strict=True))
    if 1.5 * own >= 1:
        return 0
    for offset, pairs in ((1, zip(one[1:], two[:-1], strict=True)), (-1, zip(one[:-1], two[1:], strict=True))):
        if mean_overlap(pairs) > max(own + CLEARLY, 1.5 * own):
            return offset
    return 0


CLEARLY = 0.1
"""How much more of their words, from 0 to 1, neighbouring lines must have in common for a warning of a shift."""
