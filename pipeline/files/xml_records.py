"""Records of XML files, read in chunks, without document types and with limits on their size."""

from collections.abc import Iterator
from pathlib import Path
from typing import Generic, TypeVar
from xml.parsers import expat

from ..errors import CorpusError
from .plain_files import open_bytes

CHUNK_BYTES = 1 << 16
"""Bytes that are read at once."""
MAX_BYTES = 1 << 29
"""The most bytes of a file."""
MAX_DEPTH = 100
"""The most elements that are one within the other."""
MAX_TAG_BYTES = 1 << 20
"""The most bytes of a tag or comment, which is in memory at once."""
ENCODINGS = ("UTF-8", "UTF-16", "ISO-8859-1", "LATIN-1", "US-ASCII")
"""The encodings that a file may declare."""

Record = TypeVar("Record")


class XmlReader(Generic[Record]):
    """Yields records of a file. It refuses document types, so that no entity can be expanded.

    A subclass takes the events, and appends records to `done`.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        """The file in messages."""
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self.text
        self.parser.StartDoctypeDeclHandler = self._doctype
        self.parser.XmlDeclHandler = self._declared
        self.done: list[Record] = []
        """The records that are read and not yet yielded."""
        self._depth = 0
        self._bytes_parsed = 0

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
        """Yield the records of a plain file; raises CorpusError, with the line, if malformed."""
        with open_bytes(path, self.name, MAX_BYTES) as file:
            while data := file.read(CHUNK_BYTES):
                self._parse(data, last=False)
                yield from self.done
                self.done.clear()
            self._parse(b"", last=True)
        yield from self.done

    def wrong(self, message: str, line: int = 0) -> CorpusError:
        """Return an error at a line, by default at the one that is being read."""
        return CorpusError.at(f"{self.name}:{line or self.line}", message)

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise self.wrong(
                f"more than {MAX_DEPTH} elements are one within the other"
            )
        self.start(tag, attributes)

    def _end(self, tag: str) -> None:
        self._depth -= 1
        self.end(tag)

    def _parse(self, data: bytes, *, last: bool) -> None:
        try:
            self.parser.Parse(data, last)
        except expat.ExpatError as error:
            position = f"{self.name}:{error.lineno}:{error.offset + 1}"
            message = f"not well-formed XML: {expat.ErrorString(error.code)}"
            raise CorpusError.at(position, message) from None
        self._bytes_parsed += len(data)
        if (
            self._bytes_parsed - max(self.parser.CurrentByteIndex, 0)
            > MAX_TAG_BYTES
        ):
            raise self.wrong(
                f"a tag or comment has more than {MAX_TAG_BYTES:,} bytes"
            )

    def _declared(self, _: str, encoding: str | None, __: int) -> None:
        # Python would decode others, and may know one that is no text
        if encoding and encoding.upper() not in ENCODINGS:
            expected = ", ".join(ENCODINGS)
            raise self.wrong(
                f"is in the encoding '{encoding[:40]}'; expected {expected}"
            )

    def _doctype(self, *_: object) -> None:
        raise self.wrong(
            "has a document type definition (<!DOCTYPE ...>), which is refused; delete it"
        )
