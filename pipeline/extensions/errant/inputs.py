"""Edits of outputs as an input of data sets: M2 files of systems, and annotated texts."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from pipeline.data import Listener, TextReader
from pipeline.extensions.edits.inputs import GoldReader
from pipeline.extensions.edits.view_names import (
    EDITS,
    GOLD,
    annotator_of,
    compares_gold,
)

if TYPE_CHECKING:
    from pipeline.data import Corpus, Opener
    from pipeline.data.config import Dataset


class EditsReader(GoldReader):
    """Reads the edits of annotators and of outputs."""

    def needs_files(self, view: str) -> bool:
        """Return whether a data set needs M2 files."""
        return view == EDITS

    def annotator(self, view: str) -> str:
        """Return the annotator of texts, as in signatures; empty: none."""
        return annotator_of(view)

    def opens(self, dataset: Dataset, views: Collection[str]) -> bool:
        """Return whether there are edits in files, or texts to be annotated."""
        from_files = dataset.gold and (EDITS in views or GOLD in views)
        return bool(from_files) or any(map(annotator_of, views))

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

        return with_annotated(
            corpus, views, Annotating(n_jobs, listener, opener)
        )

    def misfit(self, metric: TextReader, corpus: Corpus) -> str:
        """Return why a metric cannot score a data set with its view; empty: it can.

        A metric that can annotate texts is told how to, if there are no edits in files, or if those
        of the gold have other types than ERRANT's.
        """
        from .options import KEEP, AnnotatesTexts

        view = metric.spec.input
        annotates = annotator_of(view) and view not in corpus.views
        if annotates and not corpus.source:
            return ""  # it is reported as a missing source
        misfit = super().misfit(metric, corpus)
        if not isinstance(metric, AnnotatesTexts):
            return misfit
        if misfit:
            return (
                f"{misfit}; or have texts annotated, with `annotator: auto` among the options of "
                "the metric"
            )
        foreign = corpus.views[view].foreign
        if foreign and compares_gold(view) and metric.gold != KEEP:
            ways = (
                "`annotator: auto` among the options of the metric (--annotator auto) has the "
                "gold annotated anew; `gold: keep` (--gold-edits keep) compares it as it is"
            )
            return f"{metric.name}: {foreign}, and the outputs have edits of ERRANT: {ways}"
        return ""


EDITS_READER = EditsReader()
