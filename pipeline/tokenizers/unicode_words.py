"""Runs of letters and digits of every script."""

from __future__ import annotations

import unicodedata

from ..errors import InvalidTextError
from ..kernel.common import Lines, join_lines


class _Letters(dict[int, str]):
    """A table for str.translate: letters, marks and numbers stay, and all else becomes white space.

    Ideographs and kana get white space around them, so that each is a word.
    """

    ALONE = ((0x3040, 0x3100), (0x3400, 0x4DC0), (0x4E00, 0xA000), (0xF900, 0xFB00), (0x20000, 0x323B0))

    def __missing__(self, code: int) -> str:
        letter = chr(code) if unicodedata.category(chr(code))[0] in "LMN" else " "
        if letter != " " and any(low <= code < high for low, high in self.ALONE):
            letter = f" {letter} "
        self[code] = letter
        return letter


_LETTERS = _Letters()


def unicode_words(lines: Lines) -> Lines:
    """Return the words of lines, lower-cased, with white space between them; raises InvalidTextError."""
    words = []
    for index, line in enumerate(lines.texts()):
        try:
            words.append(line.decode().lower().translate(_LETTERS).encode())
        except UnicodeDecodeError as error:
            raise InvalidTextError(0, index, error.start) from None
    return join_lines(words)
