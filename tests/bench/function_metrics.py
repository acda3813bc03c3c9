"""Rows of the benchmark for metrics of users: what the machinery takes beside the code of the user."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

import pipeline
from pipeline.data import Corpus
from pipeline.execution.computation import with_computed
from pipeline.execution.options import RunOptions
from pipeline.metrics.build import from_values
from tests.bench.measuring.bench import Bench
from tests.bench.measuring.rows import NOTHING, Row, shown
from tests.bench.whole import PROGRAM

TEXTS = 100_000
MILLION = 1_000_000
CODE = """
import pipeline
@pipeline.metric(version="1")
def cheap(outputs):
    return [len(text) / 100 for text in outputs]
"""
CONFIG = """
datasets: {d: {source: source.txt}}
systems: [outputs.txt]
metrics: [cheap]
run: {n_jobs: 2}
output: {dir: out}
"""


def function_metrics(bench: Bench) -> Iterator[Row]:
    """Processor time of a distinct text beside the code of the user; and a million cheap calls by
    two workers.
    """
    os.environ["GEC_PIPELINE_DATA"] = str(bench.folder / "caches")
    texts = [
        f"{n} a sentence of some words that a system has written for line {n}"
        for n in range(TEXTS)
    ]
    own = 0.0

    def letters(outputs: list[str]) -> list[int]:
        nonlocal own
        begun = time.process_time()
        numbers = list(map(len, outputs))
        own += time.process_time() - begun
        return numbers

    (metric,) = from_values(pipeline.metric(letters, version="1"))
    took = []
    for cache in (False, True, True):
        own = 0.0
        begun = time.process_time()
        with_computed(
            [Corpus.in_memory(texts, None, None)],
            [metric],
            RunOptions(n_jobs=1, cache=cache),
        )
        took.append(shown((time.process_time() - begun - own) / TEXTS))
    ours = f"{took[0]} without the cache, {took[1]} with it, {took[2]} where it is kept"
    yield Row(
        "a metric of your own: processor time of a distinct text beside its code",
        ours,
        "",
        NOTHING,
        "below 20 µs",
    )

    folder = bench.folder / "million"
    folder.mkdir()
    (folder / "cheap.py").write_text(CODE)
    (folder / "cheap.yaml").write_text(CONFIG)
    (folder / "source.txt").write_text("source\n" * MILLION)
    (folder / "outputs.txt").write_text(
        "".join(f"{n} a sentence of some words\n" for n in range(MILLION))
    )
    line = f"run {folder}/cheap.yaml --plugin {folder}/cheap.py -q --fresh --output {folder}/out"
    command = [*PROGRAM, *line.split()]
    first, again = (bench.seconds(command) for _ in range(2))
    ours = f"{shown(first)}; again, with nothing to compute: {shown(again)}"
    yield Row(
        "a metric of your own: 1M distinct texts, 2 workers, whole process",
        ours,
        "",
        NOTHING,
        "",
    )
