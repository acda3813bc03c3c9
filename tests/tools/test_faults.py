"""A few faults of `python -m tests.tools.faults`, and that it notices what hangs, what is lost and
what is untidy.
"""

from __future__ import annotations

import sys

import pytest

if sys.platform != "linux":
    pytest.skip("the program of faults needs Linux", allow_module_level=True)

import random

from tests.tools.faults import processes, trials
from tests.tools.faults.__main__ import chosen, figures
from tests.tools.faults.files import replaced
from tests.tools.faults.machine import Machine
from tests.tools.faults.trials import KINDS, Kind, trial

SEED = 5


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    """A machine with short texts, on which nothing has happened yet."""
    return Machine(tmp_path_factory.mktemp("faults"), lines=100, least=300.0)


@pytest.mark.parametrize("kind", ["start", "deleted"])
def test_a_run_survives_a_fault(machine: Machine, kind: str) -> None:
    """All kinds by the hundred are tried by hand; other tests have signals, two runs and little
    memory.
    """
    done = trial(machine, SEED, 0, kind)
    assert (done.verdict, done.hung, done.lost, done.untidy) == (
        "survived",
        "",
        [],
        [],
    )


def never(machine: Machine, _: random.Random) -> str:
    machine.start(before="import time; time.sleep(100_000)").wait()
    return "a command that never ends"


def lose(machine: Machine, rng: random.Random) -> str:
    (machine.folder / "d" / "A").write_text(
        "a\n" * machine.lines, encoding="utf-8"
    )
    return never_mind(machine, rng)


def chatter(machine: Machine, _: random.Random) -> str:
    machine.start(
        before="import sys; print('Traceback', file=sys.stderr)"
    ).wait()
    return "a command that prints what it should not"


def never_mind(machine: Machine, _: random.Random) -> str:
    machine.start().wait()
    return "nothing"


def test_what_hangs_is_told_with_what_it_waits_for(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is waited for without a limit; the stacks of Python show where the command was."""
    monkeypatch.setattr(machine, "deadline", 1.0)
    monkeypatch.setitem(trials.KINDS, "never", Kind("", never, (0,)))
    done = trial(machine, SEED, 0, "never")
    assert done.verdict == "hung"
    assert "no end after 1 s: process " in done.hung
    assert processes.left_of(machine.temporary) == []


@pytest.mark.parametrize(
    ("inflict", "verdict"), [(lose, "lost"), (chatter, "untidy")]
)
def test_what_is_lost_or_untidy_is_noticed(
    machine: Machine,
    monkeypatch: pytest.MonkeyPatch,
    inflict: object,
    verdict: str,
) -> None:
    monkeypatch.setitem(trials.KINDS, "odd", Kind("", inflict, (0,)))  # type: ignore[arg-type]
    with replaced(machine.folder / "d" / "A"):
        done = trial(machine, SEED, 0, "odd")
    assert done.verdict == verdict
    assert f"{verdict} 1" in figures([done])


def test_a_number_of_a_seed_is_the_same_fault_whichever_kinds_are_left_out() -> (
    None
):
    every = dict(
        zip(range(60), (kind for _, kind in chosen(list(KINDS))), strict=False)
    )
    two = [
        next(numbers) for numbers in [chosen(["disk", "two"])] for _ in range(6)
    ]
    assert all(every[number] == kind for number, kind in two)
    assert [kind for _, kind in two] == ["two", "disk"] * 3
