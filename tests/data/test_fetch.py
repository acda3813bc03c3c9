"""Fetching data sets: what mirrors do wrong, what is kept, and that it goes on. Nothing here leaves
the loopback.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pipeline.data import Catalogue, DatasetCache, catalogue, dataset_cache
from pipeline.errors import DataError
from pipeline.files import remote
from tests.conftest import RunLine, gec_pipeline, printed, refused
from tests.support.web import Answer, Server, serving

COMMIT = "0123456789abcdef0123456789abcdef01234567"
FILES = {
    "a": b"one\n",
    "b+c": b"two words\n" * 30,
    "deep/er/d.txt": bytes(range(256)) * 1000,
    "e": b"",
}
"""Files of the data set toy; e is empty, the third is longer than a piece."""
PLACE = f"copies/who/what/{COMMIT}/some/"
"""Where the server has them."""


@pytest.fixture(autouse=True)
def toy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A catalogue of one data set, an empty cache, no mirror; return the cache."""
    entries = {
        name: {
            "path": f"some/{name}",
            "bytes": str(len(data)),
            "sha256": hashlib.sha256(data).hexdigest(),
        }
        for name, data in FILES.items()
    }
    group = {
        "repository": "who/what",
        "commit": COMMIT,
        "licence": "not stated",
        "cite": [],
        "files": entries,
    }
    known = catalogue.read_catalogue(
        json.dumps({"toy": {"title": "a toy", "from": [group]}})
    )
    monkeypatch.setattr(Catalogue, "known", lambda: known)
    # were the mirror forgotten, it would be refused
    monkeypatch.setattr(dataset_cache, "ORIGIN", "http://127.0.0.1:9")
    monkeypatch.delenv("GEC_PIPELINE_MIRROR", raising=False)
    monkeypatch.setenv("GEC_PIPELINE_DATA", str(tmp_path / "cache"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    return tmp_path / "cache"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A mirror in a folder."""
    for name, data in FILES.items():
        path = tmp_path / "mirror" / "who" / "what" / COMMIT / "some" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return tmp_path / "mirror"


def fetch(
    name: str,
    files: list[str] | None = None,
    mirror: str | None = None,
    warn: Callable[[str], None] = lambda _: None,
) -> list[Path]:
    """Fetch files of a data set (None: all) as the command does; raise what went wrong."""
    expected = [
        file
        for text in files or [""]
        for file in Catalogue.known().files(f"{name}/{text}" if text else name)
    ]
    done = DatasetCache().fetch(expected, mirror, warn)
    if done.problems:
        raise DataError(done.problems)
    return [DatasetCache().path(file) for file in expected]


@pytest.fixture
def server() -> Iterator[Server]:
    """A mirror on the loopback."""
    with serving() as created:
        created.files = {PLACE + name: data for name, data in FILES.items()}
        yield created


def inside(cache: Path) -> dict[str, bytes]:
    """Return every file of the cache but the lock; no folder is empty."""
    assert all(
        any(path.iterdir()) for path in cache.rglob("*") if path.is_dir()
    )
    return {
        path.relative_to(cache / "toy").as_posix(): path.read_bytes()
        for path in sorted(cache.rglob("*"))
        if path.is_file() and path.name != ".toy.lock"
    }


def error_of(run_line: RunLine, line: str, *more: str) -> str:
    """Run `data fetch`, which fails; return what it says on standard error behind `error: `."""
    code, _, result = run_line(f"data fetch {line}", *more)
    assert code == 2
    assert "Traceback" not in result
    return "\n".join(line for line in result.splitlines() if "error:" in line)


@pytest.mark.parametrize(
    "how", ["folder", "file", "http", "environment", "relative"]
)
def test_every_kind_of_mirror_gives_the_same_files(
    how: str,
    toy: Path,
    folder: Path,
    server: Server,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(folder.parent)
    mirrors = {
        "folder": str(folder),
        "file": folder.as_uri(),
        "http": server.url("copies"),
        "relative": "mirror",
    }
    if how == "environment":
        monkeypatch.setenv("GEC_PIPELINE_MIRROR", server.url("copies/"))
    reported: list[str] = []
    found = fetch("toy", mirror=mirrors.get(how), warn=reported.append)
    assert [path.relative_to(toy).as_posix() for path in found] == [
        f"toy/{name}" for name in FILES
    ]
    assert inside(toy) == dict(sorted(FILES.items()))
    assert len(reported) == 4
    assert DatasetCache().missing_files("toy") == []
    assert DatasetCache().path_of("data:toy/b+c").read_bytes() == FILES["b+c"]


def test_a_folder_needs_no_package_and_the_web_names_the_one_it_needs(
    folder: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("fsspec", "fsspec.core", "aiohttp"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(
        DataError, match=r"pip install 'gec-pipeline\[remote\]'"
    ):
        fetch("toy", mirror=server.url("copies"))
    fetch("toy", mirror=str(folder))
    assert DatasetCache().missing_files("toy") == []


def test_what_is_here_is_not_asked_for_again(
    toy: Path, server: Server, run_line: RunLine
) -> None:
    fetch("toy", ["a", "deep"], server.url("copies"))
    # the same size: only its checksum tells
    (toy / "toy" / "a").write_bytes(b"0ne\n")
    server.heard.clear()
    assert gec_pipeline(f"data fetch toy --mirror {server.url()}copies -q") == 0
    assert [request.path for request in server.got] == [
        f"{PLACE}{name}" for name in ("a", "b%2Bc", "e")
    ]
    server.heard.clear()
    # no mirror, no network: nothing is needed
    assert (
        printed(run_line("data fetch toy"))
        == f"toy: 4 here before: {toy / 'toy'}\n"
    )


FAULTS: dict[str, tuple[Callable[[], Answer], str]] = {
    "another content": (
        lambda: (200, {}, b"x" * 300),
        "expected 300 bytes with sha256 {sha}, found 300 bytes with",
    ),
    "too short": (lambda: (200, {}, FILES["b+c"][:-1]), "found 299 bytes"),
    "too long": (
        lambda: (200, {}, FILES["b+c"] * 9),
        "expected 300 bytes, found more",
    ),
    "cut off": (
        lambda: (200, {"Content-Length": "300"}, FILES["b+c"][:100]),
        "cannot be read: ClientPayloadError",
    ),
    "not there": (lambda: (404, {}, b"no"), "no such file there"),
    "broken server": (
        lambda: (500, {}, b"no"),
        "cannot be read: ClientResponseError: 500",
    ),
    "round and round": (
        lambda: (302, {"Location": f"/{PLACE}b+c"}, b""),
        "cannot be read: TooManyRedirects",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_file_that_is_wrong_is_told_and_the_others_are_kept(
    fault: str, toy: Path, server: Server, run_line: RunLine
) -> None:
    answer, message = FAULTS[fault]
    server.answers[f"{PLACE}b+c"] = answer
    result = error_of(run_line, f"toy --mirror {server.url()}copies")
    assert result.startswith("error: toy/b+c: ")
    assert (
        message.format(sha=hashlib.sha256(FILES["b+c"]).hexdigest()) in result
    )
    assert result.endswith(f": {server.url(PLACE)}b%2Bc")
    assert len(result.splitlines()) == 1
    assert inside(toy) == {
        name: data for name, data in sorted(FILES.items()) if name != "b+c"
    }
    server.answers.clear()
    server.heard.clear()
    assert gec_pipeline(f"data fetch toy --mirror {server.url()}copies") == 0
    assert inside(toy) == dict(sorted(FILES.items()))
    assert len(server.got) == 1  # it goes on with what is missing


@pytest.mark.parametrize("code", [401, 403, 429, 503])
def test_a_server_that_refuses_is_not_asked_again(
    code: int, toy: Path, server: Server, run_line: RunLine
) -> None:
    server.answers[f"{PLACE}b+c"] = lambda: (code, {}, b"no")
    result = error_of(run_line, f"toy --mirror {server.url()}copies")
    assert f"ClientResponseError: {code}" in result
    assert "files still to fetch: 3" in result
    assert inside(toy) == {"a": FILES["a"]}


def test_a_redirect_is_followed_and_checked(
    toy: Path, server: Server, run_line: RunLine
) -> None:
    server.answers[f"{PLACE}a"] = lambda: (
        302,
        {"Location": f"/{PLACE}moved"},
        b"",
    )
    server.files[f"{PLACE}moved"] = FILES["a"]
    fetch("toy", ["a"], server.url("copies"))
    server.answers[f"{PLACE}e"] = server.answers[f"{PLACE}a"]
    assert "expected 0 bytes, found more" in error_of(
        run_line, f"toy/e --mirror {server.url()}copies"
    )
    assert inside(toy) == {"a": FILES["a"]}


def test_a_server_that_falls_silent_is_given_up(
    toy: Path,
    server: Server,
    run_line: RunLine,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(remote, "SILENCE", 0.2)
    server.answers[f"{PLACE}b+c"] = lambda: (
        200,
        {"Content-Length": "300", "X-Stall": "1"},
        FILES["b+c"][:100],
    )
    assert (
        gec_pipeline(f"data fetch toy/a --mirror {server.url()}copies -q") == 0
    )
    result = error_of(run_line, f"toy --mirror {server.url()}copies")
    assert "the server sends nothing: 0.2 seconds were waited" in result
    assert "run the same command again" in result
    assert inside(toy) == {"a": FILES["a"]}


def test_an_interrupted_fetch_goes_on(
    toy: Path, folder: Path, run_line: RunLine
) -> None:
    def interrupt(text: str) -> None:
        if text.startswith("toy/b+c"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fetch("toy", mirror=str(folder), warn=interrupt)
    assert list(inside(toy)) == ["a", "b+c"]
    left = toy / "toy" / ".deep.0badcafe.tmp"  # of a process that was killed
    left.write_bytes(b"half")
    assert "toy: 2 fetched, 2 here before" in printed(
        run_line(f"data fetch toy --mirror {folder}")
    )
    assert inside(toy) == dict(sorted(FILES.items()))


def test_an_interruption_within_a_file_leaves_nothing_of_it(
    toy: Path, folder: Path
) -> None:
    def interrupt(_done: int, _whole: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        DatasetCache().fetch(
            Catalogue.known().files("toy"), str(folder), progress=interrupt
        )
    assert inside(toy) == {}


def closed_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


@pytest.mark.parametrize("by", ["mirror", "environment", "origin"])
def test_without_a_network_one_message_says_so(
    by: str,
    toy: Path,
    monkeypatch: pytest.MonkeyPatch,
    run_line: RunLine,
) -> None:
    address = f"http://user:secret@127.0.0.1:{closed_port()}"
    mirror = f"--mirror {address}" if by == "mirror" else ""
    if by == "environment":
        monkeypatch.setenv("GEC_PIPELINE_MIRROR", address)
    monkeypatch.setattr(dataset_cache, "ORIGIN", address)
    result = error_of(run_line, f"toy {mirror}")
    assert "toy/a: http://127.0.0.1:" in result
    assert "cannot be read: ClientConnectorError" in result
    assert "files still to fetch: 4" in result
    assert "secret" not in result
    assert len(result.splitlines()) == 1
    assert inside(toy) == {}


@pytest.mark.parametrize(
    ("mirror", "message"),
    [
        ("nowhere", "--mirror: 'nowhere' is no folder"),
        ("", "--mirror: '' is no folder"),
        ("a\0b", "is no folder"),
        (
            "ftp://host/folder",
            "addresses of this kind are not read; known: http://, https://, s3://",
        ),
        ("http://", "names no host"),
        ("http://[::1", "cannot be read: "),
    ],
)
def test_a_mirror_that_is_none(
    mirror: str, message: str, toy: Path, run_line: RunLine
) -> None:
    result = error_of(run_line, "toy --mirror", mirror)
    assert message in result
    assert len(result.splitlines()) == 1
    assert not any(toy.rglob("a"))


def test_a_mirror_of_the_environment_that_is_none(
    monkeypatch: pytest.MonkeyPatch, run_line: RunLine
) -> None:
    monkeypatch.setenv("GEC_PIPELINE_MIRROR", "nowhere")
    assert "GEC_PIPELINE_MIRROR: 'nowhere' is no folder" in error_of(
        run_line, "toy"
    )


def test_a_folder_that_has_a_part(
    toy: Path, folder: Path, run_line: RunLine
) -> None:
    base = folder / "who" / "what" / COMMIT / "some"
    (base / "a").unlink()
    (base / "e").unlink()
    (base / "e").mkdir()
    (base / "b+c").unlink()
    os.mkfifo(base / "b+c")  # would be waited for
    result = error_of(run_line, f"toy --mirror {folder}")
    assert f"toy/a: is not there: {base / 'a'}" in result
    assert f"toy: is no regular file, 2 files of {folder}: b+c, e" in result
    assert list(inside(toy)) == ["deep/er/d.txt"]


def test_two_at_once_do_not_disturb_each_other(
    toy: Path, server: Server
) -> None:
    threads = [
        threading.Thread(target=fetch, args=("toy", None, server.url("copies")))
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert inside(toy) == dict(sorted(FILES.items()))
    # each file once: the others waited for the lock
    assert len(server.got) == 4


@pytest.mark.parametrize("how", ["closed", "a file"])
def test_a_cache_that_cannot_be_written(
    how: str, toy: Path, folder: Path, run_line: RunLine
) -> None:
    if how == "a file":
        toy.write_bytes(b"mine")
    elif os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    else:
        toy.mkdir(mode=0o500)
    result = error_of(run_line, f"toy --mirror {folder}")
    assert "cannot be written: " in result
    assert "GEC_PIPELINE_DATA" in result


def test_a_full_disk(
    toy: Path,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    run_line: RunLine,
) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    fetch("toy", ["a"], str(folder))
    monkeypatch.setattr(os, "fsync", full)
    result = error_of(run_line, f"toy --mirror {folder}")
    assert (
        f"{toy / 'toy' / 'b+c'}: cannot be written: No space left on device; make room"
        in result
    )
    assert "files still to fetch: 3" in result
    assert inside(toy) == {"a": FILES["a"]}


def test_links_in_the_cache_are_not_written_through(
    toy: Path, folder: Path, tmp_path: Path, run_line: RunLine
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "precious").write_bytes(b"mine")
    (toy / "toy").mkdir(parents=True)
    (toy / "toy" / "deep").symlink_to(outside)
    (toy / "toy" / "a").symlink_to(outside / "precious")
    (toy / ".toy.lock").symlink_to(outside / "precious")
    result = error_of(run_line, f"toy --mirror {folder}")
    assert f"{toy / 'toy' / 'deep'}: is a link" in result
    assert [path.name for path in outside.iterdir()] == ["precious"]
    assert (outside / "precious").read_bytes() == b"mine"
    assert not (toy / "toy" / "a").is_symlink()  # replaced, not written through
    for path in (toy / "toy").glob("*"):
        path.unlink()
    (toy / "toy").rmdir()
    (toy / "toy").symlink_to(outside)
    assert "is a link" in error_of(run_line, f"toy --mirror {folder}")
    assert [path.name for path in outside.iterdir()] == ["precious"]


def test_verify_tells_what_is_missing_or_changed(
    toy: Path, folder: Path, run_line: RunLine
) -> None:
    assert f"nothing is in {toy}" in printed(run_line("data verify"))
    fetch("toy", mirror=str(folder))
    assert printed(run_line("data verify")) == "toy: 4 files, as published\n"
    (toy / "toy" / "a").write_bytes(b"0ne\n")
    (toy / "toy" / "e").unlink()
    (toy / "toy" / "e").mkdir()
    (toy / "toy" / "b+c").unlink()
    message = refused(run_line("data verify"))
    assert "toy: 1 of 4 files missing: b+c" in message
    assert "toy: 2 of 4 files changed: a, e" in message
    assert "gec-pipeline data fetch toy" in message
    with pytest.raises(
        DataError,
        match=r"toy/a is changed in .*; fetch it: gec-pipeline data fetch toy",
    ):
        DatasetCache().path_of("data:toy/a")


def test_path_prints_folder_and_file(
    toy: Path,
    folder: Path,
    run_line: RunLine,
) -> None:
    assert printed(run_line("data path")) == f"{toy}\n"
    assert "gec-pipeline data fetch toy" in refused(run_line("data path toy"))
    fetch("toy", ["deep"], str(folder))
    assert (
        printed(run_line("data path data:toy/deep/er/d.txt"))
        == f"{toy}/toy/deep/er/d.txt\n"
    )
    note = "note: 3 of its files are missing or changed: gec-pipeline data verify toy\n"
    assert run_line("data path toy") == (0, f"{toy}/toy\n", note)
    assert "did you mean 'deep/er/d.txt'?" in refused(
        run_line("data path toy/deep/er/f.txt")
    )


@pytest.mark.parametrize(
    "name",
    [
        "../toy",
        "toy/../toy/a",
        "/etc/passwd",
        "toy//etc/passwd",
        "toy/..",
        "TOY/a",
        "toy/A*",
    ],
)
def test_names_that_are_none_lead_nowhere(
    name: str, folder: Path, run_line: RunLine
) -> None:
    result = error_of(run_line, f"{name} --mirror {folder}")
    assert "no data set" in result or "has no file" in result


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("toy", list(FILES)),
        ("toy/deep", ["deep/er/d.txt"]),
        ("data:toy/deep/", ["deep/er/d.txt"]),
        ("toy/*", ["a", "b+c", "e"]),
        ("toy/*/er/*.txt", ["deep/er/d.txt"]),
    ],
)
def test_parts_of_a_data_set(pattern: str, names: list[str]) -> None:
    assert [file.name for file in Catalogue.known().files(pattern)] == names


def test_fetch_wants_a_name(run_line: RunLine) -> None:
    assert "name data sets, or --all, not both; known: toy" in error_of(
        run_line, ""
    )
    assert "name data sets, or --all" in error_of(run_line, "toy --all")
    assert "did you mean '--mirror'?" in error_of(run_line, "toy --miror x")


def test_descriptions_have_plain_names_and_whole_checksums() -> None:
    """They become paths in the cache and parts of addresses."""
    values = catalogue.read_catalogue(catalogue._text("datasets.yaml"))
    files = [file for entry in values.values() for file in entry.files.values()]
    assert len(files) > 100
    for file in files:
        steps = f"{file.key}/{file.path}".split("/")
        assert all(
            re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._+ -]*", step)
            for step in steps
        ), file
        if not file.how_to_obtain:
            assert re.fullmatch(
                "[0-9a-f]{40} [0-9a-f]{64}", f"{file.commit} {file.sha256}"
            ), file
            assert re.fullmatch(
                r"[A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9._-]*[A-Za-z0-9_-]",
                file.repository,
            ), file


@pytest.mark.parametrize(
    ("platform", "variables", "folder"),
    [
        ("linux", {"XDG_CACHE_HOME": "/x/y"}, "/x/y/gec-pipeline"),
        # as the specification wants
        (
            "linux",
            {"XDG_CACHE_HOME": "relative"},
            "/home/me/.cache/gec-pipeline",
        ),
        ("darwin", {}, "/home/me/Library/Caches/gec-pipeline"),
        ("linux", {"GEC_PIPELINE_DATA": "~/data"}, "/home/me/data"),
    ],
)
def test_the_cache_is_where_the_platform_has_it(
    platform: str,
    variables: dict[str, str],
    folder: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("GEC_PIPELINE_DATA", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"HOME": "/home/me", **variables}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", platform)
    assert DatasetCache().folder == Path(folder)
