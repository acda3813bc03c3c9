"""The leader boards on a terminal, where the best and what is significant stand out. In a pipe they are plain."""

from __future__ import annotations

import sys
from itertools import groupby
from typing import TYPE_CHECKING, Any

from ...errors import printable
from ...metrics.base.options import with_samples
from ...metrics.build import class_of
from ..tables.comparisons import baseline_of, is_significant, tests_of
from ..tables.labels import best_of, groups, headings, remarks, size
from ..tables.ranked import fitted_table, interval_table, ranked_table
from ..terminal.table import as_shown, print_table
from ..terminal.text import print_text, terminal_width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...scoring.results import Results, Score
    from ..tables import Table

BEST, ALONE, AHEAD, BEHIND = "bold", "cyan", "green", "red"
"""How the best cell is drawn, with its colour where it has no other, and those better and worse than the baseline."""


def print_boards(results: Results, digits: int, columns: Sequence[str]) -> None:
    """Print a ranked table for each data set and metric."""
    headed = headings(score.metric for score in results.scores)
    for index, (_, group) in enumerate(groupby(results.scores, lambda s: (s.dataset, s.metric))):
        if index:
            print()
        scores = sorted(group, key=lambda s: s.rank)
        print_board(results, scores, digits, columns, headed.get(scores[0].metric, ""))


def print_board(
    results: Results, scores: Sequence[Score], digits: int, columns: Sequence[str], label: str = ""
) -> None:
    """Print the ranked table of a metric on a data set. The label tells the metric from others of its name."""
    dataset, metric = scores[0].dataset, scores[0].metric
    _print_heading(f"{dataset}: {size(results.datasets[dataset])}", label)
    _print_ranked(results, scores, digits, columns)
    print(metric)
    print_peer(scores[0], results.statistics)
    for line in remarks(scores):
        print_text(f"note: {line}")


def _print_heading(about: str, label: str) -> None:
    """Print what a table is about and the label of its metric, on two lines where a terminal is too narrow for one."""
    whole = f"{about}; {label}" if label else about
    if label and sys.stdout.isatty() and len(as_shown(whole)) > terminal_width():
        whole = f"{about}\n{label}"
    print(printable(whole))


def _print_ranked(results: Results, scores: Sequence[Score], digits: int, columns: Sequence[str]) -> None:
    """Print the ranked table, on a terminal only the columns that fit its width, unless columns are asked for.

    Below it are the intervals of all outputs, where there are any.
    """
    left_out: list[str] = []
    if columns or not sys.stdout.isatty():
        table = ranked_table(results, scores, digits, columns)
    else:
        table, left_out = fitted_table(results, scores, digits, terminal_width())
    print_table(*table, styles=_styles(results, scores, table, digits), rules=_cluster_ends(scores))
    if left_out:
        print_text(f"({', '.join(left_out)}: in a wider window, or piped)")
    if any(score.intervals for score in scores):
        print()
        print_table(*interval_table(results, scores, digits), left=(0, 1))


def print_peer(score: Score, statistics: dict[str, Any] | None, test: str = "paired_bootstrap") -> None:
    """Print sacreBLEU's signature, where it has one, with the samples and the seed of statistics."""
    if score.peer_signature:
        print(printable(with_samples(score.peer_signature, statistics or {}, test if statistics else "")))


def _styles(results: Results, scores: Sequence[Score], table: Table, digits: int) -> dict[tuple[int, int], str]:
    """Return how the cells of a ranked table are drawn: the best score, and significant differences."""
    group = next(g for g in groups(results) if (g.dataset, g.metric) == (scores[0].dataset, scores[0].metric))
    best, (header, rows) = best_of(results.datasets[group.dataset], group, digits), table
    ahead = {
        test.system: class_of(test.metric).goodness(test.difference) > 0
        for test in (tests_of(results, scores[0]) if baseline_of(results) is not None else ())
        if is_significant(test, results)
    }
    differences = [n for n, title in enumerate(header) if title.startswith("against ")]
    styles = {
        (n, 2): f"{BEST} {ALONE}" for n, (score, _) in enumerate(zip(scores, rows, strict=True)) if score.system in best
    }
    for n, score in enumerate(scores):
        if score.system in ahead:
            styles |= {(n, column): AHEAD if ahead[score.system] else BEHIND for column in differences}
    return styles


def _cluster_ends(scores: Sequence[Score]) -> list[int]:
    """Return the numbers of the rows of a ranked table after which another cluster begins."""
    clusters = [score.bootstrap.cluster if score.bootstrap else 0 for score in scores]
    return [n for n in range(len(scores) - 1) if clusters[n] != clusters[n + 1]]
