"""Files of rankings: XML with elements `ranking-item`, or CSV with columns system1Id, system1rank, system2Id ..."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from ..corpus.edits.correction_xml import XmlReader
from ..dataclass import dataclass
from ..errors import CorpusError, Problem, did_you_mean
from ..io.plain_files import Spool, named, numbered_lines, open_bytes, reason
from ..io.small_tables import quoted_rows, separator_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from pathlib import Path

MAX_BYTES = 1 << 27
"""The most bytes of a file of judgements after unpacking. A larger file is refused."""
PIECE = 1 << 16
MAX_SYSTEMS = 1000
"""The most systems in one item."""
MAX_NAME = 200
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
    """One judge's ranking of the outputs for one sentence, or a pair that is a part of such a ranking."""

    segment: str
    judge: str
    groups: tuple[Group, ...]
    ranking: tuple[str, str, str]
    """What all pairs of one ranking have in common, and no other ranking has."""
    position: str
    """The file and the line."""
    unranked: int = 0
    """How many outputs are left out because they have no rank."""

    def renamed(self, aliases: Mapping[str, str]) -> Item:
        """Return the item with other names for some systems."""
        groups = (Group(tuple(aliases.get(n, n) for n in group.systems), group.rank) for group in self.groups)
        return replace(self, groups=tuple(groups))

    def without(self, systems: Collection[str]) -> Item:
        """Return the item without these systems."""
        groups = (Group(tuple(n for n in group.systems if n not in systems), group.rank) for group in self.groups)
        return replace(self, groups=tuple(group for group in groups if group.systems))


def is_judgments(path: Path) -> bool:
    """Return whether a file holds judgements, and not scores. It does if it is XML, or has a column system1Id."""
    data = _start(path)
    first = data.removeprefix(b"\xef\xbb\xbf").lstrip()
    header = re.split(rb"[,;\t\r\n]", data.split(b"\n")[0].lower())
    return first.startswith(XML_STARTS) or any(cell.strip(b'" ') == b"system1id" for cell in header)


def _start(path: Path) -> bytes:
    name, spool = named(path), Spool(MAX_BYTES)  # what is unpacked lives as long as the spool
    with open_bytes(spool.local(path), name) as file:
        return file.read(PIECE)


def read_items(path: Path) -> Iterator[Item]:
    """Yield the rankings of a file. Raises CorpusError where it cannot be read, or something in it is wrong."""
    name, spool = named(path), Spool(MAX_BYTES)
    plain = spool.local(path)
    try:
        size = plain.stat().st_size
    except (OSError, ValueError) as error:
        raise CorpusError([Problem(name, reason(path, error))]) from None
    if size > MAX_BYTES:
        raise CorpusError([Problem(name, f"has more than {MAX_BYTES:,} bytes; that is no file of judgements")])
    with open_bytes(plain, name) as file:
        first = file.read(PIECE).removeprefix(b"\xef\xbb\xbf").lstrip()
    if not first:
        raise CorpusError([Problem(name, "is empty; expected judgements, XML or CSV")])
    yield from _Xml(name).items(plain) if first.startswith(XML_STARTS) else _csv(plain, name)


class _Xml(XmlReader[Item]):
    """Reads elements ranking-item, each with elements translation."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.attributes: dict[str, str] | None = None
        self.groups: list[Group] = []
        self.unranked = self.count = self.begun = 0

    def items(self, path: Path) -> Iterator[Item]:
        """Yield the items of a file."""
        yield from self.records(path)
        if not self.count:
            raise CorpusError([Problem(self.name, "has no element ranking-item, so there is no judgement in it")])

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Begin an item, or take one of its translations."""
        if tag == "ranking-item":
            if self.attributes is not None:
                raise self.wrong("a ranking-item inside a ranking-item")
            self.attributes, self.groups, self.unranked = attributes, [], 0
            self.begun = self.line
        elif tag == "translation":
            if self.attributes is None:
                raise self.wrong("a translation outside of a ranking-item")
            self._translation(attributes)

    def _translation(self, attributes: dict[str, str]) -> None:
        lacking = next((key for key in ("system", "rank") if key not in attributes), None)
        if lacking:
            raise self.wrong(f"the translation has no attribute '{lacking}'{did_you_mean(lacking, attributes)}")
        try:
            systems, rank = split_systems(attributes["system"]), read_rank(attributes["rank"])
        except ValueError as error:
            raise self.wrong(str(error)) from None
        if rank == NOT_RANKED:
            self.unranked += 1
        else:
            self.groups.append(Group(systems, rank))

    def end(self, tag: str) -> None:
        """Finish an item."""
        if tag != "ranking-item" or self.attributes is None:
            return
        attributes, position = self.attributes, f"{self.name}:{self.begun}"
        segment = attributes.get("src-id", attributes.get("id", "")).strip()
        if not segment:
            message = "the ranking-item has neither src-id nor id, the number of its sentence"
            raise CorpusError([Problem(position, message)])
        judge = attributes.get("user", "").strip() or UNKNOWN
        _check_item(self.groups, position)
        self.count += 1
        ranking, groups = (judge, segment, str(self.count)), tuple(self.groups)
        self.done.append(
            Item(
                segment=segment, judge=judge, groups=groups, ranking=ranking, position=position, unranked=self.unranked
            )
        )
        self.attributes = None


def split_systems(text: str) -> tuple[str, ...]:
    """Return the systems of one output, whose names are separated by blanks or commas. Raises ValueError."""
    names = tuple(text.replace(",", " ").split())
    if not names:
        raise ValueError("the name of a system is missing")
    long = next((name for name in names if len(name) > MAX_NAME), None)
    if long:
        raise ValueError(f"the name of a system has {len(long):,} characters; {MAX_NAME} are allowed")
    return names


def read_rank(text: str) -> int:
    """Return a rank, which is -1 where an output was not ranked. Raises ValueError."""
    if not RANK.fullmatch(text.strip()) or int(text) == 0:
        raise ValueError(f"expected a rank, a whole number from 1 (or -1: not ranked), found '{text[:40]}'")
    return int(text)


def _check_item(groups: list[Group], position: str) -> None:
    """Raise CorpusError where an item has too many systems, or a system twice."""
    names = [name for group in groups for name in group.systems]
    if len(names) > MAX_SYSTEMS:
        message = f"the item ranks {len(names):,} systems; {MAX_SYSTEMS:,} are allowed"
        raise CorpusError([Problem(position, message)])
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise CorpusError([Problem(position, f"the system '{twice}' is ranked twice in one item")])


def _csv(path: Path, name: str) -> Iterator[Item]:
    """Yield a ranking for each row. Columns may stand in any order, with names in upper or lower case."""
    # a line may end in \r alone, and a cell in quotation marks may go on in the next line
    lines = (part + "\n" for _, line in numbered_lines(path, name) for part in line.removesuffix("\r").split("\r"))
    first = next(lines)
    rows = quoted_rows(chain([first], lines), separator_of(first, ",;\t") or ",", name)
    header = [cell.lower() for cell in next(rows).cells]
    columns = _columns(header, name)
    for number, (line, cells) in enumerate(rows, 1):
        if cells:
            yield _row(columns, cells, number, f"{name}:{line}", len(header))


class _Columns(NamedTuple):
    """Numbers of the columns, from 0."""

    systems: list[tuple[int, int]]
    """The columns of name and rank of each system."""
    segment: int
    by_title: Mapping[str, int]
    """All columns by their names in lower case."""


def _columns(header: list[str], name: str) -> _Columns:
    twice = next((title for title in header if title and header.count(title) > 1), None)
    if twice:
        raise CorpusError([Problem(f"{name}:1", f"two columns are called '{twice}'")])
    by_title = {title: number for number, title in enumerate(header)}
    numbers = sorted(int(match[1]) for match in map(COLUMN.fullmatch, header) if match)
    titles = [*(f"system{n}{key}" for n in (numbers if len(numbers) > 1 else (1, 2)) for key in ("id", "rank"))]
    for title in titles:
        if title not in by_title:
            listed = ", ".join(header[:20])
            message = f"no column is called '{title}'{did_you_mean(title, header)}; found {listed[:200]}"
            raise CorpusError([Problem(f"{name}:1", message)])
    segment = by_title.get("segmentid", by_title.get("srcindex"))
    if segment is None:
        raise CorpusError([Problem(f"{name}:1", "no column is called 'segmentId' or 'srcIndex', the sentence")])
    systems = [(by_title[name], by_title[rank]) for name, rank in zip(titles[::2], titles[1::2], strict=True)]
    return _Columns(systems, segment, by_title)


def _row(columns: _Columns, cells: list[str], number: int, position: str, width: int) -> Item:
    if len(cells) != width:
        raise CorpusError([Problem(position, f"has {len(cells)} columns; the first line has {width}")])

    def cell(title: str) -> str:
        return cells[columns.by_title[title]].strip() if title in columns.by_title else ""

    languages = f".{cell('srclang')}-{cell('trglang')}"
    groups, unranked = list[Group](), 0
    for name_at, rank_at in columns.systems:
        if cells[name_at].strip() in ("", "-1") and cells[rank_at].strip() in ("", "-1"):
            continue  # WMT files have columns for five systems, some of them empty
        try:
            systems, rank = split_systems(cells[name_at]), read_rank(cells[rank_at])
        except ValueError as error:
            raise CorpusError([Problem(position, str(error))]) from None
        if rank == NOT_RANKED:
            unranked += 1
        else:
            groups.append(Group(tuple(_system(name, languages) for name in systems), rank))
    _check_item(groups, position)
    segment, judge = cells[columns.segment].strip(), cell("judgeid") or UNKNOWN
    if not segment:
        raise CorpusError([Problem(position, "the number of the sentence is missing")])
    own = cell("rankingid") or (str(number) if len(columns.systems) > 2 else "")  # rows of pairs are parts of a ranking
    return Item(
        segment=segment,
        judge=judge,
        groups=tuple(groups),
        ranking=(judge, segment, own),
        position=position,
        unranked=unranked,
    )


def _system(name: str, languages: str) -> str:
    """Return the system of a WMT name TESTSET.SYSTEM.SOURCE-TARGET, or the name itself."""
    inner = name.removesuffix(languages)
    return inner.partition(".")[2] if inner != name and "." in inner else name
