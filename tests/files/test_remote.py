"""Texts at addresses: in memory, on HTTP servers with and without ranges, and (opt-in) on S3.

PIPELINE_S3=1 python -m pytest tests/files/test_remote.py     needs s3fs and moto[server]
"""

from __future__ import annotations

import gzip
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest

from pipeline.cli.dispatch import main
from pipeline.data import Opener
from pipeline.data.config import Column, Input
from pipeline.errors import CorpusError, Problem
from pipeline.execution.options import RunOptions
from pipeline.files import Remote, WrittenPath, remote
from tests.config_files import problems, write
from tests.conftest import (
    PATIENCE,
    ROOT,
    RunLine,
    refused,
    run,
    tree,
    write_json,
    write_run,
)
from tests.support.web import Server, serving

pytest.importorskip("fsspec", reason="fsspec is not installed")
pytest.importorskip("aiohttp", reason="aiohttp is not installed")
pytestmark = pytest.mark.filterwarnings(
    "ignore::ResourceWarning", "ignore::DeprecationWarning"
)


@pytest.fixture(scope="module")
def running() -> Iterator[Server]:
    with serving() as server:
        yield server


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests work in a folder of their own."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def server(running: Server) -> Server:
    """A server without files, that gives ranges."""
    running.reset()
    return running


@pytest.fixture
def memory() -> Iterator[str]:
    """An empty folder of fsspec's file system in memory."""
    import fsspec

    system = fsspec.filesystem("memory")
    system.store.clear()
    yield "memory://folder"
    system.store.clear()


def put(name: str, data: bytes) -> None:
    import fsspec

    fsspec.filesystem("memory").pipe_file(f"/folder/{name}", data)


@pytest.fixture
def files(tmp_path: Path) -> dict[str, bytes]:
    """The texts of a random corpus of 700 lines by their names, and a config for them in the
    folder.
    """
    write_run(tmp_path, 700, systems="AB", chosen=["gleu[iter=3]", "bleu"])
    found = {
        path.name: path.read_bytes() for path in (tmp_path / "d").iterdir()
    }
    return {**found, "B.gz": gzip.compress(found["B"])}


def remote_config(folder: Path, base: str, **more: object) -> Path:
    content = {
        "datasets": {
            "d": {
                "source": f"{base}source",
                "references": [f"{base}ref0", f"{base}ref1"],
            }
        },
        "systems": {"A": f"{base}A", "B": f"{base}B.gz"},
        "metrics": ["gleu[iter=3]", "bleu"],
        **more,
    }
    path = folder / "remote.yaml"
    write_json(path, content)
    return path


# ---- texts


def test_texts_of_a_server_give_the_bytes_of_files(
    server: Server, files: dict[str, bytes], tmp_path: Path
) -> None:
    server.files, options = (
        files,
        RunOptions(n_jobs=2, backend="loky", shard_lines=256),
    )
    run(remote_config(tmp_path, server.url("")), tmp_path / "run", options)
    run(
        tmp_path / "config.yaml",
        tmp_path / "one",
        RunOptions(n_jobs=1, backend="serial"),
    )
    assert tree(tmp_path / "run") == tree(tmp_path / "one")


def test_texts_in_memory_give_the_bytes_of_files(
    memory: str, files: dict[str, bytes], tmp_path: Path
) -> None:
    """Also with processes, which see another memory."""
    for name, data in files.items():
        put(name, data)
    run(
        remote_config(tmp_path, f"{memory}/"),
        tmp_path / "run",
        RunOptions(n_jobs=2, backend="loky", shard_lines=256),
    )
    run(
        tmp_path / "config.yaml",
        tmp_path / "one",
        RunOptions(n_jobs=1, backend="serial"),
    )
    assert tree(tmp_path / "run") == tree(tmp_path / "one")


def test_lines_are_read_by_ranges_but_from_a_web_server_once(
    memory: str, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By hand: 1,000 lines of 4 bytes; lines 256 and 257 are in bytes 1024 to 1535, and of each 512
    a line is known.
    """
    monkeypatch.setattr("pipeline.data.scan.GRID_BYTES", 512)
    data = b"".join(b"%03d\n" % number for number in range(1000))
    server.files["a.txt"] = data
    put("a.txt", data)
    opener, positions = Opener(), [server.url("a.txt"), f"{memory}/a.txt"]
    with mock.patch.object(
        Remote, "is_ranged", lambda file: file.scheme == "memory"
    ):
        here, there = opener.open_all(
            [Remote(position) for position in positions], []
        )
    assert here is not None
    assert there is not None
    assert [text.display_name for text in (here, there)] == positions
    assert here.digest == there.digest
    before = len(server.heard)
    ranges: list[tuple[int, int]] = []
    original = Remote.read_range

    def watched(file: Remote, start: int, size: int) -> bytes:
        ranges.append((start, size))
        return original(file, start, size)

    monkeypatch.setattr(Remote, "read_range", watched)
    assert here.read(256, 258) == there.read(256, 258) == ["256", "257"]
    assert ranges == [(1024, 512)]
    assert len(server.heard) == before
    assert len(server.got) == 1


@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz"])
def test_what_is_kept_here_has_its_cap(name: str, server: Server) -> None:
    server.files = {
        "a.txt": b"a\n" * 1000,
        "a.txt.gz": gzip.compress(b"a\n" * 1000),
    }
    found: list[Problem] = []
    Opener(cap=1999).open_all([Remote(server.url(name))], found)
    assert [problem.position for problem in found] == [server.url(name)]
    assert (
        "unpacks, with what came before, to more than 1,999 bytes"
        in found[0].message
    )


def test_packed_files_and_columns_are_read(server: Server) -> None:
    server.files["a.jsonl.gz"] = gzip.compress(
        b'{"text": "a\\nb"}\n{"text": "c"}\n'
    )
    server.files["big.gz"] = gzip.compress(
        b"".join(b"%d\n" % number for number in range(remote.CHUNK_BYTES // 4))
    )
    expected: list[Input] = [
        Column(
            kind="jsonl", path=Remote(server.url("a.jsonl.gz")), column="text"
        ),
        Remote(server.url("big.gz")),
    ]
    texts, big = Opener().open_all(expected, [])
    assert texts is not None
    assert big is not None
    assert texts.read(0, 2) == ["a\nb", "c"]
    assert big.lines == remote.CHUNK_BYTES // 4


@pytest.mark.parametrize("tags", [True, False])
def test_a_text_that_changes_meanwhile_is_noticed(
    tags: bool, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By its tag; without one by its size alone. The server stands for one of objects, which are
    read by ranges.
    """
    monkeypatch.setattr(Remote, "is_ranged", lambda _: True)
    server.tags = tags
    server.files["a.txt"] = b"a\n" * 300
    (opened,) = Opener().open_all([Remote(server.url("a.txt"))], [])
    assert opened is not None
    assert not opened.has_changed()
    server.files["a.txt"] = b"b\n" * 300 if tags else b"b\n" * 301
    assert opened.has_changed()
    span = opened.span(0, 2)
    with pytest.raises(
        CorpusError,
        match=r"a\.txt: the file changed while it was being read; start again",
    ):
        span.read()


def test_a_server_that_fails_is_reported(server: Server) -> None:
    server.files["a.txt"] = b"a\nb\n"
    assert b"".join(Remote(server.url("a.txt")).stream()) == b"a\nb\n"
    server.fail = 1
    with pytest.raises(
        CorpusError, match=r"a\.txt: cannot be read: ClientResponseError: 503"
    ):
        list(Remote(server.url("a.txt")).stream())


# ---- what is told


def test_each_address_that_cannot_be_read_has_one_clear_line(
    server: Server, run_line: RunLine
) -> None:
    server.files = {"s.txt": b"a\n", "no": b"a\n", "bad": b"a\n\xff\n"}
    server.answers["no"] = lambda: (403, {}, b"")
    with socket.create_server(("127.0.0.1", 0)) as free:
        closed = f"http://127.0.0.1:{free.getsockname()[1]}/x"
    base = server.url("").replace("http://", "http://user:secret@")
    outputs = [
        f"{base}gone?key=secret",
        server.url("no"),
        server.url("bad"),
        closed,
        "s4://x/y",
        "zip://a::s3://b/c",
    ]
    result = refused(
        run_line(
            "score bleu -r", server.url("s.txt"), "-o", *outputs, "gs://b/c"
        )
    )
    found = [line.removeprefix("error: ") for line in result.splitlines()]
    assert "secret" not in result
    kinds = (
        "addresses of this kind are not read; known: http://, https://, s3://"
    )
    for line, expected in zip(
        found,
        [
            f"{server.url('gone')}?...: no such file there",
            f"{server.url('no')}: access is denied; are there credentials for it? (ClientResponseError: 403",
            f"{server.url('bad')}:2: byte 1 of the line (0xff) is not valid UTF-8",
            f"{closed}: cannot be read: ClientConnectorError: Cannot connect to host 127.0.0.1",
            f"s4://x/y: {kinds}",
            f"zip://a::s3://b/c: {kinds}",
            "gs://b/c: ",
        ],
        strict=True,
    ):
        assert line.startswith(expected)


@pytest.mark.parametrize(
    ("hidden", "url", "line"),
    [
        (
            "fsspec",
            "http://h/x",
            "http:// needs the package fsspec: pip install 'gec-pipeline[remote]'",
        ),
        (
            "aiohttp",
            "http://h/x",
            "http:// needs the package aiohttp: pip install 'gec-pipeline[remote]'",
        ),
        (
            "s3fs",
            "s3://b/x",
            "s3:// needs the package s3fs: pip install 'gec-pipeline[remote]' s3fs",
        ),
        (
            "gcsfs",
            "gs://b/x",
            "gs:// needs the package gcsfs: pip install 'gec-pipeline[remote]' gcsfs",
        ),
    ],
)
def test_a_missing_package_is_told_with_the_line_that_installs_it(
    hidden: str, url: str, line: str
) -> None:
    absent = dict.fromkeys(
        [hidden, *(["fsspec.core"] if hidden == "fsspec" else [])]
    )
    with (
        mock.patch.dict(sys.modules, absent),
        pytest.raises(CorpusError) as caught,
    ):
        Remote(url).fingerprint()
    assert str(caught.value) == f"{url}: {line}"


def test_what_else_is_an_address_is_refused_with_its_place(
    server: Server,
) -> None:
    found = problems(
        f"datasets: {{d: {{references: [r.txt], keep: '{server.url('x')}'}}}}\nsystems: {{A: a.txt}}\nmetrics: [bleu]\n"
    )
    expected = f"'{server.url('x')}' is an address; only source, references, m2 and outputs may be one"
    assert [line for line in found if "is an address" in line] == [
        f"c.yaml:1:37: datasets.d.keep: {expected}"
    ]


def test_names_of_addresses_show_no_secret() -> None:
    url = Remote("https://user:pw@host/a%20b/c%20d.txt.gz?X-Signature=secret")
    assert str(url) == "https://host/a%20b/c%20d.txt.gz?..."
    assert (url.name, url.suffix) == ("c d.txt.gz", ".gz")
    assert str(Remote("s3://bucket/what?.txt")) == "s3://bucket/what?.txt"


def test_a_file_address_is_a_path(tmp_path: Path) -> None:
    (tmp_path / "a b.txt").write_text("a\n")
    assert (
        WrittenPath(f"file://{tmp_path}/a%20b.txt").located(Path("x"))
        == tmp_path / "a b.txt"
    )
    assert WrittenPath("y/z").located(Path("x")) == Path("x/y/z")


# ---- globs


def test_globs_of_addresses_are_listed_in_natural_order(
    memory: str, tmp_path: Path
) -> None:
    for name in (
        "ref0",
        "ref2",
        "ref10",
        "out/sys1.txt",
        "out/sys10.txt",
        "out/sys2.txt",
    ):
        put(name, b"a b c d\n")
    config = {
        "datasets": {"d": {"references": [f"{memory}/ref*"]}},
        "systems": [f"{memory}/out/*.txt"],
        "metrics": ["bleu"],
    }
    write({"c.yaml": json.dumps(config)})
    found = run(Path("c.yaml"), tmp_path / "run")
    assert [score.system for score in found.scores] == ["sys1", "sys2", "sys10"]
    assert found.datasets["d"].references == 3


def test_globs_without_a_match_and_where_nothing_is_listed_are_told(
    memory: str, server: Server
) -> None:
    config = f"datasets: {{d: {{references: ['{memory}/ref*']}}}}\nsystems: ['s4://x/*']\nmetrics: [bleu]\n"
    assert server
    assert problems(config) == [
        f"c.yaml:1:29: datasets.d.references[0]: no file matches '{memory}/ref*'",
        next(
            line
            for line in problems(config)
            if line.startswith(
                "c.yaml:2:11: systems[0]: s4://x/*: addresses of"
            )
        ),
    ]


# ---- run directories


def test_a_run_directory_at_an_address_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = write_run(tmp_path, 5)
    reported = "s3://bucket/run: is an address; name a folder, and copy it there with the tool of your store"
    for command in (
        ["run", str(config), "--output"],
        ["show"],
        ["report", "--format", "csv", "--"],
        ["compare"],
    ):
        assert main([*command, "s3://user:secret@bucket/run"]) == 2
        assert reported in capsys.readouterr().err


# ---- S3


@pytest.fixture
def s3(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A bucket on a server of moto."""
    if not os.environ.get("PIPELINE_S3"):
        pytest.skip("PIPELINE_S3=1 is not set")
    import s3fs

    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    for key, value in {
        "FSSPEC_S3_ENDPOINT_URL": url,
        "AWS_ACCESS_KEY_ID": "x",
        "AWS_SECRET_ACCESS_KEY": "y",
        "AWS_DEFAULT_REGION": "us-east-1",
    }.items():
        monkeypatch.setenv(key, value)
    import fsspec.config

    fsspec.config.set_conf_env(fsspec.config.conf)
    with (tmp_path / "log").open("wb") as log:
        command = [sys.executable, "-m", "moto.server", "-p", str(port)]
        with subprocess.Popen(command, stdout=log, stderr=log) as process:
            end = time.monotonic() + PATIENCE
            while time.monotonic() < end:
                try:
                    socket.create_connection(("127.0.0.1", port), 1).close()
                    break
                except OSError:
                    time.sleep(0.05)
            s3fs.S3FileSystem(endpoint_url=url).mkdir("bucket")
            yield "s3://bucket"
            process.terminate()


def test_an_s3_server(s3: str, files: dict[str, bytes], tmp_path: Path) -> None:
    """Texts by ranges from threads and processes."""
    import fsspec

    system = fsspec.filesystem("s3")
    for name, data in files.items():
        system.pipe_file(f"bucket/{name}", data)
    config = remote_config(tmp_path, f"{s3}/")
    run(tmp_path / "config.yaml", tmp_path / "one")
    # a process of its own: loky's workers of earlier tests know no keys
    for backend in ("threading", "loky"):
        command = [
            "run",
            str(config),
            "--output",
            str(tmp_path / backend),
            "--n-jobs",
            "2",
            "--backend",
            backend,
            "-q",
        ]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        subprocess.run(
            [sys.executable, "-m", "pipeline", *command],
            env=environment,
            check=True,
            capture_output=True,
        )
        assert tree(tmp_path / backend) == tree(tmp_path / "one")
    with pytest.raises(
        CorpusError, match="s3://bucket/none: no such file there"
    ):
        Remote(f"{s3}/none").fingerprint()


# ---- servers that send nothing


def test_a_server_that_sends_nothing_is_given_up(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote, "SILENCE", 0.2)
    server.answers["a.txt"] = lambda: (
        200,
        {"Content-Length": "9", "X-Stall": "1"},
        b"a\n",
    )
    expected = r"a\.txt: the server sends nothing: 0\.2 seconds were waited; is it at work\?"
    with pytest.raises(CorpusError, match=expected):
        list(Remote(server.url("a.txt")).stream())
