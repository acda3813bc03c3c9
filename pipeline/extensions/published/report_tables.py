"""The tables of what a config computes and expects besides scores, for all reports."""

from collections.abc import Iterator
from itertools import count
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
    """Yield the tables of finding_tables(), and one of expected values with the misses listed
    below it.
    """
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
    """Yield a table for each ranking by judgements, one of correlations, and one of agreement on
    sentences, but for those that the results do not have.

    They are named findings-NUMBER; the first numbers are those of the means over data sets."""
    from pipeline.extensions.human.tables import coefficient, judged_table
    from pipeline.report.tables import ReportTable

    numbers = count(len(results.means or ()) + 1)
    for name, summary in (results.judgments or {}).items():
        total = summary["total"]
        sizes = (
            f"{total['items']:,} items, {total['expanded']:,} pairs of systems"
        )
        for key, title in RANKINGS.items():
            if not summary[key]:
                continue
            yield ReportTable(
                name=f"findings-{next(numbers)}",
                title=f"judgments {name}: {title}, {sizes}",
                table=judged_table(summary[key], title, 3),
                text_columns=(1,),
            )
    if results.correlations:
        rows = []
        for column, others in results.correlations.items():
            for other, values in others.items():
                cells = [coefficient(values[key]) for key in COEFFICIENTS]
                rows.append([column, other, str(values["systems"]), *cells])
        yield ReportTable(
            name=f"findings-{next(numbers)}",
            title="correlations",
            table=(["column", "with", "n", *map(_title, COEFFICIENTS)], rows),
            text_columns=(0, 1),
        )
    if results.agreements:
        header = ["", "pairs", "metric ties", *map(_title, AGREEMENTS)]
        rows = []
        for name, values in results.agreements.items():
            cells = [f"{values[key]:,}" for key in ("pairs", "metric_ties")]
            cells += [coefficient(values[key]) for key in AGREEMENTS]
            rows.append([name, *cells])
        yield ReportTable(
            name=f"findings-{next(numbers)}",
            title="agreement on sentences",
            table=(header, rows),
        )


def _title(name: str) -> str:
    return name.replace("_", " ")
