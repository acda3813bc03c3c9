"""Edits as an input of data sets: M2 files of annotators and of outputs, and annotated texts."""

from __future__ import annotations

import codecs
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pipeline.data.config.resolved import System
from pipeline.data.input_readers import (
    InputReader,
    Listener,
    OpenedInput,
    OpenRequest,
)
from pipeline.data.inputs import TEXTS, TextReader
from pipeline.files.plain_files import UNPACKED, TempFiles

from . import edit_views
from .m2_columns import M2
from .view_names import EDITS, GOLD, annotator_of, compares_gold

if TYPE_CHECKING:
    from pathlib import Path

    from pipeline.data.corpus import Corpus
    from pipeline.data.opener import Opener, TextsOfInput


class EditsReader(InputReader):
    """Reads the edits of annotators and of outputs."""

    text_format = M2

    def takes_texts(self, view: str) -> bool:
        """Return whether outputs are read as texts."""
        return view == GOLD

    def needs_files(self, view: str) -> bool:
        """Return whether a data set needs M2 files."""
        return view in (GOLD, EDITS)

    def annotator(self, view: str) -> str:
        """Return the annotator of texts, as in signatures; empty: none."""
        return annotator_of(view)

    def is_file(self, path: Path) -> bool:
        """Return whether a file is an M2 file, by its first line; raises CorpusError or OSError."""
        with TempFiles(UNPACKED).local(path).open("rb") as file:
            return file.read(5).removeprefix(codecs.BOM_UTF8)[:2] == b"S "

    def systems(
        self, systems: Sequence[System], views: Collection[str]
    ) -> Sequence[System]:
        """Return systems whose texts, if no metric reads them, leave out what cannot be applied."""
        if not {TEXTS, GOLD}.isdisjoint(views):
            return systems
        result = []
        for system in systems:
            paths = dict(system.paths)
            for name, text in paths.items():
                if edit_views.is_m2(text):
                    paths[name] = replace(text, column="", lenient=True)
            result.append(System(system.name, paths))
        return result

    def texts(self, request: OpenRequest) -> TextsOfInput:
        """Return source and references from the M2 files of a data set; adds to problems."""
        return edit_views.open_texts(
            request.dataset,
            request.opener,
            request.problems,
            request.views,
            request.source,
        )

    def open_records(self, request: OpenRequest) -> OpenedInput | None:
        """Return the edits of a data set for its views; None if there are none."""
        views = request.views
        from_files = request.dataset.gold and any(map(self.needs_files, views))
        if not from_files and not any(map(annotator_of, views)):
            return None
        return edit_views.open_edits(
            request.dataset,
            request.systems,
            request.opener,
            request.problems,
            views,
            request.source,
        )

    def complete(
        self,
        corpus: Corpus,
        views: Collection[str],
        n_jobs: int,
        listener: Listener,
        opener: Opener | None,
    ) -> Corpus:
        """Return a data set with the views in which texts are annotated; raises InputError."""
        from .annotated_texts import Annotating, with_annotated

        return with_annotated(corpus, views, Annotating(n_jobs, listener, opener))

    def in_memory(
        self,
        gold: object,
        hypotheses: Any,
        references: Any,
        sources: Any,
        views: Collection[str],
    ) -> Corpus:
        """Return texts in memory with the annotations of an M2 file; raises InputError."""
        from .annotated_texts import corpus_with_gold

        return corpus_with_gold(gold, hypotheses, references, sources, views)

    def misfit(self, metric: TextReader, corpus: Corpus) -> str:
        """Return why a metric cannot score a data set with its view; empty: it can."""
        from .options import KEEP, AnnotatesTexts

        annotating = metric if isinstance(metric, AnnotatesTexts) else None
        view = metric.spec.input
        if view not in corpus.views:
            if annotator_of(view) and not corpus.source:
                return ""  # it is reported as a missing source
            ways = "`gold: FILE` in the data set, --gold FILE, or gold=FILE"
            if annotating:
                ways += (
                    "; or have texts annotated, with `annotator: auto` among the options of the "
                    "metric"
                )
            return f"{metric.name} compares edits with those of an M2 file: {ways}"
        foreign = corpus.views[view].foreign
        if foreign and compares_gold(view) and annotating and annotating.gold != KEEP:
            ways = (
                "`annotator: auto` among the options of the metric (--annotator auto) has the "
                "gold annotated anew; `gold: keep` (--gold-edits keep) compares it as it is"
            )
            return f"{metric.name}: {foreign}, and the outputs have edits of ERRANT: {ways}"
        return ""


EDITS_READER = EditsReader()
