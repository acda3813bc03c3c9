"""Correlations, Williams' test and windows: scipy, naive code, and cases worked by hand."""

import math
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy import stats

from pipeline.extensions.human.correlation import (
    COEFFICIENTS,
    average_ranks,
    bootstrap_interval,
    kendall,
    pair_counts,
    pairwise_accuracy,
    pearson,
    spearman,
    spearman_by_differences,
    student_upper_tail,
    williams,
    windows,
)
from pipeline.extensions.human.meta_evaluation import (
    SentencePairs,
    accuracy_interval,
    preferences,
    sentence_level,
)

RNG = np.random.default_rng(8)
SAMPLES = [
    (RNG.integers(0, top, n) / 7, RNG.integers(0, top, n) / 3)
    for n in (3, 5, 13)
    for top in (3, 8, 1000)
] * 2


@pytest.mark.parametrize("number", range(len(SAMPLES)))
def test_coefficients_against_scipy(number: int) -> None:
    one, two = SAMPLES[number]
    if min(np.ptp(one), np.ptp(two)) == 0:
        pytest.skip("constant by chance")
    for ours, theirs in (
        (pearson, stats.pearsonr),
        (spearman, stats.spearmanr),
        (kendall, stats.kendalltau),
    ):
        assert ours(one, two) == pytest.approx(theirs(one, two)[0], abs=1e-12)
    assert average_ranks(one).tolist() == stats.rankdata(one).tolist()


def test_leading_axes_are_samples() -> None:
    one, two = RNG.normal(size=(4, 2, 9)), RNG.normal(size=(4, 2, 9))
    for score in COEFFICIENTS.values():
        found = score(one, two)
        assert found.shape == (4, 2)
        assert found[3, 1] == pytest.approx(
            float(score(one[3, 1], two[3, 1])), abs=1e-15
        )


def test_what_has_no_correlation() -> None:
    one, two = np.array([0.1] * 3), np.array([1.0, 2.0, 3.0])
    for score in (pearson, spearman, kendall):
        assert math.isnan(float(score(one, two)))
    for function in (pearson, pairwise_accuracy, spearman_by_differences):
        assert math.isnan(float(function(np.array([1.0]), np.array([2.0]))))
    shifted = 1e9 + two  # large, but not constant
    assert float(pearson(shifted, two)) == pytest.approx(1.0, abs=1e-6)


def test_spearman_by_differences() -> None:
    one, two = (RNG.permutation(9).astype(float) for _ in range(2))
    expected = pytest.approx(float(spearman(one, two)), abs=1e-12)
    assert spearman_by_differences(one, two) == expected
    # ties are broken by place: 1 2 3 against 1 3 2 has squares 0 + 1 + 1, so 1 - 6 * 2 / 24
    one, two = np.array([[5.0, 5.0, 6.0], [1.0, 3.0, 2.0]])
    assert float(spearman_by_differences(one, two)) == 0.5


def test_pairwise_accuracy_by_hand() -> None:
    metric, human = np.array([[1.0, 2.0, 2.0, 3.0], [1.0, 2.0, 2.0, 1.0]])
    # pairs: 01 agree, 02 agree, 03 people tie only, 12 both tie, 13 differ, 23 differ
    assert [*map(int, pair_counts(metric, human))] == [2, 2, 0, 1, 1]
    assert [*map(int, pair_counts(human, metric))] == [2, 2, 1, 0, 1]
    assert float(pairwise_accuracy(metric, human)) == 3 / 6


@pytest.mark.parametrize("freedom", [1, 2, 3, 9, 30, 1000])
def test_student_against_scipy(freedom: int) -> None:
    for t in [*np.linspace(-8, 8, 65), -1e3, 1e3]:
        assert student_upper_tail(t, freedom) == pytest.approx(
            stats.t.sf(t, freedom), rel=1e-10, abs=1e-300
        )


def naive_williams(correlations: tuple[float, float, float], n: int) -> float:
    """The formula as Graham and Baldwin 2014, equation 1, print it: r12, r13 with people, r23
    between the metrics.
    """
    r12, r13, r23 = correlations
    k = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
    below = math.sqrt(
        2 * k * (n - 1) / (n - 3) + (r12 + r13) ** 2 / 4 * (1 - r23) ** 3
    )
    return (r12 - r13) * math.sqrt((n - 1) * (1 + r23)) / below


def test_williams() -> None:
    for n in (4, 5, 12):
        one, two, human = RNG.normal(size=(3, n))
        scores = np.stack([human, one + human, two + human])
        found = williams(scores[1], scores[2], human)
        r = np.corrcoef(scores)
        t = naive_williams((r[0, 1], r[0, 2], r[1, 2]), n)
        assert found.t == pytest.approx(t, rel=1e-9)
        assert found.p == pytest.approx(stats.t.sf(found.t, n - 3), rel=1e-9)
        assert found.between == pytest.approx(r[1, 2], abs=1e-12)
        turned = williams(scores[2], scores[1], human)
        expected = pytest.approx((-found.t, 1 - found.p), rel=1e-9)
        assert (turned.t, turned.p) == expected


def test_williams_where_there_is_nothing_to_test() -> None:
    human = np.array([1.0, 2.0, 4.0, 3.0, 7.0])
    same = human + np.array([0.1, 0, 0, 0, 0.3])
    assert williams(same, 2 * same + 1, human)[:2] == (0.0, 0.5)
    assert math.isnan(williams(same[:3], human[:3], human[:3]).p)
    assert math.isnan(williams(np.ones(5), same, human).p)


def test_windows_by_hand() -> None:
    human, metric = np.array([[1.0, 4.0, 3.0, 2.0], [1.0, 2.0, 3.0, 4.0]])
    # the best three are numbers 1, 2, 3: human 4 3 2, metric 2 3 4
    first, second = windows(metric, human, 3)
    assert (first[:2], second[:2]) == ((1, 3), (2, 4))
    assert first[2:] == pytest.approx((-1.0, -1.0))
    last = spearman(np.array([3.0, 4.0, 1.0]), np.array([3.0, 2.0, 1.0]))
    assert second.spearman == pytest.approx(float(last))
    assert len(list(windows(metric, human, 4))) == 1
    assert list(windows(metric, human, 5)) == []


def interval(
    metric: Any, human: Any, name: str = "pearson", seed: int = 1
) -> Any:
    return bootstrap_interval(metric, human, name, 500, 0.95, seed)


def test_intervals_hold_the_value_and_narrow() -> None:
    human = RNG.normal(size=200)
    metric = human + RNG.normal(size=200)
    wide = interval(metric[:20], human[:20])
    narrow = interval(metric, human)
    r = float(pearson(metric, human))
    assert narrow[0] < r < narrow[1]
    assert np.ptp(narrow) < np.ptp(wide) / 2
    # the deviation of r is near (1 - r^2) / sqrt(n - 1)
    expected = 2 * 1.96 * (1 - r**2) / math.sqrt(199)
    assert np.ptp(narrow) == pytest.approx(expected, rel=0.25)
    assert interval(metric, human) == narrow
    assert interval(metric, human, seed=2) != narrow


def test_intervals_of_accuracy_leave_out_a_system_with_itself() -> None:
    human = np.arange(6.0)
    assert interval(-human, human, "accuracy") == (0.0, 0.0)
    assert interval(human, human, "accuracy") == (1.0, 1.0)


def test_intervals_of_two_systems_do_not_exist() -> None:
    assert np.isnan(interval(np.arange(2.0), np.arange(2.0))).all()
    assert np.isnan(interval(np.zeros(5), np.arange(5.0))).all()


def sentence_pairs(*rows: tuple[int, int, int]) -> SentencePairs:
    return SentencePairs(*np.array(rows, np.int64).reshape(-1, 3).T)


NO_TIES = sentence_pairs()
THREE = np.array([[0.5, 0.2], [0.7, 0.2], [0.5, 0.1]])
"""Scores of three systems on two sentences."""


@pytest.mark.parametrize(
    ("ties", "accuracy", "pairs"),
    [("later", 2 / 5, 5), ("wrong", 1 / 5, 5), ("half", 2.5 / 5, 5), ("out", 1 / 2, 2)],
)  # fmt: skip
def test_sentence_level_by_hand(ties: Any, accuracy: float, pairs: int) -> None:
    # agrees; tie, earlier better; tie, later better; disagrees; tie, earlier better
    rows = sentence_pairs((1, 0, 0), (0, 2, 0), (1, 0, 1), (2, 1, 1), (0, 1, 1))
    found = sentence_level(THREE, rows, NO_TIES, ties)
    assert (found.accuracy, found.pairs) == (accuracy, pairs)
    assert found.kendall == 2 * accuracy - 1
    assert (found.metric_ties, found.human_ties) == (3, 0)
    assert found.kendall_no_ties == found.kendall_human_ties == 0 / 5


def test_pairs_that_people_tie_by_hand() -> None:
    # people tie three pairs: the metric ties the first two of them too. Of the two others it agrees
    # on one, ties one.
    tied = sentence_pairs((0, 2, 0), (0, 1, 1), (1, 2, 1))
    untied = sentence_pairs((1, 0, 0), (0, 2, 0))
    found = sentence_level(THREE, untied, tied, "out")
    assert (found.pairs, found.accuracy) == (1, 1.0)
    assert (found.metric_ties, found.human_ties) == (1, 3)
    assert (found.kendall_no_ties, found.kendall_human_ties) == (1 / 2, 3 / 5)


def test_equal_scores_computed_in_two_ways_are_ties() -> None:
    scores = np.array([[0.1 + 0.2], [0.3]])
    assert math.isnan(preferences(scores, sentence_pairs((0, 1, 0)), "out")[0])


def test_sentence_level_as_counted_plainly() -> None:
    scores = RNG.integers(0, 4, (5, 30)) / 4
    rows: list[tuple[int, int, int]] = []
    shares = []
    for line in range(30):
        pairs = [*combinations(RNG.permutation(5).tolist(), 2)]
        rows += [(a, b, line) for a, b in pairs]
        shares.append(
            np.mean([scores[a, line] > scores[b, line] for a, b in pairs])
        )
    found = sentence_level(scores, sentence_pairs(*rows), NO_TIES, "wrong")
    assert found.accuracy == pytest.approx(np.mean(shares), abs=1e-12)
    low, high = accuracy_interval(
        scores, sentence_pairs(*rows), "wrong", 200, 0.95, 1
    )
    assert low < found.accuracy < high
    # the sentences are drawn, not the pairs: their shares are resampled here plainly
    drawn = np.random.default_rng(2).choice(shares, (4000, 30)).mean(axis=1)
    expected = tuple(np.quantile(drawn, (0.025, 0.975)))
    assert (low, high) == pytest.approx(expected, abs=0.03)


def test_sentence_level_of_nothing() -> None:
    scores, pairs = np.ones((2, 3)), sentence_pairs((0, 1, 0))
    found = sentence_level(scores, pairs, NO_TIES, "out")
    assert (found.pairs, found.kendall_no_ties) == (0, 0.0)
    assert math.isnan(found.accuracy)
    nothing = sentence_level(scores, NO_TIES, NO_TIES, "out")
    assert math.isnan(nothing.kendall_no_ties)
    assert np.isnan(accuracy_interval(scores, pairs, "out", 50, 0.95, 1)).all()
