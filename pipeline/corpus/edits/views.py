"""Data sets seen as edits: in place of references the edits of each annotator, and the edits of outputs.

Each such view is a data set of its own, with the same lines and systems. Its texts are records of edits
(`edits/records.py`), which workers read by ranges as they read other texts.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from ...config.resolved import Column
from ...edits.m2_lines import NOOP
from ...edits.records import record_of
from ...errors import CorpusError, Problem
from ...io.plain_files import SEPARATOR, Origin, Spooled
from ...metrics.base.views import EDITS, GOLD
from .annotated import joined, other_sentences, read_annotated

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from ...config.resolved import Dataset, Input, System
    from ..input_files import Opener
    from ..texts import TextFile
    from .annotated import Annotated

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


def open_edits(
    dataset: Dataset, systems: Sequence[System], opener: Opener, problems: list[Problem], views: Collection[str]
) -> EditTexts | None:
    """Open what the views of a data set need beside its texts; None after adding to problems."""
    before = len(problems)
    outputs = {system.name: system.paths[dataset.name] for system in systems if dataset.name in system.paths}
    try:
        gold = _gold(dataset, opener)
    except CorpusError as error:
        problems += error.problems
        return None
    if gold is None:
        return None
    annotated = _outputs(dataset, outputs, gold, opener, problems) if EDITS in views else {}
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
        notes=[*notes, *_styles(gold, annotated)] if EDITS in views else list(gold.notes()) if GOLD in views else [],
    )


def _gold(dataset: Dataset, opener: Opener) -> Annotated | None:
    """Return the annotations of a data set; None where there are none, or they are known to be absent."""
    if not dataset.gold or any(path in opener.absent for path in dataset.gold):
        return None
    gold = joined([read_annotated(path, opener.spool) for path in dataset.gold])
    if len(gold.annotators) > MAX_ANNOTATORS:
        message = f"has {len(gold.annotators)} annotators; at most {MAX_ANNOTATORS} are supported"
        raise CorpusError([Problem(gold.name, message)])
    return gold


def _outputs(
    dataset: Dataset, outputs: dict[str, Input], gold: Annotated, opener: Opener, problems: list[Problem]
) -> dict[str, Annotated]:
    """Return the annotated outputs; adds problems for those that are not annotated, or not of the same sentences."""
    annotated: dict[str, Annotated] = {}
    for name, output in outputs.items():
        if not isinstance(output, Column) or output.kind not in M2_KINDS:
            message = f"system {name} has no edits: name its M2 file, as in `systems: {{{name}: {{m2: FILE}}}}`"
            problems.append(Problem(dataset.name, message))
            continue
        if output.path in opener.absent:
            continue
        try:
            annotated[name] = read_annotated(output.path, opener.spool)
        except CorpusError as error:
            problems += [problem for problem in error.problems if problem not in problems]
            continue
        problems += other_sentences(annotated[name], gold)
    return annotated


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
