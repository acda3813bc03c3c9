"""The texts that code computes numbers from: each distinct item of all data sets and systems once."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from pipeline.data import Corpus
from pipeline.errors import ConfigError
from pipeline.metrics import Declared

from .answers import Item


class Position(NamedTuple):
    """Where an item occurs first."""

    corpus: Corpus
    system: str
    line: int

    def __str__(self) -> str:
        number = self.corpus.systems[self.system].number(self.line + 1)
        return f"{self.corpus.name}, {self.system}, line {number}"


class LineItems(NamedTuple):
    """The items of a line of a system."""

    numbers: list[int]
    """Their indices in ItemTable.items: several if there is an item for each reference."""
    output: int | None
    """The index of the output among those of a listwise item, which has the numbers of all."""


LinesOfSystems = dict[str, list[LineItems]]
"""The items of each line of each system."""
ItemWarning = tuple[str, list[int], float]
"""A message, the numbers of the items that it is about, and the share of lines above which there is
a warning.
"""


class ItemTable:
    """The distinct items of data sets, numbered from 0 in the order in which they occur."""

    def __init__(self, declared: Declared, view: str) -> None:
        """Take the declaration of a metric, and the view of data sets that it reads."""
        self.declared = declared
        self.view = view
        self.items: list[Item] = []
        self.positions: list[Position] = []
        self._numbers: dict[Item, int] = {}

    def gather(self, corpus: Corpus) -> LinesOfSystems:
        """Add the items of a data set to the table; return the items of each line by system.

        A listwise metric has one item for each line, with the distinct outputs of all systems.
        Raises ConfigError if sources or references are missing.
        """
        declared = self.declared
        columns = self._inputs(corpus)
        view = corpus.views.get(self.view, corpus)
        outputs = {}
        for system, text in view.systems.items():
            if system not in corpus.references_as_systems:
                outputs[system] = text.read()
        distinct_outputs = []
        if declared.listwise:
            for texts_of_line in zip(*outputs.values(), strict=True):
                distinct_outputs.append(tuple(sorted(set(texts_of_line))))
        lines_of_systems = {}
        for system, texts in outputs.items():
            columns["outputs"] = texts
            if declared.listwise:
                columns["outputs"] = distinct_outputs
            columns_read = [columns[name] for name in declared.reads]
            lines = []
            for line, texts_read in enumerate(zip(*columns_read, strict=True)):
                position = Position(corpus, system, line)
                numbers = []
                for item in by_reference(texts_read, declared):
                    numbers.append(self._number(item, position))
                output = None
                if declared.listwise:
                    output = distinct_outputs[line].index(texts[line])
                lines.append(LineItems(numbers, output))
            lines_of_systems[system] = lines
        return lines_of_systems

    def _inputs(self, corpus: Corpus) -> dict[str, Any]:
        """Return the sources and references that the code reads, line by line.

        Raises ConfigError if the data set does not have them.
        """
        declared = self.declared
        columns: dict[str, Any] = {}
        missing = ""
        if "sources" in declared.reads:
            if corpus.source is None:
                missing = "the source"
            else:
                columns["sources"] = corpus.source.read()
        if "references" in declared.reads:
            if not corpus.references and "references" not in declared.optional:
                missing = missing or "references"
            columns["references"] = self._references(corpus)
        if missing:
            problem = f"{declared.name} reads {missing}; the data set has none"
            raise ConfigError(f"{corpus.name}: {problem}")
        return columns

    def _references(self, corpus: Corpus) -> list[tuple[Any, ...]]:
        """Return the references of each line, without missing ones.

        For a view of edits they are pairs: the record of an annotator's edits, and the text of the
        reference; or records alone if there are not as many texts.
        """
        references: list[tuple[Any, ...]] = [()] * corpus.lines
        if corpus.references:
            references = list(zip(*_texts_of_references(corpus), strict=True))
            if corpus.missing:
                references = [
                    tuple(filter(_is_text, texts)) for texts in references
                ]
        view = corpus.views.get(self.view, corpus)
        if view is corpus:
            return references
        records = zip(*(text.read() for text in view.references), strict=True)
        with_texts: list[tuple[Any, ...]] = []
        for line_records, texts in zip(records, references, strict=True):
            if len(line_records) == len(texts):
                with_texts.append(tuple(zip(line_records, texts, strict=True)))
            else:
                with_texts.append(tuple((record,) for record in line_records))
        return with_texts

    def _number(self, item: Item, position: Position) -> int:
        """Return the number of an item, which may be new."""
        number = self._numbers.setdefault(item, len(self.items))
        if number == len(self.items):
            self.items.append(item)
            self.positions.append(position)
        return number


def by_reference(item: Item, declared: Declared) -> list[Item]:
    """Split an item with several references into items with one each, if the code asks for these.

    A line without references has an item with an empty one.
    """
    if not declared.each_reference:
        return [item]
    column = declared.reads.index("references")
    before = item[:column]
    after = item[column + 1 :]
    references = item[column] or ("",)
    return [(*before, reference, *after) for reference in references]


def all_references(corpora: Iterable[Corpus]) -> list[str]:
    """Return all references of data sets, with repetitions, without missing ones."""
    texts: list[str] = []
    for corpus in corpora:
        for reference in _texts_of_references(corpus):
            texts += filter(_is_text, reference)
    return texts


def _texts_of_references(corpus: Corpus) -> list[list[Any]]:
    """Return the texts of each reference, with None for those that are missing."""
    references: list[list[Any]] = []
    for reference in corpus.references:
        texts: list[Any] = [*reference.read()]
        if corpus.missing:
            for line in reference.blanks.tolist():
                texts[line - 1] = None
        references.append(texts)
    return references


def _is_text(text: str | None) -> bool:
    return text is not None
