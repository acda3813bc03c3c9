"""Gold files of I-measure: XML with elements sentence, which hold a text and a list of errors.

<scripts><script id="1"><sentence id="1" numann="2"><text>a b c</text><error-list>
  <error id="1" req="no" type="X"><alt ann="0"><c start="1" end="2">d</c></alt></error>
</error-list></sentence></script></scripts>
"""

import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Generic, TypeVar
from xml.parsers import expat

from pipeline.errors import CorpusError, Problem, did_you_mean
from pipeline.files.plain_files import open_bytes

from .correction_references import split_words
from .m2_files import MAX_ANNOTATORS, MOST, NOOP, Block

PIECE = 1 << 16
"""Bytes that are read at once."""

MAX_BYTES = 1 << 29
"""The most bytes of a file."""
MAX_DEPTH = 100
"""The most elements that are one within the other."""
MAX_TAG = 1 << 20
"""The most bytes of a tag or comment, which is read whole."""
ENCODINGS = ("UTF-8", "UTF-16", "ISO-8859-1", "LATIN-1", "US-ASCII")
"""The encodings that a file may say it has."""

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
        self.parser.XmlDeclHandler = self._declared
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
        """Yield the records of a plain file; raises CorpusError, with the line, for what is not
        well-formed.
        """
        with open_bytes(path, self.name, MAX_BYTES) as file:
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
            raise CorpusError(
                [Problem(f"{self.name}:{error.lineno}:{error.offset + 1}", message)]
            ) from None
        self._size += len(data)
        if self._size - max(self.parser.CurrentByteIndex, 0) > MAX_TAG:
            raise self.wrong(f"a tag or comment has more than {MAX_TAG:,} bytes")

    def _declared(self, _: str, encoding: str | None, __: int) -> None:
        if (
            encoding and encoding.upper() not in ENCODINGS
        ):  # Python would be asked, which may know it as no text
            raise self.wrong(
                f"is in the encoding '{encoding[:40]}'; expected {', '.join(ENCODINGS)}"
            )

    def _doctype(self, *_: object) -> None:
        raise self.wrong(
            "has a document type definition (<!DOCTYPE ...>), which is refused; delete it"
        )

    def wrong(self, message: str, line: int = 0) -> CorpusError:
        """Return an error at a line, by default at the one that is being read."""
        return CorpusError([Problem(f"{self.name}:{line or self.line}", message)])


PARENTS = {"sentence": None, "text": "sentence", "error": "sentence", "alt": "error", "c": "alt"}
"""The elements that matter, each with the one it has to be in. Others, such as error-list, may
stand between."""
NUMBER = re.compile(r"[0-9]{1,9}")
PLACE = re.compile(r"-?[0-9]{1,9}")
"""Where a correction begins or ends: the official program takes any number."""


def xml_blocks(path: Path, name: str) -> Iterator[Block]:
    """Yield the sentences of a gold file as those of an M2 file, where types of edits say to which
    error they belong.

    Raises CorpusError, with the line, where something in the file is wrong.
    """
    reader = _Reader(name)
    yield from reader.records(path)
    if not reader.count:
        raise CorpusError([Problem(name, "has no element sentence, so there is no gold in it")])


class _Reader(XmlReader[Block]):
    """Reads elements sentence."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.open: list[str] = []  # the elements of PARENTS that are open
        self.parts: list[str] | None = None  # the text of the element at hand, where it has one
        self.count = self.begun = self.annotators = self.errors = self.annotator = 0
        self.block: Block | None = None  # the sentence, once its text is known
        self.seen: set[int] = set()  # the annotators who correct something
        self.type = ""  # of the edits of the error at hand
        self.span = (0, 0, 0)  # start, end, and the line

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Begin an element."""
        if tag not in PARENTS:
            return
        parent = self.open[-1] if self.open else None
        if parent != PARENTS[tag]:
            outside = f"inside an element {parent}" if parent else "outside of any sentence"
            raise self.wrong(
                f"an element {tag} {outside}; expected it inside of {PARENTS[tag] or 'a script'}"
            )
        self.open.append(tag)
        if tag == "sentence":
            self.begun, self.annotators = self.line, self._number(tag, attributes, "numann")
            self._bound(self.annotators)
            self.block, self.seen, self.errors = None, set(), 0
        elif tag == "error":
            value = self._attribute("error", attributes, "req")
            if value not in ("yes", "no"):
                raise self.wrong(
                    f"req of the element error: expected yes or no, found '{value[:40]}'"
                )
            self.type = f"error {self.errors} {value}"
            self.errors += 1
        elif tag == "alt":
            self.annotator = self._number(tag, attributes, "ann")
            self.seen.add(self.annotator)
        elif tag == "c":
            start, end = (self._number(tag, attributes, key, PLACE) for key in ("start", "end"))
            self.span = start, end, self.line
        self.parts = [] if tag in ("text", "c") else None

    def text(self, data: str) -> None:
        """Take a part of a sentence or of a correction."""
        if self.parts is not None:
            self.parts.append(data)

    def end(self, tag: str) -> None:
        """Finish an element."""
        if tag not in PARENTS:
            return
        self.open.pop()
        words = " ".join(split_words("".join(self.parts or ())))
        self.parts = None
        if tag == "text":
            if self.block is not None:
                raise self.wrong(
                    "a second element text in a sentence; expected one, before its errors"
                )
            self.block = Block(self.begun, words)
        elif tag == "c":
            start, end, line = self.span
            if self.block is None:
                raise self.wrong("a correction before the text of its sentence", line)
            if len(self.block.lines) == MOST:
                raise self.wrong(
                    f"the sentence of line {self.begun} has more than {MOST:,} corrections", line
                )
            self.block.lines.append(
                f"A {start} {end}|||{self.type}|||{words}|||REQUIRED|||-NONE-|||{self.annotator}"
            )
        elif tag == "sentence":
            if self.block is None:
                raise self.wrong("the sentence has no element text", self.begun)
            self._bound(len(self.seen))
            free = (number for number in itertools.count() if number not in self.seen)
            silent = itertools.islice(free, max(self.annotators - len(self.seen), 0))
            self.block.lines += [f"{NOOP.removesuffix('0')}{number}" for number in silent]
            self.block.numbers = [self.begun] * len(self.block.lines)
            self.count += 1
            self.done.append(self.block)

    def _bound(self, annotators: int) -> None:
        if annotators > MAX_ANNOTATORS:
            message = (
                f"the sentence has {annotators} annotators; at most {MAX_ANNOTATORS} are supported"
            )
            raise self.wrong(message, self.begun)

    def _attribute(self, tag: str, attributes: dict[str, str], key: str) -> str:
        if key not in attributes:
            raise self.wrong(
                f"the element {tag} has no attribute '{key}'{did_you_mean(key, attributes)}"
            )
        return attributes[key]

    def _number(
        self, tag: str, attributes: dict[str, str], key: str, form: re.Pattern[str] = NUMBER
    ) -> int:
        value = self._attribute(tag, attributes, key).strip()
        if not form.fullmatch(value):
            least = " from 0" if form is NUMBER else ""
            raise self.wrong(
                f"{key} of the element {tag}: expected a whole number{least}, found '{value[:40]}'"
            )
        return int(value)
