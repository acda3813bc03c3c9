"""Texts as the suite of E2E has them: references in blocks of lines, and tables with a source
beside each text.
"""

import re
from collections.abc import Iterable, Iterator
from csv import Error, reader
from pathlib import Path

from ...files.plain_files import numbered_lines
from ...files.small_tables import at_line
from ..config.resolved import Column

ENDS = re.compile("[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
"""Signs at which the suite ends a line, beside the newline."""
MISTAKEN = (("Ł", "£"), ("Â£", "£"), ("Ã©", "é"), ("ã©", "é"))
"""Letters of E2E's files that were read in another encoding once, and what they are."""
COLUMNS = (
    re.compile(r"mr|src|source|meaning.representation|da$|dialogue.act", re.IGNORECASE),
    re.compile(r"ref|output|sys|target|human", re.IGNORECASE),
)
"""How names of the columns of sources and of texts begin."""


def blocks(path: Path, name: str, where: Column) -> Iterator[object]:
    """Yield the references of each output: a list of texts, without white space at their ends.

    A file whose lines are one block has one reference for each output. If `where` names a place in
    the lists, such as [0], the texts there are yielded, empty where a list is shorter. Raises
    CorpusError for an output without references, and for signs at which the suite would end a line.
    """
    return _placed(_blocks(path, name), where)


def by_source(path: Path, name: str, where: Column) -> Iterator[object]:
    """Yield the texts of each source of a table, in the order in which sources first occur, as
    blocks() does.

    A table with one text for each source has texts and no lists: so outputs are read. Texts have no
    white space at their ends. Raises CorpusError for a row that lacks a cell of these columns."""
    table: dict[str, list[str]] = {}
    for source, text in _pairs(path, name):
        table.setdefault(source.strip(), []).append(text.strip())
    if max(map(len, table.values()), default=1) > 1:
        return _placed(table.values(), where)
    return (text.encode() for (text,) in table.values())


def _placed(lists: Iterable[list[str]], where: Column) -> Iterator[object]:
    place = int(where.column[1:-1]) if where.column else None
    for own in lists:
        yield own if place is None else own[place].encode() if place < len(own) else b""


def _pairs(path: Path, name: str) -> list[tuple[str, str]]:
    """Return source and text of each row: the columns that the first line names, or else the first
    two.
    """
    lines = [(number, line) for number, line in numbered_lines(path, name) if line.strip()]
    for wrong, right in MISTAKEN:
        lines = [(number, line.replace(wrong, right)) for number, line in lines]
    tabs = bool(lines) and "\t" in lines[0][1]
    table = reader((f"{line}\n" for _, line in lines), delimiter="\t" if tabs else ",")
    try:
        rows = [(lines[table.line_num - 1][0], row) for row in table]
    except Error as error:
        number = lines[table.line_num - 1][0]
        raise at_line(name, number, f"not valid CSV: {error}; is a quote not closed?") from None
    first = rows[0][1] if rows else []
    named = [
        next((n for n, cell in enumerate(first) if kind.match(cell.strip())), None)
        for kind in COLUMNS
    ]
    source, text = (0, 1) if None in named else (int(n or 0) for n in named)
    if None not in named:
        del rows[0]
    for number, row in rows:
        if len(row) <= max(source, text):
            between = "tabs" if tabs else "commas"
            raise at_line(
                name,
                number,
                f"has {len(row)} cells; expected a source and a text, between {between}",
            )
    pairs = [(row[source], row[text]) for _, row in rows]
    if all(len(cell) > 1 and cell[0] == cell[-1] == "'" for pair in pairs for cell in pair):
        pairs = [(source[1:-1], text[1:-1]) for source, text in pairs]
    return pairs


def _blocks(path: Path, name: str) -> Iterator[list[str]]:
    lines = numbered_lines(path, name)
    # `all` stops at the first empty line, and `any` goes on behind it
    single = all(line.strip() for _, line in lines) or not any(line.strip() for _, line in lines)
    block: list[str] = []
    for number, line in numbered_lines(path, name):
        if sign := ENDS.search(line):
            what = "at which the suite of E2E ends a line, so that all lines after it are others"
            raise at_line(name, number, f"has the sign U+{ord(sign[0]):04X}, {what}")
        if line.strip() and not single:
            block.append(line.strip())
        elif line.strip():
            yield [line.strip()]
        elif not single and not block:
            raise at_line(name, number, "is empty where references of an output were expected")
        elif block:
            yield block
            block = []
    if block:
        yield block
