"""The tokens of NIST's three programs, which read texts nearly as 13a does, each with details of its own.

They differ in what is lower-cased and when, in what is white space, in entities, and in what an empty text is. So the
lines are prepared here, and the kernel splits them by 13a.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .tercom import ENTITIES
from .tokenization import Tokenization, changed_lines

if TYPE_CHECKING:
    from ..kernel.common import Lines
    from . import Tokenizer

EMPTY = "\ufdd0"
"""The token of a text without any, for pymteval. Unicode has no character of this number."""
CONTROLS = {code: 0xFDD1 + number for number, code in enumerate(range(0x1C, 0x20))}
"""White space of Python that is none of Perl's, and the numbers of no characters that stand for it."""
CONTROL = re.compile("[\x1c-\x1f]")
ODD = re.compile(rb"[&<\x1c-\x1f]")
"""What has to be replaced in a text."""
SIGMA = "\u03a3"
"""The letter whose lower case depends on what follows: pymteval lower-cases each token, so that it may be final."""
NAMES = ("gt", "lt", "apos", "quot", "#124", "#91", "#93", "amp")
OF_MTEVAL = tuple((old.decode(), new.decode()) for old, new in ENTITIES)
OF_NLTK = tuple((f"&{name};", sign) for name, sign in zip(NAMES, "><'\"|[]&", strict=True))
"""What is replaced and by what, in this order."""


@dataclass(frozen=True, order=True)
class NistTokenization(Tokenization):
    """How a program of NIST splits texts. The option lowercase lower-cases what the program does, and when it does."""

    tokenizer: str = "13a"
    program: str = "mteval"
    """mteval is the Perl program, pymteval its copy in Python, and nltk the class NISTTokenizer."""

    @property
    def key(self) -> str:
        """A short name, safe in file names."""
        return f"{self.program}-{super().key}"

    @property
    def cache_key(self) -> str:
        """The text that stands for this in the keys of stored counts. If it changes, all is counted again."""
        return f"NistTokenization(program={self.program!r}, lowercase={self.lowercase})"

    def _prepare(self, text: Lines, tokenizer: Tokenizer, number: int) -> Lines:
        """Return a text, the number-th of several, ready for the kernel's split; raises as encode() does."""
        del tokenizer
        text = text.own()
        fast = self.program == "mteval" or (self.program == "nltk" and text.data.isascii())
        if fast and not ODD.search(text.data):
            return text._replace(data=text.data.lower()) if self.lowercase else text
        changed = changed_lines(text, number, self._line)
        of_bytes = self.program == "mteval" and self.lowercase  # of A-Z alone
        return changed._replace(data=changed.data.lower()) if of_bytes else changed

    def _line(self, line: str) -> str:
        line = line.replace("<skipped>", "")
        if self.program == "pymteval":
            line = line.replace("-\n", "")
        for old, new in OF_NLTK if self.program == "nltk" else OF_MTEVAL:
            line = line.replace(old, new)
        if self.program == "mteval":
            return line.translate(CONTROLS) if CONTROL.search(line) else line
        if self.lowercase and self.program == "pymteval" and SIGMA in line:
            from ..kernel.python.encode import western

            line = " ".join(token.lower() for token in western(line))
        line = line.lower() if self.lowercase else line
        return line if self.program == "nltk" or line.split() else EMPTY
