"""GoToScorer (Gotou et al. 2020): edits weigh as much as systems fail at them."""

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import ClassVar, NamedTuple

import numpy as np

from pipeline.arrays import Bools, Floats, Ints
from pipeline.data.inputs import EDITS
from pipeline.errors import ConfigError, LongTextError
from pipeline.files.plain_files import small_text
from pipeline.metrics.base.capabilities import ChoosesReferences
from pipeline.metrics.base.choices import f_beta, ratio
from pipeline.metrics.base.metric import Counted, Metric
from pipeline.metrics.base.options import beta_option, level_option, number_option, option
from pipeline.metrics.base.statistics_spec import Columns, CorpusPass, Field, StatisticsSpec, Text

from ..m2_files import Edit
from ..records import annotation_of, outputs_of

LEFT_OUT = {"authors": ("noop", "UNK", "Um"), "gec-metrics": ("noop", "UNK")}
"""Types of edits that change nothing, by flavour."""
PARTS = ("tp", "fp", "fn", "tn", "all")
SYSTEMS, NONE = "systems", "none"


class Right(NamedTuple):
    """How many systems are right at chunks, which gives their weights."""

    systems: int
    lines: dict[int, list[int]]
    """For each line of the data set the numbers of its chunks, in their order; a line without one
    has all right."""


@dataclass(frozen=True)
class RightSurvey(CorpusPass):
    """How many systems of the run are right at each chunk: a row for the first chunk, and where not
    all are.
    """

    annotator: int
    flavour: str

    of_systems: ClassVar[bool] = True
    columns: ClassVar[tuple[Field, ...]] = tuple(
        map(Field, ("line", "chunk", "right", "systems", "chunks"))
    )
    """The line, the number of the chunk, how many systems are right, how many systems there are,
    and chunks."""
    source = True
    input = EDITS

    def count(self, text: Text) -> list[dict[str, Ints]]:
        """Count a shard."""
        chunks = judged(self.annotator, self.flavour, text)
        right, systems = chunks.right.astype(np.int64) * len(text.systems), len(text.systems)
        for number, is_right, _ in chunks.touched:
            right += np.bincount(
                number, is_right.astype(np.int64) - chunks.right[number], len(right)
            ).astype(np.int64)
        lines = chunks.line if text.rows is None else np.asarray(text.rows)[chunks.line]
        sizes = np.bincount(chunks.line)
        place = np.arange(len(right)) - (np.cumsum(sizes) - sizes)[chunks.line]
        every = (lines, place, right, np.full_like(right, systems), sizes[chunks.line])
        return [self.reduced(dict(zip((item.name for item in self.columns), every, strict=True)))]

    def reduced(self, columns: Columns) -> dict[str, Ints]:
        """Return the rows that say something, and the first."""
        kept = columns["right"] < columns["systems"]
        kept[:1] = True
        return {name: values[kept] for name, values in columns.items()}

    def opened(self, columns: Columns) -> Right:
        """Return the numbers of each line that has one."""
        lines: dict[int, list[int]] = {}
        systems = int(columns["systems"].max(initial=0))
        for line, chunk, right, _, chunks in zip(
            *(columns[item.name].tolist() for item in self.columns), strict=True
        ):
            lines.setdefault(line, [systems] * chunks)[chunk] = right
        return Right(systems, lines)


class Chunks(NamedTuple):
    """The pieces of all lines of a shard that an annotator may change: tokens, the gaps between
    them, and edits.
    """

    line: Ints
    """The line of each, from 0."""
    edited: Bools
    right: Bools
    """Whether who changes nothing is right there."""
    touched: list[tuple[Ints, Bools, Bools]]
    """For each system the chunks where its edits decide, whether it is right there, and whether it
    tried a change."""


def judged(annotator: int, flavour: str, text: Text) -> Chunks:
    """Cut the lines of a shard into chunks by the edits of an annotator, and judge each system
    there.

    Token p of a line has the slot 2p + 1, and the gap before it the slot 2p. An edit takes the
    slots from its first token to its last, or that of its gap, and is a chunk at the first of them.
    """
    assert text.source is not None  # noqa: S101 (who counts reads it)
    many = len(text.references)
    sources, *others = [
        [*lines.texts()] for lines in (text.source, *text.references, *text.systems)
    ]
    references, systems = others[:many], others[many:]
    edits, within, widths = dict[int, bool](), list[int](), [0]
    touched: list[list[tuple[int, bool, bool]]] = [[] for _ in systems]
    for line, source in enumerate(sources):
        tokens, base = source.decode().split(" "), widths[-1]
        own = _counted(
            flavour, _gold(annotator, (lines[line] for lines in references)), tokens, (0, line)
        )
        gold = {slot: edit for edit in own for slot in _slots(edit)}
        for edit in own:
            first, *rest = (base + slot for slot in _slots(edit))
            edits[first] = tokens[edit.start : edit.end] == [edit.correction]
            within += rest
        known: dict[bytes, list[tuple[int, bool, bool]]] = {}
        for number, record in enumerate(lines[line] for lines in systems):
            if record not in known:
                proposed = _counted(
                    flavour, (outputs_of(record) or [[]])[0], tokens, (many + number, line)
                )
                found = _touched(gold, proposed, tokens, flavour)
                known[record] = [(base + slot, *verdict) for slot, verdict in found.items()]
            touched[number] += known[record]
        widths.append(base + 2 * len(tokens) + 1)
    there = np.ones(widths[-1], bool)
    there[within] = False
    numbers, line_of = (
        np.cumsum(there) - 1,
        np.repeat(np.arange(len(widths) - 1), np.diff(widths))[there],
    )
    edited, right = np.zeros((2, len(line_of)), bool)
    edited[numbers[[*edits]]] = True
    right[:] = ~edited
    right[numbers[[*edits]]] = [*edits.values()]
    tables = (np.array(own, np.int64).reshape(-1, 3).T for own in touched)
    return Chunks(
        line_of,
        edited,
        right,
        [(numbers[slots], good > 0, tried > 0) for slots, good, tried in tables],
    )


def _counted(
    flavour: str, edits: Iterable[Edit], tokens: list[str], place: tuple[int, int]
) -> list[Edit]:
    """Return the edits that count; raises LongTextError, of a text and a line, where they have no
    order.
    """
    own = [edit for edit in edits if edit.type not in LEFT_OUT[flavour]]
    before = (0, -1)
    for edit in own:
        span = (edit.start, edit.end)
        if not before[1] <= span[0] <= span[1] <= len(tokens) or span == before:
            message = (
                "edits overlap, or are not in the order of the sentence: they cut it in no chunks"
            )
            raise LongTextError(*place, message)
        before = span
    return own


def _slots(edit: Edit) -> range:
    inserts = edit.start == edit.end
    return range(2 * edit.start + (not inserts), 2 * edit.end + inserts)


def _touched(
    gold: dict[int, Edit], edits: Iterable[Edit], tokens: list[str], flavour: str
) -> dict[int, tuple[bool, bool]]:
    """Return, by slots, the chunks where edits of a system decide: whether it is right there, and
    whether it tried.

    `gold` has the annotator's edit at each of its slots. An edit in the place of a chunk is right
    if the text is the same. One that overlaps a chunk is wrong there, also if it inserts where the
    annotator's edit begins. Gaps that it swallows are not touched; gec-metrics takes them as right
    even where the annotator inserts, and looks no further where a token is left in the place of the
    annotator's edit."""
    verdicts: dict[int, tuple[bool, bool]] = {}
    for edit in edits:
        slots = _slots(edit)
        behind = gold.get(slots[0] + 1) if edit.start == edit.end else None
        if behind and behind.start == edit.start:
            kept = tokens[behind.start] == behind.correction or flavour == "gec-metrics"
            if behind.end > behind.start + 1 or not kept:
                verdicts[slots[0] + 1] = (False, True)
        for slot in slots[::2]:
            own = gold.get(slot)
            span, text = (
                ((own.start, own.end), own.correction)
                if own
                else ((slot // 2, (slot + 1) // 2), "")
            )
            text = text if own or slot % 2 == 0 else tokens[slot // 2]
            first = _slots(own)[0] if own else slot
            verdicts[first] = (span == (edit.start, edit.end) and text == edit.correction, True)
        for slot in slots[1::2] if flavour == "gec-metrics" else ():
            if slot in gold and gold[slot].start == gold[slot].end:
                verdicts[slot] = (True, False)
    return verdicts


def _gold(annotator: int, records: Iterable[bytes]) -> Sequence[Edit]:
    for record in records:
        own = annotation_of(record)
        if own and (own.annotator, own.output) == (annotator, 0):
            return own.edits
    return ()


@dataclass(frozen=True)
class GotoSpec(StatisticsSpec):
    """For tp, fp, fn, tn and all: how many chunks, and how many systems are right at them, summed."""

    annotator: int
    flavour: str
    weights: str
    of_file: Right | None = field(default=None, compare=False, repr=False)
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
        return f"GotoNeeds(annotator={self.annotator}, flavour={self.flavour!r}, weights={self.weights!r})"

    @property
    def corpus_pass(self) -> RightSurvey | None:
        """How many systems are right, where the run says it."""
        return RightSurvey(self.annotator, self.flavour) if self.weights == SYSTEMS else None

    def unavailable(self) -> str | None:
        """Return that the weight file is not known here, or None."""
        if self.weights in (SYSTEMS, NONE) or self.of_file:
            return None
        return f"weights: {self.weights} is the checksum of a file that is not known here; name the file"

    @property
    def columns(self) -> tuple[Field, ...]:
        """The numbers, the systems of the weights, and 1 for each sentence."""
        counts = (Field(f"{kind}_{part}") for kind in ("count", "right") for part in PARTS)
        return (*counts, Field("systems"), Field("lines"), Field("ref_len", per_reference=True))

    def count(self, text: Text) -> list[dict[str, Ints]]:
        """Count a shard."""
        right: Right | None = self.of_file or text.whole
        chunks, lines = judged(self.annotator, self.flavour, text), len(text.references[0].starts)
        sizes = np.bincount(chunks.line, minlength=lines).tolist()
        numbers = chain.from_iterable(
            self._right(right, line, text, size) for line, size in enumerate(sizes)
        )
        weights = np.array([np.ones(len(chunks.line)), np.fromiter(numbers, np.int64)])
        missed, whole = ~chunks.right, np.ones(len(chunks.line), bool)
        untouched = np.stack([~whole, ~whole, missed, ~missed, whole])
        lengths = np.zeros((lines, len(text.references)), np.int64)
        shared = {
            "systems": np.full(lines, right.systems if right else 1),
            "lines": np.ones(lines, np.int64),
        }
        result = []
        for number, good, tried in chunks.touched:
            parts = untouched.copy()
            parts[:4, number] = (
                tried & good,
                tried & ~good,
                ~good & (chunks.edited[number] | ~tried),
                ~tried & good,
            )
            sums = {
                f"{kind}_{part}": np.bincount(chunks.line, own * weight, lines).astype(np.int64)
                for kind, weight in zip(("count", "right"), weights, strict=True)
                for part, own in zip(PARTS, parts, strict=True)
            }
            result.append(sums | shared | {"ref_len": lengths})
        return result

    def _right(self, right: Right | None, line: int, text: Text, size: int) -> list[int]:
        """Return how many systems are right at each chunk of a line, of which there are `size`."""
        number = line if text.rows is None else int(text.rows[line])
        found = right.lines.get(number) if right else [0] * size
        if right and found is None and self.weights == SYSTEMS:
            return [right.systems] * size
        if found is None or len(found) != size:
            has = f"{len(found)} numbers" if found else "no numbers"
            message = (
                f"edits cut this sentence into {size} chunks, and the weight file has {has} for it"
            )
            raise LongTextError(0, line, f"{message}; was it made of other edits?")
        return found


_FILES: dict[str, Right] = {}
"""The weight files that were read, by their checksums."""
_NAME = re.compile("file-[0-9a-f]{12}")
MAX_BYTES = 1 << 27
"""The most bytes of a weight file."""


def resolved(text: str, base: Path) -> str:
    """Return systems, none, or the checksum of a weight file, which is kept. Raises ConfigError."""
    if text in (SYSTEMS, NONE) or _NAME.fullmatch(text):
        return text
    path = base / text
    content = small_text(path, MAX_BYTES)
    lines: dict[int, list[int]] = {}
    for number, line in enumerate(content.rstrip("\n").split("\n")):
        if not re.fullmatch(r"[0-9]{1,9}( [0-9]{1,9})*", line.strip()) or (
            number == 0 and " " in line.strip()
        ):
            expected = (
                "how many right systems each chunk has" if number else "the number of systems"
            )
            raise ConfigError(f"{path}:{number + 1}: expected {expected}, found '{line[:40]}'")
        lines[number - 1] = [*map(int, line.split())]
    (systems,) = lines.pop(-1)
    name = f"file-{hashlib.sha256(content.encode()).hexdigest()[:12]}"
    _FILES[name] = Right(systems, lines)
    return name


@dataclass(frozen=True)
class GoToScorer(ChoosesReferences, Metric):
    """F-beta of chunks, weighted by how many systems fail at them.

    The edits of one annotator cut a sentence into chunks: each edit, and each token and gap between
    them. A chunk counts as tried where the system changes it, and as right where the system has
    what the annotator has. A chunk weighs a - (right + b) / (N + c), where `right` of N systems are
    right. So scores with `weights: systems` depend on the systems of the run; samples and tests
    keep the weights.

    The sources are github.com/gotutiyan/GTS (1.1.0) and, as the flavour gec-metrics, the package of
    that name, which takes a swallowed gap as right, and a precision or recall of nothing as 1."""

    name: ClassVar[str] = "gotoscorer"
    summary: ClassVar[str] = (
        "GoToScorer (Gotou et al. 2020): edits weighted by how hard they are for the systems"
    )
    spellings: ClassVar[dict[str, dict[str, str]]] = {"GoTo scorer": {}, "GTS": {}}
    help_page: ClassVar[str] = "errant"
    counts: ClassVar[frozenset[str]] = frozenset(PARTS)
    table_outputs: ClassVar[str] = "precision|recall|accuracy"
    name_in_text: ClassVar[str] = "GoToScorer"
    citations: ClassVar[tuple[str, ...]] = ("gotou-etal-2020-taking",)
    policy: ClassVar[str] = "merged"
    """One annotator counts, whatever others say."""

    flavour: str = option("authors", help="whose program", choices=tuple(LEFT_OUT), implicit=True)
    weights: str = option(
        SYSTEMS,
        help="of chunks: from the systems of the run, none (each is 1), or a weight file of GTS",
        free=True,
        form="systems, none or a file",
        resolved=resolved,
    )
    a: str = number_option("1", "in weight = a - (right + b) / (N + c)", digits=6)
    b: str = number_option("0", "see a", digits=6, implicit=True)
    c: str = number_option("0", "see a", digits=6, implicit=True)
    annotator: int = option(
        0, help="the annotator of the gold who counts, from 0", maximum=999, implicit=True
    )
    beta: str = beta_option()
    level: str = level_option()

    def misfit(self, references: int, *, missing: bool = False) -> str | None:
        """Refuse an annotator whom the gold does not have."""
        if self.annotator < references:
            return None
        return f"annotator: expected at most {references - 1}, the last of the gold, found {self.annotator}"

    @cached_property
    def spec(self) -> GotoSpec:
        """The counts and weights of chunks."""
        return GotoSpec(self.annotator, self.flavour, self.weights, _FILES.get(self.weights))

    @cached_property
    def terms(self) -> tuple[Field, ...]:
        """All columns but those of single annotators."""
        return self.spec.columns[:-1]

    def score(self, totals: Columns) -> dict[str, Floats]:
        """Return gotoscorer, precision, recall, accuracy, and the weighted tp, fp, fn and tn."""
        a, b, c = map(float, (self.a, self.b, self.c))
        systems = ratio(totals["systems"], totals["lines"]) + c
        tp, fp, fn, tn, whole = (
            totals[f"count_{part}"].astype(np.float64)
            if self.weights == NONE
            else a * totals[f"count_{part}"]
            - ratio(totals[f"right_{part}"] + b * totals[f"count_{part}"], systems)
            for part in PARTS
        )
        precision, recall = ratio(tp, tp + fp), ratio(tp, tp + fn)
        if self.flavour == "gec-metrics":
            precision, recall = np.where(fp == 0, 1.0, precision), np.where(fn == 0, 1.0, recall)
            whole = tp + fp + fn + tn
        score = f_beta(precision, recall, float(self.beta))
        outputs = {
            "gotoscorer": score,
            "precision": precision,
            "recall": recall,
            "accuracy": ratio(tp + tn, whole),
        }
        return outputs | dict(zip(PARTS, (tp, fp, fn, tn), strict=False))

    def shown_counts(self, columns: Columns) -> list[Counted]:
        """Return how many chunks there are of each kind."""
        return [Counted(part, columns[f"count_{part}"]) for part in PARTS]
