r"""Numbers of each sentence, as other programs write them: a line a sentence, in columns or JSON objects.

Columns are parted by tabs where the first line has one, else by commas where it has one, else by white space. A first
line with a cell that is no number (of columns asked for by number: with one of these) names the columns. A file that
ends in .jsonl has an object a line.
"""

from __future__ import annotations

import json
import math
from decimal import ROUND_HALF_EVEN, Decimal
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import did_you_mean
from ...io.plain_files import numbered_lines
from ...io.small_tables import SHOWN, at_line, is_numeric, number_of, separator_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ...config.resolved import Column

LARGEST = 1 << 53


def numbers(path: Path, name: str, wanted: Column) -> Iterator[bytes]:
    """Yield the numbers of each line, joined by blanks: floats, or whole numbers of 10**-decimals."""
    names, read = wanted.column.split("+"), _reader(wanted)
    cells: Callable[[str, int], list[str]] | None = None
    for number, line in numbered_lines(path, name):
        if not line.strip():
            raise at_line(name, number, f"is empty; expected {_several(len(names))}")
        if cells is None:
            objects = ".jsonl" in Path(name.lower()).suffixes
            cells, is_header = (_objects(name, names), False) if objects else _table(line, name, names, wanted.header)
            if is_header:
                continue
        values = []
        for title, cell in zip(names, cells(line, number), strict=True):
            try:
                values.append(read(cell))
            except ValueError as error:
                raise at_line(name, number, f"{title}: {error}" if len(names) > 1 else str(error)) from None
        yield b" ".join(values)


def _several(count: int) -> str:
    return "a number" if count == 1 else f"{count} numbers"


def _reader(wanted: Column) -> Callable[[str], bytes]:
    """Return what makes a number of a cell; raises ValueError."""

    def real(text: str) -> bytes:
        return repr(number_of(text)).encode()

    def count(text: str) -> bytes:
        places = wanted.decimals or 0
        if not 0 <= number_of(text, largest=math.inf) * 10**places <= LARGEST:
            raise ValueError(f"'{text[:SHOWN]}' is no count (from 0 to {LARGEST // 10**places:,})")
        value = Decimal(text).scaleb(places)
        whole = value.to_integral_value(ROUND_HALF_EVEN)
        if not places and whole != value:
            raise ValueError(f"expected a whole number, found '{text[:SHOWN]}'; for others say `decimals`")
        return str(int(whole)).encode()

    return real if wanted.decimals is None else count


def _objects(name: str, names: Sequence[str]) -> Callable[[str, int], list[str]]:
    def cells(line: str, number: int) -> list[str]:
        try:
            record = json.loads(line, parse_float=str, parse_int=str, parse_constant=str)
        except (ValueError, RecursionError):
            raise at_line(name, number, "is no JSON object") from None
        if not isinstance(record, dict):
            raise at_line(name, number, "is no JSON object")
        known = {**{key.lower(): key for key in record}, **{key: key for key in record}}
        lacking = next((title for title in names if title not in known and title.lower() not in known), None)
        if lacking is not None:
            raise at_line(name, number, f"has no '{lacking}'{did_you_mean(lacking, record)}")
        values = [record[known.get(title, known.get(title.lower(), ""))] for title in names]
        return [value if isinstance(value, str) else json.dumps(value) for value in values]

    return cells


def _table(line: str, name: str, names: Sequence[str], given: bool) -> tuple[Callable[[str, int], list[str]], bool]:
    """Return what picks the cells of a line, and whether the first line is a header. given: columns were named."""
    separator = separator_of(line, "\t,")
    titles = _split(line, separator)
    numbered = given and all(title.isascii() and title.isdigit() for title in names)
    looked_at = [titles[int(title[:9]) - 1] for title in names if int(title[:9]) <= len(titles)] if numbered else titles
    is_header = not all(map(is_numeric, looked_at))
    places = _places(titles, name, names, given, is_header)

    def cells(text: str, number: int) -> list[str]:
        found = _split(text, separator)
        if len(found) != len(titles):
            raise at_line(name, number, f"has {len(found)} columns; the first line has {len(titles)}")
        return [found[place] for place in places]

    return cells, is_header


def _split(line: str, separator: str | None) -> list[str]:
    return [cell.strip() for cell in line.split(separator)]


def _places(titles: Sequence[str], name: str, names: Sequence[str], given: bool, is_header: bool) -> list[int]:
    if not given and (len(titles) == len(names) == 1 or (not is_header and len(titles) == len(names))):
        return list(range(len(names)))
    if not given and not is_header:
        raise at_line(name, 1, f"has {len(titles)} columns, expected {len(names)}; say which with `columns`")
    known = [title.lower() for title in titles]
    places = []
    for title in names:
        if is_header and known.count(title.lower()) == 1:
            places.append(known.index(title.lower()))
        elif title.isascii() and title.isdigit() and 1 <= int(title[:9]) <= len(titles):
            places.append(int(title) - 1)
        else:
            many = f"{known.count(title.lower())} columns are" if title.lower() in known else "no column is"
            listed = ", ".join(titles[:20]) if is_header else f"{len(titles)} columns without names"
            hint = did_you_mean(title, titles) if is_header and title.lower() not in known else ""
            raise at_line(name, 1, f"{many} called '{title}'{hint}; found {listed}; say which with `columns`")
    return places
