"""Human judgements: rankings of outputs as Appraise writes them (XML), or pairs of systems (CSV of the WMT scripts).

An item is one judge's ranking of the outputs for one sentence. A `translation` is one output, of all systems that gave
it: their names are separated by blanks or commas. Rank 1 is best, equal ranks are ties, ranks may have gaps.
"""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..errors import CorpusError, InputError, Problem, did_you_mean
from .judgment_files import read_items

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from ..arrays import Ints
    from .judgment_files import Group, Item


MAX_PAIRS = 20_000_000
"""Pairs of systems in one file; more than any campaign had by a factor of a hundred."""


class Pairs(NamedTuple):
    """Judgements of pairs, int64 [pairs] each.

    first, second: numbers of systems (or of outputs), first before second in ASCII order of their names; outcome: 0
    where first is better, 1 for a tie, 2 where second is better; judge, segment: their numbers.
    """

    first: Ints
    second: Ints
    outcome: Ints
    judge: Ints
    segment: Ints

    def only(self, kept: NDArray[np.bool_]) -> Pairs:
        """Return the pairs where kept is true."""
        return Pairs(*(values[kept] for values in self))


@dataclass(frozen=True, kw_only=True)
class Judgments:
    """Judgements of one file."""

    place: str
    """What messages call the file."""
    systems: tuple[str, ...]
    """In ASCII order."""
    judges: tuple[str, ...]
    """In natural order: numbers in names by their value."""
    segments: tuple[str, ...]
    """The sentences, in natural order."""
    outputs: tuple[str, ...]
    """The names of the systems that gave an output, joined by blanks."""
    items: Ints
    """How many rankings each judge made: int64 [judges]."""
    expanded: Pairs
    """Every pair of systems of every item; systems with the same output tie."""
    unexpanded: Pairs
    """Every pair of outputs of every item, by their numbers."""
    notes: tuple[str, ...] = ()
    """Warnings."""

    def of_judge(self, number: int) -> Judgments:
        """Return the judgements of one judge; systems and numbers stay as they are."""
        items = np.where(np.arange(len(self.items)) == number, self.items, 0)
        expanded, unexpanded = (pairs.only(pairs.judge == number) for pairs in (self.expanded, self.unexpanded))
        return replace(self, items=items, expanded=expanded, unexpanded=unexpanded)

    def wins(self) -> Ints:
        """Return how often the row's system is better than the column's: int64 [systems, systems]."""
        return cells_to_wins(self.cells(), len(self.systems))

    def cells(self) -> Ints:
        """Return how often each outcome of each pair of systems occurs: int64 [systems * systems * 3]."""
        return count_cells(self.expanded, len(self.systems))


def count_cells(pairs: Pairs, systems: int) -> Ints:
    """Return how often each outcome of each pair occurs: int64 [systems * systems * 3], in order of the numbers."""
    places = (pairs.first * systems + pairs.second) * 3 + pairs.outcome
    return np.bincount(places, minlength=systems * systems * 3)


def cells_to_wins(cells: Ints, systems: int) -> Ints:
    """Return wins [..., row's system, column's] from counts of outcomes [..., systems * systems * 3]."""
    table = cells.reshape(*cells.shape[:-1], systems, systems, 3)
    won: Ints = table[..., 0] + np.swapaxes(table[..., 2], -1, -2)
    return won


def read_judgments(
    path: Path,
    judges: Collection[str] = (),
    without_judges: Collection[str] = (),
    without_systems: Collection[str] = (),
) -> Judgments:
    """Read a file of judgements (XML or CSV; it may be compressed).

    judges: only these; without_judges, without_systems: not these. Raises CorpusError (unreadable, no judgements, a
    rank that is none, a document type definition), InputError (a judge or system that is not there).
    """
    items = list(read_items(path))
    known = {item.judge for item in items}
    for name in (*judges, *without_judges):
        _check(name, known, "judge", path)
    kept = [item for item in items if (not judges or item.judge in judges) and item.judge not in without_judges]
    systems = {name for item in kept for group in item.groups for name in group.systems}
    for name in without_systems:
        _check(name, systems, "system", path)
    found = build(str(path), (item.without(without_systems) for item in kept) if without_systems else kept)
    if not len(found.expanded.first):
        raise CorpusError([Problem(str(path), "has no judgement of two systems")])
    return found


def _check(name: str, known: Collection[str], kind: str, path: Path) -> None:
    if name not in known:
        listed = ", ".join(sorted(known)[:20])
        raise InputError(f"{path}: has no {kind} '{name}'{did_you_mean(name, known)}; it has {listed}")


def build(place: str, items: Iterable[Item]) -> Judgments:
    """Return items as pairs; raises CorpusError where they are too many."""
    items = list(items)
    systems = sorted({name for item in items for group in item.groups for name in group.systems})
    judges, segments = (sorted({getattr(item, key) for item in items}, key=natural) for key in ("judge", "segment"))
    outputs = sorted({_output(group) for item in items for group in item.groups})
    numbers = [{name: n for n, name in enumerate(names)} for names in (systems, outputs, judges, segments)]
    of_system, of_output, of_judge, of_segment = numbers
    expanded, unexpanded = array("q"), array("q")
    counted = [0] * len(judges)
    rankings = set[tuple[str, str, str]]()
    for item in items:
        judge, segment = of_judge[item.judge], of_segment[item.segment]
        counted[judge] += item.ranking not in rankings
        rankings.add(item.ranking)
        ranked = [(of_output[_output(group)], group.rank) for group in item.groups]
        _add(unexpanded, ranked, judge, segment)
        single = [(of_system[name], group.rank) for group in item.groups for name in group.systems]
        if len(expanded) // 5 + len(single) * (len(single) - 1) // 2 > MAX_PAIRS:
            raise CorpusError([Problem(item.place, f"there are more than {MAX_PAIRS:,} pairs of systems")])
        _add(expanded, single, judge, segment)
    return Judgments(
        place=place,
        systems=tuple(systems),
        judges=tuple(judges),
        segments=tuple(segments),
        outputs=tuple(outputs),
        items=np.array(counted, np.int64),
        expanded=_pairs(expanded),
        unexpanded=_pairs(unexpanded),
        notes=tuple(_notes(items)),
    )


def _output(group: Group) -> str:
    return " ".join(sorted(group.systems))


def _add(table: array[int], ranked: Sequence[tuple[int, int]], judge: int, segment: int) -> None:
    for (one, rank), (two, other) in combinations(sorted(ranked), 2):
        table.extend((one, two, (rank > other) - (rank < other) + 1, judge, segment))


def _pairs(values: array[int]) -> Pairs:
    table = np.frombuffer(values, np.int64) if len(values) else np.zeros(0, np.int64)
    return Pairs(*np.ascontiguousarray(table.reshape(-1, 5).T))


def _notes(items: Sequence[Item]) -> Iterable[str]:
    unranked = sum(item.unranked for item in items)
    if unranked:
        yield f"{unranked} outputs have the rank -1 (not ranked) and are left out"
    empty = sum(len(item.groups) < 2 for item in items)
    if empty:
        yield f"{empty} of {len(items)} items have fewer than two outputs: nothing is compared there"


def natural(text: str) -> list[tuple[int, int, str]]:
    """Return a key that sorts numbers inside names by their value."""
    parts = re.split(r"([0-9]{1,18})", text)
    return [(1, int(part), part) if index % 2 else (0, 0, part) for index, part in enumerate(parts)]
