"""The ranked table of a metric on a data set: its columns, and which of them stay where room is short."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...errors import printable
from .comparisons import bootstrap_columns
from .digits import percent
from .labels import class_of, shortened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...metrics.base.metric import Metric
    from ...scoring.results import Results, Score
    from . import Table

SHOWN = frozenset({"standard_error"})
"""Outputs that the table always has beside the score. A metric adds its own by `beside_score`."""
MORE = re.compile("precision(_[0-9]+)?|recall|brevity_penalty|beta")
"""Outputs that are shown only on a terminal which is wide enough."""
FIRST = ("interval", "against", "groups", "p", "ranks", "@", "std", "draws", "cluster")
"""Parts of the titles of the columns after rank, system and score, the most important column first."""
GAP = 3
"""Blanks between columns on a terminal."""


def ranked_table(results: Results, scores: Sequence[Score], digits: int) -> Table:
    """Return a row for each score, in their order: rank, system, score, spread, interval, comparisons."""
    name = next(iter(scores[0].outputs))
    sampled = any(score.samples for score in scores)
    more = [key for key in scores[0].outputs if key != name and _stands_beside(key, class_of(scores[0].metric))]
    titles, cells = bootstrap_columns(results, scores, digits)
    header = ["rank", "system", name, *more, *(["std", "95% of draws"] if sampled else []), *titles]
    rows = []
    for score, cell in zip(scores, cells, strict=True):
        row = [str(score.rank), score.system, percent(score.score, digits)]
        row += [percent(score.outputs[key], digits + 2 * (key == "standard_error")) for key in more]
        if sampled and score.samples:
            low, high = (percent(bound, digits) for bound in score.samples.shown)
            row += [percent(score.samples.std, digits + 1), f"{low} to {high}" if low != "-" else "-"]
        elif sampled:
            row += ["-", "-"]
        rows.append(row + cell)
    return header, rows


def _stands_beside(output: str, metric: type[Metric]) -> bool:
    return "@" in output or output in SHOWN or bool(re.fullmatch(metric.beside_score, output))


def fitted_table(results: Results, scores: Sequence[Score], digits: int, width: int) -> tuple[Table, list[str]]:
    """Return the ranked table with as many columns as fit the width, and the titles of those that were left out.

    Where there is room, it has more outputs of the metric than ranked_table() returns.
    """
    header, rows = ranked_table(results, scores, digits)
    more = [key for key in scores[0].outputs if MORE.fullmatch(key)]
    values = [[percent(score.outputs[key], digits) for key in more] for score in scores]
    whole = [*header, *more], [[*row, *cells] for row, cells in zip(rows, values, strict=True)]
    rest = max(width - sum(_width(whole, column) + GAP for column in (0, 2)) - 2, 8)
    for row in whole[1]:
        row[1] = _cut(printable(row[1]), min(rest, max(width // 2, 8)))
    kept, room = [0, 1, 2], width - sum(_width(whole, column) + GAP for column in range(3)) + 1
    for column in sorted(range(3, len(whole[0])), key=lambda column: _weight(whole[0][column], column, len(header))):
        alone = whole[0][column] == "p" and not any(whole[0][other].startswith("against") for other in kept)
        if _width(whole, column) + GAP <= room and not alone:
            kept.append(column)
            room -= _width(whole, column) + GAP
    kept.sort()
    table = [whole[0][column] for column in kept], [[row[column] for column in kept] for row in whole[1]]
    return table, [title for column, title in enumerate(header) if column not in kept]


def _cut(name: str, width: int) -> str:
    """Return a name shortened to the width on a terminal, where some letters are two columns wide."""
    from rich.cells import cell_len

    return next(text for n in range(len(name), -1, -1) if cell_len(text := shortened(name, n)) <= width)


def _width(table: Table, column: int) -> int:
    """Return the width of a column on a terminal."""
    from rich.cells import cell_len

    return max(cell_len(row[column]) for row in [table[0], *table[1]])


def _weight(title: str, column: int, standard: int) -> tuple[int, int]:
    """Return the sort key of a column, small for an important one. Columns from `standard` on come last."""
    if column >= standard:
        return len(FIRST) + 1, column
    matches = (number for number, part in enumerate(FIRST) if title == part or (len(part) > 1 and part in title))
    return next(matches, FIRST.index("@")), column
