"""Our values compared with published ones, digit by digit as they were printed, with a verdict on
each and on all.

Our value is equal to the expected one where it becomes the expected text when it is rounded to that
many decimals. A value exactly between two texts is equal to both, because programs differ in how
they round it. Only twelve significant digits are compared, because sums in another order differ
behind them. All arithmetic is decimal, on the shortest decimal form of our numbers."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import (
    ROUND_DOWN,
    ROUND_HALF_UP,
    Context,
    Decimal,
    InvalidOperation,
)
from itertools import zip_longest
from typing import Any, Literal, NamedTuple

from pipeline.extensions.human.json_objects import JsonObject

Verdict = Literal[
    "exact",
    "rounding",
    "tolerance",
    "partly",
    "differs",
    "not published",
    "not run",
]
VERDICTS: dict[Verdict, str] = {
    "exact": "every published digit",
    "rounding": "equal after rounding",
    "tolerance": "within the tolerance",
    "partly": "some values differ",
    "differs": "differs",
    "not published": "no published value",
    "not run": "nobody has run it yet",
}
"""What each verdict means, from best to worst. Two are outside this order.

`not published`: no publication has the values. `not run`: a record of what nobody could run;
nothing is worse than it. """
ORDER: tuple[Verdict, ...] = (
    "exact",
    "rounding",
    "tolerance",
    "partly",
    "differs",
)
RULES = {"half_up": ROUND_HALF_UP, "cut": ROUND_DOWN}
SIGNIFICANT_DIGITS = 12
"""Digits in which sums of the same floats agree, whatever the order of the summands."""
MAX_DIGITS = 1000
"""A text with a larger decimal exponent, or more digits, is not read as a number: floats end at 308
and -324."""
EXACT = Context(prec=4000)
NONE = "-"
"""What stands in expected values, and in tables, for a number that does not exist."""


@dataclass(kw_only=True)
class Compared:
    """One of our values, and how it compares with the expected one."""

    keys: tuple[str, ...]
    """Those that lead to the value."""
    expected: str
    found: str | None = None
    """Our value: a number in the scale of the expected one, a text, or None where there is no
    number."""
    verdict: Literal["equal", "tolerance", "differs"] = "differs"
    difference: float | None = None
    """Our value less the expected one, or None where one of them is not a number."""
    message: str = ""
    """Why the two could not be compared, or an empty text."""

    def plain(self) -> JsonObject:
        """Return the comparison as a mapping for results.json, without an empty message."""
        fields = {"place": "/".join(self.keys), **vars(self)}
        del fields["keys"]
        if not self.message:
            del fields["message"]
        return fields


def rounded(value: Decimal, digits: int, rule: str = "half_up") -> Decimal:
    """Return a number with `digits` decimals, rounded half up (away from zero) or cut (towards
    zero).
    """
    return value.quantize(
        Decimal(1).scaleb(-digits),
        rounding=RULES[rule],
        context=EXACT,
    )


def decimal(value: float | int, scale: str = "1") -> Decimal:
    """Return a finite number times a scale, exactly, from its shortest decimal form."""
    return EXACT.multiply(Decimal(str(value)), Decimal(scale))


def read_number(text: str) -> Decimal | None:
    """Return the number that a text means, or None where it is not a number or no float is as large
    or as small.
    """
    try:
        number = Decimal(text.replace("_", "x"))
    except InvalidOperation:
        return None
    if not number.is_finite():
        return None
    digits = len(number.as_tuple().digits)
    return None if max(abs(number.adjusted()), digits) > MAX_DIGITS else number


class Leaf(NamedTuple):
    """An expected value inside lists and mappings, and ours."""

    keys: tuple[str, ...]
    """Those that lead to the value."""
    expected: str
    ours: Any
    """A number, a text, or None or NaN where there is no number."""
    message: str = ""
    """Why there is nothing to compare with, or an empty text."""


def compare(
    leaf: Leaf,
    scale: str,
    rule: str | None,
    tolerance: str | None,
) -> Compared:
    """Compare our value with an expected text.

    `rule` says how the publication rounded, and `tolerance` which difference is allowed.
    """
    result = Compared(
        keys=leaf.keys, expected=leaf.expected, message=leaf.message
    )
    if leaf.message:
        return result
    value = leaf.ours
    if isinstance(value, float) and not math.isfinite(value):
        value = None
    published = read_number(leaf.expected)
    if value is None or published is None or isinstance(value, str):
        result.found = None if value is None else str(value)
        if leaf.expected == (NONE if value is None else result.found):
            result.verdict = "equal"
    elif isinstance(value, bool) or not isinstance(value, int | float):
        result.message = "is no number"
    else:
        ours = decimal(value, scale)
        difference = EXACT.subtract(ours, published)
        result.found = _printed(ours, published)
        result.difference = float(difference)
        if _equal(ours, published, rule or "half_up"):
            result.verdict = "equal"
        elif tolerance is not None and abs(difference) <= Decimal(tolerance):
            result.verdict = "tolerance"
    return result


def _printed(ours: Decimal, published: Decimal) -> str:
    """Return our number with up to two decimals more than the published one has, without zeros at
    their end.
    """
    digits = max(-int(published.as_tuple().exponent), 0)
    text = f"{rounded(ours, min(digits + 2, 30)):f}"
    integer, point, decimals = text.partition(".")
    if not point:
        return text
    decimals = decimals[:digits] + decimals[digits:].rstrip("0")
    return f"{integer}.{decimals}" if decimals else integer


def _equal(ours: Decimal, published: Decimal, rule: str) -> bool:
    if len(published.as_tuple().digits) > SIGNIFICANT_DIGITS:
        unit = Decimal(1).scaleb(published.adjusted() - SIGNIFICANT_DIGITS + 1)
        return abs(ours - published) <= unit / 2
    digits = -int(published.as_tuple().exponent)
    if rule == "cut":
        return rounded(ours, digits, rule) == published
    return (
        abs(Context(prec=SIGNIFICANT_DIGITS).plus(ours) - published)
        <= Decimal(1).scaleb(-digits) / 2
    )


def leaves(
    expected: Any,
    ours: Any,
    keys: tuple[str, ...] = (),
    message: str = "",
) -> Iterator[Leaf]:
    """Yield each expected value inside lists and mappings with ours.

    `message` is that of all values here, below a key that our values do not have."""
    if not isinstance(expected, dict | list):
        if isinstance(ours, dict | list | tuple):
            ours = None
            message = "expected one value, and there are several"
        yield Leaf(keys, expected, ours, message)
        return
    same_kind = isinstance(ours, dict) == isinstance(expected, dict)
    values = children(ours) if same_kind else {}
    for key, child in children(expected).items():
        if message:
            yield from leaves(child, None, keys, message)
        elif key in values:
            yield from leaves(child, values[key], (*keys, key))
        else:
            missing = f"there is no such value{listed(ours)}"
            yield from leaves(child, None, (*keys, key), missing)


def children(content: Any) -> JsonObject:
    """Return the values of a mapping by key, the items of a list by their numbers from 1, or {}."""
    if isinstance(content, dict):
        return content
    if isinstance(content, list | tuple):
        return {str(number): item for number, item in enumerate(content, 1)}
    return {}


def listed(content: Any) -> str:
    """Return the end of a message that lists the keys of a mapping; an empty text where the content
    is not one.
    """
    if not isinstance(content, dict):
        return ""
    return f"; there are {', '.join(map(str, list(content)[:20]))}"


def compare_order(
    expected: Sequence[str], scores: dict[str, float]
) -> list[Compared]:
    """Compare an expected order of systems, the best first, with the order of their scores, rank by
    rank.

    Systems that are not in the expected order are left out. Equal scores keep the expected order.
    """
    ranks = {name: rank for rank, name in enumerate(expected)}
    costs = {}
    for name, score in scores.items():
        if name in ranks:
            costs[name] = math.inf if math.isnan(score) else -score
    ours_in_order = sorted(costs, key=lambda name: (costs[name], ranks[name]))
    compared = []
    for rank, (name, ours) in enumerate(
        zip_longest(expected, ours_in_order), 1
    ):
        result = Compared(keys=(str(rank),), expected=name, found=ours)
        if ours == name:
            result.verdict = "equal"
        compared.append(result)
    return compared


def verdict_of(compared: Sequence[Compared], rule: str | None) -> Verdict:
    """Return the verdict on an entry, which is the verdict on its worst value."""
    kinds = {value.verdict for value in compared}
    if "differs" in kinds or not kinds:
        return "differs"
    if "tolerance" in kinds:
        return "tolerance"
    return "rounding" if rule else "exact"


def whole_verdict(entries: Sequence[tuple[Verdict, bool]]) -> Verdict:
    """Return the verdict on all entries, each given as its verdict and whether its values were
    published.

    This is the worst verdict, or `partly` where some entries differ and others do not. Entries that
    were not published count only where they differ; the verdict is `not published` where there are
    no others."""
    counting = {verdict for verdict, is_published in entries if is_published}
    every = set(counting)
    if any(verdict == "differs" for verdict, _ in entries):
        every.add("differs")
    if not every:
        return "not published"
    if "differs" in every and counting - {"differs"}:
        return "partly"
    return max(every, key=ORDER.index)


def is_worse(verdict: Verdict, recorded: Verdict) -> bool:
    """Whether a verdict is worse than the one on record."""
    if recorded == "not run":
        return False
    if recorded == "not published" or verdict == "not published":
        return verdict in ("differs", "partly")
    return ORDER.index(verdict) > ORDER.index(recorded)
