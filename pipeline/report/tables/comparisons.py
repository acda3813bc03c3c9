"""Intervals, ranks and comparisons of the stored results as cells of tables: formatting only."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ...metrics.names import goodness
from . import percent, round_half_up, shown_level, shown_range

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ...scoring.results import Comparison, Results, Score
    from . import Table


SMALLEST = 0.0001
"""The smallest p-value that is printed as a number."""
STAR, BETTER, WORSE = "*", "↑", "↓"
"""Marks of what is significantly different, better or worse."""


def shown_p(value: float) -> str:
    """Return a p-value with four decimals, or "<0.0001" for a smaller one."""
    return f"<{SMALLEST}" if value < SMALLEST else round_half_up(value, 4)


def p_cell(test: Comparison, results: Results, *, adjusted: bool = True) -> str:
    """Return the p-value of a comparison, by default the adjusted one.

    Where none of the trials or samples was as far apart as the systems, more of them would make p smaller: it is
    printed with "≤", and rounded up.
    """
    from ...scoring.resampling.significance import COUNTED  # here, because few tables have tests

    value, settings = test.p_adjusted if adjusted else test.p, results.statistics or {}
    times = settings.get(COUNTED.get(settings.get("test", ""), ""))
    if times is None or value >= 1 or test.p > (1 + 1e-9) / (times + 1):
        return shown_p(value)
    return f"≤{Decimal(value).quantize(Decimal('0.0001'), ROUND_CEILING)}"


def signed(difference: float, digits: int, metric: str = "") -> str:
    """Return a difference of scores of a metric as it is shown, with its sign."""
    text = percent(abs(difference), digits, metric)
    return text if not text.strip("0.-") else f"{'-' if difference < 0 else '+'}{text}"


def shown_interval(
    bounds: tuple[float, float], digits: int, metric: str = "", show: Callable[[float, int, str], str] = percent
) -> str:
    """Return an interval of scores of a metric as "low to high"; `show` formats a bound."""
    return " to ".join(show(bound, digits, metric) for bound in bounds)


def baseline_of(results: Results) -> str | None:
    """Return the system that the others were compared with, None where all pairs were compared."""
    baseline: str | None = (results.statistics or {}).get("baseline")
    return baseline


def level_name(results: Results) -> str:
    """Return the level of intervals in percent, such as 95%."""
    return shown_level((results.statistics or {}).get("level", 0.95))


def is_significant(test: Comparison, results: Results) -> bool:
    """Return whether a difference is significant after the correction."""
    return test.p_adjusted < 1 - Fraction(str((results.statistics or {}).get("level", 0.95)))


def tests_of(results: Results, score: Score) -> list[Comparison]:
    """Return the comparisons of systems that are by the metric of this score and on its data set."""
    return [test for test in results.tests if (test.dataset, test.metric) == (score.dataset, score.metric)]


def bootstrap_columns(results: Results, scores: Sequence[Score], digits: int) -> Table:
    """Return titles, and cells for each score: interval, ranks, cluster, and the columns of compared()."""
    if not any(score.bootstrap for score in scores):
        return [], [[] for _ in scores]
    header = [f"{level_name(results)} interval", "ranks", "cluster"]
    rows = []
    for score in scores:
        boot = score.bootstrap
        if boot is None:
            rows.append(["-"] * len(header))
        else:
            interval = shown_interval(boot.interval, digits, score.metric)
            rows.append([interval, shown_range(*boot.ranks), str(boot.cluster)])
    more, cells = compared(results, scores, digits)
    return header + more, [[*row, *cell] for row, cell in zip(rows, cells, strict=True)]


def compared(results: Results, scores: Sequence[Score], digits: int) -> Table:
    """Return titles, and cells for each score, of what the comparisons say.

    With a baseline these are the difference from it and its p-value, else the letters of the system: two systems that
    share a letter do not differ significantly.
    """
    tests = tests_of(results, scores[0])
    if not tests:
        return [], [[] for _ in scores]
    baseline = baseline_of(results)
    if baseline is not None:
        own = {test.system: test for test in tests}
        rows = []
        for score in scores:
            test = own.get(score.system)
            star = "*" if test and is_significant(test, results) else ""
            shown = signed(test.difference, digits, test.metric) + star if test else "-"
            rows.append([shown, p_cell(test, results) if test else "-"])
        return [f"against {baseline}", "p"], rows
    names = {name for test in tests for name in (test.system, test.other)}
    systems = [score for score in scores if score.system in names]
    numbers = {score.system: number for number, score in enumerate(systems)}
    different = [(numbers[t.system], numbers[t.other]) for t in tests if is_significant(t, results)]
    from ...scoring.resampling.intervals import letters

    groups = letters([score.rank for score in systems], different)
    return ["groups"], [[groups[numbers[s.system]] if s.system in numbers else "-"] for s in scores]


def pair_table(results: Results, tests: Sequence[Comparison], digits: int) -> Table:
    """Return a row for each comparison, with all its numbers."""
    level = level_name(results)
    header = ["system", "other", "difference", f"{level} interval", "better in", "wins", "losses", "ties", "d"]
    header += ["p", "p adjusted"]
    rows = []
    for test in tests:
        star = "*" if is_significant(test, results) else ""
        counts = [f"{count:,}" for count in (test.wins, test.losses, test.ties)]
        effect = "-" if math.isnan(test.cohen_d) else f"{test.cohen_d:+.3f}"
        row = [test.system, test.other, signed(test.difference, digits, test.metric) + star]
        row.append(shown_interval(test.interval, digits, test.metric, signed))
        row += [f"{percent(test.better, 1)}%", *counts, effect]
        rows.append([*row, p_cell(test, results, adjusted=False), p_cell(test, results)])
    return header, rows


def matrix(names: Sequence[str], tests: Sequence[Comparison], show: Callable[[Comparison, bool], str]) -> Table:
    """Return a table of all pairs of systems, with empty cells where two were not compared.

    The other cells are from `show`, whose second argument says that the comparison has the column's system first.
    """
    cells = {(test.system, test.other): show(test, False) for test in tests}
    cells |= {(test.other, test.system): show(test, True) for test in tests}
    rows = [[row, *(cells.get((row, column), "") for column in names)] for row in names]
    return ["", *names], rows


def settings_line(statistics: dict[str, Any], mark: str = "*") -> str:
    """Return in a line how intervals and tests were computed. `mark` stands at what is significant."""
    test = statistics["test"]
    samples = f"{statistics['resamples']:,} bootstrap samples"
    reselected = "reselected" in statistics.values() or "anew" in statistics.values()  # "anew": of version 0.1
    samples += ", annotators chosen anew in each" if reselected else ""
    if test == "none":
        return f"{samples}, seed {statistics['seed']}"
    name = test.replace("_", " ") + (" test" if test == "sign" else "")
    name += f" ({statistics['trials']:,} trials)" if test == "approximate_randomization" else ""
    alpha = float(1 - Fraction(str(statistics["level"])))
    correction = statistics["correction"]
    corrected = "p as it is" if correction == "none" else f"p adjusted by {correction.capitalize()}"
    return f"{samples}; {name}, {corrected}, {mark} below {alpha:g}; seed {statistics['seed']}"


class Directions:
    """Which of two systems is better, for each comparison: marks in place of stars, which only say that they differ."""

    def __init__(self, tests: Iterable[Comparison]) -> None:
        self._ahead = {(t.system, t.other): goodness(t.metric, t.difference) > 0 for t in tests}

    def marked(self, cells: Sequence[str], system: str, other: str | None) -> list[str]:
        """Return cells with the mark of a direction in place of the star that a significant difference has."""
        ahead = self._ahead.get((system, other or ""))
        mark = STAR if ahead is None else BETTER if ahead else WORSE
        return [cell.removesuffix(STAR) + mark if cell.endswith(STAR) else cell for cell in cells]


def marked_settings(results: Results) -> str:
    """Return in a line how intervals and tests were computed and what the marks mean; nothing where there are none."""
    if not results.statistics:
        return ""
    baseline = baseline_of(results)
    if baseline is None or results.statistics["test"] == "none":
        return settings_line(results.statistics, f"{BETTER} {WORSE}")
    line = settings_line(results.statistics, "significant")
    return f"{line}. {BETTER} {WORSE}: significantly better or worse than {baseline}"
