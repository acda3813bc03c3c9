"""Tables as text: a header and rows, which each form of report draws in its own way. Begin at
`ranked.py`.

Here is how numbers are printed in all of them.
"""

import math
import re
from collections.abc import Collection, Sequence
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction

Table = tuple[list[str], list[list[str]]]
"""A header, and rows that have as many cells as the header."""

NO_BREAK = "\u00a0"
"""A space at which no line ends."""
MAX_DIGITS = 400
"""More decimal digits than any float has."""
_REFERENCE_ROLE = re.compile(r"^((?:.* )?reference )([0-9]+)$")


def columns_of(
    table: tuple[Sequence[str], Sequence[Sequence[str]]], numbers: Sequence[int]
) -> Table:
    """Return these columns of a table, in this order."""
    header, rows = table
    selected = []
    for row in rows:
        selected.append([row[number] for number in numbers])
    return [header[number] for number in numbers], selected


def padded(
    row: Sequence[str], widths: Sequence[int], left: Collection[int]
) -> list[str]:
    """Return cells filled up with blanks; those of the columns `left` begin at the left."""
    cells = []
    for number, (cell, width) in enumerate(zip(row, widths, strict=True)):
        cells.append(cell.ljust(width) if number in left else cell.rjust(width))
    return cells


def round_half_up(value: float, digits: int) -> str:
    """Return a number with so many decimals, "-" for NaN. Its decimal form is rounded half up."""
    if math.isnan(value):
        return "-"
    if math.isinf(value):
        return str(value)
    exact = Context(prec=MAX_DIGITS, rounding=ROUND_HALF_UP)
    unit = Decimal(1).scaleb(-digits)
    return f"{Decimal(str(value)).quantize(unit, context=exact):f}"


def percent(fraction: float, digits: int, metric: str = "") -> str:
    """Return a fraction times 100, rounded half up; a score of a metric (by its signature) that is
    no fraction as it is.
    """
    # here: tables that have no scores need no metric
    from ...metrics import (
        factor,
    )

    return round_half_up(factor(metric) * fraction, digits)


def shown_level(level: float | str | Fraction) -> str:
    """Return the level of intervals in percent, such as 95%."""
    return f"{float(Fraction(str(level)) * 100):g}%"


def shown_range(low: int, high: int) -> str:
    """Return "low-high", or one number if they are equal."""
    return str(low) if low == high else f"{low}-{high}"


def shown_role(role: str) -> str:
    """Return the name of a text in tables. References count from 1 there, from 0 in results.json."""
    match = _REFERENCE_ROLE.match(role)
    return f"{match[1]}{int(match[2]) + 1}" if match else role
