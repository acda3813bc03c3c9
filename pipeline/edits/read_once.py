"""Files of edits that are read once, though their texts, their edits and their oddities are asked for one by one."""

from __future__ import annotations

import contextlib
from contextvars import ContextVar
from typing import TYPE_CHECKING

from .correction_xml import gold_blocks

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from .m2_lines import Block

    Kept = dict[Path, list[Block]]

LARGEST = 1 << 22
"""The most bytes of a file whose sentences are kept. A larger one is read again each time."""
_KEPT: ContextVar[Kept | None] = ContextVar("kept", default=None)


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
