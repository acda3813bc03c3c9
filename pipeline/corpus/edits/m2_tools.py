"""M2 files in another style, or with other texts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from ...errors import CorpusError, Problem
from .m2_files import BETWEEN, DELETED, FIELDS, Block

if TYPE_CHECKING:
    from .m2_files import Annotated, Edit


BAR = "|||"
CORRECTION = 2
"""The place of the correction among the six fields of an edit."""
STYLES = ("errant", "nucle")
"""How an empty correction is written: not at all, or as -NONE-."""
ALTERNATIVES = ("error", "first")
"""What is done with alternatives (a||b), which the style of ERRANT does not have."""


def written(sentence: str, lines: Iterable[str]) -> str:
    """Return a sentence with its lines that begin with A as ERRANT writes them: an empty line follows."""
    return "\n".join([f"S {sentence}", *lines, "", ""])


def with_texts_changed(block: Block, change: Callable[[str], str]) -> Block:
    """Return a sentence whose text is changed, and the corrections of its edits, each alternative on its own."""
    lines = []
    for number, line in block.lines:
        fields = line.split(BAR)
        if len(fields) == FIELDS:  # others are refused when they are read
            fields[CORRECTION] = BETWEEN.join(map(change, fields[CORRECTION].split(BETWEEN)))
        lines.append((number, BAR.join(fields)))
    return Block(block.line, change(block.sentence), lines)


def converted(file: Annotated, style: str, alternatives: str = "error") -> Iterator[str]:
    """Return the sentences of a file in one of STYLES. The lines of noops stay as they are.

    Raises CorpusError where the style of ERRANT is asked for, an edit has alternatives, and `alternatives` is "error".
    """
    several = [number for number, edit in file.numbered_edits() if BETWEEN in edit.correction]
    if several and style == "errant" and alternatives == "error":
        message = (
            f"the correction has alternatives ({BETWEEN} between), as {len(several):,} edits of the file; the style of "
            "ERRANT has none: with --alternatives first, the first of each is taken"
        )
        raise CorpusError([Problem(f"{file.name}:{several[0]}", message)])

    def changed(line: str, edit: Edit) -> str:
        first = edit.correction.split(BETWEEN, maxsplit=1)[0]
        if style == "nucle":
            text = edit.correction if edit.correction.strip() else DELETED
        else:
            text = "" if first.strip() == DELETED else first
        fields = line.split(BAR)
        return line if edit.is_noop else BAR.join([*fields[:CORRECTION], text, *fields[CORRECTION + 1 :]])

    return (
        written(block.sentence, map(changed, block.texts, edits))
        for block, edits in zip(file.blocks, file.edits, strict=True)
    )
