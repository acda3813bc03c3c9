"""Which references count: the table of policies, by which all others find them.

A metric says which policy it has (`Metric.policy`). To add one: a class in a file of this folder, and a line here.
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
"""The policies of references, by the names that metrics give them."""
