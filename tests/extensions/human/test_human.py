"""Human judgements against the tables of Grundkiewicz et al. 2015 and SEEDA, naive code, and cases
worked by hand.
"""

import math
import random
from collections import Counter, defaultdict
from itertools import combinations, product
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
    built = []
    for number in range(items):
        names = rng.sample("ABCDE", 5)
        cut = rng.randint(0, 2)
        groups = [" ".join(names[:cut])] * (cut > 0) + names[cut:]
        del groups[rng.randint(1, 5) :]
        ranked = [(group, rng.randint(1, 3)) for group in groups]
        built.append(item(rng.choice("xy"), str(number // 4), *ranked))
    return built, build("here", built)


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


def won(a: str, b: str, sign: int) -> tuple[str, str]:
    """Return the winner and the loser of a pair."""
    return (a, b) if sign > 0 else (b, a)


def naive_wins(items: list[Item]) -> Counter[tuple[str, str]]:
    return Counter(won(a, b, sign) for a, b, sign, _ in pairs_of(items) if sign)


@pytest.mark.parametrize("seed", range(5))
def test_wins_and_expected_wins_as_counted_plainly(seed: int) -> None:
    items, found = invented(seed)
    wins, names = naive_wins(items), found.systems
    assert [[wins[a, b] for b in names] for a in names] == found.wins().tolist()
    of_opponents = expected_wins(found.wins(), "opponents")
    of_beaten = expected_wins(found.wins(), "beaten")
    for n, a in enumerate(names):
        met = [
            (wins[a, b], wins[b, a]) for b in names if wins[a, b] + wins[b, a]
        ]
        shares = sum(ours / (ours + theirs) for ours, theirs in met)
        beaten = sum(wins[a, b] > 0 for b in names)
        assert of_opponents[n] == pytest.approx(
            shares / (len(names) - 1), abs=1e-12
        )
        assert of_beaten[n] == pytest.approx(shares / beaten, abs=1e-12)


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
    counts = [(50, 50, 0.5), (75, 150, 0.0), (0, 49, 0.5), (60, 60, 1.0)]
    kappas = [Kappa(*count) for count in counts]
    assert mean_kappa(kappas) == pytest.approx((50 * 1.0 + 150 * 0.5) / 200)
    assert math.isnan(mean_kappa([]))


@pytest.mark.parametrize("seed", range(3))
def test_agreement_as_counted_plainly(seed: int) -> None:
    items, found = invented(seed, 120)
    judged = defaultdict[tuple[str, ...], list[tuple[str, int]]](list)
    for one in items:
        ranked = sorted(
            (" ".join(sorted(g.systems)), g.rank) for g in one.groups
        )
        for (a, r), (b, s) in combinations(ranked, 2):
            outcome = (one.judge, (r > s) - (r < s))
            judged[one.segment, a, b].append(outcome)
    for (first, second), kappa in agreement(found).items():
        both: list[tuple[int, int]] = []
        outcomes: Counter[int] = Counter()
        for built in judged.values():
            left, right = (
                [sign for judge, sign in built if judge == found.judges[number]]
                for number in (first, second)
            )
            pairs = [*product(left, right)]
            if first == second:
                pairs, right = [*combinations(left, 2)], []
            both += pairs
            outcomes.update(left + right if pairs else ())
        shares = [count / outcomes.total() for count in outcomes.values()]
        agree = sum(a == b for a, b in both)
        chance = sum(share**2 for share in shares)
        assert kappa == pytest.approx((agree, len(both), chance), abs=1e-12)


def test_head_to_head_against_scipy() -> None:
    found = invented(3)[1]
    wins, names = found.wins(), found.systems
    matrix = head_to_head(names, wins)
    for i, j in combinations(range(len(wins)), 2):
        won, lost = int(wins[i, j]), int(wins[j, i])
        one, two = names[i], names[j]
        p = pytest.approx(stats.binomtest(won, won + lost).pvalue, abs=1e-12)
        assert matrix["p"][one][two] == matrix["p"][two][one] == p
        assert matrix["share"][two][one] == won / (won + lost)
    assert all(name not in matrix["share"][name] for name in names)


def test_systems_that_never_met() -> None:
    matrix = head_to_head("ABC", np.array([[0, 2, 0], [0] * 3, [0] * 3]))
    share = matrix["share"]
    assert matrix["p"]["A"] == {"B": 0.5, "C": 1.0}
    assert (share["B"]["A"], share["A"]["B"]) == (1.0, 0.0)
    assert math.isnan(share["C"]["A"])


def test_bootstrap_samples_are_as_if_pairs_were_drawn() -> None:
    """Scores in samples agree with those of pairs drawn one by one, to 4 standard errors of 2,000
    samples.
    """
    items, found = invented(2)
    names = found.systems
    pairs = []
    for a, b, sign, _ in pairs_of(items):
        wins = np.zeros((5, 5), np.int64)
        wins[tuple(map(names.index, won(a, b, sign)))] = sign != 0
        pairs.append(wins)
    drawn = np.random.default_rng(0).integers(0, len(pairs), (2000, len(pairs)))
    plain = np.array(
        [expected_wins(np.array(pairs)[row].sum(0)) for row in drawn]
    )
    means = rank_by_expected_wins(found, samples=2000)["means"]
    distance = np.abs(np.array([*means.values()]) - plain.mean(axis=0)).max()
    assert distance < 4 * (2 * plain.var(axis=0).max() / 2000) ** 0.5


def test_samples_are_the_same_whatever_the_block(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = invented()[1]
    at_once = rank_by_expected_wins(found, samples=100)
    monkeypatch.setattr(wins_file, "MAX_COUNTS_AT_ONCE", 700)
    assert rank_by_expected_wins(found, samples=100) == at_once
    other = rank_by_expected_wins(found, samples=100, seed=1)
    assert other["means"] != at_once["means"]


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
    # build() lists the pairs of an item in the same order as pairs_of()
    pairs = pairs_of(items)
    folds = np.random.default_rng(7).permutation(len(pairs)) % 5
    names = found.systems
    points = []
    for fold in range(5):
        wins = np.zeros((5, 5), np.int64)
        for (a, b, sign, _), own_fold in zip(pairs, folds, strict=True):
            if own_fold != fold and sign:
                wins[tuple(map(names.index, won(a, b, sign)))] += 1
        scores = dict(zip(names, expected_wins(wins), strict=True))
        for (a, b, sign, _), own_fold in zip(pairs, folds, strict=True):
            if own_fold == fold and sign:
                difference = (scores[a] - scores[b]) * sign
                points.append((np.sign(difference) + 1) / 2)
    assert accuracy(found, 5, seed=7) == pytest.approx(
        np.mean(points), abs=1e-12
    )


# Published judgements; the tables themselves are recipes (test_reproduce.py)


def test_correlations_of_judges_are_those_of_scipy(gjg: Judgments) -> None:
    found = judge_correlations(gjg, "beaten")
    each = [expected_wins(gjg.of_judge(n).wins(), "beaten") for n in range(8)]
    for i, j in combinations(range(8), 2):
        for name, function in (
            ("spearman", stats.spearmanr),
            ("pearson", stats.pearsonr),
        ):
            expected = pytest.approx(function(each[i], each[j])[0], abs=1e-12)
            assert found[name][i, j] == expected


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
    of_input = {("INPUT", judge) for judge in (1, 2, 7, 8)}
    assert differing == of_input | {("UFC", 7), ("UFC", 8)}
