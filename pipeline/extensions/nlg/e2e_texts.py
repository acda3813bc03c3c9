"""Texts in the files of E2E: references in blocks of lines, and tables of sources and texts."""

import re
from collections.abc import Iterable, Iterator
from csv import Error, reader
from pathlib import Path

from pipeline.data.config import Column, TextFormat
from pipeline.errors import CorpusError
from pipeline.files import numbered_lines

LINE_ENDS = re.compile("[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
"""Characters at which the suite ends a line, beside the newline."""
MISTAKEN = (("Ł", "£"), ("Â£", "£"), ("Ã©", "é"), ("ã©", "é"))
"""Letters of E2E's files that were once read in another encoding, and the correct ones."""
SOURCE_TITLE = re.compile(
    r"mr|src|source|meaning.representation|da$|dialogue.act", re.IGNORECASE
)
"""How names of the column of sources begin."""
TEXT_TITLE = re.compile(r"ref|output|sys|target|human", re.IGNORECASE)
"""How names of the column of texts begin."""


def blocks(path: Path, name: str, where: Column) -> Iterator[object]:
    """Yield the references of each output: a list of texts, without white space at their ends.

    A file whose lines are one block has one reference for each output. If `where` names an index in
    the lists, such as [0], the texts there are yielded, empty if a list is shorter. Raises
    CorpusError for an output without references, and for characters at which the suite would end a
    line.
    """
    return _items(_blocks(path, name), where)


def by_source(path: Path, name: str, where: Column) -> Iterator[object]:
    """Yield the texts of each source of a table, in the order of sources, as blocks() does.

    If each source has one text, texts are yielded instead of lists: so outputs are read. Texts have
    no white space at their ends. Raises CorpusError for a row without a cell of these columns.
    """
    table: dict[str, list[str]] = {}
    for source, text in _pairs(path, name):
        table.setdefault(source.strip(), []).append(text.strip())
    if max(map(len, table.values()), default=1) > 1:
        return _items(table.values(), where)
    return (texts[0].encode() for texts in table.values())


def _items(lists: Iterable[list[str]], where: Column) -> Iterator[object]:
    """Yield lists, or their items at the index that a column names."""
    if not where.column:
        yield from lists
        return
    index = int(where.column[1:-1])
    for texts in lists:
        if index < len(texts):
            yield texts[index].encode()
        else:
            yield b""


def _pairs(path: Path, name: str) -> list[tuple[str, str]]:
    """Return source and text of each row: the columns named in the first line, or the first two."""
    numbers = []
    lines = []
    for number, line in numbered_lines(path, name):
        if line.strip():
            for wrong, right in MISTAKEN:
                line = line.replace(wrong, right)  # noqa: PLW2901
            numbers.append(number)
            lines.append(f"{line}\n")
    delimiter = ","
    if lines and "\t" in lines[0]:
        delimiter = "\t"
    table = reader(lines, delimiter=delimiter)
    rows = []
    try:
        for row in table:
            rows.append((numbers[table.line_num - 1], row))
    except Error as error:
        number = numbers[table.line_num - 1]
        message = f"not valid CSV: {error}; is a quote not closed?"
        raise CorpusError.at(f"{name}:{number}", message) from None

    titles = rows[0][1] if rows else []
    source = _matching_index(SOURCE_TITLE, titles)
    text = _matching_index(TEXT_TITLE, titles)
    if source is None or text is None:
        source = 0
        text = 1
    else:
        del rows[0]
    pairs = []
    for number, row in rows:
        if len(row) <= max(source, text):
            between = "commas" if delimiter == "," else "tabs"
            message = f"has {len(row)} cells; expected a source and a text, between {between}"
            raise CorpusError.at(f"{name}:{number}", message)
        pairs.append((row[source], row[text]))
    if all(_is_quoted(one) and _is_quoted(two) for one, two in pairs):
        pairs = [(one[1:-1], two[1:-1]) for one, two in pairs]
    return pairs


def _matching_index(title: re.Pattern[str], cells: list[str]) -> int | None:
    """Return the index of the first cell that a title matches."""
    for index, cell in enumerate(cells):
        if title.match(cell.strip()):
            return index
    return None


def _is_quoted(cell: str) -> bool:
    return len(cell) > 1 and cell[0] == cell[-1] == "'"


def _blocks(path: Path, name: str) -> Iterator[list[str]]:
    """Yield the lines of each block."""
    # If there are empty lines only at the end, the lines are one block: `all` stops at the first
    # empty line, and `any` goes on behind it.
    lines = (line.strip() for _, line in numbered_lines(path, name))
    is_single = all(lines) or not any(lines)
    block: list[str] = []
    for number, line in numbered_lines(path, name):
        match = LINE_ENDS.search(line)
        if match:
            sign = f"has the sign U+{ord(match[0]):04X}"
            what = "at which the suite of E2E ends a line, so that all lines after it are others"
            raise CorpusError.at(f"{name}:{number}", f"{sign}, {what}")
        text = line.strip()
        if text and is_single:
            yield [text]
        elif text:
            block.append(text)
        elif block:
            yield block
            block = []
        elif not is_single:
            message = "is empty where references of an output were expected"
            raise CorpusError.at(f"{name}:{number}", message)
    if block:
        yield block


BLOCKS = TextFormat(
    blocks,
    "The references of an output on a line each, and an empty line before those of the next "
    "output.",
    unit=", block ",
)
BY_SOURCE = TextFormat(
    by_source,
    "The texts of each source, in a CSV or TSV file with sources and texts: references, or "
    "outputs.",
    unit=", source ",
)
