"""What the modules here share: errors, metrics of this program, and texts and tokens as it counts
them.

Errors are InputErrors, and at the same time the errors that the other packages raise there.
"""

from collections.abc import Hashable, Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from .. import kernel
from ..arrays import Bools, Ints
from ..errors import ConfigError, InputError
from ..kernel.common import Encoded, Lines, join_lines

if TYPE_CHECKING:
    from ..metrics.base import Columns, Metric


class WrongTypeError(InputError, TypeError):
    """An argument has another type than expected."""


class WrongValueError(InputError, ValueError):
    """An argument has an invalid value."""


class UnavailableError(InputError, NotImplementedError):
    """The other package has something that this program does not have."""


def unavailable(what: str, reason: str) -> NoReturn:
    """Raise UnavailableError for a name or an argument of another package."""
    raise UnavailableError(f"{what}: {reason} (`gec-pipeline help compat`)")


@lru_cache(256)
def metric_of(name: str, **options: str | int | bool) -> "Metric":
    """Return a metric of this program with these options.

    Raises WrongValueError for an option that it does not take, and UnavailableError if a package is
    missing.
    """
    from ..metrics import from_values  # here: it is slow to load

    try:
        (metric,) = from_values({"name": name, **options})
    except ConfigError as error:
        raise WrongValueError(
            f"{name}{error.problems[0].message.removeprefix('[0]')}"
        ) from None
    reason = metric.spec.unavailable()
    if reason:
        raise UnavailableError(reason)
    return metric


def sums_of(
    metric: "Metric", columns: dict[str, Ints], present: Bools
) -> dict[str, Any]:
    """Return the sums over all lines of the terms from which a metric is computed: {name: integer,
    or list of one for each order of n-grams}. Terms with each reference are those of the chosen one.

    `columns` are the statistics of each line, and `present`, bool [lines, references], says which
    references it has."""
    from ..scoring import MetricColumns

    compacted: Columns = columns
    if not present.all():
        # -1 marks a missing reference; compact() moves these behind the others.
        lengths = np.where(present, columns["ref_len"], -1)
        compacted = MetricColumns(metric).compact(
            {**columns, "ref_len": lengths}
        )
    terms = metric.make_terms(compacted)
    per_reference = {
        field.name for field in metric.terms if field.per_reference
    }
    lines, references = present.shape
    rows = np.arange(lines)
    chosen: Any = 0
    if per_reference and references > 1:
        chosen = metric.choose(compacted)
    sums = {}
    for name, term in terms.items():
        term_of_line = term[rows, chosen] if name in per_reference else term
        sums[name] = term_of_line.sum(axis=0).tolist()
    return sums


def lines_of(name: str, texts: Iterable[str | None]) -> Lines:
    """Return texts, which may have newlines, as the kernel's lines, one each. `name` is their name
    in messages.

    None, for a missing reference, becomes an empty line if the name begins with "references".
    Raises WrongTypeError for anything else than a text, and WrongValueError for a text that UTF-8
    cannot encode."""
    encoded = []
    for number, text in enumerate(texts, 1):
        if text is None and name.startswith("references"):
            encoded.append(b"")
            continue
        position = f"{name}, item {number}"
        if not isinstance(text, str):
            raise WrongTypeError(
                f"{position}: expected a text, found {type(text).__name__}"
            )
        try:
            encoded.append(text.encode())
        except UnicodeEncodeError as error:
            character = f"U+{ord(text[error.start]):04X}"
            raise WrongValueError(
                f"{position}: has half a character ({character})"
            ) from None
    return join_lines(encoded)


def ids_of(texts: Sequence[Iterable[Iterable[Hashable]]]) -> list[Encoded]:
    """Return texts, each a list of lines, each a list of tokens of any type, as ids for the kernel:
    those of all lines of a text one after the other, and where each line begins and ends.

    Equal tokens have equal ids, in all texts."""
    id_of_token: dict[Hashable, int] = {}
    encoded = []
    for text in texts:
        ids: list[int] = []
        offsets = [0]
        for line in text:
            for token in line:
                ids.append(id_of_token.setdefault(token, len(id_of_token)))
            offsets.append(len(ids))
        encoded.append(
            Encoded(np.array(ids, np.int32), np.array(offsets, np.int64))
        )
    return encoded


def matches(texts: Sequence[Encoded], order: int, kind: str) -> Ints:
    """Return how many n-grams of the last text, the output, match the others, its references, for
    each order up to `order`, as kernel.overlap counts this kind of matches.

    They are int64 [lines, order] with all references merged, or [lines, references, order] with
    each."""
    *references, output = texts
    counts = kernel.overlap(None, references, [output], order, (kind,))
    of_output: Ints = counts[kind][0]
    return of_output
