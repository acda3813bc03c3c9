"""M2 files in another style, and whatever is odd in one, with its line."""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from ...errors import CorpusError, Problem
from ...io.plain_files import MAX_LINE, open_bytes
from .m2_files import BETWEEN, DELETED, FIELDS, Block, edit_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from .m2_files import Annotated, Edit

    Numbered = tuple[int, Edit]
    """An edit with its line."""


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


ENDS = re.compile("[\r\v\f\x1c-\x1e\x85\u2028\u2029]")
"""Signs other than a line feed at which some programs end a line."""


class Finding(NamedTuple):
    """Something odd."""

    line: int
    """The line, from 1."""
    kind: str
    """What sort of finding it is, for those that are counted together."""
    message: str
    error: bool = False


class Checked(NamedTuple):
    """A file that was looked through."""

    name: str
    findings: list[Finding]
    """In the order of the lines."""
    sentences: int
    annotators: list[int]
    edits: int
    """Edits that are no noops."""


def check(path: Path, name: str) -> Checked:
    """Look through a plain file; raises CorpusError only where it cannot be read at all.

    Findings that are errors are what no score should be made of; all others are notes.
    """
    findings: list[Finding] = []
    blocks = list(_blocks(_lines(path, name, findings), findings))
    if not blocks:
        findings.append(Finding(1, "empty", "has no sentence: there is no line that begins with 'S '", error=True))
    parsed = [list(_edits(block, findings)) for block in blocks]
    for block, edits in zip(blocks, parsed, strict=True):
        findings += _of_sentence(block, edits)
    everything = [item for edits in parsed for item in edits]
    findings += [*_styles(everything), *_absent(blocks, parsed)]
    annotators = sorted({edit.annotator for _, edit in everything})
    count = sum(not edit.is_noop for _, edit in everything)
    return Checked(name, sorted(findings, key=lambda finding: finding.line), len(blocks), annotators, count)


def _lines(path: Path, name: str, findings: list[Finding]) -> Iterator[tuple[int, str]]:
    """Yield the lines as they are read elsewhere; add what is odd about their bytes."""
    with open_bytes(path, name) as file:
        for number, line in enumerate(iter(lambda: file.readline(MAX_LINE), b""), 1):
            data = line.removesuffix(b"\n")
            if line.endswith(b"\r\n"):
                findings.append(Finding(number, "crlf", "ends with CR LF; expected LF alone"))
                data = data.removesuffix(b"\r")
            text = data.decode(errors="replace")
            if text.encode() != data:
                message = "is not valid UTF-8"
                findings.append(Finding(number, "utf-8", message, error=True))
            if number == 1 and text.startswith("\ufeff"):
                message = "begins with a byte order mark, which official programs take for a part of the line"
                findings.append(Finding(number, "bom", message))
                text = text.removeprefix("\ufeff")
            for sign in sorted(set(ENDS.findall(text))):
                message = f"has the sign U+{ord(sign):04X} in it, at which some programs end the line"
                findings.append(Finding(number, "ends", message))
            yield number, text


def _blocks(lines: Iterable[tuple[int, str]], findings: list[Finding]) -> Iterator[Block]:
    """Yield the sentences with their lines; add what is odd about the order of lines."""
    current: Block | None = None
    closed, empty = True, 0  # whether an empty line came before, and how many
    for number, line in lines:
        if line.startswith("A "):
            if closed or current is None:
                findings.append(Finding(number, "stray", "an edit without a sentence before it", error=True))
            else:
                current.lines.append((number, line))
        elif line == "S" or line.startswith("S "):
            if current:
                if not closed:
                    message = (
                        "a sentence without an empty line before it; errant_compare takes it for an edit, and ends"
                    )
                    findings.append(Finding(number, "together", f"{message} there"))
                elif empty > 1:
                    message = f"{empty} empty lines before the sentence, where errant_compare ends; expected 1"
                    findings.append(Finding(number, "gap", message))
                yield current
            current, closed, empty = Block(number, line[2:]), False, 0
        elif line.strip():
            message = f"expected a line that begins with 'S ' or 'A ', or an empty line, found '{line[:30]}'"
            findings.append(Finding(number, "line", message, error=True))
        else:
            if line:
                findings.append(Finding(number, "blank", "a line of blanks alone; expected an empty line"))
            closed, empty = True, empty + 1
    if current:
        yield current


def _edits(block: Block, findings: list[Finding]) -> Iterator[Numbered]:
    for number, line in block.lines:
        try:
            yield number, edit_of(line, "", number)
        except CorpusError as error:
            findings.append(Finding(number, "edit", error.problems[0].message, error=True))


def _of_sentence(block: Block, edits: list[Numbered]) -> Iterator[Finding]:
    """Yield what is odd about a sentence and its edits."""
    tokens = block.sentence.split()
    if not tokens:
        yield Finding(block.line, "no tokens", "the sentence is empty")
    elif tokens != block.sentence.split(" "):
        message = "tokens have something else than one blank between them; programs may count them differently"
        yield Finding(block.line, "blanks", message)
    by_annotator: defaultdict[int, list[Numbered]] = defaultdict(list)
    for number, edit in edits:
        by_annotator[edit.annotator].append((number, edit))
        yield from _of_edit(number, edit, tokens)
    for annotator, own in by_annotator.items():
        yield from _of_annotator(annotator, own)


def _of_edit(number: int, edit: Edit, tokens: list[str]) -> Iterator[Finding]:
    if edit.is_noop:
        if (edit.start, edit.end) != (-1, -1):
            yield Finding(number, "noop", f"a noop has the offsets -1 -1, found {edit.start} {edit.end}")
        return
    if not 0 <= edit.start <= edit.end <= len(tokens):
        message = f"the edit {edit.start} {edit.end} does not fit into a sentence of {len(tokens)} tokens"
        yield Finding(number, "range", message, error=True)
    elif edit.correction.replace(DELETED, "").split() == tokens[edit.start : edit.end]:
        yield Finding(number, "same", "the edit changes nothing")
    if any(text != text.strip() for text in edit.correction.split(BETWEEN)):
        message = f"blanks around the correction '{edit.correction}', which ERRANT compares as it stands"
        yield Finding(number, "around", message)


def _of_annotator(annotator: int, own: list[Numbered]) -> Iterator[Finding]:
    """Yield what is odd about the edits of an annotator for a sentence: repeated, overlapping, beside a noop."""
    first: dict[Edit, int] = {}
    for number, edit in own:
        if edit in first:
            yield Finding(number, "twice", f"stands in line {first[edit]} already; ERRANT counts it twice")
        first.setdefault(edit, number)
    noops = [number for number, edit in own if edit.is_noop]
    real = sorted(((edit, line) for edit, line in first.items() if not edit.is_noop), key=lambda item: item[0][:2])
    if noops and real:
        message = f"a noop, but annotator {annotator} edits the sentence in line {min(line for _, line in real)}"
        yield Finding(noops[0], "beside", message, error=True)
    for (one, before), (two, after) in itertools.pairwise(real):
        if two.start < one.end:
            message = f"overlaps the edit of line {min(before, after)}, of the same annotator"
            yield Finding(max(before, after), "overlap", message, error=True)


def _styles(edits: list[Numbered]) -> Iterator[Finding]:
    """Yield notes on deletions that are written in both ways, and on alternatives."""
    deleted = {
        text: [line for line, edit in edits if edit.correction == text and not edit.is_noop] for text in ("", DELETED)
    }
    if all(deleted.values()):
        none, empty = deleted[DELETED], deleted[""]
        message = (
            f"{len(none):,} deletions are written as -NONE-, the first here, and {len(empty):,} empty, the "
            f"first in line {empty[0]:,}; `gec-pipeline m2 convert` makes them alike"
        )
        yield Finding(none[0], "deletions", message)
    several = [line for line, edit in edits if BETWEEN in edit.correction]
    if several:
        message = (
            f"{len(several):,} corrections have alternatives (a||b), the first here; ERRANT compares them as they stand"
        )
        yield Finding(several[0], "alternatives", message)


def _absent(blocks: list[Block], parsed: list[list[Numbered]]) -> Iterator[Finding]:
    """Yield a note for each annotator without a line for sentences that others annotated."""
    present = [{edit.annotator for _, edit in edits} for edits in parsed]
    for annotator in sorted(set().union(*present)):
        lines = [block.line for block, own in zip(blocks, present, strict=True) if own and annotator not in own]
        nobody = sum(not own for own in present) if annotator else 0
        if lines:
            more = f" ({len(lines) + nobody:,} with those that nobody annotated)" if nobody else ""
            message = (
                f"annotator {annotator} has no line for {len(lines):,} sentences that others annotated{more}, the "
                "first here; official programs leave the annotator out there"
            )
            yield Finding(lines[0], f"absent {annotator}", message)
