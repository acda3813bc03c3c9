"""Texts that are larger than memory are counted while they are opened: the same bytes, and each is
read once.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

import pytest

from pipeline.cli.dispatch import main
from pipeline.data import input_files, scan
from pipeline.execution import count, workers
from pipeline.parallel import memory
from tests.conftest import ROOT, tree, write_run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LINES = 20_000
SMALL = """
from pipeline.corpus import input_files, scan
from pipeline.execution import count
scan.GRID, scan.LEAF = 1 << 10, 1 << 15
scan.RANGE = input_files.RANGE = scan.LEAF
count.MIN_BYTES = count.MAX_BYTES = 1 << 16
input_files.memory = lambda: 1
scan.SETTLED = -9
"""


@pytest.fixture(autouse=True)
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Stretches of 32 KiB, shards of 64 KiB, and files that are as good as older ones."""
    monkeypatch.setenv("GEC_PIPELINE_DATA", str(tmp_path / "caches"))
    monkeypatch.chdir(tmp_path)
    with (
        mock.patch.multiple(scan, GRID=1 << 10, LEAF=1 << 15, RANGE=1 << 15, SETTLED=-9),
        mock.patch.object(input_files, "RANGE", 1 << 15),
        mock.patch.multiple(count, MIN_BYTES=1 << 16, MAX_BYTES=1 << 16),
    ):
        yield


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return write_run(tmp_path, LINES, chosen=("gleu[iter=20]", "bleu"))


def scored(folder: str, *more: str, room: float = 1, code: int = 0) -> dict[str, int]:
    """Run the config on a machine with so much memory; return what was read."""
    with mock.patch.object(input_files, "memory", return_value=room):
        assert main(["run", "config.yaml", "-q", "--output", folder, "--no-cache", *more]) == code
    about = Path(folder, "run.json")
    return dict(json.loads(about.read_text())["bytes_read"]) if code == 0 else {}


def ordinary(*more: str) -> dict[str, bytes]:
    """Return the files of a run of the config whose texts are no larger than memory."""
    read = scored("ordinary", *more, room=1e18)
    assert read["counted_meanwhile"] == 0
    return dict(tree(Path("ordinary")))


def size(config: Path) -> int:
    return sum(path.stat().st_size for path in (config.parent / "d").iterdir())


@pytest.mark.parametrize(
    "how", [(), ("--n-jobs", "2", "--backend", "threading"), ("--n-jobs", "2", "--backend", "loky")]
)
def test_each_byte_is_read_once_and_nothing_else_is_different(
    config: Path, how: tuple[str, ...]
) -> None:
    """Only the last shard is counted when the texts are known to their ends."""
    read = scored("run", *how)
    assert read["opening"] == size(config)
    assert read["counting"] < 0.2 * size(config)
    assert 0.9 * size(config) < read["counted_meanwhile"] + read["counting"]
    assert dict(tree(Path("run"))) == ordinary()
    assert not Path("run/unfinished").exists()


@pytest.mark.usefixtures("config")
def test_other_line_ends_and_marks_are_no_matter(tmp_path: Path) -> None:
    changes: dict[str, Callable[[bytes], bytes]] = {
        "source": lambda text: b"\xef\xbb\xbf" + text,
        "ref1": lambda text: text[:-1],
        "A": lambda text: text[: 1 << 17] + text[1 << 17 :].replace(b"\n", b"\r\n"),
        "B": lambda text: text.replace(b"\n", b"\r\n"),
    }
    for name, change in changes.items():
        path = tmp_path / "d" / name
        path.write_bytes(change(path.read_bytes()))
        assert scored(f"run {name}")["counted_meanwhile"] > 0
        assert dict(tree(Path(f"run {name}"))) == ordinary("--fresh")


@pytest.mark.parametrize(
    "change",
    [
        {"datasets.d.keep": ["2-14000"]},
        {"datasets.d.empty_references": "none"},
        {"datasets.d.replace": "ptb_brackets"},
        {"datasets.d.bom": "keep"},
        {"metrics": [{"name": "cider"}, "gleu"]},
    ],
    ids=str,
)
def test_where_the_lines_alone_do_not_tell_the_counts_they_wait(
    config: Path, change: dict[str, Any]
) -> None:
    more = [
        part for key, value in change.items() for part in ("--set", f"{key}={json.dumps(value)}")
    ]
    if "datasets.d.empty_references" in change:
        for name, missing in (("ref0", "one"), ("ref1", "")):
            path = config.parent / "d" / name
            path.write_text(
                "".join(f"{line or missing}\n" for line in path.read_text().split("\n")[:-1])
            )
    assert scored("run", *more)["counted_meanwhile"] == 0
    assert dict(tree(Path("run"))) == ordinary(*more)


@pytest.mark.usefixtures("config")
def test_a_run_that_is_killed_meanwhile_goes_on() -> None:
    """It is killed with -9 when some shards are counted. The next run counts the others alone."""
    expected = ordinary()
    program = f"""
import os, signal, sys
{SMALL}
from pipeline.cli.dispatch import main
from pipeline.execution import workers
done, own = [], workers.count
def counted(task):
    done.append(task)
    if len(done) == 10:
        os.kill(os.getpid(), signal.SIGKILL)
    return own(task)
workers.count = counted
main(["run", "config.yaml", "-q", "--output", "run", "--no-cache", "--backend", "serial"])
"""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    assert (
        subprocess.run([sys.executable, "-c", program], env=environment, check=False).returncode
        == -signal.SIGKILL
    )
    kept = len(list(Path("run/unfinished").iterdir()))
    assert kept == 9
    tasks: list[workers.Task] = []
    own = workers.count

    def counted(task: workers.Task) -> workers.Done:
        tasks.append(task)
        return own(task)

    with mock.patch.object(workers, "count", counted):
        scored("run", "--backend", "serial")
    first = tasks[0].lines
    assert len(tasks) == -(-LINES // first) - kept
    assert dict(tree(Path("run"))) == expected
    with mock.patch.object(workers, "count", side_effect=AssertionError):
        assert scored("run", "--backend", "serial")["counted_meanwhile"] == 0  # all is counted


def test_what_is_wrong_at_the_end_loses_nothing(
    config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = ordinary()
    path = config.parent / "d" / "B"
    text = path.read_bytes()
    path.write_bytes(text + b"a line more\n")
    messages = []
    for room in (1.0, 1e18):
        capsys.readouterr()
        scored("run", room=room, code=2)
        messages.append(capsys.readouterr().err)
    assert messages[0] == messages[1]
    assert "the texts have different numbers of lines; line 20001 has no partner" in messages[0]
    parts = len(list(Path("run/unfinished").iterdir()))
    assert parts > 10
    path.write_bytes(text)
    scored("run")
    assert (
        main(["clean", "run", "--unused"]) == 0
    )  # the counts of texts that have another stamp now
    assert dict(tree(Path("run"))) == expected


def test_a_directory_of_another_config_is_refused_before_anything_is_counted(
    config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("other.yaml").write_text(config.read_text().replace("iter=20", "iter=21"))
    assert main(["run", "other.yaml", "-q", "--output", "run"]) == 0
    before = dict(tree(Path("run")))
    capsys.readouterr()
    with mock.patch.object(workers, "count", side_effect=AssertionError):
        scored("run", code=2)
    assert "has the results of another config" in capsys.readouterr().err
    assert dict(tree(Path("run"))) == before
    assert not Path("run/unfinished").exists()


def test_fresh_deletes_nothing_before_all_texts_are_checked(config: Path) -> None:
    scored("run")
    before = dict(tree(Path("run")))
    path = config.parent / "d" / "B"
    text = path.read_bytes()
    path.write_bytes(text + b"a line more\n")
    scored("run", "--fresh", code=2)
    assert dict(tree(Path("run"))) == before
    path.write_bytes(text)
    assert scored("run", "--fresh")["counted_meanwhile"] == 0
    assert dict(tree(Path("run"))) == before


@pytest.mark.parametrize("setting", ['output.plots=["nosuch"]', 'systems.C="nosuch"'])
def test_nothing_is_counted_for_a_run_that_cannot_be(config: Path, setting: str) -> None:
    assert config.exists()
    with mock.patch.object(workers, "count", side_effect=AssertionError):
        scored("run", "--set", setting, code=2)
    assert not Path("run").exists()


def test_no_data_set_is_counted_where_one_before_it_lacks_a_file(tmp_path: Path) -> None:
    write_run(tmp_path, LINES, datasets=("d", "e"))
    (tmp_path / "d" / "A").unlink()
    with mock.patch.object(workers, "count", side_effect=AssertionError):
        scored("run", code=2)
    assert not Path("run").exists()


def test_memory_is_that_of_the_control_group(tmp_path: Path) -> None:
    """The files are as Linux has them: version 1 in a group, version 2 in a container, and no
    limit.
    """
    whole = memory(tmp_path)
    assert whole == os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    groups = tmp_path / "sys/fs/cgroup"
    (tmp_path / "proc/self").mkdir(parents=True)
    (tmp_path / "proc/self/cgroup").write_text(
        "9:name=systemd:/\n4:memory:/jobs/one\n1:cpu:/\n0::/\n"
    )
    (groups / "memory/jobs/one").mkdir(parents=True)
    (groups / "memory/memory.limit_in_bytes").write_text("9223372036854771712\n")
    assert memory(tmp_path) == whole
    (groups / "memory/jobs/one/memory.limit_in_bytes").write_text("1000000\n")
    assert memory(tmp_path) == 1_000_000
    (groups / "memory.max").write_text("max\n")
    assert memory(tmp_path) == 1_000_000
    (groups / "memory.max").write_text("4096\n")
    assert memory(tmp_path) == 4096
