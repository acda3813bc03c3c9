"""Texts and records of edits made of M2 files, each of which is read once, with a summary."""

from __future__ import annotations

import codecs
import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any, Protocol

from pipeline.data import TextFile
from pipeline.errors import CorpusError, Problem
from pipeline.files import (
    Origin,
    Remote,
    StoredTexts,
    TempFiles,
    named,
    open_bytes,
)
from pipeline.parallel import Shared, alone, in_batches

from . import kernel
from .m2_files import (
    CACHED_SENTENCES,
    DELETED,
    Absent,
    Annotated,
    Block,
    EditSummary,
    absent_from_all,
)
from .m2_format import (
    CORRECTED,
    EDITS,
    MAX_BYTES_CHECKED_FIRST,
    NO_ANNOTATOR,
    OUTPUT,
    PROPOSED,
    SOURCE,
    Key,
    Request,
    Sentences,
)
from .records import gold_blocks, is_xml

BREAKS = "\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029\r"
"""Characters at which m2scorer ends a line, beside the newline."""
PART_BYTES = 1 << 20
"""Bytes of a part of a file, approximately."""
PART_SENTENCES = CACHED_SENTENCES
"""Sentences of a part that is read in Python."""
PARTS_AT_ONCE = 8
"""Parts that threads read at once."""


@dataclass
class M2File:
    """The texts made of an M2 file."""

    summary: EditSummary
    annotated: Absent
    """Who has no line for sentences that others annotated."""
    files: dict[Key, Path]
    """The files with the texts."""

    def not_empty(self) -> EditSummary:
        """Return the summary of the edits; raises CorpusError without any sentence."""
        if not self.summary.sentences:
            message = "has no sentence: there is no line that begins with 'S '"
            raise CorpusError([Problem(self.summary.name, message)])
        return self.summary

    def texts(self, key: Key) -> StoredTexts:
        """Return the texts of a kind."""
        name = self.summary.name
        if key[1] != NO_ANNOTATOR:
            name = f"{name}, annotator {key[1]}"
        return StoredTexts(
            self.files[key], TempFiles.SEPARATOR, Origin(name, ", sentence ")
        )

    def annotators(self) -> list[int]:
        """Return the annotators with corrected texts, sorted; raises CorpusError without any."""
        if not self.not_empty() or not self.annotated:
            message = "no annotator has a line: there is no line that begins with 'A '"
            raise CorpusError([Problem(self.summary.name, message)])
        return sorted(self.annotated)


def read_m2(
    path: Path | Remote,
    request: Request,
    temp_files: TempFiles,
    shared: Shared = alone,
) -> M2File:
    """Make the requested texts of an M2 file, or of a gold file of I-measure, in temporary files.

    The compiled kernel reads the file unless it is XML, or written in an unusual way. Raises
    CorpusError if the file cannot be read, is wrong, or has changed meanwhile.
    """
    name = named(path)
    plain = temp_files.local(path)
    of_xml = is_xml(plain, name)
    with open_bytes(plain, name) as file:
        before = os.fstat(file.fileno())
        has_crlf = file.readline().endswith(b"\r\n")

    # with the compiled kernel
    file_texts = None
    if not of_xml:
        with suppress(NotPlainError):
            file_texts = _make_texts(
                partial(parts_of, plain, name),
                partial(compiled_part, name, request),
                request,
                temp_files,
                shared,
            )

    # or in Python
    if file_texts is None:
        annotators: set[int] = set()
        # XML is read once, as one part
        part_sentences = sys.maxsize if of_xml else PART_SENTENCES
        try:
            file_texts = _make_texts(
                partial(_chunks, plain, name, part_sentences),
                lambda chunk: Sentences(chunk, name, request, annotators),
                request,
                temp_files,
            )
        except CorpusError:
            if before.st_size <= MAX_BYTES_CHECKED_FIRST or request.records:
                # read all blocks, which raises the error of a malformed line if there is one
                deque(gold_blocks(plain, name), 0)
            raise

    with open_bytes(plain, name) as file:
        after = os.fstat(file.fileno())
    same_size = before.st_size == after.st_size
    if not same_size or before.st_mtime_ns != after.st_mtime_ns:
        raise CorpusError([Problem(name, TextFile.CHANGED)])
    file_texts.summary.has_crlf = has_crlf
    return file_texts


def of_annotated(
    file: Annotated, temp_files: TempFiles, request: Request
) -> M2File:
    """Make the requested texts of sentences in memory; raises CorpusError."""
    file_texts = _make_texts(
        lambda: [file.blocks],
        lambda blocks: Sentences(blocks, file.name, request),
        request,
        temp_files,
    )
    file_texts.summary.has_crlf = file.summary.has_crlf
    return file_texts


class Part(Protocol):
    """Sentences of a part of a file; see Sentences."""

    @property
    def summary(self) -> EditSummary:
        """The summary of the edits."""

    def absent(self, bare: bool) -> Absent:
        """Return who is absent from all sentences if `bare`, else from those with lines."""

    def texts(self, kind: str, annotator: int) -> bytes:
        """Return the texts of a key, each followed by the separator."""


def _make_texts(
    chunks: Callable[[], Iterable[Any]],
    read: Callable[[Any], Part],
    request: Request,
    temp_files: TempFiles,
    shared: Shared = alone,
) -> M2File:
    """Write the requested texts of a file to temporary files, one for each kind and annotator.

    chunks() returns the file in parts, and read() the sentences of a part. Which annotators there
    are is known only at the end. So texts are first written for those with a line in the first
    part, and then all parts are read once more for the others, if there are any.
    """
    remaining = iter(chunks())
    batch = 1 if shared is alone else PARTS_AT_ONCE
    first = read(next(remaining))
    summary = first.summary
    absent = [first.absent(True)]
    absent_if_annotated = [first.absent(False)]
    files: dict[Key, Path] = {}

    def begin_files() -> list[Key]:
        """Begin a file for each requested kind of texts that has none yet, and return the kinds."""
        summary.absent = absent_from_all(absent)
        annotated = absent_from_all(absent_if_annotated)
        requested = _requested_keys(request, summary.absent, annotated)
        new = [key for key in requested if key not in files]
        for key in new:
            files[key] = temp_files.new()
        return new

    def read_texts(chunk: Any) -> tuple[Part, list[bytes]]:
        """Read a part; return it and its texts of each of `keys`."""
        part = read(chunk)
        return part, [part.texts(*key) for key in keys]

    def write(texts: list[bytes]) -> None:
        """Append the texts of a part to the files of `keys`."""
        for key, data in zip(keys, texts, strict=True):
            temp_files.write(summary.name, [data], files[key])

    # texts for the annotators of the first part, of all parts
    keys = begin_files()
    write([first.texts(*key) for key in keys])
    del first  # the Python reader needs much memory for a part
    try:
        for part, texts in in_batches(shared, read_texts, remaining, batch):
            absent.append(part.absent(True))
            absent_if_annotated.append(part.absent(False))
            summary.add(part.summary)
            write(texts)

        # texts for the annotators that came later
        keys = begin_files()
        if keys:
            for _, texts in in_batches(shared, read_texts, chunks(), batch):
                write(texts)
    except NotPlainError:
        temp_files.remove(files.values())
        raise
    annotated = absent_from_all(absent_if_annotated)
    if request.lenient and not annotated:
        annotated = {0: (0, 0)}
        if request.texts:
            files[CORRECTED, 0] = files[SOURCE]
    return M2File(summary, annotated, files)


def _requested_keys(
    request: Request,
    annotators: Absent,
    annotated: Absent,
) -> list[Key]:
    """Return the kinds of texts that are requested, as far as annotators are known.

    Records are made for all `annotators`, texts for those who have a line (`annotated`).
    """
    keys = [SOURCE]
    if request.texts and request.system:
        keys.append(OUTPUT)
    elif request.texts:
        keys += [(CORRECTED, annotator) for annotator in annotated]
    if request.records and request.system:
        keys.append(PROPOSED)
    elif request.records:
        keys += [(EDITS, annotator) for annotator in annotators]
    return keys


def _chunks(path: Path, name: str, size: int) -> Iterator[Iterable[Block]]:
    """Yield the sentences of a file in parts, each of which has to be read before the next."""
    blocks = iter(gold_blocks(path, name))
    yield islice(blocks, size)  # there may be none
    for block in blocks:
        yield chain([block], islice(blocks, size - 1))


def parts_of(path: Path, name: str) -> Iterator[tuple[int, bytes]]:
    """Yield parts of an M2 file, of about PART_BYTES, each with the number of its first line.

    A part begins at a sentence that comes after an empty line.
    """
    with open_bytes(path, name) as file:
        line = 1
        waiting = b""
        # read as much as is waiting, so that a part without a cut is not searched too often
        while data := file.read(max(PART_BYTES, len(waiting))):
            waiting += data
            # rfind() returns -1 if there is none, so that the cut is 1, or 2 below
            cut = waiting.rfind(b"\n\nS ") + 2
            if cut <= 2:
                cut = waiting.rfind(b"\n\r\nS ") + 3
            if cut > 2:
                yield line, waiting[:cut]
                line += waiting.count(b"\n", 0, cut)
                waiting = waiting[cut:]
        yield line, waiting


class NotPlainError(Exception):
    """A file is written in an unusual way, or there is no compiled kernel, so Python reads it."""


@dataclass
class CompiledSentences:
    """Sentences that the compiled kernel reads."""

    sentences: Any
    """The object of the kernel."""
    summary: EditSummary

    def absent(self, bare: bool) -> Absent:
        """Return who is absent from all sentences if `bare`, else from those with lines."""
        absent: Absent = self.sentences.absent(bare)
        return absent

    def texts(self, kind: str, annotator: int) -> bytes:
        """Return the texts of a key, each followed by the separator."""
        texts: bytes = self.sentences.texts(kind, annotator)
        return texts


def compiled_part(
    name: str,
    request: Request,
    part: tuple[int, bytes],
) -> CompiledSentences:
    """Return the sentences of a part of an M2 file, as the compiled kernel reads them.

    `part` is the number of its first line, and its bytes. Raises NotPlainError if they are written
    in an unusual way, or there is no compiled kernel.
    """
    read = kernel.native_function("M2Sentences", "m2_edits")
    if not read:
        raise NotPlainError
    first_line, data = part
    lines = data
    if b"\r" in lines:
        lines = lines.replace(b"\r\n", b"\n")
    if first_line == 1:
        lines = lines.removeprefix(codecs.BOM_UTF8)
    refuses_misfits = request.texts and not request.lenient
    sentences = read(lines, first_line, refuses_misfits)
    one_annotator = request.texts and request.system and not request.lenient
    if not sentences.plain or (sentences.most > 1 and one_annotator):
        raise NotPlainError
    sentences.missing = request.missing
    summary = EditSummary(name, sentences=sentences.sentences)
    summary.may_be_suspicious = sentences.odd or len(lines) < len(data)
    summary.max_annotators = sentences.most
    summary.alternatives = sentences.alternatives
    for type_, count in sentences.types.items():
        summary.all_types[type_.decode()] = count
    for style, count in zip((DELETED, ""), sentences.empty, strict=True):
        if count:
            summary.empty[style] = count
    count, line, start, end, tokens = sentences.misfits
    if count:
        summary.misfits = (
            count,
            f"line {line} ({start} {end} in a sentence of {tokens} tokens)",
        )
    return CompiledSentences(sentences, summary)
