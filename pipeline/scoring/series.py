"""Systems with an order, such as the checkpoints step-1000, step-2000 ... of a training."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from dataclasses import dataclass, replace

STEPS = (
    r"(?<![A-Za-z])(?i:(?:global[-_.]?)?(?:steps?|checkpoint|ckpt|epoch|iter(?:ation)?|update))[-_.]?"
    r"([0-9]+(?:\.[0-9]+)?[kKmM]?)(?![A-Za-z0-9])"
)
"""Names of systems that have an order without being told: a word of training, and a number."""
NUMBER = re.compile(r"([0-9]+(?:\.[0-9]+)?)([km]?)")
TIMES = {"": 1, "k": 1_000, "m": 1_000_000}
"""What the letter after a number means."""
SEPARATORS = "-_.+"


@dataclass(frozen=True)
class Series:
    """Systems whose names differ in a number alone."""

    name: str
    """The name without the number."""
    axis: str
    """What is counted, such as step."""
    steps: tuple[tuple[float, str], ...]
    """The number and the name of each system, in the order of the numbers."""

    def of(self, systems: Container[str]) -> Series:
        """Return the same with these systems alone."""
        return replace(self, steps=tuple(step for step in self.steps if step[1] in systems))


def series_of(systems: Iterable[str], pattern: str = STEPS) -> list[Series]:
    """Return the series of two systems or more. The first group of the pattern finds the number in a name."""
    found: dict[tuple[str, str], list[tuple[float, str]]] = {}
    for system in dict.fromkeys(systems):
        match = re.search(pattern, system)
        number = NUMBER.fullmatch((match[1] or "").lower()) if match else None
        if match and number:
            start, end = match.span(1)
            gap = "-" if system[end:] and system[end] not in SEPARATORS else ""
            name = (system[:start].rstrip(SEPARATORS) + gap + system[end:]).strip(SEPARATORS)
            axis = (system[match.start() : start] + system[end : match.end()]).strip(SEPARATORS).lower()
            found.setdefault((name, axis or "number"), []).append((float(number[1]) * TIMES[number[2]], system))
    return [Series(*key, tuple(sorted(steps))) for key, steps in sorted(found.items()) if len(steps) > 1]
