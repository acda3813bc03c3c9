"""Intervals of the scores by category, from the same bootstrap samples as those of the whole scores."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ..breakdown.counts import ByCategory, beside, tiers
from ..summands import Summand, Table
from ..weighted_sums import weighted_sums
from .bootstrap import percentile_interval
from .chosen_anew import ChosenAnew, is_chosen_anew
from .sample_groups import Groups
from .sample_weights import Bootstrap

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...arrays import Floats
    from ...config.models import WrittenStatistics
    from ..board import Board
    from ..results import Breakdown
    from .sample_weights import Bytes

ROOM = 1 << 27
"""The sums of samples of some systems may take so many bytes."""

Intervals = dict[tuple[str, int, str], dict[str, tuple[float, float]]]


def with_category_intervals(board: Board, settings: WrittenStatistics) -> tuple[Breakdown, ...]:
    """Return the scores by category with intervals.

    The references of a sentence are those that were chosen for the whole set, in every sample, unless they are chosen
    anew for each.
    """
    if not board.parts or not board.breakdown:
        return board.breakdown
    intervals = _intervals(board, settings)
    return tuple(
        replace(
            part,
            categories=tuple(
                replace(item, intervals=intervals[part.system, part.tier, item.category]) for item in part.categories
            ),
        )
        for part in board.breakdown
    )


def _intervals(measured: Board, settings: WrittenStatistics) -> Intervals:
    """Return the intervals of the outputs that are fractions, by system, tier and category."""
    kind = ByCategory(measured.metric, measured.categories)
    intervals: Intervals = {}
    for system, sums in _sums(kind, measured, settings):
        for number, tier in tiers(measured.metric, measured.categories).items():
            outputs = measured.metric.score(tier.counts(kind, sums))
            for name, values in outputs.items():
                if name in measured.metric.counts:
                    continue
                low, high = (bounds.tolist() for bounds in percentile_interval(values, settings.level))
                for category, ends in zip(tier.names, zip(low, high, strict=True), strict=True):
                    intervals.setdefault((system, number, category), {})[name] = ends
    return intervals


def _sums(kind: ByCategory, measured: Board, settings: WrittenStatistics) -> Iterator[tuple[str, Floats]]:
    """Yield each system with its sums in the samples: [samples, width]. So many systems at once as there is room."""
    systems, names = beside(measured.columns, measured.parts), measured.names
    several = max(ROOM // (8 * settings.resamples * kind.schema.width), 1)
    for start in range(0, len(systems), several):
        own = systems[start : start + several]
        if settings.choice == "anew" and is_chosen_anew(measured.metric):
            of_samples = ChosenAnew(kind, own).sums
        else:
            summand = Summand(Table(kind, own, measured.lines), range(len(own)), [1.0] * len(own))
            of_samples = partial(_weighted, summand)
        weights = Bootstrap(measured.lines, settings.seed)
        sums = [of_samples(rows) for _, rows in Groups(weights, settings.resamples, measured.lines)]
        yield from zip(names[start : start + several], np.concatenate(sums).transpose(1, 0, 2), strict=True)


def _weighted(summand: Summand, weights: Bytes) -> Floats:
    """Return the sums of systems for weights [samples, lines]: [samples, systems, width]. Nothing is drawn for them."""
    sums: Floats = weighted_sums(summand, weights, 0, whole=False).weighted[0]
    return sums
