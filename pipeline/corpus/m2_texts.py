"""What is made of M2 files, each of which is read once: texts, records of edits, and what is said of these."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import kernel
from ..errors import CorpusError, Problem
from ..io.plain_files import BOM, SEPARATOR, Origin, Spool, Spooled, named, open_bytes
from ..io.remote import Remote
from ..io.workers import Shared, alone
from .edits.m2_files import DELETED, Absent, Annotated, Told
from .edits.records import is_xml
from .formats.m2 import CORRECTED, EDITS, OUTPUT, PROPOSED, SOURCE, Asked, Key, Sentences, sentences_of

BREAKS = "\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029\r"
"""Signs at which m2scorer ends a line, beside the newline."""


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
            raise CorpusError([Problem(self.told.name, "has no sentence: there is no line that begins with 'S '")])
        return self.told

    def texts(self, key: Key) -> Spooled:
        """Return the texts of a kind."""
        called = f"{self.told.name}, annotator {key[1]}" if key[1] >= 0 else self.told.name
        return Spooled(self.files[key], SEPARATOR, Origin(called, ", sentence "))

    def annotators(self) -> list[int]:
        """Return whose corrected texts there are, in rising order; raises CorpusError where there are none."""
        if not self.not_empty() or not self.annotated:
            message = "no annotator has a line: there is no line that begins with 'A '"
            raise CorpusError([Problem(self.told.name, message)])
        return sorted(self.annotated)


def read_m2(path: Path | Remote, asked: Asked, spool: Spool, shared: Shared = alone) -> M2File:
    """Return what is asked for of an M2 file, or of a gold file of I-measure; raises CorpusError for what is wrong."""
    name, plain = named(path), spool.local(path)
    found = None if is_xml(plain, name) else compiled_sentences(plain, name, asked)
    own = found or Sentences(sentences_of(plain, name, whole=asked.records), name, asked)
    with open_bytes(plain, name) as file:
        own.told.of_windows = file.readline().endswith(b"\r\n")
    return _written(own, asked, spool, shared)


def of_annotated(file: Annotated, spool: Spool, asked: Asked) -> M2File:
    """Return what is asked for of sentences in memory; raises CorpusError."""
    own = Sentences(file.blocks, file.name, asked)
    own.told.of_windows = file.told.of_windows
    return _written(own, asked, spool, alone)


def _written(own: Sentences | _Compiled, asked: Asked, spool: Spool, shared: Shared) -> M2File:
    """Write what is asked for of sentences."""
    keys, silent = [SOURCE], asked.lenient and not own.annotated
    if asked.texts:
        keys += [OUTPUT] if asked.system else [(CORRECTED, annotator) for annotator in own.annotated]
    if asked.records:
        keys += [PROPOSED] if asked.system else [(EDITS, annotator) for annotator in own.told.absent]
    files = dict(zip(keys, shared(lambda key: spool.write(own.told.name, [own.texts(*key)]), keys), strict=True))
    if asked.texts and silent:
        files[CORRECTED, 0] = files[SOURCE]
    return M2File(own.told, {0: (0, 0)} if silent else own.annotated, files)


class _Compiled:
    """Sentences of the compiled kernel."""

    def __init__(self, own: Any, told: Told, asked: Asked) -> None:
        self.own, self.told, self.asked = own, told, asked
        self.annotated: Absent = own.absent(False)

    def texts(self, kind: str, annotator: int) -> bytes:
        """Return the texts of a key, each with the separator behind it."""
        data: bytes = self.own.texts(kind, annotator, self.asked.missing)
        return data


def compiled_sentences(path: Path, name: str, asked: Asked) -> _Compiled | None:
    """Return what the compiled kernel reads; None without one, or where something is not written as it mostly is."""
    read = kernel.native_function("M2Sentences", "m2_edits")
    if not read:
        return None
    with open_bytes(path, name) as file:
        data = file.read()
    lines = data.replace(b"\r\n", b"\n").removeprefix(BOM)
    if any(sign.encode() in lines for sign in BREAKS):
        return None
    try:
        lines.decode()
    except UnicodeDecodeError:
        return None
    own = read(lines, asked.texts and not asked.lenient)
    if not own.plain or (own.most > 1 and asked.texts and asked.system and not asked.lenient):
        return None
    told = Told(name, may_be_odd=own.odd or len(lines) < len(data), sentences=own.sentences, absent=own.absent(True))
    told.most, told.alternatives = own.most, own.alternatives
    told.all_types = Counter({type_.decode(): count for type_, count in own.types.items()})
    told.empty = Counter({style: count for style, count in zip((DELETED, ""), own.empty, strict=True) if count})
    count, *first = own.misfits
    if count:
        told.misfits = count, "line {} ({} {} in a sentence of {} tokens)".format(*first)
    return _Compiled(own, told, asked)
