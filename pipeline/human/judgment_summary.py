"""All that is told of human judgements, by names: counts, human scores, head to head, agreement of the judges."""

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
    from ..config.models_published import WrittenJudgments
    from .expected_wins import Ranked
    from .judgments import Judgments
    from .trueskill import Progress


def open_judgments(path: Path, settings: WrittenJudgments) -> Judgments:
    """Read judgements; the same file is read once. Raises CorpusError, InputError."""
    try:
        found = path.stat()
        stamp = found.st_mtime_ns, found.st_size
    except (OSError, ValueError):
        stamp = 0, 0  # the reader says what is wrong
    chosen = (settings.judges, settings.without_judges, settings.without)
    return _read(path, stamp, *(tuple(names) for names in chosen))


@lru_cache(maxsize=2)
def _read(
    path: Path, _: tuple[int, int], judges: tuple[str, ...], without: tuple[str, ...], systems: tuple[str, ...]
) -> Judgments:
    return read_judgments(path, judges, without, systems)


def judged(judgments: Judgments, settings: WrittenJudgments, progress: Progress | None = None) -> dict[str, Any]:
    """Return everything as mappings by names of judges and systems; what was not asked for is None.

    pairs_digest: of all expanded pairs, in whatever order the file has them.
    """
    names, judges = judgments.systems, judgments.judges
    wins = rank_by_expected_wins(judgments, settings.divisor, settings.resamples, settings.level, settings.seed)
    skill = None
    if settings.trueskill:
        means = trueskill(judgments, settings.trueskill, settings.seed, progress=progress)
        skill = {"runs": settings.trueskill, **_ranked(ranked(means.mean(axis=0), means, settings.level), names)}
    each = [expected_wins(judgments.of_judge(n).wins(), settings.divisor) for n in range(len(judges))]
    share = None
    if settings.folds:
        share = accuracy(judgments, settings.folds, settings.seed, settings.divisor)
    return {
        "systems": list(names),
        "judges": {name: counts(judgments.of_judge(number)) for number, name in enumerate(judges)},
        "total": counts(judgments),
        "pairs_digest": pairs_digest(judgments),
        "expected_wins": {"divisor": settings.divisor, **_ranked(wins, names)},
        "trueskill": skill,
        "per_judge": {name: _named(values, names) for name, values in zip(judges, each, strict=True)},
        "judge_correlations": _correlations(judgments, settings),
        "head_to_head": _head_to_head(judgments),
        "kappa": _kappa(judgments),
        "accuracy": share,
    }


def counts(judgments: Judgments) -> dict[str, int]:
    """Return how many items there are, pairs of outputs and of systems, and ties among them."""
    found = {"items": int(judgments.items.sum())}
    for name, pairs in (("unexpanded", judgments.unexpanded), ("expanded", judgments.expanded)):
        found |= {name: len(pairs.outcome), f"{name}_ties": int((pairs.outcome == 1).sum())}
    return found


def pairs_digest(judgments: Judgments) -> str:
    """Return a digest of the expanded pairs with systems, outcome, judge and sentence by name, sorted."""
    pairs = judgments.expanded
    names = (judgments.systems, judgments.systems, ("0", "1", "2"), judgments.judges, judgments.segments)
    texts = [np.array(known)[numbers] for known, numbers in zip(names, pairs, strict=True)]
    rows = sorted(zip(*(values.tolist() for values in texts), strict=True))
    digest = hashlib.blake2b(digest_size=16)
    for row in rows:
        digest.update(("\t".join(row) + "\n").encode())
    return digest.hexdigest()


def _named(values: Floats, names: Iterable[str]) -> dict[str, float]:
    return dict(zip(names, values.tolist(), strict=True))


def _ranked(found: Ranked, names: tuple[str, ...]) -> dict[str, Any]:
    return {
        "order": [names[number] for number in found.order],
        "scores": _named(found.point, names),
        "means": _named(found.mean, names),
        "ranks": {name: list(places) for name, places in zip(names, found.ranges, strict=True)},
        "clusters": dict(zip(names, found.cluster, strict=True)),
    }


def _table(values: Floats, names: tuple[str, ...]) -> dict[str, dict[str, float]]:
    """Return a square table without its diagonal."""
    return {
        one: {two: float(values[row, column]) for column, two in enumerate(names) if row != column}
        for row, one in enumerate(names)
    }


def _correlations(judgments: Judgments, settings: WrittenJudgments) -> dict[str, Any]:
    found, judges = judge_correlations(judgments, settings.divisor), judgments.judges
    return {
        "spearman": _table(found.spearman, judges),
        "pearson": _table(found.pearson, judges),
        "others_spearman": _named(found.others_spearman, judges),
        "others_pearson": _named(found.others_pearson, judges),
        "mean_spearman": found.mean_spearman,
        "mean_pearson": found.mean_pearson,
    }


def _head_to_head(judgments: Judgments) -> dict[str, Any]:
    """Return, for each row, how often each column's system is better than the row's, p-values and their signs."""
    found, names = head_to_head(judgments.wins()), judgments.systems
    share, p = _table(found.share.T, names), _table(found.p.T, names)
    signs = {row: {column: mark(value) for column, value in cells.items()} for row, cells in p.items()}
    return {"share": share, "p": p, "sign": signs}


def _kappa(judgments: Judgments) -> dict[str, Any]:
    """Return Cohen's kappa of each two judges, None where they have too few comparisons, and the weighted means."""
    found, judges = agreement(judgments), judgments.judges
    cells: dict[str, dict[str, float | None]] = {name: {} for name in judges}
    comparisons: dict[str, dict[str, int]] = {name: {} for name in judges}
    for (one, two), kappa in found.items():
        enough = kappa.comparisons >= MIN_COMPARISONS
        cells[judges[one]][judges[two]] = kappa.kappa if enough else None
        comparisons[judges[one]][judges[two]] = kappa.comparisons
    return {
        "between": mean_kappa([kappa for (one, two), kappa in found.items() if one != two]),
        "within": mean_kappa([kappa for (one, two), kappa in found.items() if one == two]),
        "pairs": cells,
        "comparisons": comparisons,
    }
