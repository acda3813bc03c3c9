"""The numbers of a page's sentences, and the short texts that they are written as."""

import numpy as np

from pipeline.arrays import Floats
from pipeline.report.tables import round_half_up

FIRST_LETTER = 93
"""The letter of 0, which needs no escape in JSON."""
MISSING_LETTER = "["
"""The letter of NaN, which is before that of 0."""
MAX_LETTER_NUMBER = 0xD7FF - FIRST_LETTER
"""The highest number that is a letter."""


def scaled(values: Floats, digits: int) -> Floats:
    """Return fractions of any shape as whole numbers of 10**-digits percent, such as 1234 for 0.1234
    with two digits, rounded half up like percent(); NaN if not finite.
    """
    with np.errstate(invalid="ignore", over="ignore"):
        exact = values * 10.0 ** (digits + 2)
        rounded = np.floor(exact + 0.5)
        distance = np.abs(exact - np.floor(exact) - 0.5)
        tolerance = 1e-3 + 1e-15 * np.abs(exact)
        near_half = distance < tolerance
    # Near a half the decimal form decides, since the product is not exact.
    for index in zip(*np.nonzero(near_half), strict=True):
        text = round_half_up(100 * float(values[index]), digits)
        rounded[index] = float(text.replace(".", ""))
    return np.where(np.isfinite(rounded), rounded, np.nan)


def plain_numbers(rows: Floats) -> list[float | None]:
    """Return all numbers in one list, whole numbers as int and NaN as None."""
    numbers: list[float | None] = []
    for value in rows.ravel().tolist():
        if value != value:  # noqa: PLR0124 (NaN)
            numbers.append(None)
        elif value.is_integer():
            numbers.append(int(value))
        else:
            numbers.append(value)
    return numbers


def lettered(rows: Floats) -> str | list[float | None]:
    """Return the numbers of an array as a text with a letter for each, a fifth as long as JSON's
    list; as a list if some have no letter.

    The letter of a number is that many code points after that of 0. Whole numbers from 0 to
    MAX_LETTER_NUMBER have one, and so has NaN."""
    missing_code = ord(MISSING_LETTER) - FIRST_LETTER
    codes = np.where(np.isnan(rows), missing_code, rows).ravel()
    has_fractions = (codes != np.floor(codes)).any()
    has_negatives = (rows < 0).any()
    is_too_large = codes.max(initial=0) > MAX_LETTER_NUMBER
    if has_fractions or has_negatives or is_too_large:
        return plain_numbers(rows)
    letters = (codes + FIRST_LETTER).astype("<u2")
    return letters.tobytes().decode("utf-16-le")
