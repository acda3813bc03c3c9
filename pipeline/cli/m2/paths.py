"""M2 files as commands name them: paths, compressed files, data:NAME/FILE, addresses, and - for standard input."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ...config.resolved import STDIN
from ...edits.m2_files import read_annotated
from ...io.plain_files import UNPACKED, Spool
from ...io.remote import locate

if TYPE_CHECKING:
    from ...edits.m2_files import Annotated
    from ...io.remote import Remote

DATA = "data:"


def m2_path(text: str) -> Path | Remote:
    """Return the file that a command names."""
    if text == "-":
        return STDIN
    if text.startswith(DATA):
        from ...io.dataset_cache import path_of

        return path_of(text)
    return locate(Path(), text)


def m2_spool() -> Spool:
    """Return where files are unpacked to."""
    return Spool(UNPACKED)


def read_m2(*names: str) -> list[Annotated]:
    """Read M2 files; raises CorpusError, with the line, where one is not written as such."""
    spool = m2_spool()
    return [read_annotated(m2_path(name), spool) for name in names]
