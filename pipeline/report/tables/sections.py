"""Judgements, correlations of columns and agreement on sentences as tables: formatting only."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ...metrics.build import class_of
from ...scoring.results import ranks
from .digits import percent
from .human import coefficient, ranked_table
from .labels import labels

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...scoring.results import Results
    from . import Table

COEFFICIENTS = ("pearson", "spearman", "kendall", "accuracy", "mean_rank_difference")
AGREEMENTS = ("accuracy", "kendall", "kendall_no_ties", "kendall_human_ties")


def finding_tables(results: Results, digits: int) -> Iterator[tuple[str, Table, tuple[int, ...]]]:
    """Yield the title, the table and the numbers of the columns of text, for each section besides the scores."""
    yield from _means(results, digits)
    for name, summary in (results.judgments or {}).items():
        for key, title in (("expected_wins", "Expected Wins"), ("trueskill", "TrueSkill")):
            if summary[key]:
                total = summary["total"]
                counted = f"{total['items']:,} items, {total['expanded']:,} pairs of systems"
                yield f"judgments {name}: {title}, {counted}", ranked_table(summary[key], title, 3), (1,)
    if results.correlations:
        yield "correlations", _correlations(results.correlations), (0, 1)
    if results.agreements:
        yield "agreement on sentences", _agreements(results.agreements), (0,)


def _correlations(correlations: dict[str, Any]) -> Table:
    rows = [
        [column, other, str(cells["systems"]), *(coefficient(cells[name]) for name in COEFFICIENTS)]
        for column, others in correlations.items()
        for other, cells in others.items()
    ]
    return ["column", "with", "n", *(name.replace("_", " ") for name in COEFFICIENTS)], rows


def _agreements(agreements: dict[str, Any]) -> Table:
    rows = [
        [name, f"{cells['pairs']:,}", f"{cells['metric_ties']:,}", *(coefficient(cells[key]) for key in AGREEMENTS)]
        for name, cells in agreements.items()
    ]
    return ["", "pairs", "metric ties", *(key.replace("_", " ") for key in AGREEMENTS)], rows


def _means(results: Results, digits: int) -> Iterator[tuple[str, Table, tuple[int, ...]]]:
    """Yield a table for each metric: the mean over data sets of each system, and its score on each of them."""
    means = results.means or []
    called = labels(mean.metric for mean in means)
    for mean in means:
        scores = {(s.system, s.dataset): s.score for s in results.scores if _is_by(s.metric, mean.metric)}
        goodness = [class_of(mean.metric).goodness(value) for value in mean.systems.values()]
        positions = [*map(str, ranks(goodness)), *("-" for _ in mean.lacking)]
        rows = []
        for position, name in zip(positions, [*mean.systems, *mean.lacking], strict=True):
            each = [scores.get((name, dataset), math.nan) for dataset in mean.datasets]
            shown = [percent(value, digits) for value in (mean.systems.get(name, math.nan), *each)]
            rows.append([position, name, *shown])
        without = "".join(f"; {name} has no score on {', '.join(on)}" for name, on in mean.lacking.items())
        title = f"mean over {len(mean.datasets)} data sets, each counts the same: {called[mean.metric]}{without}"
        yield title, (["rank", "system", "mean", *mean.datasets], rows), (1,)


def _is_by(printed: str, metric: str) -> bool:
    """Whether the signature of a score is that of a mean, which does not say how many references there are."""
    return [part for part in printed.split("|") if not part.startswith("nrefs:")] == metric.split("|")
