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
    names = column.column.split("+")
    read = reader(column.decimals)
    cells_of: Picker | None = None
    for number, line in numbered_lines(path, name):
        if not line.strip():
            expected = (
                "a number" if len(names) == 1 else f"{len(names)} numbers"
            )
            raise CorpusError.at(
                f"{name}:{number}", f"is empty; expected {expected}"
            )
        if cells_of is None:
            if ".jsonl" in Path(name.lower()).suffixes:
                cells_of = _objects(name, names)
            else:
                cells_of, is_header = _table(
                    line, name, names, has_names=column.header
                )
                if is_header:
                    continue
        cells = cells_of(line, number)
        # an error as well, unless the line is not scored; see with_numbers() in external.py
        if not any(cells):
            yield b""
            continue
        values = []
        for title, cell in zip(names, cells, strict=True):
            try:
                values.append(read(cell))
            except ValueError as error:
                message = f"{title}: {error}" if len(names) > 1 else str(error)
                raise CorpusError.at(f"{name}:{number}", message) from None
        yield b" ".join(values)


def reader(decimals: int | None) -> Callable[[str], bytes]:
    """Return the function that turns a cell into a number, or raises ValueError."""

    def real(text: str) -> bytes:
        return repr(TableCell(text).number()).encode()

    def count(text: str) -> bytes:
        digits = decimals or 0
        displayed = text[: TableCell.MAX_DISPLAYED]
        if (
            not 0
            <= TableCell(text).number(largest=math.inf) * 10**digits
            <= LARGEST_COUNT
        ):
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
    """Return the function that picks the values of these names from the JSON object of a line."""

    def cells(line: str, number: int) -> list[str]:
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
        values = []
        for title in names:
            key = keys.get(title, keys.get(title.lower()))
            if key is None:
                raise CorpusError.at(
                    f"{name}:{number}",
                    f"has no '{title}'{did_you_mean(title, record)}",
                )
            value = record[key]
            values.append(
                value if isinstance(value, str) else json.dumps(value)
            )
        return values

    return cells


def _table(
    line: str,
    name: str,
    names: Sequence[str],
    *,
    has_names: bool,
) -> tuple[Picker, bool]:
    """Return the function that picks cells from a line, and whether the first line is a header.

    `line` is the first line. `has_names`: the config names the columns.
    """
    separator = TableRow.separator(line, "\t,")
    titles = [cell.strip() for cell in line.split(separator)]
    checked = titles
    if has_names and all(map(_is_number_of_column, names)):
        indices = [int(title[:9]) for title in names]
        checked = [
            titles[index - 1] for index in indices if index <= len(titles)
        ]
    is_header = not all(TableCell(cell).is_numeric for cell in checked)
    columns = _columns(
        titles, name, names, has_names=has_names, is_header=is_header
    )

    def cells(text: str, number: int) -> list[str]:
        row = [cell.strip() for cell in text.split(separator)]
        if len(row) != len(titles):
            raise CorpusError.at(
                f"{name}:{number}",
                f"has {len(row)} columns; the first line has {len(titles)}",
            )
        return [row[column] for column in columns]

    return cells, is_header


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
    """Return the indices of the columns of these names; raises CorpusError for a missing one."""
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
        what = f"{count} columns are" if count else "no column is"
        what += f" called '{title}'"
        listed = f"{len(titles)} columns without names"
        if is_header:
            listed = ", ".join(titles[:20])
            what += did_you_mean(title, titles) if not count else ""
        raise CorpusError.at(
            f"{name}:{1}", f"{what}; found {listed}; say which with `columns`"
        )
    return columns


NUMBERS = TextFormat(numbers, "Numbers of each sentence.")
"""The format of the files of `external`, which no config names."""
