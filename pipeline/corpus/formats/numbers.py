r"""Numbers of each sentence, as other programs write them: one line for each sentence, in columns or JSON objects.

Tabs separate the columns where the first line has one, else commas where it has one, else white space. The first line
names the columns where one of its cells is no number; of columns that the config names by number, only the cells in
these columns count. A file that ends in .jsonl has an object in each line.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Sequence
from decimal import ROUND_HALF_EVEN, Decimal
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import did_you_mean
from ...io.plain_files import numbered_lines
from ...io.small_tables import SHOWN, at_line, is_numeric, number_of, separator_of

if TYPE_CHECKING:
    from ...config.resolved import Column

LARGEST = 1 << 53
"""The largest count: a float holds every whole number up to it."""


def numbers(path: Path, name: str, column: Column) -> Iterator[bytes]:
    """Yield the numbers of each line, joined by blanks: floats, or whole numbers in units of 10**-decimals.

    `name` is the name of the file in messages. Raises CorpusError, with the line, where a number is lacking or none.
    """
    names, read = column.column.split("+"), reader(column.decimals)
    cells: Callable[[str, int], list[str]] | None = None
    for number, line in numbered_lines(path, name):
        if not line.strip():
            expected = "a number" if len(names) == 1 else f"{len(names)} numbers"
            raise at_line(name, number, f"is empty; expected {expected}")
        if cells is None:
            objects = ".jsonl" in Path(name.lower()).suffixes
            cells, is_header = (_objects(name, names), False) if objects else _table(line, name, names, column.header)
            if is_header:
                continue
        values, row = [], cells(line, number)
        if not any(row):  # an error as well, unless the line is not scored; see parted() in corpus/number_files.py
            yield b""
            continue
        for title, cell in zip(names, row, strict=True):
            try:
                values.append(read(cell))
            except ValueError as error:
                raise at_line(name, number, f"{title}: {error}" if len(names) > 1 else str(error)) from None
        yield b" ".join(values)


def reader(decimals: int | None) -> Callable[[str], bytes]:
    """Return the function that turns a cell into a number, or raises ValueError."""

    def real(text: str) -> bytes:
        return repr(number_of(text)).encode()

    def count(text: str) -> bytes:
        digits = decimals or 0
        if not 0 <= number_of(text, largest=math.inf) * 10**digits <= LARGEST:
            raise ValueError(f"'{text[:SHOWN]}' is no count (from 0 to {LARGEST // 10**digits:,})")
        value = Decimal(text).scaleb(digits)
        whole = value.to_integral_value(ROUND_HALF_EVEN)
        if not digits and whole != value:
            raise ValueError(f"expected a whole number, found '{text[:SHOWN]}'; for others say `decimals`")
        return str(int(whole)).encode()

    return real if decimals is None else count


def _objects(name: str, names: Sequence[str]) -> Callable[[str, int], list[str]]:
    """Return the function that picks the values of these names from the JSON object of a line."""

    def cells(line: str, number: int) -> list[str]:
        try:
            record = json.loads(line, parse_float=str, parse_int=str, parse_constant=str)
        except (ValueError, RecursionError):
            raise at_line(name, number, "is no JSON object") from None
        if not isinstance(record, dict):
            raise at_line(name, number, "is no JSON object")
        keys = {**{key.lower(): key for key in record}, **{key: key for key in record}}
        lacking = next((title for title in names if title not in keys and title.lower() not in keys), None)
        if lacking is not None:
            raise at_line(name, number, f"has no '{lacking}'{did_you_mean(lacking, record)}")
        values = [record[keys.get(title, keys.get(title.lower(), ""))] for title in names]
        return [value if isinstance(value, str) else json.dumps(value) for value in values]

    return cells


def _table(line: str, name: str, names: Sequence[str], given: bool) -> tuple[Callable[[str, int], list[str]], bool]:
    """Return the function that picks cells from a line, and whether the first line, `line`, is a header."""
    separator = separator_of(line, "\t,")
    titles = [cell.strip() for cell in line.split(separator)]
    numbered = given and all(title.isascii() and title.isdigit() for title in names)
    looked_at = [titles[int(title[:9]) - 1] for title in names if int(title[:9]) <= len(titles)] if numbered else titles
    is_header = not all(map(is_numeric, looked_at))
    columns = _columns(titles, name, names, given, is_header)

    def cells(text: str, number: int) -> list[str]:
        row = [cell.strip() for cell in text.split(separator)]
        if len(row) != len(titles):
            raise at_line(name, number, f"has {len(row)} columns; the first line has {len(titles)}")
        return [row[column] for column in columns]

    return cells, is_header


def _columns(titles: Sequence[str], name: str, names: Sequence[str], given: bool, is_header: bool) -> list[int]:
    """Return the numbers, from 0, of the columns of these names; raises CorpusError where one is not to be found."""
    if not given and (len(titles) == len(names) == 1 or (not is_header and len(titles) == len(names))):
        return list(range(len(names)))
    if not given and not is_header:
        raise at_line(name, 1, f"has {len(titles)} columns, expected {len(names)}; say which with `columns`")
    folded = [title.lower() for title in titles]
    columns = []
    for title in names:
        if is_header and folded.count(title.lower()) == 1:
            columns.append(folded.index(title.lower()))
        elif title.isascii() and title.isdigit() and 1 <= int(title[:9]) <= len(titles):
            columns.append(int(title) - 1)
        else:
            many = f"{folded.count(title.lower())} columns are" if title.lower() in folded else "no column is"
            listed = ", ".join(titles[:20]) if is_header else f"{len(titles)} columns without names"
            hint = did_you_mean(title, titles) if is_header and title.lower() not in folded else ""
            raise at_line(name, 1, f"{many} called '{title}'{hint}; found {listed}; say which with `columns`")
    return columns
