"""The ranked table of a metric on a data set: its columns, and which of them stay where room is short."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from ...errors import InputError, did_you_mean, printable
from ...metrics.names import class_of
from ..terminal.layout import GAP, cut_name, shown_width
from .comparisons import bootstrap_columns, level_name, shown_interval
from .digits import percent, round_half_up

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...metrics.base.metric import Metric
    from ...scoring.results import Results, Score
    from . import Table

SHOWN = frozenset({"standard_error"})
"""Outputs that the table always has beside the score. A metric adds its own by `table_outputs`."""
MORE = re.compile("precision(_[0-9]+)?|recall|brevity_penalty|beta")
"""Outputs that are shown only on a terminal which is wide enough."""
FIRST = ("interval", "against", "groups", "p", "ranks", "@", "std", "draws", "cluster")
"""Parts of the titles of the columns after rank, system and score, the most important column first."""


def ranked_table(results: Results, scores: Sequence[Score], digits: int, columns: Sequence[str] = ()) -> Table:
    """Return a row for each score, in their order: rank, system, score, spread, interval, comparisons.

    With `columns`, names or patterns, it has those of these columns and of all outputs that they name.
    """
    if not columns:
        return _standard(results, scores, digits)
    header, rows = _standard(results, scores, digits)
    more = [key for key in scores[0].outputs if key not in header]
    rows = [[*row, *(_output(s, key, digits) for key in more)] for row, s in zip(rows, scores, strict=True)]
    header = [*header, *more]
    kept = [0, 1, 2, *picked(header[3:], columns, 3)]
    return [header[number] for number in kept], [[row[number] for number in kept] for row in rows]


def _output(score: Score, key: str, digits: int) -> str:
    """Return an output as a cell: counts as they are, all others in percent."""
    value = score.outputs[key]
    if re.sub("_[0-9]+$", "", key) in class_of(score.metric).counts:
        return f"{value:.0f}" if value.is_integer() else round_half_up(value, digits)
    return percent(value, digits)


def picked(titles: Sequence[str], patterns: Sequence[str], first: int = 0) -> list[int]:
    """Return the numbers of the titles that patterns name, counted from `first`.

    A pattern names a title, or else every title that it matches, or of which it matches a word.
    """
    kept: set[int] = set()
    for pattern in patterns:
        ways = (
            [n for n, title in enumerate(titles, first) if _same(title) == _same(pattern)],
            [n for n, title in enumerate(titles, first) if fnmatchcase(_same(title), _same(pattern))],
            [n for n, title in enumerate(titles, first) if any(fnmatchcase(w, pattern) for w in title.split())],
        )
        kept |= set(next(filter(None, ways), []))
    return sorted(kept)


def _same(title: str) -> str:
    return re.sub("[ _-]", "_", title.lower())


def check_picked(titles: Sequence[str], patterns: Sequence[str]) -> None:
    """Raise InputError for the first pattern that names none of the titles."""
    for pattern in patterns:
        if not picked(titles, [pattern]):
            hint = did_you_mean(pattern, titles)
            raise InputError(f"--columns {pattern}: there is no such column{hint}; there are {', '.join(titles)}")


def check_columns(results: Results, patterns: Sequence[str]) -> None:
    """Raise InputError for the first pattern that names no column of any ranked table of the results."""
    titles: dict[str, None] = {}
    for key in dict.fromkeys((score.dataset, score.metric) for score in results.scores):
        own = [score for score in results.scores if (score.dataset, score.metric) == key]
        titles |= dict.fromkeys([*_standard(results, own, 2)[0][3:], *own[0].outputs])
    check_picked(list(titles), patterns)


def _standard(results: Results, scores: Sequence[Score], digits: int) -> Table:
    """Return the ranked table with the columns that it has where none are asked for."""
    name = next(iter(scores[0].outputs))
    sampled = any(score.samples for score in scores)
    more = [key for key in scores[0].outputs if key != name and _stands_beside(key, class_of(scores[0].metric))]
    titles, cells = bootstrap_columns(results, scores, digits)
    header = ["rank", "system", name, *more, *(["std", "95% of draws"] if sampled else []), *titles]
    rows = []
    for score, cell in zip(scores, cells, strict=True):
        row = [str(score.rank), score.system, percent(score.score, digits)]
        row += [_output(score, key, digits + 2 * (key == "standard_error")) for key in more]
        if sampled and score.samples:
            low, high = (percent(bound, digits) for bound in score.samples.shown)
            row += [percent(score.samples.std, digits + 1), f"{low} to {high}" if low != "-" else "-"]
        elif sampled:
            row += ["-", "-"]
        rows.append(row + cell)
    return header, rows


def interval_table(results: Results, scores: Sequence[Score], digits: int) -> Table:
    """Return a row for each output of each score that has an interval of its own."""
    header = ["system", "output", "value", "std", f"{level_name(results)} interval"]
    rows = []
    for score in scores:
        for name, spread in score.intervals.items():
            numbers = [percent(score.outputs[name], digits), percent(spread.std, digits + 1)]
            rows.append([score.system, name, *numbers, shown_interval(spread.interval, digits)])
    return header, rows


def _stands_beside(output: str, metric: type[Metric]) -> bool:
    return "@" in output or output in SHOWN or bool(re.fullmatch(metric.table_outputs, output))


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
        row[1] = cut_name(printable(row[1]), min(rest, max(width // 2, 8)))
    kept, room = [0, 1, 2], width - sum(_width(whole, column) + GAP for column in range(3)) + 1
    for column in sorted(range(3, len(whole[0])), key=lambda column: _weight(whole[0][column], column, len(header))):
        alone = whole[0][column] == "p" and not any(whole[0][other].startswith("against") for other in kept)
        if _width(whole, column) + GAP <= room and not alone:
            kept.append(column)
            room -= _width(whole, column) + GAP
    kept.sort()
    table = [whole[0][column] for column in kept], [[row[column] for column in kept] for row in whole[1]]
    return table, [title for column, title in enumerate(header) if column not in kept]


def _width(table: Table, column: int) -> int:
    """Return the width of a column on a terminal."""
    return max(shown_width(row[column]) for row in [table[0], *table[1]])


def _weight(title: str, column: int, standard: int) -> tuple[int, int]:
    """Return the sort key of a column, small for an important one. Columns from `standard` on come last."""
    if column >= standard:
        return len(FIRST) + 1, column
    matches = (number for number, part in enumerate(FIRST) if title == part or (len(part) > 1 and part in title))
    return next(matches, FIRST.index("@")), column
