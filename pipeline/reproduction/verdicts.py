"""Whether values are those expected: compared digit by digit as they were printed, with a verdict of each and of all.

A value is *equal* where ours, rounded as said to the decimals of the expected text, is that text; of more than twelve
digits twelve count, since sums in another order differ behind them. Decimal arithmetic on the shortest decimal form of
our numbers throughout.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_DOWN, ROUND_HALF_UP, Context, Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Verdict = Literal["exact", "rounding", "tolerance", "partly", "differs", "not published"]
VERDICTS: dict[Verdict, str] = {
    "exact": "every published digit",
    "rounding": "equal after rounding",
    "tolerance": "within the tolerance",
    "partly": "some values differ",
    "differs": "differs",
    "not published": "no published value",
}
"""From best to worst; not published stands apart: the values are of another computation."""
ORDER: tuple[Verdict, ...] = ("exact", "rounding", "tolerance", "partly", "differs")
RULES = {"half_up": ROUND_HALF_UP, "cut": ROUND_DOWN}
MOST = 12
"""Significant digits in which sums of floats agree, whatever the order they are made in."""
LARGEST = 1000
"""Decimal exponent, and digits, beyond which no text is read as a number: floats end at 308 and -324."""
EXACT = Context(prec=4000)
NONE = "-"
"""What stands for no number, in expected values as in tables."""


@dataclass(frozen=True, kw_only=True)
class Compared:
    """One value, and how it compares with the expected one."""

    place: tuple[str, ...]
    """The keys that lead to it."""
    expected: str
    found: str | None
    """A number in the scale of the expected one, a text, or None where there is no number."""
    verdict: Literal["equal", "tolerance", "differs"]
    difference: float | None = None
    """None where not both are numbers."""
    message: str = ""


def rounded(value: Decimal, digits: int, rule: str = "half_up") -> Decimal:
    """Return a number with so many decimals, rounded half up (away from zero) or cut (towards zero)."""
    return value.quantize(Decimal(1).scaleb(-digits), rounding=RULES[rule], context=EXACT)


def decimal(value: float | int, scale: str = "1") -> Decimal:
    """Return a finite number times a scale, exactly, from its shortest decimal form."""
    return EXACT.multiply(Decimal(str(value)), Decimal(scale))


def read_number(text: str) -> Decimal | None:
    """Return the number that a text is, or None; so where no float is as large, or as small."""
    try:
        found = Decimal(text.replace("_", "x"))
    except InvalidOperation:
        return None
    if not found.is_finite() or abs(found.adjusted()) > LARGEST or len(found.as_tuple().digits) > LARGEST:
        return None
    return found


def compare(
    place: tuple[str, ...], expected: str, value: object, scale: str, rule: str | None, tolerance: str | None
) -> Compared:
    """Compare a value with an expected text. value: a number, a text, None or NaN: no number."""
    if isinstance(value, float) and not math.isfinite(value):
        value = None
    wanted = read_number(expected)
    if value is None or wanted is None or isinstance(value, str):
        found = None if value is None else str(value)
        same = expected == NONE if value is None else expected == found
        return Compared(place=place, expected=expected, found=found, verdict="equal" if same else "differs")
    if isinstance(value, bool) or not isinstance(value, int | float):
        return Compared(place=place, expected=expected, found=None, verdict="differs", message="is no number")
    ours = decimal(value, scale)
    difference = EXACT.subtract(ours, wanted)
    verdict: Literal["equal", "tolerance", "differs"] = "differs"
    if _equal(ours, wanted, rule or "half_up"):
        verdict = "equal"
    elif tolerance is not None and abs(difference) <= Decimal(tolerance):
        verdict = "tolerance"
    found, apart = _shown(ours, wanted), float(difference)
    return Compared(place=place, expected=expected, found=found, verdict=verdict, difference=apart)


def _equal(ours: Decimal, wanted: Decimal, rule: str) -> bool:
    digits = -int(wanted.as_tuple().exponent)
    significant = len(wanted.as_tuple().digits)
    if significant > MOST:
        unit = Decimal(1).scaleb(wanted.adjusted() - MOST + 1)
        return abs(ours - wanted) <= unit / 2
    return rounded(ours, digits, rule) == wanted


def _shown(ours: Decimal, wanted: Decimal) -> str:
    """Return our number with two decimals more than the expected one has, without zeros at the end beyond those."""
    digits = max(-int(wanted.as_tuple().exponent), 0)
    text = f"{rounded(ours, min(digits + 2, 30)):f}"
    if "." in text:
        whole, _, rest = text.partition(".")
        kept = rest[:digits] + rest[digits:].rstrip("0")
        text = f"{whole}.{kept}" if kept else whole
    return text


def leaves(expected: Any, found: Any, place: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str, Any, str]]:
    """Yield (keys, expected text, found, message) for each expected value, through lists and mappings.

    message: why there is nothing to compare with, or an empty text.
    """
    if isinstance(expected, dict):
        known = found if isinstance(found, dict) else {}
        for key, child in expected.items():
            if key in known:
                yield from leaves(child, known[key], (*place, key))
            else:
                yield from _lacking(child, (*place, key), found)
    elif isinstance(expected, list):
        items = found if isinstance(found, list | tuple) else []
        for number, child in enumerate(expected):
            if number < len(items):
                yield from leaves(child, items[number], (*place, str(number + 1)))
            else:
                yield from _lacking(child, (*place, str(number + 1)), found)
    elif isinstance(found, dict | list | tuple):
        yield place, expected, None, "expected one value, and there are several"
    else:
        yield place, expected, found, ""


def _lacking(expected: Any, place: tuple[str, ...], found: Any) -> Iterator[tuple[tuple[str, ...], str, Any, str]]:
    there = f"; there are {', '.join(map(str, list(found)[:20]))}" if isinstance(found, dict) else ""
    children = expected.values() if isinstance(expected, dict) else expected if isinstance(expected, list) else None
    if children is None:
        yield place, expected, None, f"there is no such value{there}"
        return
    for child in children:
        yield from _lacking(child, place, found)


def places(expected: Sequence[str], scores: dict[str, float]) -> list[Compared]:
    """Compare an order of systems, the best first, with that of scores: one comparison for each place.

    Systems that are not in the expected order are left out; equal scores are in the expected order.
    """
    known = {name: number for number, name in enumerate(expected)}
    number_of = {name: math.inf if math.isnan(score) else -score for name, score in scores.items() if name in known}
    order = sorted(number_of, key=lambda name: (number_of[name], known[name]))
    made = []
    for number, name in enumerate(expected):
        found = order[number] if number < len(order) else None
        verdict: Literal["equal", "differs"] = "equal" if found == name else "differs"
        made.append(Compared(place=(str(number + 1),), expected=name, found=found, verdict=verdict))
    return made


def verdict_of(compared: Sequence[Compared], rule: str | None) -> Verdict:
    """Return the verdict of an entry: that of its worst value."""
    kinds = {one.verdict for one in compared}
    if "differs" in kinds or not kinds:
        return "differs"
    if "tolerance" in kinds:
        return "tolerance"
    return "rounding" if rule else "exact"


def whole_verdict(entries: Sequence[tuple[Verdict, bool]]) -> Verdict:
    """Return the verdict of a whole from those of its entries, with whether each is of published values.

    The worst; partly where some differ and others do not; entries that are not published count only where they differ,
    or where there are no others: then it is `not published`.
    """
    published = [verdict for verdict, is_published in entries if is_published]
    lost = [verdict for verdict, is_published in entries if not is_published and verdict == "differs"]
    if not published and not lost:
        return "not published"
    known = [*published, *lost]
    if "differs" in known and any(verdict != "differs" for verdict in published):
        return "partly"
    return max(known, key=ORDER.index)


def is_worse(verdict: Verdict, recorded: Verdict) -> bool:
    """Whether a verdict is worse than the one on record."""
    if recorded == "not published" or verdict == "not published":
        return verdict in ("differs", "partly")
    return ORDER.index(verdict) > ORDER.index(recorded)
