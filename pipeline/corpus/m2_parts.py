"""M2 files in parts of whole sentences. What is made of a part is made at once, by whoever is free, and then joined.

What is wrong in a file is told as if it were read in one piece, line after line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from os import SEEK_END
from pathlib import Path
from typing import NamedTuple

from .. import kernel
from ..config.resolved import Column
from ..errors import CorpusError, Problem
from ..io.plain_files import BOM, SEPARATOR, Origin, Spool, Spooled, named, numbered, open_bytes
from ..io.remote import Remote
from ..io.workers import Shared, alone, in_batches
from .edits.m2_files import DELETED, MAX_ANNOTATORS, NOOP, Absent, Annotated, Block, Told, blocks_of, read_block
from .edits.records import is_xml, records_of
from .formats import ANNOTATED
from .formats.m2 import Missing, Sentence, absent_from, counted, output, reference, sentence_of, sentences_of

PART = 1 << 20
"""Bytes of a part, some more or less."""
AT_ONCE = 8
"""Parts that are read at once."""
BORDERS = b"\n\nS ", b"\n\r\nS "
"""What stands where parts may be cut, in front of the sentence."""
BREAKS = "\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
"""Signs at which m2scorer ends a line, beside the newline. Parts with one of them are left to Python."""

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


def system_asked(text: Column) -> Asked:
    """Return what is made of the M2 file of a system, whose text and edits may both be read."""
    return Asked(texts=text.kind == ANNOTATED, records=True, system=True, lenient=text.lenient)


class Made(NamedTuple):
    """What is made of some sentences."""

    told: Told
    annotated: Absent
    """Who has no line for sentences that others annotated."""
    texts: dict[Key, bytes]


def _made(blocks: Iterable[Block], name: str, asked: Asked, also: Sequence[Key] = ()) -> Made:
    """Return what is made of sentences; raises CorpusError for the first that is wrong.

    There are texts of each annotator who has a line for one of the sentences, and those of `also`.
    """
    kept, annotated, texts = list[Block](), Absent(), dict[Key, bytes]()

    def sentences() -> Iterator[Sentence]:
        for block in blocks:
            kept.append(block)
            yield sentence_of(block, name, lenient=asked.lenient)

    if asked.texts and asked.system:
        pairs = [(sentence.corrected(), output(sentence, name, lenient=asked.lenient)) for sentence in sentences()]
        texts[SOURCE], texts[OUTPUT] = (_joined(pair[place] for pair in pairs) for place in (0, 1))
    elif asked.texts:
        every = list(counted(sentences(), name))
        annotated = absent_from(every)
        texts[SOURCE] = _joined(map(Sentence.corrected, every))
        for annotator in {*annotated.of, *(annotator for kind, annotator in also if kind == CORRECTED)}:
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
    return Made(told, annotated, texts)


def _joined(texts: Iterable[bytes]) -> bytes:
    return SEPARATOR.join([*texts, b""])


def _compiled(data: bytes, line: int, name: str, asked: Asked, also: Sequence[Key]) -> Made | None:
    """Return what the compiled kernel makes of lines; None without one, or where they are not written as most are."""
    read = kernel.native_function("M2Part", "m2_edits")
    if not read or any(sign.encode() in data for sign in BREAKS) or data.startswith(BOM):
        return None
    try:
        data.decode()
    except UnicodeDecodeError:
        return None
    own = read(data, line, asked.texts and not asked.lenient)
    most = own.most if own.plain else 0
    if not most or (most > 1 and asked.texts and asked.system and not asked.lenient):
        return None
    absent, annotated = (Absent(*own.absent(bare)) for bare in (True, False))
    types = Counter({type_.decode(): count for type_, count in own.types.items()})
    told = Told(name, may_be_odd=own.odd, absent=absent, most=most, all_types=types, alternatives=own.alternatives)
    told.empty = Counter({style: count for style, count in zip((DELETED, ""), own.empty, strict=True) if count})
    count, *first = own.misfits
    if count:
        told.misfits = count, "line {} ({} {} in a sentence of {} tokens)".format(*first)
    keys = [SOURCE]
    if asked.texts:
        keys += [OUTPUT] if asked.system else [(CORRECTED, annotator) for annotator in annotated.of]
    if asked.records:
        keys += [PROPOSED] if asked.system else [(EDITS, annotator) for annotator in absent.of]
    texts = {key: own.texts(*key, asked.missing) for key in dict.fromkeys([*keys, *also])}
    return Made(told, annotated if asked.texts and not asked.system else Absent(), texts)


class Part(NamedTuple):
    """Whole sentences of an M2 file, as whoever reads them is told."""

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
        path, name, asked, low, high, line, also = self
        with open_bytes(path, name) as file:
            file.seek(low)
            data = file.read(high - low)
        made = _compiled(data, line, name, asked, also)
        made = made or _made(blocks_of(numbered(data, name, line), name), name, asked, also)
        made.told.of_windows = data[: data.find(b"\n") + 1].endswith(b"\r\n")
        return made


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
                parts.append(Part(path, name, asked, low, at + cut, line))
                low, line = at + cut, lines + data.count(b"\n", 0, cut)
            at, lines, data = at + len(data[:-4]), lines + data.count(b"\n", 0, -4), data[-4:]
        return [*parts, Part(path, name, asked, low, size, line)]


@dataclass
class M2File:
    """What was made of an M2 file."""

    said: Told
    annotated: Absent
    """Who has no line for sentences that others annotated."""
    files: dict[Key, Path]
    """Where the texts are."""

    @property
    def told(self) -> Told:
        """What is said of the edits; raises CorpusError where there is no sentence."""
        if not self.said.absent.sentences:
            raise CorpusError([Problem(self.said.name, "has no sentence: there is no line that begins with 'S '")])
        return self.said

    def texts(self, key: Key) -> Spooled:
        """Return the texts of a kind."""
        called = f"{self.said.name}, annotator {key[1]}" if key[1] >= 0 else self.said.name
        return Spooled(self.files[key], SEPARATOR, Origin(called, ", sentence "))

    def annotators(self) -> list[int]:
        """Return whose corrected texts there are, in rising order; raises CorpusError where there are none."""
        if not self.told or not self.annotated.of:
            message = "no annotator has a line: there is no line that begins with 'A '"
            raise CorpusError([Problem(self.said.name, message)])
        return sorted(self.annotated.of)


def read_m2(path: Path | Remote, asked: Asked, spool: Spool, shared: Shared = alone) -> M2File:
    """Return what is asked for of an M2 file, or of a gold file of I-measure; raises CorpusError for what is wrong."""
    name, plain = named(path), spool.local(path)
    if not is_xml(plain, name):
        with suppress(CorpusError):  # another line may be told first where the file is read as a whole
            parts, files = parts_of(plain, name, asked), dict[Key, Path]()
            given = (part._replace(also=tuple(files)) for part in parts)  # of all annotators who are known by then
            return _written(in_batches(shared, Part.read, given, AT_ONCE), asked, spool, parts, files)
    made = _made(sentences_of(plain, name, whole=asked.records), name, asked)
    with open_bytes(plain, name) as file:
        made.told.of_windows = file.readline().endswith(b"\r\n")
    return _written([made], asked, spool, [], {})


def of_annotated(file: Annotated, spool: Spool, asked: Asked) -> M2File:
    """Return what is asked for of sentences in memory; raises CorpusError."""
    made = _made(file.blocks, file.name, asked)
    made.told.of_windows = file.told.of_windows
    return _written([made], asked, spool, [], {})


def _written(
    every: Iterable[Made], asked: Asked, spool: Spool, parts: Sequence[Part], files: dict[Key, Path]
) -> M2File:
    """Return what is made of parts as one, and fill `files`; raises CorpusError where there are too many annotators."""
    whole: M2File | None = None
    for number, made in enumerate(every):
        told, annotated, texts = made
        if late := files.keys() - texts.keys():
            texts |= parts[number]._replace(also=tuple(late)).read().texts
        new = {key: spool.new() for key in texts.keys() - files.keys()}
        for part in parts[:number] if new else ():
            again = part._replace(also=tuple(new)).read().texts
            for key, path in new.items():
                spool.write(told.name, [again[key]], path)
        files |= new
        for key, path in files.items():
            spool.write(told.name, [texts.pop(key)], path)
        if whole:
            whole.said.add(told)
            whole.annotated.add(annotated)
        whole = whole or M2File(told, annotated, files)
        if len(whole.annotated.of) > MAX_ANNOTATORS:
            raise CorpusError([])  # which is told of a sentence where the file is read as a whole
    assert whole  # noqa: S101 (every file has a part)
    if asked.texts and asked.lenient and not asked.system and not whole.annotated.of:
        files[CORRECTED, 0], whole.annotated.of[0] = files[SOURCE], (0, 0)
    return whole
