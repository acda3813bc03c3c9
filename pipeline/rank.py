"""Scores to ranks."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def ranks(scores: Sequence[float]) -> list[int]:
    """Return the rank of each score: 1 for the highest; equal scores share a rank, the next are skipped (1 2 2 4).

    Scores that are not numbers come last.
    """
    keys = [-math.inf if math.isnan(score) else score for score in scores]
    return [1 + sum(other > key for other in keys) for key in keys]
