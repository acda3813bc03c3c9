"""The best system of a series, such as the checkpoints of a training, and those that are not known
to be worse.
"""

import math
from collections.abc import Iterable
from typing import NamedTuple

from ...errors import listed
from ...scoring.results import Comparison, Results, Score, Series, series_of
from .comparisons import is_significant
from .ranked import Group


class Best(NamedTuple):
    """The best system of a series, and those that are as good."""

    first: Score
    equals: tuple[str, ...]
    """Those that are not known to be worse, in the order of the series."""
    way: str
    """How that is known: "test", "ranks" (of bootstrap samples), or "" if it is unknown."""


def best_of_series(
    results: Results, group: Group, series: Series
) -> Best | None:
    """Return the best of a series by a metric, or None if fewer than two systems have a score.

    Others are as good if the test of both did not tell them from it. If the run has not compared
    it with all others, they are as good if their rank ranges reach as high as any of the series.
    """
    systems = [system for _, system in series.steps]
    scores = []
    for score in group.scores:
        if score.system in systems and not math.isnan(score.score):
            scores.append(score)
    if len(scores) < 2:
        return None
    first = scores[0]  # whichever way is better
    others = {score.system for score in scores[1:]}
    tests = []
    for test in group.tests:
        if first.system in (test.system, test.other):
            tests.append(test)
    way = ""
    equals: set[str] = set()
    if others <= systems_of(tests):
        way = "test"
        significant = [test for test in tests if is_significant(test, results)]
        equals = others - systems_of(significant)
    elif any(score.bootstrap for score in scores):
        way = "ranks"
        equals = {*tied_by_rank(scores)} - {first.system}
    return Best(first, tuple(name for name in systems if name in equals), way)


def systems_of(tests: Iterable[Comparison]) -> set[str]:
    """Return the names of the systems of some comparisons."""
    names: set[str] = set()
    for test in tests:
        names |= {test.system, test.other}
    return names


def tied_by_rank(scores: Iterable[Score]) -> list[str]:
    """Return the systems whose rank ranges reach as high as that of any other."""
    best_ranks = {}
    for score in scores:
        if score.bootstrap:
            best_ranks[score.system], _ = score.bootstrap.ranks
    highest = min(best_ranks.values())
    return [system for system, rank in best_ranks.items() if rank <= highest]


def series_in(results: Results, group: Group) -> list[Series]:
    """Return the series of the systems of a metric: those that the config has ordered, or else
    those that their names show.
    """
    systems = [score.system for score in group.scores]
    ordered = []
    for series in results.series:
        present = series.of(systems)
        if len(present.steps) > 1:
            ordered.append(present)
    return ordered or series_of(systems)


def best_sentences(results: Results, group: Group) -> list[str]:
    """Return a sentence for each series: its best system, and those that are not significantly
    worse.
    """
    sentences = []
    for series in series_in(results, group):
        best = best_of_series(results, group, series)
        if best is None:
            continue
        names = listed(best.equals)
        if best.way == "ranks":
            rest = f"by rank range {names or 'none'} may be as good"
        elif best.way == "":
            rest = "no test was made"
        elif names:
            verb = "is" if len(best.equals) == 1 else "are"
            rest = f"{names} {verb} not significantly worse"
        else:
            rest = "all others are significantly worse"
        sentences.append(
            f"Best of {series.name or series.axis}: {best.first.system}; {rest}."
        )
    return sentences
