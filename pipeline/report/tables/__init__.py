"""Tables as text: a header and rows, which each form of report draws in its own way. Begin at
`ranked.py`.

Here is how numbers are printed in all of them.
"""

import math
import re
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction

from ...metrics import factor

Table = tuple[list[str], list[list[str]]]
"""A header, and rows that have as many cells as the header."""

NO_BREAK = "\u00a0"
"""A space at which no line ends."""
MAX_DIGITS = 400
"""More decimal digits than any float has."""
_REFERENCE_ROLE = re.compile(r"^((?:.* )?reference )([0-9]+)$")


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
    return round_half_up(factor(metric) * fraction, digits)


def shown_level(level: float | str) -> str:
    """Return the level of intervals in percent, such as 95%."""
    return f"{float(Fraction(str(level)) * 100):g}%"


def shown_range(low: int, high: int) -> str:
    """Return "low-high", or one number if they are equal."""
    return str(low) if low == high else f"{low}-{high}"


def shown_role(role: str) -> str:
    """Return the name of a text in tables. References count from 1 there, from 0 in results.json."""
    match = _REFERENCE_ROLE.match(role)
    return f"{match[1]}{int(match[2]) + 1}" if match else role


def ascii_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a boxed table with centred cells, equal to those that the package gleu prints with -v
    by prettytable.

    If the blanks of a cell are odd in number, the larger half is on the right of cells of odd
    length.
    """
    all_rows = [header, *rows]
    widths = []
    for column in range(len(header)):
        widths.append(max(len(row[column]) for row in all_rows))
    rule = "+" + "+".join("-" * (width + 2) for width in widths) + "+"
    lines = []
    for row in all_rows:
        cells = [cell.center(width) for cell, width in zip(row, widths, strict=True)]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([rule, lines[0], rule, *lines[1:], rule])
