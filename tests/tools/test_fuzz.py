"""A short run of each fuzzer (`python -m tests.tools.fuzz`), and all that they or others have ever
found.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections import Counter
from typing import Any

import pytest

if sys.platform == "win32":
    pytest.skip(
        "the fuzzers need signals for their limits", allow_module_level=True
    )

from pathlib import Path

from tests.tools.fuzz import changes, driver
from tests.tools.fuzz.driver import (
    Fuzzer,
    Said,
    checked,
    corpus,
    fuzz,
    seeds_of,
)
from tests.tools.fuzz.kinds import FUZZERS

CASES = {"inputs": 40, "configs": 15, "runs": 8}


@pytest.mark.parametrize("name", FUZZERS)
def test_random_cases_end_well_or_in_a_message(name: str) -> None:
    report = fuzz(FUZZERS[name], seeds_of(3, CASES[name]))
    assert report.wrong == {}
    assert report.cases == CASES[name]
    assert name != "inputs" or report.tally["intact: scored"] > 0
    assert name != "configs" or report.tally["accepted"] > 0


@pytest.mark.parametrize("name", FUZZERS)
def test_what_was_ever_found_is_found_no_more(name: str) -> None:
    wrong = {
        item["about"]: checked(FUZZERS[name], item["case"], Counter())
        for item in corpus(name)
    }
    assert {about: text for about, text in wrong.items() if text} == {}


def test_cases_are_the_same_for_a_seed() -> None:
    for fuzzer in FUZZERS.values():
        assert [fuzzer.make(seed) for seed in seeds_of(1, 9)] == [
            fuzzer.make(seed) for seed in seeds_of(1, 9)
        ]


def raises(_: Any, folder: Path, __: Counter[str]) -> str:
    raise KeyError(folder.name)


def hangs(*_: Any) -> str:
    while True:
        # a program that goes on after anything is no way out
        with contextlib.suppress(Exception):
            time.sleep(100)


def hungry(*_: Any) -> str:
    return str(os.urandom(64 << 20)[:0], "ascii")


@pytest.mark.parametrize(
    ("check", "words"),
    [(raises, "KeyError: 'fuzz-"), (hangs, "LateError"), (hungry, " MB of")],
)
def test_the_driver_notices_errors_hangs_and_memory(
    check: Any, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(driver, "WAIT", 0.1 if check is hangs else 300.0)
    monkeypatch.setattr(driver, "ROOM", -1.0 if check is hungry else 500.0)
    report = fuzz(Fuzzer("", str, check), seeds_of(0, 1))
    assert words in report.wrong["0:0"]


def test_what_a_command_may_say() -> None:
    assert (
        Said(0, "", "warning: x\n").wrong()
        == Said(2, "", "error: x\n  more\n").wrong()
        == ""
    )
    for unexpected in (
        Said(1, "", ""),
        Said(2, "", ""),
        Said(2, "", "error: x\nKeyError\n"),
        Said(0, "", "Traceback"),
    ):
        assert unexpected.wrong()


def test_changes_are_values_of_json() -> None:
    content = {"a": [1, {"b": 2}]}
    assert list(changes.places(content)) == [
        ["a"],
        ["a", 0],
        ["a", 1],
        ["a", 1, "b"],
    ]
    some: list[changes.Change] = [
        ["put", ["a", 0], {"!": "repeat", "n": 2, "of": 5}],
        ["rename", ["a", 1, "b"], "c"],
        ["drop", ["x"]],
    ]
    assert changes.changed(content, some) == {"a": [[5, 5], {"c": 2}]}
    assert changes.expanded({"!": "nest", "n": 2, "of": 1, "keys": True}) == {
        "k": {"k": 1}
    }
    assert changes.changed_bytes(b"abcd", [[0.5, 1, "7a"]]) == b"abzd"
