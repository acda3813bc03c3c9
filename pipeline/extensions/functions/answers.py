"""What code computes numbers from, and the checks of what it returns."""

import math
from collections.abc import Iterable, Sequence
from decimal import ROUND_HALF_EVEN, Decimal
from struct import pack, unpack
from typing import Any, NamedTuple

from pipeline.files import TableCell
from pipeline.metrics import Declared, precision_recall_f

Item = tuple[Any, ...]
"""The texts that one number is computed from: in the order of Declared.reads, each a text or a
tuple of texts.
"""
Values = tuple[float, ...]
"""The numbers of an item or a line."""
Answer = Values | None
"""The numbers of an item, or None if there are none. A listwise item has those of all outputs, one
after the other.
"""

LARGEST_COUNT = 1 << 53
"""A float holds every whole number up to it."""


class Failure(NamedTuple):
    """Why an item has no number."""

    message: str
    """Has {} for the position of the item, or else follows that position."""
    trace: str = ""

    def at(self, position: str) -> str:
        """Return the message for an item at this position."""
        if "{}" in self.message:
            return self.message.replace("{}", position, 1)
        return position + self.message


class WrongAnswerError(Exception):
    """Something that is no answer, with the message of a Failure."""


def item_length(item: Item) -> int:
    """Return the number of characters of the texts of an item."""
    total = 0
    for text in item:
        if isinstance(text, str):
            total += len(text)
        else:
            total += sum(map(len, text))
    return total


def encoded_answer(answer: Answer) -> bytes:
    """Return an answer as the cache stores it."""
    numbers = answer or ()
    return pack(f"<{len(numbers)}d", *numbers)


def decoded_answer(encoded: bytes) -> Answer:
    """Return the answer of encoded_answer()."""
    return unpack(f"<{len(encoded) // 8}d", encoded) or None


def checked_answers(
    returned: Any, batch: Sequence[Item], declared: Declared
) -> list[Any]:
    """Return an answer or a Failure for each item, from what the code has returned for a batch.

    Raises WrongAnswerError if this is no list with an element for each item.
    """
    returned = _without_numpy(returned)
    is_list = isinstance(returned, Iterable)
    if not is_list or isinstance(returned, str | bytes | dict):
        found = type(returned).__name__
        if returned is None:
            found = "None (is `return` missing?)"
        expected = "expected a list of numbers"
        raise WrongAnswerError(f": {declared.name}: {expected}, found {found}")
    elements = list(returned)
    if len(elements) != len(batch):
        counts = f"{len(elements)} numbers for {len(batch)} texts"
        raise WrongAnswerError(
            f"{declared.name} returned {counts} (the first: {{}})"
        )
    answers: list[Any] = []
    for element, item in zip(elements, batch, strict=True):
        try:
            if declared.listwise:
                outputs = item[declared.reads.index("outputs")]
                answers.append(
                    _numbers_of_outputs(element, len(outputs), declared)
                )
            else:
                answers.append(_numbers(element, declared))
        except WrongAnswerError as error:
            answers.append(Failure(str(error)))
    return answers


def _without_numpy(value: Any) -> Any:
    """Return an array of numpy or torch as a number or a list, other values unchanged."""
    return value.tolist() if hasattr(value, "tolist") else value


def _numbers_of_outputs(
    element: Any, expected: int, declared: Declared
) -> Values:
    """Return the numbers of all outputs of a line, one after the other, with NaN for None."""
    element = _without_numpy(element)
    has_length = hasattr(element, "__len__")
    is_list = has_length and not isinstance(element, str | bytes | dict)
    if not is_list or len(element) != expected:
        found = type(element).__name__
        if has_length:
            found = f"{len(element)} items"
        form = f"a list with a number for each of {expected} outputs"
        raise WrongAnswerError(
            f": {declared.name}: expected {form}, found {found}"
        )
    missing = (math.nan,) * len(declared.numbers)
    numbers: list[float] = []
    for numbers_of_output in element:
        numbers += _numbers(numbers_of_output, declared) or missing
    return tuple(numbers)


def _numbers(element: Any, declared: Declared) -> Answer:
    """Return the numbers of an item, from what the code has returned for it; None if it has none.

    Raises WrongAnswerError for None if the metric does not allow it, and for what are no numbers.
    """
    name = declared.name
    names = declared.numbers
    element = _without_numpy(element)
    if element is None:
        if declared.none == "error":
            remedy = 'metric(none="skip") or a number says what that means'
            raise WrongAnswerError(f": {name} has no score; {remedy}")
        return None
    is_list = isinstance(element, tuple | list)
    if not is_list and len(names) == 1:
        return (_number(element, names[0], declared),)
    if not is_list or len(element) != len(names):
        found = f"{str(element)[:50]!r} ({type(element).__name__})"
        if is_list:
            found = str(len(element))
        expected = f"{len(names)} numbers ({', '.join(names)})"
        raise WrongAnswerError(f": {name}: expected {expected}, found {found}")
    titled = zip(names, element, strict=True)
    return tuple(_number(value, title, declared) for title, value in titled)


def _number(value: Any, title: str, declared: Declared) -> float:
    """Return a number of an item; counts as whole multiples of 10**-decimals.

    `title` is the name of the number. Raises WrongAnswerError for what is no finite number or, for
    counts, no whole number from 0 (without decimals).
    """
    name = declared.name
    if isinstance(value, str | bytes) or not hasattr(value, "__float__"):
        found = f"{str(value)[:50]!r} ({type(value).__name__})"
        raise WrongAnswerError(f": {name}: expected a number, found {found}")
    try:
        number = float(value)
    except Exception as error:  # noqa: BLE001 (a large int, or an object of the user)
        problem = f"{title} is no number ({str(error)[:100]})"
        raise WrongAnswerError(f": {name}: {problem}") from None
    if not abs(number) <= TableCell.LARGEST_NUMBER:
        subject = name if len(declared.numbers) == 1 else f"{name}: {title}"
        raise WrongAnswerError(f": {subject} is {number}")
    if not declared.counts:
        return number
    # as the number is written, in decimals, and not as it is in binary
    scaled = Decimal(repr(number)).scaleb(declared.decimals)
    count = scaled.to_integral_value(ROUND_HALF_EVEN)
    if not 0 <= count <= LARGEST_COUNT:
        raise WrongAnswerError(f": {name}: {title} is {value}")
    if not declared.decimals and count != scaled:
        remedy = "counts are whole numbers, unless `decimals` says how many"
        raise WrongAnswerError(f": {name}: {title} is {value}; {remedy}")
    return int(count)


def best(answers: Sequence[Values], declared: Declared) -> Values:
    """Return the best of the answers with several references, the first of equals.

    The best counts are those with the highest F-beta. Otherwise the first number, the score,
    decides.
    """

    def worth(answer: Values) -> float:
        if declared.counts:
            tp, fp, fn = answer
            _, _, score = precision_recall_f(tp, fp, fn, declared.beta)
            return score
        return answer[0] if declared.higher_is_better else -answer[0]

    return max(answers, key=worth)
