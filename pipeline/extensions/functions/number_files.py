"""Files of numbers, as other programs write them: a line for each sentence, in columns or JSON objects.

Tabs separate the columns if the first line has one, else commas if it has one, else white space.
The first line names the columns if one of its cells is no number; if the config names columns by
number, only the cells in these columns count. A file that ends in .jsonl has an object in each
line.
"""

import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal
from pathlib import Path

from pipeline.data.config import Column, TextFormat
from pipeline.errors import CorpusError, did_you_mean
from pipeline.files import TableCell, TableRow, numbered_lines

Picker = Callable[[str, int], list[str]]
"""Returns the cells of the columns from a line and its number; raises CorpusError."""
LARGEST_COUNT = 1 << 53
"""A float holds every whole number up to it."""


@dataclass(frozen=True, kw_only=True)
class NumberColumns(Column):
    """Columns of numbers, whose names or numbers are joined by + in `column`.

    `header` says that these are names or numbers that a config has.
    """

    decimals: int | None = None
    """Decimals that numbers have at most. None allows any real numbers."""


def numbers(path: Path, name: str, column: Column) -> Iterator[bytes]:
    """Yield the numbers of a line joined by spaces: floats, or integers in units of 10**-decimals.

    `name` is the name of the file in messages. Raises CorpusError, with the line, for a cell that
    is empty or no number.
    """
    assert isinstance(column, NumberColumns)  # noqa: S101 (only External makes them)
    titles = column.column.split("+")
    read = reader(column.decimals)
    pick_cells: Picker | None = None
    for line_number, line in numbered_lines(path, name):
        if not line.strip():
            expected = f"{len(titles)} numbers"
            if len(titles) == 1:
                expected = "a number"
            raise CorpusError.at(
                f"{name}:{line_number}", f"is empty; expected {expected}"
            )
        # the first line decides how the file is read
        if pick_cells is None:
            if ".jsonl" in Path(name.lower()).suffixes:
                pick_cells = _objects(name, titles)
            else:
                pick_cells, is_header = _table(
                    line, name, titles, has_names=column.header
                )
                if is_header:
                    continue
        cells = pick_cells(line, line_number)
        # an error as well, unless the line is not scored; see External.with_numbers()
        if not any(cells):
            yield b""
            continue
        line_numbers = []
        for title, cell in zip(titles, cells, strict=True):
            try:
                line_numbers.append(read(cell))
            except ValueError as error:
                message = str(error)
                if len(titles) > 1:
                    message = f"{title}: {message}"
                raise CorpusError.at(f"{name}:{line_number}", message) from None
        yield b" ".join(line_numbers)


def reader(decimals: int | None) -> Callable[[str], bytes]:
    """Return the function that reads the text of a cell and returns its number as text.

    The number is a float if `decimals` is None, otherwise a count: an integer in units of
    10**-decimals, rounded. The function raises ValueError for other texts.
    """

    def real(text: str) -> bytes:
        return repr(TableCell(text).number()).encode()

    def count(text: str) -> bytes:
        """Return a count in units of 10**-decimals."""
        digits = decimals or 0
        displayed = text[: TableCell.MAX_DISPLAYED]
        number = TableCell(text).number(largest=math.inf)
        if not 0 <= number * 10**digits <= LARGEST_COUNT:
            limit = LARGEST_COUNT // 10**digits
            raise ValueError(f"'{displayed}' is no count (from 0 to {limit:,})")
        value = Decimal(text).scaleb(digits)
        rounded = value.to_integral_value(ROUND_HALF_EVEN)
        if not digits and rounded != value:
            expected = f"expected a whole number, found '{displayed}'"
            raise ValueError(f"{expected}; for others say `decimals`")
        return str(int(rounded)).encode()

    return real if decimals is None else count


def _objects(name: str, names: Sequence[str]) -> Picker:
    """Return the function that picks the cells with these names from a line, a JSON object.

    `name` is the file in messages. Names may be in another case.
    """

    def pick_cells(line: str, number: int) -> list[str]:
        """Return the cells of a line; raises CorpusError for what is no object, or lacks a name."""
        # numbers stay as they are written
        try:
            record = json.loads(
                line, parse_float=str, parse_int=str, parse_constant=str
            )
        except (ValueError, RecursionError):
            record = None
        if not isinstance(record, dict):
            raise CorpusError.at(f"{name}:{number}", "is no JSON object")
        keys = {key.lower(): key for key in record}
        keys |= {key: key for key in record}
        cells = []
        for title in names:
            key = keys.get(title, keys.get(title.lower()))
            if key is None:
                hint = did_you_mean(title, record)
                raise CorpusError.at(
                    f"{name}:{number}", f"has no '{title}'{hint}"
                )
            value = record[key]
            if not isinstance(value, str):
                value = json.dumps(value)
            cells.append(value)
        return cells

    return pick_cells


def _table(
    line: str,
    name: str,
    names: Sequence[str],
    *,
    has_names: bool,
) -> tuple[Picker, bool]:
    """Return the function that picks cells from a line, and whether the first line is a header.

    `line` is the first line, and `name` the file in messages. `names` are names of columns or, from
    1, their numbers; `has_names`: they are from the config. The first line is a header if one of
    its cells (in the columns that a config numbers) is no number.
    """
    separator = TableRow.separator(line, "\t,")
    titles = [cell.strip() for cell in line.split(separator)]
    checked_cells = titles
    if has_names and all(map(_is_number_of_column, names)):
        checked_cells = []
        for title in names:
            column = int(title[:9])
            if column <= len(titles):
                checked_cells.append(titles[column - 1])
    is_header = not all(TableCell(cell).is_numeric for cell in checked_cells)
    columns = _columns(
        titles, name, names, has_names=has_names, is_header=is_header
    )

    def pick_cells(text: str, number: int) -> list[str]:
        row = [cell.strip() for cell in text.split(separator)]
        if len(row) != len(titles):
            message = (
                f"has {len(row)} columns; the first line has {len(titles)}"
            )
            raise CorpusError.at(f"{name}:{number}", message)
        return [row[column] for column in columns]

    return pick_cells, is_header


def _is_number_of_column(title: str) -> bool:
    return title.isascii() and title.isdigit()


def _columns(
    titles: Sequence[str],
    name: str,
    names: Sequence[str],
    *,
    has_names: bool,
    is_header: bool,
) -> list[int]:
    """Return the indices of the columns of these names; raises CorpusError for a missing one.

    `titles` are the cells of the first line. Without a header, names can only be numbers of
    columns. If the config has no names, a file with just as many columns is taken as it is.
    """
    if not has_names:
        has_same_width = len(titles) == len(names)
        if has_same_width and (len(names) == 1 or not is_header):
            return list(range(len(names)))
        if not is_header:
            message = f"has {len(titles)} columns, expected {len(names)}"
            raise CorpusError.at(
                f"{name}:{1}", f"{message}; say which with `columns`"
            )
    folded = [title.lower() for title in titles]
    columns = []
    for title in names:
        count = folded.count(title.lower())
        if is_header and count == 1:
            columns.append(folded.index(title.lower()))
            continue
        if _is_number_of_column(title) and 1 <= int(title[:9]) <= len(titles):
            columns.append(int(title) - 1)
            continue
        found = f"{len(titles)} columns without names"
        if is_header:
            found = ", ".join(titles[:20])
        problem = f"no column is called '{title}'"
        if count:
            problem = f"{count} columns are called '{title}'"
        elif is_header:
            problem += did_you_mean(title, titles)
        raise CorpusError.at(
            f"{name}:{1}", f"{problem}; found {found}; say which with `columns`"
        )
    return columns


NUMBERS = TextFormat(numbers, "Numbers of each sentence.")
"""The format of the files of `external`, which no config names."""
