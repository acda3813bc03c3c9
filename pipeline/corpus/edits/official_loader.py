"""What the loader of m2scorer does with an M2 file that is odd: where it would stop or leave something out.

It reads lines as Python 2 parts Unicode text, and a paragraph for each sentence. Here a line ends at a line feed only,
and a byte order mark, line ends of Windows, lines of blanks and a bare S are read as they are meant, with a note.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ...edits.m2_lines import edit_of
from ...errors import Problem
from ...io.plain_files import numbered_lines, open_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


BOM = b"\xef\xbb\xbf"
BREAKS = re.compile("[\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029]")
"""What else ends a line there."""
BREAK_BYTES = [sign.encode() for sign in "\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"]
"""The same in UTF-8."""
USUAL_NOOP = b"A -1 -1|||noop|||"
"""How a noop begins in nearly all files."""
LARGEST = 1 << 24
"""The most bytes of a file that is looked through as a whole."""
STOPS = "m2scorer stops here"


class Odd(NamedTuple):
    """Something odd in a line."""

    line: int
    kind: str
    """What it is, and what is done about it. Lines of one kind are told together."""


def odd_lines(path: Path, name: str) -> tuple[list[str], list[Problem]]:
    """Return the notes on what is odd in an M2 file, and the problems that no reading could solve.

    The file has been read before, so that its lines are known to be those of an M2 file.
    """
    if _is_ordinary(path, name):
        return [], []
    odd: dict[str, list[int]] = {}
    for item in _odd(path, name):
        odd.setdefault(item.kind, []).append(item.line)
    notes = []
    for kind, lines in odd.items():
        more = f" (and {len(lines) - 1} more)" if len(lines) > 1 else ""
        notes.append(f"{name}: line {lines[0]}{more} {kind}")
    return notes, [Problem(f"{name}:{item.line}", item.kind) for item in _unreadable(path, name)][:1]


def _is_ordinary(path: Path, name: str) -> bool:
    """Return whether nothing at all is odd in a file that is not too large, as a few searches show.

    False says nothing: then each line is looked at.
    """
    with open_bytes(path, name) as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST or data.startswith(BOM) or any(mark in data for mark in BREAK_BYTES):
        return False
    lines = data.split(b"\n")
    noops = data.count(b"\n" + USUAL_NOOP)
    starts = {line[:2] for line in lines}
    return (
        starts <= {b"S ", b"A ", b""}
        and data.count(b"\nS ") == data.count(b"\n\nS ")  # each sentence but the first follows an empty line
        and data.count(b"|||noop|||") == noops == data.count(b"\nA -1")
    )


def _odd(path: Path, name: str) -> Iterator[Odd]:
    """Yield what is read as it is meant, or left out."""
    with open_bytes(path, name) as file:
        for number, raw in enumerate(file, 1):
            if number == 1 and raw.startswith(BOM):
                yield Odd(1, f"begins with a byte order mark, which is left out; {STOPS}")
            if raw.endswith(b"\r\n"):
                yield Odd(number, "ends as lines of Windows do, which is read as a line end; m2scorer stops at these")
    tokens = 0
    for number, line in numbered_lines(path, name):
        if _is_sentence(line):
            tokens = len(line[2:].split())
        kind = _odd_line(line) or _left_out(line, tokens)
        if kind:
            yield Odd(number, kind)


def _is_sentence(line: str) -> bool:
    return line == "S" or line.startswith("S ")


def _odd_line(line: str) -> str:
    """Return what is said of a line as a whole, or an empty text."""
    if line == "S":
        return f"is an S without a blank behind it, which is read as an empty sentence; {STOPS}"
    if line and not line.strip():
        return f"has only blanks, and is read as an empty line; {STOPS}"
    return "begins with I, and is left out, as m2scorer does" if line.startswith("I ") else ""


def _left_out(line: str, tokens: int) -> str:
    """Return what is said of an edit that is left out though it is none beyond its sentence, or an empty text.

    Edits that reach beyond their sentence are told of where the file is read.
    """
    if not (line.startswith("A -1") or (line.startswith("A ") and "|||noop|||" in line)):
        return ""
    edit = edit_of(line, "", 0)
    if edit.type == "noop":
        within = 0 <= edit.start <= tokens and 0 <= edit.end <= tokens
        return "is a noop with a span, and is left out as any noop" if within else ""
    if edit.start == -1 and not edit.is_noop:
        return "is an edit from token -1 that is no noop, and is left out, as m2scorer does"
    return ""


def _unreadable(path: Path, name: str) -> Iterator[Odd]:
    """Yield where the file has no reading that is the only one."""
    inside = False
    for number, line in numbered_lines(path, name):
        match = BREAKS.search(line)
        if match:
            what = f"character {match.start() + 1} is U+{ord(match[0]):04X}"
            yield Odd(number, f"{what}, at which m2scorer ends the line and stops; put a blank in its place")
        if _is_sentence(line):
            if inside:
                message = (
                    "a second sentence in a paragraph, whose edits could be of either: expected an empty line before"
                )
                yield Odd(number, message)
            inside = True
        elif not line.strip():
            inside = False
