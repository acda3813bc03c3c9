"""Our values compared with published ones, digit by digit as they were printed, with a verdict on
each and on all.

Our value is equal to the expected one where it becomes the expected text when it is rounded to that
many decimals. A value exactly between two texts is equal to both, because programs differ in how
they round it. Only twelve significant digits are compared, because sums in another order differ
behind them. All arithmetic is decimal, on the shortest decimal form of our numbers."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from decimal import ROUND_DOWN, ROUND_HALF_UP, Context, Decimal, InvalidOperation
from typing import Any, Literal, NamedTuple

Verdict = Literal[
    "exact", "rounding", "tolerance", "partly", "differs", "not published", "not run"
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
ORDER: tuple[Verdict, ...] = ("exact", "rounding", "tolerance", "partly", "differs")
RULES = {"half_up": ROUND_HALF_UP, "cut": ROUND_DOWN}
SIGNIFICANT_DIGITS = 12
"""Digits in which sums of the same floats agree, whatever the order of the summands."""
MAX_DIGITS = 1000
"""A text with a larger decimal exponent, or more digits, is not read as a number: floats end at 308
and -324."""
EXACT = Context(prec=4000)
NONE = "-"
"""What stands in expected values, and in tables, for a number that does not exist."""


@dataclass(frozen=True, kw_only=True)
class Compared:
    """One of our values, and how it compares with the expected one."""

    place: tuple[str, ...]
    """The keys that lead to the value."""
    expected: str
    found: str | None
    """Our value: a number in the scale of the expected one, a text, or None where there is no
    number."""
    verdict: Literal["equal", "tolerance", "differs"]
    difference: float | None = None
    """Our value less the expected one, or None where one of them is not a number."""
    message: str = ""
    """Why the two could not be compared, or an empty text."""

    def plain(self) -> dict[str, Any]:
        """Return the comparison as a mapping for results.json, without an empty message."""
        fields = asdict(self) | {"place": "/".join(self.place)}
        return {
            name: value for name, value in fields.items() if name != "message" or value
        }


def rounded(value: Decimal, digits: int, rule: str = "half_up") -> Decimal:
    """Return a number with `digits` decimals, rounded half up (away from zero) or cut (towards
    zero).
    """
    return value.quantize(
        Decimal(1).scaleb(-digits), rounding=RULES[rule], context=EXACT
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
    too_large = (
        abs(number.adjusted()) > MAX_DIGITS
        or len(number.as_tuple().digits) > MAX_DIGITS
    )
    return None if too_large else number


def compare(
    keys: tuple[str, ...],
    expected: str,
    value: object,
    scale: str,
    rule: str | None,
    tolerance: str | None,
) -> Compared:
    """Compare our value with an expected text. The value is a number, a text, or None or NaN where
    there is no number.

    `rule` says how the publication rounded, and `tolerance` which difference is allowed.
    """
    if isinstance(value, float) and not math.isfinite(value):
        value = None
    published = read_number(expected)
    if value is None or published is None or isinstance(value, str):
        text = None if value is None else str(value)
        same = expected == (NONE if text is None else text)
        return Compared(
            place=keys,
            expected=expected,
            found=text,
            verdict="equal" if same else "differs",
        )
    if isinstance(value, bool) or not isinstance(value, int | float):
        return Compared(
            place=keys,
            expected=expected,
            found=None,
            verdict="differs",
            message="is no number",
        )
    ours = decimal(value, scale)
    difference = EXACT.subtract(ours, published)
    verdict: Literal["equal", "tolerance", "differs"] = "differs"
    if _equal(ours, published, rule or "half_up"):
        verdict = "equal"
    elif tolerance is not None and abs(difference) <= Decimal(tolerance):
        verdict = "tolerance"
    return Compared(
        place=keys,
        expected=expected,
        found=_printed(ours, published),
        verdict=verdict,
        difference=float(difference),
    )


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


class Leaf(NamedTuple):
    """An expected value inside lists and mappings, and ours."""

    keys: tuple[str, ...]
    """Those that lead to the value."""
    expected: str
    ours: Any
    message: str
    """Why there is nothing to compare with, or an empty text."""


def leaves(
    expected: Any, ours: Any, keys: tuple[str, ...] = (), message: str = ""
) -> Iterator[Leaf]:
    """Yield each expected value inside lists and mappings with ours.

    `message` is that of all values here, below a key that our values do not have."""
    children: dict[str, Any]
    values: dict[str, Any] = {}
    if isinstance(expected, dict):
        children = expected
        if isinstance(ours, dict):
            values = ours
    elif isinstance(expected, list):
        children = _numbered(expected)
        if isinstance(ours, list | tuple):
            values = _numbered(ours)
    elif isinstance(ours, dict | list | tuple):
        yield Leaf(keys, expected, None, "expected one value, and there are several")
        return
    else:
        yield Leaf(keys, expected, ours, message)
        return
    for key, child in children.items():
        if message:
            yield from leaves(child, None, keys, message)
        elif key in values:
            yield from leaves(child, values[key], (*keys, key))
        else:
            missing = f"there is no such value{listed(ours)}"
            yield from leaves(child, None, (*keys, key), missing)


def _numbered(items: Sequence[Any]) -> dict[str, Any]:
    """Return items by their numbers, from 1."""
    return {str(number): item for number, item in enumerate(items, 1)}


def listed(content: Any) -> str:
    """Return the end of a message that lists the keys of a mapping; an empty text where the content
    is not one.
    """
    if not isinstance(content, dict):
        return ""
    return f"; there are {', '.join(map(str, list(content)[:20]))}"


def compare_order(expected: Sequence[str], scores: dict[str, float]) -> list[Compared]:
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
    missing = [None] * (len(expected) - len(ours_in_order))
    compared = []
    for rank, (name, ours) in enumerate(
        zip(expected, [*ours_in_order, *missing], strict=True), 1
    ):
        compared.append(
            Compared(
                place=(str(rank),),
                expected=name,
                found=ours,
                verdict="equal" if ours == name else "differs",
            )
        )
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
    counting = []
    others = []
    for verdict, is_published in entries:
        if is_published:
            counting.append(verdict)
        elif verdict == "differs":
            others.append(verdict)
    if not counting and not others:
        return "not published"
    every = [*counting, *others]
    if "differs" in every and any(verdict != "differs" for verdict in counting):
        return "partly"
    return max(every, key=ORDER.index)


def is_worse(verdict: Verdict, recorded: Verdict) -> bool:
    """Whether a verdict is worse than the one on record."""
    if recorded == "not run":
        return False
    if recorded == "not published" or verdict == "not published":
        return verdict in ("differs", "partly")
    return ORDER.index(verdict) > ORDER.index(recorded)
