"""BLEU, chrF and TER against bleuscore (Rust) and sacreBLEU: rows of `tests.bench`, and the child
processes they time.

All get lists of strings and one thread: what is timed begins with strings and ends with the score.
The whole processes read files."""

from __future__ import annotations

import json
import logging
import sys
import sysconfig
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import median

from tests.bench.measuring.bench import Bench
from tests.bench.measuring.clock import now
from tests.bench.measuring.rows import Row

LINES = 100_000
REPEATS = 9
"""Times that a child does its work, but for sacreBLEU's TER, which takes seconds; it reports the
median."""


def bleu(bench: Bench) -> Iterator[Row]:
    """One output of CoNLL-2014 (13a, two references) in memory, and whole processes over 100,000
    lines.
    """
    _, references, systems = bench.conll()
    small = [systems[0], *references]
    yield _memory(
        bench,
        "BLEU (13a, flavour tensorflow), in memory",
        "bleu-tensorflow",
        "bleuscore",
        small,
        "3 to 5 times",
    )
    yield _memory(
        bench,
        "BLEU (13a, two references), in memory",
        "bleu",
        "sacrebleu-bleu",
        small,
        "30 to 50 times",
    )
    _, reference0, reference1, system = bench.repeated(LINES)
    python = f"{sys.executable} -m"
    mine = f"{python} pipeline score bleu"
    texts = f"-r {reference0} {reference1} -o {system}"
    sacrebleu = Path(sysconfig.get_path("scripts")) / "sacrebleu"
    theirs = f"{sacrebleu} {reference0} {reference1} -i {system} --force"
    child = f"{python} tests.bench.bleu once-bleuscore {system} {reference0} {reference1}"
    same = f"{mine} --flavour tensorflow {texts} --n-jobs 1"
    for name, ours, what, peer, aim in (
        (
            "bleuscore",
            same,
            "BLEU (flavour tensorflow)",
            f"env RAYON_NUM_THREADS=1 {child}",
            "3 to 5 times",
        ),
        ("sacrebleu", f"{mine} {texts}", "BLEU", theirs, "30 to 50 times"),
    ):
        timing = bench.pairs(
            lambda ours=ours: bench.seconds(ours.split()),  # type: ignore[misc]
            lambda peer=peer: bench.seconds(peer.split()),  # type: ignore[misc]
            most=3,
        )
        yield timing.row(f"{what} of {LINES:,} lines, whole process", name, aim)


def chrf(bench: Bench) -> Iterator[Row]:
    """One output of CoNLL-2014 in memory: chrF and chrF++."""
    _, references, systems = bench.conll()
    for name, ours, peer in (
        ("chrF", "chrf", "sacrebleu-chrf"),
        ("chrF++", "chrf-words", "sacrebleu-chrf-words"),
    ):
        files = [systems[0], *references]
        yield _memory(
            bench,
            f"{name}, two references, in memory",
            ours,
            peer,
            files,
            "30 times",
        )


def ter(bench: Bench) -> Iterator[Row]:
    """One output of CoNLL-2014 in memory, against sacreBLEU's TER, which is done once."""
    _, references, systems = bench.conll()
    yield _memory(
        bench,
        "TER, two references, in memory",
        "ter",
        "sacrebleu-ter",
        [systems[0], *references],
        "50 times",
    )


def _memory(
    bench: Bench,
    name: str,
    ours: str,
    peer: str,
    files: Sequence[Path],
    aim: str,
) -> Row:
    """Return the row of a score from strings. Both have to give the same number."""

    def figures(what: str) -> dict[str, float]:
        return bench.child(what, *files, module="tests.bench.bleu")

    if abs(figures(ours)["score"] - figures(peer)["score"]) > 1e-12:
        raise SystemExit(f"{name}: {peer} gives another number")
    timing = bench.pairs(
        lambda: figures(ours)["seconds"], lambda: figures(peer)["seconds"]
    )
    return timing.row(name, peer, aim)


def _scorer(
    what: str, output: list[str], references: list[list[str]]
) -> Callable[[], float]:
    """Return what computes a score from strings; imports are done."""
    if what == "bleuscore":
        import bleuscore

        grouped = [list(texts) for texts in zip(*references, strict=True)]
        return lambda: float(str(bleuscore.compute(grouped, output)["bleu"]))
    if what.startswith("sacrebleu"):
        from sacrebleu.metrics.bleu import BLEU
        from sacrebleu.metrics.chrf import CHRF
        from sacrebleu.metrics.ter import TER

        if what.endswith("ter"):
            return lambda: TER().corpus_score(output, references).score / 100
        words = 2 if what.endswith("words") else 0
        return lambda: (
            (
                BLEU(force=True)
                if what.endswith("bleu")
                else CHRF(word_order=words)
            )
            .corpus_score(output, references)
            .score
            / 100
        )
    import pipeline

    names = {
        "bleu-tensorflow": "bleu[flavour=tensorflow]",
        "chrf-words": "chrf[nw=2]",
    }
    return lambda: (
        pipeline.evaluate(
            output, references, metrics=[names.get(what, what)]
        ).score
    )


def main() -> None:
    """Time one program, or (once-...) only run it, on an output and its references; print seconds
    and score.
    """
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    what, *files = sys.argv[1:]
    texts = [
        Path(file).read_bytes().decode().removesuffix("\n").split("\n")
        for file in files
    ]
    score = _scorer(what.removeprefix("once-"), texts[0], texts[1:])
    found = score() if what.startswith("once-") else 0.0
    seconds = []
    for _ in range(
        0
        if what.startswith("once-")
        else 1
        if what == "sacrebleu-ter"
        else REPEATS
    ):
        start = now()
        found = score()
        seconds.append(now() - start)
    print(
        json.dumps(
            {"score": found, "seconds": median(seconds) if seconds else 0.0}
        )
    )


if __name__ == "__main__":
    main()
