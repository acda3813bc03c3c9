"""Statistics of how scores correlate: Pearson's, Spearman's, and soft pairwise accuracy."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ...errors import InputError
from ...metrics.base.option import option
from ..correlation import pearson
from .statistic import Groups, Statistic

if TYPE_CHECKING:
    from types import ModuleType

    from numpy.typing import NDArray

    from ...arrays import Floats, Ints

ROUNDING = 1e-12
"""Sums of scores that differ by less than this share of the scores are equal."""


def scipy_stats(what: str) -> ModuleType:
    """Return scipy.stats. Raises InputError, which begins with `what`, where scipy is missing."""
    try:
        from scipy import stats  # here, because it takes longer to import than most commands run
    except ImportError:
        raise InputError(f"{what}: needs the package scipy: pip install 'gec-pipeline[human]'") from None
    module: ModuleType = stats
    return module


@dataclass(frozen=True, kw_only=True)
class Pearson(Statistic):
    """Pearson's product-moment correlation."""

    name: ClassVar[str] = "pearson"
    summary: ClassVar[str] = "Pearson's correlation"

    def of_groups(self, human: Floats, metric: Floats, present: NDArray[np.bool_]) -> Floats:
        """Return the correlation within each group."""
        return pearson(human, metric, present)


@dataclass(frozen=True, kw_only=True)
class Spearman(Statistic):
    """Spearman's rank correlation. Equal scores share the mean of their ranks."""

    name: ClassVar[str] = "spearman"
    summary: ClassVar[str] = "Spearman's correlation of ranks"

    def of_groups(self, human: Floats, metric: Floats, present: NDArray[np.bool_]) -> Floats:
        """Return the correlation of ranks within each group. A score that is lacking ranks behind all others."""
        ranked = scipy_stats(self.name).rankdata
        ranks = (ranked(np.where(present, scores, np.inf), axis=-1) for scores in (human, metric))
        first, second = (np.where(present, own, 0.0) for own in ranks)
        return pearson(first, second, present)


@lru_cache(2)
def _signs(permutations: int, lines: int, seed: int) -> Floats:
    """Return what each permutation multiplies the score of a sentence with, 1 or -1: float64 [lines, permutations].

    The draws are those of mt-metrics-eval.
    """
    drawn = np.random.default_rng(seed).random((permutations, lines), dtype=np.float32)
    return np.where(drawn > 0.5, 1.0, -1.0).T


def p_values(scores: Floats, permutations: int, seed: int) -> Floats:
    """Return for each two systems how sure it is that the first is better: float64 [..., pairs].

    It is the p-value of a paired permutation test on sentence scores, float64 [..., systems, lines]: the share of
    permutations whose sum of differences is at least the one observed.
    """
    first, second = np.triu_indices(scores.shape[-2], 1)
    mixed = scores @ _signs(permutations, scores.shape[-1], seed)
    sums, sizes = scores.sum(axis=-1), ROUNDING * np.abs(scores).sum(axis=-1)
    observed = sums[..., first] - sums[..., second] - (sizes[..., first] + sizes[..., second])
    shares: Floats = np.empty(observed.shape)
    for number, (one, two) in enumerate(zip(first, second, strict=True)):
        reached = mixed[..., one, :] - mixed[..., two, :] >= observed[..., number, None]
        shares[..., number] = reached.mean(axis=-1)
    return shares


@dataclass(frozen=True, kw_only=True)
class SoftAccuracy(Statistic):
    """Whether metric and people are equally sure of which of two systems is better (Thompson et al. 2024).

    The value is 1 less the mean difference of the p-values of people and metric over pairs of systems.
    """

    name: ClassVar[str] = "soft_accuracy"
    summary: ClassVar[str] = "compares p-values of pairs of systems (SPA)"

    level: str = option("sentence", choices=("sentence",), implicit=True, help="scores of sentences are needed")
    average: str = option("none", choices=("none",), implicit=True, help="there is nothing to average")
    permutations: int = option(1000, minimum=1, maximum=1_000_000, help="permutations of each p-value")
    seed: int = option(4, maximum=2**32 - 1, help="the seed of the permutations")

    def groups(self, present: NDArray[np.bool_]) -> Groups:
        """Return the systems as groups, with the sentences for which all systems have scores."""
        cells = np.arange(present.size).reshape(present.shape)[:, present.all(axis=0)]
        if len(cells) < 2 or not cells.shape[1]:
            cells = cells[:0]
        return Groups(cells, np.ones(cells.shape, np.bool_))

    def group_weights(self, human: Floats, groups: Groups) -> Ints:  # noqa: ARG002
        """Return that there is one value."""
        return np.ones(1, np.int64)

    def of_groups(self, human: Floats, metric: Floats, present: NDArray[np.bool_]) -> Floats:  # noqa: ARG002
        """Return the statistic of scores, float64 [systems, lines] and [..., systems, lines]: float64 [..., 1]."""
        people = p_values(human, self.permutations, self.seed)
        rows = metric.reshape(-1, *metric.shape[-2:])
        differences = [np.abs(p_values(scores, self.permutations, self.seed) - people).mean() for scores in rows]
        return 1 - np.array(differences).reshape(*metric.shape[:-2], 1)
