"""Files that are none: pipes, devices, sockets, folders and what the system makes up, wherever a
file can be named.
"""

from __future__ import annotations

import io
import os
import shutil
import socket
import sys
from collections import namedtuple
from pathlib import Path

import pytest

from pipeline.errors import CorpusError
from pipeline.files import (
    TempFiles,
    WrittenPath,
    open_bytes,
    plain_files,
    small_bytes,
)
from pipeline.files.plain_files import is_plain
from tests.conftest import ROOT, gec_pipeline, open_text, write_json

if sys.platform != "linux":
    pytest.skip("the files are those of Linux", allow_module_level=True)


DOORS = """
score bleu -r FILE -o careful.txt
score bleu -r careful.txt -o FILE
score rouge --stop-words FILE -r careful.txt -o careful.txt
explain gleu -s source.txt -r careful.txt -o FILE --line 1
validate FILE
run FILE
run lines.yaml
run included.yaml
""".strip().splitlines()
"""Commands that read a file, each in another place of the program."""
KINDS = {
    "zero": "is a device",
    "socket": "is a socket",
    "folder": "is a folder",
    "pipe": "is a pipe that no program has opened",
    "made_up": "is a file that the system makes up",
    "empty": "",
}
"""Names of files, and what messages say of each."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample, a run, configs that name a file in each way, and the files."""
    path = tmp_path_factory.mktemp("special")
    shutil.copy(ROOT / "data" / "systems" / "careful.txt", path)
    shutil.copy(ROOT / "data" / "source.txt", path)
    words = (path / "source.txt").read_text("utf-8").splitlines()
    blocks = "".join(f"S {line}\n\n" for line in words)
    (path / "a.m2").write_text(blocks, "utf-8")
    data: dict[str, object] = {
        "source": "source.txt",
        "references": ["careful.txt"],
    }
    config: dict[str, object] = {
        "datasets": {"d": data},
        "systems": {"A": "careful.txt"},
        "metrics": ["bleu"],
        "output": {"dir": "run"},
    }
    changes: dict[str, dict[str, object]] = {
        "run": {},
        "lines": {"datasets": {"d": data | {"keep": "FILE"}}},
        "judgements": {"human": {"file": "FILE"}},
        "included": {"include": ["FILE"]},
        "expected": {"columns": {"c": {"file": "FILE"}}},
        "numbers": {
            "metrics": [{"name": "external", "title": "x", "files": "FILE"}]
        },
    }
    for name, change in changes.items():
        write_json(path / f"{name}.yaml", config | change)
    assert gec_pipeline(f"run {path}/run.yaml -q --output {path}/run") == 0
    (path / "zero").symlink_to("/dev/zero")
    (path / "made_up").symlink_to("/proc/self/maps")
    (path / "folder").mkdir()
    os.mkfifo(path / "pipe")
    (path / "empty").touch()
    with socket.socket(socket.AF_UNIX) as created:
        os.chdir(path)  # the name of a socket is short
        created.bind("socket")
    return path


def check_door(
    folder: Path,
    door: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Check that a command ends at once in a message that says what the file is; an empty one is a
    file.
    """
    monkeypatch.chdir(folder)
    monkeypatch.setattr(plain_files, "PIPE_SECONDS", 0)
    for name, words in KINDS.items():
        command = door.replace("FILE", name).split()
        if ".yaml" in door:
            content = (
                (folder / command[-1]).read_text("utf-8").replace("FILE", name)
            )
            (folder / "c.yaml").write_text(content, "utf-8")
            command[-1] = "c.yaml"
        try:
            code = gec_pipeline(*command)
        except SystemExit as ended:
            code = int(ended.code or 0)
        result = capsys.readouterr().err
        assert (code == 2) or name == "empty", (command, result)
        assert words in result or (
            name == "folder" and "no results of a run" in result
        ), (
            command,
            result,
        )
        assert "Traceback" not in result


@pytest.mark.parametrize("door", DOORS)
def test_only_files_are_read(
    folder: Path,
    door: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    check_door(folder, door, monkeypatch, capsys)


def test_a_file_that_is_read_is_not_waited_for(folder: Path) -> None:
    """Nobody may put a pipe in the place of a file that was looked at."""
    for name in ("pipe", "zero", "folder"):
        with pytest.raises(CorpusError), open_bytes(folder / name, name):
            pass
    assert small_bytes(folder / "empty", 0) == b""
    assert is_plain(folder / "empty")


def test_endless_input_stops_at_a_share_of_the_free_space(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A tenth, or half of what is little; what a config allows stays."""
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(plain_files, "CHUNK_BYTES", 1 << 10)
    for free, limit in (
        (10_000, 5_000),
        (10 << 30, 1 << 30),
        (1 << 40, TempFiles.DEFAULT_CAP),
    ):
        monkeypatch.setattr(
            shutil, "disk_usage", lambda _, free=free: usage(free, 0, free)
        )
        temp_files = TempFiles(TempFiles.DEFAULT_CAP)
        temp_files.new()
        assert temp_files.remaining == limit
    monkeypatch.setattr(
        shutil, "disk_usage", lambda _: usage(10_000, 0, 10_000)
    )
    assert TempFiles(9_000).write("x", [b"a" * 8_000]).stat().st_size == 8_000
    with open("/dev/zero", "rb") as endless:  # noqa: PTH123
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(endless))
        with pytest.raises(
            CorpusError,
            match=r"standard input: unpacks, with .* to more than 5,000 bytes; is it meant",
        ):
            TempFiles(TempFiles.DEFAULT_CAP).local(WrittenPath.STDIN)


@pytest.mark.parametrize("way", ["pipe", "zero"])
def test_a_worker_does_not_wait_for_what_was_put_in_the_place_of_a_text(
    tmp_path: Path, way: str
) -> None:
    """Found by the program of faults: nobody wrote the pipe, and the run stood still."""
    text = tmp_path / "text"
    text.write_text("a b\nc d\n", "utf-8")
    opened = open_text(text)
    assert not opened.has_changed()
    text.unlink()
    if way == "pipe":
        os.mkfifo(text)
    else:
        text.symlink_to("/dev/zero")
    with pytest.raises(CorpusError):
        opened.read(0, 2)
    assert opened.has_changed()
