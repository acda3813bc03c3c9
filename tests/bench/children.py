"""Child processes of the benchmark that time stages of their own work, and print seconds as JSON.

`python -m tests.bench.children WHAT ARGUMENTS`: each function of TASKS is one.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path

from tests.bench.measuring.clock import now
from tests.bench.statistics import run_statistics


def google(files: str, references: str) -> None:
    """Time Google-GLEU of all systems after the imports. files: references and systems, between
    commas.
    """
    from pipeline.api import evaluate_corpus
    from pipeline.data import open_corpus
    from pipeline.data.config import Dataset, System
    from pipeline.metrics.build import from_text

    paths = [Path(path) for path in files.split(",")]
    start = now()
    named = [
        System(str(number), {"files": path})
        for number, path in enumerate(paths[int(references) :])
    ]
    corpus = open_corpus(
        Dataset(
            name="files",
            source=None,
            references=tuple(paths[: int(references)]),
        ),
        named,
        [],
    )
    scores = (
        [
            result.score
            for result in evaluate_corpus(corpus, [from_text("google_gleu")])
        ]
        if corpus
        else []
    )
    _warn(seconds=now() - start, score=sum(scores) / len(scores))


def nltk(files: str, references: str) -> None:
    """Time the same by nltk."""
    from nltk.translate.gleu_score import corpus_gleu

    paths = [Path(path) for path in files.split(",")]
    start = now()
    texts = [
        [line.split() for line in path.read_text("utf-8").split("\n")[:-1]]
        for path in paths
    ]
    grouped = [
        list(lines) for lines in zip(*texts[: int(references)], strict=True)
    ]
    scores = [
        corpus_gleu(grouped, output) for output in texts[int(references) :]
    ]
    _warn(seconds=now() - start, score=sum(scores) / len(scores))


def stages(config: str, n_jobs: str, last: str) -> None:
    """Time a run of one data set up to its counts (last: columns) or to its scores (draws), and
    watch its memory.
    """
    peak = [0.0]
    done = threading.Event()
    threading.Thread(target=_watch, args=(peak, done), daemon=True).start()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from pipeline import stages
    from pipeline.execution.count import count_all
    from pipeline.execution.options import RunOptions
    from pipeline.execution.store.run_directory import RunDirectory
    from pipeline.execution.tasks import specs_of
    from pipeline.scoring.metric_results import score

    options = RunOptions(n_jobs=int(n_jobs), cache=False)
    start = now()
    job = stages.prepare(config, options)
    opened = now()
    corpus = job.corpora[0]
    directory = RunDirectory(Path(job.config.parsed.output.dir))
    counted, _ = count_all(corpus, specs_of(job.tasks), directory, options)
    written = now()
    if last == "draws":
        score(job.tasks, {corpus.name: counted}, int(n_jobs))
    end = now()
    done.set()
    _warn(
        columns=written - start,
        count=written - opened,
        draws=end - written,
        megabytes=peak[0],
    )


def _watch(peak: list[float], done: threading.Event) -> None:
    """Keep the highest RssAnon of this process, in megabytes (Linux only)."""
    status = Path("/proc/self/status")
    while not done.wait(0.02):
        if status.exists():
            line = next(
                line
                for line in status.read_text().splitlines()
                if line.startswith("RssAnon")
            )
            peak[0] = max(peak[0], int(line.split()[1]) / 1024)


def _warn(**figures: float) -> None:
    print(json.dumps(figures))


TASKS: dict[str, Callable[..., None]] = {
    "google": google,
    "nltk": nltk,
    "stages": stages,
    "statistics": run_statistics,
}


if __name__ == "__main__":
    TASKS[sys.argv[1]](*sys.argv[2:])
