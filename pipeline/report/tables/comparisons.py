"""Intervals, ranks and comparisons of the stored results as cells of tables: formatting only."""

from decimal import ROUND_CEILING, Decimal

from ...metrics import goodness
from ...scoring import SIGNIFICANCE_TESTS, Comparison, Results
from .cells import percent, shown_p

BETTER = "↑"
WORSE = "↓"
"""Marks of what is significantly better or worse."""


def p_cell(test: Comparison, results: Results, *, adjusted: bool = True) -> str:
    """Return the p-value of a comparison for a table, by default the adjusted one.

    If no random trial had a difference as large as the observed one, p is the smallest that so
    many trials can give, and more of them could make it smaller. Then it is printed with "≤", and
    rounded up.
    """
    value = test.p_adjusted if adjusted else test.p
    significance_test = SIGNIFICANCE_TESTS.of(results)
    trials = None
    if significance_test:
        trials = (results.statistics or {}).get(significance_test.samples)
    if trials is None:
        return shown_p(value)
    smallest_p = 1 / (trials + 1)
    # before the adjustment; 1e-9 is for rounding errors
    is_smallest = test.p <= smallest_p * (1 + 1e-9)
    # "≤1" would say nothing
    if not is_smallest or value >= 1:
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
    if not results.is_significant(test):
        return text
    if goodness(test.metric, test.difference) > 0:
        return text + BETTER
    return text + WORSE


def settings_line(results: Results) -> str:
    """Return in a line how intervals and tests were computed, and the marks of significance.

    It is empty for results without statistics.
    """
    statistics = results.statistics
    if not statistics:
        return ""
    test = statistics["test"]
    seed = f"seed {statistics['seed']}"
    samples = f"{statistics['resamples']:,} bootstrap samples"
    # only runs of earlier versions have these settings
    is_reselected = statistics.get("annotators") == "reselected"
    if is_reselected or statistics.get("choice") == "anew":
        samples += ", annotators chosen anew in each"
    if test == SIGNIFICANCE_TESTS.NONE:
        return f"{samples}, {seed}"
    name = test.replace("_", " ")
    significance_test = SIGNIFICANCE_TESTS.of(results)
    if significance_test:
        name = significance_test.printed_settings(test, statistics)
    corrected = "p as it is"
    if statistics["correction"] != "none":
        corrected = f"p adjusted by {statistics['correction'].capitalize()}"
    alpha = float(1 - results.level)
    marks = f"{BETTER} better, {WORSE} worse"
    return f"{samples}; {name}, {corrected}, below {alpha:g}: {marks}; {seed}"
