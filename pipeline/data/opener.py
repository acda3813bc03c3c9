"""Opens the texts of data sets, each file once: with the lines, replacements and annotations of the
config.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..errors import ConfigError, CorpusError, Problem
from .config.resolved import Dataset, System
from .corpus import MAX_REFERENCES, Corpus, check_parallel, without_any
from .input_files import Opener, join
from .input_readers import GOLD, OpenedInput, reader_of, readers_of
from .inputs import TEXTS
from .texts import REPLACEMENTS, TextFile


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
    inputs: list[OpenedInput] = field(default_factory=list)
    """The records of inputs beside texts, if a metric reads them."""

    @property
    def of_dataset(self) -> list[TextFile]:
        """The source, the references, and the records in place of references."""
        files = [self.source] if self.source else []
        files += self.references
        for opened in self.inputs:
            files += opened.references
        return files

    @property
    def of_systems(self) -> list[TextFile]:
        """The outputs, and their records."""
        files = list(self.outputs.values())
        for opened in self.inputs:
            files += opened.outputs.values()
        return files

    @property
    def all(self) -> list[TextFile]:
        """The source, the references and the outputs."""
        return [*self.of_dataset, *self.of_systems]

    def put(self, new: Mapping[TextFile, TextFile], outputs: bool = True) -> None:
        """Put new texts in place of source, references and, with `outputs`, outputs."""
        self.source = self.source and new[self.source]
        self.references = [new[file] for file in self.references]
        for opened in self.inputs:
            opened.references = [new[file] for file in opened.references]
        if outputs:
            self.outputs = {name: new[file] for name, file in self.outputs.items()}
            for opened in self.inputs:
                opened.outputs = {name: new[file] for name, file in opened.outputs.items()}


def open_corpus(
    dataset: Dataset,
    systems: Sequence[System],
    problems: list[Problem],
    opener: Opener | None = None,
    views: Collection[str] = (TEXTS,),
) -> Corpus | None:
    """Open all files of a data set; return None after adding to problems, all at once.

    `views` are the inputs that metrics read. Views that are made of texts are left to completed()
    of `input_readers.py`.
    """
    opener = opener or Opener()
    problems_before = len(problems)

    # texts, and what the files of other inputs have of them
    try:
        readers = readers_of(views)
        gold_reader = reader_of(GOLD) if dataset.annotated else None
    except ConfigError as error:
        problems += error.problems
        return None
    read: Sequence[System] = systems
    for reader in readers:
        read = reader.systems(read, views)
    texts = _opened(dataset, read, opener, problems)
    notes = [*texts.notes, *_marks_kept(dataset, texts, opener)]
    if gold_reader:
        made = gold_reader.texts(dataset, opener, problems, views, texts.source)
        texts.source = texts.source or made.source
        texts.references += made.references
        texts.complete = texts.complete and made.complete
        notes += made.notes

    # records of other inputs
    fits = True  # whether records are of the same sentences; if not, numbers of lines mean nothing
    for reader in readers if texts.complete else ():
        known = len(problems)
        opened = reader.open_records(dataset, systems, opener, problems, views, texts.source)
        if opened:
            texts.inputs.append(opened)
            texts.source = texts.source or opened.source
            notes += opened.notes
        else:
            fits = fits and len(problems) == known

    # lines
    groups = [texts.all]
    if dataset.outputs == "kept":
        groups = [texts.of_dataset, texts.of_systems]
    for group in groups:
        if group and fits:
            problems += check_parallel(group)
    if len(texts.references) > MAX_REFERENCES:
        message = f"has {len(texts.references)} references; at most {MAX_REFERENCES} are supported"
        problems.append(Problem(dataset.name, message))
    _select(dataset, texts, opener, problems)
    if dataset.replace != "none":
        change = REPLACEMENTS[dataset.replace]
        try:
            texts.put({file: opener.rewrite(file, change) for file in texts.all})
        except CorpusError as error:
            problems += error.problems
    problems += _empty_references(dataset, texts.references, ragged=texts.ragged)
    if not texts.complete or len(problems) > problems_before or not texts.all:
        return None
    missing = texts.ragged
    if dataset.empty_references == "none":
        missing = missing or any(file.blank for file in texts.references)
    corpus = Corpus(
        name=dataset.name,
        lines=texts.all[0].lines,
        source=texts.source,
        references=tuple(texts.references),
        systems=texts.outputs,
        missing=missing,
        notes=tuple(notes),
        ids=texts.ids,
    )
    views_of_inputs: dict[str, Corpus] = {}
    for opened in texts.inputs:
        views_of_inputs.update(opened.views(dataset, corpus, views))
    return replace(corpus, views=views_of_inputs) if texts.inputs else corpus


def _opened(
    dataset: Dataset, systems: Sequence[System], opener: Opener, problems: list[Problem]
) -> _Texts:
    """Open the texts that a data set and its systems name."""
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


def _marks_kept(dataset: Dataset, texts: _Texts, opener: Opener) -> list[str]:
    """Make byte order marks part of texts where the data set says so; return a warning for each."""
    if dataset.bom == "drop":
        return []
    whole = dataset.bom == "keep"
    chosen = {file for name, file in texts.outputs.items() if whole or name in dataset.bom}
    chosen.update(texts.of_dataset if whole else ())
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
    files = texts.of_dataset if kept else texts.all
    if not dataset.selection or len({file.lines for file in files}) != 1:
        return
    try:
        ranges = dataset.selection.numbers(files[0].lines)
        texts.put({file: opener.select(file, ranges) for file in files}, outputs=not kept)
        texts.ids = texts.ids and opener.select(texts.ids, ranges)
    except (ConfigError, CorpusError) as error:
        problems += error.problems
    problems += (
        check_parallel([*(texts.references or texts.of_dataset), *texts.outputs.values()])
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
