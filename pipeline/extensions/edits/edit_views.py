"""Data sets seen as edits: in place of references the edits of each annotator, and the edits of
outputs.

Each such view is a data set of its own, with the same lines and systems. Its texts are records of
edits (`extensions/edits/records.py`), which workers read by ranges as they read other texts."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from functools import partial, reduce
from pathlib import Path
from typing import NamedTuple, TypeGuard

from pipeline.data.config.resolved import Column, Dataset, Input, System
from pipeline.data.input_files import Opener, asked_of_system
from pipeline.data.inputs import EDITS, GOLD, TEXTS, annotator_of, compares_gold
from pipeline.data.texts import REPLACEMENTS, TextFile, read_texts
from pipeline.errors import CorpusError, Problem
from pipeline.files.plain_files import BOM, named, open_bytes
from pipeline.files.remote import Remote

from . import m2_files
from .m2_files import with_texts_changed
from .m2_format import EDITS as EDITS_OF
from .m2_format import PROPOSED, SOURCE, Asked
from .m2_texts import BREAKS, M2File, of_annotated
from .records import gold_blocks, is_xml, with_output

# What the loader of m2scorer does with an M2 file that is odd: where it would stop or leave
# something out.
#
# It reads lines as Python 2 parts Unicode text, and a paragraph for each sentence. Here a line ends
# at a line feed, and a byte order mark, line ends of Windows, lines of blanks and a bare S are read
# as they are meant, with a note.


_BREAKS = re.compile(f"[{BREAKS}]")
_ODD = re.compile(r"\n(?:\ufeff|S\n|I |[^\S\n]+\n|A -1(?! -1\|\|\|noop\|\|\|))")
_NOOP_OF_TOKENS = re.compile(r"\|\|\|noop\|\|\|(?<!\nA -1 -1\|\|\|noop\|\|\|)")
"""In every file with a byte order mark, or a line of which _odd_line() says something, one of the
two is found."""
STOPS = "m2scorer stops here"


def odd_lines(path: Path, name: str) -> tuple[list[str], list[Problem]]:
    """Return the notes on what is odd in an M2 file, and the first problem that no reading could
    solve.

    The file has been read before, so that its lines are known to be those of an M2 file.
    """
    odd: dict[str, list[int]] = {}
    problems: list[Problem] = []
    tokens, inside = 0, False
    with open_bytes(path, name) as file:
        text = f"\n{file.read().decode()}\n"
        parted = text.count("\nS ") == text.count("\n\nS ") + text.startswith("\nS ")
        if parted and not any(pattern.search(text) for pattern in (_BREAKS, _ODD, _NOOP_OF_TOKENS)):
            return [], []  # most files need not be gone through line by line
        file.seek(0)
        for number, raw in enumerate(file, 1):
            line = raw.removesuffix(b"\n").decode()
            if number == 1 and raw.startswith(BOM):
                line = line[1:]
                odd.setdefault(
                    f"begins with a byte order mark, which is left out; {STOPS}", []
                ).append(number)
            if raw.endswith(b"\r\n"):
                line = line[:-1]
                what = "ends as lines of Windows do, which is read as a line end; m2scorer stops at these"
                odd.setdefault(what, []).append(number)
            if match := _BREAKS.search(line):
                what = f"character {match.start() + 1} is U+{ord(match[0]):04X}"
                message = (
                    f"{what}, at which m2scorer ends the line and stops; put a blank in its place"
                )
                problems.append(Problem(f"{name}:{number}", message))
            if line == "S" or line.startswith("S "):
                if inside:
                    message = "a second sentence in a paragraph, whose edits could be of either: expected an empty line"
                    problems.append(Problem(f"{name}:{number}", f"{message} before"))
                tokens, inside = len(line[2:].split()), True
            elif not line.strip():
                inside = False
            if kind := _odd_line(line, tokens):
                odd.setdefault(kind, []).append(number)
    more = {
        kind: f" (and {len(lines) - 1} more)" if len(lines) > 1 else ""
        for kind, lines in odd.items()
    }
    return [f"{name}: line {lines[0]}{more[kind]} {kind}" for kind, lines in odd.items()], problems[
        :1
    ]


def _odd_line(line: str, tokens: int) -> str:
    """Return what is said of a line, or an empty text. Edits beyond their sentence are told where
    the file is read.
    """
    if line == "S":
        return f"is an S without a blank behind it, which is read as an empty sentence; {STOPS}"
    if line and not line.strip():
        return f"has only blanks, and is read as an empty line; {STOPS}"
    if line.startswith("I "):
        return "begins with I, and is left out, as m2scorer does"
    if not (line.startswith("A -1") or (line.startswith("A ") and "|||noop|||" in line)):
        return ""
    edit = m2_files.edit_of(line, "", 0)
    if edit.type == "noop":
        within = 0 <= edit.start <= tokens and 0 <= edit.end <= tokens
        return "is a noop with a span, and is left out as any noop" if within else ""
    if edit.start == -1 and not edit.is_noop:
        return "is an edit from token -1 that is no noop, and is left out, as m2scorer does"
    return ""


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

    Where texts are annotated, outputs may be texts, and there may be no gold. Annotated outputs are
    then compared with the sentences of the source."""
    before = len(problems)
    outputs = {
        system.name: system.paths[dataset.name]
        for system in systems
        if dataset.name in system.paths
    }
    try:
        gold = _gold(dataset, source, opener, views)
    except CorpusError as error:
        problems += error.problems
        return None
    if gold is None:
        return None
    odd = list[str]()  # what the official loader reads otherwise in the annotations
    for path in dataset.gold if GOLD in views and gold.told.may_be_odd else ():
        if not is_xml(opener.temp_files.local(path), named(path)):
            own, unreadable = odd_lines(opener.temp_files.local(path), named(path))
            odd += own
            problems += unreadable
    both = EDITS in views or any(map(annotator_of, views))
    if both and EDITS not in views:
        outputs = {name: output for name, output in outputs.items() if is_m2(output)}
    sentences = opener.index(gold.texts(SOURCE))
    annotated = (
        _outputs(dataset, outputs, sentences, source, opener, problems, views) if both else {}
    )
    if len(problems) > before:
        return None
    wanted, proposed = gold.told, [item.told for item in annotated.values()]
    most = max((item.most for item in proposed), default=1)
    if most * len(wanted.annotators) > m2_files.MAX_ANNOTATORS:
        output = next(item for item in proposed if item.most == most)
        pairs = f"{most} annotators in a sentence, and {wanted.name} has {len(wanted.annotators)}"
        count = f"{most * len(wanted.annotators)} pairs to compare; at most {m2_files.MAX_ANNOTATORS} are supported"
        problems.append(Problem(output.name, f"has {pairs}: {count}"))
        return None
    references = [
        opener.index(gold.texts((EDITS_OF, annotator))) for annotator in wanted.annotators
    ]
    pairs_of = [
        opener.rewrite(file, partial(with_output, output))
        for output in range(1, most)
        for file in references
    ]
    notes = [*odd, *(note for item in (wanted, *proposed) for note in item.notes())]
    foreign = wanted.foreign()
    if both and (not foreign or any(map(compares_gold, views))):
        notes += [*m2_files.other_styles(wanted, proposed), *m2_files.other_types(wanted, proposed)]
    notes += m2_files.line_ends([*([] if GOLD in views else [wanted]), *proposed])
    counted = sum((item.all_types for item in (wanted, *proposed)), Counter[str]())
    del counted["noop"]
    categories = sorted(counted, key=lambda name: (-counted[name], name))[:MAX_CATEGORIES]
    if len(counted) > len(categories):
        most_frequent = f"the {len(categories)} that are most frequent are scored apart"
        notes.append(f"{wanted.name}: there are {len(counted)} types of edits; {most_frequent}")
    read = [*map(named, dataset.gold), *(item.name for item in proposed)]
    return EditTexts(
        source=sentences,
        gold=references,
        pairs=[*references, *pairs_of],
        outputs={name: opener.index(item.texts(PROPOSED)) for name, item in annotated.items()},
        notes=_named_shortly(notes, read) if both or GOLD in views else [],
        categories=tuple(sorted(categories)),
        foreign=_named_shortly([foreign], read)[0],
        clashes=bool(foreign) and any(item.has_errant_types() for item in proposed),
    )


def _named_shortly(notes: Iterable[str], files: Iterable[str]) -> list[str]:
    """Return notes with names of files, or of folder and file, in place of paths: results depend on
    no folder.
    """
    names = dict.fromkeys(file for file in files if "://" not in file)
    last = Counter(Path(name).name for name in names)
    short = {
        name: "/".join(Path(name).parts[-2 if last[Path(name).name] > 1 else -1 :])
        for name in names
    }
    paths = sorted(short, key=len, reverse=True)  # a path may begin with another
    return [
        reduce(lambda text, path: text.replace(path, short[path]), paths, note) for note in notes
    ]


def asked_of(dataset: Dataset, views: Collection[str], path: Path | Remote) -> Asked:
    """Return what is made of an M2 file of a data set, for its texts and for the views, where it is
    not changed.
    """
    viewed = not {GOLD, EDITS}.isdisjoint(views) or any(map(annotator_of, views))
    records = viewed and dataset.replace == "none" and [*dataset.gold] == [path]
    return Asked(
        texts=path in dataset.annotated,
        records=records,
        missing=dataset.missing_annotator,
        lenient=TEXTS not in views,
    )


def _gold(
    dataset: Dataset, source: TextFile | None, opener: Opener, views: Collection[str]
) -> M2File | None:
    """Return the annotations of a data set, or the sentences of its source without any; None where
    there is neither.
    """
    if any(path in opener.absent for path in dataset.gold) or not (dataset.gold or source):
        return None
    if dataset.gold and (asked := asked_of(dataset, views, dataset.gold[0])).records:
        gold = opener.m2(dataset.gold[0], asked)
    else:
        asked = Asked(records=bool(dataset.gold))
        gold = of_annotated(_annotated(dataset, source, opener), opener.temp_files, asked)
    found = (gold.not_empty() if dataset.gold else gold.told).annotators
    if len(found) > m2_files.MAX_ANNOTATORS:
        message = f"has {len(found)} annotators; at most {m2_files.MAX_ANNOTATORS} are supported"
        raise CorpusError([Problem(gold.told.name, message)])
    return gold


def _annotated(dataset: Dataset, source: TextFile | None, opener: Opener) -> m2_files.Annotated:
    """Return the same annotations in memory, of all gold files; raises CorpusError."""
    if not dataset.gold and source:
        change, lines = REPLACEMENTS.get(dataset.replace, bytes), read_texts(source)
        blocks = [
            m2_files.Block(number, change(line.encode()).decode())
            for number, line in enumerate(lines, 1)
        ]
        return m2_files.Annotated(m2_files.Told(source.place), blocks)
    return m2_files.joined(
        [
            m2_files.read_annotated(path, opener.temp_files, _reader(dataset))
            for path in dataset.gold
        ]
    )


def is_m2(output: Input) -> TypeGuard[Column]:
    """Return whether an output is given as its edits."""
    return isinstance(output, Column) and output.kind in M2_KINDS


def _reader(dataset: Dataset) -> m2_files.Reader:
    """Return what reads M2 files, and replaces what the data set says before sentences are
    compared.
    """
    if dataset.replace == "none":
        return gold_blocks

    def change(text: str) -> str:
        return REPLACEMENTS[dataset.replace](text.encode()).decode()

    return lambda path, name: (
        with_texts_changed(block, change) for block in gold_blocks(path, name)
    )


def _outputs(
    dataset: Dataset,
    outputs: dict[str, Input],
    sentences: TextFile,
    source: TextFile | None,
    opener: Opener,
    problems: list[Problem],
    views: Collection[str],
) -> dict[str, M2File]:
    """Return the annotated outputs; adds problems for those that are not annotated, or not of the
    same sentences.
    """
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
                own = opener.m2(output.path, asked_of_system(output, lenient=lenient))
            else:
                whole = m2_files.read_annotated(output.path, opener.temp_files, _reader(dataset))
                own = of_annotated(whole, opener.temp_files, Asked(records=True, system=True))
            if own.not_empty() and opener.index(own.texts(SOURCE)).digest != sentences.digest:
                whole = m2_files.read_annotated(output.path, opener.temp_files, _reader(dataset))
                problems += m2_files.other_sentences(whole, _annotated(dataset, source, opener))
        except CorpusError as error:
            problems += [problem for problem in error.problems if problem not in problems]
            continue
        annotated[name] = own
    return annotated
