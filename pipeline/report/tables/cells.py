"""How numbers and other parts of tables are printed, and selected by names."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal
from fnmatch import fnmatchcase
from fractions import Fraction
from typing import TYPE_CHECKING

from ...errors import InputError, known_names

if TYPE_CHECKING:
    from ...metrics.base import Metric

Table = tuple[list[str], list[list[str]]]
"""A header, and rows that have as many cells as the header."""

MAX_DIGITS = 400
"""More decimal digits than any float has."""
SMALLEST = 0.0001
"""The smallest p-value that is printed as a number."""
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
    from ...metrics import factor

    return round_half_up(factor(metric) * fraction, digits)


def shown_p(value: float) -> str:
    """Return a p-value with four decimals, or "<0.0001" for a smaller one."""
    return f"<{SMALLEST}" if value < SMALLEST else round_half_up(value, 4)


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


def shown_interval(
    bounds: tuple[float, float],
    digits: int,
    metric: str = "",
    show: Callable[[float, int, str], str] = percent,
) -> str:
    """Return an interval of scores of a metric as "low to high"; `show` formats a bound."""
    return " to ".join(show(bound, digits, metric) for bound in bounds)


def half_width(bounds: tuple[float, float], digits: int, metric: str) -> str:
    """Return half the width of an interval of scores, as it is printed after ±."""
    low, high = bounds
    return percent((high - low) / 2, digits, metric)


def output_cell(
    value: float,
    name: str,
    metric: type[Metric],
    digits: int,
) -> str:
    """Return an output as a cell: fractions in percent, other numbers as they are.

    The latter are counts, means of counts, and outputs of metrics that are no fractions.
    """
    # a number of n-grams or tokens
    if re.sub("_[0-9]+$", "", name) in metric.counts:
        is_whole = value.is_integer()
        return f"{value:.0f}" if is_whole else round_half_up(value, digits)
    if metric.in_percent:
        value *= 100
    return round_half_up(value, digits)


@dataclass(frozen=True)
class ColumnPatterns:
    """Names or patterns of columns, as `--columns` takes them.

    A pattern names a title, or else every title that it matches, or of which it matches a word.
    """

    patterns: Sequence[str]

    def numbers(self, titles: Sequence[str], first: int = 0) -> list[int]:
        """Return the numbers of the titles that the patterns name, counted from `first`."""
        chosen: set[int] = set()
        for pattern in self.patterns:
            folded = _folded(pattern)
            equal = []
            matching = []
            with_word = []
            for number, title in enumerate(titles, first):
                if _folded(title) == folded:
                    equal.append(number)
                elif fnmatchcase(_folded(title), folded):
                    matching.append(number)
                elif any(fnmatchcase(word, pattern) for word in title.split()):
                    with_word.append(number)
            chosen.update(equal or matching or with_word)
        return sorted(chosen)

    def check(self, titles: Sequence[str]) -> None:
        """Raise InputError for the first pattern that names none of the titles."""
        for pattern in self.patterns:
            if not ColumnPatterns([pattern]).numbers(titles):
                hint = known_names(pattern, titles)
                raise InputError(
                    f"--columns {pattern}: there is no such column{hint}"
                )


def _folded(title: str) -> str:
    """Return a title for comparison, in lower case unless it is one letter: P is not p."""
    return re.sub("[ _-]", "_", title.lower() if len(title) > 1 else title)
