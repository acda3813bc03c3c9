"""The policies of references, which say which references count for a score.

A metric names its policy in `Metric.policy`. A new policy is a class in this folder, and a line in the table below.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .chosen import Best, Each, Mean, Weighted
from .drawn import Expected, LeftOut, Sampled

if TYPE_CHECKING:
    from .base import Policy

POLICIES: dict[str, Policy] = {
    "sample": Sampled(),
    "expected": Expected(),
    "max": Best(),
    "merged": Best(),
    "mean": Mean(),
    "each": Each(),
    "weighted": Weighted(),
    "leave_one_out": LeftOut(),
}
"""The policies of references, by their names in `Metric.policy`."""
