"""Columns of a system, block of lines after block, with missing references moved out of the way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from ..metrics.base.columns import LAST, PRESENT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..arrays import Ints
    from ..metrics.base.columns import Columns
    from ..metrics.base.metric import Metric


class HasBlocks(Protocol):
    """Statistics of a system: they give their blocks as often as asked."""

    def blocks(self) -> Iterator[dict[str, Ints]]:
        """Yield columns, block of lines after block."""


def present_blocks(metric: Metric, system: HasBlocks) -> Iterator[Columns]:
    """Yield blocks in which no reference is missing (see compact)."""
    apart = [field.name for field in metric.needs.schema(1).fields if field.per_reference]
    blocks = (compact(columns, apart) for columns in system.blocks())
    yield from _with_last(blocks) if metric.reads_last else blocks


def _with_last(blocks: Iterator[Columns]) -> Iterator[Columns]:
    """Yield blocks with the column LAST: int64 [lines], 1 for the last line of the last block."""
    ahead = next(blocks, None)
    while ahead is not None:
        columns, ahead = ahead, next(blocks, None)
        last = np.zeros(len(columns["hyp_len"]), np.int64)
        last[-1:] = ahead is None
        yield {**columns, LAST: last}


def compact(columns: Columns, apart: Sequence[str]) -> Columns:
    """Return columns as they are, or where references are missing (ref_len -1) with those present moved forward.

    The places behind them repeat the first, so that the best reference is the same; the column PRESENT, int64
    [lines], tells how many there are. apart: names of the columns per reference.
    """
    if "ref_len" not in columns:  # numbers from a file: no references at all
        return columns
    missing = columns["ref_len"] < 0
    if PRESENT in columns or not missing.any():
        return columns
    present = (~missing).sum(axis=1)
    order = np.argsort(missing, axis=1, kind="stable")
    order = np.where(np.arange(missing.shape[1]) < present[:, None], order, order[:, :1])
    rows = np.arange(len(order))[:, None]
    return {**columns, **{name: columns[name][rows, order] for name in apart}, PRESENT: present}


@dataclass(frozen=True)
class Subset:
    """Statistics with some of the references only."""

    whole: HasBlocks
    kept: list[int]
    apart: frozenset[str]

    def blocks(self) -> Iterator[dict[str, Ints]]:
        """Yield the columns of those references, block after block."""
        for columns in self.whole.blocks():
            yield columns | {name: columns[name][:, self.kept] for name in self.apart}
