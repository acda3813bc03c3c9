"""Results that are kept on this computer by the content that they were made of: a database with a
key and a value.

Any number of processes may use it at once. It has a rollback journal, not a write-ahead log: the
folder of caches may be on a network file system, where a write-ahead log is not safe. What is
written at once is kept whole or not at all.

A cache is never the reason why work fails. One that is damaged is made anew, and one that cannot be
used is left out; `tell` is then called with one line."""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple, TypeVar

from ..files.safe_files import digest
from .dataset_cache import cache

T = TypeVar("T")
PATIENCE = 60
"""Seconds to wait for another process that writes. Writing takes milliseconds."""
AT_ONCE = 500
"""Keys that are asked for at once; SQLite has a limit."""


class Kind(NamedTuple):
    """What a cache keeps."""

    file: str
    """The database below the folder of caches. The number in it is that of its form."""
    table: str
    """The table, or how the names of its tables begin, which is also what messages call what is
    kept."""
    value: str
    """The column of values."""


ANNOTATIONS = Kind("annotations/errant-1.sqlite", "annotations", "edits")
SCORES = Kind("scores/scores-1.sqlite", "scores", "numbers")

DIGESTS = Kind(SCORES.file, "digests", "digest")
"""Of large files: by path, size, time and number in the file system."""


class ContentCache:
    """Values by their keys, which are bytes. The database is made when something is first written."""

    def __init__(
        self,
        kind: Kind,
        path: Path | None = None,
        warn: Callable[[str], None] = lambda _: None,
        *,
        of: str = "",
    ) -> None:
        """Take the kind; `of` is the metric that has a table of its own, a name of small letters,
        digits and _.
        """
        self.path = path or cache() / kind.file
        """The database."""
        self.kind, self._warn, self._usable = kind, warn, True
        self._table = f"{kind.table}_{of}" if of else kind.table

    def read(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return the values that are kept for some of the keys."""
        return self._try(lambda: self._read(keys)) or {} if self.path.exists() else {}

    def write(self, values: Mapping[bytes, bytes]) -> None:
        """Keep values, all of them or none."""
        rows = [(key, value, digest(key, value)) for key, value in values.items()]
        if rows and self._try(lambda: self._write(rows)) is None:
            self._try(lambda: self._write(rows))  # the damaged database is gone

    def tables(self) -> list[tuple[str, int, int]]:
        """Return what has a table of its own: the name, and how many rows and bytes there are."""
        return self._try(self._tables) or [] if self.path.exists() else []

    def delete(self, of: str) -> None:
        """Delete all that is kept of a metric."""

        def drop() -> None:
            with closing(self._open()) as database:
                database.execute(f"DROP TABLE IF EXISTS {self.kind.table}_{of}")
                database.execute("VACUUM")

        self._try(drop)

    def _tables(self) -> list[tuple[str, int, int]]:
        begin = f"{self.kind.table}_"
        with closing(self._open()) as database:
            found = database.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table'"
            ).fetchall()
            names = sorted(
                name for (name,) in found if name.startswith(begin) and name.isidentifier()
            )
            asked = f"SELECT COUNT(*), SUM(LENGTH(key) + LENGTH({self.kind.value}) + LENGTH(proof)) FROM"
            rows = [(name, database.execute(f"{asked} {name}").fetchone()) for name in names]
        return [(name.removeprefix(begin), count, size or 0) for name, (count, size) in rows]

    def _read(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        kept: dict[bytes, bytes] = {}
        asked = f"SELECT key, {self.kind.value}, proof FROM {self._table} WHERE key IN"  # noqa: S608 (our own names)
        with closing(self._open()) as database:
            for part in (keys[start : start + AT_ONCE] for start in range(0, len(keys), AT_ONCE)):
                for key, value, proof in database.execute(
                    f"{asked} ({', '.join('?' * len(part))})", part
                ):
                    data = (
                        value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value
                    )
                    if isinstance(data, bytes) and proof == digest(key, data):
                        kept[key] = data
        return kept

    def _write(self, rows: Sequence[tuple[bytes, bytes, str]]) -> bool:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with closing(self._open()) as database, database:
            database.executemany(f"INSERT OR REPLACE INTO {self._table} VALUES (?, ?, ?)", rows)  # noqa: S608
        return True

    def _open(self) -> sqlite3.Connection:
        database = sqlite3.connect(self.path, timeout=PATIENCE)
        columns = f"(key BLOB PRIMARY KEY, {self.kind.value} TEXT, proof TEXT)"
        try:
            if database.execute(
                "SELECT 1 FROM sqlite_master WHERE type IN ('view', 'trigger')"
            ).fetchone():
                raise sqlite3.DatabaseError("it computes what it says")  # which may take for ever
            database.execute(f"CREATE TABLE IF NOT EXISTS {self._table} {columns} WITHOUT ROWID")
        except BaseException:
            database.close()
            raise
        return database

    def _try(self, work: Callable[[], T]) -> T | None:
        """Return what work returns, or None where the database is damaged or cannot be used, and
        say so.
        """
        if not self._usable:
            return None
        try:
            return work()
        except (sqlite3.OperationalError, OSError) as error:
            self._usable = False
            self._warn(
                f"{self.path}: {self.kind.table} are not kept: {getattr(error, 'strerror', None) or error}"
            )
        except sqlite3.DatabaseError as error:
            self._warn(f"{self.path}: is damaged ({error}); it is made anew")
            try:
                self.path.unlink(missing_ok=True)
            except OSError as reason:
                self._usable = False
                self._warn(f"{self.path}: {self.kind.table} are not kept: {reason.strerror}")
        return None
