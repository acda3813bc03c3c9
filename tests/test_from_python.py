"""What a user of Python meets first: names and help of the package, its page of help, configs that
are mappings.
"""

from __future__ import annotations

import doctest
import math
import os
import pydoc
import re
import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pipeline
from pipeline import reopen
from pipeline.errors import ConfigError, InputError
from tests.conftest import ROOT, write_run

API = (ROOT / "pipeline" / "help" / "api.md").read_text("utf-8")
EXAMPLES = "\n".join(re.findall(r"^(?: {4}.*)?$", API, re.MULTILINE))


def test_the_page_of_help_has_every_public_name_in_an_example() -> None:
    used = set(re.findall(r"pipeline\.(\w+)", EXAMPLES)) | {
        "Evaluation",
        "Result",
        "__version__",
    }
    assert set(pipeline.__all__) <= used
    assert [name for name in pipeline.__all__ if name not in API] == []


def test_help_of_the_package_begins_with_its_functions() -> None:
    """pydoc lists modules before functions, so the docstring has to name the functions."""
    text = pydoc.plain(pydoc.render_doc(pipeline))
    before = text.partition("PACKAGE CONTENTS")[0]
    assert [
        name
        for name in pipeline.__all__
        if not name.startswith("_") and name not in before
    ] == []
    assert all(
        len(line) <= 80
        for line in before.partition("DESCRIPTION")[2].splitlines()
    )
    for name in ("evaluate", "run", "load", "compare"):
        assert re.search(rf"^    {name}\(", text, re.MULTILINE)
    assert doctest.testmod(pipeline) == (0, 4)


@pytest.mark.parametrize("name", ["errors", "evaluate", "Result"])
def test_a_public_name_works_before_anything_else_was_used(name: str) -> None:
    code = f"import pipeline; print(pipeline.{name}, {name!r} in dir(pipeline))"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.endswith(" True\n")


# ---- configs that are mappings

MAPPING: dict[str, Any] = {
    "version": 1,
    "datasets": {
        "d": {"source": Path("d/source"), "references": ("d/ref0", "d/ref1")}
    },
    "systems": {"A": "d/A", "B": "d/B"},
    "metrics": [{"name": "gleu", "iterations": np.int64(6)}, "bleu"],
    "output": {"dir": "run", "formats": ["json", "csv"], "digits": 3},
}
YAML = """
version: 1
datasets: {d: {source: d/source, references: [d/ref0, d/ref1]}}
systems: {A: d/A, B: d/B}
metrics: [{name: gleu, iterations: 6}, bleu]
output: {dir: run, formats: [json, csv], digits: 3}
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with texts."""
    write_run(tmp_path, lines=12)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_mapping_gives_the_files_that_yaml_gives(here: Path) -> None:
    (here / "same.yaml").write_text(YAML, "utf-8")
    results = pipeline.run(MAPPING, "one")
    pipeline.run("same.yaml", "two")
    for name in ("results.json", "scores.csv"):
        assert (here / "one" / name).read_bytes() == (
            here / "two" / name
        ).read_bytes()
    assert [result.system for result in results] == ["A", "B", "A", "B"]


def test_a_run_of_a_mapping_is_opened_again_from_anywhere(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reports read the texts again: their relative paths start where the run was begun."""
    pipeline.run(MAPPING, set={"output.digits": 4})
    (here / "elsewhere").mkdir()
    monkeypatch.chdir(here / "elsewhere")
    context = reopen.revisit(here / "run")
    assert (context.unread, list(context.corpora), context.digits) == (
        "",
        ["d"],
        4,
    )


def test_only_and_set_do_what_the_command_line_does(here: Path) -> None:
    (here / "same.yaml").write_text(YAML, "utf-8")
    for config in (MAPPING, "same.yaml"):
        results = pipeline.run(
            config,
            "few",
            only="A",
            set={"metrics.1": "chrf", "metrics.0.lowercase": True},
        )
        assert [(r.system, r.measure.name) for r in results] == [
            ("A", "gleu"),
            ("A", "chrf"),
        ]
        assert "|lc:true|" in results[0].signature
    assert (
        len(
            pipeline.run(
                MAPPING, "more", only=["A", "bleu"], set=["output.digits=1"]
            )
        )
        == 1
    )
    with pytest.raises(
        ConfigError, match=r"--only C: matches no data set, system or metric"
    ):
        pipeline.run(MAPPING, only="C")
    with pytest.raises(
        ConfigError,
        match=r"^--set metrics.7=\"chrf\": 'metrics' has 2 items, numbered from 0",
    ):
        pipeline.run(MAPPING, set={"metrics.7": "chrf"})


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            {"metrics": ["glue"]},
            r"^config: metrics\[0\]: no metric is called 'glue' \(did you mean 'gleu'\?\)",
        ),
        (
            {"metric": ["gleu"]},
            r"^config: metric: unknown key \(did you mean 'metrics'\?\)",
        ),
        (
            {"datasets": {"d": {"source": "d/none", "references": ["d/ref0"]}}},
            r"d/none",
        ),
        (
            {"systems": {"A": {"d/A"}}},
            r"^config: systems.A: expected text, a number, a list or a mapping, found set$",
        ),
        (
            {"systems": {None: "d/A"}},
            r"^config: systems: a key must be text, found None$",
        ),
        ({"output": {"digits": 1.5}}, r"^config: output.digits: "),
    ],
)
@pytest.mark.usefixtures("here")
def test_what_is_wrong_in_a_mapping_is_named_by_its_keys(
    wrong: dict[str, Any], message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        pipeline.run(MAPPING | wrong)
    assert not Path("run").exists()


@pytest.mark.parametrize("config", [["my.yaml"], None, 5])
def test_what_is_no_config_is_refused(config: Any) -> None:
    with pytest.raises(
        InputError, match=r"^config: expected a YAML file or a mapping, found "
    ):
        pipeline.run(config)


def test_a_mapping_that_holds_itself_is_refused() -> None:
    endless: dict[str, Any] = {}
    endless["datasets"] = endless
    with pytest.raises(
        ConfigError, match=r"^config: datasets: nested deeper than 50 levels$"
    ):
        pipeline.run(endless)


def test_a_mapping_may_include_files(here: Path) -> None:
    (here / "base.yaml").write_text(YAML, "utf-8")
    assert (
        len(pipeline.run({"include": ["base.yaml"], "metrics": ["bleu"]})) == 2
    )


def test_a_metric_asked_for_twice_is_an_error() -> None:
    """Results would not stand beside the metrics that were asked for."""
    with pytest.raises(
        InputError, match=r"metrics\[1\]: 'bleu' is asked for twice"
    ):
        pipeline.evaluate(["a"], ["a"], metrics=["bleu", "bleu", "chrf"])
    with pytest.raises(
        InputError,
        match=r"metrics\[1\]: 'bleu\[tokenizer=13a\]' is asked for twice",
    ):
        pipeline.evaluate(["a"], ["a"], metrics=["bleu", "bleu[tokenizer=13a]"])


def test_compare_takes_the_statistics_of_the_run_and_results_have_its_tests(
    tmp_path: Path,
) -> None:
    statistics = {"resamples": 40, "trials": 60, "seed": 3, "baseline": "B"}
    config = write_run(
        tmp_path,
        systems=["A", "B", "C"],
        chosen=["bleu"],
        statistics=statistics,
    )
    results = pipeline.run(config, tmp_path / "run")
    compared = pipeline.compare(tmp_path / "run")
    assert compared.settings
    assert {name: compared.settings[name] for name in statistics} == statistics
    assert (
        tuple(compared.tests)
        == results.tests
        == pipeline.load(tmp_path / "run").tests
    )
    assert len(results.tests) == 2
    more = pipeline.compare(tmp_path / "run", trials=70)
    assert more.settings
    assert (more.settings["trials"], more.settings["resamples"]) == (70, 40)
    for same in (results, pipeline.load(tmp_path / "run")):
        assert pipeline.compare(same).report("json") == compared.report("json")
        assert pipeline.compare(same, trials=70).report("json") == more.report(
            "json"
        )
    # a list knows of no baseline
    every = pipeline.compare(list(results), resamples=40, trials=60, seed=3)
    assert len(every.tests) == 3


def test_compare_takes_the_statistics_that_evaluate_was_given() -> None:
    texts = {"a": ["b c d", "e f"], "b": ["b c", "e g"], "c": ["b", "h"]}
    results = pipeline.evaluate(
        texts,
        ["b c d i", "e f"],
        metrics="bleu",
        statistics={"baseline": "b", "trials": 50},
    )
    compared = pipeline.compare(results)
    assert tuple(compared.tests) == results.tests
    assert {test.other for test in compared.tests} == {"b"}


def test_a_baseline_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    run = tmp_path / "run"
    results = pipeline.run(
        write_run(tmp_path, systems=["mine", "other"], chosen=["bleu"]), run
    )
    for arguments in (
        run,
        str(run),
        results,
        pipeline.load(run),
        list(results),
    ):
        with pytest.raises(
            InputError,
            match=r"baseline mien: no system is called so \(did you mean 'mine'\?\)",
        ):
            pipeline.compare(arguments, baseline="mien")
    with pytest.raises(
        InputError,
        match="baseline unknown: no system is called so; there are mine, other",
    ):
        pipeline.compare(run, run, baseline="unknown")


# ---- arguments as people write them


TEXTS: dict[str, Any] = {
    "hypotheses": {"A": ["b c d", "e f"], "B": ["b c", "e g"]},
    "references": ["b c d i", "e f"],
}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"metric": "bleu"},
            r"^evaluate: no argument is called 'metric' \(did you mean 'metrics'\?\)$",
        ),
        (
            {"predictions": ["a"]},
            r"^evaluate: no argument is called 'predictions' \(did you mean 'hypotheses'\?\)$",
        ),
        (
            {"refs": ["a"]},
            r"^evaluate: no argument is called 'refs' \(did you mean 'references'\?\)$",
        ),
        (
            {"seed": 3},
            r"^evaluate: no argument is called 'seed' \(did you mean 'statistics'\?\)$",
        ),
        (
            {"zzz": 3},
            r"^evaluate: no argument is called 'zzz'; there are hypotheses, references, sources, metrics",
        ),
        (
            {"statistics": "yes"},
            "^statistics: expected True or a mapping such as {'seed': 1}, found 'yes'$",
        ),
        (
            {"scores": {"X": [1, 2]}},
            r"^scores\['X'\]: numbers need .*: scores=\{'X': \{'A': \[...\], 'B': \[...\]\}\}$",
        ),
        (
            {"scores": {"A": [1, 2]}},
            r"^scores\['A'\]: numbers need .*: scores=\{'METRIC': \{'A': ",
        ),
    ],
)
def test_arguments_that_are_not_there_are_told_with_those_that_are(
    arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        pipeline.evaluate(**{**TEXTS, "metrics": "chrf", **arguments})


def test_a_run_tells_its_arguments_too() -> None:
    with pytest.raises(
        InputError,
        match=r"^run: no argument is called 'out_put' \(did you mean 'output'\?\)$",
    ):
        pipeline.run({}, out_put="x")  # type: ignore[call-arg]


def test_statistics_true_takes_the_defaults() -> None:
    short: Any = {**TEXTS, "metrics": "chrf"}
    requested, default = (
        pipeline.evaluate(**short, statistics=True),
        pipeline.evaluate(**short, statistics={}),
    )
    assert requested.report("json") == default.report("json")
    assert requested[0].bootstrap is not None
    assert pipeline.evaluate(**short, statistics=False)[0].bootstrap is None


@pytest.mark.parametrize(
    ("unusual", "reported"), [(None, "None"), (math.nan, "nan"), (3, "int")]
)
@pytest.mark.parametrize("position", [0, 1])
def test_what_is_no_text_is_told_with_its_system_and_item(
    unusual: Any, reported: str, position: int
) -> None:
    texts = ["e", "f"]
    texts[position] = unusual
    with pytest.raises(
        InputError,
        match=rf"^hypotheses\['B'\]: expected a list of strings; item {position + 1} is {reported}$",
    ):
        pipeline.evaluate(
            {"A": ["e", "f"], "B": texts}, ["e", "f"], metrics="chrf"
        )


def test_lists_of_values_ask_for_each_of_them() -> None:
    found = pipeline.evaluate(
        ["a b c"],
        ["a b d"],
        metrics=[
            "bleu",
            {"name": "chrf", "beta": [1, 2], "word_order": [0, 2]},
        ],
    )
    alone = [
        f"chrf[beta={beta},word_order={order}]"
        for beta, order in product((1, 2), (0, 2))
    ]
    each = pipeline.evaluate(["a b c"], ["a b d"], metrics=["bleu", *alone])
    assert [result.signature for result in found] == [
        result.signature for result in each
    ]
    with pytest.raises(
        InputError, match=r"metrics\[1\]: 'chrf\|.*' is asked for twice"
    ):
        pipeline.evaluate(
            ["a"], ["a"], metrics=["chrf", {"name": "chrf", "beta": [1, 2]}]
        )


def test_a_baseline_stays_beside_a_second_run(tmp_path: Path) -> None:
    statistics = {"resamples": 20, "trials": 20, "baseline": "B"}
    config = write_run(
        tmp_path, systems=["A", "B"], chosen=["bleu"], statistics=statistics
    )
    pipeline.run(config, tmp_path / "one")
    (tmp_path / "d" / "B").write_text((tmp_path / "d" / "A").read_text())
    pipeline.run(config, tmp_path / "two")
    both = pipeline.compare(tmp_path / "one", tmp_path / "two")
    assert both.settings
    assert both.settings["baseline"] == "B@one"
    assert {test.other for test in both.tests} == {"B@one"}
