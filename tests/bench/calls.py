"""Timings of calls with one pair, or with a few: rows of `python -m tests.bench --only calls`.

Texts are lines of the corpus with 15 to 25 words, one reference. Processor time of this process is
measured, with one thread; a figure is the least of several rounds, in which program and peer take
turns. Peers must give the same scores."""

from __future__ import annotations

import functools
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from tests.bench.measuring.bench import Bench
from tests.bench.measuring.rows import NOTHING, Row

BATCH = 256
ROUNDS = 7


class Pairs(NamedTuple):
    """Parallel texts."""

    outputs: list[str]
    references: list[str]
    sources: list[str]


def _bleu(pairs: Pairs) -> list[float]:
    import sacrebleu

    scores = (sacrebleu.sentence_bleu(*_one(pair)) for pair in _items(pairs))
    return [score.score / 100 for score in scores]


def _gleu(pairs: Pairs) -> list[float]:
    from nltk.translate.gleu_score import sentence_gleu

    return [
        sentence_gleu([reference.split()], output.split())
        for output, reference in _items(pairs)
    ]


def _chrf(pairs: Pairs) -> list[float]:
    import sacrebleu

    return [
        sacrebleu.sentence_chrf(*_one(pair)).score / 100
        for pair in _items(pairs)
    ]


def _rouge() -> Callable[[Pairs], list[float]]:
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer(["rouge1", "rouge2", "rougeL"])
    return lambda pairs: [
        scorer.score(reference, output)["rouge1"].fmeasure
        for output, reference in _items(pairs)
    ]


def _items(pairs: Pairs) -> list[tuple[str, str]]:
    return list(zip(pairs.outputs, pairs.references, strict=True))


def _one(pair: tuple[str, str]) -> tuple[str, Sequence[str]]:
    return pair[0], [pair[1]]


def _texts(bench: Bench) -> Pairs:
    """Return BATCH lines of 15 to 25 words."""
    source, references, systems = bench.conll()
    columns = [
        path.read_text(encoding="utf-8").splitlines()
        for path in (systems[0], references[0], source)
    ]
    lines = [
        line
        for line in zip(*columns, strict=True)
        if all(15 <= len(text.split()) <= 25 for text in line)
    ]
    lines = (lines * (BATCH // max(len(lines), 1) + 1))[:BATCH]
    return Pairs(*(list(column) for column in zip(*lines, strict=True)))


def _rounds(
    calls: Sequence[Callable[[], Any]], times: int
) -> list[list[float]]:
    """Return the processor time of each call in each of ROUNDS, in which they take turns."""
    rounds: list[list[float]] = [[] for _ in calls]
    for _ in range(ROUNDS):
        for spent, call in zip(rounds, calls, strict=True):
            start = time.process_time()
            for _ in range(times):
                call()
            spent.append((time.process_time() - start) / times)
    return rounds


def _seconds(calls: Sequence[Callable[[], Any]], times: int) -> list[float]:
    """Return the least processor time of each call."""
    return [min(spent) for spent in _rounds(calls, times)]


def calls(bench: Bench) -> Iterator[Row]:
    """Yield a row for each metric: a call on prepared references, one pair, and BATCH pairs."""
    warnings.simplefilter("ignore")
    pairs = _texts(bench)
    yield from _beside_peers(pairs)
    yield from _prepared(pairs)
    yield from _evaluate(pairs)


def _beside_peers(pairs: Pairs) -> Iterator[Row]:
    import pipeline

    peers: list[tuple[str, str, Callable[[Pairs], list[float]]]] = [
        ("bleu", "sacreBLEU's sentence_bleu", _bleu),
        ("google_gleu", "nltk's sentence_gleu", _gleu),
        ("chrf", "sacreBLEU's sentence_chrf", _chrf),
        ("rouge[types=1+2+L]", "rouge-score", _rouge()),
    ]
    for metric, called, peer in peers:
        first = Pairs(*(column[:1] for column in pairs))
        for what, texts, times, aim in (
            ("one pair", first, 300, "1"),
            (f"{BATCH} pairs", pairs, 3, "20"),
        ):

            def own(metric: str = metric, texts: Pairs = texts) -> list[float]:
                scores: list[float] = pipeline.sentence_scores(
                    metric, texts.outputs, texts.references
                ).tolist()
                return scores

            def other(
                peer: Callable[[Pairs], list[float]] = peer,
                texts: Pairs = texts,
            ) -> list[float]:
                return peer(texts)

            name = f"{metric} of {what} that differ every time"
            # sacreBLEU's are in percent
            if (
                max(abs(a - b) for a, b in zip(own(), other(), strict=True))
                > 1e-9
            ):
                raise SystemExit(f"{called} gives other scores")
            mine, peers_own = _rounds((own, other), times)
            ratios = [
                theirs / ours
                for ours, theirs in zip(mine, peers_own, strict=True)
            ]
            ours = min(mine)
            theirs = min(peers_own)
            figures = (
                name,
                _micro(ours),
                f"{called}: {_micro(theirs)}",
                theirs / ours,
                f"faster, aim {aim} times",
            )
            yield Row(
                *figures, seconds=ours, least=min(ratios), most=max(ratios)
            )


def _prepared(pairs: Pairs) -> Iterator[Row]:
    import pipeline

    metrics = (
        "bleu",
        "google_gleu",
        "gleu[refs=max]",
        "gleu[refs=mean]",
        "gleu",
        "chrf",
        "rouge[types=1+2+L]",
    )
    for metric in metrics:
        scorer = pipeline.Scorer(
            metric,
            pairs.references,
            pairs.sources if metric.startswith("gleu") else None,
        )
        one = pairs.outputs[:1]
        ids = range(BATCH)
        single, batch = _seconds(
            (
                lambda: scorer.rewards(one, [0]),  # noqa: B023
                lambda: scorer.rewards(pairs.outputs, ids),  # noqa: B023
            ),
            30,
        )
        aim = "30 + 15" if metric.startswith(("chrf", "rouge")) else "30 + 5"
        more = (batch - single) / (BATCH - 1)
        figures = f"{_micro(single)}; {more * 1e6:.1f} µs for each further one"
        yield Row(
            f"{metric}: one output on prepared references",
            figures,
            "",
            NOTHING,
            f"at most {aim} µs a sentence",
            seconds=batch,
        )


def _evaluate(pairs: Pairs) -> Iterator[Row]:
    import pipeline

    for metric in ("bleu", "gleu", "google_gleu", "chrf", "rouge[types=1+2+L]"):
        sources = pairs.sources[:1] if metric == "gleu" else None
        one = [[text] for text in (pairs.references[0], pairs.outputs[0])]
        evaluate = functools.partial(
            pipeline.evaluate, pairs.sources[:1], one, sources, metric
        )
        (spent,) = _seconds((evaluate,), 30)
        yield Row(
            f"evaluate, {metric} of one pair, two references",
            _micro(spent),
            "",
            NOTHING,
            "aim 250 µs",
            seconds=spent,
        )


def _micro(seconds: float) -> str:
    return f"{seconds * 1e6:,.0f} µs"
