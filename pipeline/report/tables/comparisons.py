"""Intervals, ranks and comparisons of the stored results as cells of tables: formatting only."""

import math
import re
from collections.abc import Callable, Sequence
from decimal import ROUND_CEILING, Decimal
from fractions import Fraction
from typing import Any

from ...metrics import goodness
from ...scoring.results import Comparison, Results, Score
from ...scoring.significance_tests import NO_TEST, SIGNIFICANCE_TESTS
from . import Table, percent, round_half_up, shown_level, shown_range

EXTRA = re.compile("mean ± .*|p")
"""Titles of the columns of ranked tables that only `--columns` shows."""
SMALLEST = 0.0001
"""The smallest p-value that is printed as a number."""
BETTER = "↑"
WORSE = "↓"
"""Marks of what is significantly better or worse."""
MIN_DIFFERING = 6
"""The number of sentences on which systems have to differ for an exact test to give a p below
0.05: 2 / 2**6."""
DOUBTED = (
    f"A small p without {BETTER} or {WORSE} says nothing: the systems differ on fewer than "
    f"{MIN_DIFFERING} sentences, and the interval of their difference holds 0."
)
"""The note on comparisons for which is_small() is true and is_significant() is not."""


def shown_p(value: float) -> str:
    """Return a p-value with four decimals, or "<0.0001" for a smaller one."""
    return f"<{SMALLEST}" if value < SMALLEST else round_half_up(value, 4)


def p_cell(test: Comparison, results: Results, *, adjusted: bool = True) -> str:
    """Return the p-value of a comparison, by default the adjusted one.

    If none of the trials or samples was as far apart as the systems, more of them would make p
    smaller: it is printed with "≤", and rounded up.
    """
    value = test.p_adjusted if adjusted else test.p
    settings = results.statistics or {}
    significance_test = SIGNIFICANCE_TESTS.get(settings.get("test", NO_TEST))
    samples = None
    if significance_test:
        samples = settings.get(significance_test.samples)
    if samples is None or value >= 1 or test.p > (1 + 1e-9) / (samples + 1):
        return shown_p(value)
    return f"≤{Decimal(str(value)).quantize(Decimal('0.0001'), ROUND_CEILING)}"


def both_p(test: Comparison, results: Results) -> list[str]:
    """Return the p-value of a comparison, and the adjusted one."""
    return [p_cell(test, results, adjusted=False), p_cell(test, results)]


def signed(difference: float, digits: int, metric: str = "") -> str:
    """Return a difference of scores of a metric as it is printed, with its sign."""
    text = percent(abs(difference), digits, metric)
    if not text.strip("0.-"):
        return text
    sign = "-" if difference < 0 else "+"
    return sign + text


def marked(test: Comparison, results: Results, digits: int) -> str:
    """Return the difference of two systems as signed() does, and a mark if it is significant."""
    text = signed(test.difference, digits, test.metric)
    if not is_significant(test, results):
        return text
    if goodness(test.metric, test.difference) > 0:
        return text + BETTER
    return text + WORSE


def shown_interval(
    bounds: tuple[float, float],
    digits: int,
    metric: str = "",
    show: Callable[[float, int, str], str] = percent,
) -> str:
    """Return an interval of scores of a metric as "low to high"; `show` formats a bound."""
    return " to ".join(show(bound, digits, metric) for bound in bounds)


def baseline_of(results: Results) -> str | None:
    """Return the system that the others were compared with, None if all pairs were compared."""
    return (results.statistics or {}).get("baseline")


def level_of(results: Results) -> Fraction:
    """Return the level of intervals, exactly as the settings have it."""
    return Fraction(str((results.statistics or {}).get("level", 0.95)))


def level_name(results: Results) -> str:
    """Return the level of intervals in percent, such as 95%."""
    return shown_level(level_of(results))


def is_small(test: Comparison, results: Results) -> bool:
    """Return whether the p-value is below the level after the correction."""
    return test.p_adjusted < 1 - level_of(results)


def too_few(test: Comparison) -> bool:
    """Return whether systems differ on so few sentences that no test can tell them apart, whatever
    its p.

    If they differ on n sentences, two of the 2**n ways to exchange the outputs are as far apart as
    the systems. But the tests count only what is farther apart, as sacreBLEU does, so that p can be
    small without a difference.
    """
    low, high = test.interval
    return test.wins + test.losses < MIN_DIFFERING and low <= 0 <= high


def is_significant(test: Comparison, results: Results) -> bool:
    """Return whether a difference is significant: its p-value is small, and not because too few
    sentences differ.
    """
    return is_small(test, results) and not too_few(test)


def bootstrap_columns(
    results: Results, scores: Sequence[Score], digits: int
) -> Table:
    """Return titles, and cells for each score: interval, the columns of compared(), ranks, cluster.

    The most important column is the first one. Behind it is the mean of the samples ± half of the
    interval.
    """
    titles, compared_cells = compared(results, scores, digits)
    if not any(score.bootstrap for score in scores):
        return titles, compared_cells
    rows = []
    for score, cells in zip(scores, compared_cells, strict=True):
        bootstrap = score.bootstrap
        if not bootstrap:
            rows.append(["-", "-", *cells, "-", "-"])
            continue
        interval = shown_interval(bootstrap.interval, digits, score.metric)
        mean = percent(bootstrap.mean, digits, score.metric)
        half = half_width(bootstrap.interval, digits, score.metric)
        ranks = shown_range(*bootstrap.ranks)
        cluster = str(bootstrap.cluster)
        rows.append([interval, f"{mean} ± {half}", *cells, ranks, cluster])
    level = level_name(results)
    header = [
        f"{level} interval",
        f"mean ± {level}",
        *titles,
        "ranks",
        "cluster",
    ]
    return header, rows


def half_width(bounds: tuple[float, float], digits: int, metric: str) -> str:
    """Return half the width of an interval of scores, as it is printed after ±."""
    low, high = bounds
    return percent((high - low) / 2, digits, metric)


def compared(results: Results, scores: Sequence[Score], digits: int) -> Table:
    """Return titles, and cells for each score, of comparisons with other systems.

    With a baseline these are the difference from it and its p-values, else the letters of the
    system: two systems that share a letter do not differ significantly.
    """
    key = (scores[0].dataset, scores[0].metric)
    tests = [
        test for test in results.tests if (test.dataset, test.metric) == key
    ]
    cells: dict[str, list[str]] = {}
    titles: list[str] = []
    baseline = baseline_of(results)
    if tests and baseline is None:
        titles = ["groups"]
        cells = _letters(results, scores, tests)
    elif tests:
        titles = [f"against {baseline}", "p", "p adjusted"]
        for test in tests:
            difference = marked(test, results, digits)
            cells[test.system] = [difference, *both_p(test, results)]
    missing = ["-" for _ in titles]
    return titles, [cells.get(score.system, missing) for score in scores]


def _letters(
    results: Results, scores: Sequence[Score], tests: Sequence[Comparison]
) -> dict[str, list[str]]:
    """Return the letters of the systems that were compared, as a cell each."""
    from ...scoring.resampling.intervals import letters

    names = set()
    for test in tests:
        names |= {test.system, test.other}
    systems = [score for score in scores if score.system in names]
    numbers = {score.system: number for number, score in enumerate(systems)}
    different = []
    for test in tests:
        if is_significant(test, results):
            different.append((numbers[test.system], numbers[test.other]))
    groups = letters([score.rank for score in systems], different)
    cells = {}
    for score, group in zip(systems, groups, strict=True):
        cells[score.system] = [group]
    return cells


def pair_table(
    results: Results, tests: Sequence[Comparison], digits: int
) -> Table:
    """Return a row for each comparison, with all its numbers."""
    header = [
        "system",
        "other",
        "difference",
        f"{level_name(results)} interval",
        "better in",
        "wins",
        "losses",
        "ties",
        "d",
        "p",
        "p adjusted",
    ]
    rows = []
    for test in tests:
        row = [
            test.system,
            test.other,
            marked(test, results, digits),
            shown_interval(test.interval, digits, test.metric, signed),
            f"{percent(test.better, 1)}%",
            f"{test.wins:,}",
            f"{test.losses:,}",
            f"{test.ties:,}",
            "-" if math.isnan(test.cohen_d) else f"{test.cohen_d:+.3f}",
            *both_p(test, results),
        ]
        rows.append(row)
    return header, rows


def settings_line(statistics: dict[str, Any]) -> str:
    """Return in a line how intervals and tests were computed, and the marks of significance."""
    test = statistics["test"]
    seed = f"seed {statistics['seed']}"
    samples = f"{statistics['resamples']:,} bootstrap samples"
    # only runs of earlier versions have these settings
    is_reselected = statistics.get("annotators") == "reselected"
    if is_reselected or statistics.get("choice") == "anew":
        samples += ", annotators chosen anew in each"
    if test == NO_TEST:
        return f"{samples}, {seed}"
    name = test.replace("_", " ")
    if test in SIGNIFICANCE_TESTS:
        name = SIGNIFICANCE_TESTS[test].printed_settings(test, statistics)
    corrected = "p as it is"
    if statistics["correction"] != "none":
        corrected = f"p adjusted by {statistics['correction'].capitalize()}"
    alpha = float(1 - Fraction(str(statistics["level"])))
    marks = f"{BETTER} better, {WORSE} worse"
    return f"{samples}; {name}, {corrected}, below {alpha:g}: {marks}; {seed}"
