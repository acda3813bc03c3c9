"""The best system of a series, such as the checkpoints of a training, and those that are not known
to be worse.
"""

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


def best_of_series(results: Results, group: Group, series: Series) -> Best | None:
    """Return the best of a series by a metric, or None if fewer than two systems have a score.

    Others are as good if the test of both did not tell them from it. If the run has not compared
    it with all others, they are as good if their rank ranges reach as high as any of the series.
    """
    systems = [system for _, system in series.steps]
    is_number = [score for score in group.scores if score.score == score.score]
    scores = [score for score in is_number if score.system in systems]
    if len(scores) < 2:
        return None
    first, *others = scores  # the best is first, whichever way is better
    other_names = {score.system for score in others}
    tests = [test for test in group.tests if first.system in (test.system, test.other)]
    if other_names <= _compared_systems(tests):
        worse = _compared_systems(
            test for test in tests if is_significant(test, results)
        )
        equals = other_names - worse
        way = "test"
    else:
        ranges = {
            score.system: score.bootstrap.ranks for score in scores if score.bootstrap
        }
        highest = min((best for best, _ in ranges.values()), default=0)
        equals = {name for name, (best, _) in ranges.items() if best <= highest}
        equals.discard(first.system)
        way = "ranks" if ranges else ""
    return Best(first, tuple(name for name in systems if name in equals), way)


def _compared_systems(tests: Iterable[Comparison]) -> set[str]:
    """Return the names of the systems of some comparisons."""
    names: set[str] = set()
    for test in tests:
        names |= {test.system, test.other}
    return names


def series_in(results: Results, group: Group) -> list[Series]:
    """Return the series of the systems of a metric: those that the config has ordered, or else
    those that their names show.
    """
    systems = [score.system for score in group.scores]
    ordered = [series.of(systems) for series in results.series]
    return [series for series in ordered if len(series.steps) > 1] or series_of(systems)


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
