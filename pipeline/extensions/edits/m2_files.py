"""Whole M2 files in memory: read, checked, compared with each other, and converted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple
from unicodedata import normalize

from pipeline.errors import CorpusError, Problem
from pipeline.files import Remote, TempFiles, named, numbered_lines, open_bytes

# The lines of an M2 file (`m2_format.py` has an example): sentences, each with the edits of its
# annotators. Lines that begin with I may stand between the edits, and mean nothing. Nothing is
# interpreted here. Whether alternatives (is||was) are split, whether -NONE- is an empty text, and
# what an annotator without a line means, is decided by those who read the edits.


NOOP = "A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0"
"""The line of an annotator who leaves a sentence as it is."""
FIELD_SEPARATOR = "|||"
FIELDS = 6
"""The number of fields of an edit."""
CORRECTION_FIELD = 2
"""The index of the correction among the fields of an edit."""
_SPAN = re.compile(r"(-?[0-9]{1,9})[ \t]+(-?[0-9]{1,9})")
_TARGET = re.compile(r"T[0-9]+(-A[0-9]+)? ")
"""How a line begins with which ChERRANT repeats the corrected sentence."""
_ID = re.compile(r"[0-9]{1,9}")
MAX_ANNOTATORS = 255
"""The most annotators of a file."""
MAX_EDITS = 20_000
"""The most edits of a sentence, of all annotators together. More would fill the memory."""
CACHED_LINES = 1 << 14
"""Lines whose edits are cached: most are read several times. They take 6 MB."""
CACHED_SENTENCES = 1 << 13
"""Sentences whose lines are cached: most systems share the edits of some. They take 12 MB."""

NUMBERED = re.compile(r"error ([0-9]+) (yes|no)")
"""The type of an edit that has the number of its error, and whether all annotators correct it."""


class Edit(NamedTuple):
    """A line that begins with A."""

    start: int
    """The first token that is replaced, from 0; -1 in a noop."""
    end: int
    """The token after the last that is replaced."""
    type: str
    correction: str
    """What replaces the tokens, as it is written."""
    annotator: int

    @property
    def is_noop(self) -> bool:
        """Whether the annotator leaves the sentence as it is."""
        return is_noop(self.type)


SPAN = itemgetter(0, 1)
"""Takes an edit; returns the tokens that it replaces: the first, and the one after the last."""


@lru_cache(CACHED_LINES)
def is_noop(type_: str) -> bool:
    """Return whether a type of edits means that the annotator leaves the sentence as it is."""
    return type_.strip().lower() == "noop"


@dataclass(slots=True)
class Block:
    """A sentence of an M2 file with its edits."""

    line: int
    """The line of the sentence in its file."""
    sentence: str
    """The sentence, without "S " before it."""
    lines: list[str] = field(default_factory=list)
    """The lines that begin with A."""
    numbers: list[int] = field(default_factory=list)
    """The number of each of them in the file."""
    read: LinesRead | None = field(default=None, repr=False, compare=False)
    """What read_block() has returned for all lines."""

    @property
    def text(self) -> str:
        """The sentence with one blank between tokens."""
        return " ".join(self.sentence.split())


Reader = Callable[[Path, str], Iterable[Block]]
"""Takes a file and its name for messages, and yields its sentences."""


def blocks(path: Path, name: str) -> Iterator[Block]:
    """Yield the sentences of an M2 file with their lines; raises CorpusError for other lines.

    `name` is the file in messages. A sentence ends at an empty line or at the next one. Lines with
    edits are not parsed yet.
    """
    current: Block | None = None
    for number, line in numbered_lines(path, name):
        if line[:2] == "A ":
            if current is None:
                message = "an edit before any sentence: expected a line that begins with 'S '"
                raise CorpusError.at(f"{name}:{number}", message)
            if len(current.lines) == MAX_EDITS:
                message = f"the sentence of line {current.line} has more than {MAX_EDITS:,} edits"
                raise CorpusError.at(f"{name}:{number}", message)
            current.lines.append(line)
            current.numbers.append(number)
        elif line[:2] == "S " or line == "S":
            if current:
                yield current
            current = Block(number, line[2:])
        elif current and (line.startswith("I ") or _TARGET.match(line)):
            continue  # such lines mean nothing
        elif line.strip():
            message = "expected a line that begins with 'S ' or 'A ', or an empty line"
            raise CorpusError.at(f"{name}:{number}", message)
        elif current:
            yield current
            current = None
    if current:
        yield current


def edit_of(line: str, name: str, number: int) -> Edit:
    """Return the edit of a line that begins with A; raises CorpusError if it is malformed."""
    try:
        return _edit(line)
    except ValueError as error:
        raise CorpusError.at(f"{name}:{number}", str(error)) from None


def edits_of(lines: Iterable[str]) -> list[Edit]:
    """Return the edits of several lines; raises ValueError if one is malformed."""
    return list(map(_edit, lines))


@lru_cache(CACHED_LINES)
def _edit(line: str) -> Edit:
    """Return the edit of a line that begins with A; raises ValueError if it is malformed."""
    fields = line[2:].split(FIELD_SEPARATOR)
    if len(fields) != FIELDS:
        raise ValueError(
            f"expected {FIELDS} fields with ||| between, found {len(fields)}"
        )
    # as Edit(...) does, in a third of the time
    return tuple.__new__(
        Edit, (*_span(fields[0]), fields[1], fields[2], _annotator(fields[5]))
    )


@lru_cache(CACHED_LINES)
def _span(field: str) -> tuple[int, int]:
    span = _SPAN.fullmatch(field.strip())
    if not span:
        raise ValueError(f"expected two token offsets, found '{field[:50]}'")
    return int(span[1]), int(span[2])


@lru_cache(CACHED_LINES)
def _annotator(field: str) -> int:
    if not _ID.fullmatch(field.strip()):
        raise ValueError(
            f"expected the number of an annotator at the end, found '{field[:50]}'"
        )
    return int(field)


class LinesRead(NamedTuple):
    """The lines of a sentence, parsed.

    Sentences with equal lines share it, so nobody may change it.
    """

    edits: list[Edit]
    """In the order of the file."""
    lines: dict[int, list[str]]
    """The lines of each annotator, by first appearance; a noop of annotator 0 without lines."""
    by_annotator: dict[int, list[Edit]]
    """The edits of each annotator who has a line, in the same order."""


@lru_cache(CACHED_SENTENCES)
def read_lines(lines: tuple[str, ...]) -> LinesRead:
    """Parse the lines of a sentence; raises ValueError if one is malformed."""
    edits = edits_of(lines)
    edits_by_annotator: dict[int, list[Edit]] = {}
    lines_by_annotator: dict[int, list[str]] = {}
    for line, edit in zip(lines, edits, strict=True):
        annotator = edit[4]  # faster than by name
        edits_by_annotator.setdefault(annotator, []).append(edit)
        lines_by_annotator.setdefault(annotator, []).append(line)
    if not lines:
        lines_by_annotator = {0: [NOOP]}
    return LinesRead(edits, lines_by_annotator, edits_by_annotator)


def read_block(block: Block, name: str) -> LinesRead:
    """Return the parsed lines of a sentence; raises CorpusError, with the line, for a malformed one.

    `name` is the file in messages.
    """
    try:
        block.read = block.read or read_lines(tuple(block.lines))
    except ValueError:
        for number, line in zip(block.numbers, block.lines, strict=True):
            # which raises the error of the first wrong line
            edit_of(line, name, number)
        raise
    return block.read


# ---- Annotators without a line for some sentences

Absent = dict[int, tuple[int, int]]
"""For each annotator with a line somewhere: how many sentences have none, and the first's line."""
NOBODY = -1
"""In Absent of a part of a file: the number that stands for annotators without any line there."""


def absent_from(sentences: Iterable[tuple[int, Collection[int]]]) -> Absent:
    """Return how many of some sentences each annotator has no line for, and the first such line.

    For each sentence, its line in the file and the annotators who are present come in. NOBODY is
    absent from all, so that it has the counts of an annotator who first appears in a later part.
    """
    absent: Absent = {NOBODY: (0, 0)}
    for line, present in sentences:
        for annotator in present - absent.keys():
            # until now this annotator was absent
            absent[annotator] = absent[NOBODY]
        for annotator in absent.keys() - present:
            absent[annotator] = _sum_and_first(absent[annotator], (1, line))
    return absent


def absent_from_all(parts: Iterable[Absent]) -> Absent:
    """Add up what absent_from() returns for the parts of a file, in order. NOBODY is left out."""
    total: Absent = {NOBODY: (0, 0)}
    for part in parts:
        joined_parts: Absent = {}
        for annotator in sorted(total.keys() | part.keys()):
            before = total.get(annotator, total[NOBODY])
            in_part = part.get(annotator, part[NOBODY])
            joined_parts[annotator] = _sum_and_first(before, in_part)
        total = joined_parts
    del total[NOBODY]
    return total


def _sum_and_first(
    before: tuple[int, Any], after: tuple[int, Any]
) -> tuple[int, Any]:
    """Add up two counts, each with the position of the first; keep the first position of all."""
    return before[0] + after[0], before[1] or after[1]


# ---- A summary of the edits, and warnings made of it

DELETED = "-NONE-"
"""How NUCLE writes that a correction is empty. ERRANT leaves the field empty."""
BETWEEN = "||"
"""What stands between alternatives of a correction."""
GOLD_NAMES = re.compile(
    r"(^|[._-])(gold|ref|refs|reference|references|annotators?)[0-9]*([._-]|$)",
    re.IGNORECASE,
)
"""Usual names of files of annotators."""
MAX_LISTED = 10
"""How many annotators a message lists."""
MIN_COMPARED_EDITS = 20
"""The types of files with fewer edits are not compared."""
MAX_SHARED_TYPES = 0.05
"""Types differ if at most this share of the edits has a type of the other file."""
PREFIXES = ("M:", "R:", "U:")
"""How the types of ERRANT begin: what is missing, to be replaced, or unnecessary."""


@dataclass
class EditSummary:
    """A summary of the edits of an M2 file, or of a part of it."""

    name: str
    """The file in messages."""
    has_crlf: bool = False
    """Whether its first line ends as lines of Windows do."""
    may_be_suspicious: bool = True
    """Whether m2scorer may read some of it otherwise."""
    sentences: int = 0
    """How many there are."""
    absent: Absent = field(default_factory=dict)
    """The annotators. A sentence without lines stands for annotator 0."""
    max_annotators: int = 1
    """The most annotators of a sentence."""
    all_types: Counter[str] = field(default_factory=Counter)
    """How often each type of edit occurs, noops included."""
    empty: Counter[str] = field(default_factory=Counter)
    """How often corrections are empty, by how that is written, noops left out."""
    alternatives: tuple[int, int] = 0, 0
    """How many corrections have alternatives, and the line of the first."""
    misfits: tuple[int, str] = 0, ""
    """How many edits do not fit into their sentence, and the position of the first."""

    @classmethod
    def of_blocks(
        cls,
        name: str,
        blocks: Sequence[Block],
        *,
        has_crlf: bool = False,
    ) -> EditSummary:
        """Return the summary of some sentences, without `absent`; raises CorpusError for wrong lines."""
        summary = cls(name, has_crlf, sentences=len(blocks))
        alternatives: list[int] = []  # their lines
        misfits: list[str] = []  # their positions
        annotators_of_sentences = [1]
        for sentence, block in enumerate(blocks, 1):
            parsed = read_block(block, name)
            annotators_of_sentences.append(len(parsed.lines))
            size = len(block.sentence.split())
            for line, edit in zip(block.numbers, parsed.edits, strict=True):
                start, end, type_, correction, _ = edit
                summary.all_types[type_] += 1
                if correction in (DELETED, "") and not is_noop(type_):
                    summary.empty[correction] += 1
                elif BETWEEN in correction:
                    alternatives.append(line)
                if 0 <= start <= end <= size or is_noop(type_):
                    continue
                misfit = f"({start} {end} in a sentence of {size} tokens)"
                if NUMBERED.fullmatch(type_):
                    # XML may be one long line
                    misfits.append(f"sentence {sentence} {misfit}")
                elif start != -1:  # in M2 files no edit from -1 is about tokens
                    misfits.append(f"line {line} {misfit}")
        summary.max_annotators = max(annotators_of_sentences)
        if alternatives:
            summary.alternatives = (len(alternatives), alternatives[0])
        if misfits:
            summary.misfits = (len(misfits), misfits[0])
        return summary

    def add(self, other: EditSummary) -> None:
        """Add the summary of the sentences that come next, without `absent`."""
        self.may_be_suspicious |= other.may_be_suspicious
        self.sentences += other.sentences
        self.max_annotators = max(self.max_annotators, other.max_annotators)
        self.all_types.update(other.all_types)
        self.empty.update(other.empty)
        self.alternatives = _sum_and_first(
            self.alternatives, other.alternatives
        )
        self.misfits = _sum_and_first(self.misfits, other.misfits)

    @property
    def is_xml(self) -> bool:
        """Whether it was read from a gold file of I-measure."""
        return any(map(NUMBERED.fullmatch, self.all_types))

    @property
    def annotators(self) -> list[int]:
        """The numbers of all annotators, in rising order."""
        return sorted(self.absent)

    def notes(self) -> Iterator[str]:
        """Yield warnings about annotators without a line for some sentences, and about misfits."""
        missing = []
        for annotator, (count, line) in sorted(self.absent.items()):
            if count:
                missing.append(
                    f"{annotator} ({count}, the first in line {line})"
                )
        if missing:
            listed = missing[:MAX_LISTED]
            if len(missing) > MAX_LISTED:
                listed.append(f"and {len(missing) - MAX_LISTED} more")
            yield (
                f"{self.name}: annotators without a line for some sentences do not take part "
                f"there, as in the official programs: {', '.join(listed)}"
            )
        count, first = self.misfits
        if count:
            yield (
                f"{self.name}: {count} edits do not fit into their sentence, the first in {first}; "
                "M2 leaves out those beyond the end, ERRANT counts all of them, I-measure takes "
                "what is there of their tokens, as ieval.py does"
            )

    def types(self) -> Counter[str]:
        """Return how often each type occurs among the edits that are corrected."""
        types: Counter[str] = Counter()
        for name, times in self.all_types.items():
            if not is_noop(name) and name != "UNK":
                types[name] = times
        return types

    def has_errant_types(self) -> bool:
        """Return whether some edit has a type of ERRANT."""
        return any(name.startswith(PREFIXES) for name in self.types())

    def foreign(self) -> str:
        """Return a note that no edit has a type of ERRANT; empty if some have, or without edits."""
        types = self.types()
        if not types or self.has_errant_types():
            return ""
        if self.is_xml:
            return f"{self.name} is XML of I-measure, without types of ERRANT"
        listed = _most_frequent(types)
        if len(types) > 3:
            listed += " ..."
        return f"{self.name} has types of edits such as {listed}, which are not ERRANT's"


def _most_frequent(types: Counter[str]) -> str:
    """Return the three most frequent types as text."""
    return ", ".join(name for name, _ in types.most_common(3))


def other_styles(
    gold: EditSummary, outputs: Sequence[EditSummary]
) -> Iterator[str]:
    """Yield warnings for edits that can hardly match, because they are written in different styles.

    These are deletions of an output that are all written otherwise than in the gold, and
    alternatives, which ERRANT's style does not have.
    """
    for output in outputs:
        for gold_style, other_style in ((DELETED, ""), ("", DELETED)):
            has_gold_style = output.empty[gold_style] > 0
            has_other_style = output.empty[other_style] > 0
            if (
                gold.empty[gold_style]
                and has_other_style
                and not has_gold_style
            ):
                yield (
                    f"{output.name}: writes deletions as '{other_style}', and {gold.name} as "
                    f"'{gold_style}': as ERRANT compares them they never match; "
                    "`gec-pipeline m2 convert` makes both alike"
                )
    for file in (gold, *outputs):
        count, first = file.alternatives
        if count:
            yield (
                f"{file.name}: {count} edits have alternatives (a||b), the first in line {first}; "
                "ERRANT compares them as they are written, so that they hardly match"
            )


def other_types(
    gold: EditSummary, outputs: Iterable[EditSummary]
) -> Iterator[str]:
    """Yield a warning for outputs with other types of edits than gold, such as those of NUCLE.

    Types differ if at most MAX_SHARED_TYPES of the edits of either file have a type of the other.
    Files with fewer than MIN_COMPARED_EDITS edits are not compared.
    """
    gold_types = gold.types()
    for output in outputs:
        types = output.types()
        if min(types.total(), gold_types.total()) < MIN_COMPARED_EDITS:
            continue
        names = types.keys() & gold_types.keys()
        shared = sum(types[name] for name in names)
        gold_shared = sum(gold_types[name] for name in names)
        share = max(shared / types.total(), gold_shared / gold_types.total())
        if share <= MAX_SHARED_TYPES:
            yield (
                f"{output.name}: types of edits are {_most_frequent(types)} ..., and in "
                f"{gold.name} they are {_most_frequent(gold_types)} ...: scores by type and mode cse "
                "compare what is named differently; annotate both with the same program"
            )


def line_ends(files: Iterable[EditSummary]) -> Iterator[str]:
    """Yield a warning for each file with line ends of Windows."""
    for file in files:
        if file.has_crlf:
            yield f"{file.name}: lines end as those of Windows do, which is read as a line end"


def compared_notes(
    output: Annotated,
    gold: Annotated,
    *,
    compares_types: bool,
) -> list[str]:
    """Return warnings about the M2 file of an output and that of the annotators.

    Raises CorpusError if their sentences differ.
    """
    problems = other_sentences(output, gold)
    if problems:
        raise CorpusError(problems)
    notes = [
        *swapped(output.summary, gold.summary),
        *line_ends([output.summary, gold.summary]),
        *gold.summary.notes(),
        *output.summary.notes(),
        *other_styles(gold.summary, [output.summary]),
    ]
    if compares_types:
        notes += other_types(gold.summary, [output.summary])
    return notes


def swapped(output: EditSummary, gold: EditSummary) -> Iterator[str]:
    """Yield a warning if the file of the annotators and that of the output seem swapped."""
    output_annotators = len(output.annotators)
    output_is_gold = bool(GOLD_NAMES.search(output.name.rpartition("/")[2]))
    gold_is_gold = bool(GOLD_NAMES.search(gold.name.rpartition("/")[2]))
    if output_annotators > 1 and len(gold.annotators) == 1:
        yield (
            f"{output.name} has {output_annotators} annotators, and {gold.name} has one: "
            "are output and reference swapped?"
        )
    elif output_is_gold and not gold_is_gold:
        yield (
            f"{output.name} is given as the output, and {gold.name} as the reference: "
            "are they swapped?"
        )


# ---- Whole files


@dataclass(frozen=True)
class Annotated:
    """An M2 file in memory."""

    summary: EditSummary
    blocks: list[Block]

    @property
    def name(self) -> str:
        """The file in messages."""
        return self.summary.name

    @property
    def read(self) -> list[LinesRead]:
        """The parsed lines of each sentence."""
        return [read_block(block, self.name) for block in self.blocks]

    @property
    def edits(self) -> list[list[Edit]]:
        """For each sentence, the edits of all annotators in the order of the file."""
        return [lines.edits for lines in self.read]

    def numbered_edits(self) -> Iterator[tuple[int, Edit]]:
        """Yield all edits, each with its line."""
        for block, edits in zip(self.blocks, self.edits, strict=True):
            yield from zip(block.numbers, edits, strict=True)


def read_annotated(
    path: Path | Remote,
    temp_files: TempFiles,
    reader: Reader = blocks,
) -> Annotated:
    """Read an M2 file, or another whose sentences `reader` yields as those of an M2 file.

    Raises CorpusError, with the line, if it is malformed.
    """
    name = named(path)
    sentences = list(reader(temp_files.local(path), name))
    if not sentences:
        message = "has no sentence: there is no line that begins with 'S '"
        raise CorpusError([Problem(name, message)])
    with open_bytes(temp_files.local(path), name) as file:
        has_crlf = file.readline().endswith(b"\r\n")
    return _of_blocks(name, sentences, has_crlf=has_crlf)


def _of_blocks(
    name: str, blocks: list[Block], *, has_crlf: bool = False
) -> Annotated:
    """Return sentences with their edits; raises CorpusError for a malformed line."""
    summary = EditSummary.of_blocks(name, blocks, has_crlf=has_crlf)
    present = [
        (block.line, read_block(block, name).lines.keys()) for block in blocks
    ]
    summary.absent = absent_from_all([absent_from(present)])
    return Annotated(summary, blocks)


def joined(files: Sequence[Annotated]) -> Annotated:
    """Return the annotations of several files of the same sentences as those of one.

    Annotators are numbered anew, from 0, file after file. A sentence without a line counts as left
    unchanged by the first annotator of its file. Raises CorpusError if the sentences differ, or if
    one file is XML, whose errors belong to all annotators together.
    """
    first, *others = files
    if not others:
        return first
    problems: list[Problem] = []
    for file in others:
        problems += other_sentences(file, first)
    for file in files:
        if file.summary.is_xml:
            problems.append(
                Problem(file.name, "is XML; of several gold files each is M2")
            )
    if problems:
        raise CorpusError(problems)
    blocks = [Block(block.line, block.sentence) for block in first.blocks]
    annotators_before = 0  # those of earlier files
    for file in files:
        annotators: set[int] = set()
        for block in file.blocks:
            for line in block.lines:
                annotators.add(int(line.rpartition(FIELD_SEPARATOR)[2]))
        in_order = sorted(annotators or {0})
        new_numbers = {}
        for new_number, annotator in enumerate(in_order, annotators_before):
            new_numbers[annotator] = new_number
        noop = f"{NOOP.removesuffix('0')}{in_order[0]}"
        for block, added in zip(blocks, file.blocks, strict=True):
            block.numbers += added.numbers or [added.line]
            for line in added.lines or [noop]:
                edit, _, number = line.rpartition(FIELD_SEPARATOR)
                block.lines.append(f"{edit}|||{new_numbers[int(number)]}")
        annotators_before += len(in_order)
    return _of_blocks(f"{first.name} and {len(others)} more", blocks)


def other_sentences(output: Annotated, gold: Annotated) -> list[Problem]:
    """Return the problem that two files have different sentences, with the first difference.

    Returns [] if all sentences are equal, token by token.
    """
    for block, gold_block in zip(output.blocks, gold.blocks, strict=False):
        tokens = block.sentence.split()
        expected = gold_block.sentence.split()
        # some files of Chinese have full-width signs where others have half-width ones
        if tokens == expected or _normalized(tokens) == _normalized(expected):
            continue
        first = difference(tokens, expected, f"{gold.name}:{gold_block.line}")
        message = f"{first}: the edits are not of the same sentences"
        return [Problem(f"{output.name}:{block.line}", message)]
    if len(output.blocks) != len(gold.blocks):
        message = f"has {len(output.blocks)} sentences, and {gold.name} has {len(gold.blocks)}"
        return [Problem(output.name, message)]
    return []


def _normalized(tokens: Sequence[str]) -> list[str]:
    return [normalize("NFKC", token) for token in tokens]


def difference(
    tokens: Sequence[str], expected: Sequence[str], position: str
) -> str:
    """Return the first difference of a sentence's tokens from the expected ones, as a message.

    `position` is the file and line of the expected ones.
    """
    pairs = zip(tokens, expected, strict=False)
    for number, (token, expected_token) in enumerate(pairs, 1):
        if token != expected_token:
            return f"token {number} is '{token}', and in {position} it is '{expected_token}'"
    return f"has {len(tokens)} tokens, and {position} has {len(expected)}"


# ---- M2 files in another style, or with other texts

STYLES = ("errant", "nucle")
"""How an empty correction is written: not at all, or as -NONE-."""
ALTERNATIVES = ("error", "first")
"""What is done with alternatives (a||b), which the style of ERRANT does not have."""


def written(sentence: str, lines: Iterable[str]) -> str:
    """Return a sentence and its lines as ERRANT writes them: an empty line follows."""
    return "\n".join([f"S {sentence}", *lines, "", ""])


def with_texts_changed(block: Block, change: Callable[[str], str]) -> Block:
    """Return a sentence with its text changed, and each alternative of its corrections."""
    lines = []
    for line in block.lines:
        fields = line.split(FIELD_SEPARATOR)
        if len(fields) == FIELDS:  # others are refused when they are read
            alternatives = fields[CORRECTION_FIELD].split(BETWEEN)
            fields[CORRECTION_FIELD] = BETWEEN.join(map(change, alternatives))
        lines.append(FIELD_SEPARATOR.join(fields))
    return Block(block.line, change(block.sentence), lines, block.numbers)


def converted(
    file: Annotated,
    style: str,
    alternatives: str = "error",
) -> Iterator[str]:
    """Return the sentences of a file in one of STYLES, each as the text of its lines.

    Noops stay as they are. `alternatives` is one of ALTERNATIVES. Raises CorpusError if an edit has
    alternatives, `style` is "errant" and `alternatives` is "error".
    """
    lines_with_alternatives = []
    for line_number, edit in file.numbered_edits():
        if BETWEEN in edit.correction:
            lines_with_alternatives.append(line_number)
    refuses = style == "errant" and alternatives == "error"
    if lines_with_alternatives and refuses:
        message = (
            f"the correction has alternatives ({BETWEEN} between), as "
            f"{len(lines_with_alternatives):,} edits of "
            "the file; the style of ERRANT has none: with --alternatives first, the first of each "
            "is taken"
        )
        position = f"{file.name}:{lines_with_alternatives[0]}"
        raise CorpusError([Problem(position, message)])

    def converted_line(line: str, edit: Edit) -> str:
        """Return the line of an edit with its correction in the style."""
        if edit.is_noop:
            return line
        fields = line.split(FIELD_SEPARATOR)
        first = edit.correction.split(BETWEEN, maxsplit=1)[0]
        if style == "errant":
            fields[CORRECTION_FIELD] = "" if first.strip() == DELETED else first
        elif not edit.correction.strip():
            fields[CORRECTION_FIELD] = DELETED
        return FIELD_SEPARATOR.join(fields)

    return (
        written(block.sentence, map(converted_line, block.lines, edits))
        for block, edits in zip(file.blocks, file.edits, strict=True)
    )
