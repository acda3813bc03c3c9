"""How numbers are printed."""

from __future__ import annotations

import math
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction

NO_BREAK = "\u00a0"
"""A space at which no line ends."""


def round_half_up(value: float, digits: int) -> str:
    """Return a number with so many decimals, "-" for NaN. Its decimal form is rounded half up."""
    if math.isnan(value):
        return "-"
    if math.isinf(value):
        return str(value)
    exact = Context(prec=400, rounding=ROUND_HALF_UP)  # more digits than any float has
    return f"{Decimal(str(value)).quantize(Decimal(1).scaleb(-digits), context=exact):f}"


def percent(fraction: float, digits: int) -> str:
    """Return a fraction times 100, rounded half up."""
    return round_half_up(100 * fraction, digits)


def shown_level(level: float | str) -> str:
    """Return the level of intervals in percent, such as 95%."""
    return f"{float(Fraction(str(level)) * 100):g}%"


def shown_range(low: int, high: int) -> str:
    """Return "low-high", or one number where they are equal."""
    return str(low) if low == high else f"{low}-{high}"
