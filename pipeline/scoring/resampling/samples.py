"""Samples of the sentences as weights: counts of the bootstrap, masks of approximate randomisation.

The random streams are those of sacreBLEU (sacrebleu/significance.py, version 2), bit for bit, so
that p-values are the same. They do not depend on the number of rows taken at once. One seed gives
the same rows for all systems and metrics. All weights in memory take at most MAX_WEIGHT_BYTES,
beside those of `sums.py`, or for each thread a few bytes for each line of the data if that is more.

Samples of lines that memory does not hold are shared by the workers of a cluster: each makes its
own from the stream. Whether a number of 32 bits is drawn or passed over depends on that number
alone, so the position in the stream at which a sample begins is computed by counting the draws in
sections of it, which workers share too.
"""

import math
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ... import kernel
from ...arrays import Bools
from ...errors import ConfigError, PipelineError
from ...execution import Cluster, RunDirectory
from ...parallel import WorkerLostError
from ...parallel import results as shared_results

T = TypeVar("T")
R = TypeVar("R")
Bytes = NDArray[np.unsignedinteger]
Progress = Callable[[int, int], None]

NO_PLANES = (np.empty(0, np.uint8), np.empty(0, np.uint8))
"""Packed numbers of no column: their sums are only those of the weights."""
WORD_BITS = 64
"""Bits of a word of the generator."""
SECTION_WORDS = 1 << 24
"""Words of the generator in a section of a stream."""
CHUNK_WORDS = 1 << 16
"""Words of a section that are in memory together."""


class SampleCluster(NamedTuple):
    """A cluster whose workers share samples, if they can read the counts in the run directory."""

    cluster: Cluster
    run_directory: RunDirectory


class Resources(NamedTuple):
    """What resampling may use, and who is informed of its progress."""

    progress: Progress | None = None
    threads: int = 1
    cluster: SampleCluster | None = None


class Bootstrap:
    """Counts of as many draws with replacement as there are lines.

    Row b counts row b of default_rng(seed).choice(lines, (samples, lines)): Efron and Tibshirani
    1993, ch. 6; Koehn 2004, "Statistical significance tests for machine translation evaluation".
    """

    def __init__(
        self, lines: int, seed: int, section: int = 0, passed: int = 0
    ) -> None:
        """Begin after `passed` draws of a section of the stream."""
        self.lines = lines
        self.seed = seed
        self.section = section
        self.passed = passed

    @cached_property
    def generator(self) -> np.random.Generator:
        """The generator of the next row."""
        first_word = self.section * SECTION_WORDS
        half = 0  # the number of 32-bit halves that are passed over from this word on
        missing = self.passed
        if missing:
            for first_word, drawn in self._draws_of_section(self.section):  # noqa: B007
                positions = np.flatnonzero(drawn)
                if missing <= len(positions):
                    half = int(positions[missing - 1]) + 1
                    break
                missing -= len(positions)
        bits = np.random.PCG64(self.seed)
        bits.advance(first_word + half // 2)
        if half % 2:  # the higher half of a word comes next
            word = int(bits.random_raw())
            state = bits.state
            state["has_uint32"] = 1
            state["uinteger"] = word >> 32
            bits.state = state
        return np.random.Generator(bits)

    def draws(self, section: int) -> int:
        """Return how many draws there are in a section of the stream."""
        draws = 0
        for _, drawn in self._draws_of_section(section):
            draws += int(np.count_nonzero(drawn))
        return draws

    def _draws_of_section(self, section: int) -> Iterator[tuple[int, Bools]]:
        """Yield for each chunk of a section its first word, and which halves of words are draws.

        Source: Lemire 2019.
        """
        first_word = section * SECTION_WORDS
        end = first_word + SECTION_WORDS
        bits = np.random.PCG64(self.seed)
        bits.advance(first_word)
        lines = np.uint32(self.lines)
        threshold = np.uint32((1 << 32) % self.lines)
        for word in range(first_word, end, CHUNK_WORDS):
            words = bits.random_raw(CHUNK_WORDS)
            halves = words.astype("<u8", copy=False).view("<u4")
            products = halves * lines  # modulo 2**32
            yield word, products >= threshold

    def starting_at(
        self, rows: Sequence[int], cluster: Cluster
    ) -> list["Bootstrap"]:
        """Return streams of which each begins with one of these rows.

        The rows are in rising order. There must be fewer than 2**32 lines.
        """
        draws_before = [0]  # how many draws there are before each section
        first_draws = [row * self.lines for row in rows]
        rejected = (1 << 32) % self.lines / (1 << 32)  # the share of numbers
        expected_draws = 2 * SECTION_WORDS * (1 - rejected)  # in a section
        while first_draws[-1] > draws_before[-1]:
            missing = first_draws[-1] - draws_before[-1]
            first_section = len(draws_before) - 1
            end = len(draws_before) + int(missing / expected_draws)
            sections = range(first_section, end)
            counts = cluster.shared(self.draws, sections)
            for section, count in zip(sections, counts, strict=True):
                draws = count
                if draws is None:  # its worker failed
                    draws = self.draws(section)
                draws_before.append(draws_before[-1] + draws)
        streams = []
        for first_draw in first_draws:
            section = bisect_right(draws_before, first_draw) - 1
            passed = first_draw - draws_before[section]
            streams.append(Bootstrap(self.lines, self.seed, section, passed))
        return streams

    def take(self, rows: int) -> Bytes:
        """Return the next rows: uint8 [rows, lines], or wider if a count needs it."""
        return _draw_counts(self.generator, rows, self.lines)

    def later(self, rows: int) -> Callable[[], Bytes]:
        """Pass over the next rows, and return a function that makes them."""
        copied = np.random.Generator(np.random.PCG64())
        copied.bit_generator.state = self.generator.bit_generator.state
        kernel.pass_draws(self.generator, rows, self.lines)
        return partial(_draw_counts, copied, rows, self.lines)


def _draw_counts(
    generator: np.random.Generator, rows: int, lines: int
) -> Bytes:
    """Return how often each line is drawn: uint8 [rows, lines], or wider if a count needs it."""
    shape = (rows, lines)
    state = generator.bit_generator.state
    counts: Bytes = np.zeros(shape, np.uint8)
    kernel.add_draws(generator, counts)
    sums = kernel.plane_sums(*NO_PLANES, lines, counts)
    if sums.sum() != rows * lines:  # a count was too large for uint8
        generator.bit_generator.state = state
        counts = np.zeros(shape, np.uint64)
        kernel.add_draws(generator, counts)
    return counts


class Shuffles:
    """Weight 1 for sentences whose outputs stay with their systems, 0 for those that are swapped.

    Row t is row t of default_rng(seed).integers(2, size=(trials, lines), dtype=bool), which takes
    the 32 bits of a word beginning with the lowest (Riezler and Maxwell 2005, "On some pitfalls in
    automatic evaluation").
    """

    def __init__(self, lines: int, seed: int, row: int = 0) -> None:
        """Begin with a row."""
        self.lines = lines
        self.seed = seed
        self.row = row

    def starting_at(self, rows: Sequence[int], _: Cluster) -> list["Shuffles"]:
        """Return streams of which each begins with one of these rows."""
        return [Shuffles(self.lines, self.seed, row) for row in rows]

    def take(self, rows: int) -> Bytes:
        """Return the next rows: uint8 [rows, lines]."""
        return self.later(rows)()

    def later(self, rows: int) -> Callable[[], Bytes]:
        """Pass over the next rows, and return a function that makes them, in any thread."""
        # bit i of the stream is bit i % 64 of word i // 64
        first_word, first_bit = divmod(self.row * self.lines, WORD_BITS)
        end_bit = first_bit + rows * self.lines
        self.row += rows

        def make() -> Bytes:
            generator = np.random.PCG64(self.seed)
            generator.advance(first_word)
            words = generator.random_raw(math.ceil(end_bit / WORD_BITS))
            octets = words.astype("<u8").view(np.uint8)
            bits = np.unpackbits(octets, bitorder="little")
            return bits[first_bit:end_bit].reshape(rows, self.lines)

        return make


Stream = Bootstrap | Shuffles

MAX_WEIGHT_BYTES = 80 << 20
"""The most bytes of weights of all threads at once, but at least one row."""
MAX_BYTES_REREADING = 400 << 20
"""The same if terms are not cached: then they are read again for each group of samples."""
MAX_ROWS = 1000
"""The most rows of weights at once."""
MIN_THREADED_WEIGHTS = 1 << 24
"""From this number of weights on, several threads are worth starting."""
MAX_WORKER_BYTES = 2 << 30
"""The most bytes of weights of a worker of a cluster, which reads the counts again for them."""


class SampleGroups:
    """Samples of the sentences in groups, as large as memory allows."""

    def __init__(
        self,
        weights: Stream,
        samples: int,
        resources: Resources = Resources(),  # noqa: B008 (never changed)
        max_bytes: int = MAX_WEIGHT_BYTES,
    ) -> None:
        """Take the stream of weights, which may take `max_bytes` of memory.

        The cluster is used only if terms are not cached (MAX_BYTES_REREADING).
        """
        lines = weights.lines
        self.weights = weights
        self.samples = samples
        self.cluster = None
        if max_bytes == MAX_BYTES_REREADING and lines < 1 << 32:
            self.cluster = resources.cluster
        self.progress = resources.progress or _ignore
        max_rows = max(max_bytes // lines, 1)
        self.threads = 1
        # The Python kernel could only pass over weights by making them.
        if (
            samples * lines >= MIN_THREADED_WEIGHTS
            and kernel.name() == "native"
        ):
            self.threads = min(resources.threads, max_rows)
        rows_in_memory = max_rows // self.threads
        rows_of_thread = max(samples // self.threads, 1)
        self.rows = min(rows_in_memory, rows_of_thread, MAX_ROWS)

    def results(self, call: Callable[[int, Bytes], T]) -> list[T]:
        """Return what a function returns for each group, in order.

        Its arguments are the number of the group's first sample, and the weights [samples, lines].
        With several threads it is called in any of them, and in workers of the cluster. Groups can
        be gone through once.
        """
        if self.cluster:
            shared = self._from_workers(call, self.cluster)
            if shared:
                self.progress(self.samples, self.samples)
                return shared

        def groups() -> Iterator[tuple[int, Callable[[], Bytes]]]:
            for start in range(0, self.samples, self.rows):
                rows = min(self.rows, self.samples - start)
                if self.threads > 1:
                    yield start, self.weights.later(rows)
                else:  # the weights need not be passed over for other threads
                    yield start, partial(self.weights.take, rows)

        def work(group: tuple[int, Callable[[], Bytes]]) -> tuple[int, T]:
            start, make = group
            return start, call(start, make())

        answers: Iterator[tuple[int, T]]
        if self.threads == 1:
            answers = map(work, groups())
        else:
            answers = shared_results(
                work, groups(), self.threads, processes=False
            )
        results: dict[int, T] = {}
        try:
            for start, result in answers:
                results[start] = result
                done = len(results) * self.rows
                self.progress(min(done, self.samples), self.samples)
        except WorkerLostError as error:
            raise MemoryError from error
        return [results[start] for start in sorted(results)]

    def _from_workers(
        self, call: Callable[[int, Bytes], T], sample_cluster: SampleCluster
    ) -> list[T]:
        """Return what results() does, in groups as large as workers have memory for.

        The list is empty if no worker has the run directory, or if there is no cluster: a run that
        has all counts did not need it before.
        """
        samples = self.samples
        cluster = sample_cluster.cluster
        try:
            samples_per_worker = math.ceil(samples / cluster.workers())
        except ConfigError:
            return []
        rows_in_memory = MAX_WORKER_BYTES // self.weights.lines
        size = max(min(rows_in_memory, samples_per_worker), 1)
        starts = range(0, samples, size)
        streams: Sequence[Stream] = self.weights.starting_at(starts, cluster)
        items = list(zip(starts, streams, strict=True))

        def group_results(
            item: tuple[int, Stream], max_rows: int = size
        ) -> list[T]:
            results = []
            first_sample, stream = item
            end = min(first_sample + size, samples)
            for sample in range(first_sample, end, max_rows):
                rows = min(max_rows, end - sample)
                weights = stream.take(rows)
                results.append(call(sample, weights))
            return results

        with sample_cluster.run_directory.open_to_workers(
            machines=True
        ) as proof:
            answers = list(
                cluster.shared(partial(_try, group_results, proof), items)
            )
        if not any(answers):
            return []
        results: list[T] = []
        for item, answer in zip(items, answers, strict=True):
            if answer is None:  # its worker failed
                results += group_results(item, self.rows)
            else:
                results += answer
        return results


def _ignore(done: int, total: int) -> None:
    """Take the progress, and display nothing."""


def _try(call: Callable[[T], R], proof: Path | None, item: T) -> R | None:
    """Return what a function returns in a worker that has the folder of the proof.

    None if the worker does not have it, or if the function fails.
    """
    if not proof or not proof.exists():
        return None
    try:
        return call(item)
    except (PipelineError, MemoryError):
        return None
