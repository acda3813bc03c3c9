"""Statistics of scores of sentences: the values of mt-metrics-eval's own tests, scipy, naive code
and cases by hand.
"""

import math
import sys
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy import stats

from pipeline.errors import ConfigError, InputError
from pipeline.extensions.human.comparison import USUAL
from pipeline.extensions.human.correlation import (
    correlate,
    pair_counts,
    williams,
)
from pipeline.extensions.human.statistics import (
    AVERAGES,
    STATISTICS,
    Value,
    counts_within,
    p_values,
    statistic_of,
)
from tests.support.tables import table

Array = np.ndarray[Any, np.dtype[np.float64]]
NAN = math.nan


def value(text: str, human: Any, metric: Any, systems: int = 1) -> float:
    """Return a statistic of scores, which are [systems, lines] or flat."""
    rows = [np.reshape(scores, (systems, -1)) for scores in (human, metric)]
    return statistic_of(text).value(*np.array(rows, float)).value


# mt_metrics_eval/stats_test.py of google-research/mt-metrics-eval, commit 0b82d96b: scores of
# people, of the metric, the number of systems, the statistic, the value that the test expects, and
# the decimals that it compares.
SIX, OTHER = [1, 2, 3, 4, 5, 6], [2, 1, 4, 3, 3, 7]
GAPS = [1, 2, 2, 3, 4], [2, 1, 1.5, 5, 3]
TIES = [1, 1, 1, 2, 2, 3, 4], [1, 1, 2, 2, 4, 3, 3]
CONSTANT = [1, 2, 3, 4, 5, 6], [2, 2, 2, 4, 5, 6]
OPTIMISED = [1, 2, 2, 3, 3, 4], [2, 1, 1.5, 5, 3, 2]
THEIRS = [
    (SIX, OTHER, 2, "pearson", 0.776, 3),
    (SIX, OTHER, 2, "pearson[average=system]", 0.760, 3),
    (SIX, OTHER, 2, "pearson[average=item]", 1.0, 3),
    (SIX, OTHER, 2, "kendall", 0.552, 3),
    (SIX, OTHER, 2, "kendall[average=system]", 0.575, 3),
    (SIX, OTHER, 2, "kendall[average=item]", 1.0, 3),
    (*GAPS, 1, "kendall", 0.316227766, 7),
    (*GAPS, 1, "accuracy", 0.6, 12),
    (*GAPS, 1, "accuracy[epsilon=2]", 0.4, 12),
    (*GAPS, 1, "accuracy[epsilon=best]", 0.7, 12),
    (*CONSTANT, 2, "pearson[average=system]", 1.0, 7),
    ([1, 2, 3, 3, 4], [1, 1, 2, 1, 2], 1, "accuracy", 5 / 10, 12),
    (*TIES, 1, "accuracy", 14 / 21, 12),
    (
        [1, 2, 3, 4],
        [0, 2, 6, 8],
        1,
        "accuracy[epsilon=best]",
        1.0,
        12,
    ),  # tau_optimization_test.py
    ([1, 1, 1, 4], [0, 2, 6, 8], 1, "accuracy[epsilon=best]", 4 / 6, 12),
]


@pytest.mark.parametrize(
    ("human", "metric", "systems", "text", "expected", "places"), THEIRS
)
def test_values_of_mt_metrics_eval(
    human: Any,
    metric: Any,
    systems: int,
    text: str,
    expected: float,
    places: int,
) -> None:
    found = value(text, human, metric, systems)
    assert found == pytest.approx(expected, abs=0.5 * 10**-places)


def test_the_regression_example_of_tau_optimization() -> None:
    """tau_optimization_test.py, commit 0b82d96b: matrices in which both sides lack scores."""
    rows = "0 5 2 3 2 nan 2 1 5 3 9 1 5 3 8 9 3 4 4 1" + " nan" * 5
    metric = np.array(rows.split(), float).reshape(5, 5)
    rows = "1 5 2 1 1 4 2 2 1 4 5 9 2 8 7 7 6 nan 3 2" + " nan" * 5
    human = np.array(rows.split(), float).reshape(5, 5)
    best = statistic_of("accuracy[average=system,epsilon=best]").value(
        human, metric
    )
    assert best.value == pytest.approx(0.4916666666666668, abs=1e-12)
    assert (best.epsilon, best.groups) == (1.0, 4)
    for epsilon, expected in (
        (0, 0.4666666666666667),
        (2, 0.38333333333333347),
        (8, 0.1166666666666667),
    ):
        text = f"accuracy[average=system,epsilon={epsilon}]"
        found = value(text, human, metric, 5)
        assert found == pytest.approx(expected, abs=1e-12)


# scipy and naive code

RNG = np.random.default_rng(4)


def sample(
    systems: int, lines: int, top: int, lacking: float = 0.0
) -> tuple[Array, Array]:
    human = RNG.integers(0, top, (systems, lines)).astype(float)
    human[RNG.random(human.shape) < lacking] = NAN
    return human, RNG.integers(0, top, (systems, lines)) / 3


SCIPY = {
    "pearson": stats.pearsonr,
    "spearman": stats.spearmanr,
    "kendall": stats.kendalltau,
}


def naive(name: str, human: Array, metric: Array) -> float:
    """Return a coefficient by scipy, or the share of pairs of equal order."""
    if name == "accuracy":
        agree = [
            np.sign(a - c) == np.sign(b - d)
            for (a, b), (c, d) in combinations(
                zip(human, metric, strict=True), 2
            )
        ]
        return float(np.mean(agree))
    if min(np.ptp(human), np.ptp(metric)) == 0:
        return NAN
    return float(SCIPY[name](human, metric)[0])


def rows_of(average: str, scores: Array) -> list[Array]:
    return {
        "none": [scores.reshape(-1)],
        "item": list(scores.T),
        "system": list(scores),
    }[average]


@pytest.mark.parametrize("average", AVERAGES)
@pytest.mark.parametrize("name", [*SCIPY, "accuracy"])
def test_statistics_against_scipy_and_plain_loops(
    name: str, average: str
) -> None:
    for systems, lines, top, lacking in (
        (4, 6, 3, 0.0),
        (5, 7, 1000, 0.2),
        (3, 120, 5, 0.1),
        (120, 3, 40, 0.0),
    ):
        human, metric = sample(systems, lines, top, lacking)
        values = []
        for human_data, scores in zip(
            rows_of(average, human), rows_of(average, metric), strict=True
        ):
            chosen = ~np.isnan(human_data)
            if chosen.sum() >= 2:
                values.append(naive(name, human_data[chosen], scores[chosen]))
        found = statistic_of(f"{name}[average={average}]").value(human, metric)
        assert found.value == pytest.approx(
            float(np.nanmean(values)), abs=1e-12
        )
        assert (found.groups, found.undefined) == (
            int(np.isfinite(values).sum()),
            int(np.isnan(values).sum()),
        )


@pytest.mark.parametrize("average", AVERAGES)
def test_the_best_epsilon_is_the_best_of_all(average: str) -> None:
    def accuracy(epsilon: object) -> Value:
        text = f"accuracy[average={average},epsilon={epsilon}]"
        return statistic_of(text).value(human, metric)

    for missing in (0.0, 0.2):
        human, metric = sample(4, 9, 5, missing)
        best = accuracy("best")
        flat = metric.reshape(-1)
        epsilons = [0.0, *np.unique(np.abs(flat - flat[:, None]))]
        tried = [accuracy(float(epsilon)).value for epsilon in epsilons]
        assert best.value == pytest.approx(max(tried), abs=1e-12)
        assert best.epsilon in epsilons
        at_best = accuracy(best.epsilon).value
        assert at_best == pytest.approx(best.value, abs=1e-12)


def test_large_groups_are_sorted_and_counted_as_pair_by_pair() -> None:
    for top, lacking in ((1, 0.0), (3, 0.3), (500, 0.1)):
        human, metric = sample(3, 130, top, lacking)
        present = ~np.isnan(human)
        human, metrics = (
            np.where(present, human, 0.0),
            np.where(present, [metric, -human], 0.0),
        )
        expected = pair_counts(metrics, human, present)
        assert np.array_equal(counts_within(human, metrics, present), expected)


def test_without_scipy_some_statistics_say_what_they_need(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "scipy", None)
    human, metric = sample(4, 40, 9)
    for text in ("spearman", "kendall", "accuracy"):
        with pytest.raises(
            InputError,
            match=r"needs the package scipy: pip install 'gec-pipeline\[human\]'",
        ):
            statistic_of(text).value(human, metric)
    for text in (*USUAL, "accuracy[epsilon=0.5]"):
        assert math.isfinite(statistic_of(text).value(human, metric).value)
    assert all(
        map(math.isfinite, correlate(human[:, 0], metric[:, 0]).values())
    )


def test_soft_accuracy_against_plain_loops() -> None:
    human, metric = (
        RNG.integers(0, 9, (4, 15)).astype(float) for _ in range(2)
    )
    human[2, 5] = (
        NAN  # a sentence without a score by people for one system counts for none
    )
    chosen = ~np.isnan(human).any(axis=0)
    signs = np.where(
        np.random.default_rng(4).random((1000, 14), dtype=np.float32) > 0.5,
        1,
        -1,
    )
    differences = []
    for one, two in combinations(range(4), 2):
        shares = []
        for scores in (human[:, chosen], metric[:, chosen]):
            near = scores[one] - scores[two]
            shares.append(
                np.mean([(sign * near).sum() >= near.sum() for sign in signs])
            )
        differences.append(abs(shares[0] - shares[1]))
    found = statistic_of("spa").value(human, metric)
    assert found.value == pytest.approx(1 - np.mean(differences), abs=1e-12)
    assert found.scores == 4 * 14


def test_p_values_of_equal_systems_are_1_whatever_the_rounding() -> None:
    scores = RNG.random((1, 50)).repeat(2, axis=0)
    assert p_values(scores, 200, 4).tolist() == [1.0]
    scores[1] = scores[0] + 0.1 - 0.1  # the same, but for the last digit
    assert p_values(scores, 200, 4).tolist() == [1.0]


# What has no value, and what is asked for wrongly


@pytest.mark.parametrize(
    ("human", "metric", "reason"),
    [
        ([[1, 2], [3, 4]], np.ones((2, 2)), "all scores of the metric are equal"),
        (np.ones((2, 2)), [[5, 6], [7, 5]], "all scores of people are equal"),
        ([[NAN, NAN], [3, NAN]], [[5, 5], [5, 6]], "there are no two scores to compare"),
        (np.full((2, 2), NAN), [[5, 5], [5, 6]], "there are no two scores to compare"),
    ],
)  # fmt: skip
def test_no_value_has_a_reason(human: Any, metric: Any, reason: str) -> None:
    for text in SCIPY:
        found = statistic_of(text).value(*np.array([human, metric], float))
        assert math.isnan(found.value)
        assert found.reason == reason


def test_one_system_has_no_items_and_no_pairs() -> None:
    human, metric = np.array([[1.0, 2, 3]]), np.array([[2.0, 1, 4]])
    for text in ("pearson[average=item]", "acc_eq", "spa"):
        assert (
            statistic_of(text).value(human, metric).reason
            == "there are no two scores to compare"
        )
    assert value("kendall[average=system]", human, metric) == pytest.approx(
        1 / 3, abs=1e-12
    )


def test_constant_groups_have_a_reason() -> None:
    found = statistic_of("pearson[average=item]").value(
        np.array([[1.0, 2], [1, 3]]), np.array([[4.0, 5], [6, 5]])
    )
    reason = "in every group all scores of people or of the metric are equal"
    assert (found.reason, found.undefined) == (reason, 2)


@pytest.mark.parametrize("name", STATISTICS)
def test_a_signature_can_be_read_again(name: str) -> None:
    statistic = statistic_of(name)
    assert statistic_of(str(statistic)) == statistic
    assert str(statistic).startswith(name)


def test_a_signature_has_every_option_that_changes_the_value() -> None:
    assert str(statistic_of("acc_eq")) == "accuracy|average:item|epsilon:best"
    assert statistic_of("accuracy|average:item|epsilon:best") == statistic_of(
        "acc_eq"
    )
    assert str(statistic_of("kendall[level=system]")) == "kendall|level:system"


@pytest.mark.parametrize(
    ("text", "message"),
    table("""
        kendal                              no statistic is called 'kendal' (did you mean 'kendall'?)
        pearson[epsilon=1]                  pearson has no option 'epsilon'
        accuracy[epsilon=-1]                epsilon: expected a number from 0, or best, found '-1'
        pearson[level=system,average=item]  average has no effect here (systems have one score each); leave it out
    """),
)  # fmt: skip
def test_a_wrong_statistic_is_refused(text: str, message: str) -> None:
    with pytest.raises(ConfigError) as raised:
        statistic_of(text)
    assert message in str(raised.value)


def test_too_many_pairs_to_sort() -> None:
    human = np.zeros((1, 8001))
    with pytest.raises(
        InputError, match=r"32,004,000 pairs of scores are too many"
    ):
        statistic_of("accuracy[epsilon=best]").value(human, human)


def test_williams_of_mt_metrics_eval() -> None:
    """testSigDiff of stats_test.py, commit 0b82d96b: p 0.019, and the correlations 0.999 and 0.987."""
    human = np.array([1.0, 2, 3, 4, 5])
    one, two = np.array([1.1, 2, 3.1, 4, 5.1]), np.array([1.5, 2, 3.1, 4, 5.5])
    assert williams(one, two, human).p == pytest.approx(0.019, abs=5e-4)
    assert [
        value("pearson", human, metric) for metric in (one, two)
    ] == pytest.approx([0.999, 0.987], abs=5e-4)
