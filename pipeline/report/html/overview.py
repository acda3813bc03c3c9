"""The overview in the page: systems by metrics, the sentence of each metric, and what any system can be compared by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..overview import overviews, verdict_sentence
from ..tables.comparisons import BETTER, WORSE, is_significant, tests_of
from ..tables.ranked import groups

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...scoring.results import Results
    from ..overview import Entry, Overview
    from ..tables.ranked import Group

UNTESTED, EQUAL, DIFFERENT = "-=*"
"""What the data says of a pair of systems: no test, a test that did not tell them apart, one that did."""
DIRECTIONS = {BETTER: "better", WORSE: "worse"}


class PageCell(NamedTuple):
    """What a metric says of a system."""

    entry: Entry | None
    direction: str
    """ "better" or "worse" than the baseline, or nothing."""
    letters: str
    """The groups of the system, where all pairs were compared."""


class PageOverview(NamedTuple):
    """A table for the template."""

    overview: Overview
    boards: list[str]
    """The names of the elements of the boards of its columns, for links."""
    rows: list[tuple[str, str, list[PageCell]]]
    """The system, its kind or nothing, and its cells."""


def overview_part(results: Results, digits: int) -> dict[str, Any]:
    """Return the overviews, the sentences of metrics by the names of their boards, and the data of `baseline.js`.

    The boards are called board-1, board-2 and so on, in the order of the results.
    """
    own = groups(results)
    names = {(group.dataset, group.metric): f"board-{number}" for number, group in enumerate(own, 1)}
    tables = []
    for overview in overviews(results, digits):
        boards = [names[column.group.dataset, column.group.metric] for column in overview.columns]
        rows = [
            (name, overview.kinds.get(name, ""), [_cell(column.entries.get(name)) for column in overview.columns])
            for name in overview.systems
        ]
        tables.append(PageOverview(overview, boards, rows))
    sentences = {names[group.dataset, group.metric]: verdict_sentence(results, group, digits) for group in own}
    own_boards = {names[group.dataset, group.metric]: _board(results, group) for group in own}
    return {"tables": tables, "sentences": sentences, "data": {"digits": digits, "boards": own_boards}}


def _cell(entry: Entry | None) -> PageCell:
    direction = DIRECTIONS.get(entry.mark, "") if entry else ""
    return PageCell(entry, direction, "" if direction or not entry else entry.mark)


def _board(results: Results, group: Group) -> dict[str, Any]:
    """Return the scores of a board as they are, and of each pair of its systems whether a test tells them apart."""
    names = [score.system for score in group.scores]
    scores = [score.score if score.score == score.score else None for score in group.scores]
    return {"systems": names, "scores": scores, "tests": _tests(results, group, names)}


def _tests(results: Results, group: Group, names: Sequence[str]) -> str:
    """Return a sign for each pair of systems, row by row of the part above the diagonal; "" where there is no test."""
    signs = {
        frozenset((test.system, test.other)): DIFFERENT if is_significant(test, results) else EQUAL
        for test in tests_of(results, group.scores[0])
    }
    pairs = [frozenset((one, two)) for number, one in enumerate(names) for two in names[number + 1 :]]
    return "".join(signs.get(pair, UNTESTED) for pair in pairs) if signs else ""
