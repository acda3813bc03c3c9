"""Human judgements: rankings of outputs as Appraise writes them (XML), or pairs of systems (CSV of the WMT scripts).

An item is one judge's ranking of the outputs for one sentence. A `translation` is one output; several systems may have
given it, and their names are separated by blanks or commas. Rank 1 is the best, equal ranks are ties, and ranks may
have gaps.
"""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass, replace
from itertools import combinations
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..errors import CorpusError, InputError, Problem, did_you_mean
from .judgment_files import read_items

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from ..arrays import Ints
    from .judgment_files import Group, Item


MAX_PAIRS = 20_000_000
"""The most pairs of systems in one file: a hundred times as many as any campaign had."""


class Pairs(NamedTuple):
    """Judgements of pairs, int64 [pairs] each. Systems (or outputs), judges and segments are numbers."""

    first: Ints
    second: Ints
    """The other system, which comes later in ASCII order of the names."""
    outcome: Ints
    """0 where the first is better, 1 for a tie, 2 where the second is better."""
    judge: Ints
    segment: Ints

    def only(self, kept: NDArray[np.bool_]) -> Pairs:
        """Return the pairs where kept is true."""
        return Pairs(*(values[kept] for values in self))


@dataclass(frozen=True, kw_only=True)
class Judgments:
    """Judgements of one file."""

    file: str
    """What messages call the file."""
    systems: tuple[str, ...]
    """In ASCII order."""
    judges: tuple[str, ...]
    """In natural order, where numbers in names are sorted by their value."""
    segments: tuple[str, ...]
    """The sentences, in natural order."""
    outputs: tuple[str, ...]
    """The names of the systems that gave an output, joined by blanks."""
    items: Ints
    """How many rankings there are of each judge: int64 [judges]."""
    expanded: Pairs
    """Every pair of systems of every item; systems with the same output tie."""
    unexpanded: Pairs
    """Every pair of outputs of every item. `first` and `second` are numbers of outputs."""
    ranks: Ints
    """The ranks of the first and of the second system of each expanded pair: int64 [pairs, 2]."""
    notes: tuple[str, ...] = ()
    """Warnings."""

    def of_judge(self, number: int) -> Judgments:
        """Return the judgements of one judge. All names and their numbers stay the same."""
        items = np.where(np.arange(len(self.items)) == number, self.items, 0)
        expanded, unexpanded = (pairs.only(pairs.judge == number) for pairs in (self.expanded, self.unexpanded))
        ranks = self.ranks[self.expanded.judge == number]
        return replace(self, items=items, expanded=expanded, unexpanded=unexpanded, ranks=ranks)

    def wins(self) -> Ints:
        """Return how often the row's system is better than the column's: int64 [systems, systems]."""
        return cells_to_wins(self.cells(), len(self.systems))

    def cells(self) -> Ints:
        """Return how often each outcome of each pair of systems occurs: int64 [systems * systems * 3]."""
        return count_cells(self.expanded, len(self.systems))


def count_cells(pairs: Pairs, systems: int) -> Ints:
    """Return how often each outcome of each pair occurs: int64 [systems * systems * 3], sorted by their numbers."""
    cells = (pairs.first * systems + pairs.second) * 3 + pairs.outcome
    return np.bincount(cells, minlength=systems * systems * 3)


def cells_to_wins(cells: Ints, systems: int) -> Ints:
    """Return wins [..., row's system, column's system] from counts of outcomes [..., systems * systems * 3]."""
    table = cells.reshape(*cells.shape[:-1], systems, systems, 3)
    won: Ints = table[..., 0] + np.swapaxes(table[..., 2], -1, -2)
    return won


def read_judgments(
    path: Path,
    judges: Collection[str] = (),
    without_judges: Collection[str] = (),
    without_systems: Collection[str] = (),
    aliases: Mapping[str, str] = MappingProxyType({}),
) -> Judgments:
    """Read a file of judgements, XML or CSV, which may be compressed.

    Where `judges` are given, only their judgements count. `aliases` are other names of
    systems. Raises CorpusError where the file cannot be read, has no
    judgements, a wrong rank or a document type definition. Raises InputError for a judge or system that is not there.
    """
    items = list(read_items(path))
    all_judges = {item.judge for item in items}
    for name in (*judges, *without_judges):
        _check(name, all_judges, "judge", path)
    kept = [item for item in items if (not judges or item.judge in judges) and item.judge not in without_judges]
    if aliases:
        check_aliases(str(path), aliases, {name for item in items for group in item.groups for name in group.systems})
        kept = [item.renamed(aliases) for item in kept]
    systems = {name for item in kept for group in item.groups for name in group.systems}
    for name in without_systems:
        _check(name, systems, "system", path)
    judgments = build(str(path), (item.without(without_systems) for item in kept) if without_systems else kept)
    if not len(judgments.expanded.first):
        raise CorpusError([Problem(str(path), "has no judgement of two systems")])
    return judgments


def check_aliases(file: str, aliases: Mapping[str, str], systems: Collection[str]) -> None:
    """Raise InputError where an alias is for a system that the file has not, or two systems would have one name."""
    for name in aliases:
        if name not in systems:
            listed = ", ".join(sorted(systems)[:20])
            raise InputError(f"{file}: aliases: has no system '{name}'{did_you_mean(name, systems)}; it has {listed}")
    renamed = [aliases.get(name, name) for name in sorted(systems)]
    twice = next((name for name in renamed if renamed.count(name) > 1), None)
    if twice is not None:
        both = " and ".join(f"'{name}'" for name in sorted(systems) if aliases.get(name, name) == twice)
        raise InputError(f"{file}: aliases: {both} would both be called '{twice}'; a name is for one system")


def _check(name: str, names: Collection[str], kind: str, path: Path) -> None:
    if name not in names:
        listed = ", ".join(sorted(names)[:20])
        raise InputError(f"{path}: has no {kind} '{name}'{did_you_mean(name, names)}; it has {listed}")


def build(file: str, items: Iterable[Item]) -> Judgments:
    """Return the judgements of items as pairs. Raises CorpusError where there are too many pairs."""
    items = list(items)
    systems = sorted({name for item in items for group in item.groups for name in group.systems})
    judges, segments = (sorted({getattr(item, key) for item in items}, key=natural) for key in ("judge", "segment"))
    outputs = sorted({_output(group) for item in items for group in item.groups})
    numbers = [{name: n for n, name in enumerate(names)} for names in (systems, outputs, judges, segments)]
    of_system, of_output, of_judge, of_segment = numbers
    expanded, unexpanded, ranks = array("q"), array("q"), array("q")
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
            raise CorpusError([Problem(item.position, f"there are more than {MAX_PAIRS:,} pairs of systems")])
        _add(expanded, single, judge, segment)
        for (_, rank), (_, other) in combinations(sorted(single), 2):
            ranks.extend((rank, other))
    return Judgments(
        file=file,
        systems=tuple(systems),
        judges=tuple(judges),
        segments=tuple(segments),
        outputs=tuple(outputs),
        items=np.array(counted, np.int64),
        expanded=_pairs(expanded),
        unexpanded=_pairs(unexpanded),
        ranks=np.array(ranks, np.int64).reshape(-1, 2),
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
