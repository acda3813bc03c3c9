"""Data sets seen as edits: in place of references the edits of each annotator, and the edits of outputs.

Each such view is a data set of its own, with the same lines and systems. Its texts are records of edits
(`corpus/edits/records.py`), which workers read by ranges as they read other texts.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from functools import partial, reduce
from pathlib import Path
from typing import NamedTuple, TypeGuard

from ..config.resolved import Column, Dataset, Input, System
from ..errors import CorpusError, Problem
from ..io.plain_files import named, open_bytes
from ..io.remote import Remote
from ..metrics.base.needs import EDITS, GOLD, TEXTS, annotator_of, compares_gold
from .edits import m2_files
from .edits.m2_files import with_texts_changed
from .edits.odd_lines import Odd, odd_lines
from .edits.records import gold_blocks, is_xml, with_output
from .input_files import Opener
from .m2_parts import EDITS as EDITS_OF
from .m2_parts import PROPOSED, SOURCE, Asked, M2File, of_annotated, system_asked
from .texts import REPLACEMENTS, TextFile, read_texts

MAX_CATEGORIES = 200
"""At most so many types of edits are scored apart. The rarest are left out."""
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
    categories: tuple[str, ...]
    """The types of edits that are scored apart, sorted."""
    foreign: str
    """What is said of the gold where its edits are not those of ERRANT; else an empty text."""
    clashes: bool
    """Whether outputs have edits of ERRANT, and the gold has others."""


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
        gold, odd = _gold(dataset, source, opener, views)
    except CorpusError as error:
        problems += error.problems
        return None
    if gold is None:
        return None
    for one in odd.values():
        problems += one.stops
    both = EDITS in views or any(map(annotator_of, views))
    if both and EDITS not in views:
        outputs = {name: output for name, output in outputs.items() if is_m2(output)}
    sentences = opener.index(gold.texts(SOURCE))
    annotated = _outputs(dataset, outputs, sentences, source, opener, problems, views) if both else {}
    if len(problems) > before:
        return None
    wanted, told = gold.made.told, [item.told for item in annotated.values()]
    most = max((item.most for item in told), default=1)
    if most * len(wanted.annotators) > m2_files.MAX_ANNOTATORS:
        output = next(item for item in told if item.most == most)
        pairs = f"{most} annotators in a sentence, and {wanted.name} has {len(wanted.annotators)}"
        count = f"{most * len(wanted.annotators)} pairs to compare; at most {m2_files.MAX_ANNOTATORS} are supported"
        problems.append(Problem(output.name, f"has {pairs}: {count}"))
        return None
    references = [opener.index(gold.texts((EDITS_OF, annotator))) for annotator in wanted.annotators]
    pairs_of = [opener.rewrite(file, partial(with_output, output)) for output in range(1, most) for file in references]
    notes = [note for name, one in odd.items() for note in one.notes(name)]
    notes += [note for item in (wanted, *told) for note in item.notes()]
    foreign = wanted.foreign()
    if both and (not foreign or any(map(compares_gold, views))):
        notes += [*m2_files.other_styles(wanted, told), *m2_files.other_types(wanted, told)]
    notes += m2_files.line_ends([*([] if GOLD in views else [wanted]), *told])
    counted = sum((item.all_types for item in (wanted, *told)), Counter[str]())
    del counted["noop"]
    categories = sorted(counted, key=lambda name: (-counted[name], name))[:MAX_CATEGORIES]
    if len(counted) > len(categories):
        most_frequent = f"the {len(categories)} that are most frequent are scored apart"
        notes.append(f"{wanted.name}: there are {len(counted)} types of edits; {most_frequent}")
    read = [*map(named, dataset.gold), *(item.name for item in told)]
    return EditTexts(
        source=sentences,
        gold=references,
        pairs=[*references, *pairs_of],
        outputs={name: opener.index(item.texts(PROPOSED)) for name, item in annotated.items()},
        notes=_named_shortly(notes, read) if both or GOLD in views else [],
        categories=tuple(sorted(categories)),
        foreign=_named_shortly([foreign], read)[0],
        clashes=bool(foreign) and any(item.has_errant_types() for item in told),
    )


def _named_shortly(notes: Iterable[str], files: Iterable[str]) -> list[str]:
    """Return notes with names of files, or of folder and file, in place of paths: results depend on no folder."""
    names = dict.fromkeys(file for file in files if "://" not in file)
    last = Counter(Path(name).name for name in names)
    short = {name: "/".join(Path(name).parts[-2 if last[Path(name).name] > 1 else -1 :]) for name in names}
    paths = sorted(short, key=len, reverse=True)  # a path may begin with another
    return [reduce(lambda text, path: text.replace(path, short[path]), paths, note) for note in notes]


def asked_of(dataset: Dataset, views: Collection[str], path: Path | Remote) -> Asked:
    """Return what is made of an M2 file of a data set, for its texts and for the views, where it is not changed."""
    viewed = not {GOLD, EDITS}.isdisjoint(views) or any(map(annotator_of, views))
    records = viewed and dataset.replace == "none" and [*dataset.gold] == [path]
    return Asked(
        texts=path in dataset.annotated,
        records=records,
        missing=dataset.missing_annotator,
        lenient=TEXTS not in views,
        odd=records and GOLD in views,
    )


def _gold(
    dataset: Dataset, source: TextFile | None, opener: Opener, views: Collection[str]
) -> tuple[M2File | None, dict[str, Odd]]:
    """Return the annotations of a data set, or the sentences of its source without any; None where there is neither.

    With them comes what the official loader reads otherwise, by the name of the file.
    """
    if any(path in opener.absent for path in dataset.gold) or not (dataset.gold or source):
        return None, {}
    if dataset.gold and (asked := asked_of(dataset, views, dataset.gold[0])).records:
        gold = opener.m2(dataset.gold[0], asked)
        found, odd = gold.told.annotators, {gold.name: gold.made.odd}
    else:
        gold = of_annotated(_annotated(dataset, source, opener), opener.spool)
        found, odd = gold.made.told.annotators, {}
        for path in dataset.gold if GOLD in views else ():
            if not is_xml(plain := opener.spool.local(path), named(path)):
                with open_bytes(plain, named(path)) as file:
                    odd[named(path)] = odd_lines(file.read(), named(path))
    if len(found) > m2_files.MAX_ANNOTATORS:
        message = f"has {len(found)} annotators; at most {m2_files.MAX_ANNOTATORS} are supported"
        raise CorpusError([Problem(gold.name, message)])
    return gold, odd


def _annotated(dataset: Dataset, source: TextFile | None, opener: Opener) -> m2_files.Annotated:
    """Return the same annotations in memory, of all gold files; raises CorpusError."""
    if not dataset.gold and source:
        change, lines = REPLACEMENTS.get(dataset.replace, bytes), read_texts(source)
        blocks = [m2_files.Block(number, change(line.encode()).decode()) for number, line in enumerate(lines, 1)]
        for block in blocks:
            block.read = m2_files.LinesRead([], {}, {})  # of nobody, not even of somebody who leaves it as it is
        return m2_files.Annotated(m2_files.Told(source.place), blocks)
    return m2_files.joined([m2_files.read_annotated(path, opener.spool, _reader(dataset)) for path in dataset.gold])


def is_m2(output: Input) -> TypeGuard[Column]:
    """Return whether an output is given as its edits."""
    return isinstance(output, Column) and output.kind in M2_KINDS


def _reader(dataset: Dataset) -> m2_files.Reader:
    """Return what reads M2 files, and replaces what the data set says before sentences are compared."""
    if dataset.replace == "none":
        return gold_blocks

    def change(text: str) -> str:
        return REPLACEMENTS[dataset.replace](text.encode()).decode()

    return lambda path, name: (with_texts_changed(block, change) for block in gold_blocks(path, name))


def _outputs(
    dataset: Dataset,
    outputs: dict[str, Input],
    sentences: TextFile,
    source: TextFile | None,
    opener: Opener,
    problems: list[Problem],
    views: Collection[str],
) -> dict[str, M2File]:
    """Return the annotated outputs; adds problems for those that are not annotated, or not of the same sentences."""
    annotated: dict[str, M2File] = {}
    lenient = {TEXTS, GOLD}.isdisjoint(views)
    for name, output in outputs.items():
        if not is_m2(output):
            message = f"system {name} has no edits: name its M2 file, as in `systems: {{{name}: {{m2: FILE}}}}`"
            other = "`annotator: auto` as an option of the metric (--annotator auto of `score`)"
            problems.append(Problem(dataset.name, f"{message}, or have texts annotated: {other}"))
            continue
        if output.path in opener.absent:
            continue
        try:
            if dataset.replace == "none":
                own = opener.m2(output.path, system_asked(replace(output, lenient=output.lenient or lenient)))
            else:
                whole = m2_files.read_annotated(output.path, opener.spool, _reader(dataset))
                own = of_annotated(whole, opener.spool, system=True)
            if own.told and opener.index(own.texts(SOURCE)).digest != sentences.digest:
                whole = m2_files.read_annotated(output.path, opener.spool, _reader(dataset))
                problems += m2_files.other_sentences(whole, _annotated(dataset, source, opener))
        except CorpusError as error:
            problems += [problem for problem in error.problems if problem not in problems]
            continue
        annotated[name] = own
    return annotated
