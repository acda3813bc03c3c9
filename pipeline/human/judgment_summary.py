"""A summary of human judgements: counts, human scores, head to head, and the agreement of the judges."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from ..scoring.resampling.paired_tests import mark
from .expected_wins import accuracy, expected_wins, head_to_head, rank_by_expected_wins, ranked
from .judge_agreement import MIN_COMPARISONS, agreement, judge_correlations, mean_kappa
from .judgments import read_judgments
from .trueskill import trueskill

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from ..arrays import Floats
    from ..config.models_published import JudgmentsConfig
    from .expected_wins import Divisor, HeadToHead, Ranked
    from .judge_agreement import JudgeCorrelations, Kappa
    from .judgments import Judgments
    from .trueskill import Progress


def open_judgments(path: Path, config: JudgmentsConfig) -> Judgments:
    """Read judgements. A file that is asked for again is not read again. Raises the errors of read_judgments."""
    try:
        status = path.stat()
        stamp = status.st_mtime_ns, status.st_size
    except (OSError, ValueError):
        stamp = 0, 0  # the reader says what is wrong
    return _read(path, stamp, tuple(config.judges), tuple(config.without_judges), tuple(config.without))


@lru_cache(maxsize=2)
def _read(
    path: Path, _: tuple[int, int], judges: tuple[str, ...], without: tuple[str, ...], systems: tuple[str, ...]
) -> Judgments:
    return read_judgments(path, judges, without, systems)


class JudgmentSummary:
    """What judgements say: human scores, head to head, and the agreement of the judges."""

    def __init__(
        self,
        judgments: Judgments,
        *,
        divisor: Divisor,
        resamples: int,
        level: float,
        seed: int,
        runs: int | None,
        folds: int | None,
        progress: Progress | None = None,
    ) -> None:
        """Compute the summary. It has TrueSkill where `runs` are given, and the accuracy of Expected Wins with `folds`.

        Raises InputError where there are more folds than pairs.
        """
        self.judgments, self.divisor, self.runs = judgments, divisor, runs
        self.expected_wins = rank_by_expected_wins(judgments, divisor, resamples, level, seed)
        means = trueskill(judgments, runs, seed, progress) if runs else None
        self.trueskill = None if means is None else ranked(means.mean(axis=0), means, level)
        self.accuracy = accuracy(judgments, folds, seed, divisor) if folds else None
        each = [judgments.of_judge(number) for number in range(len(judgments.judges))]
        self.counts = {name: counts(own) for name, own in zip(judgments.judges, each, strict=True)}
        self.of_judges = [expected_wins(own.wins(), divisor) for own in each]
        self.judge_correlations = judge_correlations(judgments, divisor)
        self.head_to_head = head_to_head(judgments.wins())
        self.kappas = agreement(judgments)
        between = [kappa for (one, two), kappa in self.kappas.items() if one != two]
        within = [kappa for (one, two), kappa in self.kappas.items() if one == two]
        self.mean_kappas = {"between": mean_kappa(between), "within": mean_kappa(within)}

    def scores(self) -> dict[str, Any]:
        """Return the human scores with their ranks, by names of systems. TrueSkill that was not asked for is None."""
        names, skill = self.judgments.systems, self.trueskill
        return {
            "expected_wins": {"divisor": self.divisor, **ranked_by_name(self.expected_wins, names)},
            "trueskill": {"runs": self.runs, **ranked_by_name(skill, names)} if skill else None,
        }

    def plain(self) -> dict[str, Any]:
        """Return everything as mappings by names of judges and systems. What was not asked for is None."""
        names, judges = self.judgments.systems, self.judgments.judges
        return {
            "systems": list(names),
            "judges": self.counts,
            "total": counts(self.judgments),
            "pairs_digest": pairs_digest(self.judgments),
            **self.scores(),
            "per_judge": {judge: _named(own, names) for judge, own in zip(judges, self.of_judges, strict=True)},
            "judge_correlations": _correlations(self.judge_correlations, judges),
            "head_to_head": _head_to_head(self.head_to_head, names),
            "kappa": {**self.mean_kappas, **_kappas(self.kappas, judges)},
            "accuracy": self.accuracy,
        }


def counts(judgments: Judgments) -> dict[str, int]:
    """Return how many items there are, pairs of outputs (unexpanded) and of systems (expanded), and ties of each."""
    numbers = {"items": int(judgments.items.sum())}
    for name, pairs in (("unexpanded", judgments.unexpanded), ("expanded", judgments.expanded)):
        numbers |= {name: len(pairs.outcome), f"{name}_ties": int((pairs.outcome == 1).sum())}
    return numbers


def pairs_digest(judgments: Judgments) -> str:
    """Return a digest of all expanded pairs, by names, that does not depend on their order in the file."""
    pairs = judgments.expanded
    names = (judgments.systems, judgments.systems, ("0", "1", "2"), judgments.judges, judgments.segments)
    columns = [np.array(texts)[numbers] for texts, numbers in zip(names, pairs, strict=True)]
    rows = sorted(zip(*(values.tolist() for values in columns), strict=True))
    digest = hashlib.blake2b(digest_size=16)
    for row in rows:
        digest.update(("\t".join(row) + "\n").encode())
    return digest.hexdigest()


def _named(values: Floats, names: Iterable[str]) -> dict[str, float]:
    return dict(zip(names, values.tolist(), strict=True))


def ranked_by_name(systems: Ranked, names: tuple[str, ...]) -> dict[str, Any]:
    """Return scores with their ranges of ranks and clusters as mappings by the names of systems."""
    return {
        "order": [names[number] for number in systems.order],
        "scores": _named(systems.point, names),
        "means": _named(systems.mean, names),
        "ranks": {name: list(ranks) for name, ranks in zip(names, systems.ranges, strict=True)},
        "clusters": dict(zip(names, systems.cluster, strict=True)),
    }


def _table(values: Floats, names: tuple[str, ...]) -> dict[str, dict[str, float]]:
    """Return a square table without its diagonal."""
    return {
        one: {two: float(values[row, column]) for column, two in enumerate(names) if row != column}
        for row, one in enumerate(names)
    }


def _correlations(correlations: JudgeCorrelations, judges: tuple[str, ...]) -> dict[str, Any]:
    return {
        "spearman": _table(correlations.spearman, judges),
        "pearson": _table(correlations.pearson, judges),
        "others_spearman": _named(correlations.others_spearman, judges),
        "others_pearson": _named(correlations.others_pearson, judges),
        "mean_spearman": correlations.mean_spearman,
        "mean_pearson": correlations.mean_pearson,
    }


def _head_to_head(matrix: HeadToHead, names: tuple[str, ...]) -> dict[str, Any]:
    """Return, for each row, how often each column's system is better than the row's, with p-values and their signs."""
    share, p = _table(matrix.share.T, names), _table(matrix.p.T, names)
    signs = {row: {column: mark(value) for column, value in cells.items()} for row, cells in p.items()}
    return {"share": share, "p": p, "sign": signs}


def _kappas(kappas: dict[tuple[int, int], Kappa], judges: tuple[str, ...]) -> dict[str, Any]:
    """Return Cohen's kappa of each two judges, or None where they have too few comparisons, and all their numbers."""
    pairs: dict[str, dict[str, float | None]] = {name: {} for name in judges}
    comparisons: dict[str, dict[str, int]] = {name: {} for name in judges}
    for (one, two), kappa in kappas.items():
        enough = kappa.comparisons >= MIN_COMPARISONS
        pairs[judges[one]][judges[two]] = kappa.kappa if enough else None
        comparisons[judges[one]][judges[two]] = kappa.comparisons
    return {"pairs": pairs, "comparisons": comparisons}
