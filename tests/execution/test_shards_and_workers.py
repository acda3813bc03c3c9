"""Cuts, order of arrival, workers and backends cannot be seen in a result; what finished is not
done again.
"""

from __future__ import annotations

import gc
import os
import random
import shutil
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest import mock

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipeline.errors import StoreError
from pipeline.execution import workers
from pipeline.execution.count import Shard, cut
from pipeline.execution.options import AUTO, SILENT, Listener, RunOptions
from pipeline.execution.store import counts, run_directory
from pipeline.scoring import metric_results as scores
from pipeline.scoring import sums as weighted_sums
from tests.conftest import (
    Hears,
    Tree,
    assert_as_fresh,
    forced_kernel,
    gec_pipeline,
    run,
    tree,
    write_config,
    write_run,
)

Done = workers.Answer

LINES = 200
METRICS = [
    "gleu[iter=8]",
    "gleu[variant=2016,refs=max]",
    "gleu[unit=char,n=2,iter=8]",
    "gleu[level=mean,lc=true]",
]
METRICS += [
    "rouge[types=2+Lsum+W+SU2,level=micro]",
    "rouge[flavour=perl,types=1+L+W+S,stemmer=porter,refs=jackknife]",
]


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A config for two random corpora, of 200 and 201 lines, with three systems."""
    return write_run(
        tmp_path_factory.mktemp("corpus"),
        LINES,
        datasets=("d", "e"),
        references=3,
        systems="ABC",
        chosen=METRICS,
    )


@pytest.fixture(scope="module")
def expected(config: Path, tmp_path_factory: pytest.TempPathFactory) -> Tree:
    """The files that the Python kernel makes in one piece, without workers."""
    output = tmp_path_factory.mktemp("expected") / "run"
    with forced_kernel("python"):
        run(
            config,
            output,
            RunOptions(n_jobs=1, backend="serial", shard_lines=LINES + 1),
        )
    files = tree(output)
    assert set(files) > {"results.json", "scores.csv"}
    # data sets, systems, different needs
    assert sum(name.startswith("statistics/") for name in files) == 2 * 3 * 5
    return files


@contextmanager
def scratch() -> Iterator[Path]:
    with TemporaryDirectory() as folder:
        yield Path(folder) / "run"


# ---- cuts


@given(
    lines=st.integers(0, 300),
    systems=st.integers(1, 150),
    size=st.integers(0, 1 << 40),
    shard_lines=st.none() | st.integers(1, 600),
)
def test_shards_cover_every_line_once(
    lines: int, systems: int, size: int, shard_lines: int | None
) -> None:
    chunks = cut(lines, systems, size, 128, shard_lines)
    assert [line for low, high in chunks for line in range(low, high)] == [
        *range(lines)
    ]


def test_shards_do_not_ask_for_workers_and_end_at_remembered_lines() -> None:
    chunks = cut(100_000, 1, 1 << 30, 128)
    assert all(chunk.low % 128 == 0 for chunk in chunks)
    assert len(chunks) > 16


def test_a_line_longer_than_a_shard_is_a_shard() -> None:
    assert cut(3, 1, 1 << 40, 1) == [Shard(0, 1), Shard(1, 2), Shard(2, 3)]


@pytest.mark.parametrize(
    ("systems", "references", "most"),
    [(1, 1, 1 << 18), (64, 4, 1024), (1, 255, 1024)],
)
def test_shards_of_blank_lines_have_few_lines(
    systems: int, references: int, most: int
) -> None:
    """200 MB of blank lines would else be cut into shards of millions of lines, whose counts take
    gigabytes.
    """
    lines = 2_000_000
    chunks = cut(
        lines,
        systems,
        lines * (1 + systems + references),
        128,
        references=references,
        least=1,
    )
    assert all(chunk.high - chunk.low == most for chunk in chunks[:-1])


HOWS = st.builds(
    RunOptions,
    n_jobs=st.sampled_from([1, 2]),
    backend=st.sampled_from(["serial", "threading"]),
    shard_lines=st.none() | st.integers(1, LINES + 2),
)


@settings(
    max_examples=3, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(options=HOWS)
def test_no_cut_and_no_thread_can_be_seen(
    config: Path, expected: Tree, kernel: str, options: RunOptions
) -> None:
    assert kernel
    with scratch() as output:
        run(config, output, options)
        assert tree(output) == expected


@pytest.mark.parametrize(
    ("kernel", "options"),
    [
        ("native", RunOptions(n_jobs=2, backend="loky", shard_lines=7)),
        ("native", RunOptions(n_jobs=1, backend="loky")),
        ("python", RunOptions(n_jobs=2, backend="loky", shard_lines=128)),
        ("native", RunOptions(n_jobs="auto", backend="loky", shard_lines=64)),
    ],
    indirect=["kernel"],
)
def test_no_process_can_be_seen(
    config: Path,
    expected: Tree,
    kernel: str,
    tmp_path: Path,
    options: RunOptions,
) -> None:
    assert kernel
    run(config, tmp_path / "run", options)
    assert tree(tmp_path / "run") == expected


def test_what_the_config_says_of_workers_cannot_be_seen(
    config: Path, expected: Tree, tmp_path: Path
) -> None:
    other = write_config(
        config.parent / "workers.yaml",
        datasets=("d", "e"),
        references=3,
        systems="ABC",
        chosen=METRICS,
        run={"n_jobs": 2, "backend": "threading"},
    )
    run(other, tmp_path / "run")
    assert tree(tmp_path / "run") == expected


@pytest.mark.parametrize(
    ("block", "drawn"),
    [(2, 1), (8, 4), (100, 50), (LINES, 50), (LINES + 1, LINES + 1)],
)
def test_no_block_of_the_reducer_can_be_seen(
    config: Path, expected: Tree, tmp_path: Path, block: int, drawn: int
) -> None:
    with (
        mock.patch.object(counts, "BLOCK_LINES", block),
        mock.patch.object(weighted_sums, "MAX_ITERATIONS", drawn),
    ):
        run(config, tmp_path / "run")
    files = tree(tmp_path / "run")
    assert {name: files[name] for name in ("results.json", "scores.csv")} == {
        name: expected[name] for name in ("results.json", "scores.csv")
    }


@settings(max_examples=3)
@given(rng=st.randoms(use_true_random=False), shard_lines=st.integers(3, 100))
def test_the_order_of_arrival_cannot_be_seen(
    config: Path, expected: Tree, rng: random.Random, shard_lines: int
) -> None:
    def shuffled(tasks: Sequence[workers.Task], *_: Any) -> Iterator[Done]:
        yield from map(workers.count, rng.sample(tasks, len(tasks)))

    with scratch() as output, mock.patch.object(workers, "run", shuffled):
        run(config, output, RunOptions(shard_lines=shard_lines))
        assert tree(output) == expected


def test_folder_and_spelling_of_paths_cannot_be_seen(
    config: Path,
    expected: Tree,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shutil.copytree(config.parent, tmp_path / "elsewhere")
    monkeypatch.chdir(tmp_path / "elsewhere")
    run(Path(config.name), Path("../run"))
    assert tree(tmp_path / "run") == expected


def test_the_order_of_systems_cannot_be_seen_in_their_scores(
    config: Path, tmp_path: Path
) -> None:
    other = write_config(
        config.parent / "order.yaml",
        references=3,
        systems="CAB",
        chosen=METRICS,
    )
    found = {(s.system, s.metric): s for s in run(other, tmp_path / "a").scores}
    ordered = [
        s for s in run(config, tmp_path / "b").scores if s.dataset == "d"
    ]
    assert [found[s.system, s.metric] for s in ordered] == ordered


# ---- going on


def counted(
    output: Path, config: Path, options: RunOptions = AUTO
) -> list[int]:
    """Run a config; return the lines that were counted for each shard."""
    done: list[int] = []
    original = workers.run

    def watched(tasks: Sequence[workers.Task], *more: Any) -> Iterator[Done]:
        done.extend(number for number, _ in enumerate(tasks))
        yield from original(tasks, *more)

    with mock.patch.object(workers, "run", watched):
        run(config, output, options)
    return done


class InterruptError(Exception):
    """What a test throws."""


def interrupted(
    output: Path,
    config: Path,
    parts: int,
    options: RunOptions,
    error: BaseException,
    listener: Listener = SILENT,
) -> None:
    """Run a config until some parts are done."""
    original, done = workers.run, 0

    def stopped(*given: Any) -> Iterator[Done]:
        nonlocal done
        if done == parts:
            raise error
        for item in original(*given):
            yield item
            done += 1
            if done == parts:
                raise error

    with mock.patch.object(workers, "run", stopped), pytest.raises(type(error)):
        run(config, output, options, listener)


def test_a_second_run_counts_nothing_and_changes_nothing(
    config: Path, expected: Tree, tmp_path: Path
) -> None:
    assert counted(tmp_path, config, RunOptions(shard_lines=50)) != []
    assert counted(tmp_path, config) == []
    assert tree(tmp_path) == expected


@pytest.mark.parametrize(
    ("parts", "backend"),
    [
        (0, "serial"),
        (1, "threading"),
        (3, "loky"),
        (8, "serial"),
        (8, "threading"),
    ],
)
def test_an_interrupted_run_goes_on_where_it_was(
    config: Path,
    expected: Tree,
    tmp_path: Path,
    parts: int,
    backend: workers.Backend,
) -> None:
    """Two data sets of 200 and 201 lines in shards of 40 are 5 + 6 parts. Workers may be ahead of
    what they tell.
    """
    options = RunOptions(n_jobs=2, backend=backend, shard_lines=40)
    interrupted(tmp_path, config, parts, options, InterruptError())
    written = len([*tmp_path.rglob("*.part")]) + 5 * (parts > 5)
    assert written >= parts
    assert len(counted(tmp_path, config, options)) == 11 - written
    assert tree(tmp_path) == expected


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_nothing_is_said_of_tasks_that_are_cancelled(
    tmp_path: Path, backend: workers.Backend
) -> None:
    config = write_run(tmp_path, 200)
    error, shard_file = (
        StoreError("full"),
        run_directory.RunDirectory.shard_file,
    )

    def far(*given: Any) -> counts.ShardFile:
        return shard_file(*given)._replace(path=tmp_path / "gone" / "part")

    with warnings.catch_warnings(record=True, action="always") as caught:
        full = mock.patch.object(counts.ShardFile, "write", side_effect=error)
        elsewhere = mock.patch.object(
            run_directory.RunDirectory, "shard_file", far
        )
        with elsewhere, full, pytest.raises(StoreError):
            run(
                config,
                tmp_path / "run",
                RunOptions(n_jobs=2, backend=backend, shard_lines=1),
            )
        # lets go of the frames that hold the workers
        error.__traceback__ = None
        gc.collect()
    assert [str(warning.message) for warning in caught] == []


@pytest.mark.parametrize(
    "error", [KeyboardInterrupt(), MemoryError(), StoreError("full")]
)
def test_any_kind_of_end_leaves_a_run_that_goes_on(
    config: Path, expected: Tree, tmp_path: Path, error: BaseException
) -> None:
    options = RunOptions(n_jobs=1, backend="serial", shard_lines=40)
    interrupted(tmp_path, config, 7, options, error)
    assert len(counted(tmp_path, config, options)) == 4
    assert tree(tmp_path) == expected


def test_an_interrupted_run_may_go_on_with_other_shards(
    config: Path, expected: Tree, tmp_path: Path
) -> None:
    interrupted(
        tmp_path,
        config,
        3,
        RunOptions(n_jobs=1, backend="serial", shard_lines=40),
        InterruptError(),
    )
    counted(
        tmp_path,
        config,
        RunOptions(n_jobs=2, backend="threading", shard_lines=70),
    )
    assert tree(tmp_path) == expected


def test_what_was_counted_is_kept_when_joining_it_fails(
    config: Path, expected: Tree, tmp_path: Path
) -> None:
    """The disk may be full only then."""
    original, joined = run_directory.RunDirectory.join, 0

    def failing(*args: Any) -> Path:
        nonlocal joined
        joined += 1
        if joined == 3:
            raise StoreError("full")
        return original(*args)

    with (
        mock.patch.object(run_directory.RunDirectory, "join", failing),
        pytest.raises(StoreError),
    ):
        run(
            config,
            tmp_path,
            RunOptions(n_jobs=1, backend="serial", shard_lines=40),
        )
    assert (
        len(
            counted(
                tmp_path,
                config,
                RunOptions(n_jobs=1, backend="serial", shard_lines=40),
            )
        )
        == 6
    )  # those of the second data set
    assert tree(tmp_path) == expected


def test_a_run_that_stopped_while_reducing_counts_nothing_again(
    config: Path, expected: Tree, tmp_path: Path
) -> None:
    with (
        mock.patch.object(scores, "reduce", side_effect=InterruptError),
        pytest.raises(InterruptError),
    ):
        run(config, tmp_path)
    assert counted(tmp_path, config) == []
    assert tree(tmp_path) == expected


def test_an_interrupted_run_goes_on_after_one_of_another_config(
    tmp_path: Path,
) -> None:
    """The results depend only on config, inputs and version; what was counted is nobody else's to
    delete.
    """
    options = RunOptions(n_jobs=1, backend="serial", shard_lines=40)
    config = write_run(tmp_path, 100, datasets=("d", "e"))
    interrupted(tmp_path / "run", config, 1, options, InterruptError())
    other = write_config(
        tmp_path / "other.yaml", datasets=("e",), chosen=["gleu[n=2,iter=3]"]
    )
    run(other, tmp_path / "run")
    run(other, tmp_path / "fresh")
    fresh = tree(tmp_path / "fresh")
    assert {
        name: data
        for name, data in tree(tmp_path / "run").items()
        if name in fresh
    } == fresh
    assert len(list((tmp_path / "run" / "unfinished").iterdir())) == 1
    shutil.copytree(tmp_path / "run", tmp_path / "again")
    assert gec_pipeline(f"clean {tmp_path}/again --unused -q") == 0
    assert tree(tmp_path / "again") == fresh
    assert not (tmp_path / "again" / "unfinished").exists()
    other.unlink()  # no config is there any more whose results would be replaced
    complete, rest = (
        len(counted(tmp_path / name, config, options))
        for name in ("new", "run")
    )
    assert rest == complete - 1


def test_only_what_a_new_config_adds_is_counted(
    config: Path, tmp_path: Path
) -> None:
    known: dict[str, Any] = {"references": 3, "datasets": ("d",)}
    options = RunOptions(n_jobs=1, backend="serial", shard_lines=100)

    def written(systems: str, chosen: list[str]) -> Path:
        return write_config(
            config.parent / "own.yaml", systems=systems, chosen=chosen, **known
        )

    more_metrics = [*METRICS[:2], "gleu[n=2]"]
    for systems, chosen in (
        ("AB", METRICS[:2]),
        ("ABC", METRICS[:2]),
        ("ABC", more_metrics),
    ):
        assert (
            len(counted(tmp_path / "run", written(systems, chosen), options))
            == 2
        )
    again = written("ABC", ["gleu[iter=3,rng=numpy]", "gleu[n=2]"])
    assert counted(tmp_path / "run", again, options) == []
    run(again, tmp_path / "fresh")
    fresh = tree(tmp_path / "fresh")
    assert {
        name: data
        for name, data in tree(tmp_path / "run").items()
        if name in fresh
    } == fresh
    assert (
        counted(tmp_path / "run", written("ABC", more_metrics), options) == []
    )


@pytest.mark.parametrize("changed", ["A", "ref1", "source"])
def test_a_changed_file_is_counted_again_whatever_its_time(
    tmp_path: Path, changed: str
) -> None:
    config = write_run(tmp_path, 30)
    run(config, tmp_path / "run")
    path = tmp_path / "d" / changed
    before = path.stat()
    path.write_bytes(path.read_bytes()[:-1] + b"x\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert counted(tmp_path / "run", config) == [0]
    assert_as_fresh(config, tmp_path / "run")


def test_progress_counts_every_line_of_every_system_once_and_goes_on(
    config: Path, tmp_path: Path
) -> None:
    heard: list[tuple[int, int]] = []
    listener = Hears(
        progress=lambda done, complete: heard.append((done, complete))
    )
    options = RunOptions(n_jobs=1, backend="serial", shard_lines=40)
    interrupted(tmp_path, config, 3, options, InterruptError(), listener)
    assert heard == [(120, 600), (240, 600), (360, 600)]
    heard.clear()
    run(config, tmp_path, options, listener)
    assert heard == [
        (480, 600),
        (600, 600),
        (120, 603),
        (240, 603),
        (360, 603),
        (480, 603),
        (600, 603),
        (603, 603),
    ]


# ---- how much work is worth a worker


@pytest.mark.parametrize(
    ("n_jobs", "backend", "size", "expected"),
    [
        (1, "auto", 1 << 40, (1, "serial")),
        ("auto", "auto", 0, (1, "serial")),
        ("auto", "serial", 1 << 40, (1, "serial")),
        (8, "serial", 1 << 40, (1, "serial")),
        (3, "auto", 0, (3, "loky")),
        (3, "threading", 0, (3, "threading")),
        (1, "loky", 0, (1, "loky")),
    ],
)
def test_plan(
    n_jobs: Any,
    backend: workers.Backend,
    size: int,
    expected: tuple[int, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PIPELINE_KERNEL", "python")
    assert workers.plan(n_jobs, backend, size) == expected


def test_plan_takes_processes_for_large_runs_and_threads_for_texts_in_memory(
    kernel: str,
) -> None:
    processors = (
        len(os.sched_getaffinity(0))
        if hasattr(os, "sched_getaffinity")
        else os.cpu_count()
    )
    for in_memory, expected in (
        (False, "loky"),
        (True, {"python": "loky", "native": "threading"}[kernel]),
    ):
        number, backend = workers.plan(
            "auto", "auto", 1 << 40, in_memory=in_memory
        )
        assert (number, backend) == (
            processors,
            "serial" if number == 1 else expected,
        )


def test_workers_that_stand_in_another_folder_find_the_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Worker processes live on from one run to the next, and keep the folder in which they were
    started.
    """
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        write_run(folder)
        monkeypatch.chdir(folder)
        config = next(iter(folder.glob("*.yaml"))).name
        assert run(
            Path(config), Path("run"), RunOptions(n_jobs=2, backend="loky")
        ).scores
