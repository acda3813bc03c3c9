"""Samples of the lines of a data set: evenly spread, the same on every run, and few lines."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import pairwise

from .texts import AnyText, MemoryText

BLOCKS = 5
"""How many blocks of neighbouring lines are read of a text."""
FEW = 10
"""With fewer lines, full stops or words than this, there are no warnings about them."""
BLOCK_LINES = 100
"""Limits the lines of a block, for words that are counted and rare characters."""
SHORT_BLOCK_LINES = 25
"""Limits the lines of a block for all other checks."""
MAX_BLOCK_BYTES = 1 << 16
"""Limits the average bytes of a block, but not below FEW lines."""
MAX_LINE_CHARACTERS = 1 << 14
"""Limits the characters that are read of a line: as words they take twenty times as much memory."""
MIN_SPACES = 0.06
"""With a smaller share of spaces a text is in a script without them, and its characters count as
words. Chinese of WMT has 0.03, German 0.13."""
_STOPS = re.compile(r"[.,](?=\s|$)")


@lru_cache(64)
def blocks_of_lines(
    lines: int, length: int = BLOCK_LINES
) -> tuple[tuple[int, int], ...]:
    """Return the lines low <= i < high of each block, which has at most `length` lines.

    If a text has only so few lines, the blocks are all lines.
    """
    if lines > BLOCKS * length:
        starts = [
            number * (lines - length) // (BLOCKS - 1)
            for number in range(BLOCKS)
        ]
        return tuple((start, start + length) for start in starts)
    count = min(BLOCKS, max(lines // (2 * FEW), 1))
    edges = [number * lines // count for number in range(count + 1)]
    return tuple(pairwise(edges)) if lines else ()


def likeness(one: set[str], two: set[str]) -> float:
    """Return the share of common words among all words of two lines, from 0 to 1."""
    both = len(one & two)
    return both / max(len(one) + len(two) - both, 1)


def mean(values: Sequence[float]) -> float:
    """Return the mean of numbers, 0 if there are none."""
    return sum(values) / max(len(values), 1)


class Sample:
    """Some lines of a text; `called` is its name in warnings, and `named` its name with its file."""

    def __init__(
        self,
        text: AnyText,
        called: str,
        length: int = BLOCK_LINES,
    ) -> None:
        self.text = text
        self.called = called
        self.blocks = blocks_of_lines(text.lines, length)
        self._shares: dict[int, list[float]] = {}

    @property
    def named(self) -> str:
        """The name of the text in warnings, with the name of its file."""
        name = self.text.name
        is_in_memory = isinstance(self.text, MemoryText)
        if is_in_memory or self.called.endswith((name, f"({name})")):
            return self.called
        return f"{self.called} ({name})"

    @cached_property
    def lines(self) -> list[str]:
        """The lines of all blocks, and of a very long line its beginning."""
        lines: list[str] = []
        for low, high in self.blocks:
            for line in self.text.read(low, high):
                lines.append(line[:MAX_LINE_CHARACTERS])
        return lines

    def number(self, line: int) -> int:
        """Return the number, from 1, that a line of the sample has in the file of the user."""
        for low, high in self.blocks:
            if line < high - low:
                return self.text.number(low + line + 1)
            line -= high - low
        raise IndexError(line)

    @cached_property
    def spaceless(self) -> bool:
        """Whether words have no spaces between them, as in Chinese."""
        foreign = [line for line in self.lines if not line.isascii()]
        if 2 * len(foreign) <= len(self.lines):
            return False
        spaces = sum(line.count(" ") for line in foreign)
        characters = sum(map(len, foreign))
        return spaces < MIN_SPACES * characters

    @cached_property
    def words(self) -> list[set[str]]:
        """The different words of each line, or its characters if words have no spaces between."""
        if self.spaceless:
            return list(map(set, self.lines))
        return [set(line.split()) for line in self.lines]

    @cached_property
    def vocabulary(self) -> set[str]:
        """The different words of all lines."""
        text = "\n".join(self.lines)
        if self.spaceless:
            return set(text)
        return set(text.split())

    @cached_property
    def stops(self) -> list[bool]:
        """Whether each full stop or comma at the end of a word follows white space, not a letter.

        The list is empty if the text has fewer than FEW full stops and commas.
        """
        text = "\n".join(self.lines)
        if text.count(".") + text.count(",") < FEW:
            return []
        stops = []
        for match in _STOPS.finditer(text):
            before = text[match.start() - 1] if match.start() else ""
            if before.isspace() or (
                before.isalnum() and not before.isdecimal()
            ):
                stops.append(before.isspace())
        return stops

    def differ(self, other: Sample) -> list[bool]:
        """Return for each line whether it differs from that of another text in words or order."""
        differs = []
        for line, other_line in zip(self.lines, other.lines, strict=True):
            differs.append(
                line != other_line and line.split() != other_line.split()
            )
        return differs

    def same_as(self, other: Sample) -> float:
        """Return the share of lines that both texts have, from 0 to 1."""
        return self.differ(other).count(False) / max(len(self.lines), 1)

    def changes(self, source: Sample) -> list[int]:
        """Return the number of words that are not in the source, for each line that differs."""
        changes = []
        for line, source_line in zip(self.lines, source.lines, strict=True):
            words = line.split()
            source_words = source_line.split()
            if words != source_words:
                changes.append(len(set(words).difference(source_words)))
        return changes

    def shares(self, other: Sample) -> list[float]:
        """Return the likeness of each line to that of another text, from 0 to 1."""
        shares = self._shares.get(id(other))
        if shares is None:
            shares = list(map(likeness, self.words, other.words))
            self._shares[id(other)] = shares
        return shares

    def like(self, other: Sample) -> float:
        """Return the mean likeness of the lines of two texts, from 0 to 1.

        Pairs of lines without any word are left out.
        """
        shares = []
        rows = zip(self.shares(other), self.words, other.words, strict=True)
        for share, words, other_words in rows:
            if words or other_words:
                shares.append(share)
        return mean(shares)


class Samples:
    """The samples of the texts of a data set, whose blocks have at most `block_lines` lines."""

    def __init__(
        self,
        source: AnyText | None,
        references: Sequence[AnyText],
        systems: Mapping[str, AnyText],
        block_lines: int = BLOCK_LINES,
    ) -> None:
        texts: list[AnyText] = []
        if source:
            texts.append(source)
        texts += references
        texts += systems.values()
        length = block_lines
        for text in texts:
            # so many lines of this text have MAX_BLOCK_BYTES, on average
            lines_of_text = MAX_BLOCK_BYTES * text.lines // max(text.size, 1)
            length = min(length, lines_of_text)
        length = max(length, FEW)
        self.source: Sample | None = None
        self.inputs: list[Sample] = []
        if source:
            self.source = Sample(source, f"the source ({source.name})", length)
            self.inputs.append(self.source)
        self.references = []
        for number, text in enumerate(references, 1):
            called = f"reference {number} ({text.name})"
            self.references.append(Sample(text, called, length))
        self.inputs += self.references
        self.systems = []
        for name, text in systems.items():
            self.systems.append(Sample(text, f"system {name}", length))
        self.all = [*self.inputs, *self.systems]
        self.short = self
        """Samples of fewer lines, for what shows in a few."""
        if block_lines != SHORT_BLOCK_LINES:
            self.short = Samples(source, references, systems, SHORT_BLOCK_LINES)

    @property
    def base(self) -> Sample:
        """The reference that other texts are compared with; there must be one."""
        return self.references[0]

    @cached_property
    def others(self) -> list[Sample]:
        """The outputs that are neither the source nor a reference."""
        inputs = {sample.text.identity for sample in self.inputs}
        return [
            sample
            for sample in self.systems
            if sample.text.identity not in inputs
        ]
