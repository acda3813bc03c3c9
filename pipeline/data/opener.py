"""Opens the texts of data sets, with the lines, replacements and annotations of the config."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..errors import ConfigError, CorpusError, Problem
from .config.resolved import Dataset, Input, System
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
    """The ids of the lines, if any."""
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
                opened.outputs = {
                    name: new[file] for name, file in opened.outputs.items()
                }


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
    notes = [*texts.notes, *_with_marks(dataset, texts, opener)]
    if gold_reader:
        of_gold = gold_reader.texts(dataset, opener, problems, views, texts.source)
        texts.source = texts.source or of_gold.source
        texts.references += of_gold.references
        texts.complete = texts.complete and of_gold.complete
        notes += of_gold.notes

    # records of other inputs
    fits = True  # whether records are of the same sentences; if not, numbers of lines mean nothing
    for reader in readers if texts.complete else ():
        known = len(problems)
        opened = reader.open_records(
            dataset, systems, opener, problems, views, texts.source
        )
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
    outputs = {}
    for system in systems:
        if dataset.name in system.paths:
            outputs[system.name] = system.paths[dataset.name]
    references: list[Input] = []
    missing: list[int] = []  # how many lists have no text for each reference
    for reference in dataset.references:
        lists = opener.lists(reference, problems)
        references += lists.references
        missing += lists.missing or [0] * len(lists.references)
    ragged = any(missing)
    inputs: list[Input] = [dataset.source] if dataset.source else []
    first = len(inputs)
    inputs += references
    inputs += outputs.values()
    files = opener.open_all(inputs, problems)
    if ragged and dataset.empty_references != "none":
        for file, count in zip(
            files[first : first + len(missing)], missing, strict=True
        ):
            if file and file.blank > count:
                problems.append(_empty_among_missing(file, file.blank - count))
    joined = join(inputs, len(outputs), files, opener, problems)
    reference_files = joined.files[first : first + len(references)]
    output_files = joined.files[first + len(references) :]
    opened_outputs = {}
    for name, file in zip(outputs, output_files, strict=True):
        if file:
            opened_outputs[name] = file
    return _Texts(
        source=joined.files[0] if dataset.source else None,
        references=[file for file in reference_files if file],
        outputs=opened_outputs,
        complete=all(joined.files),
        ids=joined.ids,
        notes=tuple(joined.notes),
        ragged=ragged,
    )


def _empty_among_missing(file: TextFile, count: int) -> Problem:
    """Return the problem of empty references, beside lists of different lengths."""
    message = f"{count} references have no word, and other lists lack references: say"
    remedy = "`empty_references: none` (--empty-references none), or fill them"
    return Problem(file.display_name, f"{message} {remedy}")


def _with_marks(dataset: Dataset, texts: _Texts, opener: Opener) -> list[str]:
    """Make byte order marks part of texts if the config says so; return a warning for each."""
    if dataset.bom == "drop":
        return []
    if dataset.bom == "keep":
        chosen = set(texts.all)
    else:
        chosen = {file for name, file in texts.outputs.items() if name in dataset.bom}
    new = {file: file for file in texts.all}
    notes = []
    for file in new:
        if file.has_bom and file in chosen:
            new[file] = opener.with_mark(file)
            notes.append(
                f"{file.name}: the byte order mark at its beginning counts as text (bom: keep)"
            )
    texts.put(new)
    return notes


def _select(
    dataset: Dataset,
    texts: _Texts,
    opener: Opener,
    problems: list[Problem],
) -> None:
    """Select the lines of the config. With `outputs: kept`, outputs have only these lines already."""
    has_selected_outputs = dataset.outputs == "kept"
    files = texts.of_dataset if has_selected_outputs else texts.all
    if not dataset.selection or len({file.lines for file in files}) != 1:
        return
    try:
        ranges = dataset.selection.numbers(files[0].lines)
        selected = {file: opener.select(file, ranges) for file in files}
        texts.put(selected, outputs=not has_selected_outputs)
        texts.ids = texts.ids and opener.select(texts.ids, ranges)
    except (ConfigError, CorpusError) as error:
        problems += error.problems
    if has_selected_outputs:
        references = texts.references or texts.of_dataset
        problems += check_parallel([*references, *texts.outputs.values()])


def _empty_references(
    dataset: Dataset, references: Sequence[TextFile], *, ragged: bool
) -> list[Problem]:
    """Return the problems of references without a token that do not count as empty sentences."""
    if dataset.empty_references == "error":
        problems = []
        for file in references:
            if file.blank:
                more = f" (and {file.blank - 1} more)" if file.blank > 1 else ""
                message = (
                    f"this reference is empty{more}, and the data set says "
                    "`empty_references: error`"
                )
                problems.append(Problem(file.at(int(file.blanks[0])), message))
        return problems
    if dataset.empty_references == "keep" and not ragged:
        return []
    if not references or len({file.lines for file in references}) > 1:
        return []
    why = "" if ragged else ", and the data set says `empty_references: none`"
    return without_any(references, why)
