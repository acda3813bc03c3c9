"""Human judgements: rankings of outputs as Appraise writes them (XML), or pairs of systems (CSV of
the WMT scripts).

An item is one judge's ranking of the outputs for one sentence. A `translation` is one output;
several systems may have given it, and their names are separated by blanks or commas. Rank 1 is the
best, equal ranks are ties, and ranks may have gaps. XML has elements `ranking-item`, CSV has
columns system1Id, system1rank, system2Id ..."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations
from math import isnan
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from pipeline.arrays import Bools, Ints
from pipeline.errors import CorpusError, InputError, Problem, did_you_mean
from pipeline.files.plain_files import TempFiles, named, numbered_lines, open_bytes
from pipeline.files.small_tables import quoted_rows, separator_of
from pipeline.files.xml_records import XmlReader
from pipeline.scoring.stored_runs import load

from .score_files import metric_scores

MAX_BYTES = 1 << 27
"""The most bytes of a file of judgements after unpacking. A larger file is refused."""
PIECE = 1 << 16
MAX_SYSTEMS = 1000
"""The most systems in one item, and in one file: all pairs of them are in tables, a thousand times
over."""
MAX_NAME = 200
MAX_PAIRS = 20_000_000
"""The most pairs of systems in one file: a hundred times as many as any campaign had."""
NOT_RANKED = -1
UNKNOWN = "unknown"
"""The judge of items that name none."""
RANK = re.compile(r"-1|[0-9]{1,9}")
XML_STARTS = (b"<", b"\xff\xfe", b"\xfe\xff")
COLUMN = re.compile(r"system([0-9]{1,3})id", re.IGNORECASE)


class Group(NamedTuple):
    """One output and its rank."""

    systems: tuple[str, ...]
    """The systems that gave this output, in the order of the file."""
    rank: int


@dataclass(frozen=True, kw_only=True)
class Item:
    """One judge's ranking of the outputs for one sentence, or a pair that is a part of such a
    ranking.
    """

    segment: str
    judge: str
    groups: tuple[Group, ...]
    ranking: tuple[str, str, str]
    """What all pairs of one ranking have in common, and no other ranking has."""
    position: str
    """The file and the line."""
    unranked: int = 0
    """How many outputs are left out because they have no rank."""

    def renamed(self, names: Mapping[str, str | None]) -> Item:
        """Return the item with other names for some systems, and without those whose new name is
        None.
        """
        outputs = ([names.get(name, name) for name in group.systems] for group in self.groups)
        kept = (tuple(name for name in own if name is not None) for own in outputs)
        ranked = zip(kept, self.groups, strict=True)
        return replace(self, groups=tuple(Group(own, group.rank) for own, group in ranked if own))


def is_judgments(path: Path) -> bool:
    """Return whether a file holds judgements, and not scores. It does if it is a run, XML, or has
    system1Id.
    """
    if path.is_dir():
        return True
    name, temp_files = (
        named(path),
        TempFiles(MAX_BYTES),
    )  # what is unpacked lives as long as the spool
    with open_bytes(temp_files.local(path), name) as file:
        data = file.read(PIECE)
    first = data.removeprefix(b"\xef\xbb\xbf").lstrip()
    header = re.split(rb"[,;\t\r\n]", data.split(b"\n")[0].lower())
    return first.startswith(XML_STARTS) or any(cell.strip(b'" ') == b"system1id" for cell in header)


def read_items(path: Path) -> Iterator[Item]:
    """Yield the rankings of a file. Raises CorpusError where it cannot be read, or something in it
    is wrong.
    """
    if path.is_dir():
        yield from _of_run(path)
        return
    name, temp_files = named(path), TempFiles(MAX_BYTES)
    plain = temp_files.local(path)
    with open_bytes(plain, name, MAX_BYTES) as file:
        first = file.read(PIECE).removeprefix(b"\xef\xbb\xbf").lstrip()
    if not first:
        raise CorpusError([Problem(name, "is empty; expected judgements, XML or CSV")])
    yield from _Xml(name).items(plain) if first.startswith(XML_STARTS) else _csv(plain, name)


def _of_run(path: Path) -> Iterator[Item]:
    """Yield how each metric of a run ranks the outputs of each sentence that has all scores;
    sentences count from 1.
    """
    metrics = metric_scores(
        metric_result for metric_result in load(path)[1] if metric_result.columns
    )
    names = Counter(
        signature.partition("|")[0] for signature in {metric.metric for metric in metrics}
    )
    several, position = len({metric.dataset for metric in metrics}) > 1, str(path)
    for metric in metrics:
        name = metric.metric.partition("|")[0]
        judge = name if names[name] == 1 else metric.metric
        for line, scores in enumerate(metric.sentences_of(metric.systems, position).T.tolist(), 1):
            segment = f"{metric.dataset} {line}" if several else str(line)
            ranks = [1 + sum(other > score for other in scores) for score in scores]
            groups = tuple(
                Group((system,), rank) for system, rank in zip(metric.systems, ranks, strict=True)
            )
            if not any(map(isnan, scores)):
                yield Item(
                    segment=segment,
                    judge=judge,
                    groups=groups,
                    ranking=(judge, segment, ""),
                    position=position,
                )


def _group(systems: str, rank: str, languages: str = "") -> Group | None:
    """Return an output by its systems, whose names are separated by blanks or commas; None for the
    rank -1.

    A name of the WMT scripts, TESTSET.SYSTEM.SOURCE-TARGET, becomes that of the system; `languages`
    is its end. Raises ValueError."""
    names = systems.replace(",", " ").split()
    if not names:
        raise ValueError("the name of a system is missing")
    long = next((name for name in names if len(name) > MAX_NAME), None)
    if long:
        raise ValueError(
            f"the name of a system has {len(long):,} characters; {MAX_NAME} are allowed"
        )
    if not RANK.fullmatch(rank.strip()) or int(rank) == 0:
        raise ValueError(
            f"expected a rank, a whole number from 1 (or -1: not ranked), found '{rank[:40]}'"
        )
    if int(rank) == NOT_RANKED:
        return None
    for number, name in enumerate(names):
        inner = name.removesuffix(languages)
        if inner != name and "." in inner:
            names[number] = inner.partition(".")[2]
    return Group(tuple(names), int(rank))


def _item(
    outputs: Sequence[Group | None], segment: str, judge: str, own: str, position: str
) -> Item:
    """Return the ranking of a sentence by a judge, where `own` tells it from his others of that
    sentence.

    Raises CorpusError where it has too many systems, or a system twice.
    """
    groups = tuple(filter(None, outputs))
    names = [name for group in groups for name in group.systems]
    if len(names) > MAX_SYSTEMS:
        raise CorpusError(
            [
                Problem(
                    position, f"the item ranks {len(names):,} systems; {MAX_SYSTEMS:,} are allowed"
                )
            ]
        )
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise CorpusError([Problem(position, f"the system '{twice}' is ranked twice in one item")])
    ranking, unranked = (judge, segment, own), len(outputs) - len(groups)
    return Item(
        segment=segment,
        judge=judge,
        groups=groups,
        ranking=ranking,
        position=position,
        unranked=unranked,
    )


class _Xml(XmlReader[Item]):
    """Reads elements ranking-item, each with elements translation."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.attributes: dict[str, str] | None = None
        self.outputs: list[Group | None] = []
        self.count = self.begun = 0

    def items(self, path: Path) -> Iterator[Item]:
        """Yield the items of a file."""
        yield from self.records(path)
        if not self.count:
            raise CorpusError(
                [Problem(self.name, "has no element ranking-item, so there is no judgement in it")]
            )

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Begin an item, or take one of its translations."""
        if tag == "ranking-item":
            if self.attributes is not None:
                raise self.wrong("a ranking-item inside a ranking-item")
            self.attributes, self.outputs, self.begun = attributes, [], self.line
        elif tag == "translation":
            if self.attributes is None:
                raise self.wrong("a translation outside of a ranking-item")
            lacking = next((key for key in ("system", "rank") if key not in attributes), None)
            if lacking:
                raise self.wrong(
                    f"the translation has no attribute '{lacking}'{did_you_mean(lacking, attributes)}"
                )
            try:
                self.outputs.append(_group(attributes["system"], attributes["rank"]))
            except ValueError as error:
                raise self.wrong(str(error)) from None

    def end(self, tag: str) -> None:
        """Finish an item."""
        if tag != "ranking-item" or self.attributes is None:
            return
        attributes, position = self.attributes, f"{self.name}:{self.begun}"
        segment = attributes.get("src-id", attributes.get("id", "")).strip()
        if not segment:
            message = "the ranking-item has neither src-id nor id, the number of its sentence"
            raise CorpusError([Problem(position, message)])
        self.count += 1
        judge = attributes.get("user", "").strip() or UNKNOWN
        self.done.append(_item(self.outputs, segment, judge, str(self.count), position))
        self.attributes = None


def _csv(path: Path, name: str) -> Iterator[Item]:
    """Yield a ranking for each row. Columns may stand in any order, with names in upper or lower
    case.
    """
    # a line may end in \r alone, and a cell in quotation marks may go on in the next line
    lines = (
        part + "\n"
        for _, line in numbered_lines(path, name)
        for part in line.removesuffix("\r").split("\r")
    )
    first = next(lines)
    rows = quoted_rows(chain([first], lines), separator_of(first, ",;\t") or ",", name)
    header = [cell.lower() for cell in next(rows).cells]
    systems, segment_title = _columns(header, name)
    for number, (line, cells) in enumerate(rows, 1):
        position = f"{name}:{line}"
        if not cells:
            continue
        if len(cells) != len(header):
            raise CorpusError(
                [Problem(position, f"has {len(cells)} columns; the first line has {len(header)}")]
            )
        row = dict(zip(header, map(str.strip, cells), strict=True))
        outputs = []
        for system, rank in systems:
            if row[system] in ("", "-1") and row[rank] in ("", "-1"):
                continue  # WMT files have columns for five systems, some of them empty
            try:
                outputs.append(
                    _group(
                        row[system],
                        row[rank],
                        f".{row.get('srclang', '')}-{row.get('trglang', '')}",
                    )
                )
            except ValueError as error:
                raise CorpusError([Problem(position, str(error))]) from None
        # rows of pairs are parts of a ranking
        own = row.get("rankingid") or (str(number) if len(systems) > 2 else "")
        item = _item(outputs, row[segment_title], row.get("judgeid") or UNKNOWN, own, position)
        if not item.segment:
            raise CorpusError([Problem(position, "the number of the sentence is missing")])
        yield item


def _columns(header: list[str], name: str) -> tuple[list[tuple[str, str]], str]:
    """Return the names of the columns with name and rank of each system, and of the column of the
    sentence.
    """
    twice = next((title for title in header if title and header.count(title) > 1), None)
    if twice:
        raise CorpusError([Problem(f"{name}:1", f"two columns are called '{twice}'")])
    numbers = sorted(int(match[1]) for match in map(COLUMN.fullmatch, header) if match)
    titles = [
        *(
            f"system{n}{key}"
            for n in (numbers if len(numbers) > 1 else (1, 2))
            for key in ("id", "rank")
        )
    ]
    for title in titles:
        if title not in header:
            hint = f"{did_you_mean(title, header)}; found {', '.join(header[:20])[:200]}"
            raise CorpusError([Problem(f"{name}:1", f"no column is called '{title}'{hint}")])
    segment = next((title for title in ("segmentid", "srcindex") if title in header), None)
    if segment is None:
        raise CorpusError(
            [Problem(f"{name}:1", "no column is called 'segmentId' or 'srcIndex', the sentence")]
        )
    return list(zip(titles[::2], titles[1::2], strict=True)), segment


class Pairs(NamedTuple):
    """Judgements of pairs, int64 [pairs] each. Systems (or outputs), judges and segments are
    numbers.
    """

    first: Ints
    second: Ints
    """The other system, which comes later in ASCII order of the names."""
    outcome: Ints
    """0 where the first is better, 1 for a tie, 2 where the second is better."""
    judge: Ints
    segment: Ints

    def only(self, kept: Bools) -> Pairs:
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
    notes: tuple[str, ...] = ()
    """Warnings."""

    def of_judge(self, number: int) -> Judgments:
        """Return the judgements of one judge. All names and their numbers stay the same."""
        items = np.where(np.arange(len(self.items)) == number, self.items, 0)
        expanded, unexpanded = (
            pairs.only(pairs.judge == number) for pairs in (self.expanded, self.unexpanded)
        )
        return replace(self, items=items, expanded=expanded, unexpanded=unexpanded)

    def wins(self) -> Ints:
        """Return how often the row's system is better than the column's: int64 [systems, systems]."""
        return cells_to_wins(self.cells(), len(self.systems))

    def cells(self) -> Ints:
        """Return how often each outcome of each pair of systems occurs: int64 [systems * systems *
        3].
        """
        return count_cells(self.expanded, len(self.systems))


def count_cells(pairs: Pairs, systems: int) -> Ints:
    """Return how often each outcome of each pair occurs: int64 [systems * systems * 3], sorted by
    their numbers.
    """
    return np.bincount(
        (pairs.first * systems + pairs.second) * 3 + pairs.outcome, minlength=systems * systems * 3
    )


def cells_to_wins(cells: Ints, systems: int) -> Ints:
    """Return wins [..., row's system, column's system] from counts of outcomes [..., systems *
    systems * 3].
    """
    table = cells.reshape(*cells.shape[:-1], systems, systems, 3)
    return table[..., 0] + np.swapaxes(table[..., 2], -1, -2)


def read_judgments(
    path: Path,
    judges: Collection[str] = (),
    without_judges: Collection[str] = (),
    without_systems: Collection[str] = (),
    aliases: Mapping[str, str] = MappingProxyType({}),
) -> Judgments:
    """Read a file of judgements, XML or CSV, which may be compressed.

    Where `judges` are given, only their judgements count. `aliases` are other names of systems.
    Raises CorpusError where the file cannot be read, has no judgements, a wrong rank or a document
    type definition. Raises InputError for a judge or system that is not there."""
    items, file = list(read_items(path)), str(path)
    all_judges = {item.judge for item in items}
    for name in (*judges, *without_judges):
        check_known(file, name, all_judges, "judge")
    kept = [
        item
        for item in items
        if (not judges or item.judge in judges) and item.judge not in without_judges
    ]
    if aliases:
        check_aliases(
            file,
            aliases,
            {name for item in items for group in item.groups for name in group.systems},
        )
        kept = [item.renamed(aliases) for item in kept]
    systems = {name for item in kept for group in item.groups for name in group.systems}
    for name in without_systems:
        check_known(file, name, systems)
    if len(systems) > MAX_SYSTEMS:
        raise CorpusError(
            [Problem(file, f"has {len(systems):,} systems; at most {MAX_SYSTEMS:,} can be ranked")]
        )
    left_out: dict[str, None] = dict.fromkeys(without_systems)
    judgments = build(file, (item.renamed(left_out) for item in kept) if left_out else kept)
    if not len(judgments.expanded.first):
        raise CorpusError([Problem(file, "has no judgement of two systems")])
    return judgments


def check_known(where: str, name: str, names: Collection[str], kind: str = "system") -> None:
    """Raise InputError, which begins with `where`, for the name of a system or judge that is not
    there.
    """
    if name not in names:
        listed = ", ".join(sorted(names)[:20])
        raise InputError(
            f"{where}: has no {kind} '{name}'{did_you_mean(name, names)}; it has {listed}"
        )


def check_aliases(file: str, aliases: Mapping[str, str], systems: Collection[str]) -> None:
    """Raise InputError where an alias is for a system that the file has not, or two systems would
    have one name.
    """
    for name in aliases:
        check_known(f"{file}: aliases", name, systems)
    renamed = [aliases.get(name, name) for name in sorted(systems)]
    twice = next((name for name in renamed if renamed.count(name) > 1), None)
    if twice is not None:
        both = " and ".join(
            f"'{name}'" for name in sorted(systems) if aliases.get(name, name) == twice
        )
        raise InputError(
            f"{file}: aliases: {both} would both be called '{twice}'; a name is for one system"
        )


def build(file: str, items: Iterable[Item]) -> Judgments:
    """Return the judgements of items as pairs. Raises CorpusError where there are too many pairs."""
    items = list(items)
    systems = sorted({name for item in items for group in item.groups for name in group.systems})
    judges, segments = (
        sorted({getattr(item, key) for item in items}, key=natural) for key in ("judge", "segment")
    )
    output_of = {group: " ".join(sorted(group.systems)) for item in items for group in item.groups}
    outputs = sorted(set(output_of.values()))
    numbers = [
        {name: n for n, name in enumerate(names)} for names in (systems, outputs, judges, segments)
    ]
    of_system, of_output, of_judge, of_segment = numbers
    expanded, unexpanded = array("q"), array("q")
    counted = [0] * len(judges)
    rankings = set[tuple[str, str, str]]()
    for item in items:
        judge, segment = of_judge[item.judge], of_segment[item.segment]
        counted[judge] += item.ranking not in rankings
        rankings.add(item.ranking)
        _add(
            unexpanded,
            [(of_output[output_of[group]], group.rank) for group in item.groups],
            judge,
            segment,
        )
        single = [(of_system[name], group.rank) for group in item.groups for name in group.systems]
        if len(expanded) // 5 + len(single) * (len(single) - 1) // 2 > MAX_PAIRS:
            raise CorpusError(
                [Problem(item.position, f"there are more than {MAX_PAIRS:,} pairs of systems")]
            )
        _add(expanded, single, judge, segment)
    notes = []
    if unranked := sum(item.unranked for item in items):
        notes.append(f"{unranked} outputs have the rank -1 (not ranked) and are left out")
    if empty := sum(len(item.groups) < 2 for item in items):
        notes.append(
            f"{empty} of {len(items)} items have fewer than two outputs: nothing is compared there"
        )
    return Judgments(
        file=file,
        systems=tuple(systems),
        judges=tuple(judges),
        segments=tuple(segments),
        outputs=tuple(outputs),
        items=np.array(counted, np.int64),
        expanded=_pairs(expanded),
        unexpanded=_pairs(unexpanded),
        notes=tuple(notes),
    )


def _add(table: array[int], ranked: Sequence[tuple[int, int]], judge: int, segment: int) -> None:
    for (one, rank), (two, other) in combinations(sorted(ranked), 2):
        table.extend((one, two, (rank > other) - (rank < other) + 1, judge, segment))


def _pairs(values: array[int]) -> Pairs:
    table = np.frombuffer(values, np.int64) if len(values) else np.zeros(0, np.int64)
    return Pairs(*np.ascontiguousarray(table.reshape(-1, 5).T))


def natural(text: str) -> list[tuple[int, int, str]]:
    """Return a key that sorts numbers inside names by their value."""
    parts = re.split(r"([0-9]{1,18})", text)
    return [(1, int(part), part) if index % 2 else (0, 0, part) for index, part in enumerate(parts)]
