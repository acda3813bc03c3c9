"""M2 files in parts of whole sentences. What is made of a part is made at once, by whoever is free, and then joined.

What is wrong in a file is told as if it were read in one piece, line after line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from os import SEEK_END
from pathlib import Path
from typing import NamedTuple

import numpy as np

from .. import kernel
from ..arrays import Ints
from ..config.resolved import Column
from ..errors import CorpusError, Problem
from ..io.plain_files import BOM, SEPARATOR, Origin, Spool, Spooled, named, numbered, open_bytes
from ..io.remote import Remote
from ..io.workers import Shared, alone, in_batches
from .edits.m2_files import DELETED, MAX_ANNOTATORS, NOOP, Absent, Annotated, Block, Told, blocks_of, read_block
from .edits.odd_lines import BREAKS, Odd, odd_lines
from .edits.records import is_xml, records_of
from .formats import ANNOTATED
from .formats.m2 import Missing, Sentence, counted, output, reference, sentence_of, sentences_of

PART = 1 << 20
"""Bytes of a part, some more or less."""
AT_ONCE = 8
"""Parts that are read at once."""

BORDERS = b"\n\nS ", b"\n\r\nS "
"""What stands where parts may be cut, in front of the sentence."""

BREAKS_IN_BYTES = [sign.encode() for sign in BREAKS.pattern[1:-1]]
"""Signs that the compiled kernel leaves to Python."""

Key = tuple[str, int]
"""A kind of texts, one for each sentence, and the annotator whose they are."""
SOURCE: Key = "source", -1
"""The sentences as they are."""
OUTPUT: Key = "output", -1
"""The sentences as a system corrects them."""
PROPOSED: Key = "proposed", -1
"""The records of the edits of a system."""
CORRECTED, EDITS = "corrected", "edits"
"""The sentences as an annotator corrects them, and the records of the edits of an annotator."""


class Asked(NamedTuple):
    """What is made of an M2 file beside the sentences as they are."""

    texts: bool = False
    """The sentences as each annotator corrects them, or as the system does."""
    records: bool = False
    """The edits of each annotator, or of the system."""
    system: bool = False
    """Whether the edits are those of a system."""
    missing: Missing = "first"
    lenient: bool = False
    """Edits that cannot be applied are left out, for texts that are only shown, and annotator 0 has left everything as
    it is where no annotator has a line. The first of several annotators of a system counts."""
    odd: bool = False
    """What m2scorer would read otherwise."""


def system_asked(text: Column) -> Asked:
    """Return what is made of the M2 file of a system, whose text and edits may both be read."""
    return Asked(texts=text.kind == ANNOTATED, records=True, system=True, lenient=text.lenient)


@dataclass
class Made:
    """What is made of the sentences of a part, or of all parts so far."""

    number: int
    """That of the part."""
    told: Told
    annotated: Absent
    """Who has no line for sentences that others annotated."""
    texts: dict[Key, bytes]
    odd: Odd = field(default_factory=Odd)

    @classmethod
    def of(cls, blocks: Iterable[Block], name: str, asked: Asked, also: Collection[Key] = (), number: int = 0) -> Made:
        """Return what is made of sentences; raises CorpusError for the first that is wrong.

        There are texts of each annotator who has a line for one of the sentences, and those of `also`.
        """
        kept, absent, texts = list[Block](), Absent(), dict[Key, bytes]()

        def sentences() -> Iterator[Sentence]:
            for block in blocks:
                kept.append(block)
                yield sentence_of(block, name, lenient=asked.lenient)

        if asked.texts and asked.system:
            pairs = [(sentence.corrected(), output(sentence, name, lenient=asked.lenient)) for sentence in sentences()]
            texts[SOURCE], texts[OUTPUT] = _joined(one for one, _ in pairs), _joined(other for _, other in pairs)
        elif asked.texts:
            every = list(counted(sentences(), name, absent))
            texts[SOURCE] = _joined(map(Sentence.corrected, every))
            for annotator in {*absent.of, *(annotator for kind, annotator in also if kind == CORRECTED)}:
                texts[CORRECTED, annotator] = _joined(reference(every, annotator, asked.missing))
        else:
            kept += blocks
            texts[SOURCE] = _joined(" ".join(block.sentence.split()).encode() for block in kept)
        told = Told.of(name, kept) if asked.records else Told(name, absent=Absent(len(kept)))
        if asked.records and asked.system:
            texts[PROPOSED] = _joined("\n".join(block.lines or [NOOP]).encode() for block in kept)
        elif asked.records:
            lines = [read_block(block, name).lines for block in kept]
            for annotator in {*told.annotators, *(annotator for kind, annotator in also if kind == EDITS)}:
                texts[EDITS, annotator] = _joined(records_of(lines, annotator, 0))
        return cls(number, told, absent, texts)

    def add(self, other: Made) -> Made:
        """Take what is made of the sentences of the next part, but for the texts; return all of it."""
        self.told.add(other.told)
        self.annotated.add(other.annotated)
        self.odd.add(other.odd)
        return self


def _joined(texts: Iterable[bytes]) -> bytes:
    return SEPARATOR.join([*texts, b""])


class Part(NamedTuple):
    """Whole sentences of an M2 file, as whoever reads them is told."""

    number: int
    path: Path
    name: str
    """The file, as messages call it."""
    asked: Asked
    low: int
    high: int
    line: int
    """The number of the first line."""
    also: tuple[Key, ...] = ()

    def read(self) -> Made:
        """Return what is made of the sentences; raises CorpusError for what is wrong."""
        with open_bytes(self.path, self.name) as file:
            file.seek(self.low)
            data = file.read(self.high - self.low)
        blocks = blocks_of(numbered(data, self.name, self.line), self.name)
        made = _compiled(self, data)
        if not made:
            made = Made.of(blocks, self.name, self.asked, self.also, self.number)
            made.odd = odd_lines(data, self.name, self.line) if self.asked.odd else made.odd
        made.told.of_windows = data[: data.find(b"\n") + 1].endswith(b"\r\n")
        return made


def _compiled(part: Part, data: bytes) -> Made | None:
    """Return what the compiled kernel makes of a part; None without one, or where lines are not written as most are."""
    _, _, name, asked, _, _, line, also = part
    read = kernel.native_function("M2Part", "m2_edits")
    if not read or any(map(data.__contains__, BREAKS_IN_BYTES)) or data.startswith(BOM) or not _is_text(data):
        return None
    own = read(data, line, asked.texts and not asked.lenient)
    if not own.plain:
        return None
    lines, (sentences, annotators) = own.lines(), own.pairs().T
    counts = np.bincount(sentences, minlength=len(lines))
    annotated, bare = counts > 0, np.flatnonzero(counts == 0)
    told = Told(name, most=int(counts.max(initial=1)), all_types=Counter({t.decode(): n for t, n in own.types.items()}))
    if asked.texts and asked.system and not asked.lenient and told.most > 1:
        return None
    told.absent = _absent(lines, np.append(sentences, bare), np.append(annotators, np.zeros(len(bare), np.int32)))
    seen = own.told
    told.empty = Counter({style: n for style, n in ((DELETED, seen["deleted"]), ("", seen["empty"])) if n})
    told.alternatives = seen["several"], seen["alternative"]
    if seen["misfits"]:
        told.misfits = seen["misfits"], "line {} ({} {} in a sentence of {} tokens)".format(*seen["misfit"])
    absent, keys = Absent(), [SOURCE]
    if asked.texts and asked.system:
        keys.append(OUTPUT)
    elif asked.texts:
        absent = _absent(lines[annotated], annotated.cumsum()[sentences] - 1, annotators)
        keys += [(CORRECTED, annotator) for annotator in absent.of]
    if asked.records:
        keys += [PROPOSED] if asked.system else [(EDITS, annotator) for annotator in told.annotators]
    texts = {key: own.texts(*key, asked.missing) for key in dict.fromkeys([*keys, *also])}
    odd = odd_lines(data, name, line) if asked.odd and seen["odd"] else Odd()
    return Made(part.number, told, absent, texts, odd)


def _absent(lines: Ints, sentences: Ints, annotators: Ints) -> Absent:
    """Return who has no line for which of some sentences, from the pairs of a sentence and an annotator with lines."""
    absent = Absent(len(lines), int(lines[0]) if len(lines) else 0)
    for annotator in np.unique(annotators).tolist():
        lacks = np.ones(len(lines), np.bool_)
        lacks[sentences[annotators == annotator]] = False
        absent.of[annotator] = int(lacks.sum()), int(lines[lacks.argmax()]) if lacks.any() else 0
    return absent


def _is_text(data: bytes) -> bool:
    with suppress(UnicodeDecodeError):
        return data.decode() is not None
    return False


def parts_of(path: Path, name: str, asked: Asked) -> list[Part]:
    """Return the parts of a file: they begin with a sentence behind an empty line. Raises CorpusError."""
    parts, low, line = list[Part](), 0, 1
    with open_bytes(path, name) as file:
        size = file.seek(0, SEEK_END)
        file.seek(0)
        data, at, lines = b"", 0, 1  # the bytes at hand, where they begin, and the number of the line there
        while at + len(data) < size - PART and (piece := file.read(PART)):
            data += piece
            cut = max((data.rfind(sign) + len(sign) - 2 for sign in BORDERS if sign in data), default=0)
            if cut and at + cut > low:
                first = lines + data.count(b"\n", 0, cut)
                parts.append(Part(len(parts), path, name, asked, low, at + cut, line))
                low, line = at + cut, first
            at, lines, data = at + len(data[:-4]), lines + data.count(b"\n", 0, -4), data[-4:]
        return [*parts, Part(len(parts), path, name, asked, low, size, line)]


@dataclass
class M2File:
    """What was made of an M2 file."""

    made: Made
    files: dict[Key, Path]
    """Where the texts are."""

    @property
    def name(self) -> str:
        """The file, as messages call it."""
        return self.made.told.name

    @property
    def told(self) -> Told:
        """What is said of the edits; raises CorpusError where there is no sentence."""
        if not self.made.told.absent.sentences:
            raise CorpusError([Problem(self.name, "has no sentence: there is no line that begins with 'S '")])
        return self.made.told

    def texts(self, key: Key) -> Spooled:
        """Return the texts of a kind."""
        called = f"{self.name}, annotator {key[1]}" if key[1] >= 0 else self.name
        return Spooled(self.files[key], SEPARATOR, Origin(called, ", sentence "))

    def annotators(self) -> list[int]:
        """Return whose corrected texts there are, in rising order; raises CorpusError where there are none."""
        found = self.told and sorted(annotator for kind, annotator in self.files if kind == CORRECTED)
        if not found:
            message = "no annotator has a line: there is no line that begins with 'A '"
            raise CorpusError([Problem(self.name, message)])
        return found


def read_m2(path: Path | Remote, asked: Asked, spool: Spool, shared: Shared = alone) -> M2File:
    """Return what is asked for of an M2 file, or of a gold file of I-measure; raises CorpusError for what is wrong."""
    name, plain = named(path), spool.local(path)
    xml = is_xml(plain, name)
    if not xml:
        with suppress(CorpusError):  # another line may be told first where the file is read as a whole
            parts, files = parts_of(plain, name, asked), dict[Key, Path]()
            given = (part._replace(also=tuple(files)) for part in parts)  # of all annotators who are known by then
            return _written(in_batches(shared, Part.read, given, AT_ONCE), asked, spool, parts, files)
    made = Made.of(sentences_of(plain, name, whole=asked.records), name, asked)
    with open_bytes(plain, name) as file:
        made.told.of_windows = file.readline().endswith(b"\r\n")
        if asked.odd and not xml:
            file.seek(0)
            made.odd = odd_lines(file.read(), name)
    return _written([made], asked, spool)


def of_annotated(file: Annotated, spool: Spool, *, system: bool = False) -> M2File:
    """Return the records of sentences in memory, which may be those of a system; raises CorpusError."""
    asked = Asked(records=True, system=system)
    made = Made.of(file.blocks, file.name, asked)
    made.told.of_windows = file.told.of_windows
    return _written([made], asked, spool)


def _written(
    every: Iterable[Made], asked: Asked, spool: Spool, parts: Sequence[Part] = (), files: dict[Key, Path] | None = None
) -> M2File:
    """Return what is made of parts, in order, as one; raises CorpusError where it cannot be written, or told in parts.

    `files` are filled with where the texts are.
    """
    whole, files = None, {} if files is None else files
    for made in every:
        if late := files.keys() - made.texts.keys():
            made.texts |= parts[made.number]._replace(also=tuple(late)).read().texts
        new = {key: spool.new() for key in made.texts.keys() - files.keys()}
        for part in parts[: made.number] if new else ():
            again = part._replace(also=tuple(new)).read()
            for key, path in new.items():
                spool.write(made.told.name, [again.texts[key]], path)
        files |= new
        for key, path in files.items():
            spool.write(made.told.name, [made.texts.pop(key)], path)
        whole = whole.add(made) if whole else made
        if len(whole.annotated.of) > MAX_ANNOTATORS:
            raise CorpusError([])  # which is told of the sentence where there are too many
    assert whole  # noqa: S101 (every file has a part)
    if asked.texts and asked.lenient and not asked.system and not whole.annotated.of:
        files[CORRECTED, 0], whole.annotated.of[0] = files[SOURCE], (0, 0)
    return M2File(whole, files)
