"""Rows of the benchmark that are no metric's own: whole processes, stages of large runs,
statistics, the start.
"""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

from tests.bench.measuring.bench import Bench
from tests.bench.measuring.corpora import MILLION, ROOT
from tests.bench.measuring.rows import Row
from tests.bench.scale import scale as scale_rows
from tests.bench.statistics import SAMPLES, TRIALS
from tests.bench.survive import survive as survive_rows

Command = list[str | Path]

PROGRAM: Command = [sys.executable, "-m", "pipeline"]


def package(bench: Bench) -> Iterator[Row]:
    """The thirteen systems of CoNLL-2014, GLEU+ with 500 iterations, against the package gleu."""
    source, references, systems = bench.conll()
    listed: Command = ["-s", source, "-r", *references, "-o", *systems]
    peer: Command = [
        Path(sysconfig.get_path("scripts")) / "gleu",
        "-f",
        *listed,
    ]
    mine: Command = [*PROGRAM, "gleu", "corpus", "-f", *listed]
    if _printed(mine) != _printed(peer):
        raise SystemExit("the package gleu prints other numbers")
    timing = bench.pairs(
        lambda: bench.seconds(mine), lambda: bench.seconds(peer), most=2
    )
    name = f"{len(systems)} systems x 500 iterations, whole process"
    yield timing.row(name, "gleu -f", "peer 60 to 100 times slower")


def _printed(command: Command) -> bytes:
    return subprocess.run(
        command, check=True, capture_output=True, cwd=ROOT
    ).stdout


def google(bench: Bench) -> Iterator[Row]:
    """Google-GLEU of all systems, files opened to score, one worker, against nltk on the same
    lines.
    """
    _, references, systems = bench.conll()
    files = ",".join(str(path) for path in [*references, *systems])

    def figures(who: str) -> dict[str, float]:
        return bench.child(who, files, str(len(references)))

    if abs(figures("google")["score"] - figures("nltk")["score"]) > 1e-12:
        raise SystemExit("nltk gives another number")
    timing = bench.pairs(
        lambda: figures("google")["seconds"], lambda: figures("nltk")["seconds"]
    )
    yield timing.row(
        f"Google-GLEU of {len(systems)} systems",
        "nltk",
        "peer 25 to 100 times slower",
    )


def statistics(bench: Bench) -> Iterator[Row]:
    """1,000 bootstrap samples, and 10,000 shuffles against a baseline, from stored columns, against
    sacreBLEU.
    """
    source, references, systems = bench.conll()
    files = ",".join(str(path) for path in [source, *references, *systems])

    def figures(who: str, metric: str = "bleu") -> dict[str, float]:
        return bench.child("statistics", who, files, metric)

    mine = figures("ours")
    theirs = figures("sacrebleu")
    if abs(mine["low"] - theirs["low"]) > 1e-6 or mine["p"] != theirs["p"]:
        raise SystemExit(
            f"sacrebleu has other intervals or p-values: {mine}, {theirs}"
        )
    for key, name in (
        (
            "bootstrap",
            f"{SAMPLES:,} bootstrap samples of {len(systems)} systems",
        ),
        ("tests", f"{TRIALS:,} shuffles of {len(systems) - 1} pairs"),
    ):

        def of(who: str, metric: str, key: str = key) -> float:
            return figures(who, metric)[key]

        timing = bench.pairs(
            lambda of=of: of("ours", "bleu"),  # type: ignore[misc]
            lambda of=of: of("sacrebleu", "bleu"),  # type: ignore[misc]
            most=3,
        )
        yield timing.row(f"{name}, BLEU", "sacrebleu", "under 1 s")
        timing = bench.pairs(lambda of=of: of("ours", "gleu"), most=3)  # type: ignore[misc]
        yield timing.row(f"{name}, GLEU+ with draws", "", "under 1 s")


def start(bench: Bench) -> Iterator[Row]:
    """CPU seconds of --version, a small file and the quickstart, against `import numpy`."""
    numpy: Command = [sys.executable, "-c", "import numpy"]
    texts = (
        "-s data/source.txt -r data/reference0.txt -o data/systems/careful.txt"
    )
    quickstart = f"run configs/quickstart.yaml -q --output {bench.folder}/run"
    for name, line, aim in (
        ("--version", "--version", "1/3"),
        ("score of a small file", f"score gleu {texts}", "2"),
        ("quickstart", quickstart, "2.7 to 4"),
    ):
        full = [*PROGRAM, *line.split()]
        timing = bench.pairs(
            lambda full=full: bench.seconds(full, cpu=True),  # type: ignore[misc]
            lambda: bench.seconds(numpy, cpu=True),
        )
        yield timing.row(
            f"{name}, CPU", "import numpy", f"{aim} of its time", slower=True
        )


def wc(bench: Bench) -> Iterator[Row]:
    """GLEU+ columns of 1M lines, files opened to columns written, one worker, against wc -w of the
    four files.
    """
    for name, paths, aim in (
        ("repeated", bench.repeated(MILLION), "2 to 2.5"),
        ("Zipf", bench.zipf(MILLION), "3 to 4"),
    ):
        config = bench.config(paths, name)
        timing = bench.pairs(
            lambda config=config: bench.child("stages", config, "1", "columns")[
                "columns"
            ],  # type: ignore[misc]
            lambda paths=paths: bench.seconds(["wc", "-w", *paths]),  # type: ignore[misc]
        )
        row = f"columns of 1M lines, {name} text"
        yield timing.row(row, "wc -w", f"{aim} times its time", slower=True)


def workers(bench: Bench) -> Iterator[Row]:
    """2 workers against 1 on 1M lines: the statistics stage, and the whole process."""
    paths = bench.repeated(MILLION)
    config = bench.config(paths, "workers")

    def stage(jobs: int) -> float:
        return bench.child("stages", config, str(jobs), "columns", threads=2)[
            "count"
        ]

    def process(jobs: int) -> float:
        return bench.done(
            [*PROGRAM, "run", config, "-q", "--no-cache", "--n-jobs", str(jobs)]
        ).wall

    timing = bench.pairs(lambda: stage(2), lambda: stage(1))
    yield timing.row(
        "2 workers, statistics of 1M lines", "1 worker", "1.8 to 1.9"
    )
    timing = bench.pairs(lambda: process(2), lambda: process(1))
    yield timing.row(
        "2 workers, whole process, 1M lines", "1 worker", "1.6 to 1.8"
    )


def draws(bench: Bench) -> Iterator[Row]:
    """500 iterations of 1M sentences with two references: draws and sums."""
    config = bench.config(bench.repeated(MILLION), "draws")
    timing = bench.pairs(
        lambda: bench.child("stages", config, "1", "draws")["draws"]
    )
    yield timing.row("500 iterations of 1M sentences", "", "0.4 to 0.8 s")


def memory(bench: Bench) -> Iterator[Row]:
    """Anonymous memory of a whole run at 1M and 10M lines, one worker."""
    small, large = (
        bench.child(
            "stages",
            bench.config(bench.repeated(n * MILLION), f"memory{n}"),
            "1",
            "draws",
        )["megabytes"]
        for n in (1, 10)
    )
    yield Row(
        "memory, 10M lines",
        f"{large:.0f} MB",
        f"1M lines: {small:.0f} MB",
        large / small,
        "1.3; under 100 MB",
    )


def survive(bench: Bench) -> Iterator[Row]:
    """A run of 10M lines, whole, and killed half-way and continued: time, memory, disk."""
    config = bench.config(bench.repeated(10 * MILLION), "survive")
    yield from survive_rows(config, bench.folder)


def scale(bench: Bench, millions: int) -> Iterator[Row]:
    """Each backend with one and two workers: time, memory, disk."""
    config = bench.config(
        bench.repeated(millions * MILLION), f"scale{millions}"
    )
    yield from scale_rows(config, bench.folder, f"{millions}M")
