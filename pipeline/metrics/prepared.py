"""Texts that are prepared once, against which the columns of any outputs are counted, any number of times."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from ..dataclass import dataclass
from ..kernel.common import Lines, join_lines
from .base.metric import Text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..arrays import Ints
    from .base.metric import Needs


class Prepared(Protocol):
    """Source and references, prepared for the columns of some needs. Several threads may use an object at once."""

    def count(self, outputs: Sequence[str], rows: Ints) -> dict[str, Ints]:
        """Return the columns of outputs, as Needs.count() does, each with the line whose number `rows` has.

        `rows` is int64 [outputs]. Raises UnicodeEncodeError for text that UTF-8 cannot hold, and LongTextError for a
        text that is too long to be counted, whose line is the number of the output.
        """


def prepared(needs: Needs, text: Text) -> Prepared:
    """Return the source and the references of a text prepared for needs.

    Needs that can prepare more than lines have a method `prepare`, with the same argument. It returns None for settings
    for which there is no prepared form.
    """
    prepare = getattr(needs, "prepare", None)
    own: Prepared | None = prepare(text) if prepare else None
    return own or Gathered(needs, text.source, tuple(text.references))


@dataclass(frozen=True)
class Gathered:
    """The prepared form of any needs: lines, which are counted anew with each output."""

    needs: Needs
    source: Lines | None
    references: tuple[Lines, ...]

    def count(self, outputs: Sequence[str], rows: Ints) -> dict[str, Ints]:
        """Return the columns of outputs, as Prepared.count() does."""
        source = self.source and _taken(self.source, rows)
        references = [_taken(reference, rows) for reference in self.references]
        own = join_lines([output.encode() for output in outputs])
        (columns,) = self.needs.count(Text(source, references, [own], {}))
        return {name: np.ascontiguousarray(column) for name, column in columns.items()}


def _taken(lines: Lines, rows: Ints) -> Lines:
    """Return the lines that rows names, one after the other."""
    starts, ends = lines.starts[rows].tolist(), lines.ends[rows].tolist()
    return join_lines([lines.data[start:end] for start, end in zip(starts, ends, strict=True)])
