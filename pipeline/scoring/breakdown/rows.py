"""The scores of a system by category, as they stand in results.json."""

from __future__ import annotations

from ..results import REST, TIERS, Breakdown, Category

__all__ = ["REST", "TIERS", "Breakdown", "Category"]
