"""What is found in large texts is kept: opened again, such a text is the same, and no byte of it is
read.
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import numpy as np
import pytest

from pipeline import cli
from pipeline.data import input_files, kept_stretches, scan
from pipeline.data.input_files import Opener
from pipeline.data.texts import TextFile, read_texts
from pipeline.errors import DataError

SIZE = 3_900_000
"""Bytes of the text: four stretches of one leaf each."""
SMALL_STRETCHES = """
from pipeline.corpus import input_files, kept_stretches, scan
scan.RANGE = input_files.RANGE = scan.LEAF
input_files.NEAR, scan.SETTLED = 1, -9
"""


@pytest.fixture(autouse=True)
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("GEC_PIPELINE_DATA", str(tmp_path / "caches"))
    monkeypatch.chdir(tmp_path)
    with (
        mock.patch.object(scan, "RANGE", scan.LEAF),
        mock.patch.multiple(input_files, RANGE=scan.LEAF, NEAR=1),
        mock.patch.object(scan, "SETTLED", -9.0),  # the files were written just now
    ):
        yield


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "a.txt"
    line = b"%07d one caf\xc3\xa9 two\n"
    path.write_bytes(
        b"".join(line % number if number % 9 else b" \n" for number in range(SIZE // 20))
    )
    return path


def opened(path: Path, *, keeps: bool = True) -> tuple[TextFile, int]:
    """Return an opened text, and the bytes that were read for that."""
    opener = Opener(keeps=keeps)
    (file,) = opener.open_all([path], [])
    assert file is not None
    return file, opener.read


def same(one: TextFile, two: TextFile) -> bool:
    return (
        one == two
        and np.array_equal(one.marks, two.marks)
        and np.array_equal(one.blank_bits, two.blank_bits)
    )


def test_a_text_that_is_as_it_was_is_not_read_again(text: Path) -> None:
    size = text.stat().st_size
    expected, read = opened(text, keeps=False)
    assert read == size
    for number, whole in enumerate((size, 0, 0)):
        file, read = opened(text)
        assert (read, same(file, expected)) == (whole, True), number
    assert opened(text, keeps=False)[1] == size


def test_a_text_that_has_changed_or_grown_is_read(text: Path) -> None:
    opened(text)
    content = text.read_bytes()
    for changed in (content.replace(b"one", b"ONE"), content + b"more\n"):
        text.write_bytes(changed)
        file, read = opened(text)
        assert (read, same(file, opened(text, keeps=False)[0])) == (len(changed), True)


def test_a_text_that_was_written_just_now_is_not_kept(
    text: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It might be written again without a change of its stamp."""
    monkeypatch.setattr(scan, "SETTLED", 3600.0)
    assert [opened(text)[1] for _ in range(2)] == [text.stat().st_size] * 2


def test_a_text_in_which_something_is_wrong_is_told_each_time(text: Path) -> None:
    text.write_bytes(text.read_bytes() + b"\x80\n")
    told = []
    for _ in range(2):
        problems: list[object] = []
        assert Opener(keeps=True).open_all([text], problems) == [None]  # type: ignore[arg-type]
        told.append(list(map(str, problems)))
    assert told[0] == told[1]
    assert "(0x80) is not valid UTF-8" in told[0][0]


def test_a_damaged_cache_and_none_at_all_are_left_out(text: Path, tmp_path: Path) -> None:
    expected, _ = opened(text)
    database = tmp_path / "caches" / kept_stretches.OPENED.file
    database.write_bytes(b"no database" * 999)
    assert same(opened(text)[0], expected)
    database.unlink()
    database.mkdir()
    assert same(opened(text)[0], expected)
    with mock.patch.object(kept_stretches, "ContentCache", side_effect=DataError("no home")):
        assert same(opened(text)[0], expected)


def test_all_is_dropped_where_it_becomes_too_much(
    text: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_stretches, "MOST", 99)
    assert [opened(text)[1] > 0 for _ in range(3)] == [True, True, True]


def test_a_killed_program_has_kept_what_it_found(text: Path) -> None:
    """Of four stretches it scans two, and is killed with -9 in the third."""
    program = f"""
import os, signal
from pathlib import Path
{SMALL_STRETCHES}
scans, scan_one = [], scan.Stretch.scan
def counted(stretch):
    scans.append(stretch)
    if len(scans) == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return scan_one(stretch)
scan.Stretch.scan = counted
input_files.Opener(keeps=True).open_all([Path("a.txt")], [])
"""
    ended = subprocess.run([sys.executable, "-c", program], check=False)
    assert ended.returncode == -signal.SIGKILL
    expected, whole = opened(text, keeps=False)
    file, read = opened(text)
    assert (read, same(file, expected)) == (whole - 2 * scan.LEAF, True)


def test_a_text_that_is_named_in_two_ways_is_opened_once(text: Path) -> None:
    """What was found in it was once added up twice: lines behind the first stretch were looked for
    in wrong places.
    """
    opener = Opener()
    files = opener.open_all([text, Path(text.name)], [])
    assert opener.read == text.stat().st_size
    for file in files:
        assert file is not None
        assert read_texts(file, file.lines - 1, file.lines) == [f"{file.lines - 1:07} one café two"]


def test_a_run_says_what_it_has_read(
    text: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The second run has all counts, and reads nothing; with --no-cache it opens the texts again."""
    size = text.stat().st_size
    (tmp_path / "b.txt").write_bytes(text.read_bytes().replace(b"two", b"tow"))
    config = {
        "datasets": {"d": {"references": ["b.txt"]}},
        "systems": {"s": "a.txt"},
        "metrics": ["bleu"],
    }
    (tmp_path / "c.yaml").write_text(
        json.dumps({**config, "output": {"dir": "run"}, "run": {"n_jobs": 1}})
    )
    read = []
    for more in ([], [], ["--no-cache"]):
        assert cli.main(["run", "c.yaml", "-q", *more]) == 0
        about = json.loads((tmp_path / "run" / "run.json").read_text())
        read.append((about["bytes_read"]["opening"], about["bytes_read"]["counting"]))
    (opening, counting), *again = read
    assert opening == 2 * size
    assert 2 * size <= counting <= 2.3 * size  # a shard begins in the middle of what is read for it
    assert again == [(0, 0), (2 * size, 0)]
    capsys.readouterr()
    assert cli.main(["cache"]) == 0
    assert "large texts  stretches        8" in capsys.readouterr().out
    assert cli.main(["cache", "clean"]) == 0
    capsys.readouterr()
    assert cli.main(["cache"]) == 0
    assert capsys.readouterr().out == f"nothing is kept in {os.environ['GEC_PIPELINE_DATA']}\n"
