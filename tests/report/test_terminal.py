"""Tables on terminals: no number, name or word is broken, and what does not fit is told."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pipeline.reopen import revisit
from pipeline.report.tables.comparisons import p_cell
from pipeline.report.terminal.printing import (
    fit,
    print_square,
    print_table,
    table_width,
    wrapped,
)
from tests.conftest import ROOT, RunLine
from tests.support.extensions import with_extension
from tests.support.terminal import on_terminal

HINT = re.compile(r"\([^()]*:\s+in\s+a\s+wider\s+window,\s+or\s+piped\)")
PAIRS = (
    "system",
    "other",
    "precision",
    "recall",
    "beta",
    "(inserted,",
    "deleted:",
    "against",
    "source)",
)
"""Words of tables that a terminal may have instead of, or beside, those that are piped."""
HEADER = ["system", "note", "score", "95% interval", "p"]
NAMED = {"95% interval": "intervals"}
ROWS = [
    ["A" * 30, "it says that much", "59.26", "57.93 to 60.40", "0.0005"],
    ["B", "-", "8.00", "7.00 to 9.00", "0.5"],
]


def fitted(width: int, **more: Any) -> tuple[dict[int, int], list[str]]:
    return fit(HEADER, ROWS, left=(0, 1), width=width, **more)


@pytest.mark.parametrize("width", range(10, 120, 3))
def test_what_is_shown_fits_where_it_can(width: int) -> None:
    """Numbers and intervals stand on one line."""
    widths, left_out = fitted(width)
    assert 0 in widths
    assert table_width(widths.values()) <= width or list(widths) == [0]
    assert left_out == [
        NAMED.get(title, title)
        for n, title in enumerate(HEADER)
        if n not in widths
    ]
    assert all(
        len(row[n]) <= room
        for n, room in widths.items()
        if n > 1
        for row in ROWS
    )


def test_words_are_wrapped_before_names_are_cut_and_names_before_columns_leave() -> (
    None
):
    """The widest column is narrowed first; a title of two words has no more room than an interval,
    which leaves.
    """
    complete = table_width([30, 17, 5, 14, 6])
    for less, widths in (
        (0, [30, 17, 5, 14, 6]),
        (13, [30, 4, 5, 14, 6]),
        (19, [24, 4, 5, 14, 6]),
    ):
        assert list(fitted(complete - less)[0].values()) == widths
    assert fitted(complete - 20)[1] == ["intervals"]


def test_columns_leave_in_the_order_that_is_asked_for_and_a_narrow_one_comes_back() -> (
    None
):
    """Intervals leave before all others, and are named without their level."""
    for first_out in ((), ("p", "score")):
        assert fitted(table_width([24, 4, 5, 6]), first_out=first_out)[1] == [
            "intervals"
        ]
    assert fitted(table_width([24, 4, 6]), first_out=("score", "p"))[1] == [
        "score",
        "intervals",
    ]
    assert fitted(40, stay=range(4))[1] == ["p"]
    assert list(fitted(48, stay=range(4))[0].values()) == [
        14,
        4,
        5,
        14,
    ]  # where nothing can leave


def test_a_p_value_stands_beside_its_difference_alone() -> None:
    table = (
        ["system", "against a-long-baseline", "p adjusted"],
        [["A" * 20, "+1.00↑", "0.01"]],
    )
    assert fit(*table, left=(0,), width=39)[1] == [
        "against a-long-baseline",
        "p adjusted",
    ]


@pytest.mark.parametrize("width", [40, 80, 200])
@pytest.mark.parametrize(
    "line",
    [
        "compare {}",
        "rank {}",
        "show {}",
        "show {} --boards",
        "show {} --line 2",
        "show {} --columns match_* gleu.precision",
        *with_extension(
            "human", f"correlate {{}} --human {ROOT}/data/judgements.csv"
        ),
    ],
)
def test_no_word_is_broken(
    run_line: RunLine,
    sample: Path,
    monkeypatch: pytest.MonkeyPatch,
    line: str,
    width: int,
) -> None:
    for run in (sample, sample.parent / "pairs"):
        plain = run_line(line.format(run))
        with monkeypatch.context() as patch:
            on_terminal(patch, width)
            drawn = run_line(line.format(run))
        assert drawn[0] == plain[0] == 0
        page = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|[─━]", "", drawn[1])
        every = run_line(f"rank {run} --columns *")
        known = {*plain[1].split(), *every[1].split(), *PAIRS}
        assert [
            word
            for word in HINT.sub("", page).split()
            if word not in known and "…" not in word
        ] == []
        table = [row for row in page.splitlines() if row.startswith(" ")]
        assert max(map(len, table), default=0) <= width


def test_a_square_that_is_too_wide_stands_in_parts(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"system{n}" for n in range(9)]
    rows = [[name, *("0.1234" for _ in names)] for name in names]
    on_terminal(monkeypatch, 60)
    print_square(["", *names], rows)
    out = capsys.readouterr().out
    assert out.count("0.1234") == 81
    assert (
        max(
            len(re.sub(r"\x1b\[[0-9;]*m", "", line))
            for line in out.splitlines()
        )
        <= 60
    )
    assert "(in 2 tables; one table: in a wider window, or piped)" in " ".join(
        out.split()
    )


def test_names_are_cut_in_the_middle(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    on_terminal(monkeypatch, 40)
    print_table(
        ["system", "score"],
        [["transformer-large-" + "x" * 30 + "-seed7", "1.00"]],
        left=(0,),
    )
    assert re.search(
        r"transformer-l\S*…\S*-seed7 +1\.00", capsys.readouterr().out
    )


def test_names_that_would_look_alike_are_cut_where_they_differ(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    on_terminal(monkeypatch, 40)
    names = [
        f"data/generaltest2024-outputs/{name}-transformer.en"
        for name in ("first", "final")
    ]
    print_table(
        ["system", "score"],
        [[name, "1.00"] for name in names],
        left=(0,),
        unwrapped=(0,),
    )
    out = capsys.readouterr().out
    assert "…firs" in out
    assert "…fina" in out


def test_sentences_break_between_words_on_a_terminal_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = "warning: a/long/path/that/nobody/can/break/between/words.txt: line 3 is empty: it counts"
    assert wrapped(text, sys.stdout) == text
    on_terminal(monkeypatch, 40)
    assert wrapped(text, sys.stdout).split() == text.split()
    assert [line[:2] for line in wrapped(text, sys.stdout).split("\n")[1:]] == [
        "  ",
        "  ",
    ]


# p = (c + 1) / (trials + 1) is never below 1 / 501 with 500 trials, that of six tests by Holm never
# below 6 / 501.
@pytest.mark.parametrize(
    ("test", "p", "adjusted", "displayed"),
    [
        ("approximate_randomization", 1 / 501, 6 / 501, ("≤0.0020", "≤0.0120")),
        ("approximate_randomization", 2 / 501, 6 / 501, ("0.0040", "0.0120")),
        ("approximate_randomization", 1 / 501, 1.0, ("≤0.0020", "1.0000")),
        ("paired_bootstrap", 1 / 301, 1 / 301, ("≤0.0034", "≤0.0034")),
        ("sign", 1 / 501, 1 / 501, ("0.0020", "0.0020")),
        ("sign", 1e-9, 6e-9, ("<0.0001", "<0.0001")),
    ],
)
def test_the_smallest_p_of_so_many_trials_is_no_value(
    sample: Path,
    test: str,
    p: float,
    adjusted: float,
    displayed: tuple[str, str],
) -> None:
    results = revisit(sample).results
    settings = {"test": test, "trials": 500, "resamples": 300}
    one = replace(results.tests[0], p=p, p_adjusted=adjusted)
    changed = replace(
        results, statistics={**(results.statistics or {}), **settings}
    )
    assert (
        p_cell(one, changed, adjusted=False),
        p_cell(one, changed),
    ) == displayed


def test_intervals_leave_first_and_are_named_once(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    header = ["metric", "pearson", "95%", "spearman", "95%", "kendall", "95%"]
    rows = [
        [
            "gleu",
            "0.123",
            "-0.111 to 0.222",
            "0.234",
            "-0.122 to 0.333",
            "0.345",
            "-0.133 to 0.444",
        ]
    ]
    on_terminal(monkeypatch, 50)
    print_table(header, rows, left=(0,))
    out = re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out)
    assert out.split()[:4] == ["metric", "pearson", "spearman", "kendall"]
    assert " to " not in out
    assert "(intervals: in a wider window, or piped)" in " ".join(out.split())
    left_out = fit(header, rows, left=(0,), width=70)[1]
    assert left_out == ["other intervals"]  # that of pearson is there
    on_terminal(monkeypatch, 20)
    print_table(header, rows, left=(0,))
    out = re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out)
    assert "0.222" not in out  # no interval without its number
