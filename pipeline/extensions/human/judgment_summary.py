"""The statistics of human judgements: Expected Wins, rank ranges and clusters, head to head, and
how far judges agree.

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
    """Return Expected Wins of each system: float64 [..., systems].

    `wins` says how often the row's system beats the column's: int64 [..., systems, systems].
    Expected Wins are the mean over opponents of the share of wins in wins and losses (Koehn 2012;
    Bojar et al. 2013, section 3.1). Ties are left out, and an opponent that was never met adds 0.
    The divisor of the mean is the number of opponents, or the number of those that were beaten at
    least once. The program EW.pl, which computed tables 6 and 7 of Grundkiewicz et al. 2015, does
    the latter."""
    decided = wins + np.swapaxes(wins, -1, -2)
    shares: Floats = np.zeros(wins.shape)
    np.divide(wins, decided, out=shares, where=decided > 0)
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
    """Return human scores with rank ranges and clusters (Bojar et al. 2013).

    `point` are the scores from all judgements, float64 [systems], and `samples` those of bootstrap
    samples, or of runs of TrueSkill: float64 [samples, systems]. The result has `order`, the names
    from the highest mean over samples on, and by name of the system `scores` (`point`), `means`,
    `ranks` (its range) and `clusters`. At the level 0.95 the 25 best and the 25 worst of 1,000
    ranks are left out of a range."""
    means = samples.mean(axis=0).tolist()
    rank_ranges = RankRanges.of(samples, level)
    # The sort is stable: equal means keep the order of the systems.
    order = sorted(range(len(names)), key=lambda index: -means[index])
    columns = {
        "scores": point.tolist(),
        "means": means,
        "ranks": list(map(list, rank_ranges.ranges)),
        "clusters": rank_ranges.clusters(means),
    }
    result: JsonObject = {"order": [names[index] for index in order]}
    for key, column in columns.items():
        result[key] = dict(zip(names, column, strict=True))
    return result


def rank_by_expected_wins(
    judgments: Judgments,
    divisor: Divisor = "opponents",
    samples: int = 1000,
    level: float = 0.95,
    seed: int = 12345,
) -> JsonObject:
    """Return Expected Wins with rank ranges and clusters, as ranked() does, from bootstrap samples
    of the pairs of systems.

    A sample draws as many pairs as there are, with replacement: its counts of outcomes are one
    multinomial draw."""
    cells = judgments.cells()
    systems = len(judgments.systems)
    pair_count = int(cells.sum())
    shares = cells / pair_count
    sample_scores = np.empty((samples, systems))
    generator = np.random.default_rng(seed)
    # Memory limits the samples drawn at once, which does not change the draws.
    step = max(MAX_COUNTS_AT_ONCE // len(cells), 1)
    for start in range(0, samples, step):
        size = min(step, samples - start)
        sample_cells = generator.multinomial(pair_count, shares, size=size)
        wins = cells_to_wins(sample_cells, systems)
        sample_scores[start : start + size] = expected_wins(wins, divisor)
    point = expected_wins(judgments.wins(), divisor)
    return ranked(judgments.systems, point, sample_scores, level)


def _mark(p: float) -> str:
    """Return the mark of a p-value, or an empty text if it has none."""
    for upper_bound, mark in MARKS:
        if p <= upper_bound:
            return mark
    return ""


def head_to_head(names: Sequence[str], wins: Ints) -> dict[str, JsonObject]:
    """Return how often each column's system is better than the row's: tables by the names of row and
    column, without the diagonal.

    `wins`, int64 [systems, systems], is the other way round: how often the row's system is better.
    `share` has the share of wins in wins and losses, NaN without any. `p` is the p-value of the
    exact two-sided binomial test that both win equally often, 1 where neither ever won (Dixon and
    Mood 1946: the sign test), and `sign` its mark."""
    p: Floats = np.full(wins.shape, np.nan)
    for first, second in combinations(range(len(wins)), 2):
        won = int(wins[first, second])
        lost = int(wins[second, first])
        p[first, second] = sign_test(won, lost)
        p[second, first] = p[first, second]
    p_table = _table(p, names)
    marks: dict[str, JsonObject] = {}
    for row, p_values in p_table.items():
        marks[row] = {}
        for column, p_value in p_values.items():
            marks[row][column] = _mark(p_value)
    row_shares = quotient(wins, wins + wins.T)
    return {"share": _table(row_shares.T, names), "p": p_table, "sign": marks}


def accuracy(
    judgments: Judgments,
    folds: int = 100,
    seed: int = 12345,
    divisor: Divisor = "opponents",
) -> float:
    """Return the share of held-out pairs that Expected Wins predict correctly in a cross-validation;
    NaN if all pairs are ties, which are left out.

    The pairs are shuffled into folds. The scores from all other folds predict which system of a
    held-out pair is better, and equal scores count as half right. Raises InputError if there are
    fewer pairs than folds."""
    pairs = judgments.expanded
    systems = len(judgments.systems)
    pair_count = len(pairs.first)
    if not 2 <= folds <= pair_count:
        raise InputError(
            f"cross-validation: expected 2 to {pair_count:,} folds, found {folds:,}"
        )
    fold_of_pair = np.random.default_rng(seed).permutation(pair_count) % folds
    correct = 0.0
    predicted = 0
    cells = judgments.cells()
    for fold in range(folds):
        held_out = count_cells(pairs.only(fold_of_pair == fold), systems)
        training_wins = cells_to_wins(cells - held_out, systems)
        scores = expected_wins(training_wins, divisor)
        # How often the row's system really is better: int64 [systems, systems].
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
    """Return Cohen's kappa of each two judges, and of each judge with himself, by their indices in
    `judgments.judges`, the lower first.

    Judgements of the same two outputs of the same sentence are compared. For two judges each
    judgement of the first is compared with each of the second; for one judge each two of his
    judgements are compared. The agreement by chance is the sum of the squared shares of better, tie
    and worse in all judgements compared (Bojar et al. 2013, section 3.2; Grundkiewicz et al. 2015,
    table 2)."""
    judges = len(judgments.judges)
    outputs = len(judgments.outputs)
    pairs = judgments.unexpanded
    # Number the pairs of outputs that were judged, each of one sentence.
    first_outputs = pairs.segment * outputs + pairs.first
    keys = first_outputs * outputs + pairs.second
    distinct_pairs, pair_indices = np.unique(keys, return_inverse=True)
    # How often each judge gave each outcome to each: int64 [pairs, judges, 3].
    shape = (len(distinct_pairs), judges, 3)
    cells = (pair_indices * judges + pairs.judge) * 3 + pairs.outcome
    table = np.bincount(cells, minlength=math.prod(shape)).reshape(shape)
    kappas = {}
    for one, two in combinations_with_replacement(range(judges), 2):
        first = table[:, one]
        second = table[:, two]
        first_judgements = first.sum(axis=1)
        second_judgements = second.sum(axis=1)
        if one == two:
            agreeing = (first * (first - 1)).sum() // 2
            comparisons = (first_judgements * (first_judgements - 1)).sum() // 2
            compared_outcomes = first[first_judgements > 1].sum(axis=0)
        else:
            agreeing = (first * second).sum()
            comparisons = (first_judgements * second_judgements).sum()
            by_both = (first_judgements > 0) & (second_judgements > 0)
            compared_outcomes = (first + second)[by_both].sum(axis=0)
        expected = math.nan
        if compared_outcomes.sum():
            shares = compared_outcomes / compared_outcomes.sum()
            expected = float((shares**2).sum())
        kappas[one, two] = Kappa(int(agreeing), int(comparisons), expected)
    return kappas


def mean_kappa(kappas: Sequence[Kappa]) -> float:
    """Return the mean of the kappas, weighted by their numbers of comparisons; those of fewer than
    MIN_COMPARISONS, or NaN, are left out. NaN if none is left.
    """
    comparisons = 0
    weighted_sum = 0.0
    for kappa in kappas:
        if kappa.comparisons >= MIN_COMPARISONS and not math.isnan(kappa.kappa):
            comparisons += kappa.comparisons
            weighted_sum += kappa.kappa * kappa.comparisons
    return weighted_sum / comparisons if comparisons else math.nan


def judge_correlations(
    judgments: Judgments,
    divisor: Divisor = "opponents",
) -> JsonObject:
    """Return how the Expected Wins of judges correlate over the systems, with the keys of
    results.json: those below, and the same for pearson.

    `spearman` has each judge with each other, float64 [judges, judges]; `others_spearman` each
    judge with the Expected Wins from all other judges' judgements, [judges]; `mean_spearman` is the
    mean of these without NaN, weighted by the pairs of systems that each judge compared. With the
    divisor `beaten` this is table 6 of Grundkiewicz et al. 2015."""
    judges = range(len(judgments.judges))
    # int64 [judges, systems, systems]
    wins = np.stack([judgments.of_judge(judge).wins() for judge in judges])
    pair_counts = np.bincount(judgments.expanded.judge, minlength=len(judges))
    scores = expected_wins(wins, divisor)
    others_scores = expected_wins(wins.sum(axis=0) - wins, divisor)
    coefficients: JsonObject = {"spearman": spearman, "pearson": pearson}
    # Three loops, since results.json has the keys in this order.
    result: JsonObject = {}
    for name, coefficient in coefficients.items():
        result[name] = coefficient(scores[:, None], scores[None])
    for name, coefficient in coefficients.items():
        result[f"others_{name}"] = coefficient(scores, others_scores)
    for name in coefficients:
        with_others = result[f"others_{name}"]
        valid = ~np.isnan(with_others)
        weights = pair_counts[valid]
        weighted_sum = (with_others[valid] * weights).sum()
        result[f"mean_{name}"] = float(quotient(weighted_sum, weights.sum()))
    return result


def judgment_summary(
    judgments: Judgments,
    config: JudgmentsConfig,
    progress: Progress | None = None,
) -> JsonObject:
    """Return everything that `gec-pipeline human` prints, as mappings by names of judges and
    systems: human scores, head to head, and the agreement of the judges.

    `trueskill` and `accuracy`, that of Expected Wins, are None unless the config requests them.
    Raises InputError if there are more folds than pairs."""
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
    for index, judge in enumerate(judges):
        by_judge = judgments.of_judge(index)
        judge_counts[judge] = counts(by_judge)
        scores = expected_wins(by_judge.wins(), divisor)
        judge_scores[judge] = named(scores, names)
    # Arrays over judges become mappings by their names.
    correlations = judge_correlations(judgments, divisor)
    for key in ("spearman", "pearson"):
        correlations[key] = _table(correlations[key], judges)
        with_others = f"others_{key}"
        correlations[with_others] = named(correlations[with_others], judges)
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
    """Return the mean kappas `between` two judges and `within` one, and by the names of two judges
    `pairs`, their kappa (None for fewer than MIN_COMPARISONS), and `comparisons`.

    `kappas` are those of agreement(), by the indices of the judges."""
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
        is_shown = kappa.comparisons >= MIN_COMPARISONS
        first = judges[one]
        second = judges[two]
        pairs[first][second] = kappa.kappa if is_shown else None
        comparisons[first][second] = kappa.comparisons
    return {
        "between": mean_kappa(between),
        "within": mean_kappa(within),
        "pairs": pairs,
        "comparisons": comparisons,
    }


def counts(judgments: Judgments) -> dict[str, int]:
    """Return the numbers of items (rankings), of pairs of outputs (`unexpanded`) and of systems
    (`expanded`), and of the ties in each (`..._ties`).
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
    """Return a digest of all pairs of systems, with their names, outcome, judge and sentence. It
    does not depend on their order in the file.
    """
    # The names of each column of Pairs.
    names_of_columns = (
        judgments.systems,
        judgments.systems,
        ("0", "1", "2"),
        judgments.judges,
        judgments.segments,
    )
    columns = []
    for names, indices in zip(
        names_of_columns, judgments.expanded, strict=True
    ):
        columns.append(np.array(names)[indices].tolist())
    digest = hashlib.blake2b(digest_size=16)
    for row in sorted(zip(*columns, strict=True)):
        line = "\t".join(row)
        digest.update(f"{line}\n".encode())
    return digest.hexdigest()


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
