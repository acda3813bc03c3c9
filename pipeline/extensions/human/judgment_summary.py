"""What human judgements say: Expected Wins, rank ranges and clusters, head to head, and how far
judges agree.

All this is arithmetic on counts of outcomes of pairs (`judgments.Judgments.cells`). A bootstrap
sample of the pairs is a multinomial draw of these counts."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement
from typing import Any, Literal, NamedTuple

import numpy as np

from pipeline.arrays import Floats, Ints
from pipeline.errors import InputError
from pipeline.scoring.resampling.intervals import clusters, rank_ranges
from pipeline.scoring.resampling.paired_tests import mark
from pipeline.scoring.results import ranks
from pipeline.scoring.significance_tests.sign_test import sign_test

from .correlation import pearson, quotient, spearman
from .judgments import Judgments, cells_to_wins, count_cells
from .models import JudgmentsConfig
from .trueskill import Progress, trueskill

Divisor = Literal["opponents", "beaten"]
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
    shares: Floats = np.divide(wins, met, out=np.zeros(wins.shape), where=met > 0)
    opponents = np.array(wins.shape[-1] - 1)
    if divisor == "beaten":
        opponents = (wins > 0).sum(axis=-1)
    scores: Floats = shares.sum(axis=-1) / np.maximum(opponents, 1)
    return scores


@dataclass(frozen=True)
class Ranked:
    """A human score of each system with its rank range. Systems are numbers, in the order of the
    judgements.
    """

    point: Floats
    """The scores of the judgements themselves: float64 [systems]."""
    mean: Floats
    """The mean scores of bootstrap samples, or of runs of TrueSkill, which order the systems:
    float64 [systems]."""
    ranges: list[tuple[int, int]]
    """The best and the worst rank of each system, without the extremes."""
    cluster: list[int]
    """The cluster of each system, from 1."""

    @property
    def order(self) -> list[int]:
        """The systems, the best first."""
        return sorted(
            range(len(self.mean)), key=lambda number: (-self.mean[number], number)
        )


def ranked(point: Floats, samples: Floats, level: float) -> Ranked:
    """Return scores with ranges and clusters, as Bojar et al. 2013, from float64 `samples`
    [samples, systems].

    Systems are ordered by the mean of the samples. At the level 0.95 the 25 best and the 25 worst
    of 1,000 ranks are left out of a range."""
    mean = samples.mean(axis=0)
    ranges = rank_ranges(samples, level)
    return Ranked(point, mean, ranges, clusters(ranks(mean.tolist()), ranges))


def rank_by_expected_wins(
    judgments: Judgments,
    divisor: Divisor = "opponents",
    samples: int = 1000,
    level: float = 0.95,
    seed: int = 12345,
) -> Ranked:
    """Return Expected Wins, with rank ranges and clusters from bootstrap samples of the expanded
    pairs.
    """
    cells = judgments.cells()
    systems = len(judgments.systems)
    total = int(cells.sum())
    drawn = np.empty((samples, systems))
    generator = np.random.default_rng(seed)
    rows = max(MAX_COUNTS_AT_ONCE // len(cells), 1)
    for low in range(
        0, samples, rows
    ):  # one stream of draws, whatever the number of rows
        counts = generator.multinomial(
            total, cells / total, size=min(rows, samples - low)
        )
        drawn[low : low + rows] = expected_wins(cells_to_wins(counts, systems), divisor)
    return ranked(expected_wins(judgments.wins(), divisor), drawn, level)


class HeadToHead(NamedTuple):
    """How the row's system does against the column's system: float64 [systems, systems]. The
    diagonal is NaN.
    """

    share: Floats
    """The share of wins in wins and losses; NaN without any."""
    p: Floats
    """The p-value of the exact two-sided binomial test that both win equally often; 1 where neither
    ever won."""


def head_to_head(wins: Ints) -> HeadToHead:
    """Return the matrix of shares of wins with p-values (Dixon and Mood 1946: the sign test)."""
    p = np.full(wins.shape, np.nan)
    for one, two in combinations(range(len(wins)), 2):
        p[one, two] = p[two, one] = sign_test(int(wins[one, two]), int(wins[two, one]))
    return HeadToHead(quotient(wins, wins + wins.T), p)


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
        scores = expected_wins(cells_to_wins(cells - held_out, systems), divisor)
        wins = cells_to_wins(held_out, systems)
        better = scores[:, None] > scores
        equal = scores[:, None] == scores
        correct += float((wins * better + wins * equal / 2).sum())
        predicted += int(wins.sum())
    return correct / predicted if predicted else float("nan")


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
            return float("nan")
        return (self.agreeing / self.comparisons - self.expected) / (1 - self.expected)


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
    keys = (pairs.segment * outputs + pairs.first) * outputs + pairs.second
    judged, numbers = np.unique(keys, return_inverse=True)
    cells = np.bincount(
        (numbers * judges + pairs.judge) * 3 + pairs.outcome,
        minlength=len(judged) * judges * 3,
    )
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
        expected = float("nan")
        if outcomes.sum():
            expected = float(((outcomes / outcomes.sum()) ** 2).sum())
        kappas[one, two] = Kappa(int(agreeing), int(comparisons), expected)
    return kappas


def mean_kappa(kappas: Sequence[Kappa]) -> float:
    """Return the mean, weighted by comparisons, of the kappas with MIN_COMPARISONS of them; NaN
    without any.
    """
    total = 0
    weighted: list[float] = []
    for kappa in kappas:
        if kappa.comparisons >= MIN_COMPARISONS and not np.isnan(kappa.kappa):
            total += kappa.comparisons
            weighted.append(kappa.kappa * kappa.comparisons)
    return sum(weighted) / total if total else float("nan")


def judge_correlations(
    judgments: Judgments, divisor: Divisor = "opponents"
) -> dict[str, Any]:
    """Return how the Expected Wins of judges correlate, by spearman and pearson, by their names in
    results.json.

    `spearman` has each judge with each other, float64 [judges, judges]; `others_spearman` each
    judge with the Expected Wins from all other judges' judgements, [judges]; `mean_spearman` is the
    mean of these, where each judge weighs as much as he judged expanded pairs. With the divisor
    `beaten` this is table 6 of Grundkiewicz et al. 2015."""
    judges = range(len(judgments.judges))
    wins = np.stack([judgments.of_judge(number).wins() for number in judges])
    pairs = np.bincount(judgments.expanded.judge, minlength=len(judges))
    scores = expected_wins(wins, divisor)
    others_scores = expected_wins(wins.sum(axis=0) - wins, divisor)
    kinds: dict[str, Any] = {"spearman": spearman, "pearson": pearson}
    result: dict[str, Any] = {}
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


class JudgmentSummary:
    """What judgements say: human scores, head to head, and the agreement of the judges."""

    def __init__(
        self,
        judgments: Judgments,
        config: JudgmentsConfig,
        progress: Progress | None = None,
    ) -> None:
        """Compute the summary, with TrueSkill and the accuracy of Expected Wins if the config
        requests them.

        Raises InputError if there are more folds than pairs.
        """
        self.judgments = judgments
        self.divisor = config.divisor
        self.runs = config.trueskill
        level = config.level
        seed = config.seed
        self.expected_wins = rank_by_expected_wins(
            judgments, self.divisor, config.resamples, level, seed
        )
        self.trueskill: Ranked | None = None
        if self.runs:
            means = trueskill(judgments, self.runs, seed, progress)
            self.trueskill = ranked(means.mean(axis=0), means, level)
        self.accuracy: float | None = None
        if config.folds:
            self.accuracy = accuracy(judgments, config.folds, seed, self.divisor)
        self.counts: dict[str, dict[str, int]] = {}
        """The numbers of judgements by judge."""
        self.judge_scores: dict[str, Floats] = {}
        """Expected Wins by judge: float64 [systems] each."""
        for number, judge in enumerate(judgments.judges):
            by_judge = judgments.of_judge(number)
            self.counts[judge] = counts(by_judge)
            self.judge_scores[judge] = expected_wins(by_judge.wins(), self.divisor)
        self.judge_correlations = judge_correlations(judgments, self.divisor)
        self.head_to_head = head_to_head(judgments.wins())
        self.kappas = agreement(judgments)
        between = [kappa for (one, two), kappa in self.kappas.items() if one != two]
        within = [kappa for (one, two), kappa in self.kappas.items() if one == two]
        self.mean_kappas = {
            "between": mean_kappa(between),
            "within": mean_kappa(within),
        }

    def scores(self) -> dict[str, Any]:
        """Return the human scores with their ranks, by names of systems; None for TrueSkill that
        was not requested.
        """
        names = self.judgments.systems
        skills: dict[str, Any] | None = None
        if self.trueskill:
            skills = {"runs": self.runs, **ranked_by_name(self.trueskill, names)}
        return {
            "expected_wins": {
                "divisor": self.divisor,
                **ranked_by_name(self.expected_wins, names),
            },
            "trueskill": skills,
        }

    def plain(self) -> dict[str, Any]:
        """Return everything as mappings by names of judges and systems; None for what was not
        requested.
        """
        names = self.judgments.systems
        judges = self.judgments.judges
        correlations = dict(self.judge_correlations)
        for key in ("spearman", "pearson"):
            correlations[key] = _table(correlations[key], judges)
            correlations[f"others_{key}"] = _named(
                correlations[f"others_{key}"], judges
            )
        # By rows: how often each column's system is better than the row's.
        shares = _table(self.head_to_head.share.T, names)
        p_values = _table(self.head_to_head.p.T, names)
        signs = {}
        for row, cells in p_values.items():
            signs[row] = {column: mark(value) for column, value in cells.items()}
        kappas: dict[str, dict[str, float | None]] = {name: {} for name in judges}
        comparisons: dict[str, dict[str, int]] = {name: {} for name in judges}
        for (one, two), kappa in self.kappas.items():
            enough = kappa.comparisons >= MIN_COMPARISONS
            kappas[judges[one]][judges[two]] = kappa.kappa if enough else None
            comparisons[judges[one]][judges[two]] = kappa.comparisons
        per_judge = {
            judge: _named(scores, names) for judge, scores in self.judge_scores.items()
        }
        return {
            "systems": list(names),
            "judges": self.counts,
            "total": counts(self.judgments),
            "pairs_digest": pairs_digest(self.judgments),
            **self.scores(),
            "per_judge": per_judge,
            "judge_correlations": correlations,
            "head_to_head": {"share": shares, "p": p_values, "sign": signs},
            "kappa": {**self.mean_kappas, "pairs": kappas, "comparisons": comparisons},
            "accuracy": self.accuracy,
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
    rows = sorted(zip(*columns, strict=True))
    lines = "".join("\t".join(row) + "\n" for row in rows)
    return hashlib.blake2b(lines.encode(), digest_size=16).hexdigest()


def _named(values: Floats, names: Iterable[str]) -> dict[str, float]:
    return dict(zip(names, values.tolist(), strict=True))


def ranked_by_name(systems: Ranked, names: tuple[str, ...]) -> dict[str, Any]:
    """Return scores with their rank ranges and clusters as mappings by the names of systems."""
    ranges = [list(rank_range) for rank_range in systems.ranges]
    return {
        "order": [names[number] for number in systems.order],
        "scores": _named(systems.point, names),
        "means": _named(systems.mean, names),
        "ranks": dict(zip(names, ranges, strict=True)),
        "clusters": dict(zip(names, systems.cluster, strict=True)),
    }


def _table(values: Floats, names: tuple[str, ...]) -> dict[str, dict[str, float]]:
    """Return a square table without its diagonal."""
    table: dict[str, dict[str, float]] = {}
    for row, one in enumerate(names):
        table[one] = {}
        for column, two in enumerate(names):
            if row != column:
                table[one][two] = float(values[row, column])
    return table
