"""M2 files made of M2 files: converted to another style, merged, and split by annotator."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ...errors import CorpusError, Problem
from ..m2_files import BETWEEN, DELETED, other_sentences
from ..m2_lines import NOOP
from .writing import with_annotator, with_correction, written

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ..m2_files import Annotated

STYLES = ("errant", "nucle")
"""How an empty correction is written: not at all, or as -NONE-."""
ALTERNATIVES = ("error", "first")
"""What is done with alternatives (a||b), which the style of ERRANT does not have."""


class Renamed(NamedTuple):
    """An annotator of a file that was merged."""

    annotator: int
    """The number in the merged file."""
    name: str
    """The file that the annotator comes from."""
    before: int
    """The number in that file."""


def converted(file: Annotated, style: str, alternatives: str = "error") -> Iterator[str]:
    """Return the sentences of a file in one of STYLES. The lines of noops stay as they are.

    Raises CorpusError where the style of ERRANT is asked for, an edit has alternatives, and `alternatives` is "error".
    """
    if style == "errant" and alternatives == "error":
        _refuse_alternatives(file)
    return _changed(file, _to_errant if style == "errant" else _to_nucle)


def _refuse_alternatives(file: Annotated) -> None:
    lines = [number for number, edit in file.numbered_edits() if BETWEEN in edit.correction]
    if lines:
        message = (
            f"the correction has alternatives ({BETWEEN} between), as {len(lines):,} edits of the file; the style of "
            "ERRANT has none: with --alternatives first, the first of each is taken"
        )
        raise CorpusError([Problem(f"{file.name}:{lines[0]}", message)])


def _to_errant(correction: str) -> str:
    first = correction.split(BETWEEN, maxsplit=1)[0]
    return "" if first.strip() == DELETED else first


def _to_nucle(correction: str) -> str:
    return correction if correction.strip() else DELETED


def _changed(file: Annotated, change: Callable[[str], str]) -> Iterator[str]:
    for block, edits in zip(file.blocks, file.edits, strict=True):
        lines = (
            line if edit.is_noop else with_correction(line, change(edit.correction))
            for (_, line), edit in zip(block.lines, edits, strict=True)
        )
        yield written(block.sentence, lines)


def merged(files: Sequence[Annotated]) -> tuple[list[Renamed], Iterator[str]]:
    """Return the new numbers of all annotators, in the order of the files, and the sentences with all their edits.

    A sentence without edits gets a noop of each annotator of its file: in the merged file it would else have no line
    of these annotators. Raises CorpusError where the files are not of the same sentences.
    """
    problems = [problem for file in files[1:] for problem in other_sentences(file, files[0])]
    if problems:
        raise CorpusError(problems)
    each = [(file, annotator) for file in files for annotator in _writers(file)]
    names = [Renamed(number, file.name, annotator) for number, (file, annotator) in enumerate(each)]
    return names, _merged(files)


def _merged(files: Sequence[Annotated]) -> Iterator[str]:
    writers = [_writers(file) for file in files]
    for place, block in enumerate(files[0].blocks):
        lines: list[str] = []
        number = 0
        for file, annotators in zip(files, writers, strict=True):
            for annotator in annotators:
                own = file.by_annotator[place].get(annotator, []) if file.blocks[place].lines else [NOOP]
                lines += (with_annotator(line, number) for line in own)
                number += 1
        yield written(block.sentence, lines)


def _writers(file: Annotated) -> list[int]:
    """Return the annotators who have a line anywhere; annotator 0 where nobody has."""
    return sorted({edit.annotator for edits in file.edits for edit in edits}) or [0]


def split(file: Annotated) -> dict[int, Iterator[str]]:
    """Return for each annotator the sentences with the annotator's edits, as those of annotator 0."""
    return {annotator: _of_annotator(file, annotator) for annotator in _writers(file)}


def _of_annotator(file: Annotated, annotator: int) -> Iterator[str]:
    for block, own in zip(file.blocks, file.by_annotator, strict=True):
        lines = own.get(annotator, []) if block.lines else []
        yield written(block.sentence, (with_annotator(line, 0) for line in lines))
