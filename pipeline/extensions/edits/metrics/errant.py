"""ERRANT (Bryant et al. 2017): precision, recall and F-beta of edits, as errant_compare scores M2
files.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from operator import methodcaller
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline import kernel
from pipeline.arrays import Bools, Floats, Ints
from pipeline.metrics.base.capabilities import (
    MISSED,
    RIGHT,
    WRONG,
    AnnotatesTexts,
    ChoosesReferences,
    CountWarning,
    JudgesEdits,
    Texts,
    Verdict,
    Verdicts,
    Warns,
)
from pipeline.metrics.base.choices import SequentialAnnotatorChoice, f_of_counts, rounded
from pipeline.metrics.base.metric import Counted, Metric
from pipeline.metrics.base.options import beta_option, level_option, option
from pipeline.metrics.base.statistics_spec import (
    EDITS_OF_BOTH,
    Columns,
    Field,
    StatisticsSpec,
    Text,
)

from .. import errant_report
from ..errant_report import CHERRANT, NOOP, UNKNOWN, WORDS, Comparison, is_of
from ..m2_files import FIELDS
from ..options import annotator_option, choice_option, gold_option
from ..records import annotation_of, outputs_of

Hits = tuple[Ints, Ints]
"""The row of each hit or miss, which is its system times the number of lines plus its line; and its
type."""


class Compared(NamedTuple):
    """Hits and misses of the outputs of a shard with each pair of annotators."""

    orders: Ints
    """The place of each pair among those of the sentence in the official program: [systems, lines,
    pairs]."""
    edits: Ints
    """How many edits the annotator has, without noops; -1 where one of the pair has no line: the
    same shape."""
    hits: list[tuple[Hits, Hits, Hits]]
    """For each pair the hits (tp), then the misses of the output (fp) and those of the annotator
    (fn)."""
    types: list[str]
    """The types by their numbers."""


class Entries(NamedTuple):
    """Edits as they are compared, one entry for each edit. In mode dt an edit has one entry for
    each of its tokens.
    """

    rows: Ints
    """The line of each, or the system times the number of lines plus the line."""
    keys: Ints
    """What has to be equal, as a number."""
    types: Ints
    alive: Bools
    """Whether the first edit with this key is no noop."""
    ranks: Ints
    """Which annotator of the row it is of, in the order in which they come first, from 0."""

    def of_rows(self, low: int, high: int) -> "Entries":
        """Return those of some rows, which are counted from 0 again."""
        first, last = np.searchsorted(self.rows, [low, high])
        others: list[Any] = [own[first:last] for own in self[1:]]
        return Entries(self.rows[first:last] - low, *others)


def hits_of(comparison: Comparison, text: Text) -> Compared:
    """Return hits and misses of a shard. All needs that compare alike share the result, which
    nobody may change.
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
    edit; here it is one of whole columns."""

    def __init__(self, comparison: Comparison, text: Text) -> None:
        self.comparison = comparison
        self.systems, self.lines, self.pairs = (
            len(text.systems),
            len(text.references[0].starts),
            len(text.references),
        )
        words = kernel.words([*text.references, *text.systems], "fields")
        self._distinct = words.distinct()
        ids = np.concatenate([own.ids for own in words.texts])
        sizes = np.concatenate([np.diff(own.offsets) for own in words.texts])
        heads = (np.cumsum(sizes) - sizes)[: self.pairs * self.lines]  # only references have one
        sizes[: len(heads)] -= 1
        numbers, values = self._numbered(
            ids[heads], lambda head: tuple(map(int, head.split())) or (-1, -1, -1)
        )
        self.heads = (
            np.array(values, np.int64).reshape(-1, 3)[numbers].reshape(self.pairs, self.lines, 3)
        )
        self.entries, self.annotators = self._entries(
            np.delete(ids, heads).reshape(-1, FIELDS), sizes // FIELDS
        )

    def _numbered(self, ids: NDArray[np.int32], of: Callable[[str], Any]) -> tuple[Ints, list[Any]]:
        """Return a number for what `of` makes of each field, the same for equals, and what the
        numbers stand for.
        """
        numbers: dict[Any, int] = {}
        table = np.zeros(len(self._distinct), np.int64)
        for field in np.flatnonzero(np.bincount(ids)).tolist():
            table[field] = numbers.setdefault(of(self._distinct[field]), len(numbers))
        return table[ids], list(numbers)

    def _entries(self, fields: NDArray[np.int32], sizes: Ints) -> tuple[Entries, Ints]:
        """Return the entries of all rows, and how many annotators each row has. `sizes` are its
        numbers of edits.
        """
        rows = np.repeat(np.arange(len(sizes)), sizes)
        spans, bounds = self._numbered(
            fields[:, 0], lambda field: tuple(map(int, field[1:].split()))
        )
        types, self.types = self._numbered(fields[:, 1], str)
        annotators, several = self._numbered(fields[:, 5], int)
        _, first, own = np.unique(
            rows * len(several) + annotators, return_index=True, return_inverse=True
        )
        by_place = np.argsort(first)
        row_of = rows[first[by_place]]
        ranks = np.empty(len(first), np.int64)
        ranks[by_place] = np.arange(len(first)) - np.searchsorted(row_of, row_of)
        chosen, keys = self._keys(
            spans, np.array(bounds, np.int64).reshape(-1, 2), types, fields[:, 2]
        )
        noop = np.array([name == NOOP for name in self.types], bool)[types[chosen]]
        _, first, group = np.unique(
            own[chosen] * self.several + keys, return_index=True, return_inverse=True
        )
        entries = Entries(
            rows[chosen], keys, types[chosen], ~noop[first][group], ranks[own[chosen]]
        )
        return entries, np.bincount(row_of, minlength=len(sizes))

    def _keys(
        self, spans: Ints, bounds: Ints, types: Ints, fields: NDArray[np.int32]
    ) -> tuple[Ints, Ints]:
        """Return the edits that are compared, one several times where each of its tokens counts,
        and their keys.
        """
        mode, compared = self.comparison.mode, self.comparison
        without_blanks = methodcaller("replace", " ", "")
        corrections, texts = self._numbered(
            fields, without_blanks if compared.style == CHERRANT else str
        )
        start, end = bounds[spans].T
        out = [
            name in compared.left_out or (name == UNKNOWN and mode in ("cs", "cse"))
            for name in self.types
        ]
        times = 1 - np.array(out, np.int64)[types]
        if compared.single or compared.multi:
            long = (end - start >= WORDS) | (
                np.array([len(text.split()) for text in texts], np.int64)[corrections] >= WORDS
            )
            times *= ~(long & compared.single | ~long & compared.multi)
        keys = spans
        if mode in ("cs", "cse"):
            keys = keys * len(texts) + corrections
        if mode == "cse":
            keys = np.unique(keys, return_inverse=True)[1] * len(self.types) + types
        if mode == "dt":
            times *= np.where((start == -1) | (start == end), 1, np.maximum(end - start, 0))
        chosen = np.repeat(np.arange(len(times)), times)
        keys = keys[chosen]
        if mode == "dt":
            token = np.arange(len(chosen)) - np.repeat(np.cumsum(times) - times, times)
            keys = np.where(start[chosen] == -1, -1, 2 * (start[chosen] + token))
        known, keys = np.unique(keys, return_inverse=True)
        self.several = max(len(known), 1)
        return chosen, keys

    def all(self) -> Compared:
        """Return everything."""
        shape = (self.systems, self.lines, self.pairs)
        orders, edits = np.zeros(shape, np.int64), np.full(shape, -1, np.int64)
        outputs = self.entries.of_rows(self.pairs * self.lines, len(self.annotators))
        annotators = self.annotators[self.pairs * self.lines :].reshape(shape[:2])
        judged, hits = self._judged(), []
        for number, heads in enumerate(self.heads):
            order, _, output = heads.T
            theirs = self.entries.of_rows(number * self.lines, (number + 1) * self.lines)
            both = (order >= 0) & (annotators > output.max(initial=0))
            orders[..., number] = np.where(both, output * self.pairs + order, 0)
            alive = np.bincount(theirs.rows[theirs.alive], minlength=self.lines)
            edits[..., number] = np.where(both, alive, -1)
            ours = Entries(*(own[outputs.ranks == output.max(initial=0)] for own in outputs))
            hits.append(self._compare(ours, theirs, both & judged))
        return Compared(orders, edits, hits, self.types)

    def _compare(self, ours: Entries, theirs: Entries, counts: Bools) -> tuple[Hits, Hits, Hits]:
        """Return tp, fp and fn; `counts` says which sentences of which systems are compared:
        [systems, lines].
        """
        wanted, places = np.unique(theirs.rows * self.several + theirs.keys, return_inverse=True)
        system, line = np.divmod(ours.rows, self.lines)
        own = line * self.several + ours.keys
        near = np.minimum(np.searchsorted(wanted, own), max(len(wanted) - 1, 0))
        same = wanted[near] == own if len(wanted) else np.zeros(len(own), bool)
        has, has_alive = (np.zeros((self.systems, len(wanted)), bool) for _ in "12")
        has[system[same], near[same]] = True
        alive = same & ours.alive
        has_alive[system[alive], near[alive]] = True
        counted = counts[:, theirs.rows]
        misses = ours.alive & ~same & counts.reshape(-1)[ours.rows]
        return (
            self._theirs(theirs, has_alive[:, places] & counted),
            (ours.rows[misses], ours.types[misses]),
            self._theirs(theirs, theirs.alive & ~has[:, places] & counted),
        )

    def _theirs(self, entries: Entries, chosen: Bools) -> Hits:
        """Return the annotator's entries that are chosen of each system: [systems, entries]."""
        system, number = np.nonzero(chosen)
        return system * self.lines + entries.rows[number], entries.types[number]

    def _judged(self) -> Bools:
        """Return which sentences are judged, as ChERRANT's files say it: [lines]."""
        if self.comparison.style != CHERRANT:
            return np.ones(self.lines, bool)
        annotators, entries, unjudged = np.zeros((3, self.lines), np.int64)
        for number, (order, _, output) in enumerate(self.heads.transpose(0, 2, 1)):
            own = self.entries.of_rows(number * self.lines, (number + 1) * self.lines)
            if output.max(initial=0) == 0:
                is_unjudged = np.array(
                    [name == errant_report.UNJUDGED for name in self.types], bool
                )[own.types]
                annotators += order >= 0
                entries += np.bincount(own.rows, minlength=self.lines)
                unjudged += np.bincount(own.rows[is_unjudged], minlength=self.lines)
        judged: Bools = (annotators != 1) | (entries != 1) | (unjudged != 1)
        return judged


COUNTS = ("tp", "fp", "fn")


@dataclass(frozen=True)
class ErrantSpec(StatisticsSpec):
    """Hits (tp) and misses (fp, fn) of all edits, and of the types that are asked for."""

    comparison: Comparison
    types: tuple[str, ...] = ()
    """The types, categories or patterns that are counted apart; empty: none."""
    annotator: str = ""
    """The annotator of texts, as signatures call it; empty: there are only M2 files."""
    input = EDITS_OF_BOTH

    @property
    def source(self) -> bool:  # type: ignore[override]
        """Whether texts are annotated, which takes the source."""
        return bool(self.annotator)

    @property
    def key(self) -> str:
        """A name, safe in file names. It is different for any two needs whose columns can differ."""
        more = [repr(self.comparison.left_out)] * bool(self.comparison.left_out) + [
            repr(self.types)
        ] * bool(self.types)
        digests = [blake2b(text.encode(), digest_size=6).hexdigest() for text in more]
        words = ["single"] * self.comparison.single + ["multi"] * self.comparison.multi
        words += [CHERRANT] * (self.comparison.style == CHERRANT)
        return "-".join(
            [
                "errant",
                self.comparison.mode,
                *words,
                *digests,
                *[self.annotator] * bool(self.annotator),
            ]
        )

    @property
    def cache_key(self) -> str:
        """The text that stands for these columns in the keys of stored counts."""
        compared = self.comparison
        flags = f"mode={compared.mode!r}, single={compared.single}, multi={compared.multi}"
        flags += f", style={compared.style!r}" if compared.style == CHERRANT else ""
        more = f", annotator={self.annotator!r}" if self.annotator else ""
        return f"ErrantNeeds({flags}, left_out={compared.left_out!r}, types={self.types!r}{more})"

    @property
    def columns(self) -> tuple[Field, ...]:
        """The order of the annotators, their numbers of edits, and the counts."""
        names = ["order", "ref_len", *COUNTS, *(f"type_{name}" for name in COUNTS if self.types)]
        return tuple(Field(name, per_reference=True) for name in names)

    def count(self, text: Text) -> list[dict[str, Ints]]:
        """Compare the edits of a shard."""
        compared = hits_of(self.comparison, text)
        shape = compared.edits.shape
        columns = {"order": compared.orders, "ref_len": compared.edits}
        wanted = np.array([is_of(name, self.types) for name in compared.types], bool)
        for place, name in enumerate(COUNTS):
            for prefix in ("", "type_") if self.types else ("",):
                counts = columns[prefix + name] = np.zeros(shape, np.int64)
                for number, hits in enumerate(compared.hits):
                    rows, types = hits[place]
                    own = rows[wanted[types]] if prefix else rows
                    counts[..., number] = np.bincount(own, minlength=shape[0] * shape[1]).reshape(
                        shape[:2]
                    )
        return [
            {name: values[system] for name, values in columns.items()} for system in range(shape[0])
        ]


@dataclass(frozen=True)
class TypeSpec(ErrantSpec):
    """Hits (tp) and misses (fp, fn) of each type of those in `types`, or of all. Sums of them are
    the counts above.
    """

    categories: tuple[str, ...] = ()
    """The types. Each has an order of its own, and all other types share one more."""

    @property
    def key(self) -> str:
        """A name, safe in file names. It is different for any two needs whose columns can differ."""
        digest = blake2b(repr(self.categories).encode(), digest_size=6).hexdigest()
        return f"{super().key}-by-type-{digest}"

    @property
    def cache_key(self) -> str:
        """The text that stands for these columns in the keys of stored counts."""
        return f"TypeNeeds({super().cache_key}, categories={self.categories!r})"

    @property
    def columns(self) -> tuple[Field, ...]:
        """The counts, with an order for each type and one for all others."""
        return tuple(
            Field(name, orders=len(self.categories) + 1, per_reference=True) for name in COUNTS
        )

    def count(self, text: Text) -> list[dict[str, Ints]]:
        """Compare the edits of a shard."""
        compared, width = hits_of(self.comparison, text), len(self.categories) + 1
        systems, lines, pairs = compared.edits.shape
        numbers = {name: number for number, name in enumerate(self.categories)}
        of_type = np.array([numbers.get(name, width - 1) for name in compared.types], np.int64)
        wanted = np.array(
            [not self.types or is_of(name, self.types) for name in compared.types], bool
        )
        columns = {name: np.zeros((systems, lines, pairs, width), np.int32) for name in COUNTS}
        for pair, hits in enumerate(compared.hits):
            for name, (rows, types) in zip(COUNTS, hits, strict=True):
                cells = ((rows * pairs + pair) * width + of_type[types])[wanted[types]]
                cells, times = np.unique(cells, return_counts=True)  # most are 0
                columns[name].reshape(-1)[cells] = times
        return [
            {name: values[system] for name, values in columns.items()} for system in range(systems)
        ]


def verdicts(
    comparison: Comparison, only: tuple[str, ...], source: str, output: str, annotation: str
) -> list[Verdict] | None:
    """Return a verdict for each hit and miss of a sentence, as they are counted; None without the
    annotator's line.

    `only` are the types that are shown; empty: all. `output` and `annotation` are records of edits.
    """
    gold, outputs = annotation_of(annotation.encode()), outputs_of(output.encode())
    if gold is None or gold.output >= len(outputs):
        return None
    tokens = source.split()
    own, other = map(comparison.by_key, (outputs[gold.output], gold.edits))
    found = []  # each edit with its key, type and verdict, as compare() of errant_report.py counts them
    for key, edits in own.items():
        if edits[0].type != NOOP:
            hits = [(edits[0], key, edit.type, RIGHT) for edit in other.get(key, ())]
            found += hits or [(edit, key, edit.type, WRONG) for edit in edits]
    for key, edits in other.items():
        if edits[0].type != NOOP and key not in own:
            found += [(edit, key, edit.type, MISSED) for edit in edits]
    result = []
    for edit, key, type_, verdict in found:
        if not only or is_of(type_, only):
            # the place is that of the key: where each token counts, this is one token
            start, end = (max(int(place), 0) for place in key[:2])
            correction = "" if edit.correction == "-NONE-" else edit.correction
            result.append(
                Verdict(start, end, " ".join(tokens[start:end]), correction, type_, verdict)
            )
    return sorted(result, key=lambda item: (item.start, item.end, item.verdict == MISSED))


_LIST: dict[str, Any] = {
    "pattern": r"[A-Za-z0-9_.:*-]+(\+[A-Za-z0-9_.:*-]+)*",
    "form": "types joined by +, such as R:OTHER+R:SPELL",
}


@dataclass(frozen=True)
class Errant(AnnotatesTexts, ChoosesReferences, JudgesEdits, Warns, Metric):
    """F-beta of edits that the output and an annotator have in common, with tp, fp and fn summed
    over sentences.

    Precision is tp / (tp + fp), or 1 without fp. Recall is tp / (tp + fn), or 1 without fn. For
    each sentence the annotator counts with whom F of all sentences so far, rounded to 4 decimals,
    is highest. Of equals, the one with more tp counts, then with fewer fp, then with fewer fn, then
    the first in the file. The source is errant_compare."""

    name: ClassVar[str] = "errant"
    summary: ClassVar[str] = "F0.5 of annotated edits (Bryant et al. 2017), as errant_compare"
    name_in_text: ClassVar[str] = "ERRANT"
    score_in_text: ClassVar[str] = "F{beta}"
    spellings: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "ERRANT F0.5": {},
        "errant_compare": {},
        "SentERRANT": {"level": "mean"},
    }
    counts: ClassVar[frozenset[str]] = frozenset(COUNTS)
    citations: ClassVar[tuple[str, ...]] = ("bryant-etal-2017-automatic",)
    terms: ClassVar[tuple[Field, ...]] = tuple(Field(name, per_reference=True) for name in COUNTS)
    """The counts."""

    mode: str = option(
        "cs",
        help="what is compared: correction by span (cs), by span and type (cse), detection by span (ds), by token (dt)",
        choices=errant_report.MODES,
    )
    beta: str = beta_option()
    single: bool = option(False, help="only edits of one word on both sides", implicit=True)
    multi: bool = option(False, help="only edits of several words on one side", implicit=True)
    filter: str = option("", help="types that are left out", implicit=True, **_LIST)
    types: str = option(
        "",
        help="score only these types: whole types (R:NOUN), categories (NOUN, R) or patterns (R:VERB*); annotators are "
        "chosen by all edits",
        implicit=True,
        **_LIST,
    )
    style: str = option(
        "errant",
        help="how files are read: as errant_compare does, or as ChERRANT does (Chinese): blanks in corrections mean "
        "nothing, and sentences that the only annotator did not judge (NA) do not count",
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
        left_out = tuple(self.filter.split("+")) if self.filter else ()
        comparison = Comparison(self.mode, self.single, self.multi, left_out, self.style)
        return ErrantSpec(
            comparison,
            tuple(self.types.split("+")) if self.types else (),
            annotator=self.annotation,
        )

    def breakdown(self, categories: tuple[str, ...]) -> TypeSpec | None:
        """Return the counts of each type of edit; None where sentences are scored, whose mean has
        no parts.
        """
        spec = self.spec
        own = TypeSpec(spec.comparison, spec.types, spec.annotator, categories)
        return own if self.level == "corpus" else None

    def category(self, name: str, tier: int) -> str:
        """Return the category of a type as errant_compare has it with -cat 1, 2 or 3."""
        return errant_report.category(name, tier)

    def make_terms(self, columns: Columns) -> dict[str, Ints]:
        """Return the counts, of the types that are asked for."""
        prefix = "type_" if self.types else ""
        return {name: columns[prefix + name] for name in COUNTS}

    def verdicts(
        self, sources: Texts, outputs: Sequence[Texts], annotations: Sequence[Texts]
    ) -> Verdicts:
        """Return the edits of each sentence that are counted, and whether they are hits (right) or
        misses.
        """
        judge = partial(verdicts, self.spec.comparison, self.spec.types)
        return [
            [
                [judge(source, edits, own) for own in gold]
                for source, edits, *gold in zip(sources, output, *annotations, strict=True)
            ]
            for output in outputs
        ]

    def shown_counts(self, columns: Columns) -> list[Counted]:
        """Return the counts with each annotator."""
        return [
            Counted(name, values, per_reference=True)
            for name, values in self.make_terms(columns).items()
        ]

    def count_warnings(self, counts: Mapping[str, Iterable[Columns]]) -> list[CountWarning]:
        """Return that no edit of the annotators is of the types that are scored, which may make
        scores 1.
        """
        if not self.types:
            return []
        annotated = proposed = 0
        for blocks in counts.values():
            for columns in blocks:
                annotated += int((columns["type_tp"] + columns["type_fn"]).sum())
                proposed += int(columns["type_fp"].sum())
        if annotated:
            return []
        where = "of the annotators is" if proposed else "at all is"
        return [
            CountWarning(
                f"errant: no edit {where} of the types {self.types}; are they written as in the files?"
            )
        ]

    def score(self, totals: Columns) -> dict[str, Floats]:
        """Return the score, precision, recall, and the counts."""
        score, precision, recall = self._scores(totals)
        counts = {name: totals[name].astype(np.float64) for name in COUNTS}
        return {self.name: score, "precision": precision, "recall": recall} | counts

    def sequential_choice(self) -> SequentialAnnotatorChoice | None:
        """Return what chooses annotators with the totals of the sentences before; None where each
        is chosen alone.
        """
        return SequentialAnnotatorChoice(self._keys, COUNTS) if self.choice == "official" else None

    def choose(self, columns: Columns) -> Ints:
        """Return the annotator of each sentence, chosen for the sentence alone: int64 [lines]."""
        return SequentialAnnotatorChoice(self._keys, COUNTS, running=False)(columns)

    def _keys(self, totals: Ints, counts: Ints) -> list[Floats]:
        """Return what is greatest for the annotator that is taken, as errant_compare compares it
        (preference()).
        """
        tp, fp, fn = counts.astype(np.float64)
        score = self._scores(dict(zip(COUNTS, totals + counts, strict=True)))[0]
        return [rounded(score, 4), tp, -fp, -fn]

    def _scores(self, counts: Columns) -> tuple[Floats, ...]:
        tp, fp, fn = (counts[name] for name in COUNTS)
        return f_of_counts(tp, tp + fp, tp + fn, float(self.beta))
