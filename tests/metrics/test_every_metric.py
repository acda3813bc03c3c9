"""One property of all metrics: how a score is made cannot be seen in it.

Each metric is scored on data of the input that it reads, with its defaults and with each of its
options changed. A run in shards, with several threads and with the other kernel writes the same
bytes; a signature gives the metric back; and texts that are prepared once give what a plain call
gives. What the numbers are is tested beside, against other programs.
"""

from __future__ import annotations

import json
import pickle
import random
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import pipeline
from pipeline.data import TEXTS
from pipeline.execution.options import RunOptions
from pipeline.execution.tasks import signature_of
from pipeline.metrics import METRICS
from pipeline.metrics.base.metric import Metric
from pipeline.metrics.build import from_text
from pipeline.scoring.aggregation import POLICIES
from tests.conftest import forced_kernel, run, tree
from tests.support.every_metric import EDITS, GOLD, every_metric
from tests.support.words import MIXED_WORDS, wordlist

Files = dict[str, str]


LINES = 11
"""Sentences: more than a shard has."""


def text(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def changed(line: str, rng: random.Random) -> str:
    """Return a line with some words left out or replaced."""
    words = []
    for word in line.split():
        if rng.random() < 0.9:
            words.append(
                rng.choice(MIXED_WORDS) if rng.random() < 0.2 else word
            )
    return " ".join(words)


def annotated(sources: list[str], rng: random.Random, annotators: int) -> str:
    """Return an M2 file: annotators have edits, change nothing, or have no line."""
    blocks = []
    for source in sources:
        size = len(source.split())
        lines = [f"S {source}"]
        for annotator in range(annotators):
            kind = rng.choice(wordlist("edits edits noop none"))
            if kind == "edits":
                for start in sorted(rng.sample(range(size + 1), min(2, size))):
                    end = min(size, start + rng.randint(0, 1))
                    type_ = rng.choice(["R:NOUN", "M:DET", "UNK"])
                    word = rng.choice(MIXED_WORDS)
                    lines.append(
                        f"A {start} {end}|||{type_}|||{word}|||REQUIRED|||-NONE-|||{annotator}"
                    )
            elif kind == "noop" or not annotator:
                lines.append(
                    f"A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||{annotator}"
                )
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) + "\n"


def sources_of(rng: random.Random, shortest: int) -> list[str]:
    sources = []
    for _ in range(LINES):
        size = rng.choice([shortest, shortest, 1, 2, 5, 12])
        sources.append(" ".join(rng.choices(MIXED_WORDS, k=size)))
    return sources


def texts(rng: random.Random, *, missing: bool = False) -> Files:
    """Return texts with empty lines, and references of which some are missing if that is wanted."""
    sources = sources_of(rng, 0)
    lines = {}
    for name in wordlist("r0 r1 A B"):
        lines[name] = [changed(line, rng) for line in sources]
    dataset: dict[str, Any] = {"source": "s", "references": ["r0", "r1"]}
    if missing:
        dataset["empty_references"] = "none"
        lines["r0"] = [line or "a" for line in lines["r0"]]
        lines["r1"] = [
            line if rng.random() < 0.7 else "" for line in lines["r1"]
        ]
    files = {name: text(listed) for name, listed in lines.items()}
    config = {"datasets": {"d": dataset}, "systems": {"A": "A", "B": "B"}}
    return {"s": text(sources), **files, "config": json.dumps(config)}


def gaps(rng: random.Random) -> Files:
    """Return texts with some references missing."""
    return texts(rng, missing=True)


def gold(rng: random.Random) -> Files:
    """Return gold edits and outputs that are texts."""
    sources = sources_of(rng, 1)
    config = {
        "datasets": {"d": {"gold": "gold"}},
        "systems": {"A": "A", "B": "B"},
    }
    outputs = {}
    for name in "AB":
        outputs[name] = text([changed(line, rng) or "x" for line in sources])
    return {
        "gold": annotated(sources, rng, 3),
        **outputs,
        "config": json.dumps(config),
    }


def edits(rng: random.Random) -> Files:
    """Return gold edits and outputs that are edits."""
    sources = sources_of(rng, 1)
    systems = {name: {"m2": name} for name in "AB"}
    config = {"datasets": {"d": {"gold": "gold"}}, "systems": systems}
    outputs = {name: annotated(sources, rng, 1) for name in "AB"}
    return {
        "gold": annotated(sources, rng, 2),
        **outputs,
        "config": json.dumps(config),
    }


def numbers(rng: random.Random, columns: int) -> Files:
    """Return numbers of each sentence of each system: one with decimals, or several counts."""
    files = texts(rng)
    for name in "AB":
        rows = []
        for _ in range(LINES):
            row = [rng.randint(0, 99) for _ in range(columns)]
            rows.append(
                "\t".join(map(str, row)) if columns > 1 else str(row[0] / 100)
            )
        files[f"{name}.scores"] = text(rows)
    return files


def data_for(metric: Metric) -> Callable[[random.Random], Files]:
    """Return what makes data of the input that a metric reads."""
    if metric.reads_files:
        return partial(numbers, columns=len(metric.spec.columns))
    return {TEXTS: texts, GOLD: gold, EDITS: edits}[metric.spec.input]


def can_lack_references(metric: Metric) -> bool:
    """Return whether a metric scores texts of which some references are missing."""
    if metric.spec.input != TEXTS or metric.reads_files:
        return False
    if metric.misfit(2, missing=True):
        return False
    return POLICIES[metric.policy].misfit(metric, 2, missing=True) is None


WAYS = [
    (RunOptions(n_jobs=2, backend="threading", shard_lines=3), "python"),
    (RunOptions(n_jobs=1, backend="serial", shard_lines=1), "native"),
]
"""How a score may be made: workers and shards, and the kernel."""


def test_every_metric_is_in_the_table() -> None:
    metrics = every_metric()
    assert len({signature_of(metric, 2) for metric in metrics.values()}) == len(
        metrics
    )


def prepared(spelling: str, folder: Path, results: pipeline.Evaluation) -> None:
    """Compare a scorer, and its copy for another process, with the scores of a run, bit for bit."""
    plain = results.get(system="A")
    data = json.loads((folder / "config.yaml").read_bytes())["datasets"]["d"]

    def lines(name: str) -> list[str]:
        return (folder / name).read_text(encoding="utf-8").splitlines()

    references: Any = [lines(name) for name in data.get("references", ())]
    if "empty_references" in data:
        references = [[line or None for line in item] for item in references]
    if "gold" in data:
        scorer = pipeline.Scorer(spelling, gold=folder / "gold")
    else:
        scorer = pipeline.Scorer(
            spelling,
            references,
            lines("s") if plain.measure.spec.source else None,
        )
    for item in (scorer, pickle.loads(pickle.dumps(scorer))):  # noqa: S301 (made here)
        np.testing.assert_array_equal(
            item.sentences(lines("A")), plain.sentences
        )
    again = scorer.score(lines("A"))[0]
    assert repr(again.outputs) == repr(plain.outputs)
    assert again.signature == plain.signature


def check(
    spelling: str,
    files: Files,
    folder: Path,
    *,
    has_scorer: bool,
    has_files: bool = False,
) -> None:
    """Run a metric in several ways, and compare what they write and what a signature says."""
    metric = from_text(spelling)
    config = json.loads(files["config"])
    config["metrics"] = [spelling]
    if has_files:
        config["metrics"] = [{"name": spelling, "files": "{system}.scores"}]
    if metric.level != "bootstrap":
        config["statistics"] = {"resamples": 20, "trials": 20}
    for name, content in {**files, "config.yaml": json.dumps(config)}.items():
        (folder / name).write_text(content, encoding="utf-8", newline="")
    run(folder / "config.yaml", folder / "plain")
    for number, (options, kernel) in enumerate(WAYS):
        with forced_kernel(kernel):
            run(folder / "config.yaml", folder / str(number), options)
        assert tree(folder / "plain") == tree(folder / str(number))
    results = pipeline.load(folder / "plain")
    for result in results:
        assert from_text(result.signature) == metric == result.measure
    assert pickle.loads(pickle.dumps(metric)) == metric  # noqa: S301 (made here)
    if has_scorer:
        prepared(spelling, folder, results)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("spelling", every_metric())
@settings(max_examples=1, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 2**30))
def test_how_a_score_is_made_cannot_be_seen(spelling: str, seed: int) -> None:
    metric = every_metric()[spelling]
    files = data_for(metric)(random.Random(seed))
    has_scorer = metric.spec.input != EDITS and not metric.reads_files
    with tempfile.TemporaryDirectory() as folder:
        check(
            spelling,
            files,
            Path(folder),
            has_scorer=has_scorer,
            has_files=metric.reads_files,
        )


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", METRICS)
@settings(max_examples=2, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 2**30))
def test_nor_if_references_are_missing(name: str, seed: int) -> None:
    metric = every_metric().get(name)
    if metric is None or not can_lack_references(metric):
        pytest.skip("it reads no references, or needs all")
    with tempfile.TemporaryDirectory() as folder:
        check(name, gaps(random.Random(seed)), Path(folder), has_scorer=True)
