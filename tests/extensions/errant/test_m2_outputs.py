"""Warnings about M2 files of outputs: types, styles, sides, line ends; and outputs on the command
line.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from pipeline.errors import ConfigError, InputError
from pipeline.report.tables.metric_names import labels
from pipeline.scoring.results import Results
from tests.conftest import run
from tests.extensions.edits.test_m2_metric import random_items, score
from tests.extensions.edits.test_m2_tools import DATA, warnings_of
from tests.extensions.edits.test_m2scorer_command import Said, call
from tests.support.commands import Command
from tests.support.words import rows

__all__ = ["call"]  # a fixture


def with_types(path: Path, to: Path, kind: str) -> Path:
    """Write a file anew with a single type."""
    lines = []
    for line in path.read_text(encoding="utf-8").split("\n"):
        span, bar, rest = line.partition("|||")
        renamed = f"{span}|||{kind}|||{rest.partition('|||')[2]}"
        lines.append(renamed if bar and not rest.startswith("noop") else line)
    to.write_text("\n".join(lines), encoding="utf-8")
    return to


def test_types_that_have_other_names(tmp_path: Path, command: Command) -> None:
    gold = with_types(DATA / "gold.m2", tmp_path / "nucle.m2", "ArtOrDet")
    outputs = {"eager": DATA / "eager.m2"}
    printed = "eager.m2: types of edits are "
    with pytest.raises(
        ConfigError,
        match=r"nucle\.m2 has types .* ArtOrDet, .*`annotator: auto`.*; `gold: keep` \(--gold-edits keep\) compares",
    ):
        warnings_of(tmp_path, gold, outputs, "errant")
    assert [
        printed in note
        for note in warnings_of(tmp_path, gold, outputs, "errant[gold=keep]")
    ].count(True) == 1
    assert not any(
        printed in note
        for note in warnings_of(tmp_path, DATA / "gold.m2", outputs, "errant")
    )
    for option, expected in (("-cse", 1), ("-ds", 0)):
        err = command(
            f"errant_compare -hyp {outputs['eager']} -ref {gold} {option}"
        ).err
        assert err.count(printed) == expected


def test_output_and_reference_swapped(tmp_path: Path, command: Command) -> None:
    one = tmp_path / "ref0.m2"
    one.write_text(
        (DATA / "careful.m2").read_text(encoding="utf-8"), encoding="utf-8"
    )
    for output, reference, expected in (
        (DATA / "gold.m2", DATA / "careful.m2", "gold.m2 has 2 annotators"),
        (one, DATA / "eager.m2", "ref0.m2 is given as the output"),
        (DATA / "careful.m2", DATA / "gold.m2", ""),
        (DATA / "careful.m2", DATA / "eager.m2", ""),
    ):
        err = command(f"errant_compare -hyp {output} -ref {reference}").err
        assert ("swapped?" in err) == bool(expected)
        assert expected in err


def test_line_ends_of_windows_are_said(
    tmp_path: Path, command: Command
) -> None:
    output = tmp_path / "careful.m2"
    output.write_bytes(
        (DATA / "careful.m2").read_bytes().replace(b"\n", b"\r\n")
    )
    printed = "careful.m2: lines end as those of Windows do"
    assert any(
        printed in note
        for note in warnings_of(
            tmp_path, DATA / "gold.m2", {"A": output}, "errant"
        )
    )
    out, err = command(f"errant_compare -hyp {output} -ref {DATA / 'gold.m2'}")
    assert printed in err
    assert (
        out
        == command(
            f"errant_compare -hyp {DATA / 'careful.m2'} -ref {DATA / 'gold.m2'}"
        ).out
    )


def test_check_and_runs_count_the_same_sentences(
    tmp_path: Path, command: Command
) -> None:
    edit = "A 0 1|||X|||y|||REQUIRED|||-NONE-|||"
    gold = tmp_path / "gold.m2"
    gold.write_text(
        f"S a\n{edit}0\n{edit}1\n\nS b\n{edit}0\n\nS c\n\nS d\n",
        encoding="utf-8",
    )
    output = tmp_path / "A.m2"
    output.write_text("S a\n\nS b\n\nS c\n\nS d\n", encoding="utf-8")
    assert any(
        "1 (3, the first" in note
        for note in warnings_of(tmp_path, gold, {"A": output}, "errant")
    )
    assert "1 (3, the first" in command(f"m2 check {gold}").out


def test_labels_say_in_what_settings_differ_that_signatures_leave_out() -> None:
    texts = [
        "errant|mode:cs|beta:0.5",
        "errant|mode:cs|beta:0.5|choice:sentence",
        "m2|beta:0.5|mu:2|iwc:true",
    ]
    assert list(labels(texts).values()) == [
        "errant (choice:official)",
        "errant (choice:sentence)",
        "m2",
    ]
    both = labels(["m2|beta:0.5|mu:2|iwc:true", "m2|beta:0.5|mu:2"])
    assert list(both.values()) == ["m2 (iwc:true)", "m2 (iwc:false)"]


def test_two_systems_are_compared_with_each_other(
    tmp_path: Path, command: Command
) -> None:
    outputs = {
        name: DATA / f"{name}.m2" for name in ("careful", "eager", "unchanged")
    }
    content = {
        "datasets": {"d": {"gold": str(DATA / "gold.m2")}},
        "systems": {name: {"m2": str(path)} for name, path in outputs.items()},
        "metrics": ["errant"],
        "statistics": {"baseline": "unchanged", "resamples": 20, "trials": 20},
    }
    (tmp_path / "c.yaml").write_text(json.dumps(content), encoding="utf-8")
    run(tmp_path / "c.yaml", tmp_path / "run")
    for names, pair in rows("""
    careful eager => careful eager
    careful => careful unchanged
    careful unchanged => careful unchanged
"""):
        found = command.json(f"compare {tmp_path}/run --system {names}")
        assert [
            sorted((test["system"], test["other"])) for test in found["tests"]
        ] == [pair.split()]
    out = command(f"compare {tmp_path}/run --all").out
    turned = [
        t
        for t in Results.read(tmp_path / "run" / "results.json").tests
        if t.difference * (t.wins - t.losses) < 0
    ]
    assert ("Wins and losses may point the other way" in out) == bool(turned)


def test_annotated_outputs(call: Callable[..., Said]) -> None:
    """M2 files are known by their suffix, or by their first line where the suffix says nothing
    else.
    """
    for gold, output in rows("""
    gold.errant => hyp.errant
    gold.errant => hyp.m2
    hyp.m2 => hyp.errant
"""):
        printed = call("score", "errant", "--gold", gold, "-o", output)
        assert (printed.code, "100.00" in printed.out) == (0, True), printed
    assert (
        call("score", "errant", "-r", "gold.errant", "-o", "hyp.errant").code
        == 0
    )
    printed = call(
        "score", "errant", "m2", "--gold", "gold.errant", "-o", "a.txt"
    )
    assert (printed.code, printed.out) == (2, "")
    assert "system a.txt has no edits" in printed.err
    assert (
        "name the file alone: hyp.m2"
        in call(
            "score", "errant", "--gold", "gold.errant", "-o", "hyp.m2:0"
        ).err
    )


def test_texts_and_gold_in_memory_need_an_annotator(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    items = random_items(1, 3)
    with pytest.raises(
        InputError,
        match="metrics that compare the edits of outputs take M2 files",
    ):
        score(items, [source for source, _ in items], "errant")
