"""The texts and records that the files of a data set have, while they are being opened."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .texts import TextFile


@dataclass(frozen=True, kw_only=True)
class InputView:
    """Which records of an input a view has in place of texts."""

    references: int
    """The first so many of the records that stand in place of references."""
    has_outputs: bool
    """Whether it has the records of outputs. Otherwise it has the outputs as texts."""
    foreign: str = ""
    """A note that the edits of gold are not those of the outputs' annotator; else an empty text."""


@dataclass
class OpenedInput:
    """The records of an input, before lines are selected."""

    source: TextFile
    """The source as the files of the input have it."""
    references: list[TextFile]
    """The records that stand in place of references."""
    outputs: dict[str, TextFile]
    """The records of outputs, of the systems that have some."""
    notes: list[str]
    """Warnings."""
    categories: tuple[str, ...]
    """The types of edits that are scored apart, sorted."""
    views: Mapping[str, InputView]
    """The views by name."""


@dataclass
class TextsOfInput:
    """The texts that the files of an input have, and of a data set also records of other inputs."""

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
    records: list[OpenedInput] = field(default_factory=list)
    """The records of other inputs of the same data set."""

    @property
    def of_dataset(self) -> list[TextFile]:
        """The source, the references, and the records in place of references."""
        files = [self.source] if self.source else []
        files += self.references
        for opened in self.records:
            files += opened.references
        return files

    @property
    def of_systems(self) -> list[TextFile]:
        """The outputs, and their records."""
        files = list(self.outputs.values())
        for opened in self.records:
            files += opened.outputs.values()
        return files

    @property
    def all(self) -> list[TextFile]:
        """All texts and records."""
        return [*self.of_dataset, *self.of_systems]

    def add_gold(self, gold: TextsOfInput) -> None:
        """Add source and references from the files of gold edits; a source that is known stays."""
        self.source = self.source or gold.source
        self.references += gold.references
        self.notes += gold.notes
        self.complete = self.complete and gold.complete

    def change(
        self, change: Callable[[TextFile], TextFile], *, outputs: bool = True
    ) -> None:
        """Change the texts and records, each once; without `outputs` only those of the data set."""
        files = self.all if outputs else self.of_dataset
        new = {file: change(file) for file in dict.fromkeys(files)}
        self.source = self.source and new[self.source]
        parts: list[TextsOfInput | OpenedInput] = [self, *self.records]
        for texts in parts:
            texts.references = [new[file] for file in texts.references]
            if outputs:
                for name, file in texts.outputs.items():
                    texts.outputs[name] = new[file]
