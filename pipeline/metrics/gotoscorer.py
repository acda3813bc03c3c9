"""GoToScorer (Gotou et al. 2020): edits weigh as much as systems fail at them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from ..corpus.edits.records import annotation_of, outputs_of
from ..errors import ConfigError, LongTextError
from ..io.plain_files import small_text
from .base.capabilities import LimitsReferences
from .base.choices import f_beta, ratio
from .base.metric import Counted, Metric
from .base.needs import EDITS, Field, Needs, Survey
from .base.options import beta_option, level_option, option

if TYPE_CHECKING:
    from ..arrays import Floats, Ints
    from ..corpus.edits.m2_files import Edit
    from .base.needs import Columns, Text

LEFT_OUT = {"authors": ("noop", "UNK", "Um"), "gec-metrics": ("noop", "UNK")}
"""Types of edits that change nothing, by flavour."""
PARTS = ("tp", "fp", "fn", "tn", "all")
SYSTEMS, NONE = "systems", "none"
NUMBERS = r"[0-9]{1,6}(\.[0-9]{1,6})?"


class Chunk(NamedTuple):
    """A piece of a sentence that an annotator may change: a token, the gap before one, or an edit."""

    start: int
    end: int
    text: str
    edited: bool


def chunks_of(tokens: Sequence[str], edits: Iterable[Edit]) -> list[Chunk]:
    """Return the pieces into which edits cut a sentence, in their order."""
    chunks: list[Chunk] = []
    at = 0

    def add(start: int, end: int, text: str, *, edited: bool) -> None:
        inserted = chunks and chunks[-1].start == chunks[-1].end
        if start < end and not inserted:
            chunks.append(Chunk(start, start, "", False))
        chunks.append(Chunk(start, end, text, edited))

    for edit in edits:
        for place in range(at, edit.start):
            add(place, place + 1, tokens[place], edited=False)
        add(edit.start, edit.end, edit.correction, edited=True)
        at = edit.end
    for place in range(at, len(tokens)):
        add(place, place + 1, tokens[place], edited=False)
    if not chunks or chunks[-1].start < chunks[-1].end:
        chunks.append(Chunk(len(tokens), len(tokens), "", False))
    return chunks


def verdicts_of(gold: Sequence[Chunk], own: Sequence[Chunk], flavour: str) -> list[tuple[bool, bool]]:
    """Return for each chunk of the annotator whether the system tried to change it, and whether it is right there.

    A chunk that the system has too is right, and tried if the system made it by an edit. Else it is tried if an edit of
    the system has the same place or overlaps it, and wrong; but a gap that the system's edits swallow is not touched.
    gec-metrics looks no further where the system has a chunk of the same place.
    """
    same = {chunk[:3]: chunk.edited for chunk in reversed(own)}
    first = {chunk[:2]: chunk for chunk in reversed(own)}
    edits = [chunk[:2] for chunk in own if chunk.edited]
    verdicts = []
    for start, end, text, edited in gold:
        equal, placed = same.get((start, end, text)), first.get((start, end))
        if flavour == "gec-metrics" and placed:
            verdicts.append((placed.edited, placed.text == text))
        elif equal is not None and flavour == "authors":
            verdicts.append((equal, True))
        elif start == end:
            verdicts.append(((start, end) in edits, not placed and (flavour == "gec-metrics" or not edited)))
        else:
            tried = any(start <= low < end or low <= start < high for low, high in edits)
            verdicts.append((tried, False))
    return verdicts


def _in_order(edits: Sequence[Edit], tokens: int) -> bool:
    """Return whether edits are in the order of the sentence, and do not overlap."""
    spans = [(0, -1), *((edit.start, edit.end) for edit in edits)]
    return all(one[1] <= two[0] <= two[1] <= tokens and one != two for one, two in pairwise(spans))


class Right(NamedTuple):
    """How many systems are right at chunks, which gives their weights."""

    systems: int
    lines: dict[int, list[int]]
    """For each line of the data set the numbers of its chunks, in their order; a line without one has all right."""


@dataclass(frozen=True)
class RightSurvey(Survey):
    """How many systems of the run are right at each chunk: a row for the first chunk, and where not all are."""

    annotator: int
    flavour: str

    of_systems: ClassVar[bool] = True
    source = True
    input = EDITS

    @property
    def columns(self) -> tuple[Field, ...]:
        """The line, the number of the chunk, how many systems are right, how many systems there are, and chunks."""
        return tuple(map(Field, ("line", "chunk", "right", "systems", "chunks")))

    def count(self, text: Text) -> list[dict[str, Ints]]:
        """Count a shard."""
        rows = []
        for line, (gold, systems) in enumerate(judged(self.annotator, self.flavour, text)):
            number = line if text.rows is None else int(text.rows[line])
            right = np.array(systems, bool).reshape(-1, len(gold), 2)[..., 1].sum(axis=0)
            rows += [(number, chunk, own, len(systems), len(gold)) for chunk, own in enumerate(right.tolist())]
        table = np.array(rows, np.int64).reshape(-1, 5).T
        return [self.reduced(dict(zip((item.name for item in self.columns), table, strict=True)))]

    def reduced(self, columns: Columns) -> dict[str, Ints]:
        """Return the rows that say something, and the first."""
        kept = columns["right"] < columns["systems"]
        kept[:1] = True
        return {name: values[kept] for name, values in columns.items()}

    def opened(self, columns: Columns) -> Right:
        """Return the numbers of each line that has one."""
        lines: dict[int, list[int]] = {}
        systems = int(columns["systems"].max(initial=0))
        for line, chunk, right, _, chunks in zip(*(columns[item.name].tolist() for item in self.columns), strict=True):
            lines.setdefault(line, [systems] * chunks)[chunk] = right
        return Right(systems, lines)


def judged(annotator: int, flavour: str, text: Text) -> Iterator[tuple[list[Chunk], list[list[tuple[bool, bool]]]]]:
    """Yield for each line the chunks of the annotator, and the verdicts on each system."""
    assert text.source is not None  # noqa: S101 (who counts reads it)

    def counted(edits: Iterable[Edit], tokens: list[str], number: int) -> list[Edit]:
        own = [edit for edit in edits if edit.type not in LEFT_OUT[flavour]]
        if flavour != "authors" and not _in_order(own, len(tokens)):
            message = "edits overlap, or are not in the order of the sentence, and gec-metrics counts none such"
            raise LongTextError(number, line, f"{message}; take flavour authors")
        return own

    others = [[*lines.texts()] for lines in (*text.references, *text.systems)]
    references, systems = others[: len(text.references)], others[len(text.references) :]
    for line, source in enumerate(text.source.texts()):
        tokens = source.decode().split(" ")
        gold = chunks_of(tokens, counted(_gold(annotator, (lines[line] for lines in references)), tokens, 0))
        known: dict[bytes, list[tuple[bool, bool]]] = {}
        for number, record in enumerate((lines[line] for lines in systems), len(references)):
            if record not in known:
                outputs = outputs_of(record)
                own = counted(outputs[0] if outputs else (), tokens, number)
                known[record] = verdicts_of(gold, chunks_of(tokens, own), flavour)
        yield gold, [known[lines[line]] for lines in systems]


def _gold(annotator: int, records: Iterable[bytes]) -> Sequence[Edit]:
    """Return the edits of an annotator; none where there is no line of theirs."""
    for record in records:
        own = annotation_of(record)
        if own and (own.annotator, own.output) == (annotator, 0):
            return own.edits
    return ()


@dataclass(frozen=True)
class GotoNeeds(Needs):
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
    def survey(self) -> RightSurvey | None:
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
        lines = len(text.references[0].starts)
        table = np.zeros((len(text.systems), 2, len(PARTS), lines), np.int64)
        for line, (gold, systems) in enumerate(judged(self.annotator, self.flavour, text)):
            weights = np.array([[1] * len(gold), self._right(right, line, text, len(gold))])
            edited = np.array([chunk.edited for chunk in gold])
            tried, good = np.array(systems, bool).reshape(-1, len(gold), 2).transpose(2, 0, 1)
            missed = ~good & (edited | ~tried)
            parts = np.stack([tried & good, tried & ~good, missed, ~tried & good, np.ones_like(good)], axis=1)
            table[..., line] = (parts @ weights.T).transpose(0, 2, 1)
        lengths = np.zeros((lines, len(text.references)), np.int64)
        shared = {"systems": np.full(lines, right.systems if right else 1), "lines": np.ones(lines, np.int64)}
        return [
            {f"{kind}_{part}": own[k, p] for k, kind in enumerate(("count", "right")) for p, part in enumerate(PARTS)}
            | {**shared, "ref_len": lengths}
            for own in table
        ]

    def _right(self, right: Right | None, line: int, text: Text, size: int) -> list[int]:
        """Return how many systems are right at each chunk of a line, of which there are `size`."""
        number = line if text.rows is None else int(text.rows[line])
        found = right.lines.get(number) if right else [0] * size
        if right and found is None and self.weights == SYSTEMS:
            return [right.systems] * size
        if found is None or len(found) != size:
            has = f"{len(found)} numbers" if found else "no numbers"
            message = f"edits cut this sentence into {size} chunks, and the weight file has {has} for it"
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
        if not re.fullmatch(r"[0-9]{1,9}( [0-9]{1,9})*", line.strip()) or (number == 0 and " " in line.strip()):
            expected = "how many right systems each chunk has" if number else "the number of systems"
            raise ConfigError(f"{path}:{number + 1}: expected {expected}, found '{line[:40]}'")
        lines[number - 1] = [*map(int, line.split())]
    (systems,) = lines.pop(-1)
    name = f"file-{hashlib.sha256(content.encode()).hexdigest()[:12]}"
    _FILES[name] = Right(systems, lines)
    return name


@dataclass(frozen=True)
class GoToScorer(LimitsReferences, Metric):
    """F-beta of chunks, weighted by how many systems fail at them.

    The edits of one annotator cut a sentence into chunks: each edit, and each token and gap between them. A chunk
    counts as tried where the system changes it, and as right where the system has what the annotator has. A chunk
    weighs a - (right + b) / (N + c), where `right` of N systems are right. So scores with `weights: systems` depend on
    the systems of the run; samples and tests keep the weights.

    The sources are github.com/gotutiyan/GTS (1.1.0) and, as the flavour gec-metrics, the package of that name, which
    takes a swallowed gap as right, and a precision or recall of nothing as 1.
    """

    name: ClassVar[str] = "gotoscorer"
    summary: ClassVar[str] = "GoToScorer (Gotou et al. 2020): edits weighted by how hard they are for the systems"
    spellings: ClassVar[dict[str, dict[str, str]]] = {"GoTo scorer": {}, "GTS": {}}
    help_page: ClassVar[str] = "errant"
    counts: ClassVar[frozenset[str]] = frozenset(PARTS)
    table_outputs: ClassVar[str] = "precision|recall|accuracy"
    name_in_text: ClassVar[str] = "GoToScorer"
    citations: ClassVar[tuple[str, ...]] = ("gotou-etal-2020-taking",)

    flavour: str = option("authors", help="whose program", choices=tuple(LEFT_OUT), implicit=True)
    weights: str = option(
        SYSTEMS,
        help="of chunks: from the systems of the run, none (each is 1), or a weight file of GTS",
        free=True,
        form="systems, none or a file",
        resolved=resolved,
    )
    a: str = option("1", help="in weight = a - (right + b) / (N + c)", pattern=NUMBERS, numbers=True, form="a number")
    b: str = option("0", help="see a", pattern=NUMBERS, numbers=True, form="a number", implicit=True)
    c: str = option("0", help="see a", pattern=NUMBERS, numbers=True, form="a number", implicit=True)
    annotator: int = option(0, help="the annotator of the gold who counts, from 0", maximum=999, implicit=True)
    beta: str = beta_option()
    level: str = level_option()

    @property
    def policy(self) -> str:
        """One annotator counts, whatever others say."""
        return "merged"

    def misfit(self, references: int, *, missing: bool = False) -> str | None:
        """Refuse an annotator whom the gold does not have."""
        del missing
        if self.annotator < references:
            return None
        return f"annotator: expected at most {references - 1}, the last of the gold, found {self.annotator}"

    @cached_property
    def needs(self) -> GotoNeeds:
        """The counts and weights of chunks."""
        return GotoNeeds(self.annotator, self.flavour, self.weights, _FILES.get(self.weights))

    @cached_property
    def terms(self) -> tuple[Field, ...]:
        """All columns but those of single annotators."""
        return self.needs.columns[:-1]

    def score(self, totals: Columns) -> dict[str, Floats]:
        """Return gotoscorer, precision, recall, accuracy, and the weighted tp, fp, fn and tn."""
        a, b, c = map(float, (self.a, self.b, self.c))
        systems = ratio(totals["systems"], totals["lines"]) + c
        tp, fp, fn, tn, whole = (
            totals[f"count_{part}"].astype(np.float64)
            if self.weights == NONE
            else a * totals[f"count_{part}"] - ratio(totals[f"right_{part}"] + b * totals[f"count_{part}"], systems)
            for part in PARTS
        )
        precision, recall = ratio(tp, tp + fp), ratio(tp, tp + fn)
        if self.flavour == "gec-metrics":
            precision, recall = np.where(fp == 0, 1.0, precision), np.where(fn == 0, 1.0, recall)
            whole = tp + fp + fn + tn
        score = f_beta(precision, recall, float(self.beta))
        outputs = {"gotoscorer": score, "precision": precision, "recall": recall, "accuracy": ratio(tp + tn, whole)}
        return outputs | dict(zip(PARTS, (tp, fp, fn, tn), strict=False))

    def shown_counts(self, columns: Columns) -> list[Counted]:
        """Return how many chunks there are of each kind."""
        return [Counted(part, columns[f"count_{part}"]) for part in PARTS]
