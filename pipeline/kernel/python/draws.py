"""Draws of references in Python: which reference each line gets in each iteration; sums of draws.

Each iteration has a stream of its own, which runs over the lines in order. So draws do not depend
on the blocks of lines that are drawn at once.
"""

import random
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from ...arrays import Ints
from ..common import SEED_STEP, check_drawer, check_present, check_terms

Bytes = NDArray[np.uint8]
Stream = Callable[[int, int | Ints], Bytes]
"""Draws for a number of lines, of which each has so many references."""


class Drawer:
    """Draws references for several iterations, block of lines after block of lines.

    `lines` is the number of all lines that are drawn for. Only the samplers numpy and turned read
    the seed, and they and all read `lines`. Raises ValueError as check_drawer() does.
    """

    def __init__(
        self,
        sampler: str,
        iterations: Iterable[int],
        lines: int,
        references: int,
        seed: int = 0,
    ) -> None:
        numbers = check_drawer(sampler, iterations, references)
        self.references = references
        make_stream = STREAMS[sampler]
        self.streams = [
            make_stream(number, lines, references, seed) for number in numbers
        ]

    def take(self, lines: int, present: Ints | None = None) -> Bytes:
        """Draw references for the next lines: uint8 [iterations, lines], numbered from 0.

        If references are missing, `present` is how many each line has, int64 [lines], and only
        these are drawn. Raises ValueError as check_present() does.
        """
        check_present(present, lines, self.references)
        limits = self.references if present is None else present
        block = np.array([stream(lines, limits) for stream in self.streams], np.uint8)
        return block.reshape(len(self.streams), lines)

    def sums(self, terms: Sequence[Ints], present: Ints | None = None) -> Ints:
        """Draw for the next lines, and sum the terms: int64 [iterations, width of all terms].

        Each of the terms is int64 [lines, references, width]. For `present` see take(). Sums are
        modulo 2**64. Raises ValueError as check_terms() and check_present() do.
        """
        lines = check_terms(terms, self.references)
        numbers = np.concatenate(terms, axis=2)
        every_line = np.arange(lines)
        draws = self.take(lines, present)
        totals = np.zeros((len(draws), numbers.shape[2]), np.int64)
        for iteration, drawn in enumerate(draws):
            totals[iteration] = numbers[every_line, drawn].sum(axis=0)
        return totals


def add_draws(
    generator: np.random.Generator, counts: NDArray[np.unsignedinteger]
) -> None:
    """Add to counts, uint8 or uint64 [rows, things], how often each thing is drawn.

    For each row as many things are drawn with replacement as there are: the next integers(0,
    things) of the generator. Counts that are too large for their type are modulo its size.
    """
    for row in counts:
        np.add.at(row, generator.integers(0, len(row), len(row)), counts.dtype.type(1))


def pass_draws(generator: np.random.Generator, rows: int, things: int) -> None:
    """Leave the generator as add_draws() would leave it for counts [rows, things]."""
    for _row in range(rows):
        generator.integers(0, things, things)


def python2(iteration: int, lines: int, references: int, seed: int) -> Stream:
    """Draw int(random() * R) with the seed 101 * iteration, as Python 2's random.randint(0, R - 1)
    does.

    The original program draws so. RandomState of numpy, if its seed is a *list*, is Python's
    generator, bit for bit.
    """
    generator = np.random.RandomState([SEED_STEP * iteration])

    def stream(count: int, limits: int | Ints) -> Bytes:
        return (generator.random_sample(count) * limits).astype(np.uint8)

    return stream


def python3(iteration: int, lines: int, references: int, seed: int) -> Stream:
    """Draw as Python 3's random.randint(0, R - 1) does, with the seed 101 * iteration.

    The highest R.bit_length() bits of a 32-bit word are a draw, and words that give R or more are
    passed over.
    """
    # These are the draws of a published program, so no safer generator will do.
    draw = random.Random(SEED_STEP * iteration).randrange  # noqa: S311

    def stream(count: int, limits: int | Ints) -> Bytes:
        each = np.broadcast_to(limits, count).tolist()
        return np.array([draw(limit) for limit in each], np.uint8)

    return stream


def numpy(iteration: int, lines: int, references: int, seed: int) -> Stream:
    """Draw the row `iteration` of (default_rng(seed).random((iterations, lines)) * R).astype(int)."""
    generator = np.random.Generator(np.random.PCG64(seed).advance(iteration * lines))

    def stream(count: int, limits: int | Ints) -> Bytes:
        return (generator.random(count) * limits).astype(np.uint8)

    return stream


def turned(iteration: int, lines: int, references: int, seed: int) -> Stream:
    """Draw as numpy() does for a group of R iterations, turned by the iteration's number in it."""
    stream = numpy(iteration // references, lines, references, seed)
    turn = iteration % references

    def turned_stream(count: int, limits: int | Ints) -> Bytes:
        draws = stream(count, limits).astype(np.int64)
        return ((draws + turn) % limits).astype(np.uint8)

    return turned_stream


def all_choices(iteration: int, lines: int, references: int, seed: int) -> Stream:
    """Return the digits of the iteration's number in base R, so that every choice comes once."""
    digits = []
    for _line in range(lines):
        iteration, digit = divmod(iteration, references)
        digits.append(digit)
    remaining = iter(digits)

    def stream(count: int, limits: int | Ints) -> Bytes:
        return np.fromiter(remaining, np.uint8, count)

    return stream


STREAMS: dict[str, Callable[[int, int, int, int], Stream]] = {
    "python2": python2,
    "python3": python3,
    "numpy": numpy,
    "turned": turned,
    "all": all_choices,
}
