"""TrueSkill of systems from sentence scores of a metric, as gec-metrics aggregates them.

For each sentence in order, each two systems in order play a match, which the higher sentence score wins. Equal scores
are a draw. The default backend of the package trueskill, which gec-metrics uses, has an error function of seven digits,
so that its skills differ from these by about 1e-8.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..trueskill import SIGMA, draw_margin, rated

if TYPE_CHECKING:
    from ...arrays import Floats

BETA = 0.25
"""The standard deviation of a performance."""
EQUAL = 1e-12
"""Scores count as equal where they differ by at most this share of the larger."""


def skills(scores: Floats) -> Floats:
    """Return the skill of each system by each metric: float64 [metrics, systems].

    Sentence scores are float64 [metrics, systems, lines]. Matches whose systems are all different do not depend on each
    other, and are computed together: those of the systems i and j with the same sum i + j.
    """
    metrics, systems, lines = scores.shape
    mean, variance = np.zeros((metrics, systems)), np.full((metrics, systems), SIGMA**2)
    margin = draw_margin(BETA)
    for line in range(lines):
        own = scores[:, :, line]
        for total in range(1, 2 * systems - 2):
            first = np.arange(max(0, total - systems + 1), (total + 1) // 2)
            second = total - first
            one, two = own[:, first], own[:, second]
            drawn = np.abs(one - two) <= EQUAL * np.maximum(np.abs(one), np.abs(two))
            lost = (one < two) & ~drawn
            winner, loser = np.where(lost, second, first), np.where(lost, first, second)
            rows = np.arange(metrics)[:, None]
            before = mean[rows, winner], mean[rows, loser], variance[rows, winner], variance[rows, loser]
            after = rated(*before, drawn, BETA, margin)
            mean[rows, winner], mean[rows, loser], variance[rows, winner], variance[rows, loser] = after
    return mean
