"""Opens the texts of data sets, each file once: with the lines, replacements and annotations of the
config.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from pipeline.extensions.edits.edit_views import EditTexts, asked_of, is_m2, open_edits
from pipeline.extensions.edits.m2_files import difference
from pipeline.extensions.edits.m2_format import CORRECTED, SOURCE

from ..errors import ConfigError, CorpusError, Problem
from .config.resolved import Dataset, System
from .corpus import MAX_REFERENCES, Corpus, check_parallel, without_any
from .input_files import BLOCK, Opener, join
from .inputs import EDITS, GOLD, TEXTS, annotator_of, compares_gold
from .texts import REPLACEMENTS, AnyText, TextFile, read_texts, same


@dataclass
class _Texts:
    """The texts of a data set by their roles, while they are being opened."""

    source: TextFile | None
    references: list[TextFile]
    outputs: dict[str, TextFile]
    complete: bool
    """All of them could be opened."""
    ids: TextFile | None = None
    """The ids of the lines, where the data set has some."""
    notes: tuple[str, ...] = ()
    """Warnings about records that were left out."""
    ragged: bool = False
    """Whether references are lists of different lengths."""
    edits: EditTexts | None = None
    """The edits in place of references and outputs, where a metric reads them."""

    @property
    def given(self) -> list[TextFile]:
        """The source, where there is one, the references, and the edits of their annotators."""
        edits = self.edits.pairs if self.edits else []
        return [*([self.source] if self.source else []), *self.references, *edits]

    @property
    def hypotheses(self) -> list[TextFile]:
        """The outputs, and their edits."""
        return [*self.outputs.values(), *(self.edits.outputs.values() if self.edits else ())]

    @property
    def all(self) -> list[TextFile]:
        """The source, the references and the outputs."""
        return [*self.given, *self.hypotheses]

    def put(self, new: Mapping[TextFile, TextFile], outputs: bool = True) -> None:
        """Put new texts in place of the source, the references and, where so asked, the outputs."""
        self.source = self.source and new[self.source]
        self.references = [new[file] for file in self.references]
        if self.edits:
            gold, pairs = (
                [new[file] for file in texts] for texts in (self.edits.gold, self.edits.pairs)
            )
            self.edits = self.edits._replace(gold=gold, pairs=pairs)
        if outputs:
            self.outputs = {name: new[file] for name, file in self.outputs.items()}
        if outputs and self.edits:
            self.edits = self.edits._replace(
                outputs={name: new[file] for name, file in self.edits.outputs.items()}
            )


def open_corpus(
    dataset: Dataset,
    systems: Sequence[System],
    problems: list[Problem],
    opener: Opener | None = None,
    views: Collection[str] = (TEXTS,),
) -> Corpus | None:
    """Open all files of a data set; return None after adding to problems, as many as can be told at
    once.

    `views` says what metrics read of it; see `inputs.py`. Texts that have to be
    annotated for that are left to `annotated_texts.py`."""
    opener, before, read = opener or Opener(), len(problems), list(systems)
    if {TEXTS, GOLD}.isdisjoint(
        views
    ):  # texts that no metric reads may leave out what cannot be applied
        for number, system in enumerate(systems):
            each = system.paths.items()
            paths = {
                name: replace(text, kind="m2", lenient=True) if is_m2(text) else text
                for name, text in each
            }
            read[number] = System(system.name, paths)
    texts = _opened(dataset, read, opener, problems)
    notes = [*texts.notes, *_marks_kept(dataset, texts, opener)]
    notes += _annotate(dataset, texts, opener, problems, views)
    fits = True  # whether the edits are of the same sentences: if not, the numbers of lines say nothing more
    annotated = any(map(annotator_of, views))
    if texts.complete and (annotated or (dataset.gold and not {GOLD, EDITS}.isdisjoint(views))):
        known = len(problems)
        texts.edits = open_edits(dataset, systems, opener, problems, views, texts.source)
        fits = len(problems) == known
        if texts.edits:
            notes += texts.edits.notes
            problems += other_source(texts.source, texts.edits.source, dataset.replace)
            texts.source = texts.source or texts.edits.source
    for group in (texts.given, texts.hypotheses) if dataset.outputs == "kept" else (texts.all,):
        problems += check_parallel(group) if group and fits else []
    if len(texts.references) > MAX_REFERENCES:
        message = f"has {len(texts.references)} references; at most {MAX_REFERENCES} are supported"
        problems.append(Problem(dataset.name, message))
    _select(dataset, texts, opener, problems)
    if dataset.replace != "none":
        try:
            texts.put(
                {file: opener.rewrite(file, REPLACEMENTS[dataset.replace]) for file in texts.all}
            )
        except CorpusError as error:
            problems += error.problems
    problems += _empty_references(dataset, texts.references, ragged=texts.ragged)
    if not texts.complete or len(problems) > before or not texts.all:
        return None
    corpus = Corpus(
        name=dataset.name,
        lines=texts.all[0].lines,
        source=texts.source,
        references=tuple(texts.references),
        systems=texts.outputs,
        missing=texts.ragged
        or (dataset.empty_references == "none" and any(file.blank for file in texts.references)),
        notes=tuple(notes),
        ids=texts.ids,
    )
    return (
        replace(corpus, views=_views(dataset, corpus, texts.edits, views))
        if texts.edits
        else corpus
    )


def _views(
    dataset: Dataset, corpus: Corpus, edits: EditTexts, views: Collection[str]
) -> dict[str, Corpus]:
    """Return the data set as metrics of edits read it; views with annotated texts have those of M2
    files so far.
    """
    # Gold of other types than ERRANT's is there for its texts, unless it is kept or there are
    # references beside it.
    seen = {}
    annotated = replace(corpus, categories=edits.categories, missing=False, notes=())
    if GOLD in views:
        seen[GOLD] = replace(annotated, references=tuple(edits.gold))
    for view in sorted(views):
        if compares_gold(view) or (annotator_of(view) and not edits.foreign):
            foreign = edits.foreign if view == EDITS and edits.clashes else ""
            seen[view] = replace(
                annotated, references=tuple(edits.pairs), systems=edits.outputs, foreign=foreign
            )
        elif annotator_of(view):
            texts = () if dataset.references else tuple(edits.gold)
            seen[view] = replace(
                annotated, references=texts, systems=edits.outputs, foreign=edits.foreign
            )
    return seen


def _opened(
    dataset: Dataset, systems: Sequence[System], opener: Opener, problems: list[Problem]
) -> _Texts:
    """Open the files that a data set and its systems name, but for M2 files."""
    outputs = {
        system.name: system.paths[dataset.name]
        for system in systems
        if dataset.name in system.paths
    }
    lists = [opener.lists(reference, problems) for reference in dataset.references]
    references = [item for items, _ in lists for item in items]
    inputs = [*([dataset.source] if dataset.source else []), *references, *outputs.values()]
    files = opener.open_all(inputs, problems)
    ragged = any(lacking for _, lacking in lists)
    if ragged and dataset.empty_references != "none":
        lacks = [count for items, lacking in lists for count in lacking or [0] * len(items)]
        first = int(dataset.source is not None)
        for file, lacking in zip(files[first : first + len(lacks)], lacks, strict=True):
            if file and file.blank > lacking:
                message = f"{file.blank - lacking} references have no word, and other lists lack references: say"
                remedy = "`empty_references: none` (--empty-references none), or fill them"
                problems.append(Problem(file.display_name, f"{message} {remedy}"))
    files, ids, notes = join(inputs, len(outputs), files, opener, problems)
    complete = all(files)
    source = files.pop(0) if dataset.source else None
    count = len(files) - len(outputs)
    opened_outputs = {name: file for name, file in zip(outputs, files[count:], strict=True) if file}
    return _Texts(
        source, [f for f in files[:count] if f], opened_outputs, complete, ids, tuple(notes), ragged
    )


def _annotate(
    dataset: Dataset, texts: _Texts, opener: Opener, problems: list[Problem], views: Collection[str]
) -> list[str]:
    """Take source and references from the M2 files of a data set, where it has some; return
    warnings.
    """
    stand_in = {
        "first": "the first annotator's edits stand in",
        "source": "the source stands in",
        "none": "",
    }
    notes = []
    strict = not dataset.explicit and TEXTS in views
    for path in dataset.annotated:
        if path in opener.absent:
            texts.complete = False
            continue
        try:
            m2 = opener.m2(path, asked_of(dataset, views, path))
            annotators, annotated = m2.annotators(), opener.index(m2.texts(SOURCE))
            if different := other_source(texts.source, annotated, dataset.replace):
                raise CorpusError(different)
            texts.references += [
                opener.index(m2.texts((CORRECTED, annotator))) for annotator in annotators
            ]
            texts.source = texts.source or annotated
        except CorpusError as error:
            texts.complete = False
            problems += error.problems
            continue
        for annotator, (count, line) in sorted(m2.annotated.items()) if strict else ():
            if not count:
                continue
            lacking = (
                f"no line for {count} sentences that others annotated, the first in line {line}"
            )
            solution = f"{stand_in[dataset.missing_annotator]} (see missing_annotator)"
            notes.append(f"{path.name}: annotator {annotator} has {lacking}; {solution}")
    return notes


def other_source(
    source: AnyText | None, annotated: AnyText, replaced: str = "none"
) -> list[Problem]:
    """Return the problem that the source is not that of the annotations: where the tokens of a line
    differ first.
    """
    if not source or source.lines != annotated.lines or same(source, annotated):
        return []
    for low in range(0, annotated.lines, BLOCK):
        high = min(low + BLOCK, annotated.lines)
        pairs = zip(read_texts(source, low, high), read_texts(annotated, low, high), strict=True)
        for line, (text, annotated_text) in enumerate(pairs, low + 1):
            tokens, expected = text.split(), annotated_text.split()
            if tokens != expected and replaced != "none":
                change = REPLACEMENTS[replaced]
                tokens, expected = (
                    [change(t.encode()).decode() for t in each] for each in (tokens, expected)
                )
            if tokens != expected:
                what = difference(tokens, expected, annotated.at(line))
                return [
                    Problem(source.at(line), f"{what}: the source is not that of the annotations")
                ]
    return []


def _marks_kept(dataset: Dataset, texts: _Texts, opener: Opener) -> list[str]:
    """Make byte order marks part of texts where the data set says so; return a warning for each."""
    if dataset.bom == "drop":
        return []
    whole = dataset.bom == "keep"
    chosen = {file for name, file in texts.outputs.items() if whole or name in dataset.bom}
    chosen.update(texts.given if whole else ())
    kept = {file: opener.with_mark(file) for file in texts.all if file.has_bom and file in chosen}
    texts.put({file: kept.get(file, file) for file in texts.all})
    return [
        f"{file.name}: the byte order mark at its beginning counts as text (bom: keep)"
        for file in kept
    ]


def _select(dataset: Dataset, texts: _Texts, opener: Opener, problems: list[Problem]) -> None:
    """Keep the lines that the config selects. Where outputs are "kept", they have these lines only
    already.
    """
    kept = dataset.outputs == "kept"
    files = texts.given if kept else texts.all
    if not dataset.selection or len({file.lines for file in files}) != 1:
        return
    try:
        ranges = dataset.selection.numbers(files[0].lines)
        texts.put({file: opener.select(file, ranges) for file in files}, outputs=not kept)
        texts.ids = texts.ids and opener.select(texts.ids, ranges)
    except (ConfigError, CorpusError) as error:
        problems += error.problems
    problems += (
        check_parallel([*(texts.references or texts.given), *texts.outputs.values()])
        if kept
        else []
    )


def _empty_references(
    dataset: Dataset, references: Sequence[TextFile], *, ragged: bool
) -> list[Problem]:
    """Return the problems of references without a token, where these are not sentences of length 0."""
    if dataset.empty_references == "error":
        said = "and the data set says `empty_references: error`"
        more = {
            file: f" (and {file.blank - 1} more)" if file.blank > 1 else "" for file in references
        }
        empty = [file for file in references if file.blank]
        return [
            Problem(f.at(int(f.blanks[0])), f"this reference is empty{more[f]}, {said}")
            for f in empty
        ]
    keeps = dataset.empty_references == "keep" and not ragged
    if keeps or not references or len({file.lines for file in references}) > 1:
        return []
    return without_any(
        references, "" if ragged else ", and the data set says `empty_references: none`"
    )
