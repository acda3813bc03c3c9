"""What the modules here share: texts and tokens as the ids that the kernel counts, and what is raised.

Errors are InputErrors, and at the same time the errors that the other packages raise there.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from .. import kernel
from ..errors import InputError
from ..kernel.common import MAX_ORDER, Encoded, Lines, join_lines

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from numpy.typing import NDArray

    from ..arrays import Ints


class WrongTypeError(InputError, TypeError):
    """An argument is of another kind than the one that is expected."""


class WrongValueError(InputError, ValueError):
    """An argument cannot be used."""


class UnavailableError(InputError, NotImplementedError):
    """The other package has something that this program does not have."""


def unavailable(what: str, reason: str) -> NoReturn:
    """Raise UnavailableError for a name or an argument of another package."""
    raise UnavailableError(f"{what}: {reason} (`gec-pipeline help compat`)")


def lines_of(name: str, texts: Iterable[str | None]) -> Lines:
    """Return texts, which may have newlines, as lines for the kernel; `name` is what messages call them.

    None becomes an empty line where `name` is that of references: there it says that one is missing.
    Raises WrongTypeError for what is no text, and WrongValueError for a text that UTF-8 cannot write.
    """
    encoded = []
    for number, text in enumerate(texts):
        if text is None and name.startswith("references"):
            encoded.append(b"")
            continue
        if not isinstance(text, str):
            raise WrongTypeError(f"{name}, item {number + 1}: expected a text, found {type(text).__name__}")
        try:
            encoded.append(text.encode())
        except UnicodeEncodeError as error:
            sign = f"U+{ord(text[error.start]):04X}"
            raise WrongValueError(f"{name}, item {number + 1}: has half a character ({sign})") from None
    return join_lines(encoded)


def ids_of(texts: Sequence[Iterable[Iterable[Hashable]]]) -> list[Encoded]:
    """Return several texts, each a list of lines, each a list of tokens of any sort. Equal tokens have equal ids."""
    known: dict[Hashable, int] = {}
    encoded = []
    for text in texts:
        lines = [[known.setdefault(token, len(known)) for token in line] for line in text]
        offsets = np.cumsum([0, *map(len, lines)], dtype=np.int64)
        encoded.append(Encoded(np.fromiter(chain.from_iterable(lines), np.int32, int(offsets[-1])), offsets))
    return encoded


def lengths(text: Encoded) -> Ints:
    """Return the number of tokens of each line: int64 [lines]."""
    sizes: Ints = text.offsets[1:] - text.offsets[:-1]
    return sizes


def totals(sizes: Ints, order: int) -> Ints:
    """Return the number of n-grams of the orders 1 to `order` in lines of these sizes: int64 [..., order]."""
    result: Ints = np.maximum(sizes[..., None] - np.arange(order), 0)
    return result


def matches(texts: Sequence[Encoded], order: int, kind: str) -> Ints:
    """Return the matches of the last of the texts with the others, as kernel.overlap counts a kind of them.

    They are int64 [lines, order] with all references merged, or [lines, references, order] with each.
    """
    *references, output = texts
    counts: Ints = kernel.overlap(None, references, [output], order, (kind,))[kind][0]
    return counts


def closest_lengths(sizes: Ints, references: Ints, there: NDArray[np.bool_]) -> Ints:
    """Return the length of a reference that is closest to that of the output, the shorter of two: int64 [lines].

    The sizes are those of outputs, [lines], and of references, [lines, references]. `there` says which references are.
    """
    farthest = np.iinfo(np.int64).max
    distance = np.where(there, np.abs(references - sizes[:, None]), farthest)
    closest: Ints = np.where(distance == distance.min(axis=1, keepdims=True), references, farthest).min(axis=1)
    return closest


def check_order(name: str, order: Any) -> None:
    """Raise WrongValueError for what is no order of n-grams, and UnavailableError for one that is too high."""
    if not isinstance(order, int) or order < 1:
        raise WrongValueError(f"{name}: expected a whole number from 1, found {order!r}")
    if order > MAX_ORDER:
        unavailable(f"{name}: {order}", f"n-grams of at most {MAX_ORDER} tokens are counted")
