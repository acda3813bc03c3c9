"""Samples of the sentences as weights: counts of the bootstrap, masks of approximate randomisation, groups of both.

The random streams are those of sacreBLEU (sacrebleu/significance.py, version 2), bit for bit, so that p-values are the
same. They do not depend on the number of rows taken at once. One seed gives the same rows for all systems and metrics.
The weights that are in memory at once take GROUP bytes, beside those of `sums.py`, or for each thread a few bytes for
each line of the data where that is more.
"""

from collections.abc import Callable
from functools import partial
from threading import Event, Lock
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ... import kernel

Bytes = NDArray[np.unsignedinteger]
Progress = Callable[[int, int], None]

NO_PLANES = np.empty(0, np.uint8), np.empty(0, np.uint8)
"""Packed numbers of no column: their sums are only those of the weights."""
WORD = 64
"""Bits of a word of the generator."""


class Bootstrap:
    """Counts of as many draws with replacement as there are lines, so that each row sums to the number of lines.

    Row b counts row b of default_rng(seed).choice(lines, (samples, lines)): Efron and Tibshirani 1993, ch. 6;
    Koehn 2004, "Statistical significance tests for machine translation evaluation".
    """

    def __init__(self, lines: int, seed: int) -> None:
        self.lines, self.generator = lines, np.random.default_rng(seed)

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
    """Return how often each of the lines is drawn: uint8 [rows, lines], or wider where a count needs it."""
    before = generator.bit_generator.state
    counts: Bytes = np.zeros((rows, lines), np.uint8)
    kernel.add_draws(generator, counts)
    if kernel.plane_sums(*NO_PLANES, lines, counts).sum() != rows * lines:  # a count was too large for uint8
        generator.bit_generator.state = before
        counts = np.zeros((rows, lines), np.uint64)
        kernel.add_draws(generator, counts)
    return counts


class Shuffles:
    """Weight 1 for sentences whose outputs stay with their systems, 0 for sentences whose outputs are swapped.

    Row t is row t of default_rng(seed).integers(2, size=(trials, lines), dtype=bool), which takes the 32 bits of a
    word beginning with the lowest (Riezler and Maxwell 2005, "On some pitfalls in automatic evaluation").
    """

    def __init__(self, lines: int, seed: int) -> None:
        self.lines, self.seed, self.row = lines, seed, 0

    def take(self, rows: int) -> Bytes:
        """Return the next rows: uint8 [rows, lines]."""
        return self.later(rows)()

    def later(self, rows: int) -> Callable[[], Bytes]:
        """Pass over the next rows, and return a function that makes them, which another thread may call."""
        passed, skipped = divmod(self.row * self.lines, WORD)  # bit i of the stream is bit i % 64 of word i // 64
        needed, self.row = rows * self.lines, self.row + rows

        def made() -> Bytes:
            words = np.random.PCG64(self.seed).advance(passed).random_raw((skipped + needed + WORD - 1) // WORD)
            bits = np.unpackbits(words.astype("<u8").view(np.uint8), bitorder="little")
            return bits[skipped : skipped + needed].reshape(rows, self.lines)

        return made


T = TypeVar("T")

GROUP = 80 << 20
"""At most so many bytes of weights are held at once by all threads, but at least one row."""
ALONE = 400 << 20
"""The same where nothing else takes much memory: what is summed is then read again for each group."""
ROWS = 1000
"""At most so many rows of weights are held at once."""
THREADED = 1 << 24
"""From so many weights on it is worth starting several threads."""


class Groups:
    """Samples of the sentences in groups, as large as there is room for."""

    def __init__(
        self, weights: Bootstrap | Shuffles, samples: int, lines: int, *, threads: int = 1, space: int = 0
    ) -> None:
        """Take the stream of weights. They may take `space` bytes, or GROUP where it is 0."""
        self.weights, self.samples = weights, samples
        most = max((space or GROUP) // lines, 1)
        # The Python kernel could only pass over weights by making them.
        self.threads = min(threads, most) if samples * lines >= THREADED and kernel.name() == "native" else 1
        self.rows = min(most // self.threads, ROWS, max(samples // self.threads, 1))

    def results(self, call: Callable[[int, Bytes], T], progress: Progress | None = None) -> list[T]:
        """Return what a function returns for each group, in order.

        Its arguments are the number of the group's first sample, and the weights [samples, lines]. With several threads
        it is called in any of them. Groups can be gone through once.
        """
        results: dict[int, T] = {}

        begun = done = 0
        lock, stopped = Lock(), Event()

        def work(_: int = 0) -> None:
            nonlocal begun, done
            while True:
                with lock:
                    low, rows = begun, min(self.rows, self.samples - begun)
                    if rows < 1 or stopped.is_set():
                        return
                    begun += rows
                    # with one thread the weights need not be passed over for others
                    make = partial(self.weights.take, rows) if self.threads == 1 else self.weights.later(rows)
                own = call(low, make())
                with lock:
                    results[low] = own
                    done += rows
                    if progress:
                        progress(done, self.samples)

        if self.threads == 1:
            work()
        else:
            from ...io.workers import threads as shared_by

            with shared_by(self.threads) as apply:
                try:
                    apply(work, range(self.threads))
                finally:
                    stopped.set()  # where one has failed, the others end with their groups
        return [results[low] for low in sorted(results)]
