"""What the modules here share: what is raised, metrics of this program, and texts and tokens as it
counts them.

Errors are InputErrors, and at the same time the errors that the other packages raise there.
"""

from collections.abc import Hashable, Iterable, Sequence
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from .. import kernel
from ..arrays import Bools, Ints
from ..errors import ConfigError, InputError
from ..kernel.common import Encoded, Lines, join_lines

if TYPE_CHECKING:
    from ..metrics.base.metric import Metric
    from ..metrics.base.statistics_spec import Columns


class WrongTypeError(InputError, TypeError):
    """An argument is of another kind than the one that is expected."""


class WrongValueError(InputError, ValueError):
    """An argument cannot be used."""


class UnavailableError(InputError, NotImplementedError):
    """The other package has something that this program does not have."""


def unavailable(what: str, reason: str) -> NoReturn:
    """Raise UnavailableError for a name or an argument of another package."""
    raise UnavailableError(f"{what}: {reason} (`gec-pipeline help compat`)")


@lru_cache(256)
def metric_of(name: str, **options: str | int | bool) -> "Metric":
    """Return a metric of this program with these options.

    Raises WrongValueError for an option that it does not take, and UnavailableError where a package
    is missing."""
    from ..metrics.build import from_values  # here, because it takes longer to load than the rest

    try:
        (metric,) = from_values({"name": name, **options})
    except ConfigError as error:
        raise WrongValueError(f"{name}{error.problems[0].message.removeprefix('[0]')}") from None
    reason = metric.spec.unavailable()
    if reason:
        raise UnavailableError(reason)
    return metric


def sums_of(metric: "Metric", columns: dict[str, Ints], there: Bools) -> dict[str, Any]:
    """Return the sums over all lines of the terms of a metric, as whole numbers and lists of them.

    `there`, bool [lines, references], says which references there are.
    """
    from ..scoring.terms import compact

    present: Columns = columns
    if not there.all():
        lengths = np.where(there, columns["ref_len"], -1)
        present = compact({**columns, "ref_len": lengths}, metric.spec.of_references)
    terms, rows = metric.make_terms(present), np.arange(len(there))
    apart = [field.name for field in metric.terms if field.per_reference]
    chosen = metric.choose(present) if apart and there.shape[1] > 1 else 0
    counted = {
        name: values[rows, chosen] if name in apart else values for name, values in terms.items()
    }
    return {name: values.sum(axis=0).tolist() for name, values in counted.items()}


def lines_of(name: str, texts: Iterable[str | None]) -> Lines:
    """Return texts, which may have newlines, as lines for the kernel; `name` is what messages call
    them.

    None becomes an empty line where `name` is that of references: there it says that one is
    missing. Raises WrongTypeError for what is no text, and WrongValueError for a text that UTF-8
    cannot write."""
    encoded = []
    for number, text in enumerate(texts):
        if text is None and name.startswith("references"):
            encoded.append(b"")
            continue
        if not isinstance(text, str):
            raise WrongTypeError(
                f"{name}, item {number + 1}: expected a text, found {type(text).__name__}"
            )
        try:
            encoded.append(text.encode())
        except UnicodeEncodeError as error:
            sign = f"U+{ord(text[error.start]):04X}"
            raise WrongValueError(
                f"{name}, item {number + 1}: has half a character ({sign})"
            ) from None
    return join_lines(encoded)


def ids_of(texts: Sequence[Iterable[Iterable[Hashable]]]) -> list[Encoded]:
    """Return several texts, each a list of lines, each a list of tokens of any sort. Equal tokens
    have equal ids.
    """
    known: dict[Hashable, int] = {}
    encoded = []
    for text in texts:
        lines = [[known.setdefault(token, len(known)) for token in line] for line in text]
        offsets = np.cumsum([0, *map(len, lines)], dtype=np.int64)
        encoded.append(
            Encoded(np.fromiter(chain.from_iterable(lines), np.int32, int(offsets[-1])), offsets)
        )
    return encoded


def matches(texts: Sequence[Encoded], order: int, kind: str) -> Ints:
    """Return the matches of the last of the texts with the others, as kernel.overlap counts a kind
    of them.

    They are int64 [lines, order] with all references merged, or [lines, references, order] with
    each."""
    *references, output = texts
    counts: Ints = kernel.overlap(None, references, [output], order, (kind,))[kind][0]
    return counts
