"""Intervals, ranks and comparisons of the stored results as cells of tables: formatting only."""

import math
import re
from collections.abc import Callable, Sequence
from decimal import ROUND_CEILING, Decimal
from fractions import Fraction
from typing import Any

from ...metrics.names import goodness
from ...scoring.results import Comparison, Results, Score
from ...scoring.significance_tests import NO_TEST, SIGNIFICANCE_TESTS
from . import Table, percent, round_half_up, shown_level, shown_range

EXTRA = re.compile("mean ± .*|p")
"""Titles of the columns of ranked tables that are there only where they are asked for."""
SMALLEST = 0.0001
"""The smallest p-value that is printed as a number."""
BETTER, WORSE = "↑", "↓"
"""Marks of what is significantly better or worse."""
FEW = 6
"""On so many sentences systems have to differ for an exact test to give a p below 0.05: 2 / 2**6.
"""
DOUBTED = (
    f"A small p without {BETTER} or {WORSE} says nothing: the systems differ on fewer than {FEW} sentences, and the "
    "interval of their difference holds 0."
)
"""What is said where is_small() is true and is_significant() is not."""


def shown_p(value: float) -> str:
    """Return a p-value with four decimals, or "<0.0001" for a smaller one."""
    return f"<{SMALLEST}" if value < SMALLEST else round_half_up(value, 4)


def p_cell(test: Comparison, results: Results, *, adjusted: bool = True) -> str:
    """Return the p-value of a comparison, by default the adjusted one.

    Where none of the trials or samples was as far apart as the systems, more of them would make p
    smaller: it is printed with "≤", and rounded up."""
    value = test.p_adjusted if adjusted else test.p
    settings = results.statistics or {}
    significance_test = SIGNIFICANCE_TESTS.get(settings.get("test", NO_TEST))
    samples = settings.get(significance_test.samples) if significance_test else None
    if samples is None or value >= 1 or test.p > (1 + 1e-9) / (samples + 1):
        return shown_p(value)
    return f"≤{Decimal(str(value)).quantize(Decimal('0.0001'), ROUND_CEILING)}"


def both_p(test: Comparison, results: Results) -> list[str]:
    """Return the p-value of a comparison, and the adjusted one."""
    return [p_cell(test, results, adjusted=False), p_cell(test, results)]


def signed(difference: float, digits: int, metric: str = "") -> str:
    """Return a difference of scores of a metric as it is shown, with its sign."""
    text = percent(abs(difference), digits, metric)
    return text if not text.strip("0.-") else f"{'-' if difference < 0 else '+'}{text}"


def marked(test: Comparison, results: Results, digits: int) -> str:
    """Return the difference of two systems as signed() does, and a mark where it is significant."""
    mark = (
        (BETTER if goodness(test.metric, test.difference) > 0 else WORSE)
        if is_significant(test, results)
        else ""
    )
    return signed(test.difference, digits, test.metric) + mark


def shown_interval(
    bounds: tuple[float, float],
    digits: int,
    metric: str = "",
    show: Callable[[float, int, str], str] = percent,
) -> str:
    """Return an interval of scores of a metric as "low to high"; `show` formats a bound."""
    return " to ".join(show(bound, digits, metric) for bound in bounds)


def baseline_of(results: Results) -> str | None:
    """Return the system that the others were compared with, None where all pairs were compared."""
    return (results.statistics or {}).get("baseline")


def level_name(results: Results) -> str:
    """Return the level of intervals in percent, such as 95%."""
    return shown_level((results.statistics or {}).get("level", 0.95))


def is_small(test: Comparison, results: Results) -> bool:
    """Return whether the p-value is below the level after the correction."""
    return test.p_adjusted < 1 - Fraction(str((results.statistics or {}).get("level", 0.95)))


def too_few(test: Comparison) -> bool:
    """Return whether systems differ on so few sentences that no test can tell them apart, whatever
    its p.

    Where they differ on n sentences, two of the 2**n ways to exchange the outputs are as far apart
    as the systems. But the tests count what is farther apart alone, as sacreBLEU does, so that p is
    small where nothing is."""
    return test.wins + test.losses < FEW and test.interval[0] <= 0 <= test.interval[1]


def is_significant(test: Comparison, results: Results) -> bool:
    """Return whether a difference is significant: its p-value is small, and not because too few
    sentences differ.
    """
    return is_small(test, results) and not too_few(test)


def bootstrap_columns(results: Results, scores: Sequence[Score], digits: int) -> Table:
    """Return titles, and cells for each score: interval, the columns of compared(), ranks, cluster.

    The most important column is the first one. Behind it is the mean of the samples ± half of the
    interval."""
    titles, cells = compared(results, scores, digits)
    if not any(score.bootstrap for score in scores):
        return titles, cells
    level, rows = level_name(results), []
    for score, own in zip(scores, cells, strict=True):
        if not (boot := score.bootstrap):
            rows.append(["-", "-", *own, "-", "-"])
        else:
            half = (boot.interval[1] - boot.interval[0]) / 2
            mean = f"{percent(boot.mean, digits, score.metric)} ± {percent(half, digits, score.metric)}"
            ends = [shown_range(*boot.ranks), str(boot.cluster)]
            rows.append([shown_interval(boot.interval, digits, score.metric), mean, *own, *ends])
    return [f"{level} interval", f"mean ± {level}", *titles, "ranks", "cluster"], rows


def compared(results: Results, scores: Sequence[Score], digits: int) -> Table:
    """Return titles, and cells for each score, of what the comparisons say.

    With a baseline these are the difference from it and its p-values, else the letters of the
    system: two systems that share a letter do not differ significantly."""
    tests = [
        test
        for test in results.tests
        if (test.dataset, test.metric) == (scores[0].dataset, scores[0].metric)
    ]
    if not tests:
        return [], [[] for _ in scores]
    baseline = baseline_of(results)
    if baseline is not None:
        cells = {
            test.system: [marked(test, results, digits), *both_p(test, results)] for test in tests
        }
        return [f"against {baseline}", "p", "p adjusted"], [
            cells.get(score.system, ["-"] * 3) for score in scores
        ]
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
    header = [
        "system",
        "other",
        "difference",
        f"{level} interval",
        "better in",
        "wins",
        "losses",
        "ties",
        "d",
    ]
    rows = []
    for test in tests:
        counts = [f"{count:,}" for count in (test.wins, test.losses, test.ties)]
        effect = "-" if math.isnan(test.cohen_d) else f"{test.cohen_d:+.3f}"
        row = [test.system, test.other, marked(test, results, digits)]
        row += [
            shown_interval(test.interval, digits, test.metric, signed),
            f"{percent(test.better, 1)}%",
        ]
        rows.append([*row, *counts, effect, *both_p(test, results)])
    return [*header, "p", "p adjusted"], rows


def neighbours(results: Results, system: str, digits: int) -> str:
    """Return the place of a system on the only board of a run, with the tests against its
    neighbours, in a sentence.
    """
    order = sorted(results.scores, key=lambda score: score.rank)
    at = next(number for number, score in enumerate(order) if score.system == system)
    parts = [
        f"{system} is {order[at].rank} of {len(order)}, with {percent(order[at].score, digits, order[at].metric)}"
    ]
    for other, side in ((at - 1, "below"), (at + 1, "above")):
        tests = [
            t
            for t in results.tests
            if 0 <= other < len(order) and order[other].system in (t.system, t.other)
        ]
        for test in tests:
            distance = percent(abs(test.difference), digits, test.metric)
            real = "significant" if is_significant(test, results) else "not significant"
            parts.append(
                f"{distance} {side} {order[other].system} (p adjusted {p_cell(test, results)}, {real})"
            )
    return f"{'; '.join(parts)}."


def settings_line(statistics: dict[str, Any]) -> str:
    """Return in a line how intervals and tests were computed, and what marks what is significant."""
    test = statistics["test"]
    samples = f"{statistics['resamples']:,} bootstrap samples"
    # only runs of earlier versions have these settings
    if statistics.get("annotators") == "reselected" or statistics.get("choice") == "anew":
        samples += ", annotators chosen anew in each"
    if test == NO_TEST:
        return f"{samples}, seed {statistics['seed']}"
    name = test.replace("_", " ")
    if test in SIGNIFICANCE_TESTS:
        name = SIGNIFICANCE_TESTS[test].printed_settings(test, statistics)
    alpha = float(1 - Fraction(str(statistics["level"])))
    correction = statistics["correction"]
    corrected = "p as it is" if correction == "none" else f"p adjusted by {correction.capitalize()}"
    return f"{samples}; {name}, {corrected}, below {alpha:g}: {BETTER} better, {WORSE} worse; seed {statistics['seed']}"
