"""What is made of M2 files, each of which is read once: texts, records of edits, and what is said
of these.
"""

from __future__ import annotations

import os
import sys
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

from pipeline import kernel
from pipeline.data.texts import CHANGED
from pipeline.errors import CorpusError, Problem
from pipeline.files.plain_files import (
    BOM,
    SEPARATOR,
    Origin,
    StoredTexts,
    TempFiles,
    named,
    open_bytes,
)
from pipeline.files.remote import Remote
from pipeline.parallel import Shared, alone, in_batches

from .m2_files import DELETED, SENTENCES, Absent, Annotated, Block, Told, absent_from_all
from .m2_format import CORRECTED, EDITS, LARGEST, OUTPUT, PROPOSED, SOURCE, Asked, Key, Sentences
from .records import gold_blocks, is_xml

BREAKS = "\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029\r"
"""Signs at which m2scorer ends a line, beside the newline."""
PART = 1 << 20
"""Bytes of a part of a file, some more or less."""
AT_ONCE = 8
"""Parts that threads read at once."""


@dataclass
class M2File:
    """What was made of an M2 file."""

    told: Told
    annotated: Absent
    """Who has no line for sentences that others annotated."""
    files: dict[Key, Path]
    """Where the texts are."""

    def not_empty(self) -> Told:
        """Return what is said of the edits; raises CorpusError where there is no sentence."""
        if not self.told.sentences:
            raise CorpusError(
                [Problem(self.told.name, "has no sentence: there is no line that begins with 'S '")]
            )
        return self.told

    def texts(self, key: Key) -> StoredTexts:
        """Return the texts of a kind."""
        called = f"{self.told.name}, annotator {key[1]}" if key[1] >= 0 else self.told.name
        return StoredTexts(self.files[key], SEPARATOR, Origin(called, ", sentence "))

    def annotators(self) -> list[int]:
        """Return whose corrected texts there are, in rising order; raises CorpusError where there
        are none.
        """
        if not self.not_empty() or not self.annotated:
            message = "no annotator has a line: there is no line that begins with 'A '"
            raise CorpusError([Problem(self.told.name, message)])
        return sorted(self.annotated)


def read_m2(
    path: Path | Remote, asked: Asked, temp_files: TempFiles, shared: Shared = alone
) -> M2File:
    """Return what is asked for of an M2 file, or of a gold file of I-measure; raises CorpusError
    for what is wrong.
    """
    name, plain, seen = named(path), temp_files.local(path), set[int]()
    of_xml = is_xml(plain, name)
    with open_bytes(plain, name) as file:
        before, of_windows = os.fstat(file.fileno()), file.readline().endswith(b"\r\n")
    small = before.st_size <= LARGEST
    try:
        given, read = partial(parts_of, plain, name), partial(compiled_part, name, asked)
        whole = _made(given if not of_xml else tuple, read, asked, temp_files, shared)
    except OtherwiseError:
        chunks = partial(_chunks, plain, name, sys.maxsize if of_xml else SENTENCES)
        try:
            whole = _made(chunks, lambda own: Sentences(own, name, asked, seen), asked, temp_files)
        except CorpusError:
            deque(
                gold_blocks(plain, name) if small or asked.records else (), 0
            )  # lines that are none are told first
            raise
    with open_bytes(plain, name) as file:
        after = os.fstat(file.fileno())
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        raise CorpusError([Problem(name, CHANGED)])
    whole.told.of_windows = of_windows
    return whole


def of_annotated(file: Annotated, temp_files: TempFiles, asked: Asked) -> M2File:
    """Return what is asked for of sentences in memory; raises CorpusError."""
    whole = _made(
        lambda: [file.blocks], lambda own: Sentences(own, file.name, asked), asked, temp_files
    )
    whole.told.of_windows = file.told.of_windows
    return whole


def _made(
    given: Callable[[], Iterable[Any]],
    read: Callable[..., Any],
    asked: Asked,
    temp_files: TempFiles,
    shared: Shared = alone,
) -> M2File:
    """Make what is asked for of sentences that `read` returns for what is given.

    This is read once more for annotators who have no line in its first part.
    """
    parts, several = iter(given()), 1 if shared is alone else AT_ONCE
    first = next(map(read, parts), None)
    if not first:  # of XML
        raise OtherwiseError
    summary, absent, files = (
        first.told,
        [(first.absent(True), first.absent(False))],
        dict[Key, Path](),
    )

    def new() -> list[Key]:
        """Begin files for all that is to be made as far as it is known."""
        summary.absent, annotated = map(absent_from_all, zip(*absent, strict=True))
        keys = [SOURCE]
        if asked.texts:
            keys += (
                [OUTPUT] if asked.system else [(CORRECTED, annotator) for annotator in annotated]
            )
        if asked.records:
            keys += (
                [PROPOSED] if asked.system else [(EDITS, annotator) for annotator in summary.absent]
            )
        keys = [key for key in keys if key not in files]
        files.update((key, temp_files.new()) for key in keys)
        return keys

    def made(part: Any) -> Any:
        own = read(part)
        return own, [own.texts(*key) for key in keys]

    def write(pieces: list[bytes]) -> None:
        for key, piece in zip(keys, pieces, strict=True):
            temp_files.write(summary.name, [piece], files[key])

    keys = new()
    write([first.texts(*key) for key in keys])
    del first  # the Python reader needs much memory for a part
    try:
        for own, pieces in in_batches(shared, made, parts, several):
            absent.append((own.absent(True), own.absent(False)))
            summary.add(own.told)
            write(pieces)
        if keys := new():
            for _, pieces in in_batches(shared, made, given(), several):
                write(pieces)
    except OtherwiseError:
        temp_files.remove(files.values())
        raise
    annotated = absent_from_all(own for _, own in absent)
    if asked.lenient and not annotated:
        annotated = {0: (0, 0)}
        files.update({(CORRECTED, 0): files[SOURCE]} if asked.texts else {})
    return M2File(summary, annotated, files)


def _chunks(path: Path, name: str, size: int) -> Iterator[Iterable[Block]]:
    """Yield the sentences of a file in parts, of which each has to be read before the next."""
    blocks = iter(gold_blocks(path, name))
    yield islice(blocks, size)  # there may be none
    yield from (chain([block], islice(blocks, size - 1)) for block in blocks)


def parts_of(path: Path, name: str) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a file in parts, and the number of the first of each. Parts are cut behind
    empty lines.
    """
    with open_bytes(path, name) as file:
        number, rest = 1, b""
        while piece := file.read(max(PART, len(rest))):
            rest += piece
            cut = rest.rfind(b"\n\nS ") + 2
            cut = cut if cut > 2 else rest.rfind(b"\n\r\nS ") + 3
            if cut > 2:
                yield number, rest[:cut]
                number, rest = number + rest.count(b"\n", 0, cut), rest[cut:]
        yield number, rest


class OtherwiseError(Exception):
    """Something is not written as it mostly is, so that Python reads the file, or there is no
    compiled kernel.
    """


def compiled_part(name: str, asked: Asked, given: tuple[int, bytes]) -> Any:
    """Return what the compiled kernel reads of lines, of which the first has a number; raises
    OtherwiseError.
    """
    read = kernel.native_function("M2Sentences", "m2_edits")
    if not read:
        raise OtherwiseError
    number, data = given
    lines = data.replace(b"\r\n", b"\n") if b"\r" in data else data
    lines = lines.removeprefix(BOM) if number == 1 else lines
    own = read(lines, number, asked.texts and not asked.lenient)
    if not own.plain or (own.most > 1 and asked.texts and asked.system and not asked.lenient):
        raise OtherwiseError
    own.missing = asked.missing
    own.told = told = Told(
        name, may_be_odd=own.odd or len(lines) < len(data), sentences=own.sentences
    )
    told.most, told.alternatives = own.most, own.alternatives
    told.all_types = Counter({type_.decode(): count for type_, count in own.types.items()})
    told.empty = Counter(
        {style: count for style, count in zip((DELETED, ""), own.empty, strict=True) if count}
    )
    count, *first = own.misfits
    if count:
        told.misfits = count, "line {} ({} {} in a sentence of {} tokens)".format(*first)
    return own
