"""Results by formula, with everything that reports show of them, and names that no report may take
for markup.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

from pipeline.report.context import ReportContext
from pipeline.scoring.results import Results
from pipeline.scoring.rows import (
    Bootstrap,
    Breakdown,
    Category,
    Comparison,
    DatasetInfo,
    Samples,
    Score,
)

HOSTILE = [
    "$\\frac{a",
    "a_b^c$x$",
    "<script>",
    "=cmd|'x'!A0",
    "日本",
    "\x1b[31mred",
    "x" * 99,
    "\u202egnp.exe",
    "&amp;",
]
GLEU = "gleu|n:4|refs:max"


def context(names: Sequence[str], baseline: str | None = None) -> ReportContext:
    """Return results by formula: system i of n scores 0.6 - 0.3 i / n."""
    count = len(names)
    created = [0.6 - 0.3 * number / count for number in range(count)]
    complete: dict[str, Any] = {"dataset": "d", "metric": GLEU}
    scores = []
    for number, (name, value) in enumerate(zip(names, created, strict=True)):
        outputs = {
            "gleu": value,
            "precision_1": value,
            "precision_2": value / 2,
        }
        ranks, cluster = (max(number, 1), number + 1), 1 + number // 3
        bootstrap = Bootstrap(
            value, 0.01, (value - 0.03, value + 0.03), ranks, cluster
        )
        samples = Samples(9, 0.01, (value - 0.02, value + 0.02))
        items: dict[str, Any] = {
            "system": name,
            "score": value,
            "outputs": outputs,
            "rank": number + 1,
        }
        scores.append(
            Score(**complete, **items, samples=samples, bootstrap=bootstrap)
        )
    counts = {"wins": 6, "losses": 1, "ties": 0}
    same: dict[str, Any] = {
        **complete,
        **counts,
        "interval": (0.0, 0.1),
        "better": 0.9,
        "cohen_d": 0.1,
        "p": 0.01,
    }
    tests = [
        Comparison(
            **same,
            system=a.system,
            other=b.system,
            difference=a.score - b.score,
            p_adjusted=0.001 * n,
        )
        for n, (a, b) in enumerate(combinations(scores, 2))
        if baseline in (None, b.system)
    ]
    of = {"dataset": "d", "metric": GLEU, "human": "people"}
    values = {
        name: {"value": 0.5, "interval": [0.1, 0.9]}
        for name in ("pearson", "spearman", "kendall", "accuracy")
    }
    human: dict[str, Any] = {
        "settings": {"level": 0.95, "resamples": 9, "window": 2},
        "digest": "00",
        "sentences": [],
        "tests": [],
        "scores": {
            "people": {
                name: (7 * n) % count / count for n, name in enumerate(names)
            }
        },
        "correlations": [
            {**of, "systems": list(names), "coefficients": values}
        ],
        "windows": [
            {
                **of,
                "first": n,
                "last": n + 1,
                "pearson": None if n == 1 else 1.0,
                "spearman": None,
            }
            for n in range(1, count)
        ],
    }
    parts = []
    for score in scores:
        category = Category(
            names[0], score.score, {"gleu": score.score}, {"gleu": (0.1, 0.9)}
        )
        parts.append(
            Breakdown(
                **complete, system=score.system, tier=2, categories=(category,)
            )
        )
    settings = {
        "level": 0.95,
        "baseline": baseline,
        "test": "sign",
        "correction": "holm",
        "resamples": 9,
        "seed": 1,
    }
    info = {"d": DatasetInfo(lines=9, references=2, digests={})}
    results = Results(
        datasets=info,
        scores=scores,
        statistics=settings,
        tests=tests,
        breakdown=parts,
        human=human,
    )
    return ReportContext(results=results)
