"""What workers count: the inputs of a metric, columns of counts, and needs, which name and count
them.

Columns have names, shapes and types, and are packed into one table (Schema). OverlapNeeds counts
n-grams that outputs share with references and source, for GLEU, BLEU, chrF and others."""

import dataclasses
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache
from itertools import accumulate, pairwise
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ... import kernel
from ...arrays import Ints
from ...errors import InvalidTextError
from ...kernel.common import KINDS, Encoded, Lines, join_lines
from ...tokenizers.tokenization import PreparedTokens, Tokenization
from .options import splits_words

Columns = Mapping[str, Ints]


# --- inputs


TEXTS = "texts"
"""Source, references and outputs as lines of text."""

class Text(NamedTuple):
    """The lines of a shard: the source, the references, and the outputs of several systems."""

    source: Lines | None
    references: Sequence[Lines]
    systems: Sequence[Lines]
    shared: dict[object, Any] | None = None
    """Where needs that count the same shard may keep what others of them can use, by any keys;
    None: nowhere."""
    spec: "Sequence[StatisticsSpec]" = ()
    """All that count the shard, in order, where more than one do."""
    rows: Ints | None = None
    """The numbers of the lines in the data set, from 0: int64 [lines]. None: they are not known."""
    whole: Any = None
    """What the survey of the needs has found in the whole data set (see Survey); None where they
    have none."""
    missing: NDArray[np.bool_] | None = None
    """Which references a line does not have, though they have an empty line: bool [lines,
    references]. None: all."""


def as_text(
    sources: Sequence[str], outputs: Sequence[Sequence[str]], annotations: Sequence[Sequence[str]]
) -> Text:
    """Return lines as a shard."""
    source, *others = (
        join_lines(line.encode() for line in lines) for lines in (sources, *outputs, *annotations)
    )
    return Text(source, others[len(outputs) :], others[: len(outputs)])


# --- columns


COUNTING = 1
"""The version of counting. Raise it when any column comes out differently for the same text.

Counts on disk are used by later versions of the program as long as this number stays the same.
"""
PRESENT = "present"
"""The column with the number of references of a sentence, where some are missing (see
`scoring/terms.py`)."""
LAST = "last"
"""The column that is 1 for the last sentence of the data set and 0 for others, for metrics that are
a ReadsDataSet."""

WHOLE = "whole_"
"""What the names of columns begin with that have, for each sentence, the sum of a column over all
sentences.

Only metrics that name the column get them (ReadsDataSet)."""


def last_present(columns: Columns) -> Ints:
    """Return the number of the last reference that each line has: int64 [lines]."""
    last: Ints = (
        columns["ref_len"].shape[1] - 1 - np.argmax(columns["ref_len"][:, ::-1] >= 0, axis=1)
    )
    return columns[PRESENT] - 1 if PRESENT in columns else last


class Field(NamedTuple):
    """A group of columns with one name."""

    name: str
    orders: int = 0
    """How many orders of n-grams it has. With 0 it is one column, without an axis for orders."""
    per_reference: bool = False
    real: bool = False
    """Whether its numbers are float64. A packed table holds their bits as integers."""


@dataclass(frozen=True)
class Schema:
    """The fields of a table of integers, in order, for a number of references.

    The table has two forms. In a mapping, the shape of a field is [...], then [references] if it is
    per reference, then [orders] if it has orders. Packed, the table is one array [..., width], and
    `names` are the names of its columns."""

    fields: tuple[Field, ...]
    references: int

    @classmethod
    @lru_cache(1024)
    def of(cls, fields: tuple[Field, ...], references: int) -> "Schema":
        """Return the schema of these fields, the same object each time, so that its layout is made
        once.
        """
        return cls(fields, references)

    @cached_property
    def _layout(self) -> tuple[tuple[Field, tuple[int, ...], int, int], ...]:
        """Each field with its shape, and its first packed column and the one after its last."""
        shapes = [
            (self.references,) * field.per_reference + (field.orders,) * (field.orders > 0)
            for field in self.fields
        ]
        edges = pairwise(accumulate(map(math.prod, shapes), initial=0))
        return tuple(
            (f, shape, *edge) for f, shape, edge in zip(self.fields, shapes, edges, strict=True)
        )

    @property
    def names(self) -> list[str]:
        """The names of the packed columns. For example, match_2@0 has matches of order 2 with the
        first reference.
        """
        result = []
        for field, shape, _, _ in self._layout:
            for index in np.ndindex(shape):
                order = f"_{index[-1] + 1}" if field.orders else ""
                result.append(
                    f"{field.name}{order}" + (f"@{index[0]}" if field.per_reference else "")
                )
        return result

    @property
    def width(self) -> int:
        """How many packed columns there are."""
        return self._layout[-1][3] if self._layout else 0

    @property
    def dtype(self) -> type[np.int64 | np.float64]:
        """The type for all columns: float64 (exact for integers below 2**53) if any field is real,
        else int64.
        """
        return np.float64 if any(field.real for field in self.fields) else np.int64

    def pack(self, columns: Columns) -> Ints:
        """Return the mapping as one array [..., width]."""
        parts = []
        for field, shape, _, _ in self._layout:
            array = columns[field.name]
            array = array.astype(np.float64).view(np.int64) if field.real else array
            parts.append(
                array.reshape((*array.shape[: array.ndim - len(shape)], -1))
                if shape
                else array[..., None]
            )
        return np.concatenate(parts, axis=-1)

    def narrowed(self, columns: Columns) -> NDArray[np.integer]:
        """Return what narrow() makes of pack(), for fields [lines, ...]."""
        return narrow(self.pack(columns))

    def unpack(self, packed: NDArray[Any]) -> dict[str, Ints]:
        """Return an array [..., width] as a mapping of arrays, float64 for real fields and int64
        for others.
        """
        columns: dict[str, Any] = {}
        for field, shape, start, stop in self._layout:
            array = packed[..., start:stop].reshape(packed.shape[:-1] + shape).astype(np.int64)
            columns[field.name] = array.view(np.float64) if field.real else array
        return columns

    def named(self, packed: Ints) -> dict[str, NDArray[Any]]:
        """Return the columns of an array [..., width], each [...], by their names."""
        real = {field.name for field in self.fields if field.real}
        columns = {
            name: np.ascontiguousarray(packed[..., index]) for index, name in enumerate(self.names)
        }
        return {
            name: array.view(np.float64) if name in real else array
            for name, array in columns.items()
        }


def narrow(array: NDArray[np.integer]) -> NDArray[np.integer]:
    """Return an array of counts in the narrowest of uint16, int32 and int64 that holds them."""
    top = int(array.max(initial=0))
    low = int(array.min(initial=0))
    if low >= 0 and top <= np.iinfo(np.uint16).max:
        return array.astype(np.uint16)
    fits = low >= np.iinfo(np.int32).min and top <= np.iinfo(np.int32).max
    return array.astype(np.int32 if fits else np.int64)


# --- needs


class StatisticsSpec(ABC):
    """Columns that workers count. Subclasses are frozen dataclasses, so that metrics with equal
    needs share columns.
    """

    added_later: ClassVar[frozenset[str]] = frozenset()
    """Fields that are newer than counts that users have stored. The cache key has them where they
    are set."""

    owner: ClassVar[str] = ""
    """The metric of a user whose code counts, with its version, as plugin:<name>:<version>."""

    source: bool = False
    """Whether the source is read."""
    references: ClassVar[bool] = True
    """Whether references are read, or edits in place of them."""
    tokenization: Tokenization | None = None
    """How text becomes tokens, or None if no package outside this program can take part in that."""
    input: str = TEXTS
    """The input that is read of a data set: TEXTS, or one that an extension brings; see
    `data/inputs.py`."""

    @property
    @abstractmethod
    def columns(self) -> tuple[Field, ...]:
        """The columns."""

    @cached_property
    def of_references(self) -> tuple[str, ...]:
        """The names of the columns with numbers for each reference."""
        return tuple(field.name for field in self.columns if field.per_reference)

    @property
    def corpus_pass(self) -> "CorpusPass | None":
        """What has to be known of the whole data set before a line is counted; None: nothing."""
        return None

    @abstractmethod
    def count(self, text: Text) -> list[dict[str, Ints]]:
        """Return the columns of each system: arrays of the fields of schema(), with an axis for
        lines first.
        """

    def schema(self, references: int) -> Schema:
        """Return the columns for a number of references."""
        return Schema.of(self.columns, references)

    @property
    def key(self) -> str:
        """A name, safe in file names. It is different for any two needs whose columns can differ."""
        parts = ["plugin"] if self.owner else []
        parts.append(type(self).__name__.removesuffix("Spec").lower())
        for field in fields(self):  # type: ignore[arg-type] # (subclasses are dataclasses)
            value = getattr(self, field.name)
            if isinstance(value, tuple):
                parts += [field.name, *map(str, value)] if value else []
            elif value not in (None, False, ""):
                parts.append(field.name if value is True else str(getattr(value, "key", value)))
        return "-".join(parts)

    @property
    def cache_key(self) -> str:
        """The text that stands for these columns in the keys of stored counts.

        It is different for any two needs whose columns can differ, as `key` is. It must not change
        from one version of the program to the next, even if classes and fields get other names: if
        it changes, stored counts are not found."""
        own = {field.name: (getattr(self, field.name), field.default) for field in fields(self)}  # type: ignore[arg-type]
        kept = {
            name: value
            for name, (value, usual) in own.items()
            if name not in self.added_later or value != usual
        }
        told = (
            f"{name}={getattr(value, 'cache_key', None) or repr(value)}"
            for name, value in kept.items()
        )
        # Counts on disk were stored when these classes were named XNeeds.
        stored = re.sub("Spec$", "Needs", type(self).__name__)
        return f"{self.owner and f'{self.owner}:'}{stored}({', '.join(told)})"

    def unavailable(self) -> str | None:
        """Return why nothing can be counted here (a package of the tokeniser may be missing), or
        None.
        """
        return self.tokenization.unavailable() if self.tokenization else None


class CorpusPass(StatisticsSpec):
    """What has to be known of a whole data set before any line is counted, such as how often its
    n-grams occur.

    Needs whose columns depend on it name it as their `survey`, and find it as `Text.whole` when
    they count. Needs with equal surveys share one. A survey is a pass of its own: its shards are
    counted by the same workers, kept in the run directory and taken up again as those of other
    needs are. The key of what is kept has the contents of the texts that it depends on: source and
    references, and the outputs where `of_systems` is true.

    The fields of a subclass are its settings. It has three members beside `columns`, and may have
    the others of Needs:

    - `count(text)` is called for each shard, and returns a list with one mapping of columns. Their
      numbers of rows are free, but the same for all. What `columns` names has no references, and
      may have orders.
    - `reduced(columns)` gets the rows of several shards, one after the other in the order of lines.
      It returns fewer rows that say the same. Reducing some rows first must change nothing in the
      end: shards are reduced in any groups.
    - `opened(columns)` makes of all rows what `Text.whole` is. That is done once in each process.

    In memory, as in a Scorer, the lines that are given are the whole data set.
    """

    of_systems: ClassVar[bool] = False
    """Whether outputs are read: `Text.systems` are then those of all systems of the run. Else there
    are none."""

    @abstractmethod
    def reduced(self, columns: Columns) -> Columns:
        """Return fewer rows that say the same as those of several shards."""

    @abstractmethod
    def opened(self, columns: Columns) -> Any:
        """Return what needs find as Text.whole."""


def with_corpus_pass(spec: StatisticsSpec, text: Text) -> Text:
    """Return a text that is a whole data set with what the survey of the needs finds in it."""
    corpus_pass = spec.corpus_pass
    return (
        text._replace(whole=corpus_pass.opened(corpus_pass.reduced(corpus_pass.count(text)[0])))
        if corpus_pass
        else text
    )


@dataclass(frozen=True)
class OverlapSpec(StatisticsSpec):
    """Counts of n-grams of the orders 1 to `order`, beside lengths and totals."""

    tokenization: Tokenization = dataclasses.field()
    order: int
    kinds: tuple[str, ...]
    """What is counted; see `kernel/common.py`."""
    source: bool = False
    source_len: bool = False
    """Whether there is a column for the length of the source."""

    @property
    def key(self) -> str:
        """A name, safe in file names. It is different for any two needs whose columns can differ."""
        source = ["source_len"] if self.source_len else []
        return "-".join(["overlap", *self.kinds, *source, f"n{self.order}", self.tokenization.key])

    @cached_property
    def columns(self) -> tuple[Field, ...]:
        """hyp_len, src_len (if asked for), ref_len, total, and the kinds."""
        kinds = tuple(Field(kind, self.order, per_reference=kind in KINDS) for kind in self.kinds)
        source = (Field("src_len"),) if self.source_len else ()
        lengths = (
            Field("hyp_len"),
            *source,
            Field("ref_len", per_reference=True),
            Field("total", self.order),
        )
        return lengths + kinds

    def count(self, text: Text) -> list[dict[str, Ints]]:
        """Count a shard, with one pass over source and references for all systems."""
        source, references, systems = self._encoded(text)
        counts = kernel.overlap(source, references, systems, self.order, self.kinds)
        ref_len = np.stack([np.diff(reference.offsets) for reference in references], axis=-1)
        result = []
        for number, system in enumerate(systems):
            kinds = {kind: array[number] for kind, array in counts.items()}
            lengths = {
                "hyp_len": np.diff(system.offsets),
                "ref_len": ref_len,
                "total": totals(system, self.order),
            }
            if self.source_len and source:
                lengths["src_len"] = np.diff(source.offsets)
            result.append(lengths | kinds)
        return result

    def _encoded(self, text: Text) -> tuple[Encoded | None, list[Encoded], list[Encoded]]:
        """Return source (None where it is not read), references and outputs as ids.

        They are kept for the needs of the same tokens that come later, and forgotten by the last of
        these."""
        mates = [
            need
            for need in text.spec
            if isinstance(need, OverlapSpec) and need.tokenization == self.tokenization
        ]
        sources = (
            [text.source] if text.source and any(need.source for need in [self, *mates]) else []
        )
        shared = text.shared if text.shared is not None and self in mates else {}
        texts = [*text.references, *text.systems]
        try:
            encoded = shared.pop(self.tokenization, None) or self.tokenization.encode(
                [*sources, *texts]
            )
        except InvalidTextError:
            if self.source or not sources:
                raise
            encoded = self.tokenization.encode(
                texts
            )  # the source, which these needs do not read, may be the cause
            return None, encoded[: len(text.references)], encoded[len(text.references) :]
        if self in mates[:-1]:
            shared[self.tokenization] = encoded
        first, others = len(sources), len(sources) + len(text.references)
        return (
            encoded[0] if self.source and sources else None,
            encoded[first:others],
            encoded[others:],
        )

    def prepare(self, text: Text) -> "PreparedOverlap | None":
        """Return source and references prepared; see `metrics/given.py`. None as
        Tokenization.prepared() says.
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
    """Return how a metric with the option tokenizer splits lines. It may have the options unit,
    strip and lowercase too.
    """
    return Tokenization(
        metric.tokenizer if splits_words(metric) else "char",
        strip=getattr(metric, "strip", False),
        lowercase=getattr(metric, "lowercase", False),
    )


@dataclass(frozen=True)
class NumberSpec(StatisticsSpec):
    """Numbers of each sentence, joined by blanks in lines of text, as `data/number_files.py`
    writes them.
    """

    title: str
    names: tuple[str, ...]
    """The names of the columns."""
    decimals: int | None
    """Numbers are whole multiples of 10**-decimals, or floats if this is None."""
    source: bool = False
    references: ClassVar[bool] = False

    @property
    def columns(self) -> tuple[Field, ...]:
        """One field for each name."""
        return tuple(Field(name, real=self.decimals is None) for name in self.names)

    def count(self, text: Text) -> list[dict[str, Ints]]:
        """Read the numbers of each system."""
        number_type = np.float64 if self.decimals is None else np.int64
        result: list[dict[str, Any]] = []
        for lines in text.systems:
            rows = [row.split() for row in lines.texts()]
            table = np.array([[number_type(cell) for cell in row] for row in rows], number_type)
            table = table.reshape(len(rows), len(self.names))
            result.append({name: table[:, number] for number, name in enumerate(self.names)})
        return result


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


def totals(text: Encoded, order: int) -> Ints:
    """Return how many n-grams of the orders 1 to `order` each line has: int64 [lines, order]."""
    return np.maximum(np.diff(text.offsets)[:, None] - np.arange(order), 0)
