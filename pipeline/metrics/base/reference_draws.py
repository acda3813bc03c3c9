"""Which reference each sentence gets in each iteration.

Draws depend only on the sampler with its seed, the numbers of lines and references, and the iteration. They do not
depend on shards, systems or metrics. They come in blocks of lines, so that memory does not grow with the corpus.
"""

from __future__ import annotations

import itertools
import math
import random
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    from ...arrays import Ints

    Stream = Callable[[int, int | Ints], NDArray[np.uint8]]


KEPT, MOST_KEPT = 1 << 20, 16
"""Draws of up to so many bytes are kept, for so many numbers of lines or other settings."""
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


class Drawer:
    """Draws references for several iterations, block of lines after block of lines."""

    def __init__(self, draws: Draws, iterations: Iterable[int]) -> None:
        self.draws, self.references, self.iterations = draws, draws.references, list(iterations)
        self.line = 0
        """How many lines were drawn."""

    @cached_property
    def streams(self) -> list[Stream]:
        """The draws of each iteration, which begin anew with the first line."""
        return [STREAMS[self.draws.sampler](self.draws, iteration) for iteration in self.iterations]

    def take(self, lines: int, present: Ints | None = None) -> NDArray[np.uint8]:
        """Return the references drawn for the next lines, numbered from 0: uint8 [iterations, lines].

        Where references are missing, `present` is how many each line has, int64 [lines], and only these are drawn.
        """
        if (
            present is None
            and self.draws.lines * self.draws.iterations <= KEPT
            and self.line + lines <= self.draws.lines
        ):
            self.line += lines
            kept = _kept(self.draws)[:, self.line - lines : self.line]
            return kept if self.iterations == [*range(len(kept))] else kept[self.iterations]
        limits = self.references if present is None else present
        block = np.empty((len(self.streams), lines), np.uint8)
        for row, stream in enumerate(self.streams):
            block[row] = stream(lines, limits)
        return block


def python2(_: Draws, iteration: int) -> Stream:
    """Draw int(random() * R) with the seed 101 * iteration, as Python 2's random.randint(0, R - 1) does.

    The original program draws so. RandomState of numpy, if its seed is a *list*, is Python's generator, bit for bit.
    """
    generator = np.random.RandomState([101 * iteration])
    return lambda count, limits: (generator.random_sample(count) * limits).astype(np.uint8)


def python3(draws: Draws, iteration: int) -> Stream:
    """Draw as Python 3's random.randint(0, R - 1) does, with the seed 101 * iteration.

    The highest R.bit_length() bits of a 32-bit word are a draw, and words that give R or more are passed over
    (random.Random._randbelow_with_getrandbits in CPython). Words drawn ahead are kept for the next block. Where lines
    have different numbers of references, Python's own generator draws line by line.
    """
    generator = np.random.RandomState([101 * iteration])
    own = random.Random(101 * iteration)  # noqa: S311 (no secret: the stream to reproduce)
    shift = 32 - draws.references.bit_length()
    ahead = np.empty(0, np.uint8)

    def take(count: int, limits: int | Ints) -> NDArray[np.uint8]:
        nonlocal ahead
        if not isinstance(limits, int):
            return np.array([own.randint(0, limit - 1) for limit in limits.tolist()], np.uint8)
        while len(ahead) < count:
            words = generator.randint(0, 1 << 32, 2 * (count - len(ahead)) + 64, dtype=np.uint32) >> shift
            ahead = np.concatenate((ahead, words[words < draws.references].astype(np.uint8)))
        taken, ahead = ahead[:count], ahead[count:]
        return taken

    return take


def numpy(draws: Draws, iteration: int) -> Stream:
    """Draw the row `iteration` of (default_rng(seed).random((iterations, lines)) * R).astype(int)."""
    generator = np.random.Generator(np.random.PCG64(draws.seed).advance(iteration * draws.lines))
    return lambda count, limits: (generator.random(count) * limits).astype(np.uint8)


def turned(draws: Draws, iteration: int) -> Stream:
    """Draw as numpy() does for the group of the iteration, turned by the number of the iteration in its group."""
    stream = numpy(draws, iteration // draws.references)
    turn = iteration % draws.references
    return lambda count, limits: ((stream(count, limits).astype(np.int64) + turn) % limits).astype(np.uint8)


def all_choices(draws: Draws, iteration: int) -> Stream:
    """Return the digits of the iteration's number in base R, so that every choice of references comes once."""
    digits = iter([iteration // draws.references**line % draws.references for line in range(draws.lines)])
    return lambda count, _: np.fromiter(itertools.islice(digits, count), np.uint8, count)


SAMPLERS: dict[str, Callable[[Draws, int], Stream]] = {"python2": python2, "python3": python3, "numpy": numpy}
"""Samplers that a metric can ask for."""

STREAMS: dict[str, Callable[[Draws, int], Stream]] = {**SAMPLERS, "turned": turned, "all": all_choices}


@lru_cache(MOST_KEPT)
def _kept(draws: Draws) -> NDArray[np.uint8]:
    """Return all draws of few lines, uint8 [iterations, lines], which are made once: seeding takes most of the time."""
    block = np.empty((draws.iterations, draws.lines), np.uint8)
    for iteration, row in enumerate(block):
        row[:] = STREAMS[draws.sampler](draws, iteration)(draws.lines, draws.references)
    block.flags.writeable = False
    return block
