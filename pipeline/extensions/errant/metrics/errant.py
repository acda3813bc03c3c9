"""ERRANT (Bryant et al. 2017): F-beta of edits, as errant_compare scores M2 files."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline import kernel
from pipeline.arrays import Bools, Floats, Ints
from pipeline.extensions.edits.annotators import SequentialAnnotatorChoice
from pipeline.extensions.edits.m2_files import FIELDS, Edit
from pipeline.extensions.edits.options import choice_option
from pipeline.extensions.edits.records import annotation_of, outputs_of
from pipeline.metrics.base import (
    Columns,
    Counted,
    CountWarning,
    Field,
    Metric,
    StatisticsSpec,
    Text,
    Verdict,
    Verdicts,
    f_of_counts,
    rounded,
)
from pipeline.metrics.options import beta_option, level_option, option

from .. import errant_report
from ..errant_report import (
    CHERRANT,
    NOOP,
    UNJUDGED,
    UNKNOWN,
    WORDS,
    Comparison,
    Key,
    is_of,
)
from ..options import AnnotatesTexts, annotator_option, gold_option
from ..view_names import EDITS_OF_BOTH


class TypedEdits(NamedTuple):
    """Hits or misses."""

    rows: Ints
    """The row of each: its system times the number of lines, plus its line."""
    types: Ints
    """The type of each."""


class PairHits(NamedTuple):
    """Hits and misses of a pair of annotators."""

    tp: TypedEdits
    fp: TypedEdits
    """The misses of the output."""
    fn: TypedEdits
    """The misses of the annotator."""


class Compared(NamedTuple):
    """Hits and misses of the outputs of a shard with each pair of annotators."""

    orders: Ints
    """The rank of each pair in the official program: [systems, lines, pairs]."""
    edits: Ints
    """How many edits the annotator has, without noops: [systems, lines, pairs].

    It is -1 if one of the pair has no line."""
    hits: list[PairHits]
    """For each pair its hits and misses."""
    types: list[str]
    """The types by their numbers."""


class Entries(NamedTuple):
    """Edits as they are compared, one entry for each edit, or in mode dt for each of its tokens.

    The arrays have an element for each entry.
    """

    rows: Ints
    """The line of each, or the system times the number of lines plus the line."""
    keys: Ints
    """The properties that have to be equal, as a number."""
    types: Ints
    """The number of its type."""
    alive: Bools
    """Whether the first edit with this key is no noop."""
    ranks: Ints
    """The rank of its annotator in the row, by first appearance, from 0."""

    def of_rows(self, low: int, high: int) -> "Entries":
        """Return those of some rows, which are counted from 0 again."""
        first, last = np.searchsorted(self.rows, [low, high])
        columns: list[Any] = [column[first:last] for column in self]
        entries = Entries(*columns)
        return entries._replace(rows=entries.rows - low)

    def where(self, chosen: Bools) -> "Entries":
        """Return the entries that are chosen."""
        columns: list[Any] = [column[chosen] for column in self]
        return Entries(*columns)


class Numbered(NamedTuple):
    """Values of fields as numbers, equal for equal values."""

    numbers: Ints
    values: list[Any]
    """The values by their numbers."""


def hits_of(comparison: Comparison, text: Text) -> Compared:
    """Return hits and misses of a shard.

    All specs with the same comparison share the result, which nobody may change.
    """
    shared = text.shared if text.shared is not None else {}
    key = ("errant", comparison)
    if key not in shared:
        shared[key] = _Comparing(comparison, text).all()
    compared: Compared = shared[key]
    return compared


class _Comparing:
    """Reads the records of a shard, and compares their edits.

    A row is a record: first those of each reference, line after line, then those of each system.
    Each rule is that of Comparison and compare() in `errant_report.py`, where it is written for one
    edit; here it is one of arrays.
    """

    def __init__(self, comparison: Comparison, text: Text) -> None:
        """Read the records of a shard, first their fields, then the first lines and the edits."""
        self.comparison = comparison
        self.systems = len(text.systems)
        self.lines = len(text.references[0].starts)
        self.pairs = len(text.references)
        # number the fields of all records; equal fields have the same id
        words = kernel.words([*text.references, *text.systems], "fields")
        self._distinct = words.distinct()
        ids = np.concatenate([fields.ids for fields in words.texts])
        fields_of_rows = np.concatenate(
            [np.diff(fields.offsets) for fields in words.texts]
        )
        # read the first lines, which only references have: order, annotator and output
        reference_rows = self.pairs * self.lines
        first_fields = np.cumsum(fields_of_rows) - fields_of_rows
        first_lines = first_fields[:reference_rows]
        fields_of_rows[:reference_rows] -= 1
        heads = self._numbered(ids[first_lines], _head)
        head_table = np.array(heads.values, np.int64).reshape(-1, 3)
        shape = (self.pairs, self.lines, 3)
        self.heads = head_table[heads.numbers].reshape(shape)
        # read the edits
        fields = np.delete(ids, first_lines).reshape(-1, FIELDS)
        self._read_entries(fields, fields_of_rows // FIELDS)

    def _numbered(
        self,
        ids: NDArray[np.int32],
        value_of: Callable[[str], Any],
    ) -> Numbered:
        """Give equal values of some fields equal numbers; `ids` are the ids of these fields.

        `value_of` makes a value of the text of a field, and is called once for each distinct text.
        """
        number_of: dict[Any, int] = {}
        number_of_id = np.zeros(len(self._distinct), np.int64)
        for field_id in np.flatnonzero(np.bincount(ids)).tolist():
            value = value_of(self._distinct[field_id])
            number_of_id[field_id] = number_of.setdefault(value, len(number_of))
        return Numbered(number_of_id[ids], list(number_of))

    def _read_entries(self, fields: NDArray[np.int32], sizes: Ints) -> None:
        """Set the entries of all rows, and how many annotators each row has.

        `fields` has the ids of the fields of each edit, [edits, FIELDS], and `sizes` the number of
        edits of each row, [rows].
        """
        rows = np.repeat(np.arange(len(sizes)), sizes)
        types = self._numbered(fields[:, 1], str)
        self.types: list[str] = types.values

        # the rank of each annotator of a row, by first appearance; edits are grouped by both
        annotators = self._numbered(fields[:, 5], int)
        by_annotator = _groups(
            rows * len(annotators.values) + annotators.numbers
        )
        by_appearance = np.argsort(by_annotator.first)
        row_of_group = rows[by_annotator.first[by_appearance]]
        first_in_row = np.searchsorted(row_of_group, row_of_group)
        ranks = np.empty(len(by_appearance), np.int64)
        ranks[by_appearance] = np.arange(len(ranks)) - first_in_row
        self.annotators = np.bincount(row_of_group, minlength=len(sizes))

        # the entries: edits that are compared, and whether the first with the same key of the same
        # annotator is a noop
        edits, keys = self._keys(fields, types.numbers)
        annotator_groups = by_annotator.of_values[edits]
        entry_types = types.numbers[edits]
        is_noop_type = np.array([name == NOOP for name in self.types], bool)
        is_noop = is_noop_type[entry_types]
        by_key = _groups(annotator_groups * self.distinct_keys + keys)
        is_alive = ~is_noop[by_key.first]
        self.entries = Entries(
            rows=rows[edits],
            keys=keys,
            types=entry_types,
            alive=is_alive[by_key.of_values],
            ranks=ranks[annotator_groups],
        )

    def _keys(
        self, fields: NDArray[np.int32], types: Ints
    ) -> tuple[Ints, Ints]:
        """Return the edits that are compared, by index, and their keys, as numbers: [entries] each.

        `fields` is [edits, FIELDS], and `types` the number of each edit's type, [edits]. In mode dt
        an edit occurs once for each of its tokens.
        """
        comparison = self.comparison
        mode = comparison.mode
        spans = self._numbered(fields[:, 0], _span)
        span_table = np.array(spans.values, np.int64).reshape(-1, 2)
        start, end = span_table[spans.numbers].T
        correction_of = _without_blanks if comparison.style == CHERRANT else str
        corrections = self._numbered(fields[:, 2], correction_of)

        # how many entries each edit has
        is_compared = []
        for name in self.types:
            # an error of unknown type is detected, but not corrected
            is_uncorrected = name == UNKNOWN and mode in ("cs", "cse")
            is_compared.append(
                name not in comparison.left_out and not is_uncorrected
            )
        times = np.array(is_compared, np.int64)[types]
        if comparison.single or comparison.multi:
            words = [len(text.split()) for text in corrections.values]
            lengths = np.array(words, np.int64)[corrections.numbers]
            is_multi = (end - start >= WORDS) | (lengths >= WORDS)
            if comparison.single:
                times[is_multi] = 0
            if comparison.multi:
                times[~is_multi] = 0
        if mode == "dt":
            is_one_key = (start == -1) | (start == end)
            times *= np.where(is_one_key, 1, np.maximum(end - start, 0))
        edits = np.repeat(np.arange(len(times)), times)

        # the keys: span, correction and type as one number, or a token
        keys = spans.numbers
        if mode in ("cs", "cse"):
            keys = keys * len(corrections.values) + corrections.numbers
        if mode == "cse":
            # numbered anew first, so that the products stay small
            _, span_corrections = np.unique(keys, return_inverse=True)
            keys = span_corrections * len(self.types) + types
        keys = keys[edits]
        if mode == "dt":
            first_entries = np.repeat(np.cumsum(times) - times, times)
            token = np.arange(len(edits)) - first_entries
            first_token = start[edits]
            keys = np.where(first_token == -1, -1, 2 * (first_token + token))
        distinct, keys = np.unique(keys, return_inverse=True)
        self.distinct_keys = max(len(distinct), 1)
        return edits, keys

    def all(self) -> Compared:
        """Return the hits and misses of all outputs with each pair of annotators."""
        shape = (self.systems, self.lines, self.pairs)
        orders = np.zeros(shape, np.int64)
        edits = np.full(shape, -1, np.int64)
        reference_rows = self.pairs * self.lines
        outputs = self.entries.of_rows(reference_rows, len(self.annotators))
        output_annotators = self.annotators[reference_rows:].reshape(shape[:2])
        is_judged = self._judged()
        hits = []
        for pair, heads in enumerate(self.heads):
            order, _, output = heads.T
            # the same for all lines of a pair, but for lines without a record
            output_rank = output.max(initial=0)
            gold = self._of_pair(pair)
            has_both = (order >= 0) & (output_annotators > output_rank)
            official_order = output * self.pairs + order
            orders[..., pair] = np.where(has_both, official_order, 0)
            gold_rows = gold.rows[gold.alive]
            gold_edits = np.bincount(gold_rows, minlength=self.lines)
            edits[..., pair] = np.where(has_both, gold_edits, -1)
            proposed = outputs.where(outputs.ranks == output_rank)
            hits.append(self._compare(proposed, gold, has_both & is_judged))
        return Compared(orders, edits, hits, self.types)

    def _of_pair(self, pair: int) -> Entries:
        """Return the annotator's entries of a pair; rows are lines."""
        first = pair * self.lines
        return self.entries.of_rows(first, first + self.lines)

    def _compare(
        self, proposed: Entries, gold: Entries, compared: Bools
    ) -> PairHits:
        """Return the hits and misses of outputs with an annotator, as compare() counts them.

        The rows of `proposed` are systems times lines, and those of `gold` lines. `compared` is
        which sentences of which systems are compared: bool [systems, lines].
        """
        # number the keys of the annotator in each line, and find them among the proposed ones
        line_keys = gold.rows * self.distinct_keys + gold.keys
        gold_keys, key_of_gold = np.unique(line_keys, return_inverse=True)
        system, line = np.divmod(proposed.rows, self.lines)
        proposed_keys = line * self.distinct_keys + proposed.keys
        key_of_proposed = np.searchsorted(gold_keys, proposed_keys)
        padded = np.append(gold_keys, -1)  # no key is below 0
        in_gold = padded[key_of_proposed] == proposed_keys

        # which systems have each key of the annotator, and with an edit that is no noop
        shape = (self.systems, len(gold_keys))
        has_key = np.zeros(shape, bool)
        has_key[system[in_gold], key_of_proposed[in_gold]] = True
        has_edit = np.zeros(shape, bool)
        is_edit = in_gold & proposed.alive
        has_edit[system[is_edit], key_of_proposed[is_edit]] = True

        # hits and misses of the annotator, [systems, entries], and misses of outputs, [entries]
        is_compared = compared[:, gold.rows]
        hits = has_edit[:, key_of_gold] & is_compared
        missed = gold.alive & ~has_key[:, key_of_gold] & is_compared
        wrong = proposed.alive & ~in_gold
        wrong &= compared.reshape(-1)[proposed.rows]
        return PairHits(
            tp=self._gold_edits(gold, hits),
            fp=TypedEdits(proposed.rows[wrong], proposed.types[wrong]),
            fn=self._gold_edits(gold, missed),
        )

    def _gold_edits(self, gold: Entries, chosen: Bools) -> TypedEdits:
        """Return the annotator's entries that are chosen for each system: bool [systems, entries]."""
        system, entry = np.nonzero(chosen)
        rows = system * self.lines + gold.rows[entry]
        return TypedEdits(rows, gold.types[entry])

    def _judged(self) -> Bools:
        """Return which sentences are judged: bool [lines].

        In ChERRANT's files, sentences whose only annotator has a single edit, of the type NA, are
        not judged. In others all are.
        """
        if self.comparison.style != CHERRANT:
            return np.ones(self.lines, bool)
        annotators = np.zeros(self.lines, np.int64)
        edits = np.zeros(self.lines, np.int64)
        unjudged_edits = np.zeros(self.lines, np.int64)
        is_unjudged = np.array([name == UNJUDGED for name in self.types], bool)
        for pair, heads in enumerate(self.heads):
            order, _, output = heads.T
            if output.max(initial=0):
                continue  # the same annotator with another one of the output
            entries = self._of_pair(pair)
            unjudged_rows = entries.rows[is_unjudged[entries.types]]
            annotators += order >= 0
            edits += np.bincount(entries.rows, minlength=self.lines)
            unjudged_edits += np.bincount(unjudged_rows, minlength=self.lines)
        judged: Bools = (annotators != 1) | (edits != 1) | (unjudged_edits != 1)
        return judged


class Groups(NamedTuple):
    """Values in groups of equal ones, sorted."""

    first: Ints
    """The index of the first value of each group."""
    of_values: Ints
    """The group of each value."""


def _groups(values: Ints) -> Groups:
    _, first, of_values = np.unique(
        values, return_index=True, return_inverse=True
    )
    return Groups(first, of_values)


def _head(field: str) -> tuple[int, ...]:
    """Return the numbers in the first line of a record, -1 without any."""
    return tuple(map(int, field.split())) or (-1, -1, -1)


def _span(field: str) -> tuple[int, ...]:
    """Return the numbers in the first field of an edit."""
    return tuple(map(int, field[1:].split()))


def _without_blanks(text: str) -> str:
    return text.replace(" ", "")


COUNTS = ("tp", "fp", "fn")


def _digest(types: tuple[str, ...]) -> str:
    """Return a short name for types in keys."""
    return blake2b(repr(types).encode(), digest_size=6).hexdigest()


@dataclass(frozen=True)
class ErrantSpec(StatisticsSpec):
    """Hits (tp) and misses (fp, fn) of all edits, and of the requested types."""

    comparison: Comparison
    types: tuple[str, ...] = ()
    """The types, categories or patterns that are counted apart; empty: none."""
    annotator: str = ""
    """The annotator of texts, as in signatures; empty: there are only M2 files."""
    input = EDITS_OF_BOTH

    @property
    def source(self) -> bool:  # type: ignore[override]
        """Whether texts are annotated, which takes the source."""
        return bool(self.annotator)

    @property
    def key(self) -> str:
        """A name, safe in file names, that is different if columns can differ."""
        comparison = self.comparison
        words = ["errant", comparison.mode]
        if comparison.single:
            words.append("single")
        if comparison.multi:
            words.append("multi")
        if comparison.style == CHERRANT:
            words.append(CHERRANT)
        for types in (comparison.left_out, self.types):
            if types:
                words.append(_digest(types))
        if self.annotator:
            words.append(self.annotator)
        return "-".join(words)

    @property
    def cache_key(self) -> str:
        """The text that stands for these columns in the keys of stored counts."""
        comparison = self.comparison
        fields = f"mode={comparison.mode!r}, single={comparison.single}, multi={comparison.multi}"
        if comparison.style == CHERRANT:
            fields += f", style={comparison.style!r}"
        fields += f", left_out={comparison.left_out!r}, types={self.types!r}"
        if self.annotator:
            fields += f", annotator={self.annotator!r}"
        return f"ErrantNeeds({fields})"

    @property
    def columns(self) -> tuple[Field, ...]:
        """The order of the annotators, their numbers of edits, and the counts."""
        names = ["order", "ref_len", *COUNTS]
        if self.types:
            names += [f"type_{name}" for name in COUNTS]
        return tuple(Field(name, per_reference=True) for name in names)

    def count(self, text: Text) -> list[dict[str, Ints]]:
        """Return the columns of each system: int64 [lines, pairs of annotators] each.

        References and systems of `text` are records of edits.
        """
        compared = hits_of(self.comparison, text)
        systems, lines, pairs = compared.edits.shape
        columns = {"order": compared.orders, "ref_len": compared.edits}
        for field in self.columns[2:]:
            columns[field.name] = np.zeros((systems, lines, pairs), np.int64)

        def count(name: str, pair: int, rows: Ints) -> None:
            """Set a column to how often each row (system and line) occurs."""
            counts = np.bincount(rows, minlength=systems * lines)
            columns[name][..., pair] = counts.reshape(systems, lines)

        requested = self._requested(compared.types)
        for pair, hits in enumerate(compared.hits):
            for name, edits in zip(COUNTS, hits, strict=True):
                count(name, pair, edits.rows)
                if self.types:
                    rows = edits.rows[requested[edits.types]]
                    count(f"type_{name}", pair, rows)
        return _by_system(columns, systems)

    def _requested(self, types: Sequence[str]) -> Bools:
        """Return which types are among those that are counted apart, or all without any."""
        if not self.types:
            return np.ones(len(types), bool)
        return np.array([is_of(name, self.types) for name in types], bool)


def _by_system(
    columns: Mapping[str, NDArray[Any]],
    systems: int,
) -> list[dict[str, Ints]]:
    """Cut columns [systems, lines, ...] into the columns of each system: [lines, ...] each."""
    by_system = []
    for system in range(systems):
        by_system.append(
            {name: column[system] for name, column in columns.items()}
        )
    return by_system


@dataclass(frozen=True)
class TypeSpec(ErrantSpec):
    """Hits (tp) and misses (fp, fn) of each type of those in `types`, or of all.

    Their sums are the counts of ErrantSpec.
    """

    categories: tuple[str, ...] = ()
    """The types. Each has an order of its own, and all other types share one more."""

    @property
    def key(self) -> str:
        """A name, safe in file names, that is different if columns can differ."""
        return f"{super().key}-by-type-{_digest(self.categories)}"

    @property
    def cache_key(self) -> str:
        """The text that stands for these columns in the keys of stored counts."""
        return f"TypeNeeds({super().cache_key}, categories={self.categories!r})"

    @property
    def columns(self) -> tuple[Field, ...]:
        """The counts, with an order for each type and one for all others."""
        orders = len(self.categories) + 1
        return tuple(
            Field(name, orders=orders, per_reference=True) for name in COUNTS
        )

    def count(self, text: Text) -> list[dict[str, Ints]]:
        """Return the columns of each system: int32 [lines, pairs of annotators, categories + 1]."""
        compared = hits_of(self.comparison, text)
        systems, lines, pairs = compared.edits.shape

        # the category of each type, the last for those that are none
        others = len(self.categories)
        index_of = {name: index for index, name in enumerate(self.categories)}
        categories = [index_of.get(name, others) for name in compared.types]
        category_of_type = np.array(categories, np.int64)

        # count by cells: a system, line, pair and category
        width = others + 1
        shape = (systems, lines, pairs, width)
        columns = {name: np.zeros(shape, np.int32) for name in COUNTS}
        requested = self._requested(compared.types)
        for pair, hits in enumerate(compared.hits):
            for name, edits in zip(COUNTS, hits, strict=True):
                rows = edits.rows * pairs + pair
                cells = rows * width + category_of_type[edits.types]
                counted = cells[requested[edits.types]]
                # by distinct cells, since most counts are 0
                distinct, times = np.unique(counted, return_counts=True)
                columns[name].reshape(-1)[distinct] = times
        return _by_system(columns, systems)


class _JudgedEdit(NamedTuple):
    """An edit of one key, with the type and the verdict that it counts as."""

    edit: Edit
    key: Key
    type: str
    verdict: str


def verdicts(
    comparison: Comparison,
    only: tuple[str, ...],
    source: str,
    output: str,
    annotation: str,
) -> list[Verdict] | None:
    """Return a verdict for each hit and miss of a sentence, as they are counted.

    `source` is the sentence; `output` and `annotation` are records of edits. `only` are the types
    that are listed; empty: all. Verdicts are sorted by span, missed edits last. Returns None if
    the annotator, or the output's annotator to compare with, has no line.
    """
    gold = annotation_of(annotation.encode())
    outputs = outputs_of(output.encode())
    if gold is None or gold.output >= len(outputs):
        return None
    tokens = source.split()
    judged = _judged_edits(comparison, outputs[gold.output], gold.edits)
    listed = []
    for edit, key, type_, verdict in judged:
        if only and not is_of(type_, only):
            continue
        # the span is that of the key: if each token counts, it is one token
        start = max(int(key[0]), 0)
        end = max(int(key[1]), 0)
        original = " ".join(tokens[start:end])
        correction = "" if edit.correction == "-NONE-" else edit.correction
        listed.append(Verdict(start, end, original, correction, type_, verdict))
    return sorted(
        listed,
        key=lambda item: (item.start, item.end, item.verdict == Verdict.MISSED),
    )


def _judged_edits(
    comparison: Comparison,
    output: Iterable[Edit],
    annotator: Iterable[Edit],
) -> Iterator[_JudgedEdit]:
    """Yield the edits of a sentence as compare() of `errant_report.py` counts them."""
    proposed = comparison.by_key(output)
    gold = comparison.by_key(annotator)
    for key, edits in proposed.items():
        if edits[0].type == NOOP:
            continue
        if key in gold:
            for edit in gold[key]:
                yield _JudgedEdit(edits[0], key, edit.type, Verdict.RIGHT)
        else:
            for edit in edits:
                yield _JudgedEdit(edit, key, edit.type, Verdict.WRONG)
    for key, edits in gold.items():
        if edits[0].type != NOOP and key not in proposed:
            for edit in edits:
                yield _JudgedEdit(edit, key, edit.type, Verdict.MISSED)


def _listed(types: str) -> tuple[str, ...]:
    """Return types that are joined by +."""
    return tuple(filter(None, types.split("+")))


_LIST: dict[str, Any] = {
    "pattern": r"[A-Za-z0-9_.:*-]+(\+[A-Za-z0-9_.:*-]+)*",
    "form": "types joined by +, such as R:OTHER+R:SPELL",
}


@dataclass(frozen=True)
class Errant(AnnotatesTexts, Metric):
    """F-beta of edits that the output and an annotator have in common.

    The counts tp, fp and fn are summed over sentences. Precision is tp / (tp + fp), or 1 without
    fp. Recall is tp / (tp + fn), or 1 without fn. For each sentence the annotator counts with whom
    F of all sentences so far, rounded to 4 decimals, is highest. Of equals, the one with more tp
    counts, then with fewer fp, then with fewer fn, then the first in the file. The source is
    errant_compare.
    """

    name: ClassVar[str] = "errant"
    summary: ClassVar[str] = (
        "F0.5 of annotated edits (Bryant et al. 2017), as errant_compare"
    )
    name_in_text: ClassVar[str] = "ERRANT"
    score_in_text: ClassVar[str] = "F{beta}"
    spellings: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "ERRANT F0.5": {},
        "errant_compare": {},
        "SentERRANT": {"level": "mean"},
    }
    counts: ClassVar[frozenset[str]] = frozenset(COUNTS)
    citations: ClassVar[tuple[str, ...]] = ("bryant-etal-2017-automatic",)
    has_verdicts: ClassVar[bool] = True
    terms: ClassVar[tuple[Field, ...]] = tuple(
        Field(name, per_reference=True) for name in COUNTS
    )
    """The counts."""

    mode: str = option(
        "cs",
        help="what is compared: correction by span (cs), by span and type (cse), detection by "
        "span (ds), by token (dt)",
        choices=errant_report.MODES,
    )
    beta: str = beta_option()
    single: bool = option(
        False, help="only edits of one word on both sides", implicit=True
    )
    multi: bool = option(
        False, help="only edits of several words on one side", implicit=True
    )
    filter: str = option(
        "", help="types that are left out", implicit=True, **_LIST
    )
    types: str = option(
        "",
        help="score only these types: whole types (R:NOUN), categories (NOUN, R) or patterns "
        "(R:VERB*); annotators are chosen by all edits",
        implicit=True,
        **_LIST,
    )
    style: str = option(
        "errant",
        help="how files are read: as errant_compare does, or as ChERRANT does (Chinese): blanks in "
        "corrections mean nothing, and sentences that the only annotator did not judge (NA) do "
        "not count",
        choices=errant_report.STYLES,
        implicit=True,
    )
    choice: str = choice_option()
    level: str = level_option()
    annotator: str = annotator_option()
    gold: str = gold_option()

    @property
    def spec(self) -> ErrantSpec:
        """Hits and misses with each annotator."""
        comparison = Comparison(
            mode=self.mode,
            single=self.single,
            multi=self.multi,
            left_out=_listed(self.filter),
            style=self.style,
        )
        return ErrantSpec(
            comparison, _listed(self.types), annotator=self.annotation
        )

    def breakdown(self, categories: tuple[str, ...]) -> TypeSpec | None:
        """Return the counts of each type of edit; None for the mean of sentences."""
        if self.level != "corpus":
            return None
        spec = self.spec
        return TypeSpec(spec.comparison, spec.types, spec.annotator, categories)

    def category(self, name: str, tier: int) -> str:
        """Return the category of a type as errant_compare has it with -cat 1, 2 or 3."""
        return errant_report.category(name, tier)

    def make_terms(self, columns: Columns) -> dict[str, Ints]:
        """Return the counts of the requested types."""
        prefix = "type_" if self.types else ""
        return {name: columns[prefix + name] for name in COUNTS}

    def verdicts(
        self,
        sources: Sequence[str],
        outputs: Sequence[Sequence[str]],
        annotations: Sequence[Sequence[str]],
    ) -> Verdicts:
        """Return the edits that are counted as hits (right) or misses: by system, line, annotator.

        `outputs` has the records of each system, and `annotations` those of each annotator, a
        record for each line.
        """
        comparison = self.spec.comparison
        types = self.spec.types
        verdicts_of_systems = []
        for output in outputs:
            verdicts_of_lines = []
            for source, output_record, *gold_records in zip(
                sources, output, *annotations, strict=True
            ):
                by_annotator = []
                for gold_record in gold_records:
                    by_annotator.append(
                        verdicts(
                            comparison,
                            types,
                            source,
                            output_record,
                            gold_record,
                        )
                    )
                verdicts_of_lines.append(by_annotator)
            verdicts_of_systems.append(verdicts_of_lines)
        return verdicts_of_systems

    def shown_counts(self, columns: Columns) -> list[Counted]:
        """Return the counts with each annotator."""
        terms = self.make_terms(columns)
        return [
            Counted(name, values, per_reference=True)
            for name, values in terms.items()
        ]

    def count_warnings(
        self,
        counts: Mapping[str, Iterable[Columns]],
    ) -> list[CountWarning]:
        """Return a warning if annotators have no edit of the scored types: scores may be 1.

        `counts` has the columns of each system, block after block of lines.
        """
        if not self.types:
            return []
        annotated = 0
        proposed = 0
        for blocks in counts.values():
            for columns in blocks:
                gold_edits = columns["type_tp"] + columns["type_fn"]
                annotated += int(gold_edits.sum())
                proposed += int(columns["type_fp"].sum())
        if annotated:
            return []
        where = "of the annotators is" if proposed else "at all is"
        types = f"of the types {self.types}; are they written as in the files?"
        return [CountWarning(f"errant: no edit {where} {types}")]

    def score(self, totals: Columns) -> dict[str, Floats]:
        """Return the score, precision, recall, and the counts."""
        score, precision, recall = self._scores(totals)
        counts = {name: totals[name].astype(np.float64) for name in COUNTS}
        return {
            self.name: score,
            "precision": precision,
            "recall": recall,
        } | counts

    def sequential_choice(self) -> SequentialAnnotatorChoice | None:
        """Return the choice of annotators by running totals; None if each is chosen alone."""
        if self.choice != "official":
            return None
        return SequentialAnnotatorChoice(self._keys, COUNTS)

    def choose(self, columns: Columns) -> Ints:
        """Return the annotator of each sentence, chosen for the sentence alone: int64 [lines]."""
        return SequentialAnnotatorChoice(self._keys, COUNTS, running=False)(
            columns
        )

    def _keys(self, totals: Ints, counts: Ints) -> list[Floats]:
        """Return what is greatest for the chosen annotator; see preference()."""
        tp, fp, fn = counts.astype(np.float64)
        sums = dict(zip(COUNTS, totals + counts, strict=True))
        score, _, _ = self._scores(sums)
        return [rounded(score, 4), tp, -fp, -fn]

    def _scores(self, counts: Columns) -> tuple[Floats, ...]:
        tp, fp, fn = (counts[name] for name in COUNTS)
        return f_of_counts(tp, tp + fp, tp + fn, float(self.beta))
