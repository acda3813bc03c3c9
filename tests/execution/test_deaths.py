"""Workers that die: what is told, what is tried again, what is given up, what is kept."""

from __future__ import annotations

import io
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pipeline
from pipeline import stages
from pipeline.errors import IncompleteError
from pipeline.execution import count, workers
from pipeline.execution.options import Missing, RunOptions
from pipeline.execution.workers import Runner, Task, WorkerDiedError
from pipeline.kernel.common import join_lines
from pipeline.parallel import NoAnswerError
from pipeline.scoring.results import Results
from pipeline.scoring.rows import Score
from tests.conftest import (
    Hears,
    RunLine,
    assert_as_fresh,
    gec_pipeline,
    metric_of,
    read_json,
    run,
    tree,
    write_run,
)
from tests.execution.deadly import POISON, deadly, hungry, poison, poisoned

LOKY = RunOptions(n_jobs=2, backend="loky", shard_lines=4)
ONE = RunOptions(n_jobs=1, backend="serial", shard_lines=40)
EXPECTED = ("d", "e")


def write_corpora(folder: Path, lines: int) -> Path:
    """Write a config for two random corpora, the second a line longer, with three systems."""
    return write_run(
        folder,
        lines,
        datasets=EXPECTED,
        systems="ABC",
        chosen=["gleu[iter=3]", "gleu[n=2,iter=3]"],
    )


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """A config for corpora of 200 and 201 lines."""
    return write_corpora(tmp_path, 200)


# ---- processes that are killed: few lines in a shard, for each death costs the start of two
# workers


@contextmanager
def shards_of_four_lines() -> Iterator[None]:
    """Have the command cut texts of any size so."""
    with mock.patch.multiple(count, MIN_BYTES=1, MAX_BYTES=1, STRIDE=4):
        yield


class Incomplete(NamedTuple):
    """A run by the command, of which line 7 of B in d killed every worker; what it printed."""

    config: Path
    folder: Path
    code: int
    out: str
    err: str

    def again(self, folder: Path) -> str:
        """Return the same command for a copy of the run directory, which is made."""
        shutil.copytree(self.folder, folder)
        return line_of_run(self.config, folder)


def line_of_run(config: Path, folder: Path) -> str:
    return f"run {config} --output {folder} --n-jobs 2 --backend loky"


@pytest.fixture(scope="module")
def incomplete(tmp_path_factory: pytest.TempPathFactory) -> Incomplete:
    """Made once: each test works on a copy."""
    folder = tmp_path_factory.mktemp("incomplete")
    config = write_corpora(folder, 20)
    poison(folder / "d" / "B", 7)
    with (
        shards_of_four_lines(),
        mock.patch.object(workers, "count", deadly()),
        redirect_stdout(io.StringIO()) as out,
        redirect_stderr(io.StringIO()) as err,
    ):
        code = gec_pipeline(line_of_run(config, folder / "run"))
    return Incomplete(
        config, folder / "run", code, out.getvalue(), err.getvalue()
    )


def test_a_worker_killed_once_is_replaced_and_nothing_is_missing(
    tmp_path: Path,
) -> None:
    config = write_corpora(tmp_path, 20)
    poison(tmp_path / "d" / "B", 7)
    reported: list[str] = []
    with mock.patch.object(workers, "count", deadly(tmp_path / "dead")):
        results = run(
            config, tmp_path / "run", LOKY, Hears(warn=reported.append)
        )
    assert (tmp_path / "dead").exists()
    assert reported == [
        "d: a worker process died (out of memory, or killed); its work is tried again"
    ]
    assert results.missing == []
    assert_as_fresh(config, tmp_path / "run")
    assert reported[0] in (tmp_path / "run" / "log.txt").read_text("utf-8")


def test_a_line_that_kills_every_worker_is_named_and_all_else_is_scored(
    incomplete: Incomplete, tmp_path: Path
) -> None:
    complete = run(incomplete.config, tmp_path / "fresh")
    results = Results.read(incomplete.folder / "results.json")
    assert results.missing == [Missing("d", "B", 7, 7)]
    ours = {(s.dataset, s.system, s.metric): s.score for s in results.scores}
    expected = {
        (s.dataset, s.system, s.metric): s.score for s in complete.scores
    }
    assert ours == {
        key: score for key, score in expected.items() if key[:2] != ("d", "B")
    }
    assert [s.rank for s in results.scores if s.dataset == "d"] != []
    manifest = read_json(incomplete.folder / "run.json")
    assert manifest["state"] == "incomplete"
    assert not list((incomplete.folder / "statistics" / "d").glob("B.*"))


def test_the_command_prints_what_it_has_and_gives_exit_code_3(
    incomplete: Incomplete, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert incomplete.code == 3
    assert "d: 20 lines, 2 references" in incomplete.out
    assert (
        "error: d: B has no scores: line 7 could not be counted\n"
        in incomplete.err
    )
    assert (
        "error: the results are incomplete; run the same command again"
        in incomplete.err
    )
    incomplete.again(tmp_path / "run")
    assert gec_pipeline(f"show {tmp_path}/run") == 0
    assert (
        "warning: d: B has no scores: line 7 could not be counted\n"
        in capsys.readouterr().err
    )


def test_the_same_command_goes_on_with_what_was_missing(
    incomplete: Incomplete, tmp_path: Path
) -> None:
    """Of five shards of B one is counted again, and nothing of A and C."""
    tasks: list[Task] = []
    original = workers.run

    def watched(given: Sequence[Task], *more: Any) -> Iterator[workers.Answer]:
        tasks.extend(given)
        yield from original(given, *more)

    with shards_of_four_lines(), mock.patch.object(workers, "run", watched):
        assert gec_pipeline(incomplete.again(tmp_path / "run")) == 0
    assert [(len(task.systems), task.lines) for task in tasks] == [(1, 4)]
    run(incomplete.config, tmp_path / "fresh")
    assert tree(tmp_path / "run") == tree(tmp_path / "fresh")


def test_when_all_workers_die_the_run_ends_and_says_what_is_missing(
    tmp_path: Path,
) -> None:
    config = write_corpora(tmp_path, 20)
    for line in range(1, 21):
        poison(tmp_path / "d" / "ref0", line)
    with (
        mock.patch.object(workers, "count", deadly()),
        mock.patch.object(workers, "DEATHS", 3),
    ):
        results = run(config, tmp_path / "run", LOKY)
    assert results.missing == [Missing("d", name, 1, 20) for name in "ABC"]
    assert {s.dataset for s in results.scores} == {"e"}


# ---- memory that runs out in this process


def test_a_reference_that_kills_leaves_the_other_data_set(
    config: Path, tmp_path: Path
) -> None:
    poison(tmp_path / "d" / "ref1", 200)
    with mock.patch.object(workers, "count", hungry):
        results = run(config, tmp_path / "run", ONE)
    assert results.missing == [Missing("d", name, 200, 200) for name in "ABC"]
    assert {(s.dataset, s.system) for s in results.scores} == {
        ("e", name) for name in "ABC"
    }


def test_the_lines_are_those_of_the_user(tmp_path: Path) -> None:
    """Where lines are selected: line 57 of the file is the seventh that is scored."""
    config = write_run(tmp_path, 60, systems="A")
    config.write_text(
        config.read_text("utf-8").replace(
            '"references"', '"keep": ["51-60"], "references"'
        ),
        "utf-8",
    )
    poison(tmp_path / "d" / "A", 57)
    with mock.patch.object(workers, "count", hungry):
        assert run(config, tmp_path / "run", ONE).missing == [
            Missing("d", "A", 57, 57)
        ]


def test_python_hears_of_it_too(config: Path, tmp_path: Path) -> None:
    nothing = mock.Mock(side_effect=MemoryError)
    with (
        mock.patch.object(workers, "count", nothing),
        mock.patch.object(workers, "DEATHS", 2),
    ):
        with pytest.raises(
            IncompleteError,
            match="d: A has no scores: lines 1 to 200 could not be counted",
        ):
            pipeline.run(config, tmp_path / "run")
        with pytest.raises(
            IncompleteError, match="memory: system has no scores"
        ):
            pipeline.evaluate(["a b"], [["a b"]], ["a c"], n_jobs="auto")


@pytest.mark.parametrize(
    "options",
    [
        RunOptions(n_jobs=1, backend="serial", shard_lines=40),
        RunOptions(n_jobs=2, backend="threading", shard_lines=40),
    ],
)
def test_memory_that_runs_out_is_like_a_death(
    config: Path, tmp_path: Path, options: RunOptions
) -> None:
    poison(tmp_path / "d" / "C", 3)
    reported: list[str] = []
    with mock.patch.object(workers, "count", hungry):
        results = run(
            config, tmp_path / "run", options, Hears(warn=reported.append)
        )
    assert results.missing == [Missing("d", "C", 3, 3)]
    assert reported[:2] == ["d: memory ran out; its work is tried again"] * 2
    assert (
        reported[2]
        == "d: memory ran out over 40 lines alone; two smaller shards are tried"
    )
    assert reported[-1] == "d: memory ran out over a line alone; it is given up"
    run(config, tmp_path / "run", options)
    assert_as_fresh(config, tmp_path / "run")


def test_a_reference_lost_as_a_system_leaves_no_mean_of_the_others(
    tmp_path: Path,
) -> None:
    config = write_run(
        tmp_path,
        30,
        references=3,
        systems="A",
        chosen=["gleu[refs=leave_one_out,iter=2]"],
    )
    complete = {
        score.system for score in run(config, tmp_path / "fresh").scores
    }
    assert complete == {
        "A",
        "reference0",
        "reference1",
        "reference2",
        Score.REFERENCES,
    }
    lost = [Missing("d", "reference1", 1, 1)]
    original = count.count_all
    with mock.patch.object(
        stages, "count_all", lambda *given: (original(*given)[0], lost)
    ):
        assert {
            score.system for score in run(config, tmp_path / "run").scores
        } == {
            "A",
            "reference0",
            "reference2",
        }


# ---- the retries themselves, without processes


@st.composite
def deaths(draw: st.DrawFn) -> tuple[int, int, set[tuple[int, int]], int]:
    """Draw lines, systems, what kills (line, system), and lines in a shard."""
    lines, systems = draw(st.integers(1, 12)), draw(st.integers(1, 4))
    cells = st.tuples(st.integers(0, lines - 1), st.integers(0, systems - 1))
    return (
        lines,
        systems,
        draw(st.sets(cells, max_size=3)),
        draw(st.integers(1, 12)),
    )


@given(drawn=deaths(), innocent=st.booleans())
def test_exactly_what_kills_is_given_up(
    drawn: tuple[int, int, set[tuple[int, int]], int], innocent: bool
) -> None:
    lines, systems, kills, size = drawn
    word = {True: POISON, False: "a b"}
    outputs = [
        [word[(i, s) in kills] for i in range(lines)] for s in range(systems)
    ]
    spec = (metric_of(n=1).spec, metric_of(n=2).spec)

    def task(low: int, rows: Sequence[Sequence[str]]) -> Task:
        cut = [
            join_lines(text.encode() for text in row[low : low + size])
            for row in rows
        ]
        same = join_lines(
            f"a {i}".encode() for i in range(lines)[low : low + size]
        )
        return Task(
            number=low,
            source=same,
            references=(same,),
            systems=tuple(cut),
            spec=spec,
        )

    def fragile(tasks: Sequence[Task], *_: Any) -> Iterator[workers.Answer]:
        for number, one in enumerate(tasks):
            if poisoned(one):
                raise WorkerDiedError(
                    tasks[max(number - 1, 0) : number + 2]
                    if innocent
                    else [one],
                    "died",
                )
            if not (
                innocent
                and number + 1 < len(tasks)
                and poisoned(tasks[number + 1])
            ):
                yield (one.number, [*workers.count(one)[1]])

    tasks = [task(low, outputs) for low in range(0, lines, size)]
    reported: list[str] = []
    with (
        mock.patch.object(workers, "run", fragile),
        mock.patch.object(workers, "DEATHS", 10_000),
    ):
        found = list(Runner(2, "loky", reported.append).run(tasks))
    assert sorted(outcome.number for outcome in found) == [
        one.number for one in tasks
    ]
    cells = {
        (outcome.number + i, s)
        for outcome in found
        for item in outcome.lost
        for i in range(item.low, item.high)
        for s in range(item.first, item.last)
    }
    assert cells == kills
    for outcome in found:
        complete = workers.count(task(outcome.number, outputs))[1]
        gone = {item.first for item in outcome.lost}
        for position, array in enumerate(outcome.columns or []):
            assert (array is None) == (position % systems in gone)
            assert array is None or np.array_equal(
                np.asarray(array), complete[position]
            )
    assert bool(reported) == bool(kills)


# ---- processes that live, but do nothing


def test_workers_that_answer_nothing_end_the_run_with_one_message(
    config: Path,
    tmp_path: Path,
    run_line: RunLine,
) -> None:
    reason = "no worker process has finished anything for 3600 s"

    def failing(  # type: ignore[no-untyped-def]
        work: Callable[[Task], workers.Answer],
        tasks: Iterator[Task],
        *_: Any,
        **__: Any,
    ):
        yield work(next(tasks))
        raise NoAnswerError(reason)

    with mock.patch.object(workers, "results", failing):
        done = run_line(line_of_run(config, tmp_path / "run"))
    assert done.code == 3
    last_line = done.err.splitlines()[-1]
    assert last_line == f"error: {reason}; run the same command again"
    assert gec_pipeline(line_of_run(config, tmp_path / "run")) == 0
    assert_as_fresh(config, tmp_path / "run")
