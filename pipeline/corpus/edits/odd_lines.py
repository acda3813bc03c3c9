"""What is odd in M2 files: where the loader of m2scorer would stop, or leave something out."""

import re
from dataclasses import dataclass, field
from io import BytesIO

from ...errors import Problem
from ...io.plain_files import BOM
from .m2_files import edit_of

# It reads lines as Python 2 parts Unicode text, and a paragraph for each sentence. Here a line ends at a line feed,
# and a byte order mark, line ends of Windows, lines of blanks and a bare S are read as they are meant, with a note.


BREAKS = re.compile("[\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029]")
"""What else ends a line there."""
_ODD = re.compile(r"\n(?:\ufeff|S\n|I |[^\S\n]+\n|A -1(?! -1\|\|\|noop\|\|\|))")
_NOOP_OF_TOKENS = re.compile(r"\|\|\|noop\|\|\|(?<!\nA -1 -1\|\|\|noop\|\|\|)")
"""In every file with a byte order mark, or a line of which _odd_line() says something, one of the two is found."""
STOPS = "m2scorer stops here"


@dataclass
class Odd:
    """What is odd in a file of which the lines are those of an M2 file, or in the first lines of it."""

    lines: dict[str, list[int]] = field(default_factory=dict)
    """What is said, and the numbers of the lines of which it is."""
    stops: list[Problem] = field(default_factory=list)
    """The first problem that no reading could solve."""

    def add(self, other: "Odd") -> None:
        """Take what is odd in the lines that come next."""
        for kind, numbers in other.lines.items():
            self.lines.setdefault(kind, []).extend(numbers)
        self.stops = self.stops or other.stops

    def notes(self, name: str) -> list[str]:
        """Return what is odd in a file of this name."""
        more = {kind: f" (and {len(lines) - 1} more)" if len(lines) > 1 else "" for kind, lines in self.lines.items()}
        return [f"{name}: line {lines[0]}{more[kind]} {kind}" for kind, lines in self.lines.items()]


def odd_lines(data: bytes, name: str, first: int = 1) -> Odd:
    """Return what is odd in lines of an M2 file, which are known to be such lines. The first has this number."""
    found = Odd()
    tokens, inside = 0, False
    text = f"\n{data.decode()}\n"
    parted = text.count("\nS ") == text.count("\n\nS ") + text.startswith("\nS ")
    if parted and not any(pattern.search(text) for pattern in (BREAKS, _ODD, _NOOP_OF_TOKENS)):
        return found  # most files need not be gone through line by line
    for number, raw in enumerate(BytesIO(data), first):
        line = raw.removesuffix(b"\n").decode()
        kinds = []
        if number == 1 and raw.startswith(BOM):
            line = line[1:]
            kinds.append(f"begins with a byte order mark, which is left out; {STOPS}")
        if raw.endswith(b"\r\n"):
            line = line[:-1]
            kinds.append("ends as lines of Windows do, which is read as a line end; m2scorer stops at these")
        if match := BREAKS.search(line):
            what = f"character {match.start() + 1} is U+{ord(match[0]):04X}"
            message = f"{what}, at which m2scorer ends the line and stops; put a blank in its place"
            found.stops.append(Problem(f"{name}:{number}", message))
        if line == "S" or line.startswith("S "):
            if inside:
                message = "a second sentence in a paragraph, whose edits could be of either: expected an empty line"
                found.stops.append(Problem(f"{name}:{number}", f"{message} before"))
            tokens, inside = len(line[2:].split()), True
        elif not line.strip():
            inside = False
        for kind in (*kinds, _odd_line(line, tokens)):
            found.lines.setdefault(kind, []).append(number)
    found.lines.pop("", None)
    del found.stops[1:]
    return found


def _odd_line(line: str, tokens: int) -> str:
    """Return what is said of a line, or an empty text. Edits beyond their sentence are told where the file is read."""
    if line == "S":
        return f"is an S without a blank behind it, which is read as an empty sentence; {STOPS}"
    if line and not line.strip():
        return f"has only blanks, and is read as an empty line; {STOPS}"
    if line.startswith("I "):
        return "begins with I, and is left out, as m2scorer does"
    if not (line.startswith("A -1") or (line.startswith("A ") and "|||noop|||" in line)):
        return ""
    edit = edit_of(line, "", 0)
    if edit.type == "noop":
        within = 0 <= edit.start <= tokens and 0 <= edit.end <= tokens
        return "is a noop with a span, and is left out as any noop" if within else ""
    if edit.start == -1 and not edit.is_noop:
        return "is an edit from token -1 that is no noop, and is left out, as m2scorer does"
    return ""
