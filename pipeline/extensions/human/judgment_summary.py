"""What human judgements say: Expected Wins, rank ranges and clusters, head to head, and how far
judges agree.

All this is arithmetic on counts of outcomes of pairs (`judgments.Judgments.cells`). A bootstrap
sample of the pairs is a multinomial draw of these counts."""

import hashlib
import math
from collections.abc import Mapping, Sequence
from itertools import combinations, combinations_with_replacement
from typing import Literal, NamedTuple

import numpy as np

from pipeline.arrays import Floats, Ints
from pipeline.errors import InputError
from pipeline.scoring import RankRanges, sign_test

from .correlation import pearson, quotient, spearman
from .json_objects import JsonObject
from .judgments import Judgments, cells_to_wins, count_cells
from .models import JudgmentsConfig
from .trueskill import Progress, trueskill

Divisor = Literal["opponents", "beaten"]
MARKS = ((0.01, "#"), (0.05, "+"), (0.10, "*"))
"""Marks for p-values, each with its upper bound, as in the findings of WMT and in Grundkiewicz et
al. 2015."""
MAX_COUNTS_AT_ONCE = 1 << 24
"""Counts of bootstrap samples that are in memory at once."""


def expected_wins(wins: Ints, divisor: Divisor = "opponents") -> Floats:
    """Return Expected Wins of each system: float64 [..., systems], from wins [..., systems,
    systems].

    Expected Wins are the mean over opponents of the share of wins in wins and losses (Koehn 2012;
    Bojar et al. 2013, section 3.1). Ties are left out, and an opponent that was never met adds 0.
    The divisor of the mean is the number of opponents, or the number of those that were beaten at
    least once. The program EW.pl, which computed tables 6 and 7 of Grundkiewicz et al. 2015, does
    the latter."""
    met = wins + np.swapaxes(wins, -1, -2)
    shares: Floats = np.zeros(wins.shape)
    np.divide(wins, met, out=shares, where=met > 0)
    opponents = np.array(wins.shape[-1] - 1)
    if divisor == "beaten":
        opponents = (wins > 0).sum(axis=-1)
    sums = shares.sum(axis=-1)
    scores: Floats = sums / np.maximum(opponents, 1)
    return scores


def ranked(
    names: Sequence[str],
    point: Floats,
    samples: Floats,
    level: float,
) -> JsonObject:
    """Return human scores with rank ranges and clusters, as Bojar et al. 2013, by the names of the
    systems.

    `point` are the scores of the judgements themselves, float64 [systems], and `samples` those of
    bootstrap samples, or of runs of TrueSkill: float64 [samples, systems]. Their means order the
    systems. At the level 0.95 the 25 best and the 25 worst of 1,000 ranks are left out of a
    range."""
    means = samples.mean(axis=0).tolist()
    rank_ranges = RankRanges.of(samples, level)
    # The sort is stable: equal means keep the order of the systems.
    numbers = range(len(names))
    order = sorted(numbers, key=lambda number: -means[number])
    columns = {
        "scores": point.tolist(),
        "means": means,
        "ranks": list(map(list, rank_ranges.ranges)),
        "clusters": rank_ranges.clusters(means),
    }
    result: JsonObject = {"order": [names[number] for number in order]}
    for key, values in columns.items():
        result[key] = dict(zip(names, values, strict=True))
    return result


def rank_by_expected_wins(
    judgments: Judgments,
    divisor: Divisor = "opponents",
    samples: int = 1000,
    level: float = 0.95,
    seed: int = 12345,
) -> JsonObject:
    """Return Expected Wins, with rank ranges and clusters from bootstrap samples of the expanded
    pairs.
    """
    cells = judgments.cells()
    systems = len(judgments.systems)
    total = int(cells.sum())
    drawn = np.empty((samples, systems))
    generator = np.random.default_rng(seed)
    rows = max(MAX_COUNTS_AT_ONCE // len(cells), 1)
    shares = cells / total
    # one stream of draws, whatever `rows` is
    for low in range(0, samples, rows):
        size = min(rows, samples - low)
        counts = generator.multinomial(total, shares, size=size)
        wins = cells_to_wins(counts, systems)
        drawn[low : low + size] = expected_wins(wins, divisor)
    point = expected_wins(judgments.wins(), divisor)
    return ranked(judgments.systems, point, drawn, level)


def _mark(p: float) -> str:
    """Return the mark of a p-value, or an empty text if it has none."""
    for upper_bound, mark in MARKS:
        if p <= upper_bound:
            return mark
    return ""


def head_to_head(names: Sequence[str], wins: Ints) -> dict[str, JsonObject]:
    """Return how often each column's system is better than the row's: tables by the names of rows
    and columns, without the diagonal.

    `share` has the share of wins in wins and losses, NaN without any. `p` is the p-value of the
    exact two-sided binomial test that both win equally often, 1 where neither ever won (Dixon and
    Mood 1946: the sign test), and `sign` its mark."""
    p: Floats = np.full(wins.shape, np.nan)
    for one, two in combinations(range(len(wins)), 2):
        won = int(wins[one, two])
        lost = int(wins[two, one])
        p[one, two] = sign_test(won, lost)
        p[two, one] = p[one, two]
    p_values = _table(p, names)
    signs: dict[str, JsonObject] = {}
    for row, cells in p_values.items():
        signs[row] = {}
        for column, value in cells.items():
            signs[row][column] = _mark(value)
    shares = quotient(wins, wins + wins.T)
    return {"share": _table(shares.T, names), "p": p_values, "sign": signs}


def accuracy(
    judgments: Judgments,
    folds: int = 100,
    seed: int = 12345,
    divisor: Divisor = "opponents",
) -> float:
    """Return the accuracy of Expected Wins by cross-validation: a share of the pairs that are not
    ties.

    The pairs are shuffled into folds. The scores from all other folds predict which system of a
    held-out pair is better, and equal scores count as half right. Raises InputError where there are
    fewer pairs than folds."""
    pairs = judgments.expanded
    systems = len(judgments.systems)
    total = len(pairs.first)
    if not 2 <= folds <= total:
        raise InputError(
            f"cross-validation: expected 2 to {total:,} folds, found {folds:,}"
        )
    fold = np.random.default_rng(seed).permutation(total) % folds
    correct = 0.0
    predicted = 0
    cells = judgments.cells()
    for number in range(folds):
        held_out = count_cells(pairs.only(fold == number), systems)
        other_wins = cells_to_wins(cells - held_out, systems)
        scores = expected_wins(other_wins, divisor)
        wins = cells_to_wins(held_out, systems)
        better = scores[:, None] > scores
        equal = scores[:, None] == scores
        correct += float((wins * better + wins * equal / 2).sum())
        predicted += int(wins.sum())
    return correct / predicted if predicted else math.nan


MIN_COMPARISONS = 50
"""A kappa of fewer comparisons is shown with a star and left out of the mean (Grundkiewicz et al.
2015)."""


class Kappa(NamedTuple):
    """Cohen's kappa of two judges, or of one judge with himself."""

    agreeing: int
    """How many comparisons of two judgements of the same pair have the same outcome."""
    comparisons: int
    expected: float
    """The share that would agree by chance."""

    @property
    def kappa(self) -> float:
        """Agreement above chance, as a share of what is possible; NaN without comparisons, or with
        only one outcome.
        """
        if not self.comparisons or self.expected >= 1:
            return math.nan
        agreement = self.agreeing / self.comparisons
        return (agreement - self.expected) / (1 - self.expected)


def agreement(judgments: Judgments) -> dict[tuple[int, int], Kappa]:
    """Return Cohen's kappa of each two judges, and of each judge with himself, by their numbers
    (the lower first).

    Judgements of the same two outputs of the same sentence are compared, by unexpanded pairs. For
    two judges each judgement of the first is compared with each of the second; for one judge each
    two of his judgements are compared. The agreement by chance is the sum of the squared shares of
    better, tie and worse in all judgements compared (Bojar et al. 2013, section 3.2; Grundkiewicz
    et al. 2015, table 2)."""
    judges = len(judgments.judges)
    outputs = len(judgments.outputs)
    pairs = judgments.unexpanded
    # How often each judge gave each outcome to each pair of outputs: int64 [pairs, judges, 3].
    first_outputs = pairs.segment * outputs + pairs.first
    keys = first_outputs * outputs + pairs.second
    judged, numbers = np.unique(keys, return_inverse=True)
    indices = (numbers * judges + pairs.judge) * 3 + pairs.outcome
    cells = np.bincount(indices, minlength=len(judged) * judges * 3)
    table = cells.reshape(len(judged), judges, 3)
    kappas = {}
    for one, two in combinations_with_replacement(range(judges), 2):
        first = table[:, one]
        second = table[:, two]
        first_judgements = first.sum(axis=1)
        second_judgements = second.sum(axis=1)
        if one == two:
            agreeing = (first * (first - 1)).sum() // 2
            comparisons = (first_judgements * (first_judgements - 1)).sum() // 2
            outcomes = first[first_judgements > 1].sum(axis=0)
        else:
            agreeing = (first * second).sum()
            comparisons = (first_judgements * second_judgements).sum()
            by_both = (first_judgements > 0) & (second_judgements > 0)
            outcomes = (first + second)[by_both].sum(axis=0)
        expected = math.nan
        if outcomes.sum():
            shares = outcomes / outcomes.sum()
            expected = float((shares**2).sum())
        kappas[one, two] = Kappa(int(agreeing), int(comparisons), expected)
    return kappas


def mean_kappa(kappas: Sequence[Kappa]) -> float:
    """Return the mean, weighted by comparisons, of the kappas with MIN_COMPARISONS of them; NaN
    without any.
    """
    total = 0
    weighted = 0.0
    for kappa in kappas:
        if kappa.comparisons >= MIN_COMPARISONS and not math.isnan(kappa.kappa):
            total += kappa.comparisons
            weighted += kappa.kappa * kappa.comparisons
    return weighted / total if total else math.nan


def judge_correlations(
    judgments: Judgments,
    divisor: Divisor = "opponents",
) -> JsonObject:
    """Return how the Expected Wins of judges correlate, by spearman and pearson, by their names in
    results.json.

    `spearman` has each judge with each other, float64 [judges, judges]; `others_spearman` each
    judge with the Expected Wins from all other judges' judgements, [judges]; `mean_spearman` is the
    mean of these, where each judge weighs as much as he judged expanded pairs. With the divisor
    `beaten` this is table 6 of Grundkiewicz et al. 2015."""
    judges = range(len(judgments.judges))
    tables = [judgments.of_judge(number).wins() for number in judges]
    wins = np.stack(tables)
    pairs = np.bincount(judgments.expanded.judge, minlength=len(judges))
    scores = expected_wins(wins, divisor)
    others_scores = expected_wins(wins.sum(axis=0) - wins, divisor)
    kinds: JsonObject = {"spearman": spearman, "pearson": pearson}
    result: JsonObject = {}
    for name, coefficient in kinds.items():
        result[name] = coefficient(scores[:, None], scores[None])
    for name, coefficient in kinds.items():
        result[f"others_{name}"] = coefficient(scores, others_scores)
    for name in kinds:
        values = result[f"others_{name}"]
        valid = ~np.isnan(values)
        weighted = (values[valid] * pairs[valid]).sum()
        result[f"mean_{name}"] = float(quotient(weighted, pairs[valid].sum()))
    return result


def judgment_summary(
    judgments: Judgments,
    config: JudgmentsConfig,
    progress: Progress | None = None,
) -> JsonObject:
    """Return what judgements say, as mappings by names of judges and systems: human scores, head to
    head, and the agreement of the judges.

    TrueSkill and the accuracy of Expected Wins are None unless the config requests them. Raises
    InputError if there are more folds than pairs."""
    names = judgments.systems
    judges = judgments.judges
    divisor = config.divisor
    seed = config.seed
    by_wins = rank_by_expected_wins(
        judgments,
        divisor,
        config.resamples,
        config.level,
        seed,
    )
    by_trueskill: JsonObject | None = None
    if config.trueskill:
        means = trueskill(judgments, config.trueskill, seed, progress)
        by_means = ranked(names, means.mean(axis=0), means, config.level)
        by_trueskill = {"runs": config.trueskill, **by_means}
    cross_validated = None
    if config.folds:
        cross_validated = accuracy(judgments, config.folds, seed, divisor)
    judge_counts = {}
    judge_scores = {}
    for number, judge in enumerate(judges):
        by_judge = judgments.of_judge(number)
        judge_counts[judge] = counts(by_judge)
        scores = expected_wins(by_judge.wins(), divisor)
        judge_scores[judge] = named(scores, names)
    correlations = judge_correlations(judgments, divisor)
    for key in ("spearman", "pearson"):
        correlations[key] = _table(correlations[key], judges)
        of_others = f"others_{key}"
        correlations[of_others] = named(correlations[of_others], judges)
    return {
        "systems": list(names),
        "judges": judge_counts,
        "total": counts(judgments),
        "pairs_digest": pairs_digest(judgments),
        "expected_wins": {"divisor": divisor, **by_wins},
        "trueskill": by_trueskill,
        "per_judge": judge_scores,
        "judge_correlations": correlations,
        "head_to_head": head_to_head(names, judgments.wins()),
        "kappa": kappa_summary(judges, agreement(judgments)),
        "accuracy": cross_validated,
    }


def kappa_summary(
    judges: Sequence[str],
    kappas: Mapping[tuple[int, int], Kappa],
) -> JsonObject:
    """Return the mean kappas, and the kappa and comparisons of each two judges by their names; the
    kappa is None for fewer than MIN_COMPARISONS.
    """
    pairs: dict[str, JsonObject] = {}
    comparisons: dict[str, JsonObject] = {}
    for name in judges:
        pairs[name] = {}
        comparisons[name] = {}
    between: list[Kappa] = []
    within: list[Kappa] = []
    for (one, two), kappa in kappas.items():
        if one == two:
            within.append(kappa)
        else:
            between.append(kappa)
        enough = kappa.comparisons >= MIN_COMPARISONS
        first = judges[one]
        second = judges[two]
        pairs[first][second] = kappa.kappa if enough else None
        comparisons[first][second] = kappa.comparisons
    return {
        "between": mean_kappa(between),
        "within": mean_kappa(within),
        "pairs": pairs,
        "comparisons": comparisons,
    }


def counts(judgments: Judgments) -> dict[str, int]:
    """Return how many items there are, pairs of outputs (unexpanded) and of systems (expanded), and
    ties of each.
    """
    numbers = {"items": int(judgments.items.sum())}
    for name, pairs in (
        ("unexpanded", judgments.unexpanded),
        ("expanded", judgments.expanded),
    ):
        numbers[name] = len(pairs.outcome)
        numbers[f"{name}_ties"] = int((pairs.outcome == 1).sum())
    return numbers


def pairs_digest(judgments: Judgments) -> str:
    """Return a digest of all expanded pairs, by names, that does not depend on their order in the
    file.
    """
    pairs = judgments.expanded
    names = (
        judgments.systems,
        judgments.systems,
        ("0", "1", "2"),
        judgments.judges,
        judgments.segments,
    )
    columns = []
    for texts, numbers in zip(names, pairs, strict=True):
        columns.append(np.array(texts)[numbers].tolist())
    hashed = hashlib.blake2b(digest_size=16)
    for row in sorted(zip(*columns, strict=True)):
        line = "\t".join(row)
        hashed.update(f"{line}\n".encode())
    return hashed.hexdigest()


def named(values: Floats, names: Sequence[str]) -> dict[str, float]:
    """Return values by the names of systems or judges."""
    return dict(zip(names, values.tolist(), strict=True))


def _table(values: Floats, names: Sequence[str]) -> dict[str, dict[str, float]]:
    """Return a square table without its diagonal."""
    table: dict[str, dict[str, float]] = {}
    for name, row in zip(names, values, strict=True):
        table[name] = named(row, names)
        del table[name][name]
    return table
