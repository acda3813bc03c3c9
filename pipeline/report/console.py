"""Results for the terminal: a ranked table for each data set and metric, as plain text when it is piped."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from ..errors import printable
from ..metrics.build import class_of
from .by_type.tables import caption, fitting, types_of
from .overview.boards import print_board, print_boards, print_peer
from .overview.printed import HINT, print_overview
from .overview.systems_by_metrics import overviews
from .tables.columns.directions import BETTER, WORSE
from .tables.comparisons import baseline_of, is_significant, matrix, p_cell, pair_table, settings_line, signed, tests_of
from .tables.digits import percent, round_half_up
from .tables.labels import headings, labels
from .tables.ranked import picked
from .tables.sections import finding_tables
from .terminal.table import fits, print_table
from .terminal.text import print_text, terminal_width

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from ..metrics.base.metric import Metric
    from ..scoring.results import Comparison, Results, Score
    from .overview.systems_by_metrics import Overview
    from .tables import Table


def print_results(
    results: Results, digits: int, columns: Sequence[str] = (), *, settings: bool = True, boards: bool = True
) -> None:
    """Print a ranked table for each data set and metric to standard output, with all columns or only these.

    `settings` says whether a line tells how intervals and tests were computed. Unless there are to be `boards`, systems
    by metrics stand instead of these tables, where there are several metrics or data sets.
    """
    parts = [] if boards else overviews(results, digits)
    _print_overviews(results, parts, digits)
    if not parts:
        print_boards(results, digits, columns)
    if results.statistics and settings:
        real = f"{BETTER} {WORSE}" if baseline_of(results) is not None else "significant"
        print_text(settings_line(results.statistics, real if parts else "*"))
    if parts:
        print_text(HINT)
    if results.human:
        print()
        print_human(results.human, {column.group.metric for part in parts for column in part.columns})
    findings = list(finding_tables(results, digits))
    for number, (title, (header, rows), left) in enumerate(findings):
        if number or results.scores:
            print()
        print(printable(title))
        print_table(header, rows, left=left)
    if results.expectations:
        print_expectations(results.expectations, after=bool(results.scores or findings))


def _print_overviews(results: Results, parts: Sequence[Overview], digits: int) -> None:
    """Print systems by metrics of each data set; where there is one metric, its ranked table, which says more."""
    for number, overview in enumerate(parts):
        if number:
            print()
        if len(overview.columns) > 1:
            print_overview(results, overview)
        else:
            print_board(results, overview.columns[0].group.scores, digits, ())


def print_expectations(expectations: dict[str, Any], *, after: bool = False) -> None:
    """Print the verdicts on what was expected, and what was missed; `after` puts a blank line before them."""
    from .tables.verdicts import expectation_table, misses

    if after:
        print()
    print_table(*expectation_table(expectations), left=(1, 4))
    for line in misses(expectations):
        print_text(f"missed: {line}")


def print_types(results: Results, digits: int, tier: int) -> None:
    """Print the scores by type, on a terminal in tables that fit its width."""
    for number, types in enumerate(types_of(results, tier)):
        print(("\n" if number else "") + printable(caption(types)))
        for title, (header, rows) in fitting(types, digits, terminal_width() if sys.stdout.isatty() else None):
            if title:
                print(printable(title))
            print_table(header, rows, left=(0,))
        print(types.group.metric)


TURNED = (
    "Wins and losses may point the other way than the difference: each sentence is one, long or short, and one in "
    "which nothing is to be changed is won by leaving it alone."
)
"""What is said under comparisons in which the score of the corpus and most of the sentences disagree."""


def print_comparisons(results: Results, digits: int, *, pairs: bool = False, columns: Sequence[str] = ()) -> None:
    """Print which systems differ, for each data set and metric. The rows of pairs have all columns or only these.

    This is a row for each pair if `pairs` is set or all were compared with a baseline, else two tables of all pairs.
    """
    headed = headings(test.metric for test in results.tests)
    for dataset, metric in dict.fromkeys((test.dataset, test.metric) for test in results.tests):
        print(printable(f"{dataset}  {headed[metric]}\n{metric}" if metric in headed else f"{dataset}  {metric}"))
        scores = [score for score in results.scores if (score.dataset, score.metric) == (dataset, metric)]
        print_peer(scores[0], results.statistics, str((results.statistics or {}).get("test")))
        names = [score.system for score in sorted(scores, key=lambda s: s.rank)]
        tests = sorted(tests_of(results, scores[0]), key=lambda t: (names.index(t.system), names.index(t.other)))
        compared = {name for test in tests for name in (test.system, test.other)}
        squares = _squares(results, [name for name in names if name in compared], tests, digits)
        if (
            pairs
            or (results.statistics or {}).get("baseline") is not None
            or not all(fits(*t) for t in squares.values())
        ):
            header, rows = pair_table(results, tests, digits)
            kept = [0, 1, *picked(header[2:], columns or ["*"], 2)]
            table = [header[n] for n in kept], [[row[n] for n in kept] for row in rows]
            print_table(*table, left=(0, 1), first_out=() if columns else LEAST)
            if any(class_of(t.metric).goodness(t.difference) * (t.wins - t.losses) < 0 for t in tests):
                print_text(TURNED)
        else:
            for title, square in squares.items():
                print(title)
                print_table(*square, left=(0,))
        print()
    print_text(settings_line(results.statistics or {}))


def _squares(results: Results, names: Sequence[str], tests: Sequence[Comparison], digits: int) -> dict[str, Table]:
    """Return two tables of all pairs of systems by what they show."""

    def difference(test: Comparison, turned: bool) -> str:
        star = "*" if is_significant(test, results) else ""
        return signed(-test.difference if turned else test.difference, digits) + star

    return {
        "difference of scores: row less column": matrix(names, tests, difference),
        "p: adjusted": matrix(names, tests, lambda test, _: p_cell(test, results)),
    }


def print_orders(results: Results, digits: int) -> None:
    """Print a table for each score, with those of its outputs that have a value for each order."""
    for score in results.scores:
        print(f"{printable(score.dataset)}: {printable(score.system)}: {percent(score.score, digits)}  {score.metric}")
        header, rows = by_order(score, digits)
        if rows:
            print_table(header, rows, left=())
        rest = [name for name in score.outputs if not _order(name)[1]]
        print("  ".join(f"{name} {_cell(score, name, digits)}" for name in rest))
        for line in [*([score.peer_signature] if score.peer_signature else []), *(f"note: {n}" for n in score.notes)]:
            print(printable(line))
        print()


def by_order(score: Score, digits: int) -> tuple[list[str], list[list[str]]]:
    """Return a table with a row for each order, of the outputs that are named like match_1, match_2 ..."""
    names = list(dict.fromkeys(_order(name)[0] for name in score.outputs if _order(name)[1]))
    orders = sorted({_order(name)[1] for name in score.outputs} - {0})
    rows = [[str(n), *(_cell(score, f"{name}_{n}", digits) for name in names)] for n in orders]
    return ["n", *names], rows


def _order(name: str) -> tuple[str, int]:
    stem, _, order = name.rpartition("_")
    return (stem, int(order)) if order.isdigit() else (name, 0)


def is_count(name: str, metric: type[Metric]) -> bool:
    """Return whether an output of a metric is a number of n-grams or tokens, not a fraction."""
    return _order(name)[0] in metric.counts


def _cell(score: Score, name: str, digits: int) -> str:
    return output_cell(score.outputs[name], name, class_of(score.metric), digits)


def output_cell(value: float, name: str, metric: type[Metric], digits: int) -> str:
    """Return an output as a cell: counts, and means of counts, as they are, all others in percent."""
    if is_count(name, metric):
        return f"{value:.0f}" if value.is_integer() else round_half_up(value, digits)
    return percent(value, digits)


LEAST = ("d", "better in", "p", "ties", "losses", "wins")
"""Titles of the columns of a comparison that a narrow terminal does without, in the order in which they leave."""
TEXTS = frozenset({"metric", "other", "human score", "statistic"})
"""Titles of the columns that hold text in the tables of agreement with people."""


def print_human(human: dict[str, Any], known: Collection[str] = ()) -> None:
    """Print how far metrics agree with people: on systems, in windows, on sentences, and tests between metrics.

    The signatures that are known from above are not printed again.
    """
    from .tables.human import (
        correlation_table,
        permutation_table,
        rank_table,
        sentence_table,
        statistic_table,
        test_table,
        window_table,
    )

    parts = {
        "systems": correlation_table(human),
        "windows of neighbours in the human ranking": window_table(human),
        "sentences: pairs that people do not tie": sentence_table(human),
        "Williams' test: metric correlates higher than other": test_table(human),
        "statistics": statistic_table(human),
        "permutation test: metric agrees better than other": permutation_table(human),
        "sentences: by the ranks that people gave": rank_table(human),
    }
    for title, (header, rows) in parts.items():
        if rows:
            print(f"agreement with people: {title}")
            left = [n for n, name in enumerate(header) if name in TEXTS]
            print_table(header, rows, left=left, first_out=("undefined", "scores"))
            print()
    for signature, label in labels(item["metric"] for item in human["correlations"]).items():
        if signature != label and signature not in known:
            print(printable(f"{label} = {signature}"))
