"""How often intervals hold the truth, and how often tests err: `python -m tests.tools.coverage_simulation`.

A population of sentences is the systems' stored counts on a real data set (CoNLL-2014, else the sample that ships); a
data set is drawn from it with replacement. The truth is the score of the population. Printed for each metric:

- coverage: how often the percentile interval of the drawn data set holds the truth, for each level (it should be the
  level, less a little for small data sets), and its standard error;
- false alarms: how often p < 0.05 for two systems that are the same but for which output of a sentence is whose (it
  should be at most 0.05), with each test.

    python -m tests.tools.coverage_simulation --runs 1000 --lines 300
"""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pipeline.config.resolved import Dataset, System
from pipeline.corpus.opener import open_corpus
from pipeline.execution.count import count_in_memory
from pipeline.metrics.build import from_text
from pipeline.scoring.resampling.intervals import bootstrap, percentile_interval, summands
from pipeline.scoring.resampling.paired_tests import approximate_randomization, paired_bootstrap, sentencewise
from pipeline.scoring.sentences import reduce, sentence_scores
from tests.bench.measuring.corpora import Corpora

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

METRICS = (
    "gleu[refs=expected,iter=20]",
    "gleu[iter=500]",
    "gleu[refs=max]",
    "gleu[level=mean]",
    "green",
    "google_gleu",
    "bleu",
)
LEVELS = (0.8, 0.9, 0.95, 0.99)
SAMPLES = 400
TRIALS = 400


@dataclass
class Rows:
    """Some of the sentences of columns that are in memory."""

    whole: dict[str, NDArray[Any]]
    lines: NDArray[np.int64]

    def blocks(self) -> Iterator[dict[str, NDArray[Any]]]:
        """Yield one block."""
        yield {name: column[self.lines] for name, column in self.whole.items()}


def population(metric: str, paths: tuple[Path, list[Path], list[Path]]) -> tuple[Any, list[dict[str, Any]], int, int]:
    """Return the metric, the columns of two systems, the number of sentences and of references."""
    source, references, systems = paths
    chosen = from_text(metric)
    named = [System(str(number), {"d": path}) for number, path in enumerate(systems[:2])]
    corpus = open_corpus(Dataset(name="d", source=source, references=tuple(references)), named, [])
    assert corpus
    counted = count_in_memory(corpus, [chosen.needs])
    found = []
    for name in "01":
        blocks = list(counted[name, chosen.needs].blocks())
        found.append({key: np.concatenate([block[key] for block in blocks]) for key in blocks[0]})
    return chosen, found, corpus.lines, len(references)


def coverage(metric: str, paths: Any, lines: int, runs: int, seed: int) -> list[float]:
    """Return for each level how often the interval held the truth."""
    chosen, (columns, _), size, references = population(metric, paths)
    truth = reduce(chosen, [Rows(columns, np.arange(size))], size, references)[0].score
    generator, held = np.random.default_rng(seed), np.zeros(len(LEVELS))
    for run in range(runs):
        data = Rows(columns, generator.integers(0, size, lines))
        samples = bootstrap(summands(chosen, [data], lines, references), 1, lines, SAMPLES, run)[:, 0]
        for number, level in enumerate(LEVELS):
            low, high = percentile_interval(samples, level)
            held[number] += low <= truth <= high
    return [float(count) / runs for count in held]


def false_alarms(metric: str, paths: Any, lines: int, runs: int, seed: int) -> list[float]:
    """Return how often each test finds a difference at 0.05 where each sentence's outputs were dealt by a coin."""
    chosen, both, size, references = population(metric, paths)
    generator, found = np.random.default_rng(seed), np.zeros(3)
    for run in range(runs):
        drawn, coin = generator.integers(0, size, lines), generator.integers(0, 2, lines).astype(bool)
        dealt = [
            {k: np.where(_wide(coin ^ turn, both[0][k]), both[0][k][drawn], both[1][k][drawn]) for k in both[0]}
            for turn in (False, True)
        ]
        systems = [Rows(columns, np.arange(lines)) for columns in dealt]
        scores = [one.score for one in reduce(chosen, systems, lines, references)]
        made = summands(chosen, systems, lines, references)
        block = np.stack([sentence_scores(chosen, next(system.blocks())) for system in systems])
        values = [
            approximate_randomization(made, scores, [(0, 1)], lines, TRIALS, run)[0],
            paired_bootstrap(bootstrap(made, 2, lines, SAMPLES, run), scores, [(0, 1)])[0],
            sentencewise([block], [(0, 1)])[0].sign_test,
        ]
        found += np.array(values) < 0.05
    return [float(count) / runs for count in found]


def _wide(coin: NDArray[np.bool_], column: NDArray[Any]) -> NDArray[np.bool_]:
    return coin.reshape(-1, *[1] * (column.ndim - 1))


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=1000, help="data sets drawn (default: 1000)")
    parser.add_argument("--lines", type=int, default=300, help="sentences in each (default: 300)")
    parser.add_argument("--only", default="", help="metrics whose name contains this")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    paths = Corpora.conll(None)  # type: ignore[arg-type]
    titles = [f"{level:g}" for level in LEVELS] + ["randomization", "bootstrap", "sign"]
    print("| metric | " + " | ".join(titles) + " |", f"|---{'|---' * len(titles)}|", sep="\n")
    for metric in (name for name in METRICS if args.only in name):
        held = coverage(metric, paths, args.lines, args.runs, args.seed)
        alarms = false_alarms(metric, paths, args.lines, args.runs, args.seed)
        print(f"| {metric} | " + " | ".join(f"{value:.3f}" for value in [*held, *alarms]) + " |", flush=True)
    errors = [math.sqrt(level * (1 - level) / args.runs) for level in (*LEVELS, 0.05)]
    print("standard errors of the rates: " + ", ".join(f"{error:.4f}" for error in errors))


if __name__ == "__main__":
    main()
