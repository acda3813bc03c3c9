"""What a run reads: data sets, systems, and where their texts are."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ..io.remote import Remote

if TYPE_CHECKING:
    from .line_numbers import Selection

UNPACKED = 1 << 34
"""Bytes that compressed and other unpacked inputs of a run may take in all, unless the config says otherwise."""
STDIN = Path("/dev/stdin")
"""What the path - stands for."""


@dataclass(frozen=True, kw_only=True)
class Column:
    """Texts in the records of a file. header: tsv has names in its first line; null: a missing text is allowed.

    Of numbers there may be several, joined by +; header: they were named; decimals: of counts, None: any number.
    """

    kind: str
    """The name of its format, a key of `READERS` in `corpus/formats/`, or numbers."""
    path: Path | Remote
    column: str
    header: bool = False
    null: bool = False
    decimals: int | None = None


Input = Path | Remote | Column
"""Where texts are: a file of lines, here or at an address, or a column."""


@dataclass(frozen=True, kw_only=True)
class Dataset:
    """A data set: source (or None) and references, in the order written, or M2, which has both.

    explicit: missing_annotator was written; outputs: whether systems' files have all lines or only those selected;
    replace: what is replaced in all texts.
    """

    name: str
    source: Input | None
    references: tuple[Input, ...]
    empty_references: Literal["keep", "error", "none"] = "keep"
    m2: Path | Remote | None = None
    missing_annotator: Literal["first", "source", "none"] = "first"
    explicit: bool = False
    selection: Selection | None = None
    outputs: Literal["whole", "kept"] = "whole"
    replace: Literal["none", "ptb_brackets"] = "none"


@dataclass(frozen=True)
class System:
    """A system's output for each data set it has one for."""

    name: str
    paths: dict[str, Input]


@dataclass(frozen=True)
class Match:
    """What a glob matched, for the user to see. place: the key that holds it."""

    place: str
    pattern: str
    files: tuple[Path | Remote, ...]


def fill(path: str, dataset: str, system: str) -> str:
    """Return a written path with its placeholders replaced."""
    return path.replace("{dataset}", dataset).replace("{system}", system)
