"""Data sets seen as edits: in place of references the edits of each annotator, and the edits of outputs.

Each such view is a data set of its own, with the same lines and systems. Its texts are records of edits
(`edits/records.py`), which workers read by ranges as they read other texts.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from ...config.resolved import Column
from ...edits.correction_xml import gold_blocks
from ...edits.m2_lines import NOOP, Block, edit_of
from ...edits.records import lines_by_annotator, record_of
from ...errors import CorpusError, Problem
from ...io.plain_files import SEPARATOR, Origin, Spooled, named
from ...metrics.base.views import EDITS, GOLD, annotator_of
from ..texts import read_texts

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from pathlib import Path

    from ...config.resolved import Dataset, Input, System
    from ...io.plain_files import Spool
    from ...io.remote import Remote
    from ..input_files import Opener
    from ..texts import TextFile

MAX_ANNOTATORS = 255
M2_KINDS = frozenset({"m2", "m2_annotator"})
"""The kinds of columns whose file holds edits."""


class EditTexts(NamedTuple):
    """The texts of the views of a data set, as records of edits."""

    source: TextFile
    """The sentences, with a blank between tokens."""
    gold: list[TextFile]
    """The edits of each annotator."""
    pairs: list[TextFile]
    """The same, once for each annotator that an output has at most."""
    outputs: dict[str, TextFile]
    """The edits of each annotated output."""
    notes: list[str]
    """What the user should know of the annotations."""


class Annotated(NamedTuple):
    """An M2 file that has been read."""

    name: str
    blocks: list[Block]
    by_annotator: list[dict[int, list[str]]]
    """For each sentence, the lines of each annotator, in the order in which they come first."""

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


def open_edits(
    dataset: Dataset,
    systems: Sequence[System],
    opener: Opener,
    problems: list[Problem],
    views: Collection[str],
    source: TextFile | None = None,
) -> EditTexts | None:
    """Open what the views of a data set need beside its texts; None after adding to problems.

    Where texts are annotated, outputs may be texts, and there may be no gold. Annotated outputs are then compared with
    the sentences of the source.
    """
    before = len(problems)
    outputs = {system.name: system.paths[dataset.name] for system in systems if dataset.name in system.paths}
    try:
        gold = _gold(dataset, opener) if dataset.gold else _ungraded(source)
    except CorpusError as error:
        problems += error.problems
        return None
    if gold is None:
        return None
    both = EDITS in views or any(map(annotator_of, views))
    if both and EDITS not in views:
        outputs = {name: output for name, output in outputs.items() if is_m2(output)}
    annotated = _outputs(dataset, outputs, gold, opener, problems) if both else {}
    if len(problems) > before:
        return None
    most = max((len(own) for item in annotated.values() for own in item.by_annotator), default=1)
    if most * len(gold.annotators) > MAX_ANNOTATORS:
        message = f"has {most * len(gold.annotators)} pairs of annotators; at most {MAX_ANNOTATORS} are supported"
        problems.append(Problem(gold.name, message))
        return None
    references = [[_spooled(opener, gold, a, h) for a in gold.annotators] for h in range(most)]
    notes = [note for item in (gold, *annotated.values()) for note in item.notes()]
    sentences = (" ".join(block.sentence.split()).encode() for block in gold.blocks)
    return EditTexts(
        source=_record_file(opener, gold.name, sentences),
        gold=references[0],
        pairs=[text for of_output in references for text in of_output],
        outputs={name: _record_file(opener, item.name, _records(item)) for name, item in annotated.items()},
        notes=[*notes, *_styles(gold, annotated)] if both else list(gold.notes()) if GOLD in views else [],
    )


def _gold(dataset: Dataset, opener: Opener) -> Annotated | None:
    """Return the annotations of a data set; None where there are none, or they are known to be absent."""
    if dataset.gold is None or dataset.gold in opener.absent:
        return None
    gold = read_annotated(dataset.gold, opener.spool)
    if len(gold.annotators) > MAX_ANNOTATORS:
        message = f"has {len(gold.annotators)} annotators; at most {MAX_ANNOTATORS} are supported"
        raise CorpusError([Problem(gold.name, message)])
    return gold


def _ungraded(source: TextFile | None) -> Annotated | None:
    """Return the sentences of a source without any annotator; None without a source."""
    if source is None:
        return None
    lines = read_texts(source, 0, source.lines)
    sentences = [Block(source.number(number), line) for number, line in enumerate(lines, 1)]
    return Annotated(source.place, sentences, [{} for _ in lines])


def is_m2(output: Input) -> bool:
    """Return whether an output is given as its edits."""
    return isinstance(output, Column) and output.kind in M2_KINDS


def _outputs(
    dataset: Dataset, outputs: dict[str, Input], gold: Annotated, opener: Opener, problems: list[Problem]
) -> dict[str, Annotated]:
    """Return the annotated outputs; adds problems for those that are not annotated, or not of the same sentences."""
    annotated: dict[str, Annotated] = {}
    for name, output in outputs.items():
        if not isinstance(output, Column) or output.kind not in M2_KINDS:
            message = f"system {name} has no edits: name its M2 file, as in `systems: {{{name}: {{m2: FILE}}}}`"
            other = "or have texts annotated: `annotator: auto` as an option of the metric"
            problems.append(Problem(dataset.name, f"{message}, {other}"))
            continue
        if output.path in opener.absent:
            continue
        try:
            annotated[name] = read_annotated(output.path, opener.spool)
        except CorpusError as error:
            problems += [problem for problem in error.problems if problem not in problems]
            continue
        problems += _other_sentences(annotated[name], gold)
    return annotated


def _other_sentences(output: Annotated, gold: Annotated) -> list[Problem]:
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


def _spooled(opener: Opener, gold: Annotated, annotator: int, output_annotator: int) -> TextFile:
    """Return the records of an annotator, for the edits of a certain annotator of the output."""
    records = (
        record_of(list(own).index(annotator), annotator, output_annotator, own[annotator]) if annotator in own else b""
        for own in gold.by_annotator
    )
    return _record_file(opener, f"{gold.name}, annotator {annotator}", records)


def _records(output: Annotated) -> Iterator[bytes]:
    for block in output.blocks:
        yield "\n".join([line for _, line in block.lines] or [NOOP]).encode()


def _record_file(opener: Opener, name: str, records: Iterable[bytes]) -> TextFile:
    return opener.index(Spooled(opener.spool.write_texts(name, records), SEPARATOR, Origin(name, ", sentence ")))


def _styles(gold: Annotated, outputs: dict[str, Annotated]) -> Iterator[str]:
    """Yield a warning for files whose deletions or alternatives are written in another style than ERRANT's."""
    deletions = {name: _deletions(item) for name, item in {"": gold, **outputs}.items()}
    for name, item in outputs.items():
        for style, other in (("-NONE-", ""), ("", "-NONE-")):
            if deletions[""][style] and deletions[name][other] and not deletions[name][style]:
                yield (
                    f"{item.name}: writes deletions as '{other}', and {gold.name} as '{style}': as ERRANT compares "
                    "them they never match; `gec-pipeline m2 convert` makes both alike"
                )
    for item in (gold, *outputs.values()):
        lines = [number for block in item.blocks for number, line in block.lines if "||" in line.split("|||")[2]]
        if lines:
            yield (
                f"{item.name}: {len(lines)} edits have alternatives (a||b), the first in line {lines[0]}; ERRANT "
                "compares them as they are written, so that they hardly match"
            )


def _deletions(item: Annotated) -> Counter[str]:
    """Return how often deletions are written as "-NONE-" and as an empty text."""
    fields = (line[2:].split("|||") for block in item.blocks for _, line in block.lines)
    return Counter(own[2] for own in fields if own[1].strip().lower() != "noop" and own[2] in ("-NONE-", ""))
