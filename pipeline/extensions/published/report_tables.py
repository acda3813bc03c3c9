"""The tables of what a config computes and expects besides scores, for all reports."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pipeline.report.tables import ReportTable
    from pipeline.scoring import Results

COEFFICIENTS = (
    "pearson",
    "spearman",
    "kendall",
    "accuracy",
    "mean_rank_difference",
)
AGREEMENTS = ("accuracy", "kendall", "kendall_no_ties", "kendall_human_ties")
RANKINGS = {"expected_wins": "Expected Wins", "trueskill": "TrueSkill"}


def published_tables(
    results: "Results", _digits: int = 2
) -> "Iterator[ReportTable]":
    """Yield a table for each section `judgments` to `expectations` of the results."""
    from pipeline.report.tables import ReportTable

    from .tables import expectation_table, misses

    yield from finding_tables(results)
    if results.expectations:
        yield ReportTable(
            name="expected",
            title="",
            caption="expected and found",
            table=expectation_table(results.expectations),
            text_columns=(1, 4),
            items=[f"missed: {line}" for line in misses(results.expectations)],
        )


def finding_tables(results: "Results") -> "Iterator[ReportTable]":
    """Yield the tables of judgements, correlations, and agreement on sentences.

    Their names go on with the numbers of the means over data sets.
    """
    from pipeline.extensions.human.tables import coefficient, judged_table
    from pipeline.report.tables import ReportTable

    number = len(results.means or ())
    for name, summary in (results.judgments or {}).items():
        total = summary["total"]
        sizes = (
            f"{total['items']:,} items, {total['expanded']:,} pairs of systems"
        )
        for key, title in RANKINGS.items():
            if not summary[key]:
                continue
            number += 1
            yield ReportTable(
                name=f"findings-{number}",
                title=f"judgments {name}: {title}, {sizes}",
                table=judged_table(summary[key], title, 3),
                text_columns=(1,),
            )
    if results.correlations:
        number += 1
        rows = []
        for column, others in results.correlations.items():
            for other, cells in others.items():
                values = [coefficient(cells[name]) for name in COEFFICIENTS]
                rows.append([column, other, str(cells["systems"]), *values])
        yield ReportTable(
            name=f"findings-{number}",
            title="correlations",
            table=(["column", "with", "n", *map(_title, COEFFICIENTS)], rows),
            text_columns=(0, 1),
        )
    if results.agreements:
        number += 1
        header = ["", "pairs", "metric ties", *map(_title, AGREEMENTS)]
        rows = []
        for name, cells in results.agreements.items():
            values = [coefficient(cells[key]) for key in AGREEMENTS]
            rows.append(
                [
                    name,
                    f"{cells['pairs']:,}",
                    f"{cells['metric_ties']:,}",
                    *values,
                ]
            )
        yield ReportTable(
            name=f"findings-{number}",
            title="agreement on sentences",
            table=(header, rows),
        )


def _title(name: str) -> str:
    return name.replace("_", " ")
