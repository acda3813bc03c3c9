"""Results that are cached on this computer by a key of the content that they were made of.

A cache is an SQLite database, which any number of processes may use at once. It has a rollback
journal, not a write-ahead log, which is not safe if the folder of caches is on a network file
system. Each write is atomic.

A cache never makes work fail. A damaged one is deleted and made anew, and an unusable one is left
out, with a warning.
"""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import ClassVar, NamedTuple, TypeVar

from pipeline.data import DatasetCache
from pipeline.files import digest

T = TypeVar("T")
LOCK_SECONDS = 60
"""How long to wait for another process that writes. Writing takes milliseconds."""
KEYS_AT_ONCE = 500
"""Limits the keys of a query, as SQLite does."""


class Kind(NamedTuple):
    """What a cache holds."""

    file: str
    """The database below the folder of caches, with the number of its layout."""
    table: str
    """The table, or the prefix of its tables, which is also the name of the values in messages."""
    value: str
    """The column of values."""


class ContentCache:
    """Values by their keys, which are bytes. The database is made by the first write."""

    ANNOTATIONS: ClassVar = Kind(
        "annotations/errant-1.sqlite", "annotations", "edits"
    )
    """Edits of pairs of texts."""
    SCORES: ClassVar = Kind("scores/scores-1.sqlite", "scores", "numbers")
    """Numbers that functions of users have computed."""
    DIGESTS: ClassVar = Kind("scores/scores-1.sqlite", "digests", "digest")
    """Digests of large files: by path, size, time and number in the file system."""

    def __init__(
        self,
        kind: Kind,
        path: Path | None = None,
        warn: Callable[[str], None] = lambda _: None,
        *,
        of: str = "",
    ) -> None:
        """Take the kind; `of` is a metric with its own table: small letters, digits and _."""
        self.path = path or DatasetCache().folder / kind.file
        """The database."""
        self.kind = kind
        self._warn = warn
        self._usable = True
        self._table = f"{kind.table}_{of}" if of else kind.table

    def read(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return the values of those keys that are cached."""
        if not self.path.exists():
            return {}
        return self._try(lambda: self._read(keys)) or {}

    def write(self, values: Mapping[bytes, bytes]) -> None:
        """Store values, all of them or none."""
        rows = [
            (key, value, digest(key, value)) for key, value in values.items()
        ]
        if rows and self._try(lambda: self._write(rows)) is None:
            # the damaged database is deleted
            self._try(lambda: self._write(rows))

    def tables(self) -> list[tuple[str, int, int]]:
        """Return the metrics with their own tables: name, number of rows, bytes."""
        if not self.path.exists():
            return []
        return self._try(self._tables) or []

    def delete(self, of: str) -> None:
        """Delete all values of a metric."""

        def drop() -> None:
            with closing(self._open()) as database:
                database.execute(f"DROP TABLE IF EXISTS {self.kind.table}_{of}")
                database.execute("VACUUM")

        self._try(drop)

    def _tables(self) -> list[tuple[str, int, int]]:
        prefix = f"{self.kind.table}_"
        size = f"SUM(LENGTH(key) + LENGTH({self.kind.value}) + LENGTH(proof))"
        tables = []
        with closing(self._open()) as database:
            names = database.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table'"
            )
            for (name,) in sorted(names.fetchall()):
                if name.startswith(prefix) and name.isidentifier():
                    query = f"SELECT COUNT(*), {size} FROM {name}"  # noqa: S608 (our own names)
                    row = database.execute(query).fetchone()
                    tables.append(
                        (name.removeprefix(prefix), row[0], row[1] or 0)
                    )
        return tables

    def _read(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        values: dict[bytes, bytes] = {}
        columns = f"key, {self.kind.value}, proof"
        query = f"SELECT {columns} FROM {self._table} WHERE key IN"  # noqa: S608 (our own names)
        with closing(self._open()) as database:
            for start in range(0, len(keys), KEYS_AT_ONCE):
                part = keys[start : start + KEYS_AT_ONCE]
                marks = ", ".join("?" * len(part))
                for key, value, proof in database.execute(
                    f"{query} ({marks})", part
                ):
                    data = value
                    if isinstance(value, str):
                        data = value.encode("utf-8", "surrogatepass")
                    if isinstance(data, bytes) and proof == digest(key, data):
                        values[key] = data
        return values

    def _write(self, rows: Sequence[tuple[bytes, bytes, str]]) -> bool:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        query = f"INSERT OR REPLACE INTO {self._table} VALUES (?, ?, ?)"  # noqa: S608 (our own names)
        with closing(self._open()) as database, database:
            database.executemany(query, rows)
        return True

    def _open(self) -> sqlite3.Connection:
        database = sqlite3.connect(self.path, timeout=LOCK_SECONDS)
        columns = f"(key BLOB PRIMARY KEY, {self.kind.value} TEXT, proof TEXT)"
        computing = (
            "SELECT 1 FROM sqlite_master WHERE type IN ('view', 'trigger')"
        )
        try:
            if database.execute(computing).fetchone():
                # which may take for ever
                raise sqlite3.DatabaseError("it computes what it says")
            database.execute(
                f"CREATE TABLE IF NOT EXISTS {self._table} {columns} WITHOUT ROWID"
            )
        except BaseException:
            database.close()
            raise
        return database

    def _try(self, work: Callable[[], T]) -> T | None:
        """Return what work returns, or None with a warning if the database is damaged or unusable."""
        if not self._usable:
            return None
        try:
            return work()
        except (sqlite3.OperationalError, OSError) as error:
            self._give_up(getattr(error, "strerror", None) or error)
        except sqlite3.DatabaseError as error:
            self._warn(f"{self.path}: is damaged ({error}); it is made anew")
            try:
                self.path.unlink(missing_ok=True)
            except OSError as reason:
                self._give_up(reason.strerror)
        return None

    def _give_up(self, reason: object) -> None:
        self._usable = False
        self._warn(f"{self.path}: {self.kind.table} are not kept: {reason}")
