"""What the page knows of pairs of systems: scores that are not rounded, and the tests that the run has made.

The script `assets/compare.js` reads it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..tables.comparisons import is_significant, level_name, p_cell, settings_line
from .explorer.line_counts import scaled

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...scoring.results import Comparison, Results


def pairs_data(results: Results, data: Mapping[str, Any] | None, digits: int) -> dict[str, Any] | None:
    """Return scores and tests of the data sets and metrics in `data`, which is what explorer() returned.

    They are by the names of data sets and the signatures of metrics. A test is [system, other, difference, low and high
    end of its interval, p-value as text, 1 if it is significant, wins, losses, ties]. The difference and its interval
    are whole numbers, as scaled() returns them. Returns None where `data` is None.
    """
    if data is None:
        return None
    kept = {(own["name"], metric["signature"]) for own in data["datasets"] for metric in own["metrics"]}
    of: dict[str, dict[str, Any]] = {}
    for score in results.scores:
        if (score.dataset, score.metric) in kept:
            metrics = of.setdefault(score.dataset, {})
            own = metrics.setdefault(score.metric, {"scores": {}, "tests": []})
            own["scores"][score.system] = score.score if np.isfinite(score.score) else None
    for test in results.tests:
        if (test.dataset, test.metric) in kept:
            of[test.dataset][test.metric]["tests"].append(_test(test, results, digits))
    settings = settings_line(results.statistics) if results.statistics else ""
    return {"level": level_name(results), "settings": settings, "of": of}


def _test(test: Comparison, results: Results, digits: int) -> list[Any]:
    numbers = scaled(np.array([test.difference, *test.interval]), digits).tolist()
    shown = [None if np.isnan(number) else int(number) for number in numbers]
    significant = int(is_significant(test, results))
    return [test.system, test.other, *shown, p_cell(test, results), significant, test.wins, test.losses, test.ties]
