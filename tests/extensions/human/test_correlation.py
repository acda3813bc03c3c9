"""Correlations, Williams' test and windows: scipy, naive code, and cases worked by hand."""

import math
from itertools import combinations

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
    assert pearson(one, two) == pytest.approx(
        stats.pearsonr(one, two)[0], abs=1e-12
    )
    assert spearman(one, two) == pytest.approx(
        stats.spearmanr(one, two)[0], abs=1e-12
    )
    assert kendall(one, two) == pytest.approx(
        stats.kendalltau(one, two)[0], abs=1e-12
    )
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
    assert all(
        math.isnan(float(score(one, two)))
        for score in (pearson, spearman, kendall)
    )
    assert math.isnan(float(pearson(np.array([1.0]), np.array([2.0]))))
    assert math.isnan(
        float(pairwise_accuracy(np.array([1.0]), np.array([2.0])))
    )
    assert math.isnan(
        float(spearman_by_differences(np.array([1.0]), np.array([2.0])))
    )
    shifted = np.array([1e9, 1e9 + 1, 1e9 + 2])  # far from 0, but not constant
    assert float(pearson(shifted, two)) == pytest.approx(1.0, abs=1e-6)


def test_spearman_by_differences() -> None:
    one, two = (
        RNG.permutation(9).astype(float),
        RNG.permutation(9).astype(float),
    )
    assert spearman_by_differences(one, two) == pytest.approx(
        float(spearman(one, two)), abs=1e-12
    )
    # ties are broken by place: 1 2 3 against 1 3 2 has squares 0 + 1 + 1, so 1 - 6 * 2 / 24
    assert (
        float(
            spearman_by_differences(
                np.array([5.0, 5.0, 6.0]), np.array([1.0, 3.0, 2.0])
            )
        )
        == 0.5
    )


def test_pairwise_accuracy_by_hand() -> None:
    metric, human = (
        np.array([1.0, 2.0, 2.0, 3.0]),
        np.array([1.0, 2.0, 2.0, 1.0]),
    )
    # pairs: 01 agree, 02 agree, 03 people tie only, 12 both tie, 13 differ, 23 differ
    assert [int(count) for count in pair_counts(metric, human)] == [
        2,
        2,
        0,
        1,
        1,
    ]
    assert float(pairwise_accuracy(metric, human)) == 3 / 6
    assert [int(count) for count in pair_counts(human, metric)] == [
        2,
        2,
        1,
        0,
        1,
    ]


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
        found = williams(one + human, two + human, human)
        r = [
            stats.pearsonr(*pair)[0]
            for pair in (
                (one + human, human),
                (two + human, human),
                (one + human, two + human),
            )
        ]
        assert found.t == pytest.approx(
            naive_williams((r[0], r[1], r[2]), n), rel=1e-9
        )
        assert found.p == pytest.approx(stats.t.sf(found.t, n - 3), rel=1e-9)
        assert found.between == pytest.approx(r[2], abs=1e-12)
        turned = williams(two + human, one + human, human)
        assert (turned.t, turned.p) == pytest.approx(
            (-found.t, 1 - found.p), rel=1e-9
        )


def test_williams_where_there_is_nothing_to_test() -> None:
    human = np.array([1.0, 2.0, 4.0, 3.0, 7.0])
    same = human + np.array([0.1, 0, 0, 0, 0.3])
    assert williams(same, 2 * same + 1, human)[:2] == (0.0, 0.5)
    assert math.isnan(williams(same[:3], human[:3], human[:3]).p)
    assert math.isnan(williams(np.ones(5), same, human).p)


def test_windows_by_hand() -> None:
    human, metric = (
        np.array([1.0, 4.0, 3.0, 2.0]),
        np.array([1.0, 2.0, 3.0, 4.0]),
    )
    # the best three are numbers 1, 2, 3: human 4 3 2, metric 2 3 4
    found = list(windows(metric, human, 3))
    assert [window[:2] for window in found] == [(1, 3), (2, 4)]
    assert found[0].spearman == pytest.approx(-1.0)
    assert found[0].pearson == pytest.approx(-1.0)
    assert found[1].spearman == pytest.approx(
        float(spearman(np.array([3.0, 4.0, 1.0]), np.array([3.0, 2.0, 1.0])))
    )
    assert len(list(windows(metric, human, 4))) == 1
    assert list(windows(metric, human, 5)) == []


def test_intervals_hold_the_value_and_narrow() -> None:
    human = RNG.normal(size=200)
    metric = human + RNG.normal(size=200)
    wide = bootstrap_interval(metric[:20], human[:20], "pearson", 500, 0.95, 1)
    narrow = bootstrap_interval(metric, human, "pearson", 500, 0.95, 1)
    assert narrow[0] < float(pearson(metric, human)) < narrow[1]
    assert narrow[1] - narrow[0] < (wide[1] - wide[0]) / 2
    # the deviation of r is near (1 - r^2) / sqrt(n - 1)
    r = float(pearson(metric, human))
    assert narrow[1] - narrow[0] == pytest.approx(
        2 * 1.96 * (1 - r**2) / math.sqrt(199), rel=0.25
    )
    assert bootstrap_interval(metric, human, "pearson", 500, 0.95, 1) == narrow
    assert bootstrap_interval(metric, human, "pearson", 500, 0.95, 2) != narrow


def test_intervals_of_accuracy_leave_out_a_system_with_itself() -> None:
    human = np.arange(6.0)
    assert bootstrap_interval(-human, human, "accuracy", 300, 0.95, 1) == (
        0.0,
        0.0,
    )
    assert bootstrap_interval(human, human, "accuracy", 300, 0.95, 1) == (
        1.0,
        1.0,
    )


def test_intervals_of_two_systems_do_not_exist() -> None:
    assert np.isnan(
        bootstrap_interval(
            np.arange(2.0), np.arange(2.0), "pearson", 100, 0.95, 1
        )
    ).all()
    assert np.isnan(
        bootstrap_interval(np.zeros(5), np.arange(5.0), "pearson", 100, 0.95, 1)
    ).all()


def sentence_pairs(rows: list[tuple[int, int, int]]) -> SentencePairs:
    return SentencePairs(*np.array(rows, np.int64).reshape(-1, 3).T)


NO_TIES = sentence_pairs([])


@pytest.mark.parametrize(
    ("ties", "accuracy", "pairs"),
    [
        ("later", 2 / 5, 5),
        ("wrong", 1 / 5, 5),
        ("half", 2.5 / 5, 5),
        ("out", 1 / 2, 2),
    ],
)
def test_sentence_level_by_hand(ties: str, accuracy: float, pairs: int) -> None:
    scores = np.array([[0.5, 0.2], [0.7, 0.2], [0.5, 0.1]])
    # agrees; tie, earlier better; tie, later better; disagrees; tie, earlier better
    rows = [(1, 0, 0), (0, 2, 0), (1, 0, 1), (2, 1, 1), (0, 1, 1)]
    found = sentence_level(scores, sentence_pairs(rows), NO_TIES, ties)  # type: ignore[arg-type]
    assert (found.accuracy, found.kendall, found.pairs) == (
        accuracy,
        2 * accuracy - 1,
        pairs,
    )
    assert (found.metric_ties, found.human_ties) == (3, 0)
    assert found.kendall_no_ties == found.kendall_human_ties == 0 / 5


def test_pairs_that_people_tie_by_hand() -> None:
    scores = np.array([[0.5, 0.2], [0.7, 0.2], [0.5, 0.1]])
    # people tie three pairs: the metric ties the first two of them too. Of the two others it agrees
    # on one, ties one.
    tied = sentence_pairs([(0, 2, 0), (0, 1, 1), (1, 2, 1)])
    found = sentence_level(
        scores, sentence_pairs([(1, 0, 0), (0, 2, 0)]), tied, "out"
    )
    assert (
        found.pairs,
        found.accuracy,
        found.metric_ties,
        found.human_ties,
    ) == (
        1,
        1.0,
        1,
        3,
    )
    assert (found.kendall_no_ties, found.kendall_human_ties) == (1 / 2, 3 / 5)


def test_equal_scores_computed_in_two_ways_are_ties() -> None:
    scores = np.array([[0.1 + 0.2], [0.3]])
    assert math.isnan(
        preferences(scores, sentence_pairs([(0, 1, 0)]), "out")[0]
    )


def test_sentence_level_as_counted_plainly() -> None:
    scores = RNG.integers(0, 4, (5, 30)) / 4
    rows = [
        (a, b, line)
        for line in range(30)
        for a, b in combinations(RNG.permutation(5).tolist(), 2)
    ]
    pairs = sentence_pairs(rows)
    found = sentence_level(scores, pairs, NO_TIES, "wrong")
    right = sum(scores[a, line] > scores[b, line] for a, b, line in rows)
    assert found.accuracy == pytest.approx(right / len(rows), abs=1e-12)
    low, high = accuracy_interval(scores, pairs, "wrong", 200, 0.95, 1)
    assert low < found.accuracy < high
    # the sentences are drawn, not the pairs: their shares are resampled here plainly
    shares = np.array(
        [
            np.mean(
                [scores[a, n] > scores[b, n] for a, b, n in rows if n == line]
            )
            for line in range(30)
        ]
    )
    drawn = shares[np.random.default_rng(2).integers(0, 30, (4000, 30))].mean(
        axis=1
    )
    assert (low, high) == pytest.approx(
        tuple(np.quantile(drawn, (0.025, 0.975))), abs=0.03
    )


def test_sentence_level_of_nothing() -> None:
    scores, pairs = np.ones((2, 3)), sentence_pairs([(0, 1, 0)])
    found = sentence_level(scores, pairs, NO_TIES, "out")
    assert (found.pairs, math.isnan(found.accuracy), found.kendall_no_ties) == (
        0,
        True,
        0.0,
    )
    assert math.isnan(
        sentence_level(scores, NO_TIES, NO_TIES, "out").kendall_no_ties
    )
    assert np.isnan(accuracy_interval(scores, pairs, "out", 50, 0.95, 1)).all()
