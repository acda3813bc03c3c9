"""A cache on disk that is damaged, locked, of another make or no file: work goes on, and one line
says why.
"""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from pipeline.extensions.functions import content_cache
from pipeline.extensions.functions.content_cache import ContentCache

if sys.platform == "win32":
    pytest.skip("needs pipes and links", allow_module_level=True)


ENDLESS = """
WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r)
SELECT randomblob(9) AS key, 'x' AS numbers, '' AS proof FROM r
"""


def replaced(*statements: str) -> Callable[[Path], object]:
    """Return a function that makes another database in the place of a cache."""

    def make(path: Path) -> None:
        path.unlink()
        with closing(sqlite3.connect(path)) as database, database:
            for statement in statements:
                database.execute(statement)

    return make


def special(make: Callable[[Path], object]) -> Callable[[Path], object]:
    def put(path: Path) -> None:
        path.unlink()
        make(path)

    return put


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5000])


MENDED: dict[str, Callable[[Path], object]] = {
    "noise": lambda path: path.write_bytes(os.urandom(9000)),
    "cut": cut,
    "endless": replaced(f"CREATE VIEW scores_a AS {ENDLESS}"),
    "trigger": replaced(
        "CREATE TABLE scores_a (key, numbers, proof)",
        f"CREATE VIEW b AS {ENDLESS}",
    ),
    "newer": lambda path: path.write_bytes(
        path.read_bytes()[:18] + b"\x09\x09" + path.read_bytes()[20:]
    ),
    "empty": lambda path: path.write_bytes(b""),
}
LEFT_OUT: dict[str, Callable[[Path], object]] = {
    "columns": replaced("CREATE TABLE scores_a (a, b)"),
    "folder": special(lambda path: path.mkdir()),
    "pipe": special(os.mkfifo),
    "endless file": special(lambda path: path.symlink_to("/dev/zero")),
}


def a_cache(path: Path, reported: list[str]) -> ContentCache:
    return ContentCache(ContentCache.SCORES, path, reported.append, of="a")


@pytest.mark.parametrize("way", [*MENDED, *LEFT_OUT])
def test_a_cache_is_never_why_work_fails(tmp_path: Path, way: str) -> None:
    path, reported = tmp_path / "c.sqlite", list[str]()
    a_cache(path, reported).write({b"%d" % n: b"1" * 40 for n in range(100)})
    assert a_cache(path, reported).read([b"7"]) == {b"7": b"1" * 40}
    (MENDED | LEFT_OUT)[way](path)
    values = a_cache(path, reported)
    assert values.read([b"7"]) in ({}, {b"7": b"1" * 40})
    values.write({b"8": b"2"})
    values.tables()
    assert len(reported) == (way != "empty")
    assert a_cache(path, reported).read([b"8"]) == (
        {b"8": b"2"} if way in MENDED else {}
    )


def test_a_cache_that_is_locked_for_good_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(content_cache, "LOCK_SECONDS", 0)
    path, reported = tmp_path / "c.sqlite", list[str]()
    a_cache(path, reported).write({b"7": b"1"})
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        values = a_cache(path, reported)
        assert values.read([b"7"]) == {}
        values.write({b"8": b"2"})
        assert reported == [f"{path}: scores are not kept: database is locked"]
    assert a_cache(path, reported).read([b"7", b"8"]) == {b"7": b"1"}
