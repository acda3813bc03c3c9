"""What workers count: columns of counts, and the specification that names and counts them.

Columns have names, shapes and types, and are packed into one table (Schema). OverlapSpec counts
n-grams that outputs share with references and source, for GLEU, BLEU, chrF and others.
"""

import dataclasses
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ... import kernel
from ...arrays import Bools, Ints
from ...data import TEXTS
from ...errors import InvalidTextError
from ...kernel.common import KINDS, Encoded, Lines, join_lines
from ...tokenizers import PreparedTokens, Tokenization
from ..options.fields import splits_words

Columns = Mapping[str, Ints]


class Text(NamedTuple):
    """The lines of a shard: the source, the references, and the outputs of several systems."""

    source: Lines | None
    references: Sequence[Lines]
    systems: Sequence[Lines]
    shared: dict[object, Any] | None = None
    """A cache for specifications that count the same shard, by any keys; None: there is none."""
    spec: "Sequence[StatisticsSpec]" = ()
    """All specifications that count the shard, in order, if there is more than one."""
    rows: Ints | None = None
    """The numbers of the lines in the data set, from 0: int64 [lines]. None: they are unknown."""
    corpus_data: Any = None
    """What the specification's corpus pass returned for the data set; None without a pass."""
    missing: NDArray[np.bool_] | None = None
    """The missing references, which have an empty line: bool [lines, references]. None: none."""


# --- columns


COUNTING = 1
"""The version of counting. Raise it when any column comes out differently for the same text.

Counts on disk are used by later versions of the program as long as this number stays the same.
"""


def is_present(columns: Columns, references: int) -> Bools:
    """Return which references each line has: bool [lines, references]."""
    lines = len(columns["hyp_len"])
    present = columns.get(Schema.PRESENT, np.full(lines, references))
    return np.arange(references) < present[:, None]


class Field(NamedTuple):
    """A group of columns with one name."""

    name: str
    orders: int = 0
    """How many orders of n-grams it has. With 0 it is one column, without an axis for orders."""
    per_reference: bool = False
    real: bool = False
    """Whether its numbers are float64. A packed table holds their bits as integers."""


class PackedField(NamedTuple):
    """A field with its columns in a packed table."""

    field: Field
    shape: tuple[int, ...]
    start: int
    """The first column."""
    stop: int
    """The column after the last."""


@dataclass(frozen=True)
class Schema:
    """The fields of a table of integers, in order, for a number of references.

    The table has two forms. In a mapping, the shape of a field is [...], then [references] if it is
    per reference, then [orders] if it has orders. Packed, the table is one array [..., width], and
    `names` are the names of its columns.
    """

    PRESENT: ClassVar[str] = "present"
    """The column with the number of references of a sentence, if some are missing (see
    `scoring/terms.py`)."""
    LAST: ClassVar[str] = "last"
    """The column that is 1 for the last sentence of the data set, for metrics that `reads_last`."""
    CORPUS_SUM: ClassVar[str] = "whole_"
    """Prefix of columns that have, for each sentence, the sum of a column over all sentences.

    Only metrics that name the column in `corpus_sums` get them.
    """

    fields: tuple[Field, ...]
    references: int

    @classmethod
    @lru_cache(1024)
    def of(cls, fields: tuple[Field, ...], references: int) -> "Schema":
        """Return the schema of these fields, always the same object, whose layout is cached."""
        return cls(fields, references)

    @cached_property
    def _layout(self) -> tuple[PackedField, ...]:
        layout = []
        start = 0
        for field in self.fields:
            shape: tuple[int, ...] = (
                (self.references,) if field.per_reference else ()
            )
            if field.orders:
                shape += (field.orders,)
            stop = start + math.prod(shape)
            layout.append(PackedField(field, shape, start, stop))
            start = stop
        return tuple(layout)

    @property
    def names(self) -> list[str]:
        """The names of the packed columns; match_2@0 is matches of order 2 with reference 0."""
        result = []
        for field, shape, _, _ in self._layout:
            for index in np.ndindex(shape):
                order = f"_{index[-1] + 1}" if field.orders else ""
                reference = f"@{index[0]}" if field.per_reference else ""
                result.append(f"{field.name}{order}{reference}")
        return result

    @property
    def width(self) -> int:
        """The number of packed columns."""
        if self._layout:
            return self._layout[-1].stop
        return 0

    @property
    def dtype(self) -> type[np.int64 | np.float64]:
        """The type for all columns: float64 if any field is real, else int64.

        float64 is exact for integers below 2**53.
        """
        if any(field.real for field in self.fields):
            return np.float64
        return np.int64

    def pack(self, columns: Columns) -> Ints:
        """Return the mapping as one array [..., width]."""
        parts = []
        for field, shape, _, _ in self._layout:
            array = columns[field.name]
            if field.real:
                array = array.astype(np.float64).view(np.int64)
            leading = array.shape[: array.ndim - len(shape)]
            parts.append(
                array.reshape((*leading, -1)) if shape else array[..., None]
            )
        return np.concatenate(parts, axis=-1)

    def narrowed(self, columns: Columns) -> NDArray[np.integer]:
        """Return what narrow() makes of pack(), for fields [lines, ...]."""
        return self.narrow(self.pack(columns))

    @staticmethod
    def narrow(array: NDArray[np.integer]) -> NDArray[np.integer]:
        """Return an array of counts in the narrowest of uint16, int32 and int64 that holds them."""
        top = int(array.max(initial=0))
        low = int(array.min(initial=0))
        if low >= 0 and top <= np.iinfo(np.uint16).max:
            return array.astype(np.uint16)
        fits = low >= np.iinfo(np.int32).min and top <= np.iinfo(np.int32).max
        return array.astype(np.int32 if fits else np.int64)

    def unpack(self, packed: NDArray[Any]) -> dict[str, Ints]:
        """Return an array [..., width] as a mapping: float64 for real fields, else int64."""
        columns: dict[str, Any] = {}
        for field, shape, start, stop in self._layout:
            array = (
                packed[..., start:stop]
                .reshape(packed.shape[:-1] + shape)
                .astype(np.int64)
            )
            columns[field.name] = (
                array.view(np.float64) if field.real else array
            )
        return columns

    def named(self, packed: Ints) -> dict[str, NDArray[Any]]:
        """Return the columns of an array [..., width], each [...], by their names."""
        real = {field.name for field in self.fields if field.real}
        columns: dict[str, NDArray[Any]] = {}
        for index, name in enumerate(self.names):
            array = np.ascontiguousarray(packed[..., index])
            columns[name] = array.view(np.float64) if name in real else array
        return columns


# --- specifications


class StatisticsSpec(ABC):
    """Columns that workers count.

    Subclasses are frozen dataclasses, so that metrics with equal specifications share columns.
    """

    added_later: ClassVar[frozenset[str]] = frozenset()
    """Fields that are newer than counts that users have stored. The cache key has them only if they
    differ from their defaults."""

    owner: ClassVar[str] = ""
    """The user's metric whose code counts, with its version, as plugin:<name>:<version>."""

    source: bool = False
    """Whether the source is read."""
    references: ClassVar[bool] = True
    """Whether references are read, or edits in place of them."""
    tokenization: Tokenization | None = None
    """How text becomes tokens, or None if no package outside this program can take part in that."""
    input: str = TEXTS
    """The input that is read of a data set: TEXTS, or one that an extension brings.

    See `data/inputs.py`."""

    @property
    @abstractmethod
    def columns(self) -> tuple[Field, ...]:
        """The columns."""

    @cached_property
    def of_references(self) -> tuple[str, ...]:
        """The names of the columns with numbers for each reference."""
        return tuple(
            field.name for field in self.columns if field.per_reference
        )

    @property
    def corpus_pass(self) -> "CorpusPass | None":
        """What has to be known of the entire data set before a line is counted, or None."""
        return None

    @abstractmethod
    def count(self, text: Text) -> list[dict[str, Ints]]:
        """Return the columns of each system: arrays [lines, ...] of the fields of schema()."""

    def prepare(self, text: Text) -> "Prepared | None":
        """Return the source and the references of a text prepared for many outputs.

        None if these settings have no form that is faster than counting the lines again.
        """
        return None

    def prepared(self, text: Text, *, as_lines: bool = False) -> "Prepared":
        """Return what prepare() does, or the lines themselves: always, or if it returns None."""
        if not as_lines:
            prepared = self.prepare(text)
            if prepared:
                return prepared
        return Gathered(self, text)

    def with_corpus_pass(self, text: Text) -> Text:
        """Return a text that is an entire data set with the result of the corpus pass."""
        corpus_pass = self.corpus_pass
        if not corpus_pass:
            return text
        columns = corpus_pass.reduced(corpus_pass.count(text)[0])
        return text._replace(corpus_data=corpus_pass.opened(columns))

    def schema(self, references: int) -> Schema:
        """Return the columns for a number of references."""
        return Schema.of(self.columns, references)

    @property
    def key(self) -> str:
        """A name, safe in file names, that differs if columns can differ."""
        parts = ["plugin"] if self.owner else []
        parts.append(type(self).__name__.removesuffix("Spec").lower())
        for field in fields(self):  # type: ignore[arg-type] # (subclasses are dataclasses)
            value = getattr(self, field.name)
            if isinstance(value, tuple):
                parts += [field.name, *map(str, value)] if value else []
            elif value not in (None, False, ""):
                parts.append(
                    field.name
                    if value is True
                    else str(getattr(value, "key", value))
                )
        return "-".join(parts)

    @property
    def cache_key(self) -> str:
        """The text that stands for these columns in the keys of stored counts.

        It differs if columns can differ, as `key` does. It must not change from one version of the
        program to the next, even if classes and fields get other names: then stored counts are not
        reused.
        """
        settings = []
        for field in fields(self):  # type: ignore[arg-type] # (subclasses are dataclasses)
            value = getattr(self, field.name)
            if field.name in self.added_later and value == field.default:
                continue
            settings.append(
                f"{field.name}={getattr(value, 'cache_key', None) or repr(value)}"
            )
        owner = f"{self.owner}:" if self.owner else ""
        # Counts on disk were stored when these classes were named XNeeds.
        stored_name = re.sub("Spec$", "Needs", type(self).__name__)
        return f"{owner}{stored_name}({', '.join(settings)})"

    def unavailable(self) -> str | None:
        """Return why nothing can be counted here, such as a missing package, or None."""
        if self.tokenization:
            return self.tokenization.unavailable()
        return None


class Prepared(Protocol):
    """Source and references, prepared for the columns of a specification.

    Several threads may use an object at once.
    """

    def count(self, outputs: Sequence[str], rows: Ints) -> dict[str, Ints]:
        """Return the columns of outputs, as StatisticsSpec.count() does for one system.

        Output i belongs to the line `rows[i]` of the prepared texts: int64 [outputs]. Raises
        UnicodeEncodeError for text that UTF-8 cannot hold, and LongTextError for a text that is too
        long to be counted, whose line is the number of the output.
        """


@dataclass(frozen=True)
class Gathered:
    """The prepared form of any specification: lines, which are counted anew with each output."""

    spec: StatisticsSpec
    text: Text
    """Source and references, and the result of the corpus pass."""

    def count(self, outputs: Sequence[str], rows: Ints) -> dict[str, Ints]:
        """Return the columns of outputs, as Prepared.count() does."""
        text = self.text
        selected = Text(
            source=text.source and _select(text.source, rows),
            references=[
                _select(reference, rows) for reference in text.references
            ],
            systems=[join_lines([output.encode() for output in outputs])],
            shared={},
            rows=rows,
            missing=None if text.missing is None else text.missing[rows],
            corpus_data=text.corpus_data,
        )
        (columns,) = self.spec.count(selected)
        return {
            name: np.ascontiguousarray(column)
            for name, column in columns.items()
        }


def _select(lines: Lines, rows: Ints) -> Lines:
    starts = lines.starts[rows].tolist()
    ends = lines.ends[rows].tolist()
    return join_lines(
        [lines.data[start:end] for start, end in zip(starts, ends, strict=True)]
    )


class CorpusPass(StatisticsSpec):
    """What has to be known of an entire data set before any line is counted.

    An example is how often its n-grams occur. Specifications whose columns depend on it return it
    as their `corpus_pass`, and get its result as `Text.corpus_data` when they count. Those with equal
    passes share one. Its shards are counted by the same workers, stored in the run directory and
    resumed like those of other specifications. The key of what is stored has the contents of the
    texts that it depends on: source and references, and the outputs if `of_systems` is true.

    The fields of a subclass are its settings. It has three members beside `columns`, and may have
    the others of StatisticsSpec:

    - `count(text)` is called for each shard, and returns a list with one mapping of columns. Their
      number of rows is free, but the same for all. The fields of `columns` have no references, and
      may have orders.
    - `reduced(columns)` gets the rows of several shards, one after the other in the order of lines.
      It returns fewer rows with the same meaning. Reducing some rows first must change nothing in
      the end: shards are reduced in any groups.
    - `opened(columns)` makes `Text.corpus_data` of all rows, once in each process.

    In memory, as in a Scorer, the lines of the call are the entire data set.
    """

    of_systems: ClassVar[bool] = False
    """Whether outputs are read: `Text.systems` are then those of all systems of the run, else
    empty."""

    @abstractmethod
    def reduced(self, columns: Columns) -> Columns:
        """Return fewer rows with the meaning of those of several shards."""

    @abstractmethod
    def opened(self, columns: Columns) -> Any:
        """Return what specifications get as Text.corpus_data."""


class EncodedTexts(NamedTuple):
    """Texts as ids of tokens."""

    source: Encoded | None
    """None if it is not read."""
    references: list[Encoded]
    systems: list[Encoded]


@dataclass(frozen=True)
class OverlapSpec(StatisticsSpec):
    """Counts of n-grams of the orders 1 to `order`, with lengths and totals."""

    tokenization: Tokenization = dataclasses.field()
    order: int
    kinds: tuple[str, ...]
    """What is counted; see `kernel/common.py`."""
    source: bool = False
    source_len: bool = False
    """Whether there is a column for the length of the source."""

    @property
    def key(self) -> str:
        """A name, safe in file names, that differs if columns can differ."""
        source = ["source_len"] if self.source_len else []
        return "-".join(
            [
                "overlap",
                *self.kinds,
                *source,
                f"n{self.order}",
                self.tokenization.key,
            ]
        )

    @cached_property
    def columns(self) -> tuple[Field, ...]:
        """hyp_len, src_len (optional), ref_len, total, and the kinds."""
        columns = [Field("hyp_len")]
        if self.source_len:
            columns.append(Field("src_len"))
        columns += [
            Field("ref_len", per_reference=True),
            Field("total", self.order),
        ]
        for kind in self.kinds:
            columns.append(Field(kind, self.order, per_reference=kind in KINDS))
        return tuple(columns)

    def count(self, text: Text) -> list[dict[str, Ints]]:
        """Count a shard, with one pass over source and references for all systems."""
        source, references, systems = self._encode(text)
        counts = kernel.overlap(
            source, references, systems, self.order, self.kinds
        )
        ref_len = lengths(references)
        result = []
        for number, system in enumerate(systems):
            columns = {
                "hyp_len": np.diff(system.offsets),
                "ref_len": ref_len,
                "total": totals(system, self.order),
            }
            if self.source_len and source:
                columns["src_len"] = np.diff(source.offsets)
            for kind, array in counts.items():
                columns[kind] = array[number]
            result.append(columns)
        return result

    def _encode(self, text: Text) -> EncodedTexts:
        """Return source, references and outputs as ids.

        They are cached for later specifications with the same tokens; the last of these removes
        them from the cache.
        """
        sharing: list[OverlapSpec] = []
        for spec in text.spec:
            if (
                isinstance(spec, OverlapSpec)
                and spec.tokenization == self.tokenization
            ):
                sharing.append(spec)
        reads_source = any(spec.source for spec in [self, *sharing])
        sources = [text.source] if text.source and reads_source else []
        cache = (
            text.shared if text.shared is not None and self in sharing else {}
        )
        texts = [*text.references, *text.systems]
        first_system = len(text.references)
        encoded = cache.pop(self.tokenization, None)
        if not encoded:
            try:
                encoded = self.tokenization.encode([*sources, *texts])
            except InvalidTextError:
                if self.source or not sources:
                    raise
                # The source, which this specification does not read, may be the cause.
                encoded = self.tokenization.encode(texts)
                return EncodedTexts(
                    None, encoded[:first_system], encoded[first_system:]
                )
        if self in sharing[:-1]:
            cache[self.tokenization] = encoded
        source = encoded[0] if self.source and sources else None
        others = encoded[len(sources) :]
        return EncodedTexts(
            source, others[:first_system], others[first_system:]
        )

    def prepare(self, text: Text) -> "PreparedOverlap | None":
        """Return source and references as tokens.

        None if Tokenization.prepared() returns None.
        """
        source = text.source if self.source else None
        tokens = self.tokenization.prepared(source, text.references)
        if tokens is None:
            return None
        lengths = None
        if self.source_len and source:
            lengths = np.diff(self.tokenization.encode([source])[0].offsets)
        return PreparedOverlap(tokens, self.order, self.kinds, lengths)


def tokenization_of(metric: Any) -> Tokenization:
    """Return how a metric with the option tokenizer splits lines.

    It may have the options unit, strip and lowercase too.
    """
    return Tokenization(
        metric.tokenizer if splits_words(metric) else "char",
        strip=getattr(metric, "strip", False),
        lowercase=getattr(metric, "lowercase", False),
    )


@dataclass(frozen=True)
class PreparedOverlap:
    """Source and references as tokens, with which the n-grams of outputs are counted."""

    tokens: PreparedTokens
    order: int
    kinds: tuple[str, ...]
    source_lengths: Ints | None
    """The tokens of each line of the source, if there is a column for them: int64 [lines]."""

    def count(self, outputs: Sequence[str], rows: Ints) -> dict[str, Ints]:
        """Return the columns of outputs, as Prepared.count() does."""
        columns = self.tokens.count(outputs, rows, self.order, self.kinds)
        if self.source_lengths is not None:
            columns["src_len"] = self.source_lengths[rows]
        return columns


def lengths(texts: Sequence[Encoded]) -> Ints:
    """Return the number of tokens of each line of several texts: int64 [lines, texts]."""
    return np.stack([np.diff(text.offsets) for text in texts], axis=-1)


def totals(text: Encoded, order: int) -> Ints:
    """Return how many n-grams of the orders 1 to `order` each line has: int64 [lines, order]."""
    return np.maximum(np.diff(text.offsets)[:, None] - np.arange(order), 0)
