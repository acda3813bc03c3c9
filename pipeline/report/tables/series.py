"""The best system of a series, such as the checkpoints of a training, and those that are not known
to be worse.
"""

from typing import NamedTuple

from ...errors import listed
from ...scoring.results import Results, Score, Series, series_of
from .comparisons import is_significant
from .ranked import Group


class Best(NamedTuple):
    """The best system of a series, and those that are as good."""

    first: Score
    equals: tuple[str, ...]
    """Those that are not known to be worse, in the order of the series."""
    way: str
    """How that is known: "test", "ranks" (of bootstrap samples), or "" where nothing is."""


def best_of_series(results: Results, group: Group, series: Series) -> Best | None:
    """Return the best of a series by a metric; None where fewer than two systems have a score.

    Others are as good if the test of both did not tell them from it. Where the run has not compared
    it with all others, they are as good if their rank ranges reach as high as any of the series.
    """
    systems = [system for _, system in series.steps]
    own = [
        score for score in group.scores if score.system in systems and score.score == score.score
    ]
    if len(own) < 2:
        return None
    first, *others = own  # the best is first, whichever way is better
    tests = [test for test in group.tests if first.system in (test.system, test.other)]
    tested = {name for test in tests for name in (test.system, test.other)}
    if {score.system for score in others} <= tested:
        worse = {
            name
            for test in tests
            if is_significant(test, results)
            for name in (test.system, test.other)
        }
        equals, way = {score.system for score in others} - worse, "test"
    else:
        ranges = {score.system: score.bootstrap.ranks for score in own if score.bootstrap}
        highest = min((low for low, _ in ranges.values()), default=0)
        equals, way = (
            {name for name, (low, _) in ranges.items() if low <= highest},
            "ranks" if ranges else "",
        )
    return Best(first, tuple(name for name in systems if name in equals - {first.system}), way)


def series_in(results: Results, group: Group) -> list[Series]:
    """Return the series of the systems of a metric: those that the config has ordered, or else told
    by their names.
    """
    systems = [score.system for score in group.scores]
    own = [series.of(systems) for series in results.series]
    return [series for series in own if len(series.steps) > 1] or series_of(systems)


def best_sentences(results: Results, group: Group) -> list[str]:
    """Return a sentence for each series: its best system, and those that are not significantly
    worse.
    """
    sentences = []
    for series in series_in(results, group):
        best = best_of_series(results, group, series)
        if best is None:
            continue
        names, are = listed(best.equals), "is" if len(best.equals) == 1 else "are"
        rest = {
            "test": f"{names} {are} not significantly worse"
            if names
            else "all others are significantly worse",
            "ranks": f"by rank range {names or 'none'} may be as good",
            "": "no test was made",
        }[best.way]
        sentences.append(f"Best of {series.name or series.axis}: {best.first.system}; {rest}.")
    return sentences
