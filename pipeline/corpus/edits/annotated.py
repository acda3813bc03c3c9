"""M2 files and gold files of I-measure that have been read: sentences with the edits of their annotators."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ...edits.correction_xml import gold_blocks
from ...edits.corrections_of_m2 import is_numbered
from ...edits.m2_lines import NOOP, Block, edit_of
from ...edits.records import lines_by_annotator
from ...errors import CorpusError, Problem
from ...io.plain_files import named

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from ...io.plain_files import Spool
    from ...io.remote import Remote


class Annotated(NamedTuple):
    """An M2 file that has been read."""

    name: str
    blocks: list[Block]
    by_annotator: list[dict[int, list[str]]]
    """For each sentence, the lines of each annotator, in the order in which they come first."""

    @property
    def is_xml(self) -> bool:
        """Whether it was read from a gold file of I-measure."""
        return any(is_numbered(line.split("|||")[1]) for block in self.blocks for _, line in block.lines)

    @property
    def annotators(self) -> list[int]:
        """The numbers of all annotators, in rising order."""
        return sorted(set().union(*self.by_annotator))

    def notes(self) -> Iterator[str]:
        """Yield what is odd: annotators without a line for some sentences, and edits that do not fit."""
        pairs = list(zip(self.blocks, self.by_annotator, strict=True))
        absent = {name: [block.line for block, own in pairs if name not in own] for name in self.annotators}
        lacking = [f"{name} ({len(lines)}, the first in line {lines[0]})" for name, lines in absent.items() if lines]
        if lacking:
            yield (
                f"{self.name}: annotators without a line for some sentences do not take part there, as in the "
                f"official programs: {', '.join(lacking)}"
            )
        misfits = list(self._misfits())
        if misfits:
            line, message = misfits[0]
            yield (
                f"{self.name}: {len(misfits)} edits do not fit into their sentence, the first in line {line} "
                f"({message}); M2 leaves out those beyond the end, ERRANT counts all of them"
            )

    def _misfits(self) -> Iterator[tuple[int, str]]:
        """Yield the line of each edit that reaches beyond its sentence or ends before it begins, and what is wrong."""
        for block in self.blocks:
            size = len(block.sentence.split()) if block.lines else 0
            for number, line in block.lines:
                edit = edit_of(line, self.name, number)
                if not edit.is_noop and edit.start != -1 and not 0 <= edit.start <= edit.end <= size:
                    yield number, f"{edit.start} {edit.end} in a sentence of {size} tokens"


def read_annotated(path: Path | Remote, spool: Spool) -> Annotated:
    """Read an M2 file, or a gold file of I-measure (XML).

    Raises CorpusError, with the line, where it is not written as one.
    """
    name = named(path)
    blocks = list(gold_blocks(spool.local(path), name))
    if not blocks:
        raise CorpusError([Problem(name, "has no sentence: no line begins with 'S '")])
    for block in blocks:
        for number, line in block.lines:
            edit_of(line, name, number)
    return Annotated(name, blocks, [lines_by_annotator(line for _, line in block.lines) for block in blocks])


def joined(files: Sequence[Annotated]) -> Annotated:
    """Return the annotations of several files of the same sentences as those of one.

    Annotators are numbered anew, from 0, file after file. A sentence without a line is one that the first annotator of
    its file leaves as it is. Raises CorpusError where the files are not of the same sentences, or one of them is XML,
    whose errors belong to all annotators together.
    """
    first, *others = files
    if not others:
        return first
    problems = [problem for file in others for problem in other_sentences(file, first)]
    problems += [Problem(file.name, "is XML; of several gold files each is M2") for file in files if file.is_xml]
    if problems:
        raise CorpusError(problems)
    blocks = [Block(block.line, block.sentence) for block in first.blocks]
    count = 0
    for file in files:
        lines = [line for block in file.blocks for _, line in block.lines] or [NOOP]
        numbers = sorted({int(line.rpartition("|||")[2]) for line in lines})
        ids = {number: count + place for place, number in enumerate(numbers)}
        for block, own in zip(blocks, file.blocks, strict=True):
            for number, line in own.lines or [(own.line, f"{NOOP.removesuffix('0')}{numbers[0]}")]:
                edit, _, annotator = line.rpartition("|||")
                block.lines.append((number, f"{edit}|||{ids[int(annotator)]}"))
        count += len(numbers)
    name = f"{first.name} and {len(others)} more"
    return Annotated(name, blocks, [lines_by_annotator(line for _, line in block.lines) for block in blocks])


def other_sentences(output: Annotated, gold: Annotated) -> list[Problem]:
    """Return the problem that two files are not of the same sentences, with the first that differs."""
    pairs = list(zip(output.blocks, gold.blocks, strict=False))
    for own, other in pairs:
        if own.sentence == other.sentence or own.sentence.split() == other.sentence.split():
            continue
        tokens, expected = own.sentence.split(), other.sentence.split()
        at = next((i for i, (a, b) in enumerate(zip(tokens, expected, strict=False)) if a != b), None)
        there = f"{gold.name}:{other.line}"
        if at is None:
            what = f"has {len(tokens)} tokens, and {there} has {len(expected)}"
        else:
            what = f"token {at + 1} is '{tokens[at]}', and in {there} it is '{expected[at]}'"
        return [Problem(f"{output.name}:{own.line}", f"{what}: the edits are not of the same sentences")]
    if len(output.blocks) != len(gold.blocks):
        message = f"has {len(output.blocks)} sentences, and {gold.name} has {len(gold.blocks)}"
        return [Problem(output.name, message)]
    return []
