"""Inputs of data sets, such as texts and edits, and what reads each of them.

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
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from ..errors import ConfigError, InputError, Problem
from ..extension import missing_extension
from ..lookup import Table
from .inputs import TEXTS, TextReader

if TYPE_CHECKING:
    from pathlib import Path

    from .config.resolved import Dataset, System
    from .corpus import Corpus
    from .opener import Opener
    from .texts import TextFile

GOLD = "gold"
"""The input that reads the files under `gold` and `m2` of a data set."""


class Listener(Protocol):
    """Displays progress."""

    def stage(self, name: str) -> None:
        """Take the name of the work that begins."""

    def progress(self, done: int, total: int) -> None:
        """Take how much of the work is done."""

    def warn(self, text: str) -> None:
        """Take a warning that is displayed at once."""


@dataclass
class TextsOfInput:
    """The texts that the files of an input have."""

    source: TextFile | None = None
    references: list[TextFile] = field(default_factory=list)
    outputs: dict[str, TextFile] = field(default_factory=dict)
    """The texts of systems by their names."""
    ids: TextFile | None = None
    """The ids of the lines, if any."""
    notes: list[str] = field(default_factory=list)
    """Warnings."""
    ragged: bool = False
    """Whether references are lists of different lengths."""
    complete: bool = True
    """Whether all files could be opened."""


@dataclass
class OpenedInput(ABC):
    """The records of an input, before lines are selected and views are made."""

    source: TextFile
    """The source as the files of the input have it."""
    references: list[TextFile]
    """The records that stand in place of references."""
    outputs: dict[str, TextFile]
    """The records of outputs, of the systems that have some."""
    notes: list[str]
    """Warnings."""

    @abstractmethod
    def views(
        self, dataset: Dataset, corpus: Corpus, views: Collection[str]
    ) -> Mapping[str, Corpus]:
        """Return the views of a data set by name; lines of the records are selected by now."""


class InputReader:
    """Reads an input of data sets. A name of a view is one of its inputs.

    The defaults are those of texts, which need nothing beside their lines.
    """

    text_format: str = ""
    """The format of texts whose files hold the input too."""

    def takes_texts(self, view: str) -> bool:
        """Return whether outputs are read as texts."""
        return True

    def needs_files(self, view: str) -> bool:
        """Return whether a data set needs files of the input."""
        return False

    def annotator(self, view: str) -> str:
        """Return the program that makes the input of texts, as in signatures; empty: none."""
        return ""

    def is_file(self, path: Path) -> bool:
        """Return whether a file holds the input, by its first line; raises CorpusError or OSError."""
        return False

    def systems(
        self, systems: Sequence[System], views: Collection[str]
    ) -> Sequence[System]:
        """Return systems with their outputs as texts, as these are read beside the views."""
        return systems

    def texts(
        self,
        dataset: Dataset,
        systems: Sequence[System],
        opener: Opener,
        problems: list[Problem],
        views: Collection[str],
        source: TextFile | None,
    ) -> TextsOfInput:
        """Return the texts in the files of the input; adds to problems.

        For the input "gold" these are the source and references of `dataset.annotated`. `source`
        is known already.
        """
        return TextsOfInput()

    def open_records(
        self,
        dataset: Dataset,
        systems: Sequence[System],
        opener: Opener,
        problems: list[Problem],
        views: Collection[str],
        source: TextFile | None,
    ) -> OpenedInput | None:
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

    def in_memory(
        self,
        gold: object,
        hypotheses: Any,
        references: Any,
        sources: Any,
        views: Collection[str],
    ) -> Corpus:
        """Return texts in memory with a file of the input, which replaces texts that are None.

        Raises InputError.
        """
        raise InputError("gold: this input has no files")

    def misfit(self, metric: TextReader, corpus: Corpus) -> str:
        """Return why a metric cannot score a data set with its view; empty: it can."""
        return ""


class TextsReader(InputReader):
    """Reads lines of text, whose view is the data set itself."""

    def texts(
        self,
        dataset: Dataset,
        systems: Sequence[System],
        opener: Opener,
        problems: list[Problem],
        views: Collection[str],
        source: TextFile | None,
    ) -> TextsOfInput:
        """Return source, references and outputs as the config names them; adds to problems."""
        return opener.texts(dataset, systems, problems)


INPUTS: Table[InputReader] = Table(
    __package__ or "", {TEXTS: TextsReader()}, kind="inputs"
)
"""What reads each input, by its name."""


def reader_of(view: str) -> InputReader:
    """Return what reads an input; raises ConfigError if no extension brings it."""
    key = view.partition(".")[0]
    if key in INPUTS:
        return INPUTS[key]
    raise ConfigError(
        missing_extension("inputs", key) or f"no extension reads the input '{key}'"
    )


def readers_of(views: Iterable[str]) -> list[InputReader]:
    """Return what reads the inputs, each once; raises ConfigError."""
    return list(dict.fromkeys(map(reader_of, sorted(views))))


def takes_texts(view: str) -> bool:
    """Return whether outputs are read as texts."""
    return reader_of(view).takes_texts(view)


def needs_files(view: str) -> bool:
    """Return whether a data set needs files of an input beside texts."""
    return reader_of(view).needs_files(view)


def completed(
    corpus: Corpus,
    views: Collection[str],
    n_jobs: int,
    listener: Listener,
    opener: Opener | None = None,
) -> Corpus:
    """Return a data set with all views that are made of its texts; raises InputError."""
    for reader in readers_of({*views, *corpus.views}):
        corpus = reader.complete(corpus, views, n_jobs, listener, opener)
    return corpus
