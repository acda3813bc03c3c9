"""Workers past one machine: dask's with real processes here; ray's and spark's where
PIPELINE_CLUSTER=1 is set.

PIPELINE_CLUSTER=1 python -m pytest tests/extensions/clusters/test_cluster.py     needs ray, pyspark,
joblibspark and Java"""

from __future__ import annotations

import contextlib
import gzip
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import numpy as np
import pytest

from pipeline import stages
from pipeline.backends import CLUSTER_BACKENDS, ClusterBackend
from pipeline.data import Opener, Span, opener, scan
from pipeline.data.config import RunConfig
from pipeline.errors import (
    ConfigError,
    CorpusError,
    IncompleteError,
    InputError,
)
from pipeline.execution import cluster as clusters
from pipeline.execution import workers
from pipeline.execution.cluster import Cluster
from pipeline.execution.options import RunOptions
from pipeline.execution.store import run_directory
from pipeline.execution.store.counts import ShardFile
from pipeline.execution.workers import Done, Task
from pipeline.extensions.clusters import on_spark
from pipeline.kernel.common import Lines
from pipeline.parallel import WorkerLostError, processors
from pipeline.scoring import sums
from tests.conftest import PATIENCE, ROOT, Hears, run, tree, write_run
from tests.execution.deadly import deadly, poison
from tests.support.commands import Command, typed
from tests.support.words import wordlist

# the clusters' packages have many
pytestmark = pytest.mark.filterwarnings("ignore")
OTHERS = bool(os.environ.get("PIPELINE_CLUSTER"))


class Here(NamedTuple):
    """A cluster of two worker processes, and how it is asked for."""

    backend: Any
    address: str | None

    @property
    def options(self) -> RunOptions:
        return RunOptions(
            n_jobs=2, backend=self.backend, shard_lines=40, address=self.address
        )


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A dask scheduler and two workers, each with a process that starts it again; return the
    address.
    """
    pytest.importorskip("distributed", reason="dask is not installed")
    folder = tmp_path_factory.mktemp("dask")
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        # The first death is told: else dask tries three times itself, and our own second try is
        # never seen.
        "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0",
    }
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    port = address.rpartition(":")[2]
    commands = [
        ["scheduler", "--host", "127.0.0.1", "--port", port, "--no-dashboard"],
        [
            "worker",
            address,
            "--nworkers",
            "2",
            "--nthreads",
            "1",
            "--no-dashboard",
            "--local-directory",
            str(folder),
        ],
    ]
    with contextlib.ExitStack() as stack:
        log = stack.enter_context((folder / "log").open("wb"))
        for command in commands:
            started = subprocess.Popen(
                [sys.executable, "-m", "dask", *command],
                env=environment,
                cwd=folder,
                stdout=log,
                stderr=log,
            )
            stack.callback(started.wait, PATIENCE)
            stack.callback(started.terminate)
            wait_for(port)
        yield address


def wait_for_workers(address: str) -> None:
    """Wait until both workers of dask are there: a run waits less long than a busy machine needs to
    start them.
    """
    from distributed import Client

    with Client(address, timeout=PATIENCE, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=PATIENCE)


def wait_for(port: str) -> None:
    """Wait until somebody listens."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        with (
            contextlib.suppress(OSError),
            socket.create_connection(("127.0.0.1", int(port)), 1),
        ):
            return
        time.sleep(0.05)
    pytest.fail("the scheduler does not start")


@pytest.fixture
def dask(scheduler: str) -> Here:
    wait_for_workers(scheduler)
    return Here("dask", scheduler)


@pytest.fixture(params=["dask", "ray", "spark"])
def any_cluster(request: pytest.FixtureRequest) -> Here:
    """Each backend in turn."""
    if request.param == "dask":
        dask: Here = request.getfixturevalue("dask")
        return dask
    if not OTHERS:
        pytest.skip("PIPELINE_CLUSTER=1 is not set")
    return Here(
        request.param,
        {"ray": None, "spark": "local-cluster[2,1,1024]"}[request.param],
    )


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """A config for two random corpora, of 200 and 201 lines, with three systems, one of them
    compressed.
    """
    found = write_run(
        tmp_path,
        200,
        datasets=("d", "e"),
        systems="ABC",
        chosen=["gleu[iter=3]", "bleu"],
    )
    for name in "de":
        (tmp_path / name / "C.gz").write_bytes(
            gzip.compress((tmp_path / name / "C").read_bytes())
        )
    text = found.read_text(encoding="utf-8").replace(
        "{dataset}/C", "{dataset}/C.gz"
    )
    found.write_text(text, encoding="utf-8")
    return found


def check_one_process(config: Path, folder: Path) -> None:
    """Expect that a run in one process writes the same files."""
    run(config, folder / "one", RunOptions(n_jobs=1, backend="serial"))
    assert tree(folder / "run") == tree(folder / "one")


# ---- real workers


def test_the_files_have_the_bytes_of_one_process(
    any_cluster: Here, config: Path, tmp_path: Path
) -> None:
    """Each data set is several bundles of the six shards."""
    notice: list[str] = []
    pids: set[int] = set()
    original = workers.count

    def count(task: Task) -> Done:
        number, arrays = original(task)
        (tmp_path / f"by-{os.getpid()}").touch()
        return number, arrays

    with (
        mock.patch.object(workers, "count", count),
        mock.patch.object(clusters, "BUNDLES_FOR_EACH", 1),
    ):
        run(
            config,
            tmp_path / "run",
            any_cluster.options,
            Hears(warn=notice.append),
        )
    pids = {
        int(path.name.removeprefix("by-")) for path in tmp_path.glob("by-*")
    }
    check_one_process(config, tmp_path)
    assert notice == []
    assert pids
    assert os.getpid() not in pids


def test_large_texts_are_opened_by_the_workers(
    dask: Here, tmp_path: Path
) -> None:
    """What a worker does not find is scanned here, as where it has no such file."""
    paths = [tmp_path / "a.txt", tmp_path / "b.txt"]
    for number, path in enumerate(paths):
        path.write_bytes(
            b"".join(
                b"%d a b c \xc3\xa9 %d\n\n" % (number, line)
                for line in range(120_000)
            )
        )
    expected = Opener().open_all([*paths], [])
    answers: list[Any] = []
    with (
        mock.patch.object(opener, "MIN_CLUSTER_BYTES", 0),
        mock.patch.object(scan, "RANGE_BYTES", scan.LEAF_BYTES),
        Cluster(dask.backend, dask.address, 2) as cluster,
    ):
        cluster.workers()  # else threads of this process would open what is so small

        def shared(call: Any, items: Any) -> list[Any]:
            lost = bool(answers)
            answers.extend(cluster.shared(call, items))
            return [None] * len(items) if lost else answers

        for _ in range(2):
            texts = Opener(cluster=shared).open_all([*paths], [])
            assert texts == expected
            for text, one in zip(texts, expected, strict=True):
                assert text is not None
                assert one is not None
                assert np.array_equal(text.marks, one.marks)
                assert np.array_equal(text.blank_bits, one.blank_bits)
    assert [answer.problem for answer in answers] == [None] * 12


def test_a_run_uses_the_cluster_that_has_opened_its_texts(
    dask: Here, config: Path, tmp_path: Path
) -> None:
    kind = CLUSTER_BACKENDS["dask"]
    connect = mock.Mock(side_effect=kind.connect)
    with (
        mock.patch.object(opener, "MIN_CLUSTER_BYTES", 0),
        mock.patch.dict(
            CLUSTER_BACKENDS.entries, {"dask": replace(kind, connect=connect)}
        ),
    ):
        stages.run(
            stages.prepare(config, dask.options), tmp_path / "run", dask.options
        )
    assert connect.call_count == 1
    check_one_process(config, tmp_path)


def test_samples_of_more_lines_than_memory_holds_are_shared(
    any_cluster: Here, config: Path, tmp_path: Path
) -> None:
    """Of both data sets and metrics: stretches of the stream are looked at, then samples drawn, and
    shuffles.
    """
    text = config.read_text(encoding="utf-8").rstrip().removesuffix("}")
    config.write_text(
        f'{text}, "statistics": {{"resamples": 30, "trials": 40}}}}\n',
        encoding="utf-8",
    )
    run(config, tmp_path / "one", RunOptions(n_jobs=1, backend="serial"))
    shared = Cluster.shared
    answers = list[Any]()

    def watched(*arguments: Any) -> Any:
        answers.extend(found := shared(*arguments))
        return found

    with (
        mock.patch.object(sums, "MAX_CACHED_BYTES", 0),
        mock.patch.object(Cluster, "shared", watched),
    ):
        run(config, tmp_path / "run", any_cluster.options)
    assert tree(tmp_path / "run") == tree(tmp_path / "one")
    assert [type(answer) for answer in answers] == [
        int,
        list,
        list,
        list,
        list,
    ] * 4


def test_workers_that_do_not_share_the_folder_send_their_counts(
    dask: Here, config: Path, tmp_path: Path
) -> None:
    write = ShardFile.write
    written = 0

    def watched(*arguments: Any) -> Any:
        nonlocal written
        written += 1
        return write(*arguments)

    with (
        mock.patch.object(ShardFile, "write", watched),
        mock.patch.object(
            run_directory,
            "new_proof",
            return_value=tmp_path / "on another machine",
        ),
    ):
        run(config, tmp_path / "run", dask.options)
    assert written == 11
    check_one_process(config, tmp_path)


def test_a_worker_that_is_killed_is_made_good(
    any_cluster: Here, config: Path, tmp_path: Path
) -> None:
    poison(tmp_path / "d" / "B", 57)
    notice: list[str] = []
    with (
        mock.patch.object(workers, "count", deadly(tmp_path / "dead")),
        mock.patch.object(clusters, "BUNDLES_FOR_EACH", 1),
    ):
        results = run(
            config,
            tmp_path / "run",
            any_cluster.options,
            Hears(warn=notice.append),
        )
    assert (tmp_path / "dead").exists()
    assert results.missing == []
    check_one_process(config, tmp_path)
    if any_cluster.backend == "dask":  # spark may have made it good itself
        assert len(notice) == 1
        assert notice[0].startswith(
            "d: a worker of the cluster died (KilledWorker: "
        )
        assert notice[0].endswith("); its work is tried again")


def test_a_text_that_a_worker_does_not_have_is_told_with_the_worker(
    dask: Here, config: Path, tmp_path: Path
) -> None:
    original = workers.count

    def count(task: Task) -> Done:
        assert isinstance(task.references[0], Span)
        elsewhere = task.references[0]._replace(path="/nowhere/ref0")
        return original(
            replace(task, references=(elsewhere, *task.references[1:]))
        )

    expected = rf"{tmp_path}/d/ref0: cannot be read: No such file or directory \(on .*, where a worker needs the same "
    with (
        mock.patch.object(workers, "count", count),
        pytest.raises(
            CorpusError,
            match=f"{expected}file at the same path, with the same time",
        ),
    ):
        run(config, tmp_path / "run", dask.options)


def test_a_worker_of_another_version_is_refused(
    dask: Here, config: Path, tmp_path: Path
) -> None:
    with (
        mock.patch.object(workers, "COUNTING", -1),
        pytest.raises(
            InputError,
            match=r"the worker on .*: has gec-pipeline .*; install the same version everywhere",
        ),
    ):
        run(config, tmp_path / "run", dask.options)


def test_an_interrupted_run_leaves_no_task_on_the_cluster_and_goes_on(
    dask: Here, config: Path, tmp_path: Path
) -> None:
    def interrupt(*_: int) -> None:
        raise KeyboardInterrupt

    original = workers.count

    def slow(task: Task) -> Done:
        time.sleep(0.05)
        return original(task)

    with (
        mock.patch.object(workers, "count", slow),
        pytest.raises(KeyboardInterrupt),
    ):
        run(config, tmp_path / "run", dask.options, Hears(progress=interrupt))
    assert tasks_of(str(dask.address)) == 0
    run(config, tmp_path / "run", dask.options)
    check_one_process(config, tmp_path)


def tasks_of(address: str) -> int:
    """Return how many tasks a scheduler knows, once those under way have ended."""
    from distributed import Client

    with Client(address, set_as_default=False) as client:
        end = time.monotonic() + PATIENCE
        while (
            left := client.run_on_scheduler(_tasks)
        ) and time.monotonic() < end:
            time.sleep(0.02)
        return int(left)


def _tasks(dask_scheduler: Any) -> int:
    return len(dask_scheduler.tasks)


def test_a_client_of_the_users_own_is_used_and_left_alone(
    scheduler: str, config: Path, tmp_path: Path
) -> None:
    from distributed import Client

    with Client(scheduler) as client:
        run(
            config,
            tmp_path / "run",
            RunOptions(n_jobs=None, backend="dask", shard_lines=40),
        )
        assert client.status == "running"
    assert (tmp_path / "run" / "results.json").exists()


def test_without_an_address_workers_are_started_here_and_end(
    config: Path, tmp_path: Path
) -> None:
    pytest.importorskip("distributed", reason="dask is not installed")
    command = [
        "run",
        str(config),
        "-q",
        "--output",
        str(tmp_path / "run"),
        "--backend",
        "dask",
        "--n-jobs",
        "2",
    ]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-m", "pipeline", *command],
        env=environment,
        capture_output=True,
        check=True,
    )
    assert done.stderr == b""
    check_one_process(config, tmp_path)


def test_what_is_counted_needs_no_cluster(config: Path, tmp_path: Path) -> None:
    run(config, tmp_path / "run")
    run(
        config,
        tmp_path / "run",
        RunOptions(n_jobs=2, backend="dask", address="tcp://127.0.0.1:1"),
    )


# ---- what is told


@pytest.mark.parametrize("backend", ["dask", "ray", "spark"])
def test_nobody_at_the_address_is_told_soon(
    backend: str,
    config: Path,
    tmp_path: Path,
    command: Command,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The time to wait is handed to the system, and nothing of the cluster's own, which waits for
    minutes, is asked.
    """
    waits: list[float] = []
    original = socket.create_connection

    def watched(address: tuple[str, int], timeout: float) -> socket.socket:
        waits.append(timeout)
        return original(address, timeout)

    monkeypatch.setattr(socket, "create_connection", watched)
    monkeypatch.setitem(
        CLUSTER_BACKENDS,
        backend,
        replace(
            CLUSTER_BACKENDS[backend],
            connect=mock.Mock(side_effect=AssertionError),
        ),
    )
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    address = (
        f"spark://127.0.0.1:{port}"
        if backend == "spark"
        else f"127.0.0.1:{port}"
    )
    error = command.refused(
        f"run {config} -q --output {tmp_path / 'run'} --backend {backend} --address {address}"
    ).err
    assert waits == [clusters.Cluster.MAX_ANSWER_SECONDS]
    expected = f"backend {backend} at {address}: nobody answers there (Connection refused); is the scheduler running?"
    assert error == f"error: {expected}\n"


@pytest.mark.parametrize("backend", ["dask", "ray", "spark"])
def test_a_missing_package_is_told_with_the_line_that_installs_it(
    backend: str,
) -> None:
    hidden = dict.fromkeys(("dask", "dask.config", "ray", "joblibspark"))
    with (
        mock.patch.dict(sys.modules, hidden),
        pytest.raises(ConfigError) as caught,
    ):
        Cluster(backend, None, "auto").workers()
    assert f"pip install 'gec-pipeline[{backend}]'" in str(caught.value)


@pytest.mark.parametrize("backend", ["loky", "auto"])
def test_an_address_without_a_cluster_is_refused(
    backend: str, config: Path, command: Command
) -> None:
    """Also in the config, with its place."""
    expected = (
        f"only the backends dask, ray, spark take an address, not '{backend}'"
    )
    assert (
        f"error: --address: {expected}"
        in command.refused(
            f"run {config} --backend {backend} --address head:1"
        ).err
    )
    assert (
        f"run.address: {expected}"
        in command.refused(
            f"validate {config} --set run.backend={backend} --set run.address=head:1"
        ).err
    )


def test_an_address_that_is_none_is_told_by_the_cluster(
    config: Path, command: Command
) -> None:
    pytest.importorskip("distributed")
    assert (
        "backend dask at head: the cluster cannot be used: "
        in command.refused(f"run {config} --backend dask --address head -q").err
    )


def test_an_address_of_the_config_is_not_that_of_another_backend(
    config: Path, tmp_path: Path
) -> None:
    written = RunConfig(backend="dask", address="tcp://127.0.0.1:1")
    assert [
        RunOptions(backend=name).under(written).address
        for name in ("ray", None)
    ] == [None, written.address]
    settings = wordlist("--set run.backend=dask --set run.address=127.0.0.1:1")
    assert (
        typed(
            f"run {config}",
            *settings,
            "--backend",
            "serial",
            "-q",
            "--output",
            str(tmp_path / "run"),
        )
        == 0
    )


def test_threads_work_until_the_cluster_is_connected_to() -> None:
    """What they have begun they end; the cluster gets the rest, and all of it later."""
    begun = threading.Barrier(processors() + 1, timeout=PATIENCE)
    free = threading.Event()
    threads_of: dict[int, str] = {}
    free_before: list[bool] = []

    def connect(*_: Any) -> int:
        begun.wait()  # every thread has an item at hand
        return 2

    def results(_: Any, call: Any, tasks: Any, __: int) -> Any:
        free_before.append(free.is_set())
        free.set()  # nobody waits for the threads before the cluster gets its work
        yield from map(call, tasks)

    def work(number: int) -> int:
        threads_of[number] = threading.current_thread().name
        if threads_of[number] != "MainThread":
            begun.wait()
            assert free.wait(PATIENCE)
        return number * number

    items = range(3 * processors() + 5)
    first = processors()
    kind = ClusterBackend(
        packages=("x",), connect=connect, results=results, death_errors=()
    )
    with (
        mock.patch.dict(CLUSTER_BACKENDS.entries, {"soon": kind}),
        Cluster("soon", None, 2) as cluster,
    ):
        assert cluster.shared(work, items) == [
            number * number for number in items
        ]
        assert {
            n for n, name in threads_of.items() if name != "MainThread"
        } == set(range(first))
        assert cluster.shared(work, items) == [
            number * number for number in items
        ]
    assert free_before == [False, True]
    assert set(threads_of.values()) == {"MainThread"}


def test_a_cluster_that_is_not_there_is_told_while_threads_work() -> None:
    done: list[int] = []

    def work(number: int) -> None:
        time.sleep(0.01)
        done.append(number)

    connect = mock.Mock(side_effect=OSError("nobody"))
    with (
        mock.patch.dict(
            CLUSTER_BACKENDS.entries,
            {
                "never": ClusterBackend(
                    packages=("x",),
                    connect=connect,
                    results=mock.Mock(),
                    death_errors=(),
                )
            },
        ),
        pytest.raises(
            ConfigError,
            match="backend never: the cluster cannot be used: OSError: nobody",
        ),
    ):
        Cluster("never", None, 2).shared(work, range(1000))
    assert len(done) < 100


# ---- waves, with joblib's threads in the place of a cluster


def threads(_: str | None, workers: int | None, undo: ExitStack) -> int:
    undo.callback(ENDED.append, "ended")
    return workers or 3


ENDED: list[str] = []


@pytest.fixture
def waves() -> Iterator[None]:
    kind = ClusterBackend(
        packages=("x",),
        connect=threads,
        results=on_spark.results,
        death_errors=("ZeroDivisionError",),
    )
    with mock.patch.dict(CLUSTER_BACKENDS.entries, {"threading": kind}):
        yield


@pytest.mark.usefixtures("waves")
@pytest.mark.parametrize(("target", "size"), [(2, 8), (1, 1), (None, 12)])
def test_no_more_tasks_are_taken_than_a_wave_has(
    target: int | None, size: int
) -> None:
    """By hand: four for each worker, and one at a time where one worker is wanted."""
    taken: list[int] = []

    def tasks() -> Iterator[int]:
        for number in range(30):
            taken.append(number)
            yield number

    with Cluster("threading", None, target) as workers:
        results = workers.results(lambda number: number * number, tasks())
        assert next(results) == 0
        assert len(taken) == size
        assert sorted([0, *results]) == [
            number * number for number in range(30)
        ]
    assert ENDED.pop() == "ended"


@pytest.mark.usefixtures("waves")
@pytest.mark.parametrize(
    ("error", "expected", "message"),
    [
        (
            ZeroDivisionError("killed\nmore"),
            WorkerLostError,
            r"a worker of the cluster died \(ZeroDivisionError: kill",
        ),
        (
            ImportError("No module named 'pipeline'"),
            ConfigError,
            "a worker cannot import the program .*same version",
        ),
        (
            ZeroDivisionError("x\nModuleNotFoundError: pipeline"),
            ConfigError,
            "a worker cannot import the program",
        ),
        (CorpusError("changed"), CorpusError, "changed"),
        (
            OSError("gone"),
            IncompleteError,
            "the cluster failed: OSError: gone; run the same command again",
        ),
    ],
)
def test_errors_of_the_cluster_itself_are_told_apart(
    error: Exception, expected: type[Exception], message: str
) -> None:
    def call(_: int) -> int:
        raise error

    with (
        Cluster("threading", None, 2) as workers,
        pytest.raises(expected, match=message),
    ):
        list(workers.results(call, iter(range(3))))


def test_texts_of_the_temporary_folder_travel_with_their_task(
    tmp_path: Path,
) -> None:
    (tmp_path / "text").write_text("a\nb\nc\n", encoding="utf-8")
    here = Span(path=str(tmp_path / "text"), start=0, size=6, skip=1, lines=2)
    task = workers.Task(
        number=0,
        source=None,
        references=(here,),
        systems=(here._replace(temporary=True),),
        spec=(),
    )
    carried = workers._carried(task)
    assert carried.references == (here,)
    assert isinstance(carried.systems[0], Lines)
    assert [*carried.systems[0].texts()] == [b"b", b"c"]
