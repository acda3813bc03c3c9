"""Files of tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def write_lines(path: Path, lines: Iterable[str | None]) -> None:
    """Write lines to a file; a missing line is empty."""
    text = "".join(f"{line or ''}\n" for line in lines)
    path.write_text(text, encoding="utf-8")


def write_named_lines(folder: Path, **texts: Iterable[str | None]) -> None:
    """Write several files of lines into a folder."""
    for name, lines in texts.items():
        write_lines(folder / name, lines)
