"""Counts of texts in memory against source and references that are prepared once, in the process that asks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..corpus.texts import Span, read_span
from ..metrics.base.needs import Text
from ..metrics.given import prepared
from .store.counts import FewStatistics, InMemoryCounts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ..arrays import Ints
    from ..corpus.corpus import Corpus
    from ..corpus.texts import AnyText
    from ..kernel.common import Lines
    from ..metrics.base.needs import Needs

FEW = 1024
"""With fewer lines, columns are kept as they were counted."""


class PreparedCounts:
    """Source and references of a data set, prepared for the columns of some needs."""

    def __init__(self, corpus: Corpus, needs: Needs) -> None:
        """Prepare the view of a data set that the needs read."""
        self.references, self.every = len(corpus.references), np.arange(corpus.lines)
        self.schema = needs.schema(self.references)
        self.blank = _blank(corpus)
        source = _lines(corpus.source) if corpus.source and needs.source else None
        kept = [_lines(text) for text in corpus.references]
        if self.blank is not None:
            kept = [t._replace(ends=np.where(b, t.starts, t.ends)) for t, b in zip(kept, self.blank.T, strict=True)]
        self._prepared = prepared(needs, Text(source, kept, [], {}))

    def columns(self, outputs: Sequence[str], rows: Ints) -> dict[str, Ints]:
        """Return the columns of outputs, each with the line whose number `rows` has.

        Missing references have ref_len -1. Raises as Prepared.count() does.
        """
        columns = self._prepared.count(outputs, rows)
        if self.blank is not None:
            columns["ref_len"] = np.where(self.blank[rows], -1, columns["ref_len"])
        return columns

    def statistics(self, outputs: Sequence[str]) -> InMemoryCounts:
        """Return the counts of one output for each line. Raises as Prepared.count() does."""
        columns = self.columns(outputs, self.every)
        if len(outputs) < FEW:
            return FewStatistics(columns, self.schema)
        return InMemoryCounts([self.schema.narrowed(columns)], self.schema)


def _lines(text: AnyText) -> Lines:
    span = text.span(0, text.lines)
    return read_span(span) if isinstance(span, Span) else span


def _blank(corpus: Corpus) -> NDArray[np.bool_] | None:
    """Return which references are missing, bool [lines, references]; None where none is."""
    if not corpus.missing:
        return None
    blank = np.zeros((corpus.lines, len(corpus.references)), bool)
    for number, reference in enumerate(corpus.references):
        blank[reference.blanks - 1, number] = True
    for number, lines in enumerate(corpus.kept):
        blank[lines - 1, number] = False
    return blank
