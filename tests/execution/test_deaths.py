"""Workers that die, and shards that are slow: what is told, what is tried again, what is given up, what is kept."""

from __future__ import annotations

import json
import os
import signal
import time
from typing import TYPE_CHECKING, Any
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pipeline
from pipeline import stages
from pipeline.cli.dispatch import main
from pipeline.corpus.spans import read_span
from pipeline.errors import IncompleteError
from pipeline.execution import count, retry, slow_shards, workers
from pipeline.execution.options import RunOptions
from pipeline.execution.retry import Runner
from pipeline.execution.shards import Missing
from pipeline.execution.slow_shards import Watch
from pipeline.execution.workers import Task, WorkerDiedError
from pipeline.kernel.lines import join_lines
from pipeline.scoring.results import HUMAN, Results
from tests.conftest import Hears, metric_of, run, tree, write_run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from pipeline.execution.workers import Done

POISON = "a-word-that-kills"
LOKY = RunOptions(2, "loky", 40)
EXPECTED = ("d", "e")

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")  # see LOKY_MAY_STUMBLE


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """A config for two random corpora, of 200 and 201 lines, with three systems."""
    return write_run(tmp_path, 200, datasets=EXPECTED, systems="ABC", chosen=["gleu[iter=3]", "gleu[n=2,iter=3]"])


def poison(file: Path, line: int) -> None:
    """Put the word into a line, from 1, of a text."""
    lines = file.read_text(encoding="utf-8").split("\n")
    lines[line - 1] += f" {POISON}"
    file.write_text("\n".join(lines), encoding="utf-8", newline="")


def poisoned(task: Task) -> bool:
    """Whether a line of a task has the word."""
    texts = (read_span(span) if len(span) > 3 else span for span in (*task.references, *task.systems))
    return any(POISON.encode() in line for text in texts for line in text.texts())


def deadly(once: Path | None = None) -> Callable[[Task], Done]:
    """Return a count() that kills its process over the word; once: only while this file is not there."""
    original = workers.count

    def count(task: Task) -> Done:
        if poisoned(task) and not (once and once.exists()):
            if once:
                once.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return original(task)

    return count


def test_a_worker_killed_once_is_replaced_and_nothing_is_missing(config: Path, tmp_path: Path) -> None:
    poison(tmp_path / "d" / "B", 57)
    told: list[str] = []
    with mock.patch.object(workers, "count", deadly(tmp_path / "dead")):
        results = run(config, tmp_path / "run", LOKY, Hears(tell=told.append))
    assert (tmp_path / "dead").exists()
    assert told == ["d: a worker process died (out of memory, or killed); its work is tried again"]
    assert results.missing == []
    run(config, tmp_path / "fresh")
    assert tree(tmp_path / "run") == tree(tmp_path / "fresh")
    assert told[0] in (tmp_path / "run" / "log.txt").read_text(encoding="utf-8")


def test_a_line_that_kills_every_worker_is_named_and_all_else_is_scored(config: Path, tmp_path: Path) -> None:
    poison(tmp_path / "d" / "B", 57)
    whole = run(config, tmp_path / "fresh")
    with mock.patch.object(workers, "count", deadly()):
        results = run(config, tmp_path / "run", LOKY)
    assert results.missing == [Missing("d", "B", 57, 57)]
    ours = {(s.dataset, s.system, s.metric): s.score for s in results.scores}
    expected = {(s.dataset, s.system, s.metric): s.score for s in whole.scores}
    assert ours == {key: score for key, score in expected.items() if key[:2] != ("d", "B")}
    assert [s.rank for s in results.scores if s.dataset == "d"] != []
    assert Results.read(tmp_path / "run" / "results.json") == results
    manifest = json.loads((tmp_path / "run" / "run.json").read_text(encoding="utf-8"))
    assert manifest["state"] == "incomplete"


def test_the_same_command_goes_on_with_what_was_missing(config: Path, tmp_path: Path) -> None:
    """Of five shards of B one is counted again, and nothing of A and C."""
    poison(tmp_path / "d" / "B", 57)
    with mock.patch.object(workers, "count", deadly()):
        run(config, tmp_path / "run", LOKY)
    tasks: list[Task] = []
    original = workers.run

    def watched(given: Sequence[Task], *more: Any) -> Iterator[Done]:
        tasks.extend(given)
        yield from original(given, *more)

    with mock.patch.object(workers, "run", watched):
        assert run(config, tmp_path / "run", LOKY).missing == []
    assert [(len(task.systems), retry._lines(task)) for task in tasks] == [(1, 40)]
    run(config, tmp_path / "fresh")
    assert tree(tmp_path / "run") == tree(tmp_path / "fresh")


def test_a_reference_that_kills_leaves_the_other_data_set(config: Path, tmp_path: Path) -> None:
    poison(tmp_path / "d" / "ref1", 200)
    with mock.patch.object(workers, "count", deadly()):
        results = run(config, tmp_path / "run", LOKY)
    assert results.missing == [Missing("d", name, 200, 200) for name in "ABC"]
    assert {(s.dataset, s.system) for s in results.scores} == {("e", name) for name in "ABC"}


def test_the_lines_are_those_of_the_user(tmp_path: Path) -> None:
    """Where lines are selected: line 57 of the file is the seventh that is scored."""
    config = write_run(tmp_path, 60, systems="A")
    config.write_text(
        config.read_text(encoding="utf-8").replace('"references"', '"keep": ["51-60"], "references"'), "utf-8"
    )
    poison(tmp_path / "d" / "A", 57)
    with mock.patch.object(workers, "count", deadly()):
        assert run(config, tmp_path / "run", LOKY).missing == [Missing("d", "A", 57, 57)]


def test_when_all_workers_die_the_run_ends_and_says_what_is_missing(config: Path, tmp_path: Path) -> None:
    for line in range(1, 201):
        poison(tmp_path / "d" / "ref0", line)
    with mock.patch.object(workers, "count", deadly()), mock.patch.object(retry, "DEATHS", 3):
        results = run(config, tmp_path / "run", LOKY)
    assert results.missing == [Missing("d", name, 1, 200) for name in "ABC"]
    assert {s.dataset for s in results.scores} == {"e"}


def test_the_command_prints_what_it_has_and_gives_exit_code_3(
    config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    poison(tmp_path / "d" / "B", 57)
    command = ["run", str(config), "--output", str(tmp_path / "run"), "--n-jobs", "2", "--backend", "loky"]
    with mock.patch.object(workers, "count", deadly()):
        assert main(command) == 3
    out, err = capsys.readouterr()
    assert "d: 200 lines, 2 references" in out
    assert "error: d: B has no scores: line 57 could not be counted\n" in err
    assert "error: the results are incomplete; run the same command again" in err
    assert main(["show", str(tmp_path / "run")]) == 0
    assert "warning: d: B has no scores: line 57 could not be counted\n" in capsys.readouterr().err
    assert main(command) == 0
    run(config, tmp_path / "fresh")
    assert tree(tmp_path / "run") == tree(tmp_path / "fresh")


def test_python_hears_of_it_too(config: Path, tmp_path: Path) -> None:
    poison(tmp_path / "d" / "B", 57)
    hungry = mock.Mock(side_effect=MemoryError)
    with mock.patch.object(workers, "count", hungry), mock.patch.object(retry, "DEATHS", 2):
        with pytest.raises(IncompleteError, match="d: A has no scores: lines 1 to 200 could not be counted"):
            pipeline.run(config, tmp_path / "run")
        with pytest.raises(IncompleteError, match="memory: system has no scores"):
            pipeline.evaluate(["a b"], [["a b"]], ["a c"])


@pytest.mark.parametrize("options", [RunOptions(1, "serial", 40), RunOptions(2, "threading", 40)])
def test_memory_that_runs_out_is_like_a_death(config: Path, tmp_path: Path, options: RunOptions) -> None:
    poison(tmp_path / "d" / "C", 3)
    original = workers.count

    def hungry(task: Task) -> Done:
        if poisoned(task):
            raise MemoryError
        return original(task)

    told: list[str] = []
    with mock.patch.object(workers, "count", hungry):
        results = run(config, tmp_path / "run", options, Hears(tell=told.append))
    assert results.missing == [Missing("d", "C", 3, 3)]
    assert told[0] == "d: memory ran out; its work is tried again"
    assert told[1] == "d: memory ran out over 40 lines alone; two smaller shards are tried"
    assert told[-1] == "d: memory ran out over a line alone; it is given up"
    run(config, tmp_path / "run", options)
    run(config, tmp_path / "fresh")
    assert tree(tmp_path / "run") == tree(tmp_path / "fresh")


def test_a_reference_lost_as_a_system_leaves_no_mean_of_the_others(tmp_path: Path) -> None:
    config = write_run(tmp_path, 30, references=3, systems="A", chosen=["gleu[refs=leave_one_out,iter=2]"])
    whole = {score.system for score in run(config, tmp_path / "fresh").scores}
    assert whole == {"A", "reference0", "reference1", "reference2", HUMAN}
    lost = [Missing("d", "reference1", 1, 1)]
    original = count.count_all
    with mock.patch.object(stages, "count_all", lambda *given: (original(*given)[0], lost)):
        assert {score.system for score in run(config, tmp_path / "run").scores} == {"A", "reference0", "reference2"}


# ---- the retries themselves, without processes


@st.composite
def deaths(draw: st.DrawFn) -> tuple[int, int, set[tuple[int, int]], int]:
    """Draw lines, systems, what kills (line, system), and lines in a shard."""
    lines, systems = draw(st.integers(1, 12)), draw(st.integers(1, 4))
    cells = st.tuples(st.integers(0, lines - 1), st.integers(0, systems - 1))
    return lines, systems, draw(st.sets(cells, max_size=3)), draw(st.integers(1, 12))


@given(drawn=deaths(), innocent=st.booleans())
def test_exactly_what_kills_is_given_up(drawn: tuple[int, int, set[tuple[int, int]], int], innocent: bool) -> None:
    lines, systems, kills, size = drawn
    word = {True: POISON, False: "a b"}
    outputs = [[word[(i, s) in kills] for i in range(lines)] for s in range(systems)]
    needs = (metric_of(n=1).needs, metric_of(n=2).needs)

    def task(low: int, rows: Sequence[Sequence[str]]) -> Task:
        cut = [join_lines(text.encode() for text in row[low : low + size]) for row in rows]
        same = join_lines(f"a {i}".encode() for i in range(lines)[low : low + size])
        return Task(number=low, source=same, references=(same,), systems=tuple(cut), needs=needs)

    def fragile(tasks: Sequence[Task], *_: Any) -> Iterator[Done]:
        for number, one in enumerate(tasks):
            if poisoned(one):
                raise WorkerDiedError(tasks[max(number - 1, 0) : number + 2] if innocent else [one], "died")
            if not (innocent and number + 1 < len(tasks) and poisoned(tasks[number + 1])):
                yield workers.count(one)

    tasks = [task(low, outputs) for low in range(0, lines, size)]
    told: list[str] = []
    with mock.patch.object(workers, "run", fragile), mock.patch.object(retry, "DEATHS", 10_000):
        found = list(Runner(2, "loky", Watch(1, print), told.append).run(tasks))
    assert sorted(outcome.number for outcome in found) == [one.number for one in tasks]
    lost = [item for outcome in found for item in outcome.lost]
    cells = {
        (item.number + i, s) for item in lost for i in range(item.low, item.high) for s in range(item.first, item.last)
    }
    assert cells == kills
    for outcome in found:
        whole = workers.count(task(outcome.number, outputs))[1]
        gone = {item.first for item in outcome.lost}
        for place, array in enumerate(outcome.arrays):
            assert (array is None) == (place % systems in gone)
            assert array is None or (array == whole[place]).all()
    assert bool(told) == bool(kills)


# ---- slow shards


def test_a_shard_ten_times_slower_than_the_median_is_named_once_while_it_runs() -> None:
    with mock.patch.object(time, "monotonic") as clock:
        clock.return_value = 0.0
        watched = Watch(2, print)
        for number in range(10):
            watched.handed(number)
        for second in range(1, 4):  # two at a time, a second each
            clock.return_value = second
            watched.done(2 * second - 2)
            watched.done(2 * second - 1)
        assert watched.look() == []
        clock.return_value = 3 + 9.5
        assert watched.look() == []
        watched.done(7)
        clock.return_value = 3 + 10.5
        assert watched.look() == [(6, 10.5, 1.0)]
        assert watched.look() == []
        clock.return_value = 3 + 20.5
        assert watched.look() == [(8, 11.0, 1.0)]  # which began when 7 was done; 9 waits still


def test_fast_shards_are_not_named_before_anybody_has_waited() -> None:
    with mock.patch.object(time, "monotonic") as clock:
        clock.return_value = 0.0
        watched = Watch(1, print)
        for number in range(9):
            watched.handed(number)
            clock.return_value += 0.01
            watched.done(number)
        watched.handed(9)
        clock.return_value += 4.9
        assert watched.look() == []
        clock.return_value += 0.2
        assert [number for number, *_ in watched.look()] == [9]


@pytest.mark.parametrize("backend", ["serial", "threading", "loky"])
def test_a_slow_shard_is_told_with_its_lines(
    tmp_path: Path, backend: workers.Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = write_run(tmp_path, 200, systems="A")
    poison(tmp_path / "d" / "A", 150)
    original, told = workers.count, list[str]()

    def sleepy(task: Task) -> Done:
        time.sleep(1.5 * poisoned(task))
        return original(task)

    monkeypatch.setattr(workers, "count", sleepy)
    monkeypatch.setattr(slow_shards, "LEAST", 0.3)
    monkeypatch.setattr(slow_shards, "PAUSE", 0.05)
    run(config, tmp_path / "run", RunOptions(2, backend, 20), Hears(tell=told.append))
    where = f"{tmp_path / 'd' / 'ref0'}:141"
    expected = f"d: lines 141 to 160 (from {where} on) are slow: "
    assert sum(text.startswith(expected) for text in told) == 1  # a worker that is slow to start may be told too
