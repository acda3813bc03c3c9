"""Metrics that users bring, without references, as numbers in memory, and as whole classes."""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import platform
import re
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pipeline
from pipeline.errors import InputError
from pipeline.extensions.functions import models
from pipeline.metrics import METRICS
from pipeline.metrics.build import from_text, from_values
from pipeline.metrics.names import goodness
from tests.extensions.functions.plugin_page import OUTPUTS, REFERENCES, SOURCE
from tests.support.commands import Command, typed
from tests.support.extensions import with_extension

ALONE = """
datasets: {{sample: {{source: data/source.txt}}}}
systems: [data/systems/*.txt]
metrics: [{metrics}]
statistics: {{resamples: 20, trials: 20}}
output: {{dir: out, formats: [csv, FORMS]}}
"""
ALONE = ALONE.replace(
    "FORMS", ", ".join(["markdown", *with_extension("page", "html")])
)


def letters(outputs: list[str]) -> list[float]:
    """Share of 100 letters that an output has."""
    return [len(output) / 100 for output in outputs]


# --- no references


def test_a_metric_of_the_source_needs_no_references(
    folder: Path, command: Command
) -> None:
    (folder / "alone.yaml").write_text(ALONE.format(metrics="kept"))
    command("validate alone.yaml --plugin kept.py")
    command("run alone.yaml --plugin kept.py -q")
    command("show out --line 3")
    displayed = command(
        "score kept --plugin kept.py -s data/source.txt -o data/systems/eager.txt"
    ).out
    command("run kept.yaml --plugin kept.py -q")
    alone, beside = (pipeline.load(each) for each in ("out", "runs/kept"))
    item = {
        r.system: r.score for r in beside if r.signature == alone[0].signature
    }
    assert {r.system: r.score for r in alone} == item
    assert f"{100 * alone['eager'].score:.2f}" in displayed


def test_without_references_every_other_metric_says_what_it_needs(
    folder: Path, command: Command
) -> None:
    (folder / "alone.yaml").write_text(ALONE.format(metrics="kept, chrf, gleu"))
    message = "needs references, the texts that outputs are compared with: add `references: [FILE]`"
    expected = [
        f"error: alone.yaml:2:12: datasets.sample: {name} {message}"
        for name in ("chrf", "gleu")
    ]
    error = command.refused("run alone.yaml --plugin kept.py -q").err
    assert error.splitlines() == expected
    (folder / "nothing.yaml").write_text(
        ALONE.format(metrics="kept").replace("source: data/source.txt", "")
    )
    assert (
        "the key 'references' is missing"
        in command.refused("run nothing.yaml --plugin kept.py -q").err
    )
    with pytest.raises(
        InputError, match=r"^chrf needs references, .*references=\[\.\.\.\]$"
    ):
        pipeline.evaluate(OUTPUTS, sources=SOURCE, metrics=[letters, "chrf"])


def test_outputs_alone_are_scored_from_python() -> None:
    both = pipeline.evaluate(OUTPUTS, REFERENCES, SOURCE, metrics=letters)
    for sources in (None, SOURCE):
        alone = pipeline.evaluate(OUTPUTS, None, sources, metrics=letters)
        assert [(r.system, r.score, r.rank) for r in alone] == [
            (r.system, r.score, r.rank) for r in both
        ]


# --- numbers in memory


def rows(results: Any) -> list[Any]:
    """Return what is to be equal of two evaluations."""
    return [
        (
            r.system,
            r.score,
            r.outputs,
            r.rank,
            r.bootstrap,
            r.sentences.tolist(),
        )
        for r in results
    ]


def paired(results: Any) -> list[Any]:
    """Return the paired tests of an evaluation, without the names of metrics."""
    return [
        (
            t.system,
            t.other,
            t.difference,
            t.interval,
            t.p,
            t.p_adjusted,
            t.wins,
            t.losses,
        )
        for t in results.tests
    ]


def test_numbers_in_memory_are_scored_like_those_of_files(folder: Path) -> None:
    rng = np.random.default_rng(3)
    real = {name: rng.normal(size=len(SOURCE)) for name in OUTPUTS}
    counts = {name: rng.integers(0, 5, (len(SOURCE), 3)) for name in OUTPUTS}
    for name in OUTPUTS:
        np.savetxt(folder / f"{name}.real", real[name], "%.17g")
        np.savetxt(folder / f"{name}.counts", counts[name], "%d")
    metrics: list[dict[str, Any]] = [
        {
            "name": "external",
            "title": "COMET",
            "scale": "100",
            "higher_is_better": "false",
        },
        {"name": "external", "title": "edits", "score": "f_beta"},
    ]
    statistics = {"resamples": 50, "trials": 200}
    files = [
        {**metrics[0], "files": "{system}.real"},
        {**metrics[1], "files": "{system}.counts"},
    ]
    config = {
        "datasets": {"d": {"source": "data/source.txt"}},
        "systems": {name: f"data/systems/{name}.txt" for name in OUTPUTS},
        "metrics": files,
        "statistics": statistics,
        "output": {"dir": "out"},
    }
    outside = pipeline.run(config)
    scores = {
        "COMET": real,
        "edits": {name: table.tolist() for name, table in counts.items()},
    }
    inside = pipeline.evaluate(
        OUTPUTS, metrics=metrics[:1], scores=scores, statistics=statistics
    )
    assert rows(inside) == rows(outside)
    assert paired(inside) == paired(outside)
    assert rows(pipeline.load("out")) == rows(outside)


def test_the_lowest_is_the_best_where_that_is_said() -> None:
    high = {
        name: np.array([*map(len, texts)], float)
        for name, texts in OUTPUTS.items()
    }
    low = {name: -numbers for name, numbers in high.items()}
    metric = {
        "name": "external",
        "title": "errors",
        "higher_is_better": "false",
    }
    statistics = {"resamples": 50, "trials": 200, "baseline": "eager"}
    best = pipeline.evaluate(
        OUTPUTS, metrics=[], scores={"errors": low}, statistics=statistics
    )
    least = pipeline.evaluate(
        OUTPUTS, metrics=metric, scores={"errors": high}, statistics=statistics
    )
    for low_one, high_one in zip(least, best, strict=True):
        assert low_one.system == high_one.system
        assert low_one.score == -high_one.score
        assert low_one.rank == high_one.rank
        assert low_one.bootstrap.ranks == high_one.bootstrap.ranks
    pairs = paired(least), paired(best)
    for of_low, of_high in zip(*pairs, strict=True):
        system, other, difference, _, *numbers = of_low
        assert (system, other, -difference) == of_high[:3]
        assert (*numbers,) == of_high[4:]
    signature = least[0].signature
    assert "|higher_is_better:false|" in signature
    again = from_text(signature)
    assert again.lower_is_better
    assert again == from_values(metric)[0]
    copy = pickle.loads(pickle.dumps(again))  # noqa: S301
    assert copy.goodness(2) == goodness(signature, 2) == -2
    assert goodness(best[0].signature, 2) == 2


@pytest.mark.parametrize(
    ("title", "numbers", "message"),
    [
        (
            "x",
            {"A": [1.0]},
            "scores['x']['A']: expected an array [2], found [1]",
        ),
        (
            "x",
            {"A": [1.0, np.nan]},
            "scores['x']['A'], item 2: expected a number, found 'nan'",
        ),
        (
            "x",
            {"A": ["a", "b"]},
            "scores['x']['A']: expected numbers in an array or a list",
        ),
        (
            "x",
            {"A": [[1, 2, -1], [1, 2, 3]]},
            "scores['x']['A'], item 1: '-1.0' is no count",
        ),
        ("x", {"a": [1, 2]}, "scores['x']: there are no numbers of 'A'"),
        (
            "x",
            {"A": [1, 2], "B": [1, 2]},
            "scores['x']: no system is called 'B'",
        ),
        (
            "precision",
            {"A": [1, 2]},
            "'precision' is the name of another output",
        ),
    ],
)
def test_wrong_numbers_in_memory_are_told(
    title: str, numbers: Any, message: str
) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        pipeline.evaluate(
            {"A": ["a", "b"]}, metrics=[], scores={title: numbers}
        )


# --- whole classes


def test_a_whole_metric_counts_in_workers_under_its_version(
    folder: Path, command: Command
) -> None:
    command("run capitals.yaml --plugin capitals.py -q")
    text = (
        (folder / "data" / "systems" / "eager.txt")
        .read_text(encoding="utf-8")
        .replace("\n", "")
    )
    share = sum(map(str.isupper, text)) / len(text)
    results = json.loads(
        (folder / "runs" / "capitals" / "results.json").read_bytes()
    )
    assert {s["system"]: s["score"] for s in results["scores"]}[
        "eager"
    ] == share
    spec = METRICS["capitals"]().spec
    assert spec.cache_key.startswith("plugin:capitals:1:")
    assert spec.key == "plugin-capital"
    (about,) = json.loads(
        (folder / "runs" / "capitals" / "run.json").read_bytes()
    )["plugins"]
    assert (about["name"], about["from"]) == ("capitals", "capitals.py")
    assert (
        about["sha256"]
        == hashlib.sha256((folder / "capitals.py").read_bytes()).hexdigest()
    )
    assert (
        f"{100 * share:.2f}"
        in command(
            "score capitals --plugin capitals.py -o data/systems/eager.txt"
        ).out
    )


def test_an_entry_point_may_be_a_whole_metric(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "site").mkdir()
    (folder / "capitals.py").rename(folder / "site" / "own_capitals.py")
    info = folder / "site" / "own_capitals-2.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: own-capitals\nVersion: 2.0\n"
    )
    (info / "entry_points.txt").write_text(
        "[gec_pipeline.metrics]\ncapitals = own_capitals:Capitals\n"
    )
    monkeypatch.syspath_prepend(folder / "site")
    result = pipeline.evaluate(OUTPUTS, metrics="capitals")
    assert result[0].signature.startswith("capitals|")
    assert METRICS["capitals"].origin["from"] == "own-capitals 2.0"
    assert METRICS["capitals"]().spec.cache_key.startswith("plugin:capitals:1:")
    del sys.modules["own_capitals"]


# --- files that numbers depend on, and what run.json says


def test_run_json_says_with_what_numbers_were_made(folder: Path) -> None:
    """A folder that a metric names is moved, and its numbers are still kept; another byte makes
    them anew.
    """
    model = folder / "model"
    for number in range(2):
        (model / str(number)).mkdir(parents=True)
        (model / str(number) / "words").write_text(f"the a {number}")
    code = (
        "from pathlib import Path\nimport pipeline\n"
        '@pipeline.metric(version="1")\nclass Listed:\n    "Words of a list."\n'
        "    def __init__(self, model: Path):\n        self.model = model\n"
        "    def files(self):\n        return sorted(self.model.glob('*/words'))\n"
        "    def load(self, device):\n        import colorsys, yaml.tokens, markupsafe\n"
        "    def __call__(self, outputs):\n        return list(map(len, outputs))\n"
    )
    (folder / "listed.py").write_text(code)

    def about(position: str) -> dict[str, Any]:
        (folder / "listed.yaml").write_text(
            ALONE.format(metrics=f"{{name: listed, model: {position}}}")
        )
        assert (
            typed("run listed.yaml --plugin listed.py -q --fresh --device cpu")
            == 0
        )
        record = json.loads((folder / "out" / "run.json").read_bytes())
        return record["plugins"][0]  # type: ignore[no-any-return]

    first = about("model")
    digests = {
        f"{n}/words": hashlib.sha256(f"the a {n}".encode()).hexdigest()
        for n in range(2)
    }
    assert first["files"] == digests
    assert first["texts"]["kept"] == 0
    assert first["made_with"]["python"] == platform.python_version()
    assert first["made_with"]["device"] == "cpu"
    assert first["made_with"]["MarkupSafe"] == version("MarkupSafe")
    model.rename(folder / "moved")
    assert about("moved")["texts"]["new"] == 0
    (folder / "moved" / "1" / "words").write_text("the a 2")
    assert about("moved")["texts"]["kept"] == 0


def test_a_large_file_is_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bytes that change behind an equal size, time and inode are not seen, which shows that nothing
    was read.
    """
    monkeypatch.setattr(models, "MIN_CACHED_BYTES", 4)
    file = tmp_path / "weights"
    file.write_bytes(b"12345")
    os.utime(file, ns=(10**18, 10**18))
    first = models.content_digest(file)
    assert first == hashlib.sha256(b"12345").hexdigest()
    with file.open("r+b") as opened:
        opened.write(b"54321")
    os.utime(file, ns=(10**18, 10**18))
    models._content.cache_clear()
    assert models.content_digest(file) == first
    os.utime(file, ns=(10**18, 10**18 + 1))
    assert models.content_digest(file) == hashlib.sha256(b"54321").hexdigest()
    # just now: a time that may not change with the next bytes
    file.write_bytes(b"99999")
    models.content_digest(file)
    info = file.stat()
    file.write_bytes(b"00000")
    os.utime(file, ns=(info.st_atime_ns, info.st_mtime_ns))
    models._content.cache_clear()
    assert models.content_digest(file) == hashlib.sha256(b"00000").hexdigest()
