"""XML files, read as a stream: what reads a kind of file is a subclass of XmlReader."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar
from xml.parsers import expat

from ..errors import CorpusError, Problem
from ..io.plain_files import open_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PIECE = 1 << 16
"""Bytes that are read at once."""

MAX_DEPTH = 100
"""The most elements that are one within the other."""
MAX_TAG = 1 << 20
"""The most bytes of a tag or comment, which is read whole."""

Record = TypeVar("Record")


class XmlReader(Generic[Record]):
    """Yields records of a file. It refuses document types, so that no entity can be expanded.

    A subclass says what each event means, and appends records to `done`.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        """The file in messages."""
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self.text
        self.parser.StartDoctypeDeclHandler = self._doctype
        self.done: list[Record] = []
        """The records that are read and not yet handed out."""
        self._depth = self._size = 0

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Take the beginning of an element."""

    def end(self, tag: str) -> None:
        """Take the end of an element."""

    def text(self, data: str) -> None:
        """Take a part of the text in an element. A text may come in several parts."""

    @property
    def line(self) -> int:
        """The line of the file that is being read, from 1."""
        return self.parser.CurrentLineNumber

    def records(self, path: Path) -> Iterator[Record]:
        """Yield the records of a plain file; raises CorpusError, with the line, for what is not well-formed."""
        with open_bytes(path, self.name) as file:
            for data in iter(lambda: file.read(PIECE), b""):
                self._parse(data, last=False)
                yield from self.done
                self.done.clear()
            self._parse(b"", last=True)
        yield from self.done

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise self.wrong(f"more than {MAX_DEPTH} elements are one within the other")
        self.start(tag, attributes)

    def _end(self, tag: str) -> None:
        self._depth -= 1
        self.end(tag)

    def _parse(self, data: bytes, *, last: bool) -> None:
        try:
            self.parser.Parse(data, last)
        except expat.ExpatError as error:
            message = f"not well-formed XML: {expat.ErrorString(error.code)}"
            raise CorpusError([Problem(f"{self.name}:{error.lineno}:{error.offset + 1}", message)]) from None
        self._size += len(data)
        if self._size - max(self.parser.CurrentByteIndex, 0) > MAX_TAG:
            raise self.wrong(f"a tag or comment has more than {MAX_TAG:,} bytes")

    def _doctype(self, *_: object) -> None:
        raise self.wrong("has a document type definition (<!DOCTYPE ...>), which is refused; delete it")

    def wrong(self, message: str, line: int = 0) -> CorpusError:
        """Return an error at a line, by default at the one that is being read."""
        return CorpusError([Problem(f"{self.name}:{line or self.line}", message)])
