"""Human judgements against the tables of Grundkiewicz et al. 2015 and SEEDA, naive code, and cases
worked by hand.
"""

import math
import random
from collections import Counter
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from pipeline.errors import InputError
from pipeline.extensions.human import judgment_summary as wins_file
from pipeline.extensions.human.judgment_summary import (
    Kappa,
    accuracy,
    agreement,
    expected_wins,
    head_to_head,
    judge_correlations,
    mean_kappa,
    rank_by_expected_wins,
)
from pipeline.extensions.human.judgments import (
    Group,
    Item,
    Judgments,
    build,
    read_judgments,
)
from tests.conftest import Published, mirrored


@pytest.fixture(scope="module")
def gjg(shared: Path) -> Judgments:
    return read_judgments(
        mirrored(shared, "grammatical/evaluation", "data/judgments.xml")
    )


def item(judge: str, segment: str, *groups: tuple[str, int]) -> Item:
    ranked = tuple(Group(tuple(names.split()), rank) for names, rank in groups)
    return Item(
        segment=segment,
        judge=judge,
        groups=ranked,
        ranking=(judge, segment, ""),
        position="here",
    )


def invented(seed: int = 1, items: int = 60) -> tuple[list[Item], Judgments]:
    rng = random.Random(seed)
    made = []
    for number in range(items):
        names = rng.sample("ABCDE", 5)
        cut = rng.randint(0, 2)
        groups = [" ".join(names[:cut])] * (cut > 0) + names[cut:]
        ranked = [
            (group, rng.randint(1, 3)) for group in groups[: rng.randint(1, 5)]
        ]
        made.append(item(rng.choice(["x", "y"]), str(number // 4), *ranked))
    return made, build("here", made)


def pairs_of(items: list[Item]) -> list[tuple[str, str, int, str]]:
    """Return (first, second, sign, judge) of each pair, plainly: sign 1 where the first is better."""
    found = []
    for one in items:
        ranked = sorted(
            (name, group.rank) for group in one.groups for name in group.systems
        )
        for (a, r), (b, s) in combinations(ranked, 2):
            found.append((a, b, (r < s) - (r > s), one.judge))
    return found


def naive_wins(items: list[Item]) -> Counter[tuple[str, str]]:
    return Counter(
        (a, b) if sign > 0 else (b, a)
        for a, b, sign, _ in pairs_of(items)
        if sign
    )


@pytest.mark.parametrize("seed", range(5))
def test_wins_and_expected_wins_as_counted_plainly(seed: int) -> None:
    items, found = invented(seed)
    wins, names = naive_wins(items), found.systems
    assert [[wins[a, b] for b in names] for a in names] == found.wins().tolist()
    for divisor in ("opponents", "beaten"):
        for a, score in zip(
            names, expected_wins(found.wins(), divisor), strict=True
        ):
            shares = [
                wins[a, b] / (wins[a, b] + wins[b, a])
                for b in names
                if wins[a, b] + wins[b, a]
            ]
            count = (
                len(names) - 1
                if divisor == "opponents"
                else sum(wins[a, b] > 0 for b in names)
            )
            assert score == pytest.approx(sum(shares) / count, abs=1e-12)


def test_one_system_and_no_pair() -> None:
    found = build("here", [item("x", "1", ("A", 1))])
    assert expected_wins(found.wins()).tolist() == [0.0]
    assert len(found.unexpanded.first) == 0


def test_kappa_by_hand() -> None:
    # Three pairs that both judged: they agree on A<B and on B=C and not on A, C.
    items = [
        item("x", "1", ("A", 1), ("B", 2)),
        item("y", "1", ("B", 3), ("A", 1)),
        item("x", "2", ("B", 1), ("C", 1)),
        item("y", "2", ("B", 1), ("C", 1)),
        item("x", "3", ("A", 1), ("C", 2)),
        item("y", "3", ("A", 2), ("C", 1)),
        item("y", "4", ("A", 2), ("C", 1)),  # by nobody else
        # again: x agrees with himself on 0 of 1, with y on 2 of 4
        item("x", "1", ("A", 2), ("B", 2)),
    ]
    found = agreement(build("here", items))
    # first better: 2 of x, 1 of y; ties: 2 of x, 1 of y; second better: 0 and 1
    chance = (3 / 7) ** 2 + (3 / 7) ** 2 + (1 / 7) ** 2
    assert found[0, 1] == pytest.approx((2, 4, chance))
    assert found[0, 1].kappa == pytest.approx((0.5 - chance) / (1 - chance))
    assert found[0, 0] == Kappa(0, 1, 0.5)
    assert found[0, 0].kappa == -1.0
    assert (found[1, 1].comparisons, math.isnan(found[1, 1].kappa)) == (0, True)


def test_the_mean_kappa_is_weighted_and_leaves_out_few_comparisons() -> None:
    kappas = [
        Kappa(50, 50, 0.5),
        Kappa(75, 150, 0.0),
        Kappa(0, 49, 0.5),
        Kappa(60, 60, 1.0),
    ]
    assert mean_kappa(kappas) == pytest.approx((50 * 1.0 + 150 * 0.5) / 200)
    assert math.isnan(mean_kappa([]))


@pytest.mark.parametrize("seed", range(3))
def test_agreement_as_counted_plainly(seed: int) -> None:
    items, found = invented(seed, 120)
    judged: dict[tuple[str, str, str], list[tuple[str, int]]] = {}
    for one in items:
        ranked = sorted(
            (" ".join(sorted(group.systems)), group.rank)
            for group in one.groups
        )
        for (a, r), (b, s) in combinations(ranked, 2):
            judged.setdefault((one.segment, a, b), []).append(
                (one.judge, (r > s) - (r < s))
            )
    for (first, second), kappa in agreement(found).items():
        names = found.judges[first], found.judges[second]
        agree = tried = 0
        outcomes: Counter[int] = Counter()
        for made in judged.values():
            left = [sign for judge, sign in made if judge == names[0]]
            right = [sign for judge, sign in made if judge == names[1]]
            both = (
                list(combinations(left, 2))
                if first == second
                else [(a, b) for a in left for b in right]
            )
            tried += len(both)
            agree += sum(a == b for a, b in both)
            outcomes.update(
                (left if first == second else left + right) if both else ()
            )
        chance = sum(
            (count / outcomes.total()) ** 2 for count in outcomes.values()
        )
        assert kappa == pytest.approx((agree, tried, chance), abs=1e-12)


def test_head_to_head_against_scipy() -> None:
    found = invented(3)[1]
    wins, names = found.wins(), found.systems
    matrix = head_to_head(names, wins)
    for i, j in combinations(range(len(wins)), 2):
        won, lost = int(wins[i, j]), int(wins[j, i])
        one, two = names[i], names[j]
        assert (
            matrix["p"][one][two]
            == matrix["p"][two][one]
            == pytest.approx(stats.binomtest(won, won + lost).pvalue, abs=1e-12)
        )
        assert matrix["share"][two][one] == won / (won + lost)
    assert all(name not in matrix["share"][name] for name in names)


def test_systems_that_never_met() -> None:
    matrix = head_to_head("ABC", np.array([[0, 2, 0], [0, 0, 0], [0, 0, 0]]))
    share = matrix["share"]
    assert matrix["p"]["A"] == {"B": 0.5, "C": 1.0}
    assert (share["B"]["A"], share["A"]["B"], math.isnan(share["C"]["A"])) == (
        1.0,
        0.0,
        True,
    )


def test_bootstrap_samples_are_as_if_pairs_were_drawn() -> None:
    """Scores in samples agree with those of pairs drawn one by one, to 4 standard errors of 2,000
    samples.
    """
    items, found = invented(2)
    pairs = pairs_of(items)
    rng, names = np.random.default_rng(0), found.systems
    drawn = []
    for _ in range(2000):
        wins = np.zeros((5, 5), np.int64)
        for number in rng.integers(0, len(pairs), len(pairs)):
            a, b, sign, _ = pairs[number]
            winner, loser = (a, b) if sign > 0 else (b, a)
            wins[names.index(winner), names.index(loser)] += sign != 0
        drawn.append(expected_wins(wins))
    plain = np.array(drawn)
    means = rank_by_expected_wins(found, samples=2000)["means"]
    mean = np.array(list(means.values()))
    assert (
        np.abs(mean - plain.mean(axis=0)).max()
        < 4 * (2 * plain.var(axis=0).max() / 2000) ** 0.5
    )


def test_samples_are_the_same_whatever_the_block(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = invented()[1]
    whole = rank_by_expected_wins(found, samples=100)
    monkeypatch.setattr(wins_file, "MAX_COUNTS_AT_ONCE", 700)
    blocks = rank_by_expected_wins(found, samples=100)
    assert whole == blocks
    other = rank_by_expected_wins(found, samples=100, seed=1)
    assert other["means"] != whole["means"]


def test_accuracy_of_judgements_that_never_contradict() -> None:
    items = [item("x", str(n), ("A", 1), ("B", 2), ("C", 3)) for n in range(20)]
    assert accuracy(build("here", items), folds=10) == 1.0
    one = [
        item("x", str(n), ("A", 1 + n % 2), ("B", 2 - n % 2)) for n in range(2)
    ]
    # the other fold always says the opposite
    assert accuracy(build("here", one), folds=2) == 0.0
    with pytest.raises(InputError, match="expected 2 to 2 folds, found 3"):
        accuracy(build("here", one), folds=3)


def test_accuracy_as_computed_plainly() -> None:
    items, found = invented(4)
    fold = np.random.default_rng(7).permutation(len(pairs_of(items))) % 5
    right = tried = 0.0
    names = found.systems
    # build() lists the pairs of an item in the same order as pairs_of()
    for number in range(5):
        wins = np.zeros((5, 5), np.int64)
        for (a, b, sign, _), own in zip(pairs_of(items), fold, strict=True):
            if own != number and sign:
                winner, loser = (a, b) if sign > 0 else (b, a)
                wins[names.index(winner), names.index(loser)] += 1
        scores = dict(zip(names, expected_wins(wins), strict=True))
        for (a, b, sign, _), own in zip(pairs_of(items), fold, strict=True):
            if own == number and sign:
                difference = (scores[a] - scores[b]) * sign
                right += 1.0 if difference > 0 else 0.5 * (difference == 0)
                tried += 1
    assert accuracy(found, 5, seed=7) == pytest.approx(right / tried, abs=1e-12)


# Published judgements; the tables themselves are recipes (test_reproduce.py)


def test_correlations_of_judges_are_those_of_scipy(gjg: Judgments) -> None:
    found = judge_correlations(gjg, "beaten")
    for i, j in combinations(range(8), 2):
        own = [
            expected_wins(gjg.of_judge(number).wins(), "beaten")
            for number in (i, j)
        ]
        assert found["spearman"][i, j] == pytest.approx(
            stats.spearmanr(*own)[0], abs=1e-12
        )
        assert found["pearson"][i, j] == pytest.approx(
            stats.pearsonr(*own)[0], abs=1e-12
        )


def test_table_7_divisors_differ_where_the_recipe_says(
    gjg: Judgments, published: dict[str, Published]
) -> None:
    """The cells of the table are not at hand; where its divisor tells from the plain one is."""
    assert (
        "INPUT of judges 1 2 7 8, UFC of 7 8"
        in published["gjg-table7"]["recipe"]
    )
    differing = set()
    for number in range(8):
        wins = gjg.of_judge(number).wins()
        scores = expected_wins(wins), expected_wins(wins, "beaten")
        differing |= {
            (gjg.systems[n], number + 1)
            for n in np.flatnonzero(np.abs(scores[0] - scores[1]) > 5e-4)
        }
    assert differing == {
        *(("INPUT", judge) for judge in (1, 2, 7, 8)),
        ("UFC", 7),
        ("UFC", 8),
    }
