"""Timings of ROUGE against its peers: rows of `python -m tests.bench`, and the child processes that
they run.

Texts are in memory for all; seconds are of the fastest of a few calls in a process of its own,
after the imports. What is timed gives scores of every pair and their mean; peers must give the same
mean."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.bench.measuring.bench import Bench
from tests.bench.measuring.clock import now
from tests.bench.measuring.rows import Row

CALLS = 5
PAIRS = 26_000
DOCUMENTS = 300
WORDS = 1000
"""Pairs of sentences; pairs of documents, and the words of each at least."""


def pairs(
    reference: Path, output: Path, kind: str
) -> tuple[list[str], list[str]]:
    """Return outputs and references: sentences, or runs of sentences with WORDS words or more;
    again and again.
    """
    one, two = (
        path.read_text(encoding="utf-8").split("\n")[:-1]
        for path in (reference, output)
    )
    if kind == "documents":
        groups: list[list[str]] = [[], []]
        start = size = 0
        for number, line in enumerate(one):
            size += len(line.split())
            if size >= WORDS:
                for group, lines in zip(groups, (one, two), strict=True):
                    group.append(" ".join(lines[start : number + 1]))
                start = number + 1
                size = 0
        one, two = groups
    wanted = {"documents": DOCUMENTS, "sentences": PAIRS}.get(kind, len(one))
    times = -(-wanted // len(one))
    return (two * times)[:wanted], (one * times)[:wanted]


def task(
    who: str,
    types: list[str],
    outputs: list[str],
    references: list[str],
    threads: int,
) -> Callable[[], float]:
    """Return a function that scores all pairs and returns the mean F of the last type."""
    if who == "pipeline":
        import pipeline

        metric = f"rouge[types={'+'.join(types)}]"
        return lambda: pipeline.evaluate(
            outputs, [references], metrics=[metric], n_jobs=threads
        ).outputs[f"rouge{types[-1]}"]
    if who == "rouge-rust":
        import fast_rouge

        names = [f"rouge{name}_fmeasure" for name in types]

        def flat() -> float:
            found: Any = fast_rouge.score_batch_flat(references, outputs)
            columns = [getattr(found, name) for name in names]
            return float(sum(columns[-1]) / len(outputs))

        return flat
    from rouge_score import rouge_scorer
    from rouge_score_rs import rouge_scorer as made

    names = [f"rouge{name}" for name in types]
    if who == "rouge-score-rs":
        rust: Any = made
        compiled = rust.RougeScorer(names)
        return lambda: (
            sum(
                s[names[-1]].fmeasure
                for s in compiled.score_batch(references, outputs)
            )
            / len(outputs)
        )
    scorer: Any = rouge_scorer.RougeScorer(names)
    scored = zip(references, outputs, strict=True)
    items = list(scored)
    return lambda: (
        sum(scorer.score(*item)[names[-1]].fmeasure for item in items)
        / len(items)
    )


def child(
    who: str, kind: str, types: str, threads: str, reference: str, output: str
) -> None:
    """Time one of them, and print seconds and score as JSON."""
    warnings.simplefilter("ignore")
    run = task(
        who,
        types.split("+"),
        *pairs(Path(reference), Path(output), kind),
        int(threads),
    )
    score = run()
    seconds = []
    for _ in range(CALLS if who != "rouge-score" else 1):
        start = now()
        run()
        seconds.append(now() - start)
    print(json.dumps({"seconds": min(seconds), "score": score}))


ROWS = [
    ("sentences", "1+2+L", "rouge-rust", (1, 2), "faster, aim 2 times"),
    ("sentences", "1+2+L", "rouge-score-rs", (1, 2), "faster, aim 2 times"),
    ("documents", "1+2+L", "rouge-rust", (1,), "faster"),
    ("documents", "1+2+L", "rouge-score-rs", (1,), "faster"),
    (
        "documents",
        "L",
        "rouge-rust",
        (1, 2),
        "faster (it has no L alone: 1+2+L)",
    ),
    ("documents", "L", "rouge-score-rs", (1, 2), "faster"),
    ("lines", "1+2+L", "rouge-score", (1,), "50 times, aim 100"),
]
"""Texts, types, peer, numbers of threads, aim. lines: the corpus once (rouge-score takes seconds
for it)."""


def rows(bench: Bench) -> Iterator[Row]:
    """ROUGE-1, 2 and L in memory, against three packages with as many threads."""
    for kind, types, peer, numbers, aim in ROWS:
        for threads in numbers:
            yield _row(bench, kind, types, peer, threads, aim)


def _row(
    bench: Bench, kind: str, types: str, peer: str, threads: int, aim: str
) -> Row:
    """Return a row, as ROWS has it. Both have to give the same score."""
    _, references, systems = bench.conll()
    scores = {}

    def seconds(who: str) -> float:
        asked = "1+2+L" if who == "rouge-rust" else types
        arguments = (who, kind, asked, str(threads), references[0], systems[0])
        figures = bench.child(
            *arguments, module="tests.bench.rouge", threads=threads
        )
        scores[who] = figures["score"]
        return figures["seconds"]

    timing = bench.pairs(lambda: seconds("pipeline"), lambda: seconds(peer))
    if max(scores.values()) - min(scores.values()) > 1e-12:
        raise SystemExit(f"another score: {scores}")
    return timing.row(
        f"rouge[types={types}] of {kind}, {threads} thread{'s' * (threads > 1)}",
        peer,
        aim,
    )


def process(bench: Bench) -> Iterator[Row]:
    """ROUGE-1, 2 and L of a file, whole process, against a script around rouge-score."""
    _, references, systems = bench.conll()
    files = references[0], systems[0]
    script = "import sys; sys.argv[1:1] = ['rouge-score', 'lines', '1+2+L', '1']; from tests.bench.rouge import *; "
    script += "task(sys.argv[1], ['1', '2', 'L'], *pairs(*map(Path, sys.argv[5:]), 'lines'), 1)()"
    peer: list[str | Path] = [sys.executable, "-c", script, *files]
    line = f"-m pipeline score rouge -r {files[0]} -o {files[1]}"
    mine = [sys.executable, *line.split()]
    timing = bench.pairs(
        lambda: bench.seconds(mine), lambda: bench.seconds(peer)
    )
    yield timing.row("rouge of one system, whole process", "rouge-score", "-")


if __name__ == "__main__":
    child(*sys.argv[1:])
