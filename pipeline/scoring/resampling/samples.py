"""Samples of the sentences as weights: counts of the bootstrap, masks of approximate randomisation,
groups of both.

The random streams are those of sacreBLEU (sacrebleu/significance.py, version 2), bit for bit, so
that p-values are the same. They do not depend on the number of rows taken at once. One seed gives
the same rows for all systems and metrics. The weights that are in memory at once take GROUP bytes,
beside those of `sums.py`, or for each thread a few bytes for each line of the data where that is
more.

Samples of lines that memory does not hold are shared by the workers of a cluster: each makes its
own from the stream. Whether a number of 32 bits is drawn or passed over depends on that number
alone, so the place in the stream where a sample begins is found by counting the draws in stretches
of it, which workers share too."""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from pipeline.execution.cluster import Cluster

from ... import kernel
from ...arrays import Bools
from ...errors import ConfigError, PipelineError
from ...execution.store.run_directory import RunDirectory
from ...parallel import WorkerLostError
from ...parallel import results as shared_results

Bytes = NDArray[np.unsignedinteger]
Progress = Callable[[int, int], None]

NO_PLANES = np.empty(0, np.uint8), np.empty(0, np.uint8)
"""Packed numbers of no column: their sums are only those of the weights."""
WORD = 64
"""Bits of a word of the generator."""
STRETCH, PIECE = 1 << 24, 1 << 16
"""Words of the generator in a stretch of a stream, and those that are looked at together."""


class Bootstrap:
    """Counts of as many draws with replacement as there are lines, so that each row sums to the
    number of lines.

    Row b counts row b of default_rng(seed).choice(lines, (samples, lines)): Efron and Tibshirani
    1993, ch. 6; Koehn 2004, "Statistical significance tests for machine translation evaluation".
    """

    def __init__(self, lines: int, seed: int, stretch: int = 0, passed: int = 0) -> None:
        """Begin behind so many draws of a stretch of the stream."""
        self.lines, self.seed, self.stretch, self.passed = lines, seed, stretch, passed

    @cached_property
    def generator(self) -> np.random.Generator:
        """What the next row is drawn from."""
        word, half, left = self.stretch * STRETCH, 0, self.passed
        for word, drawn in self._drawn(self.stretch) if left else ():  # noqa: B007 (the last one is used)
            count = int(np.count_nonzero(drawn))
            if left <= count:
                half = int(np.flatnonzero(drawn)[left - 1]) + 1
                break
            left -= count
        bits = np.random.PCG64(self.seed).advance(word + half // 2)
        if half % 2:  # the higher half of a word comes next
            higher = int(bits.random_raw()) >> 32
            bits.state = {**bits.state, "has_uint32": 1, "uinteger": higher}
        return np.random.Generator(bits)

    def draws(self, stretch: int) -> int:
        """Return how many draws there are in a stretch of the stream."""
        return sum(int(np.count_nonzero(drawn)) for _, drawn in self._drawn(stretch))

    def _drawn(self, stretch: int) -> Iterator[tuple[int, Bools]]:
        """Yield for each piece of a stretch its first word, and which halves of its words are draws
        (Lemire 2019).
        """
        bits, rest = (
            np.random.PCG64(self.seed).advance(stretch * STRETCH),
            np.uint32((1 << 32) % self.lines),
        )
        for word in range(stretch * STRETCH, (stretch + 1) * STRETCH, PIECE):
            halves = bits.random_raw(PIECE).astype("<u8", copy=False).view("<u4")
            yield word, halves * np.uint32(self.lines) >= rest

    def beginning(self, rows: Sequence[int], cluster: Cluster) -> list["Bootstrap"]:
        """Return streams of which each begins with one of these rows, in rising order; fewer than
        2**32 lines.
        """
        begins = [0]  # how many draws there are before each stretch
        places = [row * self.lines for row in rows]
        drawn = 1 - (1 << 32) % self.lines / (1 << 32)
        while (lacking := places[-1] - begins[-1]) > 0:
            new = range(len(begins) - 1, len(begins) + int(lacking / (2 * STRETCH * drawn)))
            for stretch, count in zip(new, cluster.shared(self.draws, new), strict=True):
                begins.append(begins[-1] + (self.draws(stretch) if count is None else count))
        return [
            Bootstrap(self.lines, self.seed, stretch, place - begins[stretch])
            for stretch, place in zip(
                [bisect_right(begins, place) - 1 for place in places], places, strict=True
            )
        ]

    def take(self, rows: int) -> Bytes:
        """Return the next rows: uint8 [rows, lines], or wider where a count needs it."""
        return _counted(self.generator, rows, self.lines)

    def later(self, rows: int) -> Callable[[], Bytes]:
        """Pass over the next rows, and return a function that makes them."""
        generator = np.random.Generator(np.random.PCG64())
        generator.bit_generator.state = self.generator.bit_generator.state
        kernel.pass_draws(self.generator, rows, self.lines)
        return partial(_counted, generator, rows, self.lines)


def _counted(generator: np.random.Generator, rows: int, lines: int) -> Bytes:
    """Return how often each of the lines is drawn: uint8 [rows, lines], or wider where a count
    needs it.
    """
    before = generator.bit_generator.state
    counts: Bytes = np.zeros((rows, lines), np.uint8)
    kernel.add_draws(generator, counts)
    if (
        kernel.plane_sums(*NO_PLANES, lines, counts).sum() != rows * lines
    ):  # a count was too large for uint8
        generator.bit_generator.state = before
        counts = np.zeros((rows, lines), np.uint64)
        kernel.add_draws(generator, counts)
    return counts


class Shuffles:
    """Weight 1 for sentences whose outputs stay with their systems, 0 for sentences whose outputs
    are swapped.

    Row t is row t of default_rng(seed).integers(2, size=(trials, lines), dtype=bool), which takes
    the 32 bits of a word beginning with the lowest (Riezler and Maxwell 2005, "On some pitfalls in
    automatic evaluation")."""

    def __init__(self, lines: int, seed: int, row: int = 0) -> None:
        """Begin with a row."""
        self.lines, self.seed, self.row = lines, seed, row

    def beginning(self, rows: Sequence[int], _: Cluster) -> list["Shuffles"]:
        """Return streams of which each begins with one of these rows."""
        return [Shuffles(self.lines, self.seed, row) for row in rows]

    def take(self, rows: int) -> Bytes:
        """Return the next rows: uint8 [rows, lines]."""
        return self.later(rows)()

    def later(self, rows: int) -> Callable[[], Bytes]:
        """Pass over the next rows, and return a function that makes them, which another thread may
        call.
        """
        passed, skipped = divmod(
            self.row * self.lines, WORD
        )  # bit i of the stream is bit i % 64 of word i // 64
        needed, self.row = rows * self.lines, self.row + rows

        def made() -> Bytes:
            words = (
                np.random.PCG64(self.seed)
                .advance(passed)
                .random_raw((skipped + needed + WORD - 1) // WORD)
            )
            bits = np.unpackbits(words.astype("<u8").view(np.uint8), bitorder="little")
            return bits[skipped : skipped + needed].reshape(rows, self.lines)

        return made


T = TypeVar("T")
R = TypeVar("R")

GROUP = 80 << 20
"""At most so many bytes of weights are held at once by all threads, but at least one row."""
ALONE = 400 << 20
"""The same where nothing else takes much memory: what is summed is then read again for each group.
"""
ROWS = 1000
"""At most so many rows of weights are held at once."""
THREADED = 1 << 24
"""From so many weights on it is worth starting several threads."""
FAR = 2 << 30
"""At most so many bytes of weights are held at once by a worker of a cluster, which reads what is
summed for them."""


Far = tuple[Cluster, RunDirectory]
"""A cluster whose workers share samples, where they have the run directory with the counts."""


def _tried(call: Callable[[T], R], proof: Path | None, item: T) -> R | None:
    """Return what a function returns in a worker that has the folder of the proof; None where it
    fails.
    """
    try:
        return call(item) if proof and proof.exists() else None
    except (PipelineError, MemoryError):
        return None


class Groups:
    """Samples of the sentences in groups, as large as there is room for."""

    def __init__(
        self,
        weights: Bootstrap | Shuffles,
        samples: int,
        *,
        threads: int = 1,
        space: int = 0,
        far: Far | None = None,
    ) -> None:
        """Take the stream of weights. They may take `space` bytes, or GROUP where it is 0; `far` is
        for ALONE.
        """
        self.weights, self.samples, lines = weights, samples, weights.lines
        self.far = far if space == ALONE and lines < 1 << 32 else None
        most = max((space or GROUP) // lines, 1)
        # The Python kernel could only pass over weights by making them.
        self.threads = (
            min(threads, most) if samples * lines >= THREADED and kernel.name() == "native" else 1
        )
        self.rows = min(most // self.threads, ROWS, max(samples // self.threads, 1))

    def results(self, call: Callable[[int, Bytes], T], progress: Progress | None = None) -> list[T]:
        """Return what a function returns for each group, in order.

        Its arguments are the number of the group's first sample, and the weights [samples, lines].
        With several threads it is called in any of them, and in workers of `far`. Groups can be
        gone through once."""
        if self.far and (found := self._from_workers(call, *self.far)):
            if progress:
                progress(self.samples, self.samples)
            return found
        results, one = dict[int, T](), self.threads == 1

        def groups() -> Iterator[tuple[int, Callable[[], Bytes]]]:
            for low in range(0, self.samples, self.rows):
                rows = min(self.rows, self.samples - low)
                # with one thread the weights need not be passed over for others
                yield low, partial(self.weights.take, rows) if one else self.weights.later(rows)

        def work(group: tuple[int, Callable[[], Bytes]]) -> tuple[int, T]:
            low, make = group
            return low, call(low, make())

        answers = (
            map(work, groups())
            if one
            else shared_results(work, groups(), self.threads, processes=False)
        )
        try:
            for low, own in answers:
                results[low] = own
                if progress:
                    progress(min(len(results) * self.rows, self.samples), self.samples)
        except WorkerLostError as error:
            raise MemoryError from error
        return [results[low] for low in sorted(results)]

    def _from_workers(
        self, call: Callable[[int, Bytes], T], cluster: Cluster, directory: RunDirectory
    ) -> list[T]:
        """Return what results() does, in groups as large as workers have room for; nothing if none
        has the folder.

        Nothing also where there is no cluster: a run that has all counts did not need it before.
        """
        samples = self.samples
        try:
            size = max(min(FAR // self.weights.lines, -(-samples // cluster.workers())), 1)
        except ConfigError:
            return []
        lows = range(0, samples, size)
        streams: Sequence[Bootstrap | Shuffles] = self.weights.beginning(lows, cluster)
        items = [*zip(lows, streams, strict=True)]

        def part(item: tuple[int, Bootstrap | Shuffles], rows: int = size) -> list[T]:
            low, stream = item
            high = min(low + size, samples)
            return [call(at, stream.take(min(rows, high - at))) for at in range(low, high, rows)]

        with directory.open_to_workers(machines=True) as proof:
            answers = cluster.shared(partial(_tried, part, proof), items)
        if not any(answers):
            return []
        parts = (
            part(item, self.rows) if own is None else own
            for item, own in zip(items, answers, strict=True)
        )
        return [result for own in parts for result in own]
