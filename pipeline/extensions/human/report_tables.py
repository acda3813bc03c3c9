"""The tables of how far metrics agree with people, for all reports."""

from typing import TYPE_CHECKING

from .json_objects import JsonObject

if TYPE_CHECKING:
    from pipeline.report.tables import ReportTable
    from pipeline.scoring import Results


POSITION = 10
"""They stand before means over data sets."""


def agreement_tables(
    results: "Results", _digits: int = 2
) -> "list[ReportTable]":
    """Return the tables of the section `human` of the results."""
    return human_tables(results.human) if results.human else []


def human_tables(human: JsonObject) -> "list[ReportTable]":
    """Return the tables of how metrics agree with people that are not empty; `human` is the section
    of this name in results.json.
    """
    from pipeline.report.tables import ReportTable

    from .tables import AGREEMENT_TABLES

    if not human.get("correlations"):
        return []
    samples = human["settings"].get("resamples", "-")
    drawn = f"Intervals: bootstrap, {samples} samples."
    signatures = list(
        dict.fromkeys(item["metric"] for item in human["correlations"])
    )
    tables = []
    for agreement in AGREEMENT_TABLES:
        header, rows = agreement.table(human)
        if not rows:
            continue
        tables.append(
            ReportTable(
                name=agreement.name,
                title=f"agreement with people: {agreement.title}",
                table=(header, rows),
                text_columns=tuple(range(len(agreement.names))),
                first_out=("undefined", "scores"),
                notes=[drawn]
                if agreement.name in ("people", "people-sentences")
                else [],
                signatures=signatures,
                position=POSITION,
            )
        )
    return tables
