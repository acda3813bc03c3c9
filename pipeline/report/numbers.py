"""How numbers are printed."""

from __future__ import annotations

import math
from decimal import ROUND_HALF_UP, Decimal


def round_half_up(value: float, digits: int) -> str:
    """Return value with digits decimals, rounded half up on its decimal form; "-" for what is no number."""
    if math.isnan(value):
        return "-"
    if math.isinf(value):
        return str(value)
    return str(Decimal(str(value)).quantize(Decimal(1).scaleb(-digits), rounding=ROUND_HALF_UP))


def percent(fraction: float, digits: int) -> str:
    """Return a fraction times 100, rounded half up."""
    return round_half_up(100 * fraction, digits)
