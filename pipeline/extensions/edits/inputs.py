"""Gold edits as an input of data sets: the M2 files of annotators, with texts as outputs."""

from __future__ import annotations

import codecs
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from pipeline.data import (
    TEXTS,
    InputReader,
    OpenedInput,
    OpenRequest,
    TextReader,
)
from pipeline.data.config import System
from pipeline.files import TempFiles

from . import edit_views
from .m2_columns import M2
from .view_names import GOLD, is_edits

if TYPE_CHECKING:
    from pathlib import Path

    from pipeline.data import Corpus, TextsOfInput
    from pipeline.data.config import Dataset


class GoldReader(InputReader):
    """Reads the edits of annotators."""

    text_format = M2

    def takes_texts(self, view: str) -> bool:
        """Return whether outputs are read as texts."""
        return view == GOLD

    def needs_files(self, view: str) -> bool:
        """Return whether a data set needs M2 files."""
        return view == GOLD

    def is_file(self, path: Path) -> bool:
        """Return whether a file is an M2 file, by its first line; raises CorpusError or OSError."""
        with TempFiles(TempFiles.DEFAULT_CAP).local(path).open("rb") as file:
            return file.read(5).removeprefix(codecs.BOM_UTF8)[:2] == b"S "

    def systems(
        self,
        systems: Sequence[System],
        views: Collection[str],
    ) -> Sequence[System]:
        """Return systems whose M2 files, if no metric reads their texts, are read leniently.

        Edits that cannot be applied are then left out of the texts, which are only displayed.
        """
        if not {TEXTS, GOLD}.isdisjoint(views):
            return systems
        lenient_systems = []
        for system in systems:
            columns = dict(system.paths)
            for dataset, column in columns.items():
                if edit_views.is_m2(column):
                    columns[dataset] = replace(column, column="", lenient=True)
            lenient_systems.append(System(system.name, columns))
        return lenient_systems

    def texts(self, request: OpenRequest) -> TextsOfInput:
        """Return source and references from the M2 files of a data set; adds to problems."""
        return edit_views.open_texts(
            request.dataset,
            request.opener,
            request.problems,
            request.views,
            request.source,
        )

    def opens(self, dataset: Dataset, views: Collection[str]) -> bool:
        """Return whether this reader opens the edits of a data set.

        If metrics read edits of outputs, the reader of these opens gold too.
        """
        reads_outputs = any(map(is_edits, views))
        return bool(dataset.gold) and GOLD in views and not reads_outputs

    def open_records(self, request: OpenRequest) -> OpenedInput | None:
        """Return the edits of a data set for its views; None if this reader opens none."""
        views = request.views
        if not self.opens(request.dataset, views):
            return None
        return edit_views.open_edits(
            request.dataset,
            request.systems,
            request.opener,
            request.problems,
            views,
            request.source,
        )

    def in_memory(
        self,
        gold: object,
        hypotheses: Any,
        references: Any,
        sources: Any,
        views: Collection[str],
    ) -> Corpus:
        """Return texts in memory with the annotations of an M2 file; raises InputError."""
        from .gold_beside_texts import corpus_with_gold

        return corpus_with_gold(gold, hypotheses, references, sources, views)

    def misfit(self, metric: TextReader, corpus: Corpus) -> str:
        """Return why a metric cannot score a data set with its view; empty: it can."""
        if metric.spec.input in corpus.views:
            return ""
        ways = "`gold: FILE` in the data set, --gold FILE, or gold=FILE"
        return f"{metric.name} compares edits with those of an M2 file: {ways}"

    def warnings(self, metric: TextReader, view: Corpus) -> list[str]:
        """Return the warnings of a metric about the edits of annotators."""
        records = chain.from_iterable(text.read() for text in view.references)
        return metric.gold_warnings(records)


GOLD_READER = GoldReader()
