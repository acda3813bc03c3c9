"""The columns of a system, one block of lines after the other, with missing references moved to the end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ..arrays import Ints
from ..metrics.base.capabilities import chooser, data_set_columns
from ..metrics.base.metric import Metric
from ..metrics.base.needs import LAST, PRESENT, WHOLE, Columns


class HasBlocks(Protocol):
    """Counts of a system, which can be read any number of times."""

    def blocks(self) -> Iterator[dict[str, Ints]]:
        """Yield the columns of one block of lines after the other."""


def present_blocks(metric: Metric, system: HasBlocks, more: Sequence[str] = ()) -> Iterator[Columns]:
    """Yield the blocks of a system, with missing references moved to the end (see compact).

    `more` names columns with numbers for each reference that the system has beside those of the metric.
    """
    apart = (*metric.needs.of_references, *more)
    blocks = (compact(columns, apart) for columns in blocks_of(metric, system))
    if not data_set_columns(metric).reads_last:
        yield from blocks
        return
    ahead = next(blocks, None)
    while ahead is not None:
        columns, ahead = ahead, next(blocks, None)
        last = np.zeros(len(columns["hyp_len"]), np.int64)
        last[-1:] = ahead is None
        yield {**columns, LAST: last}


def chosen_references(metric: Metric, system: HasBlocks) -> Iterator[Ints]:
    """Yield for each block of a system which reference the metric chooses for each line: int64 [lines].

    The numbers are those of the data set, whatever references a line has.
    """
    choose = chooser(metric)
    for columns, moved in zip(system.blocks(), present_blocks(metric, system), strict=True):
        chosen = choose(moved)
        if PRESENT in moved:
            order = np.argsort(columns["ref_len"] < 0, axis=1, kind="stable")
            chosen = order[np.arange(len(order)), chosen]
        yield chosen


def blocks_of(metric: Metric, system: HasBlocks) -> Iterator[Columns]:
    """Yield the blocks of a system, with the sums over all of them that the metric reads (see WHOLE)."""
    names = data_set_columns(metric).whole_sums
    if not names:
        yield from system.blocks()
        return
    sums = dict.fromkeys(names, 0)
    for columns in system.blocks():
        sums = {name: total + int(columns[name].sum()) for name, total in sums.items()}
    for columns in system.blocks():
        yield {**columns, **{WHOLE + name: np.full_like(columns[name], total) for name, total in sums.items()}}


def compact(columns: Columns, apart: Sequence[str]) -> Columns:
    """Return columns in which the references that a line has come first. A missing reference has ref_len -1.

    The numbers of missing references are replaced by those of the first reference that the line has, so that the best
    reference is the same. The column PRESENT, int64 [lines], has the number of references that the line has. Columns
    without missing references are returned unchanged. `apart` names the columns with numbers for each reference.
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


def of_annotators(metric: Metric, columns: Columns, numbers: Ints | None) -> Columns:
    """Return columns in which each reference is that of an annotator, for by_annotator() of a metric.

    `numbers` says for each line which reference of the columns is that of each annotator, and -1 where there is none:
    int64 [lines, annotators]. Columns are returned unchanged where this is None: their references are annotators.
    """
    if numbers is None:
        return columns
    rows, own = np.arange(len(numbers))[:, None], np.maximum(numbers, 0)
    moved = {name: columns[name][rows, own] for name in metric.needs.of_references}
    return {**columns, **moved, "ref_len": np.where(numbers < 0, -1, moved["ref_len"])}


def annotators_of(numbers: Ints, chosen: Ints) -> Ints:
    """Return for each line the first annotator whose reference was chosen: int64 [lines]. `numbers` is as above."""
    first: Ints = (numbers == chosen[:, None]).argmax(axis=1)
    return first


@dataclass(frozen=True)
class ByLine:
    """The numbers of a system by all lines of its data set: NaN for lines that are left out for want of a number."""

    whole: HasBlocks
    left_out: Sequence[int]
    """These lines of the data set, from 0 and in rising order."""

    def blocks(self) -> Iterator[dict[str, Ints]]:
        """Yield the columns, one block of lines after the other; a line left out is in the block of the line before."""
        before, places = 0, np.array(self.left_out, np.int64) - np.arange(len(self.left_out))
        for columns in self.whole.blocks():
            size = len(next(iter(columns.values())))
            here = places[(places > before - (before == 0)) & (places <= before + size)] - before
            yield {name: np.insert(values, here, np.nan, axis=0) for name, values in columns.items()}
            before += size


@dataclass(frozen=True)
class Subset:
    """The counts of a system with only some of the references."""

    whole: HasBlocks
    kept: list[int]
    """The numbers of the references."""
    apart: Sequence[str]
    """The names of the columns with numbers for each reference."""

    def blocks(self) -> Iterator[dict[str, Ints]]:
        """Yield the columns with these references, one block of lines after the other."""
        for columns in self.whole.blocks():
            yield columns | {name: columns[name][:, self.kept] for name in self.apart}
