"""Which reference each sentence gets in each iteration.

Draws depend only on the sampler with its seed, the numbers of lines and references, and the iteration. They do not
depend on shards, systems or metrics. They come in blocks of lines, so that memory does not grow with the corpus.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from ... import kernel

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_CHOICES = 4096
"""For the expected score, all choices of references are taken if there are at most so many."""


class Draws(NamedTuple):
    """A sampler with everything that determines its draws."""

    sampler: str
    iterations: int
    lines: int
    references: int
    seed: int = 0
    """Read by the samplers numpy and turned alone."""

    def drawer(self, iterations: Iterable[int]) -> kernel.Drawer:
        """Return what draws for some of the iterations, block of lines after block of lines."""
        return kernel.Drawer(self.sampler, iterations, self.lines, self.references, self.seed)

    @staticmethod
    def balanced(groups: int, lines: int, references: int, seed: int) -> Draws:
        """Return draws whose mean score is what sampling converges to, or is close to it.

        If there are few choices of references, all are taken. Otherwise the draws are groups of as many iterations as
        there are references: a random choice, the same choice turned by one reference, by two, and so on. In a group
        each sentence gets each reference once, so that only the curvature of the score is left to chance. The error is
        far below that of as many independent iterations.
        """
        if lines * math.log(references) <= math.log(MAX_CHOICES):
            return Draws("all", references**lines, lines, references)
        return Draws("turned", groups * references, lines, references, seed)
