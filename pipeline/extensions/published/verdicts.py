"""Our values compared with published ones, digit by digit as they were printed, with a verdict on
each and on all.

Our value is equal to the expected one if rounding to as many decimals gives the expected text. A
value exactly between two texts is equal to both, because programs differ in how they round it. Only
twelve significant digits are compared, because sums in another order differ behind them. All
arithmetic is decimal, on the shortest decimal form of our numbers."""

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
    """Return the number that a text means, or None if it is not a number, is not finite, or has too
    many digits or a too large exponent (MAX_DIGITS).
    """
    try:
        # Decimal would read 1_000, which no publication prints.
        number = Decimal(text.replace("_", "x"))
    except InvalidOperation:
        return None
    if not number.is_finite():
        return None
    digits = len(number.as_tuple().digits)
    exponent = abs(number.adjusted())
    return None if max(exponent, digits) > MAX_DIGITS else number


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
    """Return how our value compares with an expected text. "-" expects no number.

    Our number is multiplied by `scale`, such as "100" for percent. `rule` says how the publication
    rounded ("half_up" or "cut"), and `tolerance` which difference is allowed; None is the default
    and none."""
    result = Compared(
        keys=leaf.keys, expected=leaf.expected, message=leaf.message
    )
    if leaf.message:
        return result
    value = leaf.ours
    if isinstance(value, float) and not math.isfinite(value):
        value = None
    published = read_number(leaf.expected)
    if value is None:
        if leaf.expected == NONE:
            result.verdict = "equal"
    elif published is None or isinstance(value, str):
        result.found = str(value)
        if leaf.expected == result.found:
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
    """Return our number with two decimals more than the published one has, or fewer if they are
    zeros.
    """
    digits = max(-int(published.as_tuple().exponent), 0)
    text = f"{rounded(ours, min(digits + 2, 30)):f}"
    integer, point, decimals = text.partition(".")
    if not point:
        return text
    decimals = decimals[:digits] + decimals[digits:].rstrip("0")
    return f"{integer}.{decimals}" if decimals else integer


def _equal(ours: Decimal, published: Decimal, rule: str) -> bool:
    """Return whether our number, rounded by the rule to the decimals of the published one, equals
    it. A published number with more than SIGNIFICANT_DIGITS is compared in so many digits.
    """
    if len(published.as_tuple().digits) > SIGNIFICANT_DIGITS:
        unit = Decimal(1).scaleb(published.adjusted() - SIGNIFICANT_DIGITS + 1)
        return abs(ours - published) <= unit / 2
    digits = -int(published.as_tuple().exponent)
    if rule == "cut":
        return rounded(ours, digits, rule) == published
    # Without rounding, so that a value between two texts is equal to both.
    ours = Context(prec=SIGNIFICANT_DIGITS).plus(ours)
    unit = Decimal(1).scaleb(-digits)
    return abs(ours - published) <= unit / 2


def leaves(
    expected: Any,
    ours: Any,
    keys: tuple[str, ...] = (),
    message: str = "",
) -> Iterator[Leaf]:
    """Yield each expected value inside lists and mappings with ours at the same keys.

    `keys` lead from the outermost mapping to these values. `message` says why ours do not exist: it
    is passed on to all values below a key that ours do not have, whose keys then end there."""
    if not isinstance(expected, dict | list):
        if isinstance(ours, dict | list | tuple):
            ours = None
            message = "expected one value, and there are several"
        yield Leaf(keys, expected, ours, message)
        return
    both_mappings = isinstance(ours, dict) == isinstance(expected, dict)
    our_children = children(ours) if both_mappings else {}
    for key, child in children(expected).items():
        if message:
            yield from leaves(child, None, keys, message)
        elif key in our_children:
            yield from leaves(child, our_children[key], (*keys, key))
        else:
            missing = f"there is no such value{listed(ours)}"
            yield from leaves(child, None, (*keys, key), missing)


def children(content: Any) -> JsonObject:
    """Return the values of a mapping by key, the items of a list by their numbers from 1, as texts,
    or {} for anything else.
    """
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
    """Return the comparison, rank by rank, of an expected order of systems, the best first, with the
    order of their scores, the highest first.

    Systems that are not in the expected order are left out. Equal scores keep the expected order,
    and NaN comes last."""
    expected_ranks = {name: rank for rank, name in enumerate(expected)}

    def sort_key(name: str) -> tuple[float, int]:
        score = scores[name]
        descending = math.inf if math.isnan(score) else -score
        return descending, expected_ranks[name]

    ours = sorted(expected_ranks.keys() & scores.keys(), key=sort_key)
    compared = []
    for rank, (name, found) in enumerate(zip_longest(expected, ours), 1):
        result = Compared(keys=(str(rank),), expected=name, found=found)
        if found == name:
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
    """Return the verdict on all entries of `expect`, each a pair of its verdict and whether its
    values were published.

    This is the worst verdict, or `partly` if some entries differ and others do not. Entries that
    were not published count only if they differ; if there are no others and none differs, the
    verdict is `not published`."""
    published = {verdict for verdict, is_published in entries if is_published}
    counting = set(published)
    if any(verdict == "differs" for verdict, _ in entries):
        counting.add("differs")
    if not counting:
        return "not published"
    if "differs" in counting and published - {"differs"}:
        return "partly"
    return max(counting, key=ORDER.index)


def is_worse(verdict: Verdict, recorded: Verdict) -> bool:
    """Whether a verdict is worse than the one on record."""
    if recorded == "not run":
        return False
    if recorded == "not published" or verdict == "not published":
        return verdict in ("differs", "partly")
    return ORDER.index(verdict) > ORDER.index(recorded)
