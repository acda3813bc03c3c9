"""Draws of references in Python: which reference each line gets in each iteration; sums of draws.

Each iteration has a stream of its own, which runs over the lines in order. So draws do not depend
on the blocks of lines that are drawn at once.
"""

import random
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Ints
from ..common import SEED_STEP, check_drawer, check_present, check_terms

Bytes = NDArray[np.uint8]
Stream = Callable[[int, int | Ints], Bytes]
"""Draws for a number of lines, of which each has so many references."""


class Iteration(NamedTuple):
    """What the draws of an iteration depend on."""

    number: int
    """The number of the iteration, from 0."""
    lines: int
    """The number of all lines that are drawn for."""
    references: int
    seed: int


class Drawer:
    """Draws a reference for each line in each of several iterations.

    Lines come in blocks, in order: each call of take() or sums() draws for the next block. `lines`
    is the number of lines of all blocks. Only the samplers numpy and turned read the seed, and
    only they and all read `lines`. Raises ValueError as check_drawer() does.
    """

    def __init__(
        self,
        sampler: str,
        iterations: Iterable[int],
        lines: int,
        references: int,
        seed: int = 0,
    ) -> None:
        """Begin a stream of draws for each of `iterations`, which are numbers from 0."""
        numbers = check_drawer(sampler, iterations, references)
        self.references = references
        begin_stream = STREAMS[sampler]
        self.streams: list[Stream] = []
        for number in numbers:
            iteration = Iteration(number, lines, references, seed)
            self.streams.append(begin_stream(iteration))

    def take(self, lines: int, present: Ints | None = None) -> Bytes:
        """Draw references for the next lines: uint8 [iterations, lines], numbered from 0.

        If references are missing, `present` is how many each line has, int64 [lines], and only
        these are drawn. Raises ValueError as check_present() does.
        """
        check_present(present, lines, self.references)
        limits: int | Ints = self.references
        if present is not None:
            limits = present
        shape = (len(self.streams), lines)
        block = np.empty(shape, np.uint8)
        for row, stream in zip(block, self.streams, strict=True):
            row[:] = stream(lines, limits)
        return block

    def sums(self, terms: Sequence[Ints], present: Ints | None = None) -> Ints:
        """Draw references for the next lines, and sum the drawn terms over these lines.

        Each of `terms` is int64 [lines, references, width]: what a line adds to a score's parts
        with each reference. Returns int64 [iterations, width of all terms], modulo 2**64. For
        `present` see take(). Raises ValueError as check_terms() and check_present() do.
        """
        lines = check_terms(terms, self.references)
        all_terms = np.concatenate(terms, axis=2)
        every_line = np.arange(lines)
        draws = self.take(lines, present)
        shape = (len(draws), all_terms.shape[2])
        totals = np.zeros(shape, np.int64)
        for iteration, references in enumerate(draws):
            drawn = all_terms[every_line, references]  # [lines, width]
            totals[iteration] = drawn.sum(axis=0)
        return totals


def add_draws(
    generator: np.random.Generator, counts: NDArray[np.unsignedinteger]
) -> None:
    """Draw bootstrap samples: add how often each unit is drawn to uint8 or uint64 [samples, units].

    For each sample as many units are drawn, with replacement, as there are: the next
    integers(0, units) of the generator. A count that its type cannot hold wraps around.
    """
    increment = counts.dtype.type(1)
    units = counts.shape[1]
    for sample in counts:
        drawn = generator.integers(0, units, units)
        np.add.at(sample, drawn, increment)


def pass_draws(generator: np.random.Generator, rows: int, things: int) -> None:
    """Leave the generator as add_draws() would leave it for counts [rows, things]."""
    for _row in range(rows):
        generator.integers(0, things, things)


def python2(iteration: Iteration) -> Stream:
    """Return a stream that draws one of R references as the original GLEU program does.

    That is Python 2's random.randint(0, R - 1), which is int(random() * R), with the seed 101 *
    iteration. numpy's RandomState, if its seed is a *list*, is Python's generator, bit for bit.
    """
    seed = SEED_STEP * iteration.number
    generator = np.random.RandomState([seed])
    return _scaled(generator.random_sample)


def _scaled(random_numbers: Callable[[int], Floats]) -> Stream:
    """Return a stream that draws int(random * R) with random numbers from 0 to below 1."""

    def stream(count: int, limits: int | Ints) -> Bytes:
        scaled = random_numbers(count) * limits
        return scaled.astype(np.uint8)

    return stream


def python3(iteration: Iteration) -> Stream:
    """Return a stream that draws one of R references as Python 3's random.randint(0, R - 1) does.

    The seed is 101 * iteration. A draw is the highest R.bit_length() bits of a 32-bit word; words
    that give R or more are passed over.
    """
    seed = SEED_STEP * iteration.number
    # These are the draws of a published program, so no safer generator will do.
    generator = random.Random(seed)  # noqa: S311

    def stream(count: int, limits: int | Ints) -> Bytes:
        draws = []
        limits_of_lines = np.broadcast_to(limits, count)
        for limit in limits_of_lines.tolist():
            draw = generator.randrange(limit)
            draws.append(draw)
        return np.array(draws, np.uint8)

    return stream


def numpy(iteration: Iteration) -> Stream:
    """Return a stream that draws one of R references with numpy.

    The draws are row `iteration` of (default_rng(seed).random((iterations, lines)) * R).astype(int).
    """
    # default_rng() is a PCG64, and each random() takes one step of it
    bits = np.random.PCG64(iteration.seed)
    bits.advance(iteration.number * iteration.lines)
    generator = np.random.Generator(bits)
    return _scaled(generator.random)


def turned(iteration: Iteration) -> Stream:
    """Return a stream in which each group of R iterations draws every reference of a line once.

    A group draws as an iteration of numpy() does; its iteration t takes the reference t after the
    drawn one, modulo R.
    """
    group, turn = divmod(iteration.number, iteration.references)
    stream = numpy(iteration._replace(number=group))

    def turned_stream(count: int, limits: int | Ints) -> Bytes:
        draws = stream(count, limits).astype(np.int64)
        turned_draws = (draws + turn) % limits
        return turned_draws.astype(np.uint8)

    return turned_stream


def all_choices(iteration: Iteration) -> Stream:
    """Return a stream with which R ** lines iterations go through every choice of references once.

    The reference of line i is digit i, from the lowest, of the iteration's number in base R.
    """
    digits = []
    quotient = iteration.number
    for _line in range(iteration.lines):
        quotient, digit = divmod(quotient, iteration.references)
        digits.append(digit)
    remaining_digits = iter(digits)

    def stream(count: int, limits: int | Ints) -> Bytes:  # noqa: ARG001 (every line has all)
        return np.fromiter(remaining_digits, np.uint8, count)

    return stream


STREAMS: dict[str, Callable[[Iteration], Stream]] = {
    "python2": python2,
    "python3": python3,
    "numpy": numpy,
    "turned": turned,
    "all": all_choices,
}
