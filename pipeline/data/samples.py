"""A look at some lines of a data set: evenly spread, the same on every run, and few however large
the files are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import pairwise

from .texts import AnyText, MemoryText, read_texts, same

STRETCHES = 5
"""How many stretches of neighbouring lines are read of a text."""
FEW = 10
"""With fewer lines, full stops or words than this, nothing is said of them."""
LENGTH, SHORT = 100, 25
"""How many lines a stretch has at most: for words that are counted and signs that are rare, and for
all else."""
SIZE = 1 << 16
"""How many bytes a stretch has at most on average, unless FEW lines have more: of documents fewer
are read."""
WHOLE = 1 << 14
"""Of a line with more characters only so many are looked at: as words they take twenty times as
much memory."""
SPACED = 0.06
"""With a smaller share of blanks a text is of a script without them, and its characters stand for
words. Chinese of WMT has 0.03, German 0.13."""
_STOPS = re.compile(r"[.,](?=\s|$)")


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


def likeness(one: set[str], two: set[str]) -> float:
    """Return how much of all words of two lines or texts both have, from 0 to 1."""
    both = len(one & two)
    return both / max(len(one) + len(two) - both, 1)


class Sample:
    """The lines of a text that are looked at; `called` is what a warning calls the text, and
    `named` with its file.
    """

    def __init__(self, text: AnyText, called: str, length: int = LENGTH) -> None:
        self.text, self.called = text, called
        self.stretches = stretches(text.lines, length)
        self._shares: dict[int, list[float]] = {}

    @property
    def named(self) -> str:
        """What a warning calls the text, with the name of its file."""
        known = isinstance(self.text, MemoryText) or self.called.endswith(
            (self.text.name, f"({self.text.name})")
        )
        return self.called if known else f"{self.called} ({self.text.name})"

    @cached_property
    def lines(self) -> list[str]:
        """The lines of all stretches; of a very long line its beginning."""
        return [
            line[:WHOLE]
            for low, high in self.stretches
            for line in read_texts(self.text, low, high)
        ]

    def number(self, line: int) -> int:
        """Return the number, from 1, that a line of the sample has in the file of the user."""
        places = (place for low, high in self.stretches for place in range(low, high))
        return self.text.number(next(place for at, place in enumerate(places) if at == line) + 1)

    @cached_property
    def spaceless(self) -> bool:
        """Whether words have no blanks between them, as in Chinese."""
        foreign = [line for line in self.lines if not line.isascii()]
        blanks = sum(line.count(" ") for line in foreign)
        return 2 * len(foreign) > len(self.lines) and blanks < SPACED * sum(map(len, foreign))

    @cached_property
    def words(self) -> list[set[str]]:
        """The different words of each line, or its characters where words have no blanks between
        them.
        """
        return (
            list(map(set, self.lines))
            if self.spaceless
            else [set(line.split()) for line in self.lines]
        )

    @cached_property
    def vocabulary(self) -> set[str]:
        """The different words of all lines."""
        text = "\n".join(self.lines)
        return set(text) if self.spaceless else set(text.split())

    @cached_property
    def stops(self) -> list[bool]:
        """Whether each full stop or comma that ends a word has white space before it, and not a
        letter.

        White space or the end of the line is behind these. With fewer than FEW signs in the text
        the list is empty."""
        text = "\n".join(self.lines)
        if text.count(".") + text.count(",") < FEW:
            return []
        before = [text[match.start() - 1] for match in _STOPS.finditer(text) if match.start()]
        return [
            sign.isspace()
            for sign in before
            if sign.isspace() or (sign.isalnum() and not sign.isdecimal())
        ]

    def differ(self, other: Sample) -> list[bool]:
        """Return for each line whether it has other words than that of another text, or in another
        order.
        """
        return [
            own != its and own.split() != its.split()
            for own, its in zip(self.lines, other.lines, strict=True)
        ]

    def same_as(self, other: Sample) -> float:
        """Return the share of lines that both texts have, from 0 to 1."""
        return self.differ(other).count(False) / max(len(self.lines), 1)

    def changes(self, source: Sample) -> list[int]:
        """Return, for each line that differs from the source, how many different words the source
        does not have.
        """
        pairs = [
            (own.split(), its.split())
            for own, its in zip(self.lines, source.lines, strict=True)
            if own != its
        ]
        return [len(set(own).difference(its)) for own, its in pairs if own != its]

    def shares(self, other: Sample) -> list[float]:
        """Return for each line how much of its words and those of the line of another text both
        have, from 0 to 1.
        """
        if id(other) not in self._shares:
            self._shares[id(other)] = list(map(likeness, self.words, other.words))
        return self._shares[id(other)]

    def like(self, other: Sample) -> float:
        """Return how much of their words the lines of two texts have in common, from 0 to 1.

        Pairs without any word are left out.
        """
        pairs = zip(self.shares(other), self.words, other.words, strict=True)
        return mean([share for share, own, its in pairs if own or its])


def mean(values: Sequence[float]) -> float:
    """Return the mean of numbers, 0 of none."""
    return sum(values) / max(len(values), 1)


class Samples:
    """The samples of the texts of a data set, whose stretches have at most `most` lines."""

    def __init__(
        self,
        source: AnyText | None,
        references: Sequence[AnyText],
        systems: Mapping[str, AnyText],
        most: int = LENGTH,
    ) -> None:
        texts = [*([source] if source else []), *references, *systems.values()]
        # how many lines of each text have SIZE bytes, on average
        of_size = (SIZE * text.lines // max(text.size, 1) for text in texts)
        length = max(min([most, *of_size]), FEW)
        self.source = Sample(source, f"the source ({source.name})", length) if source else None
        called = [f"reference {number} ({text.name})" for number, text in enumerate(references, 1)]
        self.references = [Sample(*named, length) for named in zip(references, called, strict=True)]
        self.systems = [Sample(text, f"system {name}", length) for name, text in systems.items()]
        self.given = [*([self.source] if self.source else []), *self.references]
        self.all = [*self.given, *self.systems]
        self.short = self if most == SHORT else Samples(source, references, systems, SHORT)
        """Samples of fewer lines, for what shows in a few."""

    @property
    def base(self) -> Sample:
        """The reference that other texts are compared with; there must be one."""
        return self.references[0]

    @cached_property
    def others(self) -> list[Sample]:
        """The outputs that are neither the source nor a reference."""
        return [
            s for s in self.systems if not any(same(s.text, other.text) for other in self.given)
        ]
