"""Sections of the page: systems by metrics, scores by type of edit, and what people say of systems and metrics."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from ..by_type import NONE, TIER, TIERS, of_system, types_of
from ..overview import overviews, verdict_sentence
from ..tables import shown_level
from ..tables.comparisons import BETTER, WORSE, is_significant, tests_of
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
from ..tables.plot_data import forests, judged_rows, scatters, triangles
from ..tables.ranked import groups
from .shell import PageTable
from .svg import drawn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...human.human_judgements import HumanRanking
    from ...scoring.results import Results
    from ..by_type import Types
    from ..material import Material
    from ..tables.ranked import Group
    from .svg import Drawing

UNTESTED, EQUAL, DIFFERENT = "-=*"
"""What the data says of a pair of systems: no test, a test that did not tell them apart, one that did."""
DIRECTIONS = {BETTER: "better", WORSE: "worse"}
SHADES = 10
"""How many shades a map has beside that of 0."""
DIGITS = 3
"""Decimals of Expected Wins."""


class Shade(NamedTuple):
    """A cell of a map."""

    text: str
    kind: str
    """The class of the style sheet: h0 for a score of 0, up to h10, or none."""
    title: str = ""
    """All numbers, which the pointer shows."""


class ShadeMap(NamedTuple):
    """A table in which shades say how high the numbers are."""

    names: Sequence[str]
    """The titles of the columns."""
    rows: Sequence[tuple[str, Sequence[Shade]]]


class TypeMap(NamedTuple):
    """The scores of a metric on a data set by the types of a tier."""

    title: str
    is_open: bool
    """Whether it is shown at once."""
    shades: ShadeMap
    """A row for each type, a column for each system."""
    numbers: PageTable
    """All numbers by type and system."""


def overview_part(results: Results, digits: int) -> dict[str, Any]:
    """Return the overviews, the sentences of metrics by the names of their boards, and the data of `results.js`.

    The boards are called board-1, board-2 and so on, in the order of the results. An overview comes with the boards of
    its columns, and with the rows of its systems: name, kind or nothing, and a cell for each column. A cell has what
    the metric says, and whether that is significantly better or worse than the baseline.
    """
    own = groups(results)
    names = {(group.dataset, group.metric): f"board-{number}" for number, group in enumerate(own, 1)}
    tables = []
    for overview in overviews(results, digits):
        rows = []
        for name in overview.systems:
            entries = [column.entries.get(name) for column in overview.columns]
            cells = [{"entry": one, "direction": DIRECTIONS.get(one.mark, "") if one else ""} for one in entries]
            rows.append((name, overview.kinds.get(name, ""), cells))
        boards = [names[column.group.dataset, column.group.metric] for column in overview.columns]
        tables.append({"overview": overview, "boards": boards, "rows": rows})
    data = {}
    for group in own:
        scores = [score.score if score.score == score.score else None for score in group.scores]
        systems = [score.system for score in group.scores]
        board = {"systems": systems, "scores": scores, "tests": _tests(results, group, systems)}
        data[names[group.dataset, group.metric]] = board
    sentences = {names[group.dataset, group.metric]: verdict_sentence(results, group, digits) for group in own}
    return {"tables": tables, "sentences": sentences, "data": {"digits": digits, "boards": data}}


def _tests(results: Results, group: Group, names: Sequence[str]) -> str:
    """Return a sign for each pair of systems, row by row of the part above the diagonal; "" where there is no test."""
    signs = {
        frozenset((test.system, test.other)): DIFFERENT if is_significant(test, results) else EQUAL
        for test in tests_of(results, group.scores[0])
    }
    pairs = [frozenset((one, two)) for number, one in enumerate(names) for two in names[number + 1 :]]
    return "".join(signs.get(pair, UNTESTED) for pair in pairs) if signs else ""


def type_maps(results: Results, digits: int) -> dict[tuple[str, str], list[TypeMap]]:
    """Return the maps of each data set and metric that has scores by type, the tier that is shown first before others.

    Tiers that have no types of their own are left out.
    """
    maps: dict[tuple[str, str], list[TypeMap]] = {}
    for tier in sorted(TIERS, key=lambda tier: (tier != TIER, tier)):
        for types in types_of(results, tier):
            own = maps.setdefault((types.group.dataset, types.group.metric), [])
            if types.tier == tier or not own:
                is_open = not own
                rows = [
                    (name, [_shade(types, system, name, digits) for system in types.systems]) for name in types.names
                ]
                tables = {system: of_system(types, system, digits) for system in types.systems}
                header = next(iter(tables.values()))[0]
                numbers = [[row[0], system, *row[1:]] for system, table in tables.items() for row in table[1]]
                numbers.sort(key=lambda row: types.names.index(row[0]))
                whole = PageTable([header[0], "system", *header[1:]], numbers, left=(0, 1))
                own.append(TypeMap(f"By type: {TIERS[types.tier]}", is_open, ShadeMap(types.systems, rows), whole))
    return maps


def _shade(types: Types, system: str, name: str, digits: int) -> Shade:
    cell = types.cells.get((system, name))
    if cell is None:
        return Shade(NONE, "none", f"{system}, {name}: does not occur")
    texts = [f"{output} {types.shown(system, name, output, digits)}" for output in (*types.fractions, *types.counts)]
    texts[0] += f" ({types.level}: {types.interval(system, name, digits)})" if types.level else ""
    shown, number = types.shown(system, name, types.fractions[0], digits), max(1, round(cell.score * SHADES))
    return Shade(shown, f"h{number if cell.score > 0 else 0}", f"{system}, {name}: {', '.join(texts)}")


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


def ranking(judged: HumanRanking, settings: dict[str, Any]) -> dict[str, Any]:
    """Return how people rank the systems; `settings` are those of the section `human`."""
    from ...human.judgment_summary import ranked_by_name

    order, shares = judged.ranked.order, judged.pairs.share
    header, rows = head_to_head_table(judged.pairs, judged.systems, order)
    shaded = []
    for row, line in zip(rows, order, strict=True):
        own = [float(shares[column, line]) for column in order]
        kinds = ["none" if math.isnan(share) else f"h{round(share * SHADES)}" for share in own]
        shaded.append((row[0], [Shade(*cell) for cell in zip(row[1:], kinds, strict=True)]))
    note = (
        f"Expected Wins of all systems that people judged. Rank ranges are those of {settings['resamples']:,} "
        f"bootstrap samples of the judgements, at {shown_level(settings['level'])}; the ranges of different clusters "
        "do not overlap."
    )
    scores = ranked_by_name(judged.ranked, judged.systems)
    return {
        "note": note,
        "plots": drawn("Ranks by people", judged_rows(judged)),
        "table": PageTable(*ranked_table(scores, "Expected Wins", DIGITS), left=(1,)),
        "pairs": ShadeMap(header[1:], shaded),
    }


def agreement(results: Results) -> dict[str, Any]:
    """Return tables and plots of how the metrics agree with people."""
    human = results.human or {}
    plots: dict[str, Drawing] = {}
    for forest in forests(results):
        plots |= drawn(forest.what.capitalize(), forest.shown)
    for triangle in triangles(results):
        plots |= drawn(f"Williams' test, {triangle.human_name}", triangle.shown)
    for found in scatters(results):
        plots |= drawn(f"{found.group.label} and {found.human_name}: {found.what}", found.shown)
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
    return {"plots": list(plots.items()), "tables": shown, "tests": any(True for _ in triangles(results))}
