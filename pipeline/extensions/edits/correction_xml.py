"""Gold files of I-measure: XML with elements sentence, which hold a text and a list of errors.

<scripts><script id="1"><sentence id="1" numann="2"><text>a b c</text><error-list>
  <error id="1" req="no" type="X"><alt ann="0"><c start="1" end="2">d</c></alt></error>
</error-list></sentence></script></scripts>
"""

import itertools
import re
from collections.abc import Iterator
from pathlib import Path

from pipeline.errors import CorpusError, Problem, did_you_mean
from pipeline.files import XmlReader

from .correction_references import split_words
from .m2_files import MAX_ANNOTATORS, MAX_EDITS, NOOP, Block

PARENTS = {
    "sentence": None,
    "text": "sentence",
    "error": "sentence",
    "alt": "error",
    "c": "alt",
}
"""The elements that are read, each with the one it has to be in.

Others, such as error-list, may stand between."""
NUMBER = re.compile(r"[0-9]{1,9}")
SIGNED_NUMBER = re.compile(r"-?[0-9]{1,9}")
"""Where a correction begins or ends: the official program takes any number."""


def xml_blocks(path: Path, name: str) -> Iterator[Block]:
    """Yield the sentences of a gold file as those of an M2 file.

    Types of edits have the number of their error. Raises CorpusError, with the line, if something
    in the file is wrong.
    """
    reader = _Reader(name)
    yield from reader.records(path)
    if not reader.count:
        raise CorpusError(
            [
                Problem(
                    name, "has no element sentence, so there is no gold in it"
                )
            ]
        )


class _Reader(XmlReader[Block]):
    """Reads elements sentence."""

    def __init__(self, name: str) -> None:
        """Begin to read a file, whose name is for messages."""
        super().__init__(name)
        self.open: list[str] = []
        """The elements of PARENTS that are open."""
        self.parts: list[str] | None = None
        """The text of the current element so far, if it has one."""
        self.count = 0
        """How many sentences have been read."""
        # of the current sentence
        self.block: Block | None = None
        """The sentence, once its text is known."""
        self.begun = 0
        """The line where it begins."""
        self.annotators = 0
        """How many annotators it has."""
        self.correcting: set[int] = set()
        """The annotators who correct something."""
        self.errors = 0
        """How many errors it has had."""
        self.type = ""
        """The type of the edits of the current error."""
        self.annotator = 0
        """The annotator of the current alternative."""
        self.span = ("", 0)
        """Start and end of the current correction, and its line."""

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Begin an element; raises CorpusError if it or an attribute is not expected here."""
        if tag not in PARENTS:
            return
        parent = self.open[-1] if self.open else None
        if parent != PARENTS[tag]:
            found = "outside of any sentence"
            if parent:
                found = f"inside an element {parent}"
            expected = PARENTS[tag] or "a script"
            raise self.wrong(
                f"an element {tag} {found}; expected it inside of {expected}"
            )
        self.open.append(tag)
        if tag == "sentence":
            self.begun = self.line
            self.annotators = self._number(tag, attributes, "numann")
            self._check_annotators(self.annotators)
            self.block = None
            self.correcting = set()
            self.errors = 0
        elif tag == "error":
            required = self._attribute("error", attributes, "req")
            if required not in ("yes", "no"):
                message = f"expected yes or no, found '{required[:40]}'"
                raise self.wrong(f"req of the element error: {message}")
            self.type = f"error {self.errors} {required}"
            self.errors += 1
        elif tag == "alt":
            self.annotator = self._number(tag, attributes, "ann")
            self.correcting.add(self.annotator)
        elif tag == "c":
            start = self._number(tag, attributes, "start", SIGNED_NUMBER)
            end = self._number(tag, attributes, "end", SIGNED_NUMBER)
            self.span = (f"{start} {end}", self.line)
        self.parts = [] if tag in ("text", "c") else None

    def text(self, data: str) -> None:
        """Take a part of a sentence or of a correction."""
        if self.parts is not None:
            self.parts.append(data)

    def end(self, tag: str) -> None:
        """Finish an element; a sentence is then one of the blocks that are read."""
        if tag not in PARENTS:
            return
        self.open.pop()
        words = " ".join(split_words("".join(self.parts or ())))
        self.parts = None
        if tag == "text":
            if self.block is not None:
                message = "a second element text in a sentence; expected one, before its errors"
                raise self.wrong(message)
            self.block = Block(self.begun, words)
        elif tag == "c":
            self._add_correction(words)
        elif tag == "sentence":
            self._finish_sentence()

    def _add_correction(self, words: str) -> None:
        """Add a correction to the sentence, as a line of an M2 file."""
        span, line = self.span
        if self.block is None:
            raise self.wrong(
                "a correction before the text of its sentence", line
            )
        if len(self.block.lines) == MAX_EDITS:
            message = f"the sentence of line {self.begun} has more than {MAX_EDITS:,} corrections"
            raise self.wrong(message, line)
        self.block.lines.append(
            f"A {span}|||{self.type}|||{words}|||REQUIRED|||-NONE-|||{self.annotator}"
        )

    def _finish_sentence(self) -> None:
        """Add a noop for each annotator who corrects nothing, and pass the sentence on."""
        if self.block is None:
            raise self.wrong("the sentence has no element text", self.begun)
        self._check_annotators(len(self.correcting))
        # these annotators have the lowest free numbers
        remaining = self.annotators - len(self.correcting)
        for number in itertools.count():
            if remaining <= 0:
                break
            if number not in self.correcting:
                self.block.lines.append(f"{NOOP.removesuffix('0')}{number}")
                remaining -= 1
        self.block.numbers = [self.begun] * len(self.block.lines)
        self.count += 1
        self.done.append(self.block)

    def _check_annotators(self, annotators: int) -> None:
        if annotators > MAX_ANNOTATORS:
            message = f"the sentence has {annotators} annotators; at most {MAX_ANNOTATORS} are supported"
            raise self.wrong(message, self.begun)

    def _attribute(self, tag: str, attributes: dict[str, str], key: str) -> str:
        """Return an attribute of an element; raises CorpusError if it is missing."""
        if key not in attributes:
            hint = did_you_mean(key, attributes)
            raise self.wrong(
                f"the element {tag} has no attribute '{key}'{hint}"
            )
        return attributes[key]

    def _number(
        self,
        tag: str,
        attributes: dict[str, str],
        key: str,
        form: re.Pattern[str] = NUMBER,
    ) -> int:
        """Return an attribute as a number; raises CorpusError if it is missing or has another form."""
        digits = self._attribute(tag, attributes, key).strip()
        if not form.fullmatch(digits):
            expected = "a whole number"
            if form is NUMBER:
                expected += " from 0"
            message = f"expected {expected}, found '{digits[:40]}'"
            raise self.wrong(f"{key} of the element {tag}: {message}")
        return int(digits)
