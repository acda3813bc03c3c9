"""Files of edits, M2 or XML, that are read once, though texts, edits and oddities are asked for one by one."""

from __future__ import annotations

import contextlib
from contextvars import ContextVar
from typing import TYPE_CHECKING

from ..io.plain_files import open_bytes
from .m2_lines import blocks

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from .m2_lines import Block

    Kept = dict[Path, list[Block]]

LARGEST = 1 << 22
"""The most bytes of a file whose sentences are kept. A larger one is read again each time."""
_KEPT: ContextVar[Kept | None] = ContextVar("kept", default=None)


def gold_blocks(path: Path, name: str) -> Iterator[Block]:
    """Yield the sentences of an M2 file, or of a gold file of I-measure as those of an M2 file; raises CorpusError."""
    if not is_xml(path, name):
        yield from blocks(path, name)
        return
    from .correction_xml import xml_blocks  # here, because few gold files are XML

    yield from xml_blocks(path, name)


def is_xml(path: Path, name: str) -> bool:
    """Return whether a gold file is one of XML; raises CorpusError where it cannot be read."""
    with open_bytes(path, name) as file:
        return file.read(1024).removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<")


@contextlib.contextmanager
def read_once() -> Iterator[None]:
    """Have the sentences of small files be kept while the body of the statement runs."""
    token = _KEPT.set({})
    try:
        yield
    finally:
        _KEPT.reset(token)


def sentences_of(path: Path, name: str) -> Iterable[Block]:
    """Return the sentences of a file of edits, which nobody may change; raises CorpusError, also while they are read.

    `name` is the file in messages.
    """
    kept = _KEPT.get()
    if kept is None or not _is_small(path):
        return gold_blocks(path, name)
    if path not in kept:
        kept[path] = list(gold_blocks(path, name))
    return kept[path]


def _is_small(path: Path) -> bool:
    try:
        return path.stat().st_size <= LARGEST
    except (OSError, ValueError):
        return False
