"""Cases and expected values of tests, written as tables of text."""

from __future__ import annotations

import re


def table(text: str) -> list[tuple[str, ...]]:
    """Return the cells of each line; at least two blanks stand between columns."""
    rows = []
    for line in text.strip().splitlines():
        cells = re.split(" {2,}", line.strip())
        rows.append(tuple(cells))
    return rows


def word_list(text: str) -> list[str]:
    """Return the words of a text as a list."""
    return text.split()
