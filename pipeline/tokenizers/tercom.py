"""What mteval-v13a and tercom do to lines before they are split, and the tokens of TER.

Those are what is between white space, unless more is asked for. They are those of sacreBLEU's TER.
Normalisation is that of mteval-v13a but for three details: which entities and line ends inside a
text are replaced, and that a possessive 's is a separate token. So the lines are prepared here, and
the kernel splits them by 13a.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .. import kernel
from ..kernel.common import Encoded, Lines, join_lines
from .tokenization import changed_lines, inner_newlines, lower_case

BREAK = b"\xff"
"""The byte between lines while all lines are changed at once. It is never part of UTF-8."""

_ENTITIES = (
    (b"&quot;", b'"'),
    (b"&amp;", b"&"),
    (b"&lt;", b"<"),
    (b"&gt;", b">"),
)


def mteval(lines: Lines) -> Lines:
    """Remove <skipped>, join words that a hyphen divides at a newline, and replace entities."""
    data = lines.data
    has_newlines = False  # inside of lines
    if len(lines.starts) and b"\n" in data:
        newlines, _ = inner_newlines(lines)
        has_newlines = len(newlines) > 0
    has_entities = b"&" in data and any(
        entity in data for entity, _character in _ENTITIES
    )
    # a single byte is found faster
    has_skipped = b"<" in data and b"<skipped>" in data
    if not (has_newlines or has_entities or has_skipped):
        return lines
    texts = list(lines.texts())
    if has_newlines:
        for number, line in enumerate(texts):
            if b"\n" in line:
                # A newline among the white space at the end joins nothing.
                texts[number] = line.decode().rstrip().encode()
    text = BREAK.join(texts) + BREAK
    for old, new in (
        (b"<skipped>", b""),
        (b"-\n", b""),
        (b"\n", b" "),
        *_ENTITIES,
    ):
        text = text.replace(old, new)
    ends = np.flatnonzero(np.frombuffer(text, np.uint8) == BREAK[0])[
        : len(lines.starts)
    ]
    return Lines(
        text, np.concatenate((np.zeros(1, np.int64), ends + 1))[:-1], ends
    )


_POSSESSIVE = re.compile(r"'s(?=[ !-&(-+/:-@\[-`{-~]|\Z)")
"""A possessive at the end of a word. It is no token before a full stop, a comma or a dash."""
_MARKS = re.compile(r'[.,?:;!"()]')
"""The punctuation that no_punct removes."""
_ASIAN_MARKS = re.compile(
    "[\u3001\u3002\u3008-\u3011\u3014-\u301f\uff61-\uff65\u30fb"
    "\uff0e\uff0c\uff1f\uff1a\uff1b\uff01\uff02\uff08\uff09]"
)
"""Punctuation of Chinese and Japanese, and full-width punctuation."""
_ASIAN = re.compile(
    "[\u2e80-\u2eff\u31c0-\u31ef\u3200-\u4dbf\u4e00-\u9fff\uf900-\ufaff\ufe30-\ufe4f"
    + _ASIAN_MARKS.pattern[1:]
)
"""What asian_support makes a token: ideographs, their parts, compatibility forms, punctuation."""


@dataclass(frozen=True)
class Tercom:
    """How TER splits texts. Without normalisation, tokens are what is between white space."""

    ENTITIES: ClassVar[tuple[tuple[bytes, bytes], ...]] = _ENTITIES
    """What mteval-v13a replaces and by what, in this order."""

    normalized: bool = False
    """Whether punctuation is split from words, and entities such as &amp; are replaced."""
    no_punct: bool = False
    """Whether punctuation is removed, after the split."""
    asian_support: bool = False
    """Whether the two before it know the characters of Chinese and Japanese."""
    case_sensitive: bool = False
    """Whether lines keep upper case."""

    @property
    def key(self) -> str:
        """A short name, safe in file names."""
        options = {
            "norm": self.normalized,
            "nopunct": self.no_punct,
            "asian": self.asian_support,
            "cased": self.case_sensitive,
        }
        return "-".join(
            ["tercom", *(name for name, is_on in options.items() if is_on)]
        )

    @property
    def cache_key(self) -> str:
        """The text of this in the keys of stored counts. If it changes, all is counted again."""
        return (
            f"Tercom(normalized={self.normalized}, no_punct={self.no_punct}, "
            f"asian_support={self.asian_support}, case_sensitive={self.case_sensitive})"
        )

    @property
    def _split(self) -> str:
        return "13a" if self.normalized and not self.no_punct else "whitespace"

    def encode(self, texts: Sequence[Lines]) -> list[Encoded]:
        """Return the ids of the tokens of several texts; equal tokens have equal ids in all texts.

        Raises InvalidTextError for bytes that are not UTF-8.
        """
        prepared = [
            self._prepared(text, number) for number, text in enumerate(texts)
        ]
        return kernel.encode(prepared, self._split)

    def tokens(self, text: str) -> list[str]:
        """Return the tokens of one text, for reports."""
        from ..kernel.python.encode import SPLITS

        (line,) = self._prepared(join_lines([text.encode()]), 0).texts()
        return list(SPLITS[self._split](line.decode()))

    def _prepared(self, text: Lines, number: int) -> Lines:
        """Return a text, the number-th of several, ready for the kernel's split."""
        if not self.normalized and not self.no_punct:
            return text if self.case_sensitive else lower_case(text, number)
        return changed_lines(text, number, self._line)

    def _line(self, line: str) -> str:
        if not self.case_sensitive:
            line = line.lower()
        if self.normalized:
            # 13a splits the result as tercom splits the line itself; white space at its end does
            # not count.
            line = line.rstrip().replace("\n-", "").replace("\n", " ")
            for old, new in self.ENTITIES:
                line = line.replace(old.decode(), new.decode())
            line = _POSSESSIVE.sub(" 's", line)
            if self.asian_support:
                line = _ASIAN.sub(r" \g<0> ", line)
        if self.no_punct:
            if self.normalized:
                from ..kernel.python.encode import SPLITS

                line = " ".join(SPLITS["13a"](line))
            line = _MARKS.sub("", line)
            if self.asian_support:
                line = _ASIAN_MARKS.sub("", line)
        return line
