"""Draws of references, and sums of what is drawn, in Python: which reference each line gets in each iteration.

Each iteration has a stream of its own, which runs over the lines in order. So draws do not depend on the blocks of
lines in which they are asked for.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from ..samplers import SEED_STEP, check_drawer, check_present, check_terms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]
    Ints = NDArray[np.int64]
    Stream = Callable[[int, int | Ints], Bytes]

PIECE = 2048
"""How many lines are summed at once, which bounds memory."""
DRAWS = 1 << 20
"""How many draws with replacement are made at once: each takes eight bytes, and its count only one."""


class Drawer:
    """Draws references for several iterations, block of lines after block of lines.

    `lines` is the number of all lines that are drawn for. Only the samplers numpy and turned read the seed, and they
    and all read `lines`. Raises ValueError as check_drawer() does.
    """

    def __init__(self, sampler: str, iterations: Iterable[int], lines: int, references: int, seed: int = 0) -> None:
        numbers = check_drawer(sampler, iterations, references)
        self.references = references
        self.streams = [_STREAMS[sampler](number, lines, references, seed) for number in numbers]

    def take(self, lines: int, present: Ints | None = None) -> Bytes:
        """Return the references drawn for the next lines, numbered from 0: uint8 [iterations, lines].

        Where references are missing, `present` is how many each line has, int64 [lines], and only these are drawn.
        Raises ValueError as check_present() does.
        """
        check_present(present, lines, self.references)
        limits = self.references if present is None else present
        block = np.empty((len(self.streams), lines), np.uint8)
        for row, stream in enumerate(self.streams):
            block[row] = stream(lines, limits)
        return block

    def sums(self, terms: Sequence[Ints], present: Ints | None = None) -> Ints:
        """Draw for the next lines, and return the sums of the numbers drawn: int64 [iterations, width of all terms].

        Each of the terms is int64 [lines, references, width]. For `present` see take(). Sums are modulo 2**64. Raises
        ValueError as check_terms() and check_present() do.
        """
        lines = check_terms(terms, self.references)
        check_present(present, lines, self.references)
        totals = np.zeros((len(self.streams), sum(term.shape[2] for term in terms)), np.int64)
        for low in range(0, lines, PIECE):
            numbers = np.concatenate([term[low : low + PIECE] for term in terms], axis=2)
            drawn = self.take(len(numbers), None if present is None else present[low : low + PIECE])
            totals += numbers[:, 0].sum(axis=0)
            for reference in range(1, self.references):
                totals += _product(drawn == reference, numbers[:, reference] - numbers[:, 0])
        return totals


def _product(chosen: NDArray[np.bool_], numbers: Ints) -> Ints:
    """Return the sums of the numbers [lines, width] of chosen lines [iterations, lines]: int64 [iterations, width].

    Products of float64 are exact where sums are below 2**53, and faster than those of integers.
    """
    exact = len(numbers) * max(int(numbers.max(initial=0)), -int(numbers.min(initial=0))) < 1 << 53
    kind = np.float64 if exact else np.int64
    return (chosen.astype(kind) @ numbers.astype(kind)).astype(np.int64)


def add_draws(generator: np.random.Generator, counts: NDArray[np.unsignedinteger]) -> None:
    """Add to counts, uint8 or uint64 [rows, things], how often each thing is drawn.

    For each row as many things are drawn with replacement as there are: the next integers(0, things) of the generator.
    Counts that are too large for their type are modulo its size.
    """
    one = counts.dtype.type(1)
    for row in counts:
        for low in range(0, len(row), DRAWS):
            np.add.at(row, generator.integers(0, len(row), min(DRAWS, len(row) - low)), one)


def pass_draws(generator: np.random.Generator, rows: int, things: int) -> None:
    """Leave the generator as add_draws() would leave it, without counting: for so many rows of so many things."""
    for _ in range(rows):
        for low in range(0, things, DRAWS):
            generator.integers(0, things, min(DRAWS, things - low))


def python2(iteration: int, *_: int) -> Stream:
    """Draw int(random() * R) with the seed 101 * iteration, as Python 2's random.randint(0, R - 1) does.

    The original program draws so. RandomState of numpy, if its seed is a *list*, is Python's generator, bit for bit.
    """
    generator = np.random.RandomState([SEED_STEP * iteration])
    return lambda count, limits: (generator.random_sample(count) * limits).astype(np.uint8)


def python3(iteration: int, *_: int) -> Stream:
    """Draw as Python 3's random.randint(0, R - 1) does, with the seed 101 * iteration.

    The highest R.bit_length() bits of a 32-bit word are a draw, and words that give R or more are passed over
    (random.Random._randbelow_with_getrandbits in CPython). Words made ahead are kept for the next block.
    """
    generator = np.random.RandomState([SEED_STEP * iteration])
    ahead = np.empty(0, np.uint32)

    def take(count: int, limits: int | Ints) -> Bytes:
        nonlocal ahead
        drawn = np.empty(count, np.uint8)
        done = 0
        while done < count:
            if not len(ahead):
                ahead = generator.randint(0, 1 << 32, 2 * (count - done) + 64, dtype=np.uint32)
            draws, used = _below(ahead, limits if isinstance(limits, int) else limits[done:], count - done)
            drawn[done : done + len(draws)] = draws
            done, ahead = done + len(draws), ahead[used:]
        return drawn

    return take


def _below(words: NDArray[np.uint32], limits: int | Ints, count: int) -> tuple[Bytes, int]:
    """Return up to `count` draws below the limits, and how many of the words these take."""
    if isinstance(limits, int):
        draws = words >> (32 - limits.bit_length())
        kept = np.flatnonzero(draws < limits)[:count]
        return draws[kept].astype(np.uint8), int(kept[-1]) + 1 if len(kept) == count else len(words)
    drawn: list[int] = []
    left = iter(limits[:count].tolist())
    limit = next(left)
    for used, word in enumerate(words.tolist(), 1):
        draw = word >> (32 - limit.bit_length())
        if draw < limit:
            drawn.append(draw)
            limit = next(left, 0)
            if not limit:
                return np.array(drawn, np.uint8), used
    return np.array(drawn, np.uint8), len(words)


def numpy(iteration: int, lines: int, _: int, seed: int) -> Stream:
    """Draw the row `iteration` of (default_rng(seed).random((iterations, lines)) * R).astype(int)."""
    generator = np.random.Generator(np.random.PCG64(seed).advance(iteration * lines))
    return lambda count, limits: (generator.random(count) * limits).astype(np.uint8)


def turned(iteration: int, lines: int, references: int, seed: int) -> Stream:
    """Draw as numpy() does for the group of the iteration, turned by the number of the iteration in its group."""
    stream = numpy(iteration // references, lines, references, seed)
    turn = iteration % references
    return lambda count, limits: ((stream(count, limits).astype(np.int64) + turn) % limits).astype(np.uint8)


def all_choices(iteration: int, lines: int, references: int, _: int) -> Stream:
    """Return the digits of the iteration's number in base R, so that every choice of references comes once."""
    digits = iter([iteration // references**line % references for line in range(lines)])
    return lambda count, _: np.fromiter(itertools.islice(digits, count), np.uint8, count)


_STREAMS: dict[str, Callable[[int, int, int, int], Stream]] = {
    "python2": python2,
    "python3": python3,
    "numpy": numpy,
    "turned": turned,
    "all": all_choices,
}
