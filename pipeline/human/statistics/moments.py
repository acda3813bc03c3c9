"""Pearson's and Spearman's correlation within groups of scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from .statistic import Statistic

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from ...arrays import Floats
    from .groups import Groups
    from .statistic import Exchange

ROUNDING = 1e-14
"""A deviation from the mean that is smaller than this share of the scores is their rounding, and counts as zero."""
CANCELLED = 1e-3
"""Where the variance is a smaller share of the squares than this, sums of squares have lost digits."""


def pearson_within(human: Floats, metric: Floats, present: NDArray[np.bool_]) -> Floats:
    """Return Pearson's correlation within each group: float64 [..., groups]. It is NaN where scores are constant."""
    sizes = present.sum(axis=-1)
    first, second = (_centred(scores, present, sizes) for scores in (human, metric))
    shared = (first * second).sum(axis=-1)
    lengths = _length(first) * _length(second)
    least = ROUNDING * _length(human) * _length(metric)
    values: Floats = np.divide(shared, lengths, out=np.full(lengths.shape, np.nan), where=lengths > least)
    return values.clip(-1, 1)


def _centred(scores: Floats, present: NDArray[np.bool_], sizes: NDArray[np.int64]) -> Floats:
    means = scores.sum(axis=-1) / np.maximum(sizes, 1)
    centred: Floats = np.where(present, scores - means[..., None], 0.0)
    return centred


def _length(scores: Floats) -> Floats:
    length: Floats = np.sqrt((scores**2).sum(axis=-1))
    return length


def ranks_within(scores: Floats, present: NDArray[np.bool_]) -> Floats:
    """Return ranks from 1 within each group, float64 [..., groups, members]. Equal scores share their mean rank."""
    values = np.where(present, scores, np.inf)
    order = np.argsort(values, axis=-1, kind="stable")
    values = np.take_along_axis(values, order, -1)
    places = np.broadcast_to(np.arange(values.shape[-1]), values.shape)
    new = np.ones(values.shape, np.bool_)
    new[..., 1:] = values[..., 1:] != values[..., :-1]
    last = np.ones(values.shape, np.bool_)
    last[..., :-1] = new[..., 1:]
    begin = np.maximum.accumulate(np.where(new, places, 0), axis=-1)
    end = np.minimum.accumulate(np.where(last, places, values.shape[-1])[..., ::-1], axis=-1)[..., ::-1]
    ranks = np.empty(values.shape)
    np.put_along_axis(ranks, order, (begin + end) / 2 + 1, -1)
    return np.where(present, ranks, 0.0)


@dataclass(frozen=True, kw_only=True)
class Pearson(Statistic):
    """Pearson's product-moment correlation."""

    name: ClassVar[str] = "pearson"
    summary: ClassVar[str] = "Pearson's correlation"

    def of_groups(self, human: Floats, metric: Floats, present: NDArray[np.bool_]) -> Floats:
        """Return the correlation within each group."""
        return pearson_within(human, metric, present)

    def exchange(self, human: Floats, metrics: Floats, groups: Groups, pairs: Sequence[tuple[int, int]]) -> Exchange:
        """Return a function of draws: see Statistic.exchange.

        The sums over mixed scores are sums over what each metric gives to the mixture. So the scores of each metric are
        summed once for all pairs.
        """
        mixtures = Mixtures(human, metrics, groups)
        weights = self.group_weights(human, groups)

        def values(draws: NDArray[np.bool_]) -> Iterator[tuple[Floats, Floats]]:
            kept = mixtures.kept(draws)
            for one, two in pairs:
                first, second = (mixtures.correlations(kept, draws, *both) for both in ((one, two), (two, one)))
                yield self.averaged(first, weights), self.averaged(second, weights)

        return values


class Mixtures:
    """Correlations of scores that two metrics exchanged, from sums over the scores of each metric."""

    def __init__(self, human: Floats, metrics: Floats, groups: Groups) -> None:
        """Take scores of people, [groups, members], and of metrics, [metrics, groups, members]."""
        sizes = groups.sizes
        middle = metrics.sum(axis=(0, 2)) / (len(metrics) * sizes)
        self._human, self._groups = human, groups
        self._centred = _centred(human, groups.present, sizes)
        self._near = np.where(groups.present, metrics - middle[:, None], 0.0)
        self._columns = np.stack([self._near, self._near**2, self._near * self._centred])
        self._totals = self._columns.sum(axis=-1)[..., None]

    def kept(self, draws: NDArray[np.bool_]) -> Floats:
        """Return the sums over the scores that each metric keeps: float64 [3, metrics, groups, draws]."""
        given = np.moveaxis(self._columns.reshape(-1, *self._human.shape), 0, 1)
        sums = given @ np.ascontiguousarray(draws.transpose(1, 2, 0), np.float64)
        return np.moveaxis(sums, 1, 0).reshape(*self._columns.shape[:3], len(draws))

    def correlations(self, kept: Floats, draws: NDArray[np.bool_], own: int, other: int) -> Floats:
        """Return the correlations of metric `own` after it exchanged scores with `other`: float64 [draws, groups]."""
        sums, squares, shared = kept[:, own] + (self._totals[:, other] - kept[:, other])
        spread = squares - sums**2 / self._groups.sizes[:, None]
        length = _length(self._centred)[:, None]
        sure = (spread > CANCELLED * squares) & (length > ROUNDING * _length(self._human)[:, None])
        values = np.divide(shared, length * np.sqrt(np.abs(spread)), out=np.full(spread.shape, np.nan), where=sure)
        group, draw = np.nonzero(~sure)
        if len(group):
            mixed = np.where(draws[draw, group], self._near[own, group], self._near[other, group])
            values[group, draw] = pearson_within(self._human[group], mixed, self._groups.present[group])
        correlations: Floats = values.T.clip(-1, 1)
        return correlations


@dataclass(frozen=True, kw_only=True)
class Spearman(Statistic):
    """Spearman's rank correlation. Equal scores share the mean of their ranks."""

    name: ClassVar[str] = "spearman"
    summary: ClassVar[str] = "Spearman's correlation of ranks"

    def of_groups(self, human: Floats, metric: Floats, present: NDArray[np.bool_]) -> Floats:
        """Return the correlation of ranks within each group."""
        return pearson_within(ranks_within(human, present), ranks_within(metric, present), present)
