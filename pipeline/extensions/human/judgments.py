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
from pipeline.errors import CorpusError, InputError, did_you_mean
from pipeline.files import (
    TableRow,
    TempFiles,
    XmlReader,
    named,
    numbered_lines,
    open_bytes,
)
from pipeline.scoring import ScoredRun

from .score_files import metric_scores

MAX_BYTES = 1 << 27
"""The most bytes of a file of judgements after unpacking. A larger file is refused."""
HEAD_BYTES = 1 << 16
"""Bytes from which the form of a file is recognised."""
MAX_SYSTEMS = 1000
"""Systems in one item, and in one file: all pairs of them are in tables, a thousand times over."""
MAX_NAME = 200
"""Characters of the name of a system."""
MAX_PAIRS = 20_000_000
"""Pairs of systems in one file: a hundred times as many as any campaign had."""
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
        groups = []
        for group in self.groups:
            new_names = [names.get(name, name) for name in group.systems]
            systems = tuple(name for name in new_names if name is not None)
            if systems:
                groups.append(Group(systems, group.rank))
        return replace(self, groups=tuple(groups))


def is_judgments(path: Path) -> bool:
    """Return whether a path has judgements, not scores: a run directory, XML, or a table with a
    column system1Id.
    """
    if path.is_dir():
        return True
    # Unpacked files are deleted with `temp_files`, so it stays referenced.
    temp_files = TempFiles(MAX_BYTES)
    with open_bytes(temp_files.local(path), named(path)) as file:
        start = file.read(HEAD_BYTES)
    if _is_xml(start):
        return True
    first_line = start.split(b"\n")[0].lower()
    header = re.split(rb"[,;\t\r\n]", first_line)
    return any(cell.strip(b'" ') == b"system1id" for cell in header)


def _without_mark(start: bytes) -> bytes:
    """Return the beginning of a file without a byte order mark and white space."""
    return start.removeprefix(b"\xef\xbb\xbf").lstrip()


def _is_xml(start: bytes) -> bool:
    return _without_mark(start).startswith(XML_STARTS)


def read_items(path: Path) -> Iterator[Item]:
    """Yield the rankings of outputs in a file, XML or CSV, which may be compressed. In a run
    directory each metric is a judge, which ranks outputs by their sentence scores.

    Raises CorpusError if the file cannot be read or is wrong."""
    if path.is_dir():
        yield from _of_run(path)
        return
    name = named(path)
    # Unpacked files are deleted with `temp_files`, so it stays referenced.
    temp_files = TempFiles(MAX_BYTES)
    plain = temp_files.local(path)
    with open_bytes(plain, name, MAX_BYTES) as file:
        start = file.read(HEAD_BYTES)
    if not _without_mark(start):
        raise CorpusError.at(name, "is empty; expected judgements, XML or CSV")
    if _is_xml(start):
        yield from _Xml(name).items(plain)
    else:
        yield from _csv(plain, name)


def _of_run(path: Path) -> Iterator[Item]:
    """Yield the rankings of a run directory: one by each metric, the judge, for each sentence.

    Sentences count from 1. One in which an output has no score is left out. A metric is named
    without options, unless two share that name; a data set only if there are several."""
    metric_results = ScoredRun.read(path).metric_results
    with_columns = [result for result in metric_results if result.columns]
    metrics = metric_scores(with_columns)
    signatures = {metric.metric for metric in metrics}
    name_counts = Counter(map(_short_name, signatures))
    datasets = {metric.dataset for metric in metrics}
    for metric in metrics:
        judge = _short_name(metric.metric)
        if name_counts[judge] > 1:
            judge = metric.metric
        # float64 [systems, lines]
        table = metric.sentences_of(metric.systems, str(path))
        for line, scores in enumerate(table.T.tolist(), 1):
            if any(map(isnan, scores)):
                continue
            segment = str(line)
            if len(datasets) > 1:
                segment = f"{metric.dataset} {line}"
            groups = []
            for system, score in zip(metric.systems, scores, strict=True):
                rank = 1 + sum(other > score for other in scores)
                groups.append(Group((system,), rank))
            yield _item(groups, segment, judge, "", str(path))


def _short_name(signature: str) -> str:
    return signature.partition("|")[0]


def _group(systems: str, rank: str, languages: str = "") -> Group | None:
    """Return an output with its rank, from the two texts of a file; None for the rank -1 (not
    ranked).

    `systems` are the names of all systems that gave this output, separated by blanks or commas. A
    name of the WMT scripts, TESTSET.SYSTEM.SOURCE-TARGET, becomes SYSTEM if it ends in `languages`,
    such as ".cs-en". Raises ValueError for a missing or too long name, or a wrong rank."""
    names = systems.replace(",", " ").split()
    if not names:
        raise ValueError("the name of a system is missing")
    longest = max(map(len, names))
    if longest > MAX_NAME:
        raise ValueError(
            f"the name of a system has {longest:,} characters; {MAX_NAME} are allowed"
        )
    if not RANK.fullmatch(rank.strip()) or int(rank) == 0:
        message = f"expected a rank, a whole number from 1 (or -1: not ranked), found '{rank[:40]}'"
        raise ValueError(message)
    if int(rank) == NOT_RANKED:
        return None
    for index, name in enumerate(names):
        without_languages = name.removesuffix(languages)
        if without_languages != name and "." in without_languages:
            names[index] = without_languages.partition(".")[2]
    return Group(tuple(names), int(rank))


def _item(
    outputs: Sequence[Group | None],
    segment: str,
    judge: str,
    ranking: str,
    position: str,
) -> Item:
    """Return one judge's ranking of a sentence's outputs; None stands for an output not ranked.

    `ranking` distinguishes the judge's rankings of the same sentence: rows of a CSV file with the
    same one are pairs of a single ranking. `position` is the file and the line. Raises CorpusError
    if there are too many systems, or a system twice."""
    groups = tuple(group for group in outputs if group is not None)
    counts = Counter[str]()
    for group in groups:
        counts.update(group.systems)
    size = counts.total()
    if size > MAX_SYSTEMS:
        message = (
            f"the item ranks {size:,} systems; {MAX_SYSTEMS:,} are allowed"
        )
        raise CorpusError.at(position, message)
    for name, count in counts.items():
        if count > 1:
            message = f"the system '{name}' is ranked twice in one item"
            raise CorpusError.at(position, message)
    return Item(
        segment=segment,
        judge=judge,
        groups=groups,
        ranking=(judge, segment, ranking),
        position=position,
        unranked=len(outputs) - len(groups),
    )


class _Xml(XmlReader[Item]):
    """Reads elements ranking-item, each with elements translation."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.attributes: dict[str, str] | None = None
        """Those of the item that is being read."""
        self.outputs: list[Group | None] = []
        self.item_line = 0
        """The line where the item begins."""
        self.count = 0

    def items(self, path: Path) -> Iterator[Item]:
        """Yield the items of a file."""
        yield from self.records(path)
        if not self.count:
            message = (
                "has no element ranking-item, so there is no judgement in it"
            )
            raise CorpusError.at(self.name, message)

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Take the start tag of an element: a ranking-item begins an item, a translation adds an
        output to it. Other elements are skipped.
        """
        if tag == "ranking-item":
            if self.attributes is not None:
                raise self.wrong("a ranking-item inside a ranking-item")
            self.attributes = attributes
            self.outputs = []
            self.item_line = self.line
        elif tag == "translation":
            if self.attributes is None:
                raise self.wrong("a translation outside of a ranking-item")
            for key in ("system", "rank"):
                if key not in attributes:
                    hint = did_you_mean(key, attributes)
                    raise self.wrong(
                        f"the translation has no attribute '{key}'{hint}"
                    )
            try:
                self.outputs.append(
                    _group(attributes["system"], attributes["rank"])
                )
            except ValueError as error:
                raise self.wrong(str(error)) from None

    def end(self, tag: str) -> None:
        """Take an end tag: that of a ranking-item appends the item to `done`. Each item of XML is a
        ranking, which its number identifies.
        """
        if tag != "ranking-item" or self.attributes is None:
            return
        attributes = self.attributes
        position = f"{self.name}:{self.item_line}"
        segment = attributes.get("src-id", attributes.get("id", "")).strip()
        if not segment:
            raise CorpusError.at(
                position,
                "the ranking-item has neither src-id nor id, the number of its sentence",
            )
        self.count += 1
        judge = attributes.get("user", "").strip() or UNKNOWN
        ranking = str(self.count)
        self.done.append(_item(self.outputs, segment, judge, ranking, position))
        self.attributes = None


def _csv(path: Path, name: str) -> Iterator[Item]:
    """Yield a ranking for each row of a table; `name` is the file's name in messages.

    Columns may stand in any order, with names in upper or lower case. Outputs without a name and
    rank (or with -1 for either) are skipped. Raises CorpusError for a wrong row."""
    lines = _csv_lines(path, name)
    first_line = next(lines)
    separator = TableRow.separator(first_line, ",;\t") or ","
    rows = TableRow.of_lines(chain([first_line], lines), separator, name)
    header = [cell.lower() for cell in next(rows).cells]
    columns = _columns(header, name)
    for row_number, (line, cells) in enumerate(rows, 1):
        position = f"{name}:{line}"
        if not cells:
            continue
        if len(cells) != len(header):
            message = (
                f"has {len(cells)} columns; the first line has {len(header)}"
            )
            raise CorpusError.at(position, message)
        stripped = map(str.strip, cells)
        row = dict(zip(header, stripped, strict=True))
        languages = f".{row.get('srclang', '')}-{row.get('trglang', '')}"
        outputs = []
        for system, rank in columns.systems:
            # WMT files have columns for five systems, some of them empty.
            if {row[system], row[rank]} <= {"", "-1"}:
                continue
            try:
                outputs.append(_group(row[system], row[rank], languages))
            except ValueError as error:
                raise CorpusError.at(position, str(error)) from None
        ranking = row.get("rankingid", "")
        # A row of two systems may be one pair of a larger ranking, but a
        # longer row is a ranking of its own.
        if not ranking and len(columns.systems) > 2:
            ranking = str(row_number)
        segment = row[columns.segment]
        if not segment:
            raise CorpusError.at(
                position, "the number of the sentence is missing"
            )
        judge = row.get("judgeid") or UNKNOWN
        yield _item(outputs, segment, judge, ranking, position)


def _csv_lines(path: Path, name: str) -> Iterator[str]:
    r"""Yield the lines of a file. A line may end in \r alone, and a cell in quotation marks may go
    on in the next line.
    """
    for _, line in numbered_lines(path, name):
        for part in line.removesuffix("\r").split("\r"):
            yield part + "\n"


class _Columns(NamedTuple):
    """The names of the columns of judgements."""

    systems: list[tuple[str, str]]
    """Those with the name and the rank of each system."""
    segment: str
    """That with the number of the sentence."""


def _columns(header: list[str], name: str) -> _Columns:
    """Return which columns have systems, ranks and the sentence: from the header in lower case.

    Systems are numbered, as in system1id and system1rank. Raises CorpusError, which begins with the
    file's `name`, if two columns have one title or a column is missing."""
    position = f"{name}:1"
    for title in header:
        if title and header.count(title) > 1:
            raise CorpusError.at(position, f"two columns are called '{title}'")
    matches = filter(None, map(COLUMN.fullmatch, header))
    numbers = sorted(int(match[1]) for match in matches)
    if len(numbers) < 2:
        numbers = [1, 2]
    systems = [
        (f"system{number}id", f"system{number}rank") for number in numbers
    ]
    for title in chain.from_iterable(systems):
        if title not in header:
            hint = did_you_mean(title, header)
            found = ", ".join(header[:20])[:200]
            missing = f"no column is called '{title}'"
            raise CorpusError.at(position, f"{missing}{hint}; found {found}")
    for title in ("segmentid", "srcindex"):
        if title in header:
            return _Columns(systems, title)
    message = "no column is called 'segmentId' or 'srcIndex', the sentence"
    raise CorpusError.at(position, message)


class Pairs(NamedTuple):
    """Judgements of pairs, int64 [pairs] each. Systems (or outputs), judges and segments are given
    by their index in the lists of `Judgments`.
    """

    first: Ints
    second: Ints
    """The other system, which comes later in ASCII order of the names."""
    outcome: Ints
    """0 where the first is better, 1 for a tie, 2 where the second is better."""
    judge: Ints
    segment: Ints

    def only(self, selected: Bools) -> Pairs:
        """Return the pairs where `selected` is true."""
        return Pairs(*(column[selected] for column in self))


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
    """How many rankings each judge made: int64 [judges]."""
    expanded: Pairs
    """Every pair of systems of every item; systems with the same output tie."""
    unexpanded: Pairs
    """Every pair of outputs of every item. `first` and `second` are indices into `outputs`."""
    notes: tuple[str, ...] = ()
    """Warnings."""

    def of_judge(self, number: int) -> Judgments:
        """Return the judgements of `judges[number]`. The lists of names stay whole, so that all
        indices stay valid.
        """
        is_judge = np.arange(len(self.items)) == number
        return replace(
            self,
            items=np.where(is_judge, self.items, 0),
            expanded=self.expanded.only(self.expanded.judge == number),
            unexpanded=self.unexpanded.only(self.unexpanded.judge == number),
        )

    def wins(self) -> Ints:
        """Return how often the row's system is better than the column's: int64 [systems, systems]."""
        return cells_to_wins(self.cells(), len(self.systems))

    def cells(self) -> Ints:
        """Return how often each outcome of each pair of systems occurs, as count_cells() does."""
        return count_cells(self.expanded, len(self.systems))


def count_cells(pairs: Pairs, systems: int) -> Ints:
    """Return how often each outcome of each pair of systems occurs: int64 [systems * systems * 3],
    a flattened table [first, second, outcome].
    """
    pair_indices = pairs.first * systems + pairs.second
    cells = pair_indices * 3 + pairs.outcome
    return np.bincount(cells, minlength=systems * systems * 3)


def cells_to_wins(cells: Ints, systems: int) -> Ints:
    """Return how often the row's system beats the column's, int64 [..., systems, systems], from the
    counts of count_cells(), [..., systems * systems * 3]. Ties are left out.
    """
    table = cells.reshape(*cells.shape[:-1], systems, systems, 3)
    first_won = table[..., 0]
    second_won = table[..., 2]
    return first_won + np.swapaxes(second_won, -1, -2)


def read_judgments(
    path: Path,
    judges: Collection[str] = (),
    without_judges: Collection[str] = (),
    without_systems: Collection[str] = (),
    aliases: Mapping[str, str] = MappingProxyType({}),
) -> Judgments:
    """Read judgements, as read_items() does, with all pairs of each ranking.

    `judges` limits them to those of some judges; empty: all. `aliases` maps names of systems in the
    file to new names, which `without_systems` uses. Raises CorpusError if the file cannot be read,
    has no judgements, a wrong rank or a document type definition, and InputError for an unknown
    judge or system."""
    file = str(path)
    items = list(read_items(path))
    all_judges = {item.judge for item in items}
    for name in (*judges, *without_judges):
        check_known(file, name, all_judges, "judge")
    if aliases:
        check_aliases(file, aliases, _systems(items))
    selected = all_judges.intersection(judges or all_judges)
    selected.difference_update(without_judges)
    items = [item for item in items if item.judge in selected]
    if aliases:
        items = [item.renamed(aliases) for item in items]
    systems = _systems(items)
    for name in without_systems:
        check_known(file, name, systems)
    if len(systems) > MAX_SYSTEMS:
        message = f"has {len(systems):,} systems; at most {MAX_SYSTEMS:,} can be ranked"
        raise CorpusError.at(file, message)
    if without_systems:
        left_out: dict[str, None] = dict.fromkeys(without_systems)
        items = [item.renamed(left_out) for item in items]
    judgments = build(file, items)
    if not len(judgments.expanded.first):
        raise CorpusError.at(file, "has no judgement of two systems")
    return judgments


def _systems(items: Iterable[Item]) -> set[str]:
    """Return the names of all systems of items."""
    names: set[str] = set()
    for item in items:
        for group in item.groups:
            names.update(group.systems)
    return names


def check_known(
    where: str,
    name: str,
    names: Collection[str],
    kind: str = "system",
) -> None:
    """Raise InputError, which begins with `where`, unless `name` is one of `names`. `kind` is what
    the names stand for: "system" or "judge".
    """
    if name not in names:
        listed = ", ".join(sorted(names)[:20])
        raise InputError(
            f"{where}: has no {kind} '{name}'{did_you_mean(name, names)}; it has {listed}"
        )


def check_aliases(
    file: str,
    aliases: Mapping[str, str],
    systems: Collection[str],
) -> None:
    """Raise InputError if an alias {name in the file: new name} is for a system that the file does
    not have, or if two systems would have one name.
    """
    for name in aliases:
        check_known(f"{file}: aliases", name, systems)
    old_names: dict[str, list[str]] = {}
    for name in sorted(systems):
        new_name = aliases.get(name, name)
        old_names.setdefault(new_name, []).append(name)
    for new_name, names in old_names.items():
        if len(names) > 1:
            listed = " and ".join(f"'{name}'" for name in names)
            raise InputError(
                f"{file}: aliases: {listed} would both be called '{new_name}'; "
                "a name is for one system"
            )


def build(file: str, items: Sequence[Item]) -> Judgments:
    """Return the judgements of items as pairs: of all outputs of an item, and of all systems, where
    systems with the same output tie.

    Raises CorpusError if there are too many pairs."""
    systems = sorted(_systems(items))
    judges = sorted({item.judge for item in items}, key=natural)
    segments = sorted({item.segment for item in items}, key=natural)
    output_names: dict[Group, str] = {}
    for item in items:
        for group in item.groups:
            output_names[group] = " ".join(sorted(group.systems))
    outputs = sorted(set(output_names.values()))
    system_index = _indices(systems)
    output_index = _indices(outputs)
    judge_index = _indices(judges)
    segment_index = _indices(segments)

    # The columns of Pairs, row by row: there may be millions of them.
    expanded = array("q")
    unexpanded = array("q")
    items_of_judges = [0] * len(judges)
    rankings = set[tuple[str, str, str]]()
    for item in items:
        judge = judge_index[item.judge]
        segment = segment_index[item.segment]
        # An item may be one pair of a ranking that was counted before.
        if item.ranking not in rankings:
            rankings.add(item.ranking)
            items_of_judges[judge] += 1
        ranked_outputs = []
        ranked_systems = []
        for group in item.groups:
            output = output_index[output_names[group]]
            ranked_outputs.append((output, group.rank))
            for name in group.systems:
                ranked_systems.append((system_index[name], group.rank))
        for rows, ranked in (
            (unexpanded, ranked_outputs),
            (expanded, ranked_systems),
        ):
            pairs = combinations(sorted(ranked), 2)
            for (first, first_rank), (second, second_rank) in pairs:
                outcome = 1
                if first_rank < second_rank:
                    outcome = 0
                elif first_rank > second_rank:
                    outcome = 2
                rows.extend((first, second, outcome, judge, segment))
        if len(expanded) > MAX_PAIRS * len(Pairs._fields):
            message = f"there are more than {MAX_PAIRS:,} pairs of systems"
            raise CorpusError.at(item.position, message)

    return Judgments(
        file=file,
        systems=tuple(systems),
        judges=tuple(judges),
        segments=tuple(segments),
        outputs=tuple(outputs),
        items=np.array(items_of_judges, np.int64),
        expanded=_pairs(expanded),
        unexpanded=_pairs(unexpanded),
        notes=tuple(_notes(items)),
    )


def _notes(items: Sequence[Item]) -> Iterator[str]:
    """Yield warnings about outputs without a rank, and about items with fewer than two outputs."""
    unranked = sum(item.unranked for item in items)
    if unranked:
        yield f"{unranked} outputs have the rank -1 (not ranked) and are left out"
    too_short = sum(len(item.groups) < 2 for item in items)
    if too_short:
        yield (
            f"{too_short} of {len(items)} items have fewer than two outputs: "
            "nothing is compared there"
        )


def _indices(names: Iterable[str]) -> dict[str, int]:
    """Return the index of each name, from 0."""
    return {name: index for index, name in enumerate(names)}


def _pairs(rows: array[int]) -> Pairs:
    table = np.array(rows, np.int64)
    columns = table.reshape(-1, len(Pairs._fields)).T
    return Pairs(*np.ascontiguousarray(columns))


def natural(text: str) -> list[tuple[int, int, str]]:
    """Return a key that sorts numbers inside names by their value."""
    key = []
    for index, part in enumerate(re.split(r"([0-9]{1,18})", text)):
        if index % 2:
            key.append((1, int(part), part))
        else:
            key.append((0, 0, part))
    return key
