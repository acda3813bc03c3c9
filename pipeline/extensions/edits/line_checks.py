"""Lines of an M2 file at which the loader of m2scorer would stop, or leave something out.

It reads lines as Python 2 splits Unicode text, and a paragraph for each sentence. Here a line ends
at a line feed, and a byte order mark, line ends of Windows, lines of blanks and a bare S are read
as they are meant, with a note.
"""

import codecs
import re
from pathlib import Path

from pipeline.errors import Problem
from pipeline.files import open_bytes

from . import m2_files
from .m2_texts import BREAKS

_BREAKS = re.compile(f"[{BREAKS}]")
_SUSPICIOUS = re.compile(
    r"\n(?:\ufeff|S\n|I |[^\S\n]+\n|A -1(?! -1\|\|\|noop\|\|\|))"
)
_NOOP_OF_TOKENS = re.compile(r"\|\|\|noop\|\|\|(?<!\nA -1 -1\|\|\|noop\|\|\|)")
"""One of the two matches in each file with a byte order mark or a line that _line_note() notes."""
STOPS = "m2scorer stops here"


def check_lines(path: Path, name: str) -> tuple[list[str], list[Problem]]:
    """Return notes on suspicious lines of an M2 file, and the problems that no reading solves.

    At most one problem is returned, the first. The file has been read before, so its lines are
    known to be those of an M2 file.
    """
    lines_with_note: dict[str, list[int]] = {}
    problems: list[Problem] = []
    with open_bytes(path, name) as file:
        text = f"\n{file.read().decode()}\n"
        if _is_regular(text):
            return [], []  # most files need not be checked line by line
        file.seek(0)
        tokens = 0
        in_paragraph = False
        for number, line_bytes in enumerate(file, 1):
            line = line_bytes.removesuffix(b"\n").decode()
            notes = []
            if number == 1 and line_bytes.startswith(codecs.BOM_UTF8):
                line = line[1:]
                notes.append(
                    f"begins with a byte order mark, which is left out; {STOPS}"
                )
            if line_bytes.endswith(b"\r\n"):
                line = line[:-1]
                notes.append(
                    "ends as lines of Windows do, which is read as a line end; "
                    "m2scorer stops at these"
                )
            match = _BREAKS.search(line)
            if match:
                message = (
                    f"character {match.start() + 1} is U+{ord(match[0]):04X}, at which m2scorer "
                    "ends the line and stops; put a blank in its place"
                )
                problems.append(Problem(f"{name}:{number}", message))
            if line == "S" or line.startswith("S "):
                if in_paragraph:
                    message = (
                        "a second sentence in a paragraph, whose edits could be of either: "
                        "expected an empty line before"
                    )
                    problems.append(Problem(f"{name}:{number}", message))
                tokens = len(line[2:].split())
                in_paragraph = True
            elif not line.strip():
                in_paragraph = False
            line_note = _line_note(line, tokens)
            if line_note:
                notes.append(line_note)
            for note in notes:
                lines_with_note.setdefault(note, []).append(number)

    # a note for each kind, with its first line
    summaries = []
    for note, numbers in lines_with_note.items():
        more = f" (and {len(numbers) - 1} more)" if len(numbers) > 1 else ""
        summaries.append(f"{name}: line {numbers[0]}{more} {note}")
    return summaries, problems[:1]


def _is_regular(text: str) -> bool:
    """Return whether no line of a text, which begins with a line end, can be suspicious."""
    # each sentence must come after an empty line, or at the beginning
    after_empty_line = text.count("\n\nS ") + text.startswith("\nS ")
    if text.count("\nS ") != after_empty_line:
        return False
    return not any(
        pattern.search(text)
        for pattern in (_BREAKS, _SUSPICIOUS, _NOOP_OF_TOKENS)
    )


def _line_note(line: str, tokens: int) -> str:
    """Return a note on a suspicious line, or an empty text.

    `tokens` is how many tokens its sentence has. Edits beyond their sentence are reported where the
    file is read.
    """
    if line == "S":
        return f"is an S without a blank behind it, which is read as an empty sentence; {STOPS}"
    if line and not line.strip():
        return f"has only blanks, and is read as an empty line; {STOPS}"
    if line.startswith("I "):
        return "begins with I, and is left out, as m2scorer does"
    has_noop = line.startswith("A ") and "|||noop|||" in line
    if not has_noop and not line.startswith("A -1"):
        return ""
    edit = m2_files.edit_of(line, "", 0)
    if edit.type == "noop":
        if 0 <= edit.start <= tokens and 0 <= edit.end <= tokens:
            return "is a noop with a span, and is left out as any noop"
        return ""
    if edit.start == -1 and not edit.is_noop:
        return "is an edit from token -1 that is no noop, and is left out, as m2scorer does"
    return ""
