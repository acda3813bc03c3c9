"""Data sets as edits: the edits of each annotator in place of references, and those of outputs.

Each such view is a data set of its own, with the same lines and systems. Its texts are records of
edits (`records.py`), which workers read by ranges as they read other texts.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TypeGuard

from pipeline.data import (
    TEXTS,
    AnyText,
    InputView,
    OpenedInput,
    Opener,
    TextFile,
    TextsOfInput,
)
from pipeline.data.config import Column, Dataset, Input, System
from pipeline.errors import CorpusError, Problem
from pipeline.files import Remote, named

from . import m2_files
from .line_checks import check_lines
from .m2_columns import M2, read_once, system_request
from .m2_files import MAX_ANNOTATORS, Block, EditSummary, with_texts_changed
from .m2_format import CORRECTED, PROPOSED, SOURCE, STAND_IN, Request
from .m2_format import EDITS as EDITS_OF
from .m2_texts import M2File, of_annotated
from .records import gold_blocks, is_xml, with_output
from .view_names import EDITS, GOLD, annotator_of, compares_gold, is_edits

BLOCK_LINES = 8192
"""Lines of the source that are compared at once."""
MAX_CATEGORIES = 200
"""The most types of edits that are scored apart. The rarest are left out."""


def open_edits(
    dataset: Dataset,
    systems: Sequence[System],
    opener: Opener,
    problems: list[Problem],
    views: Collection[str],
    source: TextFile | None,
) -> OpenedInput | None:
    """Open the edits of gold and outputs that the views of a data set need.

    Returns None, and adds to problems, if something is wrong. If texts are annotated by ERRANT,
    outputs may be texts, and there may be no gold; then outputs that are M2 files are compared with
    the sentences of the source. An output may have several annotators in a sentence, at most k. So
    there are k references for each annotator of the gold, one for each pair.
    """
    problems_before = len(problems)
    try:
        gold = _open_gold(dataset, source, opener, views)
    except CorpusError as error:
        problems += error.problems
        return None
    if gold is None:
        return None
    line_notes: list[str] = []
    if GOLD in views and gold.summary.may_be_suspicious:
        for path in dataset.gold:
            plain = opener.temp_files.local(path)
            if not is_xml(plain, named(path)):
                file_notes, file_problems = check_lines(plain, named(path))
                line_notes += file_notes
                problems += file_problems
    sentences = opener.index(gold.texts(SOURCE))

    # the edits of outputs
    of_outputs = any(map(is_edits, views))
    annotated: dict[str, M2File] = {}
    if of_outputs:
        annotated = _open_outputs(
            dataset, systems, sentences, source, opener, problems, views
        )
    if len(problems) > problems_before:
        return None
    proposed = [file.summary for file in annotated.values()]
    output_annotators = max(
        (summary.max_annotators for summary in proposed), default=1
    )
    problem = _too_many_pairs(gold.summary, proposed)
    if problem:
        problems.append(problem)
        return None

    # the edits of annotators, once for each annotator of an output
    references = []
    for annotator in gold.summary.annotators:
        references.append(opener.index(gold.texts((EDITS_OF, annotator))))
    pairs = list(references)
    for output_annotator in range(1, output_annotators):
        change = partial(with_output, output_annotator)
        pairs += [opener.rewrite(file, change) for file in references]

    # warnings and types
    notes = line_notes
    for summary in (gold.summary, *proposed):
        notes += summary.notes()
    foreign = gold.summary.foreign()
    if of_outputs and (not foreign or any(map(compares_gold, views))):
        notes += m2_files.other_styles(gold.summary, proposed)
        notes += m2_files.other_types(gold.summary, proposed)
    if GOLD not in views:
        notes += m2_files.line_ends([gold.summary])
    notes += m2_files.line_ends(proposed)
    categories, most_frequent = _categories([gold.summary, *proposed])
    notes += most_frequent
    files = [named(path) for path in dataset.gold]
    files += [summary.name for summary in proposed]
    foreign, *notes = with_short_names([foreign, *notes], files)
    outputs = {}
    for name, file in annotated.items():
        outputs[name] = opener.index(file.texts(PROPOSED))
    problems += other_source(source, sentences, dataset.replaced)
    clashes = bool(foreign) and any(map(EditSummary.has_errant_types, proposed))
    return OpenedInput(
        source=sentences,
        references=pairs,
        outputs=outputs,
        notes=notes,
        categories=categories,
        views=_views_of_edits(
            dataset, views, len(references), len(pairs), foreign, clashes
        ),
    )


def _views_of_edits(
    dataset: Dataset,
    views: Collection[str],
    annotators: int,
    pairs: int,
    foreign: str,
    clashes: bool,
) -> dict[str, InputView]:
    """Return which references each view has: edits of annotators, or of pairs of annotators.

    `annotators` and `pairs` are their numbers. `foreign` is a note that the types of the gold's
    edits are not ERRANT's, or empty; `clashes`: those of outputs are. Views with texts that are
    annotated later have the edits of M2 files so far. For these, gold with other types is only read
    for its texts, and not at all if there are references beside it.
    """
    input_views = {}
    if GOLD in views:
        input_views[GOLD] = InputView(references=annotators, has_outputs=False)
    for view in sorted(views):
        if compares_gold(view) or (annotator_of(view) and not foreign):
            note = foreign if view == EDITS and clashes else ""
            input_views[view] = InputView(
                references=pairs, has_outputs=True, foreign=note
            )
        elif annotator_of(view):
            references = 0 if dataset.references else annotators
            input_views[view] = InputView(
                references=references, has_outputs=True, foreign=foreign
            )
    return input_views


def _categories(
    summaries: Sequence[EditSummary],
) -> tuple[tuple[str, ...], list[str]]:
    """Return the types of edits that are scored apart, and a warning if others are left out."""
    types = Counter[str]()
    for summary in summaries:
        types += summary.all_types
    del types["noop"]
    by_frequency = sorted(types, key=lambda name: (-types[name], name))
    categories = by_frequency[:MAX_CATEGORIES]
    notes = []
    if len(types) > len(categories):
        most_frequent = (
            f"the {len(categories)} that are most frequent are scored apart"
        )
        notes.append(
            f"{summaries[0].name}: there are {len(types)} types of edits; {most_frequent}"
        )
    return tuple(sorted(categories)), notes


def _too_many_pairs(
    gold: EditSummary, outputs: Sequence[EditSummary]
) -> Problem | None:
    """Return the problem that annotators of an output and of the gold make too many pairs, or None."""
    if not outputs:
        return None
    output = max(outputs, key=lambda output: output.max_annotators)
    pairs = output.max_annotators * len(gold.annotators)
    if pairs <= MAX_ANNOTATORS:
        return None
    message = (
        f"has {output.max_annotators} annotators in a sentence, and {gold.name} has "
        f"{len(gold.annotators)}: {pairs} pairs to compare; "
        f"at most {MAX_ANNOTATORS} are supported"
    )
    return Problem(output.name, message)


def with_short_names(notes: Iterable[str], files: Iterable[str]) -> list[str]:
    """Return notes with names of files in place of paths, so that results depend on no folder.

    Files of the same name have that of their folder before it.
    """
    paths = {file for file in files if "://" not in file}
    paths_with_name = Counter(Path(path).name for path in paths)
    short_notes = list(notes)
    # the longest first, because a path may begin with another
    for path in sorted(paths, key=len, reverse=True):
        parts = 2 if paths_with_name[Path(path).name] > 1 else 1
        short = "/".join(Path(path).parts[-parts:])
        short_notes = [note.replace(path, short) for note in short_notes]
    return short_notes


def gold_request(
    dataset: Dataset,
    views: Collection[str],
    path: Path | Remote,
) -> Request:
    """Return what is made of an M2 file of a data set, for its texts and for unchanged views."""
    reads_edits = GOLD in views or any(map(is_edits, views))
    is_only_gold = [*dataset.gold] == [path]
    return Request(
        texts=path in dataset.annotated,
        records=reads_edits and is_only_gold and dataset.replace == "none",
        missing=dataset.missing_annotator,
        lenient=TEXTS not in views,
    )


def _open_gold(
    dataset: Dataset,
    source: TextFile | None,
    opener: Opener,
    views: Collection[str],
) -> M2File | None:
    """Return the annotations of a data set, or only the sentences of its source.

    Returns None if there is neither; raises CorpusError.
    """
    if any(path in opener.missing_files for path in dataset.gold):
        return None
    if not dataset.gold and not source:
        return None
    gold = None
    if dataset.gold:
        # a single file that is read as it is: share its texts with other views
        request = gold_request(dataset, views, dataset.gold[0])
        if request.records:
            gold = read_once(dataset.gold[0], request, opener)
    if gold is None:
        in_memory = _read_gold(dataset, source, opener)
        request = Request(records=bool(dataset.gold))
        gold = of_annotated(in_memory, opener.temp_files, request)
    if dataset.gold:
        gold.not_empty()
    count = len(gold.summary.annotators)
    if count > MAX_ANNOTATORS:
        message = (
            f"has {count} annotators; at most {MAX_ANNOTATORS} are supported"
        )
        raise CorpusError([Problem(gold.summary.name, message)])
    return gold


def _read_gold(
    dataset: Dataset,
    source: TextFile | None,
    opener: Opener,
) -> m2_files.Annotated:
    """Read all gold files of a data set, joined to one, with its replacements made.

    Without gold files, the source is returned as sentences without edits. Raises CorpusError.
    """
    if not dataset.gold and source:
        blocks = []
        for line, text in enumerate(source.read(), 1):
            changed = dataset.replaced(text.encode()).decode()
            blocks.append(Block(line, changed))
        return m2_files.Annotated(EditSummary(source.display_name), blocks)
    reader = _reader(dataset)
    files = [
        m2_files.read_annotated(path, opener.temp_files, reader)
        for path in dataset.gold
    ]
    return m2_files.joined(files)


def is_m2(output: Input) -> TypeGuard[Column]:
    """Return whether an output is given as its edits."""
    return isinstance(output, Column) and output.kind == M2


def _reader(dataset: Dataset) -> m2_files.Reader:
    """Return a reader of M2 files that makes the replacements of the data set."""
    if dataset.replace == "none":
        return gold_blocks

    def change(text: str) -> str:
        return dataset.replaced(text.encode()).decode()

    def changed_blocks(path: Path, name: str) -> Iterator[Block]:
        for block in gold_blocks(path, name):
            yield with_texts_changed(block, change)

    return changed_blocks


def _open_outputs(
    dataset: Dataset,
    systems: Sequence[System],
    sentences: TextFile,
    source: TextFile | None,
    opener: Opener,
    problems: list[Problem],
    views: Collection[str],
) -> dict[str, M2File]:
    """Return the M2 files of outputs by system.

    Outputs that are texts are left out; they are a problem if a view compares edits of files. Adds
    problems for them, for files that cannot be read, and for files of other sentences than
    `sentences`, those of the gold.
    """
    annotated: dict[str, M2File] = {}
    reader = _reader(dataset)
    for system in systems:
        output = system.paths.get(dataset.name)
        if output is None:
            continue
        if not is_m2(output):
            if EDITS in views:
                message = (
                    f"system {system.name} has no edits: name its M2 file, as in "
                    f"`systems: {{{system.name}: {{m2: FILE}}}}`, or have texts annotated: "
                    "`annotator: auto` as an option of the metric (--annotator auto of `score`)"
                )
                problems.append(Problem(dataset.name, message))
            continue
        if output.path in opener.missing_files:
            continue
        try:
            if dataset.replace == "none":
                lenient = {TEXTS, GOLD}.isdisjoint(views)
                file = read_once(
                    output.path, system_request(output, lenient=lenient), opener
                )
            else:
                in_memory = m2_files.read_annotated(
                    output.path, opener.temp_files, reader
                )
                request = Request(records=True, system=True)
                file = of_annotated(in_memory, opener.temp_files, request)
            file.not_empty()
            if opener.index(file.texts(SOURCE)).digest != sentences.digest:
                in_memory = m2_files.read_annotated(
                    output.path, opener.temp_files, reader
                )
                gold = _read_gold(dataset, source, opener)
                problems += m2_files.other_sentences(in_memory, gold)
        except CorpusError as error:
            # a file that is read twice has its problems once
            problems += [
                problem for problem in error.problems if problem not in problems
            ]
            continue
        annotated[system.name] = file
    return annotated


# ---- Source and references from M2 files


def open_texts(
    dataset: Dataset,
    opener: Opener,
    problems: list[Problem],
    views: Collection[str],
    source: TextFile | None,
) -> TextsOfInput:
    """Return source and references made of the M2 files of a data set; adds to problems.

    Each annotator is a reference. `source` is the source of a file of its own, if there is one; it
    must be that of the M2 files.
    """
    texts = TextsOfInput()
    warns = not dataset.explicit and TEXTS in views
    for path in dataset.annotated:
        if path in opener.missing_files:
            texts.complete = False
            continue
        try:
            file = read_once(path, gold_request(dataset, views, path), opener)
            annotators = file.annotators()
            sentences = opener.index(file.texts(SOURCE))
            different = other_source(
                source or texts.source, sentences, dataset.replaced
            )
            if different:
                raise CorpusError(different)
            for annotator in annotators:
                texts.references.append(
                    opener.index(file.texts((CORRECTED, annotator)))
                )
            texts.source = texts.source or sentences
        except CorpusError as error:
            texts.complete = False
            problems += error.problems
            continue
        for annotator, (count, line) in sorted(file.annotated.items()):
            if warns and count:
                texts.notes.append(
                    f"{path.name}: annotator {annotator} has no line for {count} sentences that "
                    f"others annotated, the first in line {line}; "
                    f"{STAND_IN[dataset.missing_annotator]} (see missing_annotator)"
                )
    return texts


def other_source(
    source: AnyText | None,
    annotated: AnyText,
    change: Callable[[bytes], bytes] = bytes,
) -> list[Problem]:
    """Return the problem that the source is not that of the annotations, with the first difference.

    Returns [] if the tokens of all lines are equal, and if the numbers of lines differ, which is
    reported elsewhere. `change` makes the replacements of the data set.
    """
    if not source or source.lines != annotated.lines:
        return []
    if source.identity == annotated.identity:
        return []
    for low in range(0, annotated.lines, BLOCK_LINES):
        high = min(low + BLOCK_LINES, annotated.lines)
        source_lines = source.read(low, high)
        annotated_lines = annotated.read(low, high)
        pairs = zip(source_lines, annotated_lines, strict=True)
        for line, (text, annotated_text) in enumerate(pairs, low + 1):
            tokens = text.split()
            expected = annotated_text.split()
            if tokens == expected:
                continue
            tokens = _changed(tokens, change)
            expected = _changed(expected, change)
            if tokens != expected:
                first = m2_files.difference(
                    tokens, expected, annotated.at(line)
                )
                message = f"{first}: the source is not that of the annotations"
                return [Problem(source.at(line), message)]
    return []


def _changed(
    tokens: Iterable[str], change: Callable[[bytes], bytes]
) -> list[str]:
    return [change(token.encode()).decode() for token in tokens]
