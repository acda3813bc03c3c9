"""The best system of a series, such as the checkpoints of a training, and those that are not known
to be worse.
"""

import math
from dataclasses import dataclass

from ...errors import listed
from ...scoring import Comparison, MetricRows, Results, Score, Series


@dataclass(frozen=True)
class BestOfSeries:
    """The best system of a series, and those that are as good."""

    series: Series
    first: Score
    equals: tuple[str, ...]
    """Those that are not known to be worse, in the order of the series."""
    way: str
    """How that is known: "test", "ranks" (of bootstrap samples), or "" if it is unknown."""

    @classmethod
    def of(
        cls, series: Series, rows: MetricRows, results: Results
    ) -> "BestOfSeries | None":
        """Return the best of a series by a metric, or None if fewer than two systems have a score.

        `rows` are sorted by rank. Others are as good if the test of both did not tell them from it. If the run has not
        compared it with all others, they are as good if their rank ranges reach as high as any of
        the series.
        """
        systems = [system for _, system in series.steps]
        scores = []
        for score in rows.scores:
            if score.system in systems and not math.isnan(score.score):
                scores.append(score)
        if len(scores) < 2:
            return None
        first = scores[0]  # whichever way is better
        others = {score.system for score in scores[1:]}
        tests = []
        for test in rows.tests:
            if first.system in (test.system, test.other):
                tests.append(test)
        way = ""
        equals: set[str] = set()
        if others <= Comparison.systems_of(tests):
            way = "test"
            significant = filter(results.is_significant, tests)
            equals = others - Comparison.systems_of(significant)
        elif any(score.bootstrap for score in scores):
            way = "ranks"
            equals = {*Score.tied_by_rank(scores)} - {first.system}
        in_order = tuple(name for name in systems if name in equals)
        return cls(series, first, in_order, way)

    @property
    def sentence(self) -> str:
        """The best system, and those that are not significantly worse, in a sentence."""
        names = listed(self.equals)
        if self.way == "ranks":
            rest = f"by rank range {names or 'none'} may be as good"
        elif self.way == "":
            rest = "no test was made"
        elif names:
            verb = "is" if len(self.equals) == 1 else "are"
            rest = f"{names} {verb} not significantly worse"
        else:
            rest = "all others are significantly worse"
        name = self.series.name or self.series.axis
        return f"Best of {name}: {self.first.system}; {rest}."
