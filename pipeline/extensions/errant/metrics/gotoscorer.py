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
    """How many systems are right at each chunk, which gives the chunks' weights."""

    systems: int
    """How many systems there are."""
    lines: dict[int, list[int]]
    """For a line of the data set, how many systems are right at each of its chunks, in order.

    At all chunks of a line that is not here, all systems are right."""


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
        """Return the columns of all systems together, int64 [rows] each, for the chunks of a shard."""
        chunks = judge(self.annotator, self.flavour, text)
        systems = len(text.systems)
        # as if no system changed anything; then correct the chunks that each touches
        right = chunks.right.astype(np.int64) * systems
        for touched in chunks.touched:
            right[touched.chunk] -= chunks.right[touched.chunk]
            right[touched.chunk] += touched.right
        chunks_of_lines = np.bincount(chunks.line)
        firsts = np.cumsum(chunks_of_lines) - chunks_of_lines
        lines = chunks.line
        if text.rows is not None:
            # the line in the data set
            lines = np.asarray(text.rows)[lines]
        columns = {
            "line": lines,
            "chunk": np.arange(len(right)) - firsts[chunks.line],
            "right": right,
            "systems": np.full_like(right, systems),
            "chunks": chunks_of_lines[chunks.line],
        }
        return [self.reduced(columns)]

    def reduced(self, columns: Columns) -> dict[str, Ints]:
        """Return the rows at which some system is wrong, and the first.

        The first has the number of systems, even if all are right everywhere.
        """
        chosen = columns["right"] < columns["systems"]
        chosen[:1] = True
        return {name: column[chosen] for name, column in columns.items()}

    def opened(self, columns: Columns) -> RightSystems:
        """Return how many systems are right at the chunks of each line that has a row."""
        lines: dict[int, list[int]] = {}
        systems = int(columns["systems"].max(initial=0))
        names = ("line", "chunk", "right", "chunks")
        rows = np.stack([columns[name] for name in names], axis=-1)
        for line, chunk, right, chunks_of_line in rows.tolist():
            right_at_chunks = lines.setdefault(line, [systems] * chunks_of_line)
            right_at_chunks[chunk] = right
        return RightSystems(systems, lines)


class Touched(NamedTuple):
    """The chunks of a shard at which the edits of a system decide: an element for each."""

    chunk: Ints
    """Its index in Chunks."""
    right: Bools
    """Whether the system is right there."""
    tried: Bools
    """Whether it tried a change."""


class Chunks(NamedTuple):
    """The chunks of all lines of a shard: tokens, the gaps between them, and edits.

    The arrays have an element for each chunk.
    """

    line: Ints
    """Its line in the shard, from 0."""
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

    References and systems of `text` are records of edits; `annotator` is a number in the gold file.
    Token p of a line has the slot 2p + 1, and the gap before it the slot 2p. An edit takes the
    slots from its first token to its last, or that of its gap, and is a chunk at the first of them.
    Each other slot is a chunk of its own. Raises LongTextError for edits without an order.
    """
    assert text.source is not None  # noqa: S101 (source is True)
    sources = [*text.source.texts()]
    references = [[*lines.texts()] for lines in text.references]
    systems = [[*lines.texts()] for lines in text.systems]
    # for each edit of the annotator, by its first slot, whether it changes nothing
    is_right_at_edit: dict[int, bool] = {}
    inside_edits: list[int] = []  # the other slots of these edits
    first_slots = [0]  # of each line, and the number of all slots
    verdicts: list[list[_Verdict]] = [[] for _ in systems]
    for line, source in enumerate(sources):
        tokens = source.decode().split(" ")
        first_slot = first_slots[-1]
        first_slots.append(first_slot + 2 * len(tokens) + 1)

        # the annotator
        edits = _annotator_edits(
            annotator, (lines[line] for lines in references)
        )
        gold_edits = _counted(flavour, edits, tokens, 0, line)
        gold_by_slot: dict[int, Edit] = {}
        for edit in gold_edits:
            first, *others = _slots(edit)
            changes_nothing = tokens[edit.start : edit.end] == [edit.correction]
            is_right_at_edit[first_slot + first] = changes_nothing
            inside_edits += [first_slot + slot for slot in others]
            for slot in _slots(edit):
                gold_by_slot[slot] = edit

        # the systems, of which several may have the same edits
        verdicts_of_record: dict[bytes, list[_Verdict]] = {}
        for system, records in enumerate(systems):
            record = records[line]
            if record not in verdicts_of_record:
                outputs = outputs_of(record) or [[]]
                text_index = len(references) + system
                proposed = _counted(
                    flavour, outputs[0], tokens, text_index, line
                )
                in_shard = []
                for verdict in _verdicts(
                    gold_by_slot, proposed, tokens, flavour
                ):
                    slot = first_slot + verdict.slot
                    in_shard.append(verdict._replace(slot=slot))
                verdicts_of_record[record] = in_shard
            verdicts[system] += verdicts_of_record[record]

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
    """Return the edits of an annotator for a sentence, from the records of all annotators.

    They are those that are compared with the first annotator of the output. An annotator without a
    line for the sentence has none.
    """
    for record in records:
        annotation = annotation_of(record)
        if annotation is None or annotation.output != 0:
            continue
        if annotation.annotator == annotator:
            return annotation.edits
    return ()


def _counted(
    flavour: str,
    edits: Iterable[Edit],
    tokens: list[str],
    text: int,
    line: int,
) -> list[Edit]:
    """Return the edits of a sentence that count in a flavour.

    Raises LongTextError if they overlap or are not in order; `text` and `line` are the indexes of
    the text and of the line for this error.
    """
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
    """Return the slots of an edit (see judge), from the first."""
    if edit.start == edit.end:
        return range(2 * edit.start, 2 * edit.end + 1)
    return range(2 * edit.start + 1, 2 * edit.end)


def _verdicts(
    gold: dict[int, Edit],
    edits: Iterable[Edit],
    tokens: list[str],
    flavour: str,
) -> Iterator[_Verdict]:
    """Yield the verdicts at the chunks of a sentence where edits of a system decide.

    `gold` has the annotator's edit at each of its slots, and `tokens` are those of the source. An
    edit with the span of a chunk is right if the text is the same. One that overlaps a chunk is
    wrong there, also if it inserts where the annotator's edit begins. Gaps between the tokens of an
    edit are not touched; gec-metrics takes them as right even if the annotator inserts there. In
    gec-metrics an insertion is not wrong if the annotator's edit leaves the token in place.
    """
    by_slot: dict[int, _Verdict] = {}
    for edit in edits:
        slots = _slots(edit)

        # an insertion where the annotator's edit begins
        next_slot = slots[0] + 1
        next_gold = gold.get(next_slot)
        is_insertion = edit.start == edit.end
        if is_insertion and next_gold and next_gold.start == edit.start:
            is_wrong = next_gold.end > next_gold.start + 1
            if flavour != "gec-metrics":
                changes_token = tokens[next_gold.start] != next_gold.correction
                is_wrong = is_wrong or changes_token
            if is_wrong:
                by_slot[next_slot] = _Verdict(
                    next_slot, right=False, tried=True
                )

        # the chunks that it overlaps: of its tokens, or of its gap
        for slot in slots[::2]:
            gold_edit = gold.get(slot)
            if gold_edit:
                chunk = (gold_edit.start, gold_edit.end, gold_edit.correction)
                first = _slots(gold_edit)[0]
            else:
                # a token as it is, or an empty gap
                token = tokens[slot // 2] if slot % 2 else ""
                chunk = (slot // 2, (slot + 1) // 2, token)
                first = slot
            is_right = chunk == (edit.start, edit.end, edit.correction)
            by_slot[first] = _Verdict(first, right=is_right, tried=True)

        # the gaps between its tokens
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
        """Return the columns of each system: int64 [lines] each.

        For each of PARTS these are how many chunks it has, and the sum over them of how many
        systems are right there.
        """
        # how many systems are right at each chunk of the shard
        right_systems: RightSystems | None = self.of_file or text.corpus_data
        chunks = judge(self.annotator, self.flavour, text)
        lines = len(text.references[0].starts)
        right: list[int] = []
        sizes = np.bincount(chunks.line, minlength=lines).tolist()
        for line, size in enumerate(sizes):
            right += self._right_systems(right_systems, line, text, size)
        summands = {
            "count": np.ones(len(chunks.line)),
            "right": np.array(right, np.float64),
        }

        # the sums of each system, line and part
        systems = right_systems.systems if right_systems else 1
        shared = {
            "systems": np.full(lines, systems),
            "lines": np.ones(lines, np.int64),
            "ref_len": np.zeros((lines, len(text.references)), np.int64),
        }
        columns_of_systems = []
        for touched in chunks.touched:
            columns = dict(shared)
            parts = _parts(chunks, touched)
            for kind, numbers in summands.items():
                for part, is_part in parts.items():
                    sums = np.bincount(chunks.line, is_part * numbers, lines)
                    columns[f"{kind}_{part}"] = sums.astype(np.int64)
            columns_of_systems.append(columns)
        return columns_of_systems

    def _right_systems(
        self,
        right_systems: RightSystems | None,
        line: int,
        text: Text,
        size: int,
    ) -> list[int]:
        """Return how many systems are right at each chunk of a line, of which there are `size`.

        `line` is its index in the shard. Without weights (None) the numbers have no effect and are
        0. Raises LongTextError if a weight file has another number of chunks.
        """
        if right_systems is None:
            return [0] * size
        line_in_data = line if text.rows is None else int(text.rows[line])
        right = right_systems.lines.get(line_in_data)
        if right is None and self.weights == SYSTEMS:
            return [right_systems.systems] * size
        if right is None or len(right) != size:
            in_file = f"{len(right)} numbers" if right else "no numbers"
            message = (
                f"edits cut this sentence into {size} chunks, and the weight file has {in_file} "
                "for it; was it made of other edits?"
            )
            raise LongTextError(0, line, message)
        return right


def _parts(chunks: Chunks, touched: Touched) -> dict[str, Bools]:
    """Return which chunks belong to each of PARTS for a system: bool [chunks] each.

    A chunk that the system tries and fails is a false positive and, if the annotator edits it, also
    a false negative.
    """
    # as if the system changed nothing, then at the chunks that it touches
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
    """Return the value of the option weights: systems, none, or the name of a weight file.

    The name is made of the file's checksum; `base` is the folder of a relative path. The file is
    read into _FILES: a line with the number of systems, and for each sentence a line with how many
    systems are right at each chunk. Raises ConfigError if it is malformed.
    """
    if text in (SYSTEMS, NONE) or _NAME.fullmatch(text):
        return text
    path = base / text
    content = small_text(path, MAX_BYTES)
    rows: list[list[int]] = []
    lines = content.rstrip("\n").split("\n")
    for number, line in enumerate(lines, 1):
        words = line.strip()
        is_valid = _NUMBERS.fullmatch(words) is not None
        expected = "how many right systems each chunk has"
        if number == 1:
            is_valid = is_valid and " " not in words
            expected = "the number of systems"
        if not is_valid:
            raise ConfigError(
                f"{path}:{number}: expected {expected}, found '{line[:40]}'"
            )
        rows.append(list(map(int, words.split())))
    (systems,) = rows.pop(0)
    name = f"file-{hashlib.sha256(content.encode()).hexdigest()[:12]}"
    _FILES[name] = RightSystems(systems, dict(enumerate(rows)))
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
        """Return the sum over a part's chunks of their weights a - (right + b) / (N + c).

        It is made of sums alone, since a, b, c and N are the same for all chunks. Without weights it
        is the number of chunks.
        """
        count = totals[f"count_{part}"]
        if self.weights == NONE:
            return count.astype(np.float64)
        systems = ratio(totals["systems"], totals["lines"])
        numerator = totals[f"right_{part}"] + float(self.b) * count
        subtracted = ratio(numerator, systems + float(self.c))
        weights: Floats = float(self.a) * count - subtracted
        return weights

    def shown_counts(self, columns: Columns) -> list[Counted]:
        """Return how many chunks there are of each kind."""
        return [Counted(part, columns[f"count_{part}"]) for part in PARTS]
