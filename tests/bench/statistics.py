"""Timings of statistics from stored columns, for `tests.bench`: figures as JSON on standard output."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.bench.measuring.clock import now

SAMPLES = 1000
TRIALS = 10_000


def run_statistics(what: str, files: str, metric: str) -> None:
    """Time bootstrap intervals and randomisation tests of all systems against the last, and print
    them.

    what: ours, with columns counted before and read from disk here; or sacrebleu, with its counts
    made before, as its own functions do it. files: source, two references, systems."""
    paths = [Path(path) for path in files.split(",")]
    print(
        json.dumps(
            _ours(paths, metric) if what == "ours" else _sacrebleu(paths)
        )
    )


def _ours(paths: Sequence[Path], metric: str) -> dict[str, float]:
    from pipeline import stages
    from pipeline.data.config.models import StatisticsConfig
    from pipeline.scoring import ScoredRun
    from pipeline.scoring.resampling.significance import analyse

    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "config.yaml"
        systems = {
            f"s{number}": str(path) for number, path in enumerate(paths[3:])
        }
        texts = {
            "source": str(paths[0]),
            "references": [str(path) for path in paths[1:3]],
        }
        content = {
            "datasets": {"d": texts},
            "systems": systems,
            "metrics": [metric],
        }
        config.write_text(json.dumps(content), encoding="utf-8")
        stages.run(stages.prepare(config), Path(folder) / "run")
        start = now()
        (measured,) = ScoredRun.read(Path(folder) / "run").metric_results
        scores = analyse(
            measured, StatisticsConfig(test="none", resamples=SAMPLES)
        ).scores
        between = now()
        settings = StatisticsConfig(
            resamples=1, trials=TRIALS, baseline=measured.names[-1]
        )
        tests = analyse(measured, settings).tests
        end = now()
        low = next(
            score.bootstrap.interval[0] for score in scores if score.bootstrap
        )
        return {
            "bootstrap": between - start,
            "tests": end - between,
            "low": low,
            "p": tests[0].p,
        }


def _sacrebleu(paths: Sequence[Path]) -> dict[str, float]:
    import numpy as np
    from sacrebleu import significance as peer
    from sacrebleu.metrics.bleu import BLEU

    texts = [
        path.read_text("utf-8").replace("\r\n", "\n").split("\n")[:-1]
        for path in paths[1:]
    ]
    metric = BLEU()
    counts: list[Any] = [
        metric._extract_corpus_statistics(output, texts[:2])
        for output in texts[2:]
    ]
    start = now()
    scores = [
        peer._bootstrap_resample(own, metric, SAMPLES)[1] for own in counts
    ]
    between = now()
    metric._extract_corpus_statistics = lambda hypotheses, _: hypotheses  # type: ignore[assignment, method-assign]
    base = {
        "BLEU": (
            np.array(counts[-1]),
            metric._aggregate_and_compute(counts[-1]),
        )
    }
    paired_test: Any = peer._paired_ar_test
    metrics = {"BLEU": metric}
    found = []
    for system_counts in counts[:-1]:
        system = np.array(system_counts)
        tested = paired_test(
            base, "s", system, None, metrics, TRIALS, seed=12345
        )
        found.append(tested[1]["BLEU"])
    end = now()
    low = sorted(score.score for score in scores[0])[SAMPLES // 40] / 100
    return {
        "bootstrap": between - start,
        "tests": end - between,
        "low": low,
        "p": found[0].p_value or 0.0,
    }
