"""Inputs of data sets, such as texts and edits, what reads each of them, and how all are opened.

A metric names the input that it reads (`StatisticsSpec.input`): TEXTS, or an input of an extension.
The part of its name before the first point is a key of INPUTS.

A data set that is read as another input than texts is a *view*: a Corpus with the same lines and
systems, whose references and outputs are texts in which each line holds a record of the input. So
workers read a view by ranges of lines as they read other texts, and the digests of its texts are
those of its records. Files with the key `gold` of a data set, or `m2`, are read by the input
"gold". They may have a source and references too, for metrics that read texts.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from ..errors import ConfigError, Problem, gathered
from ..extension import missing_extension
from ..lookup import Table
from .corpus import Corpus, check_parallel, without_any
from .inputs import MAX_REFERENCES, TEXTS, TextReader
from .opened_input import OpenedInput, TextsOfInput
from .opener import Opener

if TYPE_CHECKING:
    from pathlib import Path

    from .config.resolved import Dataset, System
    from .texts import TextFile


class Listener(Protocol):
    """A display of progress, such as a bar on the terminal."""

    def stage(self, name: str) -> None:
        """Take the name of the work that begins."""

    def progress(self, done: int, total: int) -> None:
        """Take how much of the work is done."""

    def warn(self, text: str) -> None:
        """Take a warning that is displayed at once."""


@dataclass(frozen=True, kw_only=True)
class OpenRequest:
    """A data set whose files an InputReader opens, with what it needs for that."""

    dataset: Dataset
    systems: Sequence[System]
    opener: Opener
    problems: list[Problem]
    """All problems so far. The input adds its own."""
    views: Collection[str]
    """The inputs that metrics read."""
    source: TextFile | None = None
    """The source, if another input has it."""


class InputReader(ABC):
    """Reads an input of data sets, such as texts or gold edits, for the views that metrics read.

    A view is named after its input, with more behind a point if there are several. A subclass
    overrides what differs from an input that is read from texts alone.
    """

    GOLD: ClassVar[str] = "gold"
    """The input that reads the files under `gold` and `m2` of a data set."""

    text_format: str = ""
    """The format of texts whose files hold the input too."""

    @staticmethod
    def of(view: str) -> InputReader:
        """Return what reads an input; raises ConfigError if no extension brings it."""
        key = view.partition(".")[0]
        if key in INPUTS:
            return INPUTS[key]
        raise ConfigError(
            missing_extension("inputs", key)
            or f"no extension reads the input '{key}'"
        )

    @abstractmethod
    def texts(self, request: OpenRequest) -> TextsOfInput:
        """Return the texts that the files of the input have; adds to problems.

        For the input "gold" these are the source and references of `dataset.annotated`.
        """

    def takes_texts(self, view: str) -> bool:
        """Return whether outputs are read as texts."""
        return True

    def needs_files(self, view: str) -> bool:
        """Return whether a data set needs files of the input."""
        return False

    def annotator(self, view: str) -> str:
        """Return the program that makes the input of texts, as in signatures; empty: none."""
        return ""

    def systems(
        self,
        systems: Sequence[System],
        views: Collection[str],
    ) -> Sequence[System]:
        """Return systems with their outputs as texts, as these are read beside the views."""
        return systems

    def open_records(self, request: OpenRequest) -> OpenedInput | None:
        """Return the records of a data set for its views; None if there are none.

        Adds to problems.
        """
        return None

    def complete(
        self,
        corpus: Corpus,
        views: Collection[str],
        n_jobs: int,
        listener: Listener,
        opener: Opener | None,
    ) -> Corpus:
        """Return a data set with views made of its texts; raises InputError.

        `opener` has temporary files; without it records are in memory.
        """
        return corpus

    def misfit(self, metric: TextReader, corpus: Corpus) -> str:
        """Return why a metric cannot score a data set with its view; empty: it can."""
        return ""

    def warnings(self, metric: TextReader, view: Corpus) -> list[str]:
        """Return the warnings of a metric about the records of its view."""
        return []

    def is_file(self, path: Path) -> bool:
        """Return whether a file is one of gold edits, by its first line.

        Only the input "gold" has this and the next method. Raises CorpusError or OSError.
        """
        raise NotImplementedError

    def in_memory(
        self,
        gold: object,
        hypotheses: Any,
        references: Any,
        sources: Any,
        views: Collection[str],
    ) -> Corpus:
        """Return texts in memory with a file of gold edits, which replaces texts that are None.

        Raises InputError.
        """
        raise NotImplementedError


class TextsReader(InputReader):
    """Reads lines of text. The view of texts is the data set itself."""

    def texts(self, request: OpenRequest) -> TextsOfInput:
        """Return source, references and outputs as the config names them; adds to problems."""
        return request.opener.texts(
            request.dataset, request.systems, request.problems
        )


INPUTS: Table[InputReader] = Table(
    __package__ or "", {TEXTS: TextsReader()}, kind="inputs"
)
"""What reads each input, by its name."""


def readers_of(views: Iterable[str]) -> list[InputReader]:
    """Return what reads the inputs, each once; raises ConfigError."""
    return list(dict.fromkeys(map(InputReader.of, sorted(views))))


def completed(
    corpus: Corpus,
    views: Collection[str],
    n_jobs: int,
    listener: Listener,
    opener: Opener | None = None,
) -> Corpus:
    """Return a data set with those of `views` that are made of its texts, such as annotated edits.

    A view is what some metrics read in place of texts. `listener` displays the progress of
    annotation. `opener` opens the texts that are made. Raises InputError if texts cannot be made.
    """
    # Readers of views that are there already take part: they give all views the same categories.
    for reader in readers_of({*views, *corpus.views}):
        corpus = reader.complete(corpus, views, n_jobs, listener, opener)
    return corpus


# ---- all files of a data set


def open_corpus(
    dataset: Dataset,
    systems: Sequence[System],
    problems: list[Problem],
    opener: Opener | None = None,
    views: Collection[str] = (TEXTS,),
) -> Corpus | None:
    """Open all files of a data set; return None after adding to problems, all at once.

    `views` are the inputs that metrics read. Views that are made of texts are left to completed().
    """
    opener = opener or Opener()
    problems_before = len(problems)
    try:
        readers = readers_of(views)
        gold_reader = (
            InputReader.of(InputReader.GOLD) if dataset.annotated else None
        )
    except ConfigError as error:
        problems += error.problems
        return None

    # texts
    text_systems: Sequence[System] = systems
    for reader in readers:
        text_systems = reader.systems(text_systems, views)
    request = OpenRequest(
        dataset=dataset,
        systems=text_systems,
        opener=opener,
        problems=problems,
        views=views,
    )
    texts = InputReader.of(TEXTS).texts(request)
    if gold_reader:
        request_with_source = replace(request, source=texts.source)
        texts.add_gold(gold_reader.texts(request_with_source))

    # records of other inputs
    fits = True  # whether records are of the same sentences; if not, numbers of lines mean nothing
    for reader in readers if texts.complete else ():
        known = len(problems)
        opened = reader.open_records(
            replace(request, systems=systems, source=texts.source)
        )
        if opened:
            texts.records.append(opened)
            texts.source = texts.source or opened.source
            texts.notes += opened.notes
        else:
            fits = fits and len(problems) == known

    # lines, replacements and empty references
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
        with gathered(problems):
            texts.change(lambda file: opener.rewrite(file, dataset.replaced))
    problems += _empty_references(dataset, texts)
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
        notes=tuple(texts.notes),
        ids=texts.ids,
    )
    return replace(corpus, views=_views(corpus, texts.records))


def _views(corpus: Corpus, inputs: Iterable[OpenedInput]) -> dict[str, Corpus]:
    """Return the views of a data set by name, with the records of inputs in place of texts."""
    views = {}
    for opened in inputs:
        for name, view in opened.views.items():
            views[name] = replace(
                corpus,
                references=tuple(opened.references[: view.references]),
                systems=opened.outputs if view.has_outputs else corpus.systems,
                missing=False,
                notes=(),
                categories=opened.categories,
                foreign=view.foreign,
            )
    return views


def _select(
    dataset: Dataset,
    texts: TextsOfInput,
    opener: Opener,
    problems: list[Problem],
) -> None:
    """Select the lines of the config. With `outputs: kept`, outputs have only these lines already."""
    has_selected_outputs = dataset.outputs == "kept"
    files = texts.of_dataset if has_selected_outputs else texts.all
    if not dataset.selection or len({file.lines for file in files}) != 1:
        return
    with gathered(problems):
        ranges = dataset.selection.numbers(files[0].lines)
        texts.change(
            lambda file: opener.select(file, ranges),
            outputs=not has_selected_outputs,
        )
        texts.ids = texts.ids and opener.select(texts.ids, ranges)
    if has_selected_outputs:
        references = texts.references or texts.of_dataset
        problems += check_parallel([*references, *texts.outputs.values()])


def _empty_references(dataset: Dataset, texts: TextsOfInput) -> list[Problem]:
    """Return the problems of references without a token that do not count as empty sentences."""
    references = texts.references
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
    if dataset.empty_references == "keep" and not texts.ragged:
        return []
    if not references or len({file.lines for file in references}) > 1:
        return []
    why = (
        ""
        if texts.ragged
        else ", and the data set says `empty_references: none`"
    )
    return without_any(references, why)
