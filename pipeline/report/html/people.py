"""What the page shows of people: how they rank the systems, and how the metrics agree with them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from ..tables import shown_level
from ..tables.people import (
    correlation_table,
    head_to_head_table,
    permutation_table,
    rank_table,
    ranked_table,
    sentence_table,
    statistic_table,
    test_table,
    window_table,
)
from ..tables.plotted import forests, judged_systems, scatters, triangles
from .figures.people import forest, triangle
from .figures.plots import rank_parts, scatter
from .shell import PageTable
from .type_maps import SHADES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ...human.human_judgements import HumanRanking
    from ...scoring.results import Results
    from ..material import Material
    from .figures.svg import Drawing

DIGITS = 3
"""Decimals of Expected Wins."""


class Ranking(NamedTuple):
    """How people rank the systems."""

    note: str
    plots: Mapping[str, Drawing]
    table: PageTable
    names: Sequence[str]
    """The columns of the table of pairs."""
    pairs: Sequence[tuple[str, Sequence[tuple[str, str]]]]
    """For each system its cells in this table, each a text and the class of its shade."""


def people_part(material: Material) -> dict[str, Any] | None:
    """Return tables and plots of how people rank the systems, and of how the metrics agree with them."""
    from ...human.human_judgements import human_ranking  # here, because few runs have judgements

    results = material.results
    if not results.human or not results.human.get("correlations"):
        return None
    people, settings = material.people(), results.human["settings"]
    found = human_ranking(people, settings) if people else None
    own = {"ranking": found and ranking(found, settings), "unread": people is None}
    return {**own, **agreement(results)}


def ranking(judged: HumanRanking, settings: dict[str, Any]) -> Ranking:
    """Return how people rank the systems; `settings` are those of the section `human`."""
    from ...human.judgment_summary import ranked_by_name

    order, shares = judged.ranked.order, judged.pairs.share
    header, rows = head_to_head_table(judged.pairs, judged.systems, order)
    pairs = [
        (row[0], [(cell, _shade(shares[column, line])) for cell, column in zip(row[1:], order, strict=True)])
        for row, line in zip(rows, order, strict=True)
    ]
    note = (
        f"Expected Wins of all systems that people judged. Ranges of ranks are those of {settings['resamples']:,} "
        f"bootstrap samples of the judgements, at {shown_level(settings['level'])}; the ranges of different clusters "
        "do not overlap."
    )
    scores = ranked_by_name(judged.ranked, judged.systems)
    table = PageTable(*ranked_table(scores, "Expected Wins", DIGITS), left=(1,))
    return Ranking(note, rank_parts(judged_systems(judged), "Ranks by people"), table, header[1:], pairs)


def _shade(share: float) -> str:
    return "none" if math.isnan(share) else f"h{round(float(share) * SHADES)}"


def agreement(results: Results) -> dict[str, Any]:
    """Return tables and plots of how the metrics agree with people."""
    human = results.human or {}
    plots = [
        *(
            (f"Coefficients with {shown.human_name}, {shown.level} intervals", forest(shown))
            for shown in forests(results)
        ),
        *((f"Williams' test, {shown.human_name}", triangle(shown)) for shown in triangles(results)),
        *(
            (f"{shown.group.label} and {shown.human_name}: {shown.coefficients}", scatter(shown))
            for shown in scatters(results)
        ),
    ]
    tables = {
        "Correlations of systems": PageTable(*correlation_table(human), left=(0, 1)),
        "Pairs of outputs of a sentence": PageTable(*sentence_table(human), left=(0,)),
        "Williams' test: is the first metric closer to people?": PageTable(*test_table(human), left=(0, 1, 2)),
        "Windows of neighbours": PageTable(*window_table(human), left=(0, 1)),
        "Statistics": PageTable(*statistic_table(human), left=(0, 1, 2)),
        "Permutation test: does the first metric agree better with people?": PageTable(
            *permutation_table(human), left=(0, 1, 2, 3)
        ),
        "Pairs of outputs by the ranks that people gave": PageTable(*rank_table(human), left=(0,)),
    }
    shown = {title: table for title, table in tables.items() if table.rows}
    drawn = [(title, plot) for title, plot in plots if plot]
    return {"plots": drawn, "tables": shown, "tests": any(True for _ in triangles(results))}
