"""What every metric is made of: options, needed columns, summed terms, score.

A metric is a small frozen object. It *needs* columns (integers per sentence, or per sentence and reference), which
workers count from text; from them it makes *terms*, which are summed over sentences; and from sums of terms, over
any number of leading axes (iterations, bootstrap samples), it makes the *score*.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from keyword import iskeyword
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

import numpy as np

from ...errors import did_you_mean
from . import signature

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from ...kernel.lines import Lines
    from .reference_draws import Draws

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]
    Columns = Mapping[str, Ints]


COUNTING = 1
"""Version of the counting: raise it when any column of any needs comes out differently for the same text. Counts on
 disk are kept from one version of the program to the next as long as this stays."""
PRESENT = "present"
"""The column that tells how many references a sentence has, where some are missing (see `reduce.compact`)."""
LAST = "last"
"""The column, made where a metric reads it, that is 1 for the last sentence of the data set and else 0."""


class Field(NamedTuple):
    """A group of columns: name; orders (0: one column, without an axis for orders); whether per reference.

    real: they are float64 numbers, of which a table holds the bits.
    """

    name: str
    orders: int = 0
    per_reference: bool = False
    real: bool = False


@dataclass(frozen=True)
class Schema:
    """The fields of a table of integers, in order, for a number of references.

    As a mapping, a field has the shape [...] + [references, if per reference] + [orders, if any]; packed, the
    table is one array [..., width] whose columns are named as in `names`.
    """

    fields: tuple[Field, ...]
    references: int

    def _shape(self, field: Field) -> tuple[int, ...]:
        return (self.references,) * field.per_reference + (field.orders,) * (field.orders > 0)

    @property
    def names(self) -> list[str]:
        """The names of the packed columns, such as match_2@0: order 2, first reference."""
        result = []
        for field in self.fields:
            for place in np.ndindex(self._shape(field)):
                order = f"_{place[-1] + 1}" if field.orders else ""
                result.append(f"{field.name}{order}" + (f"@{place[0]}" if field.per_reference else ""))
        return result

    @property
    def width(self) -> int:
        """How many packed columns there are."""
        return sum(int(np.prod(self._shape(field), dtype=int)) for field in self.fields)

    @property
    def dtype(self) -> type[np.int64 | np.float64]:
        """The type that packed columns need: float64 (exact for integers below 2**53) where some are real."""
        return np.float64 if any(field.real for field in self.fields) else np.int64

    def pack(self, columns: Columns) -> Ints:
        """Return the mapping as one array [..., width]."""
        parts = []
        for field in self.fields:
            array, shape = columns[field.name], self._shape(field)
            array = array.astype(np.float64).view(np.int64) if field.real else array
            parts.append(array.reshape((*array.shape[: array.ndim - len(shape)], -1)) if shape else array[..., None])
        return np.concatenate(parts, axis=-1)

    def unpack(self, packed: NDArray[Any]) -> dict[str, Ints]:
        """Return an array [..., width] as a mapping of int64 (real: float64) arrays."""
        columns: dict[str, Any] = {}
        start = 0
        for field in self.fields:
            shape = self._shape(field)
            stop = start + int(np.prod(shape, dtype=int))
            array = packed[..., start:stop].reshape(packed.shape[:-1] + shape).astype(np.int64)
            columns[field.name] = array.view(np.float64) if field.real else array
            start = stop
        return columns

    def named(self, packed: Ints) -> dict[str, NDArray[Any]]:
        """Return the packed columns [..., width] by their names."""
        real = {field.name for field in self.fields if field.real}
        columns = {name: np.ascontiguousarray(packed[..., index]) for index, name in enumerate(self.names)}
        return {name: array.view(np.float64) if name in real else array for name, array in columns.items()}


class Text(NamedTuple):
    """The lines of a shard: source (or None), references, outputs of some systems."""

    source: Lines | None
    references: Sequence[Lines]
    systems: Sequence[Lines]


class Note(NamedTuple):
    """What a metric has to say of its counts: a message, and the text and line (from 1; 0: none) it is about."""

    message: str
    system: str | None = None
    reference: int | None = None
    line: int = 0


class Needs(Protocol):
    """Columns that workers count; hashable, so that metrics with equal needs share them."""

    @property
    def key(self) -> str:
        """A name that differs whenever the columns can, safe in file names."""

    @property
    def source(self) -> bool:
        """Whether the source is read."""

    def schema(self, references: int) -> Schema:
        """Return the columns for a number of references."""

    def count(self, text: Text) -> list[dict[str, Ints]]:
        """Return the columns of each system: a mapping of int64 arrays as schema() says, lines first."""


_TAKEN = frozenset({"score"})
"""Names of options that a metric has a method of."""


class Option(NamedTuple):
    """A setting of a metric, the same in YAML, signature and command line.

    name: the YAML key, the command line's --name; key: in signatures (in YAML too); default: a value, or a
    function of the options before it; choices: the values allowed, or None for true and false, for a whole number
    where maximum is given, or for a text that matches pattern, as form says; applies: whether the option can
    change a number, given the others (None: always); why: said when it is set and cannot; implicit: left out of
    the signature at its default; free: any text, escaped in the signature; path: against the folder of the file that
    wrote it; told: whether in signatures.
    """

    name: str
    key: str
    default: str | int | bool | Callable[[Mapping[str, Any]], str | int]
    help: str
    choices: tuple[str, ...] | None = None
    minimum: int = 0
    maximum: int | None = None
    applies: Callable[[Any], bool] | None = None
    why: str = ""
    implicit: bool = False
    pattern: str = ""
    form: str = ""
    free: bool = False
    path: bool = False
    told: bool = True

    @property
    def attribute(self) -> str:
        """The name of the metric's attribute."""
        return f"{self.name}_" if iskeyword(self.name) or self.name in _TAKEN else self.name

    def values(self) -> str:
        """Return the allowed values in words."""
        if self.choices:
            return ", ".join(self.choices)
        if self.pattern or self.free:
            return self.form
        return "true, false" if self.maximum is None else f"a whole number from {self.minimum} to {self.maximum}"

    def read(self, text: str) -> str | int | bool:
        """Return the value that a text means; raises ValueError."""
        if self.free:
            if text:
                return signature.unescape(text)
        elif self.choices:
            if text in self.choices:
                return text
        elif self.pattern:
            if re.fullmatch(self.pattern, text):
                return text
        elif self.maximum is None:
            if text in ("true", "false"):
                return text == "true"
        elif re.fullmatch(r"[0-9]{1,18}", text) and self.minimum <= int(text) <= self.maximum:
            return int(text)
        raise ValueError(f"expected {self.values()}, found '{text}'{did_you_mean(text, self.choices or ())}")


class Metric(ABC):
    """A metric with its settings. Subclasses are frozen dataclasses whose fields are their options."""

    name: ClassVar[str]
    summary: ClassVar[str]
    hint: ClassVar[str] = ""
    """Said when the metric misses a source: what was perhaps meant."""
    options: ClassVar[tuple[Option, ...]]
    from_files: ClassVar[bool] = False
    """Whether its columns come from files that a config names, not from text."""

    level: str
    """corpus: the score of summed terms; mean, sum: the mean or sum of sentence scores."""

    @property
    def output(self) -> str:
        """What the score is called."""
        return self.name

    @property
    def reads_last(self) -> bool:
        """Whether make_terms() reads the column LAST."""
        return False

    @property
    def policy(self) -> str:
        """Which references count: a policy of `reduce.py`."""
        return "max"

    def misfit(self, references: int, *, missing: bool = False) -> str | None:
        """Return why the metric cannot score with a number of references, some of them missing, or None."""
        del references, missing
        return None

    def notes(self, outputs: Mapping[str, float]) -> list[str]:
        """Return what a reader of these outputs should know, such as why they are 0."""
        del outputs
        return []

    def peer_signature(self, references: int, *, missing: bool = False) -> str | None:
        """Return what the field's own tool would print for the same settings, or None where it has them not.

        references: how many each line has; missing: not all lines have as many.
        """
        del references, missing
        return None

    def conflicts(self) -> list[tuple[str, str]]:
        """Return options that do not go together: the name to blame, and a message."""
        return []

    def settings(self, references: int | None = None) -> list[tuple[str, object]]:
        """Return signature keys and values of all options that can change a number."""
        settings: list[tuple[str, object]] = []
        for option in self.options:
            value = getattr(self, option.attribute)
            idle = option.applies is not None and not option.applies(self)
            if option.told and not idle and not (option.implicit and value == option.default):
                settings.append((option.key, signature.escape(value) if option.free else value))
        return settings + ([("nrefs", references)] if references is not None else [])

    @property
    @abstractmethod
    def needs(self) -> Needs:
        """The columns that this metric reads."""

    @property
    @abstractmethod
    def terms(self) -> tuple[Field, ...]:
        """What is summed over sentences; fields per reference are summed for the reference chosen."""

    @abstractmethod
    def make_terms(self, columns: Columns) -> dict[str, Ints]:
        """Return the terms of each sentence, [lines, ...] as the fields say, from its columns."""

    @abstractmethod
    def score(self, totals: Columns) -> dict[str, Floats]:
        """Return outputs from sums of terms (over any leading axes); the first output is the ranked score."""

    @abstractmethod
    def sentence_scores(self, columns: Columns) -> Floats:
        """Return the score of each sentence with each reference: float64 [lines, references]."""

    def line_outputs(self, columns: Columns) -> dict[str, Floats]:
        """Return all that is told of each sentence at level mean, the score first: float64 [lines] each.

        References are combined as the policy says. Empty: the score alone, from sentence_scores().
        """
        del columns
        return {}

    def remarks(self, statistics: Mapping[str, Iterable[Columns]]) -> list[Note]:
        """Return what should be said of the counts of the systems of a data set; each gives its blocks once."""
        del statistics
        return []

    def draws(self, lines: int, references: int) -> Draws | None:
        """Return how references are drawn, or None where they are not; one reference need not be drawn."""
        del lines, references
        return None

    def choose(self, columns: Columns) -> Ints:
        """Return the best reference of each sentence, from 0: int64 [lines]. The first of equals."""
        best: Ints = np.argmax(self.sentence_scores(columns), axis=-1)
        return best


def by_order(arrays: Mapping[str, NDArray[Any]]) -> dict[str, Floats]:
    """Return arrays [..., orders] as outputs name_1, name_2 ...: float64 [...] each."""
    return {
        f"{name}_{n + 1}": array[..., n].astype(np.float64)
        for name, array in arrays.items()
        for n in range(array.shape[-1])
    }


def log(values: Floats) -> Floats:
    """Return natural logarithms, -inf for 0 without a warning."""
    with np.errstate(divide="ignore"):
        logs: Floats = np.log(values)
    return logs


def best_by(keys: Sequence[Floats]) -> Ints:
    """Return the best column of each row of keys [lines, references]: int64 [lines].

    The first key decides, then the next where it is equal ...; of columns equal in all keys the first is taken.
    Keys are compared as they are, rounding and all, since the programs whose choices these are do so.
    """
    best = np.zeros(len(keys[0]), np.int64)
    rows = np.arange(len(best))
    for reference in range(1, keys[0].shape[1]):
        better, tied = np.zeros(len(best), bool), np.ones(len(best), bool)
        for key in keys:
            better |= tied & (key[:, reference] > key[rows, best])
            tied &= key[:, reference] == key[rows, best]
        best[better] = reference
    return best


def narrow(array: NDArray[np.integer]) -> NDArray[np.integer]:
    """Return an array of counts in the narrowest of uint16, int32 and int64 that holds them."""
    top = int(array.max(initial=0))
    low = int(array.min(initial=0))
    if low >= 0 and top <= np.iinfo(np.uint16).max:
        return array.astype(np.uint16)
    fits = low >= np.iinfo(np.int32).min and top <= np.iinfo(np.int32).max
    return array.astype(np.int32 if fits else np.int64)
