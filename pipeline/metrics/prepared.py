"""Texts that are prepared once, to be counted with the outputs of many calls."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ..arrays import Ints
from ..kernel.common import Lines, join_lines
from .base.statistics_spec import StatisticsSpec, Text


class Prepared(Protocol):
    """Source and references, prepared for the columns of a specification.

    Several threads may use an object at once.
    """

    def count(self, outputs: Sequence[str], rows: Ints) -> dict[str, Ints]:
        """Return the columns of outputs, as StatisticsSpec.count() does for one system.

        Output i belongs to the line `rows[i]` of the prepared texts: int64 [outputs]. Raises
        UnicodeEncodeError for text that UTF-8 cannot hold, and LongTextError for a text that is too
        long to be counted, whose line is the number of the output.
        """


def prepared_text(spec: StatisticsSpec, text: Text) -> Prepared:
    """Return the source and the references of a text prepared for a specification.

    Specifications that can prepare more than lines have a method `prepare` with the same argument.
    It returns None for settings without a prepared form.
    """
    prepare = getattr(spec, "prepare", None)
    result: Prepared | None = prepare(text) if prepare else None
    return result or Gathered(spec, text)


@dataclass(frozen=True)
class Gathered:
    """The prepared form of any specification: lines, which are counted anew with each output."""

    spec: StatisticsSpec
    text: Text
    """Source and references, and the result of the corpus pass."""

    def count(self, outputs: Sequence[str], rows: Ints) -> dict[str, Ints]:
        """Return the columns of outputs, as Prepared.count() does."""
        text = self.text
        selected = Text(
            source=text.source and _select(text.source, rows),
            references=[_select(reference, rows) for reference in text.references],
            systems=[join_lines([output.encode() for output in outputs])],
            shared={},
            rows=rows,
            missing=None if text.missing is None else text.missing[rows],
            corpus_data=text.corpus_data,
        )
        (columns,) = self.spec.count(selected)
        return {name: np.ascontiguousarray(column) for name, column in columns.items()}


def _select(lines: Lines, rows: Ints) -> Lines:
    starts = lines.starts[rows].tolist()
    ends = lines.ends[rows].tolist()
    return join_lines(
        [lines.data[start:end] for start, end in zip(starts, ends, strict=True)]
    )
