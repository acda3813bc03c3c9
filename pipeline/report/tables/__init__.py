"""Tables as text: a header and rows, which each form of report draws in its own way. Begin at
`ranked.py`.

Here is how numbers are printed in all of them.
"""

import math
import re
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction

from ...metrics.names import factor

Table = tuple[list[str], list[list[str]]]
"""A header, and rows that have as many cells as the header."""

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


def percent(fraction: float, digits: int, metric: str = "") -> str:
    """Return a fraction times 100, rounded half up; a score of a metric (by its signature) that is
    none as it is.
    """
    return round_half_up(factor(metric) * fraction, digits)


def shown_level(level: float | str) -> str:
    """Return the level of intervals in percent, such as 95%."""
    return f"{float(Fraction(str(level)) * 100):g}%"


def shown_range(low: int, high: int) -> str:
    """Return "low-high", or one number where they are equal."""
    return str(low) if low == high else f"{low}-{high}"


def shown_role(role: str) -> str:
    """Return what tables call a text by its role in results.json: there references count from 0,
    for people from 1.
    """
    return re.sub(
        r"^((?:.* )?reference )([0-9]+)$", lambda found: f"{found[1]}{int(found[2]) + 1}", role
    )


def ascii_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a boxed table with centred cells, equal to those that the package gleu prints with -v
    by prettytable.

    If the blanks of a cell are odd in number, the larger half is on the right of cells of odd
    length."""
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    rule = "+" + "+".join("-" * (width + 2) for width in widths) + "+"
    centred = (
        [cell.center(width) for cell, width in zip(row, widths, strict=True)]
        for row in [header, *rows]
    )
    lines = [f"| {' | '.join(cells)} |" for cells in centred]
    return "\n".join([rule, lines[0], rule, *lines[1:], rule])
