"""Judgements, correlations of columns and agreement on sentences as tables: formatting only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .human import coefficient, ranked_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...scoring.results import Results
    from . import Table

COEFFICIENTS = ("pearson", "spearman", "kendall", "accuracy", "mean_rank_difference")
AGREEMENTS = ("accuracy", "kendall", "kendall_no_ties", "kendall_human_ties")


def finding_tables(results: Results) -> Iterator[tuple[str, Table, tuple[int, ...]]]:
    """Yield the title, the table and the numbers of the columns of text, for each section besides the scores."""
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
