"""What bounds a run on a large cluster, from task times recorded here: `python -m tests.bench.simulated` (no test).

A run of a million lines in one process is timed: how long each stretch of a text takes to be opened, and each shard to
be counted and written, all shards to be joined, and the columns to be scored. Then a run of a thousand times as many
pairs is simulated, in which workers take bundles of stretches and of shards as they become free.

    python -m tests.bench.simulated                                  64 workers, 1,000 million pairs
    python -m tests.bench.simulated --workers 1 16 64 256 --million 200
    python -m tests.bench.simulated --request 0.001 --disk 5000      another scheduler, another file system
    python -m tests.bench.simulated --samples 1000 --million 100     only the bootstrap samples of two systems
"""

from __future__ import annotations

import argparse
import heapq
import itertools
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

from pipeline import stages
from pipeline.data.config import Overrides
from pipeline.data.scan import TextRange
from pipeline.data.texts import Opening
from pipeline.execution import cluster as clusters
from pipeline.execution import workers
from pipeline.execution.options import RunOptions
from pipeline.execution.store.counts import ShardFile, StoredCounts
from pipeline.execution.store.run_directory import RunDirectory
from pipeline.scoring import ScoredRun, metric_results, sums
from pipeline.scoring.aggregation import SystemCounts
from pipeline.scoring.resampling import intervals, samples
from pipeline.scoring.terms import MetricTerms, check_sums
from tests.bench.measuring.corpora import MILLION, Corpora


@dataclass
class Recorded:
    """Seconds of processor time of each call, by what was called, for a million lines in one
    process."""

    scanned: list[float] = field(default_factory=list)
    opened: list[float] = field(default_factory=list)
    counted: list[float] = field(default_factory=list)
    written: list[float] = field(default_factory=list)
    joined: list[float] = field(default_factory=list)
    scored: list[float] = field(default_factory=list)
    read: list[float] = field(default_factory=list)
    """Of `scored`, what one thread does for all: it reads the columns."""
    made: list[float] = field(default_factory=list)
    """`read`, and what another thread does for all: it makes the terms of each line."""
    put: list[float] = field(default_factory=list)
    """Of `joined`, what one thread does for all: it writes the file."""
    size: int = 0
    """Bytes of all texts."""

    @property
    def shards(self) -> list[float]:
        """What a worker needs for each shard."""
        return [
            one + two
            for one, two in zip(self.counted, self.written, strict=True)
        ]

    def timed(
        self, call: Callable[..., Any], kept: list[float]
    ) -> Callable[..., Any]:
        """Return a function that does the same and keeps how long it took."""

        def timed(*given: Any, **more: Any) -> Any:
            begun = time.process_time()
            result = call(*given, **more)
            kept.append(time.process_time() - begun)
            return result

        return timed

    def stepwise(
        self, call: Callable[..., Iterable[Any]], kept: list[float]
    ) -> Callable[..., Iterator[Any]]:
        """Do what timed() does for a function that returns an iterator: of each item it keeps how
        long it took."""

        def stepwise(*given: Any, **more: Any) -> Iterator[Any]:
            items = iter(call(*given, **more))
            while (item := self.timed(next, kept)(items, None)) is not None:
                yield item

        return stepwise


def record(folder: Path) -> Recorded:
    """Run a million lines in one process, and return how long each part of the work takes."""
    found = Recorded()
    texts = Corpora(folder)
    paths = texts.repeated(MILLION)
    config = texts.config(paths, "simulated")
    found.size = sum(path.stat().st_size for path in paths)
    serial = RunOptions(n_jobs=1, backend="serial", cache=False)
    with (
        mock.patch.object(
            TextRange, "scan", found.timed(TextRange.scan, found.scanned)
        ),
        mock.patch.object(
            Opening, "finish", found.timed(Opening.finish, found.opened)
        ),
        mock.patch.object(
            workers, "count", found.timed(workers.count, found.counted)
        ),
        mock.patch.object(
            ShardFile, "written", found.timed(ShardFile.written, found.written)
        ),
        mock.patch.object(
            RunDirectory, "join", found.timed(RunDirectory.join, found.joined)
        ),
        mock.patch(
            "pipeline.stages.score",
            found.timed(metric_results.score, found.scored),
        ),
        mock.patch.object(
            StoredCounts,
            "blocks",
            found.stepwise(StoredCounts.blocks, found.read),
        ),
        mock.patch.object(
            MetricTerms,
            "blocks",
            found.stepwise(MetricTerms.blocks, found.made),
        ),
        mock.patch.object(
            sums, "check_sums", found.timed(check_sums, found.made)
        ),
    ):
        stages.run(
            stages.prepare(config, serial),
            folder / "simulated",
            serial,
            fresh=True,
        )
    columns = [
        path.read_bytes()
        for path in folder.glob("simulated/statistics/*/*.columns")
    ]
    for data in columns:
        found.put.append(
            min(
                timed(partial((folder / "written").write_bytes, data))
                for _ in range(3)
            )
        )
    return found


def makespan(
    times: Sequence[float], number: int, request: float, size: int
) -> float:
    """Return when the last of a number of tasks is done; a worker that is free takes the next
    bundle.

    `times` are taken in turn. The scheduler hands out a bundle every `request` seconds, and `size`
    gives the workers."""
    free = [0.0] * size
    handed = 0.0
    task = itertools.cycle(times)
    for bundle in clusters.bundles(iter(range(number)), number, size):
        handed = max(handed + request, heapq.heappop(free))
        heapq.heappush(free, handed + sum(itertools.islice(task, len(bundle))))
    return max(free)


def simulated(
    found: Recorded, million: int, size: int, args: argparse.Namespace
) -> dict[str, float]:
    """Return the seconds of each part of a run on `size` workers, and what the file system needs at
    least.

    The first machine joins and scores with all its processors, but one thread writes, one reads
    ahead, and one makes the terms.

    One worker stands for one process, which does everything itself.
    """
    threads = args.threads if size > 1 else 1
    stretches = million * len(found.scanned)
    read = sum(found.read)
    return {
        "open": makespan(found.scanned, stretches, args.request, size)
        + million * sum(found.opened),
        "count": makespan(
            found.shards, million * len(found.shards), args.request, size
        ),
        "join": million * max(sum(found.joined) / threads, sum(found.put)),
        "score": million
        * max(sum(found.scored) / threads, read, sum(found.made) - read),
        "read twice": 2 * million * found.size / args.disk / 1e6,
    }


class Repeated(NamedTuple):
    """The counts of a system, again and again."""

    whole: Any
    times: int

    def blocks(self) -> Iterator[Any]:
        """Yield the columns."""
        for _ in range(self.times):
            yield from self.whole.blocks()


def share_samples(folder: Path, args: argparse.Namespace) -> None:
    """Print what the workers of a cluster need for bootstrap samples of two systems (see
    `scoring/resampling/`).

    Tasks of ten million lines, which are a million again and again, are timed: looking at a stretch
    of the stream; and samples, for which the counts are read. With more lines each takes so many
    times as long."""
    texts = Corpora(folder)
    lines = 10 * MILLION
    serial = RunOptions(n_jobs=2, backend="threading")
    config = texts.config(texts.repeated(MILLION), "samples")
    metrics = Overrides(settings=("metrics=[bleu, gleu]",))
    stages.run(
        stages.prepare(config, serial, metrics), folder / "samples", serial
    )
    draws = min(
        timed(partial(samples.Bootstrap(lines, 0).draws, number))
        for number in range(3)
    )
    print(
        f"{args.samples:,} samples of {args.million:,} million lines, two systems; a task, all, in seconds:"
    )
    for metric_result in ScoredRun.read(folder / "samples").metric_results:
        systems = [Repeated(metric_result.columns[0], lines // MILLION)] * 2
        counts = SystemCounts(
            metric=metric_result.metric,
            systems=systems,
            lines=lines,
            references=metric_result.references,
            reference_of_system=[None, None],
        )
        for size in args.workers:
            group = max(
                min(
                    samples.MAX_WORKER_BYTES // (args.million * MILLION),
                    -(-args.samples // size),
                ),
                1,
            )
            weights = samples.Bootstrap(lines, 0)

            def task() -> None:
                for part in intervals.summands(counts):  # noqa: B023
                    part.cached = []
                    list(part.sampled(weights.take(group), 0))  # noqa: B023

            one = (
                min(timed(task) for _ in range(args.runs))
                * args.million
                * MILLION
                / lines
            )
            stretches = (
                int(
                    args.samples
                    * args.million
                    * MILLION
                    / 2
                    / samples.SECTION_WORDS
                )
                + 1
            )
            seconds = makespan([draws], stretches, args.request, size)
            seconds += makespan(
                [one], -(-args.samples // group), args.request, size
            )
            print(
                f"{metric_result.metric.name:8}{size:5} workers, {group:4} samples at once | {one:8.1f} {seconds:8.1f}"
            )


def timed(call: Callable[[], Any]) -> float:
    """Return how many seconds of processor time a call takes."""
    begun = time.process_time()
    call()
    return time.process_time() - begun


def main() -> None:
    """Record, simulate and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--workers",
        type=int,
        nargs="+",
        default=[1, 16, 64, 256],
        help="numbers of workers",
    )
    parser.add_argument(
        "--million",
        type=int,
        default=1000,
        help="millions of pairs (default: 1000)",
    )
    parser.add_argument(
        "--threads",
        type=int,
        default=16,
        help="processors of the first machine (default: 16)",
    )
    parser.add_argument(
        "--request",
        type=float,
        default=0.002,
        help="seconds of the scheduler for a request",
    )
    parser.add_argument(
        "--disk",
        type=float,
        default=2000,
        help="MB/s that the file system gives in all",
    )
    parser.add_argument(
        "--samples",
        type=int,
        help="bootstrap samples of the lines, in place of a run",
    )
    parser.add_argument(
        "--runs",
        type=int,
        default=2,
        help="the best of so many tasks of samples counts (default: 2)",
    )
    parser.add_argument(
        "--folder",
        type=Path,
        help="keep the texts here (default: a temporary folder)",
    )
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.folder or Path(temporary)
        if args.samples:
            share_samples(folder, args)
            return
        found = record(folder)
    parts = {
        "open": [*found.scanned, *found.opened],
        "join texts": found.opened,
        "count": found.shards,
        "join": found.joined,
        "score": found.scored,
    }
    told = ", ".join(
        f"{name} {sum(times):.2f} s" for name, times in parts.items()
    )
    print(
        f"recorded for 1 million lines, one process: {told}; {found.size / 1e6:.0f} MB of text"
    )
    print(
        f"{args.million:,} million pairs, first machine with {args.threads} processors, {args.disk:.0f} MB/s:"
    )
    print(
        "workers   open   count    join   score | all of it, in seconds; reading alone; times as fast as 1"
    )
    first = 0.0
    for size in args.workers:
        seconds = simulated(found, args.million, size, args)
        reading = seconds.pop("read twice")
        whole = max(sum(seconds.values()), reading)
        first = first or whole
        row = "".join(f"{value:8.0f}" for value in seconds.values())
        print(
            f"{size:7}{row} | {whole:8.0f} {reading:8.0f} {first / whole:8.1f}"
        )


if __name__ == "__main__":
    main()
