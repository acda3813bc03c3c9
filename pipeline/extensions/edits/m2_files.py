"""Whole M2 files in memory: read, looked through for what is odd, and held beside each other."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple
from unicodedata import normalize

from pipeline.errors import CorpusError, Problem
from pipeline.files.plain_files import TempFiles, named, numbered_lines, open_bytes
from pipeline.files.remote import Remote
from pipeline.files.small_tables import at_line

# The lines of an M2 file (`formats/m2.py` has an example): sentences, each with the edits of its
# annotators. Lines that begin with I may stand between the edits, and mean nothing. Nothing is
# interpreted here. Whether alternatives (is||was) are parted, whether -NONE- is an empty text, and
# what an annotator without a line has meant, is decided by those who read the edits.


NOOP = "A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0"
"""The line of an annotator who leaves a sentence as it is."""
_SPAN = re.compile(r"(-?[0-9]{1,9})[ \t]+(-?[0-9]{1,9})")
_TARGET = re.compile(r"T[0-9]+(-A[0-9]+)? ")
"""How a line begins with which ChERRANT repeats the corrected sentence."""
_ID = re.compile(r"[0-9]{1,9}")
FIELDS = 6
MAX_ANNOTATORS = 255
"""The most annotators of a file."""
MOST = 20_000
"""The most edits of a sentence, those of all annotators together. More are meant to fill the
memory."""
KEPT = 1 << 14
"""Lines whose edits are kept: most are read several times, for texts, for checks and by workers.
They take 6 MB."""

NUMBERED = re.compile(r"error ([0-9]+) (yes|no)")
"""The type of an edit that says to which error of its sentence it belongs, and whether all
annotators correct that."""


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
        """Whether the line says that the annotator leaves the sentence as it is."""
        return is_noop(self.type)


@lru_cache(KEPT)
def is_noop(type_: str) -> bool:
    """Return whether a type of edits says that the annotator leaves the sentence as it is."""
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


Reader = Callable[[Path, str], Iterable[Block]]
"""Takes a file and its name for messages, and yields its sentences."""


def blocks(path: Path, name: str) -> Iterator[Block]:
    """Yield the sentences of an M2 file. Raises CorpusError, with the line, for a line that is none
    of an M2 file.
    """
    current: Block | None = None
    for number, line in numbered_lines(path, name):
        if line[:2] == "A ":
            if current is None:
                raise at_line(
                    name,
                    number,
                    "an edit before any sentence: expected a line that begins with 'S '",
                )
            if len(current.lines) == MOST:
                raise at_line(
                    name,
                    number,
                    f"the sentence of line {current.line} has more than {MOST:,} edits",
                )
            current.lines.append(line)
            current.numbers.append(number)
        elif line[:2] == "S " or line == "S":
            if current:
                yield current
            current = Block(number, line[2:])
        elif line and current and (line.startswith("I ") or _TARGET.match(line)):
            continue
        elif line.strip():
            raise at_line(
                name, number, "expected a line that begins with 'S ' or 'A ', or an empty line"
            )
        elif current:
            yield current
            current = None
    if current:
        yield current


def edit_of(line: str, name: str, number: int) -> Edit:
    """Return the edit of a line that begins with A; raises CorpusError where it is not written as
    one.
    """
    try:
        return _edit(line)
    except ValueError as error:
        raise at_line(name, number, str(error)) from None


def edits_of(lines: Iterable[str]) -> list[Edit]:
    """Return the edits of several lines; raises ValueError where one is not written as an edit."""
    return list(map(_edit, lines))


@lru_cache(KEPT)
def _edit(line: str) -> Edit:
    fields = line[2:].split("|||")
    if len(fields) != FIELDS:
        raise ValueError(f"expected {FIELDS} fields with ||| between, found {len(fields)}")
    # as Edit(...) does, in a third of the time
    return tuple.__new__(Edit, (*_span(fields[0]), fields[1], fields[2], _annotator(fields[5])))


@lru_cache(KEPT)
def _span(field: str) -> tuple[int, int]:
    span = _SPAN.fullmatch(field.strip())
    if not span:
        raise ValueError(f"expected two token offsets, found '{field[:50]}'")
    return int(span[1]), int(span[2])


@lru_cache(KEPT)
def _annotator(field: str) -> int:
    if not _ID.fullmatch(field.strip()):
        raise ValueError(f"expected the number of an annotator at the end, found '{field[:50]}'")
    return int(field)


DELETED = "-NONE-"
"""How NUCLE writes that a correction is empty. ERRANT leaves the field empty."""
BETWEEN = "||"
"""What stands between alternatives of a correction."""
GOLD_NAMES = re.compile(
    r"(^|[._-])(gold|ref|refs|reference|references|annotators?)[0-9]*([._-]|$)", re.IGNORECASE
)
"""Names of files as people call those of annotators."""
LISTED = 10
"""How many annotators a message lists."""
FEW = 20
"""Of files with fewer edits it is not said that their types are others."""
SHARED = 0.05
"""Types are others where at most such a share of the edits has a type of the other file."""

PREFIXES = ("M:", "R:", "U:")
"""How the types of ERRANT begin: what is missing, to be replaced, or unnecessary."""


Absent = dict[int, tuple[int, int]]
"""For each annotator who has a line somewhere: how many sentences have none, and the line of the
first of these."""
NOBODY = -1
"""The number of an annotator who has a line nowhere, and stands in Absent of a part for all who
have none there."""


def absent_from(every: Iterable[tuple[int, Collection[int]]]) -> Absent:
    """Return who is absent from the sentences of a part, of each of which there is the line, and
    who has lines.
    """
    absent: Absent = {NOBODY: (0, 0)}
    for line, present in every:
        for annotator in present - absent.keys():
            absent[annotator] = absent[NOBODY]
        for annotator in absent.keys() - present:
            absent[annotator] = _and(absent[annotator], (1, line))
    return absent


def absent_from_all(parts: Iterable[Absent]) -> Absent:
    """Return who is absent from sentences that come in parts, without NOBODY."""
    absent: Absent = {NOBODY: (0, 0)}
    for own in parts:
        every = sorted(absent.keys() | own.keys())
        absent = {who: _and(*(of.get(who, of[NOBODY]) for of in (absent, own))) for who in every}
    return {who: own for who, own in absent.items() if who != NOBODY}


def _and(own: tuple[int, Any], other: tuple[int, Any]) -> tuple[int, Any]:
    """Return how many there are, and the first, of what comes one after the other."""
    return own[0] + other[0], own[1] or other[1]


@dataclass
class Told:
    """What is said of the edits of an M2 file, or of a part of it."""

    name: str
    """The file, as messages call it."""
    of_windows: bool = False
    """Whether its first line ends as lines of Windows do."""
    may_be_odd: bool = True
    """Whether m2scorer may read some of it otherwise."""
    sentences: int = 0
    """How many there are."""
    absent: Absent = field(default_factory=dict)
    """The annotators. A sentence without lines stands for annotator 0."""
    most: int = 1
    """The most annotators of a sentence."""
    all_types: Counter[str] = field(default_factory=Counter)
    """How often each type of edit occurs, noops included."""
    empty: Counter[str] = field(default_factory=Counter)
    """How often corrections are empty, by how that is written, noops left out."""
    alternatives: tuple[int, int] = 0, 0
    """How many corrections have alternatives, and the line of the first."""
    misfits: tuple[int, str] = 0, ""
    """How many edits do not fit into their sentence, and where the first is."""

    @classmethod
    def of(cls, name: str, blocks: Sequence[Block], *, of_windows: bool = False) -> Told:
        """Return what is said of sentences, but not who is absent; raises CorpusError for a line
        that is no edit.
        """
        misfits, several = list[str](), list[int]()
        every = [read_block(block, name) for block in blocks]
        summary = cls(
            name,
            of_windows,
            sentences=len(blocks),
            most=max((len(own.lines) for own in every), default=1),
        )
        for sentence, (block, own) in enumerate(zip(blocks, every, strict=True), 1):
            size = len(block.sentence.split())
            for number, (start, end, type_, correction, _) in zip(
                block.numbers, own.edits, strict=True
            ):
                summary.all_types[type_] += 1
                if correction in (DELETED, "") and not is_noop(type_):
                    summary.empty[correction] += 1
                elif BETWEEN in correction:
                    several.append(number)
                if 0 <= start <= end <= size or is_noop(type_):
                    continue
                is_of_xml = NUMBERED.fullmatch(
                    type_
                )  # which may be one long line, so that sentences are told
                if start != -1 or is_of_xml:  # in M2 files no edit from -1 is meant for tokens
                    place = f"sentence {sentence}" if is_of_xml else f"line {number}"
                    misfits.append(f"{place} ({start} {end} in a sentence of {size} tokens)")
        summary.alternatives = len(several), next(iter(several), 0)
        summary.misfits = len(misfits), next(iter(misfits), "")
        return summary

    def add(self, other: Told) -> Told:
        """Take what is said of the sentences that come next, but not who is absent, and return
        this.
        """
        self.may_be_odd |= other.may_be_odd
        self.sentences += other.sentences
        self.most = max(self.most, other.most)
        self.all_types.update(other.all_types)
        self.empty.update(other.empty)
        self.alternatives = _and(self.alternatives, other.alternatives)
        self.misfits = _and(self.misfits, other.misfits)
        return self

    @property
    def is_xml(self) -> bool:
        """Whether it was read from a gold file of I-measure."""
        return any(map(NUMBERED.fullmatch, self.all_types))

    @property
    def annotators(self) -> list[int]:
        """The numbers of all annotators, in rising order."""
        return sorted(self.absent)

    def notes(self) -> Iterator[str]:
        """Yield what is odd: annotators without a line for some sentences, and edits that do not
        fit.
        """
        absent = sorted(self.absent.items())
        lacking = [
            f"{name} ({count}, the first in line {line})" for name, (count, line) in absent if count
        ]
        if lacking:
            more = [f"and {len(lacking) - LISTED} more"] if len(lacking) > LISTED else []
            yield (
                f"{self.name}: annotators without a line for some sentences do not take part there, as in the "
                f"official programs: {', '.join(lacking[:LISTED] + more)}"
            )
        count, first = self.misfits
        if count:
            yield (
                f"{self.name}: {count} edits do not fit into their sentence, the first in {first}; M2 "
                "leaves out those beyond the end, ERRANT counts all of them, I-measure takes what is there of their "
                "tokens, as ieval.py does"
            )

    def types(self) -> Counter[str]:
        """Return how often each type stands at an edit that is corrected."""
        types = self.all_types.items()
        return Counter(
            {name: times for name, times in types if not is_noop(name) and name != "UNK"}
        )

    def has_errant_types(self) -> bool:
        """Return whether some edit has a type of ERRANT."""
        return any(name.startswith(PREFIXES) for name in self.types())

    def foreign(self) -> str:
        """Return which types the edits have where none of them is one of ERRANT, as a note; else an
        empty text.
        """
        types = self.types()
        if not types or self.has_errant_types():
            return ""
        listed = ", ".join(name for name, _ in types.most_common(3)) + (
            " ..." if len(types) > 3 else ""
        )
        if self.is_xml:
            return f"{self.name} is XML of I-measure, without types of ERRANT"
        return f"{self.name} has types of edits such as {listed}, which are not ERRANT's"


@dataclass(frozen=True)
class Annotated:
    """An M2 file that has been read."""

    told: Told
    blocks: list[Block]

    @property
    def name(self) -> str:
        """The file, as messages call it."""
        return self.told.name

    @property
    def read(self) -> list[LinesRead]:
        """What the lines of each sentence say."""
        return [read_block(block, self.name) for block in self.blocks]

    @property
    def edits(self) -> list[list[Edit]]:
        """For each sentence, the edits of all annotators in the order of the file."""
        return [own.edits for own in self.read]

    def numbered_edits(self) -> Iterator[tuple[int, Edit]]:
        """Yield all edits, each with its line."""
        for block, edits in zip(self.blocks, self.edits, strict=True):
            yield from zip(block.numbers, edits, strict=True)


def read_annotated(
    path: Path | Remote, temp_files: TempFiles, reader: Reader = blocks
) -> Annotated:
    """Read an M2 file, or another whose sentences `reader` yields as those of an M2 file.

    Raises CorpusError, with the line, where it is not written as one.
    """
    name = named(path)
    blocks = list(reader(temp_files.local(path), name))
    if not blocks:
        raise CorpusError(
            [Problem(name, "has no sentence: there is no line that begins with 'S '")]
        )
    with open_bytes(temp_files.local(path), name) as file:
        return _of_blocks(name, blocks, of_windows=file.readline().endswith(b"\r\n"))


def joined(files: Sequence[Annotated]) -> Annotated:
    """Return the annotations of several files of the same sentences as those of one.

    Annotators are numbered anew, from 0, file after file. A sentence without a line is one that the
    first annotator of its file leaves as it is. Raises CorpusError where the files are not of the
    same sentences, or one of them is XML, whose errors belong to all annotators together."""
    first, *others = files
    if not others:
        return first
    problems = [problem for file in others for problem in other_sentences(file, first)]
    problems += [
        Problem(file.name, "is XML; of several gold files each is M2")
        for file in files
        if file.told.is_xml
    ]
    if problems:
        raise CorpusError(problems)
    blocks = [Block(block.line, block.sentence) for block in first.blocks]
    count = 0
    for file in files:
        lines = [line for block in file.blocks for line in block.lines] or [NOOP]
        numbers = sorted({int(line.rpartition("|||")[2]) for line in lines})
        ids = {number: count + place for place, number in enumerate(numbers)}
        for block, own in zip(blocks, file.blocks, strict=True):
            block.numbers += own.numbers or [own.line]
            for line in own.lines or [f"{NOOP.removesuffix('0')}{numbers[0]}"]:
                edit, _, annotator = line.rpartition("|||")
                block.lines.append(f"{edit}|||{ids[int(annotator)]}")
        count += len(numbers)
    return _of_blocks(f"{first.name} and {len(others)} more", blocks)


def _of_blocks(name: str, blocks: list[Block], *, of_windows: bool = False) -> Annotated:
    """Return sentences with their edits; raises CorpusError for a line that is not written as an
    edit.
    """
    told = Told.of(name, blocks, of_windows=of_windows)
    told.absent = absent_from_all(
        [absent_from((block.line, read_block(block, name).lines.keys()) for block in blocks)]
    )
    return Annotated(told, blocks)


def read_block(block: Block, name: str) -> LinesRead:
    """Return what the lines of a sentence say. Raises CorpusError, with the line, where one is not
    written as an edit.

    `name` is the file in messages.
    """
    try:
        block.read = block.read or read_lines(tuple(block.lines))
    except ValueError:
        for number, line in zip(block.numbers, block.lines, strict=True):
            edit_of(line, name, number)  # which raises the error of the first wrong line
        raise
    return block.read


def other_sentences(output: Annotated, gold: Annotated) -> list[Problem]:
    """Return the problem that two files are not of the same sentences, with the first that differs."""
    for own, other in zip(output.blocks, gold.blocks, strict=False):
        if own.sentence == other.sentence or own.sentence.split() == other.sentence.split():
            continue
        tokens, expected = own.sentence.split(), other.sentence.split()
        if [normalize("NFKC", token) for token in tokens] == [
            normalize("NFKC", token) for token in expected
        ]:
            continue  # some files of Chinese have full-width signs where others have half-width ones
        what = difference(tokens, expected, f"{gold.name}:{other.line}")
        return [
            Problem(f"{output.name}:{own.line}", f"{what}: the edits are not of the same sentences")
        ]
    if len(output.blocks) != len(gold.blocks):
        message = f"has {len(output.blocks)} sentences, and {gold.name} has {len(gold.blocks)}"
        return [Problem(output.name, message)]
    return []


def difference(tokens: Sequence[str], expected: Sequence[str], there: str) -> str:
    """Return where tokens differ first from those that are expected; `there` is where these stand."""
    at = next((i for i, (a, b) in enumerate(zip(tokens, expected, strict=False)) if a != b), None)
    if at is None:
        return f"has {len(tokens)} tokens, and {there} has {len(expected)}"
    return f"token {at + 1} is '{tokens[at]}', and in {there} it is '{expected[at]}'"


def other_styles(gold: Told, outputs: Iterable[Told]) -> Iterator[str]:
    """Yield a warning for files whose deletions or alternatives are written in another style than
    ERRANT's.
    """
    outputs = list(outputs)
    for item in outputs:
        for style, other in ((DELETED, ""), ("", DELETED)):
            if gold.empty[style] and item.empty[other] and not item.empty[style]:
                yield (
                    f"{item.name}: writes deletions as '{other}', and {gold.name} as '{style}': as ERRANT compares "
                    "them they never match; `gec-pipeline m2 convert` makes both alike"
                )
    for item in (gold, *outputs):
        count, first = item.alternatives
        if count:
            yield (
                f"{item.name}: {count} edits have alternatives (a||b), the first in line {first}; ERRANT "
                "compares them as they are written, so that they hardly match"
            )


def other_types(gold: Told, outputs: Iterable[Told]) -> Iterator[str]:
    """Yield a warning for outputs whose edits have other types than those of the annotators, such
    as those of NUCLE.
    """
    wanted = gold.types()
    for item in outputs:
        types = item.types()
        shared = sum(count for name, count in types.items() if name in wanted)
        back = sum(count for name, count in wanted.items() if name in types)
        if (
            min(types.total(), wanted.total()) >= FEW
            and max(shared / types.total(), back / wanted.total()) <= SHARED
        ):
            own, other = (
                ", ".join(name for name, _ in of.most_common(3)) for of in (types, wanted)
            )
            yield (
                f"{item.name}: types of edits are {own} ..., and in {gold.name} they are {other} ...: scores by type "
                "and mode cse compare what is named differently; annotate both with the same program"
            )


def line_ends(files: Iterable[Told]) -> Iterator[str]:
    """Yield a warning for each file with line ends of Windows."""
    for item in files:
        if item.of_windows:
            yield f"{item.name}: lines end as those of Windows do, which is read as a line end"


def swapped(output: Told, gold: Told) -> Iterator[str]:
    """Yield a warning where the annotators' file seems to have been given as the output, and the
    output as theirs.
    """
    several, wanted = len(output.annotators), len(gold.annotators)
    named_so = [bool(GOLD_NAMES.search(item.name.rpartition("/")[2])) for item in (output, gold)]
    if several > 1 and wanted == 1:
        yield f"{output.name} has {several} annotators, and {gold.name} has one: are output and reference swapped?"
    elif named_so == [True, False]:
        yield f"{output.name} is given as the output, and {gold.name} as the reference: are they swapped?"


SENTENCES = 1 << 13
"""Sentences whose lines are kept as they were read: most systems have the same edits of some. They
take 12 MB."""


class LinesRead(NamedTuple):
    """What the lines of a sentence say. Sentences with equal lines share it, so nobody may change
    it.
    """

    edits: list[Edit]
    """In the order of the file."""
    lines: dict[int, list[str]]
    """The lines of each annotator, in the order in which annotators come first; a noop of annotator
    0 without lines."""
    by_annotator: dict[int, list[Edit]]
    """The edits of each annotator who has a line, in the same order."""


@lru_cache(SENTENCES)
def read_lines(lines: tuple[str, ...]) -> LinesRead:
    """Read the lines of a sentence; raises ValueError for one that is not written as an edit."""
    edits = edits_of(lines)
    by_annotator: dict[int, list[Edit]] = {}
    own_lines: dict[int, list[str]] = {}
    for line, edit in zip(lines, edits, strict=True):
        if edit[4] in by_annotator:
            by_annotator[edit[4]].append(edit)
            own_lines[edit[4]].append(line)
        else:
            by_annotator[edit[4]], own_lines[edit[4]] = [edit], [line]
    return LinesRead(edits, own_lines or {0: [NOOP]}, by_annotator)


# ---- M2 files in another style, or with other texts

BAR = "|||"
CORRECTION = 2
"""The place of the correction among the six fields of an edit."""
STYLES = ("errant", "nucle")
"""How an empty correction is written: not at all, or as -NONE-."""
ALTERNATIVES = ("error", "first")
"""What is done with alternatives (a||b), which the style of ERRANT does not have."""


def written(sentence: str, lines: Iterable[str]) -> str:
    """Return a sentence with its lines that begin with A as ERRANT writes them: an empty line
    follows.
    """
    return "\n".join([f"S {sentence}", *lines, "", ""])


def with_texts_changed(block: Block, change: Callable[[str], str]) -> Block:
    """Return a sentence whose text is changed, and the corrections of its edits, each alternative
    on its own.
    """
    lines = []
    for line in block.lines:
        fields = line.split(BAR)
        if len(fields) == FIELDS:  # others are refused when they are read
            fields[CORRECTION] = BETWEEN.join(map(change, fields[CORRECTION].split(BETWEEN)))
        lines.append(BAR.join(fields))
    return Block(block.line, change(block.sentence), lines, block.numbers)


def converted(file: Annotated, style: str, alternatives: str = "error") -> Iterator[str]:
    """Return the sentences of a file in one of STYLES. The lines of noops stay as they are.

    Raises CorpusError where the style of ERRANT is asked for, an edit has alternatives, and
    `alternatives` is "error"."""
    several = [number for number, edit in file.numbered_edits() if BETWEEN in edit.correction]
    if several and style == "errant" and alternatives == "error":
        message = (
            f"the correction has alternatives ({BETWEEN} between), as {len(several):,} edits of the file; the style of "
            "ERRANT has none: with --alternatives first, the first of each is taken"
        )
        raise CorpusError([Problem(f"{file.name}:{several[0]}", message)])

    def changed(line: str, edit: Edit) -> str:
        first = edit.correction.split(BETWEEN, maxsplit=1)[0]
        if style == "nucle":
            text = edit.correction if edit.correction.strip() else DELETED
        else:
            text = "" if first.strip() == DELETED else first
        fields = line.split(BAR)
        return (
            line
            if edit.is_noop
            else BAR.join([*fields[:CORRECTION], text, *fields[CORRECTION + 1 :]])
        )

    return (
        written(block.sentence, map(changed, block.lines, edits))
        for block, edits in zip(file.blocks, file.edits, strict=True)
    )
