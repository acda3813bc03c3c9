"""References as the suite of E2E has them: one on each line, and an empty line after those of an output."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import CorpusError, Problem
from ...io.plain_files import numbered_lines

if TYPE_CHECKING:
    from ...config.resolved import Column

ENDS = re.compile("[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
"""Signs at which the suite ends a line, beside the newline."""


def blocks(path: Path, name: str, where: Column) -> Iterator[object]:
    """Yield the references of each output: a list of texts, without white space at their ends.

    A file whose lines are one block has one reference for each output. If `where` names a place in the lists, such as
    [0], the texts there are yielded, empty where a list is shorter. Raises CorpusError for an output without
    references, and for signs at which the suite would end a line.
    """
    place = int(where.column[1:-1]) if where.column else None
    for block in _blocks(path, name):
        yield block if place is None else block[place].encode() if place < len(block) else b""


def _blocks(path: Path, name: str) -> Iterator[list[str]]:
    lines = numbered_lines(path, name)
    # `all` stops at the first empty line, and `any` goes on behind it
    single = all(line.strip() for _, line in lines) or not any(line.strip() for _, line in lines)
    block: list[str] = []
    for number, line in numbered_lines(path, name):
        if sign := ENDS.search(line):
            code = f"U+{ord(sign[0]):04X}"
            message = (
                f"has the sign {code}, at which the suite of E2E ends a line, so that all lines after it are others"
            )
            raise CorpusError([Problem(f"{name}:{number}", message)])
        if line.strip() and not single:
            block.append(line.strip())
        elif line.strip():
            yield [line.strip()]
        elif not single and not block:
            raise CorpusError([Problem(f"{name}:{number}", "is empty where references of an output were expected")])
        elif block:
            yield block
            block = []
    if block:
        yield block
