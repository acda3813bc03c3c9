"""Measure how much a reader of the code has to hold in mind, and hold it below ceilings.

python -m tests.tools.measure            print the figures of each room
python -m tests.tools.measure --lower    and lower the ceilings to today's figures

Tokens are counted without comments, docstrings and indentation, so that no formatting changes them;
density is tokens for each line of code; the other rates are for each 1,000 lines of code. A face
is the names that other rooms import from a room. tests/test_readable.py holds the figures below
the ceilings of tests/ceilings.json. They are lowered after a room has become simpler, but not below
AIMS, where fewer is not better.
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import math
import tokenize
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ROOT = Path(__file__).parents[2]
CEILINGS = ROOT / "tests" / "ceilings.json"
PRIVATE_WORDS = frozenset(
    [
        "ahead",
        "asked",
        "borne",
        "brought",
        "far",
        "given",
        "kept",
        "lacking",
        "looks",
        "made",
        "meant",
        "odd",
        "own",
        "people",
        "piece",
        "pieces",
        "place",
        "places",
        "plugged",
        "said",
        "sheet",
        "shown",
        "spool",
        "stamp",
        "stretch",
        "stretches",
        "survey",
        "tell",
        "told",
        "wanted",
        "whole",
    ]
)
"""Words that name nothing of the field: no identifiers."""
LAYOUT = frozenset(
    (
        tokenize.COMMENT,
        tokenize.DEDENT,
        tokenize.ENDMARKER,
        tokenize.INDENT,
        tokenize.NEWLINE,
        tokenize.NL,
    )
)
COMPREHENSIONS = (ast.DictComp, ast.GeneratorExp, ast.ListComp, ast.SetComp)
RATES = ("nested", "ternaries", "pairs", "words")
AIMS = {
    "density": 7.5,
    "nested": 1.0,
    "ternaries": 12.0,
    "pairs": 2.0,
    "words": 0.0,
    "longest": 80,
    "face": 15,
}
"""Below these, fewer is not better."""
NEW_ROOM = {
    "tokens": 40_000,
    "density": 8.5,
    "nested": 2.0,
    "ternaries": 20.0,
    "pairs": 4.0,
    "words": 0.0,
    "longest": 100,
    "face": 25,
}
"""Ceilings of a room that the file does not have."""


@dataclass
class Figures:
    """What is counted in some files."""

    files: int = 0
    tokens: int = 0
    code_lines: int = 0
    nested: int = 0
    ternaries: int = 0
    pairs: int = 0
    words: int = 0
    longest: int = 0
    face: set[str] = field(default_factory=set)

    def add(self, other: Figures) -> None:
        """Add the figures of other files."""
        self.longest = max(self.longest, other.longest)
        self.face |= other.face
        for name in ("files", "tokens", "code_lines", *RATES):
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def rounded(self) -> dict[str, float]:
        """Return the figures that have ceilings, with one decimal, rounded up."""
        lines = max(self.code_lines, 1)
        rounded: dict[str, float] = {"tokens": self.tokens}
        rounded["density"] = math.ceil(10 * self.tokens / lines) / 10
        for name in RATES:
            rounded[name] = math.ceil(10_000 * getattr(self, name) / lines) / 10
        rounded["longest"] = self.longest
        rounded["face"] = len(self.face)
        return rounded


def docstring_lines(tree: ast.Module) -> set[int]:
    """Return the lines of statements that are a text and nothing else."""
    lines: set[int] = set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.Expr) or not isinstance(
            node.value, ast.Constant
        ):
            continue
        if isinstance(node.value.value, str):
            lines.update(range(node.lineno, end_line(node) + 1))
    return lines


def end_line(node: ast.stmt) -> int:
    """Return the last line of a statement, which parsed ones always have."""
    assert node.end_lineno is not None
    return node.end_lineno


def is_nested(comprehension: ast.AST) -> bool:
    """Return whether a comprehension has another inside, or several `for`."""
    inside = 0
    loops = 0
    for node in ast.walk(comprehension):
        inside += isinstance(node, COMPREHENSIONS)
    for child in ast.iter_child_nodes(comprehension):
        loops += isinstance(child, ast.comprehension)
    return inside > 1 or loops > 1


def is_pair(node: ast.Assign) -> bool:
    """Return whether an assignment is of the kind `a, b = x, y`."""
    target = node.targets[0]
    if not isinstance(target, ast.Tuple) or not isinstance(
        node.value, ast.Tuple
    ):
        return False
    return len(node.value.elts) > 1


def named(node: ast.AST) -> str:
    """Return the name that a node introduces, or an empty text."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return node.name
    if isinstance(node, ast.arg):
        return node.arg
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        return node.id
    return ""


def measure(source: str) -> Figures:
    """Return the figures of the text of a file."""
    tree = ast.parse(source)
    figures = Figures(files=1)
    docstrings = docstring_lines(tree)
    code: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in LAYOUT and token.start[0] not in docstrings:
            figures.tokens += 1
            code.update(range(token.start[0], token.end[0] + 1))
    figures.code_lines = len(code)
    for node in ast.walk(tree):
        figures.words += named(node).strip("_") in PRIVATE_WORDS
        if isinstance(node, COMPREHENSIONS):
            figures.nested += is_nested(node)
        elif isinstance(node, ast.IfExp):
            figures.ternaries += 1
        elif isinstance(node, ast.Assign):
            figures.pairs += is_pair(node)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = end_line(node) - node.lineno + 1
            figures.longest = max(figures.longest, length)
    return figures


def room_of(path: Path) -> str:
    """Return the room of a file or folder, by its path in the checkout.

    Each extension is a room, and so is what lies in the package beside all rooms.
    """
    parts = path.parts
    depth = 3 if parts[1:2] == ("extensions",) else 2
    if len(parts) > depth or (len(parts) == depth and not path.suffix):
        return "/".join(parts[:depth])
    return parts[0]


def imported_names(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the rooms that a file imports from, and the names."""
    package = path.relative_to(ROOT).parent.parts
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.ImportFrom):
            continue
        base = (
            list(package[: len(package) - node.level + 1]) if node.level else []
        )
        if node.module:
            base += node.module.split(".")
        if base[:1] != ["pipeline"]:
            continue
        for alias in node.names:
            target = Path(*base, alias.name)
            is_package = (ROOT / target).is_dir()
            is_module = (
                is_package or (ROOT / target).with_suffix(".py").is_file()
            )
            yield (
                room_of(target if is_module else Path(*base)),
                target.as_posix(),
            )


def add_faces(rooms: dict[str, Figures]) -> None:
    """Add the names that other rooms import from each room, but for single files of the package."""
    for path in sorted((ROOT / "pipeline").rglob("*.py")):
        importer = room_of(path.relative_to(ROOT))
        for room, name in imported_names(path):
            if room != importer and room in rooms and room != "pipeline":
                rooms[room].face.add(name)


def measure_rooms() -> dict[str, Figures]:
    """Return the figures of each room, of the core, of the package and of the tests."""
    rooms: defaultdict[str, Figures] = defaultdict(Figures)
    totals = {
        name: Figures() for name in ("the core", "the package", "the tests")
    }
    for path in sorted((ROOT / "pipeline").rglob("*.py")):
        room = room_of(path.relative_to(ROOT))
        figures = measure(path.read_text(encoding="utf-8"))
        rooms[room].add(figures)
        totals["the package"].add(figures)
        if not room.startswith("pipeline/extensions"):
            totals["the core"].add(figures)
    add_faces(rooms)
    for path in sorted((ROOT / "tests").rglob("*.py")):
        totals["the tests"].add(measure(path.read_text(encoding="utf-8")))
    return dict(sorted(rooms.items())) | totals


def read_ceilings() -> dict[str, dict[str, float]]:
    """Return the ceilings of each room's figures."""
    ceilings: dict[str, dict[str, float]] = json.loads(
        CEILINGS.read_text("utf-8")
    )
    return ceilings


def limited_figures(room: str, figures: Figures) -> dict[str, float]:
    """Return the figures of a room that have ceilings: tokens may move between rooms of the core."""
    limited = figures.rounded()
    if room.startswith("pipeline") and not room.startswith(
        "pipeline/extensions"
    ):
        del limited["tokens"]
    return limited


def above_ceilings(rooms: dict[str, Figures]) -> list[str]:
    """Return a message for each figure that is above its ceiling."""
    ceilings = read_ceilings()
    messages = []
    for room, figures in rooms.items():
        if room in ("the package", "the tests") and set(ceilings) - set(rooms):
            continue  # an extension is deleted
        limits = ceilings.get(room, NEW_ROOM)
        for name, figure in limited_figures(room, figures).items():
            if figure > limits[name]:
                messages.append(
                    f"{room}: {name} {figure}, at most {limits[name]}"
                )
    return messages


def lowered(
    rooms: dict[str, Figures], ceilings: dict[str, dict[str, float]]
) -> dict[str, dict[str, float]]:
    """Return the ceilings, lowered to the figures or to AIMS, whichever are higher."""
    after: dict[str, dict[str, float]] = {}
    for room, figures in rooms.items():
        before = ceilings.get(room, NEW_ROOM)
        after[room] = {}
        for name, figure in limited_figures(room, figures).items():
            lowest = max(figure, AIMS.get(name, 0))
            if name == "tokens":
                lowest = 1000 * math.ceil(figure / 1000)
            after[room][name] = min(before[name], lowest)
    return after


def rows(rooms: dict[str, Figures]) -> Iterable[str]:
    """Yield the lines of the table."""
    titles = ("files", "tokens", "density", *RATES, "longest", "face")
    yield " ".join([f"{'':30}", *(f"{title:>9}" for title in titles)])
    for room, figures in rooms.items():
        cells = {**figures.rounded(), "files": figures.files}
        yield " ".join(
            [f"{room:30}", *(f"{cells[title]:9}" for title in titles)]
        )


def main() -> None:
    """Print the table, and lower the ceilings if the arguments say so."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--lower", action="store_true", help="lower the ceilings"
    )
    rooms = measure_rooms()
    print("\n".join(rows(rooms)))
    if parser.parse_args().lower:
        text = json.dumps(lowered(rooms, read_ceilings()), indent=1)
        CEILINGS.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
