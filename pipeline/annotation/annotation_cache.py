"""Annotations that are kept on this computer, by their content: versions, source and corrected text.

They lie in one SQLite database, which any number of processes may use at once. It has a rollback journal, not a
write-ahead log: the folder of caches may be on a network file system, where a write-ahead log is not safe. A process
that is killed loses at most the chunk that it was writing.

A cache is never the reason why work fails. One that is damaged is made anew, and one that cannot be used is left out;
`tell` is then called with one line.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, TypeVar

from ..io.dataset_cache import cache
from ..io.safe_files import digest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from .pairs import Annotation, Pair

T = TypeVar("T")
FILE = "annotations/errant-1.sqlite"
"""The database below the folder of caches. The number is that of its form."""
PATIENCE = 60
"""Seconds to wait for another process that writes. Writing takes milliseconds."""
AT_ONCE = 500
"""Keys that are asked for at once; SQLite has a limit."""
TABLE = "CREATE TABLE IF NOT EXISTS annotations (key BLOB PRIMARY KEY, edits TEXT, proof TEXT) WITHOUT ROWID"
QUESTION = "SELECT key, edits, proof FROM annotations WHERE key IN"


class AnnotationCache:
    """The annotations that a database has. It is made when something is first written."""

    def __init__(self, path: Path | None = None, tell: Callable[[str], None] = lambda _: None) -> None:
        self.path = path or cache() / FILE
        """The database."""
        self._tell = tell
        self._usable = True

    def read(self, versions: str, pairs: Sequence[Pair]) -> dict[Pair, Annotation]:
        """Return the annotations that are kept for some of the pairs, made with the same versions."""
        if not self.path.exists():
            return {}
        keys = {_key(versions, pair): pair for pair in pairs}
        return self._try(lambda: self._read(keys)) or {}

    def write(self, versions: str, annotations: Mapping[Pair, Annotation]) -> None:
        """Keep annotations that were made with these versions."""
        rows = []
        for pair, annotation in annotations.items():
            key, edits = _key(versions, pair), "\n".join(annotation)
            rows.append((key, edits, _proof(key, edits)))
        if self._try(lambda: self._write(rows)) is None:
            self._try(lambda: self._write(rows))  # the damaged database is gone

    def _read(self, pairs: Mapping[bytes, Pair]) -> dict[Pair, Annotation]:
        kept, keys = {}, list(pairs)
        with closing(self._open()) as database:
            for part in (keys[start : start + AT_ONCE] for start in range(0, len(keys), AT_ONCE)):
                marks = ", ".join("?" * len(part))
                for key, edits, proof in database.execute(f"{QUESTION} ({marks})", part):
                    if isinstance(edits, str) and proof == _proof(key, edits):
                        kept[pairs[key]] = tuple(edits.split("\n")) if edits else ()
        return kept

    def _write(self, rows: Sequence[tuple[bytes, str, str]]) -> bool:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with closing(self._open()) as database, database:
            database.executemany("INSERT OR REPLACE INTO annotations VALUES (?, ?, ?)", rows)
        return True

    def _open(self) -> sqlite3.Connection:
        database = sqlite3.connect(self.path, timeout=PATIENCE)
        try:
            database.execute(TABLE)
        except BaseException:
            database.close()
            raise
        return database

    def _try(self, work: Callable[[], T]) -> T | None:
        """Return what work returns, or None where the database is damaged or cannot be used, and say so."""
        if not self._usable:
            return None
        try:
            return work()
        except (sqlite3.OperationalError, OSError) as error:
            self._usable = False
            self._tell(f"{self.path}: annotations are not kept: {getattr(error, 'strerror', None) or error}")
        except sqlite3.DatabaseError as error:
            self._tell(f"{self.path}: is damaged ({error}); it is made anew")
            try:
                self.path.unlink(missing_ok=True)
            except OSError as reason:
                self._usable = False
                self._tell(f"{self.path}: annotations are not kept: {reason.strerror}")
        return None


def _key(versions: str, pair: Pair) -> bytes:
    """Return the key of a pair. No text has the byte 0xFF, so that no other texts have the same bytes."""
    texts = (text.encode("utf-8", "surrogatepass") for text in (versions, *pair))
    return bytes.fromhex(digest(b"\xff".join(texts), size=16))


def _proof(key: bytes, edits: str) -> str:
    """Return what shows that a row is not damaged."""
    return digest(key, edits.encode("utf-8", "surrogatepass"))
