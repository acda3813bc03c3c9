"""GoToScorer (Gotou et al. 2020): edits weigh as much as systems fail at them."""

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import ClassVar, NamedTuple

import numpy as np

from pipeline.arrays import Bools, Floats, Ints
from pipeline.errors import ConfigError, LongTextError
from pipeline.extensions.edits.m2_files import Edit
from pipeline.extensions.edits.records import annotation_of, outputs_of
from pipeline.extensions.edits.view_names import EDITS
from pipeline.files import small_text
from pipeline.metrics.base import (
    Columns,
    CorpusPass,
    Counted,
    Field,
    Metric,
    StatisticsSpec,
    Text,
    f_beta,
    ratio,
)
from pipeline.metrics.options import (
    beta_option,
    level_option,
    number_option,
    option,
)

LEFT_OUT = {
    "authors": ("noop", "UNK", "Um"),
    "gec-metrics": ("noop", "UNK"),
}
"""Types of edits that change nothing, by flavour."""
PARTS = ("tp", "fp", "fn", "tn", "all")
SYSTEMS = "systems"
"""Weights of chunks from the systems of the run."""
NONE = "none"
"""No weights: each chunk weighs 1."""


class RightSystems(NamedTuple):
    """How many systems are right at chunks, which gives their weights."""

    systems: int
    lines: dict[int, list[int]]
    """For each line of the data set the numbers of its chunks, in order.

    A line without them has all right."""


@dataclass(frozen=True)
class RightSurvey(CorpusPass):
    """How many systems of the run are right at each chunk.

    There is a row for the first chunk, and for each at which some system is wrong. The name of the
    class is part of the keys of stored counts.
    """

    annotator: int
    flavour: str

    of_systems: ClassVar[bool] = True
    columns: ClassVar[tuple[Field, ...]] = tuple(
        map(Field, ("line", "chunk", "right", "systems", "chunks"))
    )
    """The line, the number of the chunk, how many systems are right, how many there are, chunks."""
    source = True
    input = EDITS

    def count(self, text: Text) -> list[dict[str, Ints]]:
        """Count a shard."""
        chunks = judge(self.annotator, self.flavour, text)
        systems = len(text.systems)
        right = chunks.right.astype(np.int64) * systems
        for touched in chunks.touched:
            right[touched.chunk] -= chunks.right[touched.chunk]
            right[touched.chunk] += touched.right
        sizes = np.bincount(chunks.line)
        firsts = np.cumsum(sizes) - sizes
        lines = chunks.line
        if text.rows is not None:
            lines = np.asarray(text.rows)[lines]
        columns = {
            "line": lines,
            "chunk": np.arange(len(right)) - firsts[chunks.line],
            "right": right,
            "systems": np.full_like(right, systems),
            "chunks": sizes[chunks.line],
        }
        return [self.reduced(columns)]

    def reduced(self, columns: Columns) -> dict[str, Ints]:
        """Return the rows at which some system is wrong, and the first."""
        chosen = columns["right"] < columns["systems"]
        chosen[:1] = True
        return {name: values[chosen] for name, values in columns.items()}

    def opened(self, columns: Columns) -> RightSystems:
        """Return the numbers of each line that has one."""
        lines: dict[int, list[int]] = {}
        systems = int(columns["systems"].max(initial=0))
        names = ("line", "chunk", "right", "chunks")
        table = np.stack([columns[name] for name in names], axis=-1)
        for line, chunk, right, chunks in table.tolist():
            numbers = lines.setdefault(line, [systems] * chunks)
            numbers[chunk] = right
        return RightSystems(systems, lines)


class Touched(NamedTuple):
    """The chunks of a shard at which the edits of a system decide."""

    chunk: Ints
    """The number of each."""
    right: Bools
    """Whether the system is right there."""
    tried: Bools
    """Whether it tried a change."""


class Chunks(NamedTuple):
    """The chunks of all lines of a shard: tokens, the gaps between them, and edits."""

    line: Ints
    """The line of each, from 0."""
    edited: Bools
    """Whether the annotator edits it."""
    right: Bools
    """Whether a system that changes nothing is right there."""
    touched: list[Touched]
    """Those of each system."""


class _Verdict(NamedTuple):
    """What an edit of a system does at a slot where a chunk begins."""

    slot: int
    right: bool
    tried: bool


def judge(annotator: int, flavour: str, text: Text) -> Chunks:
    """Cut the lines of a shard into chunks by the edits of an annotator, and judge each system.

    Token p of a line has the slot 2p + 1, and the gap before it the slot 2p. An edit takes the
    slots from its first token to its last, or that of its gap, and is a chunk at the first of them.
    Raises LongTextError for edits without an order.
    """
    assert text.source is not None  # noqa: S101 (source is True)
    sources = [*text.source.texts()]
    references = [[*lines.texts()] for lines in text.references]
    systems = [[*lines.texts()] for lines in text.systems]
    # by the first slot of each edit of the annotator
    is_right_at_edit: dict[int, bool] = {}
    inside_edits: list[int] = []  # the other slots of these edits
    first_slots = [0]  # of each line, and the number of all slots
    verdicts: list[list[_Verdict]] = [[] for _ in systems]
    for line, source in enumerate(sources):
        tokens = source.decode().split(" ")
        base = first_slots[-1]
        first_slots.append(base + 2 * len(tokens) + 1)

        # the annotator
        edits = _annotator_edits(
            annotator, (lines[line] for lines in references)
        )
        gold_edits = _counted(flavour, edits, tokens, 0, line)
        gold_by_slot: dict[int, Edit] = {}
        for edit in gold_edits:
            first, *rest = _slots(edit)
            is_right_at_edit[base + first] = tokens[edit.start : edit.end] == [
                edit.correction
            ]
            inside_edits += [base + slot for slot in rest]
            for slot in _slots(edit):
                gold_by_slot[slot] = edit

        # the systems, of which several may have the same edits
        known: dict[bytes, list[_Verdict]] = {}
        for number, records in enumerate(systems):
            record = records[line]
            if record not in known:
                outputs = outputs_of(record) or [[]]
                text_number = len(references) + number
                proposed = _counted(
                    flavour, outputs[0], tokens, text_number, line
                )
                known[record] = []
                for verdict in _verdicts(
                    gold_by_slot, proposed, tokens, flavour
                ):
                    known[record].append(
                        verdict._replace(slot=base + verdict.slot)
                    )
            verdicts[number] += known[record]

    # from slots to chunks
    begins_chunk = np.ones(first_slots[-1], bool)
    begins_chunk[inside_edits] = False
    chunk_of_slot = np.cumsum(begins_chunk) - 1
    line_of_slot = np.repeat(np.arange(len(sources)), np.diff(first_slots))
    line_of = line_of_slot[begins_chunk]
    edited_chunks = chunk_of_slot[[*is_right_at_edit]]
    edited = np.zeros(len(line_of), bool)
    edited[edited_chunks] = True
    right = ~edited
    right[edited_chunks] = [*is_right_at_edit.values()]
    touched = []
    for of_system in verdicts:
        table = np.array(of_system, np.int64).reshape(-1, 3)
        slots, is_right, tried = table.T
        touched.append(
            Touched(
                chunk=chunk_of_slot[slots],
                right=is_right > 0,
                tried=tried > 0,
            )
        )
    return Chunks(line_of, edited, right, touched)


def _annotator_edits(
    annotator: int, records: Iterable[bytes]
) -> Sequence[Edit]:
    """Return the edits of an annotator, given the records of all annotators."""
    for record in records:
        annotation = annotation_of(record)
        if (
            annotation
            and annotation.annotator == annotator
            and annotation.output == 0
        ):
            return annotation.edits
    return ()


def _counted(
    flavour: str,
    edits: Iterable[Edit],
    tokens: list[str],
    text: int,
    line: int,
) -> list[Edit]:
    """Return the edits that count; raises LongTextError, with text and line, if they overlap."""
    counted = [edit for edit in edits if edit.type not in LEFT_OUT[flavour]]
    last_span = (0, -1)
    for edit in counted:
        span = (edit.start, edit.end)
        in_order = last_span[1] <= edit.start <= edit.end <= len(tokens)
        if not in_order or span == last_span:
            message = "edits overlap, or are not in the order of the sentence: they cut it in no chunks"
            raise LongTextError(text, line, message)
        last_span = span
    return counted


def _slots(edit: Edit) -> range:
    if edit.start == edit.end:
        return range(2 * edit.start, 2 * edit.end + 1)
    return range(2 * edit.start + 1, 2 * edit.end)


def _verdicts(
    gold: dict[int, Edit],
    edits: Iterable[Edit],
    tokens: list[str],
    flavour: str,
) -> Iterator[_Verdict]:
    """Yield the verdicts at the chunks where edits of a system decide.

    `gold` has the annotator's edit at each of its slots. An edit with the span of a chunk is right
    if the text is the same. One that overlaps a chunk is wrong there, also if it inserts where the
    annotator's edit begins. Gaps that it swallows are not touched; gec-metrics takes them as right
    even if the annotator inserts there, and checks no further if a token is left in place by the
    annotator's edit.
    """
    by_slot: dict[int, _Verdict] = {}
    for edit in edits:
        slots = _slots(edit)

        # an insertion where the annotator's edit begins
        next_slot = slots[0] + 1
        next_gold = gold.get(next_slot)
        inserts = edit.start == edit.end
        if inserts and next_gold and next_gold.start == edit.start:
            changes_token = tokens[next_gold.start] != next_gold.correction
            has_several_tokens = next_gold.end > next_gold.start + 1
            if has_several_tokens or (
                changes_token and flavour != "gec-metrics"
            ):
                by_slot[next_slot] = _Verdict(
                    next_slot, right=False, tried=True
                )

        # the chunks that it overlaps
        for slot in slots[::2]:
            gold_edit = gold.get(slot)
            if gold_edit:
                chunk = (gold_edit.start, gold_edit.end, gold_edit.correction)
                first = _slots(gold_edit)[0]
            else:
                token = tokens[slot // 2] if slot % 2 else ""
                chunk = (slot // 2, (slot + 1) // 2, token)
                first = slot
            is_right = chunk == (edit.start, edit.end, edit.correction)
            by_slot[first] = _Verdict(first, right=is_right, tried=True)

        # the gaps that it swallows
        if flavour == "gec-metrics":
            for slot in slots[1::2]:
                if slot in gold and gold[slot].start == gold[slot].end:
                    by_slot[slot] = _Verdict(slot, right=True, tried=False)
    yield from by_slot.values()


@dataclass(frozen=True)
class GotoSpec(StatisticsSpec):
    """For each of PARTS: how many chunks, and the sum of the systems that are right at them."""

    annotator: int
    flavour: str
    weights: str
    of_file: RightSystems | None = field(
        default=None, compare=False, repr=False
    )
    """The numbers of the weight file."""

    source = True
    input = EDITS

    @property
    def key(self) -> str:
        """A name, safe in file names."""
        return f"gotoscorer-{self.annotator}-{self.flavour}-{self.weights}"

    @property
    def cache_key(self) -> str:
        """The text that stands for these columns in the keys of stored counts."""
        fields = f"annotator={self.annotator}, flavour={self.flavour!r}, weights={self.weights!r}"
        return f"GotoNeeds({fields})"

    @property
    def corpus_pass(self) -> RightSurvey | None:
        """How many systems are right, if the run gives the weights."""
        if self.weights != SYSTEMS:
            return None
        return RightSurvey(self.annotator, self.flavour)

    def unavailable(self) -> str | None:
        """Return a message if the weight file is not known here."""
        if self.weights in (SYSTEMS, NONE) or self.of_file:
            return None
        return (
            f"weights: {self.weights} is the checksum of a file that is not known here; "
            "name the file"
        )

    @property
    def columns(self) -> tuple[Field, ...]:
        """The numbers, the systems of the weights, and 1 for each sentence."""
        counts = [Field(f"count_{part}") for part in PARTS]
        right = [Field(f"right_{part}") for part in PARTS]
        lengths = Field("ref_len", per_reference=True)
        return (*counts, *right, Field("systems"), Field("lines"), lengths)

    def count(self, text: Text) -> list[dict[str, Ints]]:
        """Count a shard."""
        right_systems: RightSystems | None = self.of_file or text.corpus_data
        chunks = judge(self.annotator, self.flavour, text)
        lines = len(text.references[0].starts)
        sizes = np.bincount(chunks.line, minlength=lines).tolist()
        numbers: list[int] = []
        for line, size in enumerate(sizes):
            numbers += self._right_systems(right_systems, line, text, size)
        weights = {
            "count": np.ones(len(chunks.line)),
            "right": np.array(numbers, np.float64),
        }
        shared = {
            "systems": np.full(
                lines, right_systems.systems if right_systems else 1
            ),
            "lines": np.ones(lines, np.int64),
            "ref_len": np.zeros((lines, len(text.references)), np.int64),
        }
        result = []
        for touched in chunks.touched:
            columns = dict(shared)
            parts = _parts(chunks, touched)
            for kind, weight in weights.items():
                for part, chosen in parts.items():
                    sums = np.bincount(chunks.line, chosen * weight, lines)
                    columns[f"{kind}_{part}"] = sums.astype(np.int64)
            result.append(columns)
        return result

    def _right_systems(
        self,
        right_systems: RightSystems | None,
        line: int,
        text: Text,
        size: int,
    ) -> list[int]:
        """Return how many systems are right at each chunk of a line, of which there are `size`."""
        if right_systems is None:
            return [0] * size
        number = line if text.rows is None else int(text.rows[line])
        numbers = right_systems.lines.get(number)
        if numbers is None and self.weights == SYSTEMS:
            return [right_systems.systems] * size
        if numbers is None or len(numbers) != size:
            in_file = f"{len(numbers)} numbers" if numbers else "no numbers"
            message = (
                f"edits cut this sentence into {size} chunks, and the weight file has {in_file} "
                "for it; was it made of other edits?"
            )
            raise LongTextError(0, line, message)
        return numbers


def _parts(chunks: Chunks, touched: Touched) -> dict[str, Bools]:
    """Return which chunks belong to each of PARTS."""
    parts = {
        "tp": np.zeros(len(chunks.line), bool),
        "fp": np.zeros(len(chunks.line), bool),
        "fn": ~chunks.right,
        "tn": chunks.right.copy(),
        "all": np.ones(len(chunks.line), bool),
    }
    parts["tp"][touched.chunk] = touched.tried & touched.right
    parts["fp"][touched.chunk] = touched.tried & ~touched.right
    is_missed = chunks.edited[touched.chunk] | ~touched.tried
    parts["fn"][touched.chunk] = ~touched.right & is_missed
    parts["tn"][touched.chunk] = ~touched.tried & touched.right
    return parts


_FILES: dict[str, RightSystems] = {}
"""The weight files that were read, by their checksums."""
_NAME = re.compile("file-[0-9a-f]{12}")
_NUMBERS = re.compile("[0-9]{1,9}( [0-9]{1,9})*")
MAX_BYTES = 1 << 27
"""The most bytes of a weight file."""


def resolved(text: str, base: Path) -> str:
    """Return systems, none, or the checksum of a weight file, which is kept. Raises ConfigError."""
    if text in (SYSTEMS, NONE) or _NAME.fullmatch(text):
        return text
    path = base / text
    content = small_text(path, MAX_BYTES)
    lines: list[list[int]] = []
    rows = content.rstrip("\n").split("\n")
    for number, line in enumerate(rows, 1):
        numbers = line.strip()
        if not _NUMBERS.fullmatch(numbers) or (number == 1 and " " in numbers):
            expected = "how many right systems each chunk has"
            if number == 1:
                expected = "the number of systems"
            raise ConfigError(
                f"{path}:{number}: expected {expected}, found '{line[:40]}'"
            )
        lines.append(list(map(int, numbers.split())))
    (systems,) = lines.pop(0)
    name = f"file-{hashlib.sha256(content.encode()).hexdigest()[:12]}"
    _FILES[name] = RightSystems(systems, dict(enumerate(lines)))
    return name


@dataclass(frozen=True)
class GoToScorer(Metric):
    """F-beta of chunks, weighted by how many systems fail at them.

    The edits of one annotator cut a sentence into chunks: each edit, and each token and gap between
    them. A chunk counts as tried where the system changes it, and as right where the system has
    what the annotator has. A chunk weighs a - (right + b) / (N + c), where `right` of N systems are
    right. So scores with `weights: systems` depend on the systems of the run; samples and tests
    keep the weights.

    The sources are github.com/gotutiyan/GTS (1.1.0) and, as the flavour gec-metrics, the package of
    that name, which takes a swallowed gap as right, and a precision or recall of nothing as 1.
    """

    name: ClassVar[str] = "gotoscorer"
    summary: ClassVar[str] = (
        "GoToScorer (Gotou et al. 2020): edits weighted by how hard they are for the systems"
    )
    spellings: ClassVar[dict[str, dict[str, str]]] = {
        "GoTo scorer": {},
        "GTS": {},
    }
    help_page: ClassVar[str] = "errant"
    counts: ClassVar[frozenset[str]] = frozenset(PARTS)
    table_outputs: ClassVar[str] = "precision|recall|accuracy"
    name_in_text: ClassVar[str] = "GoToScorer"
    citations: ClassVar[tuple[str, ...]] = ("gotou-etal-2020-taking",)
    policy: ClassVar[str] = "merged"
    """One annotator counts, whatever others say."""

    flavour: str = option(
        "authors", help="whose program", choices=tuple(LEFT_OUT), implicit=True
    )
    weights: str = option(
        SYSTEMS,
        help="of chunks: from the systems of the run, none (each is 1), or a weight file of GTS",
        free=True,
        form="systems, none or a file",
        resolved=resolved,
    )
    a: str = number_option(
        "1", "in weight = a - (right + b) / (N + c)", digits=6
    )
    b: str = number_option("0", "see a", digits=6, implicit=True)
    c: str = number_option("0", "see a", digits=6, implicit=True)
    annotator: int = option(
        0,
        help="the annotator of the gold who counts, from 0",
        maximum=999,
        implicit=True,
    )
    beta: str = beta_option()
    level: str = level_option()

    def misfit(self, references: int, *, missing: bool = False) -> str | None:
        """Refuse an annotator whom the gold does not have."""
        if self.annotator < references:
            return None
        expected = f"expected at most {references - 1}, the last of the gold"
        return f"annotator: {expected}, found {self.annotator}"

    @cached_property
    def spec(self) -> GotoSpec:
        """The counts and weights of chunks."""
        return GotoSpec(
            self.annotator, self.flavour, self.weights, _FILES.get(self.weights)
        )

    @cached_property
    def terms(self) -> tuple[Field, ...]:
        """All columns but those of single annotators."""
        return self.spec.columns[:-1]

    def score(self, totals: Columns) -> dict[str, Floats]:
        """Return gotoscorer, precision, recall, accuracy, and the weighted tp, fp, fn and tn."""
        sums = {part: self._weighted(totals, part) for part in PARTS}
        tp = sums["tp"]
        fp = sums["fp"]
        fn = sums["fn"]
        tn = sums["tn"]
        precision = ratio(tp, tp + fp)
        recall = ratio(tp, tp + fn)
        total = sums.pop("all")
        if self.flavour == "gec-metrics":
            precision = np.where(fp == 0, 1.0, precision)
            recall = np.where(fn == 0, 1.0, recall)
            total = tp + fp + fn + tn
        outputs = {
            "gotoscorer": f_beta(precision, recall, float(self.beta)),
            "precision": precision,
            "recall": recall,
            "accuracy": ratio(tp + tn, total),
        }
        return outputs | sums

    def _weighted(self, totals: Columns, part: str) -> Floats:
        """Return the sum of the weights of a part's chunks."""
        count = totals[f"count_{part}"]
        if self.weights == NONE:
            return count.astype(np.float64)
        systems = ratio(totals["systems"], totals["lines"])
        right = totals[f"right_{part}"] + float(self.b) * count
        failing: Floats = float(self.a) * count - ratio(
            right, systems + float(self.c)
        )
        return failing

    def shown_counts(self, columns: Columns) -> list[Counted]:
        """Return how many chunks there are of each kind."""
        return [Counted(part, columns[f"count_{part}"]) for part in PARTS]
