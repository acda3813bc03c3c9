"""The part of the HTML report on how people rank the systems, and how the metrics agree with
them."""

import math
from typing import Any

from pipeline.extensions.page.page import has_charts
from pipeline.extensions.page.shell import SHADES, PageTable, Shade
from pipeline.report import ReportContext
from pipeline.report.tables import shown_level
from pipeline.scoring import Results

from .human_judgements import HumanRanking
from .json_objects import JsonObject
from .stages import human_data_of, human_ranking_of
from .tables import AGREEMENT_TABLES, head_to_head_table, judged_table


def human_section(context: ReportContext) -> JsonObject | None:
    """Return tables and charts of how people rank the systems, and of how the metrics agree with
    them; None if the run was not correlated with people.

    `ranking` is None without judgements; `unread` says that their file is unavailable or has
    changed."""
    results = context.results
    if not results.human or not results.human.get("correlations"):
        return None
    ranking = human_ranking_of(context)
    ranking_part = None
    if ranking:
        ranking_part = _ranking_part(ranking, results.human["settings"])
    return {
        "ranking": ranking_part,
        "unread": not ranking and human_data_of(context) is None,
        "plots": list(_agreement_charts(results).items()),
        "tables": _agreement_tables(results),
    }


def rankings(context: ReportContext) -> list[tuple[str, Any]]:
    """Return the ranking by people beside those by metrics, if there is one."""
    ranking = human_ranking_of(context)
    if not ranking:
        return []
    from .plot_data import ranked_systems

    return [("people", ranked_systems(ranking))]


def _ranking_part(ranking: HumanRanking, settings: JsonObject) -> JsonObject:
    """Return how people rank the systems: a table and a chart of rank ranges, and a table of how
    often each system beats each other one, whose cells are shaded by that share.

    `settings` are those of the section `human` of the results."""
    scores = ranking.expected_wins
    order = scores["order"]
    shares = ranking.head_to_head["share"]
    _, rows = head_to_head_table(ranking.head_to_head, order)
    shaded_rows = []
    for row, *cells in rows:
        shaded_cells = []
        for column, cell in zip(order, cells, strict=True):
            share = shares[row].get(column, math.nan)
            css_class = "none"
            if not math.isnan(share):
                css_class = f"h{round(share * SHADES)}"
            shaded_cells.append(Shade(cell, css_class))
        shaded_rows.append((row, shaded_cells))
    note = (
        f"Expected Wins of all systems that people judged. Rank ranges are those of "
        f"{settings['resamples']:,} bootstrap samples of the judgements, at "
        f"{shown_level(settings['level'])}; the ranges of different clusters do not overlap."
    )
    plots = {}
    if has_charts():
        from pipeline.extensions.page.charts import drawn
        from pipeline.extensions.plots.plot_data import rows_of_ranks

        from .plot_data import ranked_systems

        plots = drawn("Ranks by people", rows_of_ranks(ranked_systems(ranking)))
    return {
        "note": note,
        "plots": plots,
        "table": PageTable(
            *judged_table(scores, "Expected Wins", digits=3), left=(1,)
        ),
        "pairs": {"names": order, "rows": shaded_rows},
    }


def _agreement_charts(results: Results) -> JsonObject:
    """Return the charts of how the metrics agree with people, by their titles; none if charts
    cannot be drawn.
    """
    charts: JsonObject = {}
    if not has_charts():
        return charts
    from pipeline.extensions.page.charts import drawn

    from .plot_data import coefficient_plots, point_plots

    for _, _, subject, rows in coefficient_plots(results):
        charts |= drawn(subject.capitalize(), rows)
    for group, name, subject, points in point_plots(results):
        human_name = name.replace("_", " ")
        charts |= drawn(f"{group.called} and {human_name}: {subject}", points)
    return charts


def _agreement_tables(results: Results) -> dict[str, PageTable]:
    """Return the tables of how the metrics agree with people, by their titles."""
    tables = {}
    for agreement in AGREEMENT_TABLES:
        header, rows = agreement.table(results.human or {})
        if rows:
            title = agreement.title[0].upper() + agreement.title[1:]
            left = range(len(agreement.names))
            tables[title] = PageTable(header, rows, left=left)
    return tables
