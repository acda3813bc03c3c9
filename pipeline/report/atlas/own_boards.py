"""Leader boards of one's own runs as a page: systems by data sets and metrics, and a board for each of these."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..html.figures.bars import interval_axis, interval_bar, interval_scale
from ..html.shell import Design, PageTable, Row, render
from ..tables import percent
from ..tables.comparisons import shown_interval
from ..tables.ranked import size
from .joined_runs import join

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..html.figures.svg import Drawing
    from .joined_runs import Joined, NamedRun

NAME = "board.html"
BOARD = Design(
    "board.html",
    ("page.css", "atlas.css", "copying.css"),
    ("theme.js", "sort.js", "copying.js"),
    "pipeline.report.atlas",
)


class OwnBoard(NamedTuple):
    """A board as the page shows it."""

    name: str
    """The name of its element, for links."""
    label: str
    dataset: str
    facts: str
    """The size of the data set."""
    output: str
    axis: Drawing
    titles: Sequence[str]
    rows: Sequence[Row]
    signatures: Sequence[str]


def board_page(runs: Sequence[NamedRun], digits: int) -> str:
    """Return the page of the leader boards of some runs. Needs jinja2."""
    boards, warnings = join(runs)
    warnings += [f"{run.name}: {text}" for run in runs for text in run.results.warnings]
    content = {
        "title": "Leader boards",
        "boards": [_board(board, number, digits) for number, board in enumerate(boards, 1)],
        "overview": _overview(boards, digits),
        "warnings": list(dict.fromkeys(warnings)),
        "runs": runs,
    }
    return render(BOARD, content)


def _board(board: Joined, number: int, digits: int) -> OwnBoard:
    where = interval_scale(board.scores)
    sampled = any(score.bootstrap for score in board.scores)
    best = percent(board.scores[0].score, digits)
    rows = []
    for score in board.scores:
        shown = percent(score.score, digits)
        interval = [shown_interval(score.bootstrap.interval, digits) if score.bootstrap else "-"] if sampled else []
        cells = [*interval, ", ".join(board.runs[score.system])]
        rows.append(Row(str(score.rank), score.system, shown, interval_bar(score, where), cells, shown == best != "-"))
    return OwnBoard(
        name=f"board-{number}",
        label=board.label,
        dataset=board.dataset,
        facts=size(board.info),
        output=next(iter(board.scores[0].outputs), board.label),
        axis=interval_axis(where),
        titles=[*(["interval"] if sampled else []), "run"],
        rows=rows,
        signatures=board.signatures,
    )


def _overview(boards: Sequence[Joined], digits: int) -> PageTable:
    """Return a row for each system, with its score on each board; * stands behind the best."""
    cells: dict[str, dict[int, str]] = {}
    for number, board in enumerate(boards):
        best = percent(board.scores[0].score, digits)
        for score in board.scores:
            shown = percent(score.score, digits)
            cells.setdefault(score.system, {})[number] = f"{shown} *" if shown == best != "-" else shown
    header = ["system", *(f"{board.label} on {board.dataset}" for board in boards)]
    return PageTable(header, [[name, *(own.get(n, "-") for n in range(len(boards)))] for name, own in cells.items()])
