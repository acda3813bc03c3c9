"""Metrics that users bring: the page's examples, the oracle that wraps our own chrF, what is kept,
and each error.
"""

from __future__ import annotations

import importlib
import json
import re
import shlex
import subprocess
import sys
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pipeline
from pipeline.errors import ConfigError, InputError
from pipeline.extensions.functions import loading
from pipeline.extensions.functions.calls import _StdoutToStderr
from pipeline.extensions.functions.code_files import MODULE
from pipeline.metrics import METRICS
from pipeline.metrics.names import forget_names
from tests.extensions.functions.plugin_page import (
    BLOCKS,
    OUTPUTS,
    REFERENCES,
    SOURCE,
)
from tests.support.commands import Command, typed
from tests.support.words import rows, wordlist

LENGTH = """
import pipeline
@pipeline.metric(version="1")
def length(outputs):
    "Letters of an output."
    {body}
"""


def commands() -> list[list[str]]:
    """Return the commands of the page."""
    lines = (
        line
        for language, _, text in BLOCKS
        if language == "console"
        for line in text.splitlines()
    )
    return [shlex.split(line.removeprefix("$ gec-pipeline ")) for line in lines]


def test_every_command_of_the_page_works(
    folder: Path, command: Command
) -> None:
    printed = ""
    for words in commands():
        printed += command("", *words).out
    assert (
        "kept: Share of the words of the source that the output still has"
        in printed
    )
    assert (
        json.loads((folder / "runs" / "units" / "results.json").read_bytes())[
            "declared"
        ]["units"]["returns"]
        == "counts"
    )


# --- the oracle: our own chrF behind a function


def own_chrf(outputs: list[str], references: list[str]) -> list[float]:
    """Return chrF of each output with one reference."""
    return list(pipeline.sentence_scores("chrf", outputs, [references]))


def compared(results: Any) -> list[Any]:
    """Return all that is to be equal, without names."""
    return [
        (r.system, r.score, r.rank, r.bootstrap, r.sentences.tolist())
        for r in results
    ]


def test_a_function_that_wraps_chrf_has_all_numbers_of_chrf() -> None:
    plug = pipeline.metric(own_chrf, each_reference=True)
    requested = {"resamples": 200, "trials": 200, "outputs": "all"}
    both = pipeline.evaluate(
        OUTPUTS,
        REFERENCES,
        SOURCE,
        metrics=["chrf[level=mean]", plug],
        statistics=requested,
    )
    half = len(OUTPUTS)
    assert compared(both[:half]) == compared(both[half:])
    tests = [
        (
            t.system,
            t.other,
            t.difference,
            t.interval,
            t.p,
            t.p_adjusted,
            t.wins,
            t.cohen_d,
        )
        for t in both.tests
    ]
    assert tests[: len(tests) // 2] == tests[len(tests) // 2 :]


ORACLE = """
import pipeline
@pipeline.metric(version="1", each_reference=True, batch_size={size})
def own_chrf(outputs, references):
    return list(pipeline.sentence_scores("chrf", outputs, [references]))
"""
CONFIG = """
datasets: {{sample: {{source: data/source.txt, references: [data/reference0.txt, data/reference1.txt]}}}}
systems: [data/systems/*.txt]
metrics: [{metrics}]
statistics: {{resamples: 50, trials: 50}}
run: {{n_jobs: {jobs}, backend: {backend}}}
output: {{dir: {out}}}
"""


@pytest.mark.parametrize(
    ("size", "jobs", "backend"),
    [(1, 1, "serial"), (7, 2, "threading"), (1000, 2, "loky")],
)
def test_runs_have_them_too_fresh_and_from_the_cache(
    folder: Path, size: int, jobs: int, backend: str
) -> None:
    (folder / "oracle.py").write_text(ORACLE.format(size=size))
    for out, more in rows("""
    a =>
    b =>
    c => --no-cache
"""):
        text = CONFIG.format(
            metrics='"chrf[level=mean]", own_chrf',
            jobs=jobs,
            backend=backend,
            out=out,
        )
        (folder / "o.yaml").write_text(text)
        assert typed(f"run o.yaml --plugin oracle.py -q {more}") == 0
    results = [
        json.loads((folder / out / "results.json").read_bytes())
        for out in "abc"
    ]
    assert results[0] == results[1] == results[2]
    scores = results[0]["scores"]
    item = [
        {
            k: v
            for k, v in s.items()
            if k not in ("metric", "outputs", "peer_signature")
        }
        for s in scores
    ]
    assert item[: len(item) // 2] == item[len(item) // 2 :]
    new = [
        json.loads((folder / out / "run.json").read_bytes())["plugins"][0][
            "texts"
        ]["new"]
        for out in "abc"
    ]
    assert new[0] > 0 == new[1]
    assert new[2] == new[0]


# --- what is computed, and what is kept


def test_each_distinct_text_is_computed_once() -> None:
    seen: list[tuple[str, str]] = []

    def calls(sources: list[str], outputs: list[str]) -> list[float]:
        seen.extend(zip(sources, outputs, strict=True))
        return [float(len(output)) for output in outputs]

    result = pipeline.evaluate(
        OUTPUTS, REFERENCES, SOURCE, metrics=pipeline.metric(calls, scale=100)
    )
    assert len(seen) == len(set(seen))
    assert set(seen) == {
        *zip(SOURCE * len(OUTPUTS), chain(*OUTPUTS.values()), strict=True)
    }
    for name, texts in OUTPUTS.items():
        assert result[name].sentences.tolist() == [
            len(text) / 100 for text in texts
        ]


FILES = (
    "-r data/reference0.txt -o data/systems/eager.txt data/systems/broken.txt"
)


def forget(name: str) -> None:
    """Forget a metric, so that its file is read again."""
    METRICS.entries.pop(name, None)
    loading._files.clear()
    forget_names()


def scoring(folder: Path, body: str) -> str:
    """Return the command that scores with a metric of this body."""
    (folder / "length.py").write_text(
        LENGTH.format(body=body).replace("def length", "def letters")
    )
    forget("letters")
    return f"score letters --plugin length.py {FILES}"


def test_a_version_keeps_numbers_although_the_code_changes(
    folder: Path, command: Command
) -> None:
    first = command(
        scoring(folder, "return [len(o) / 1000 for o in outputs]")
    ).out
    changed = scoring(folder, "return [0.5 for o in outputs]")
    again = command(changed)
    assert again.out == first
    message = "length.py has changed since numbers of version 1 were kept"
    assert message in again.err
    message = (
        "--recompute lettres: expected one of letters (did you mean 'letters'?)"
    )
    assert message in command.refused(f"{changed} --recompute lettres").err
    with pytest.raises(SystemExit, match="2"):
        command(f"{changed} --batch-size 0")
    message = "expected a whole number from 1, found '0'"
    assert message in command.capsys.readouterr().err
    assert "50.00" in command(f"{changed} --recompute letters").out


def test_without_a_version_files_that_the_code_imports_count_too(
    folder: Path, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    (folder / "lib").mkdir()
    monkeypatch.syspath_prepend(str(folder / "lib"))
    (folder / "own.py").write_text(
        "import pipeline\nimport weight_of_mine as other\n@pipeline.metric\ndef own(outputs):\n"
        "    return [other.WEIGHT for _ in outputs]\n"
    )
    printed = []
    for weight in (0.75, 0.875):
        (folder / "lib" / "weight_of_mine.py").write_text(
            f"WEIGHT = {weight}\n"
        )
        sys.modules.pop("weight_of_mine", None)
        importlib.invalidate_caches()
        forget("own")
        line = "score own --plugin own.py -o data/systems/eager.txt"
        printed.append(command(line).out)
    assert " 75.00\n" in printed[0]
    assert " 87.50\n" in printed[1]


# --- errors

ERRORS = rows(r"""
    return [float('nan')] * len(outputs) => files, data/systems/\w+.txt, line \d+: letters is nan
    return [1.0] * (len(outputs) - 1) => letters returned \d+ numbers for \d+ texts \(the first: files,
    return ['good'] * len(outputs) => line \d+: letters: expected a number, found 'good' \(str\)
    return [(1, 2, 3)] * len(outputs) => letters: expected 1 numbers \(letters\), found 3
    return [None] * len(outputs) => letters has no score; metric\(none="skip"\) or a number
    len(outputs) => letters: expected a list of numbers, found None \(is `return` missing\?\)
    return 1.0 => letters: expected a list of numbers, found float
    return [10 ** 400] * len(outputs) => letters: letters is no number
    return [1e308] * len(outputs) => letters is 1e\+308
    raise SystemExit(0) => error: length.py:6: SystemExit: 0 \(files,
    raise ValueError('a\nb') => error: length.py:6: ValueError: a b \(files,
    return [1 / 0 for o in outputs] => error: length.py:6: ZeroDivisionError: division by zero \(files,
""")
"""Bodies of functions, and what is wrong with them."""


@pytest.mark.parametrize(("body", "expected"), ERRORS)
def test_what_code_returns_is_checked(
    folder: Path, body: str, expected: str, command: Command
) -> None:
    message = command.refused(scoring(folder, body)).err
    assert re.search(expected, message), message
    assert message.count("\n") == 1


def test_a_model_that_cannot_be_loaded_is_told_with_its_line(
    folder: Path, command: Command
) -> None:
    for method in ("__init__(self)", "load(self, device)"):
        item = LENGTH.replace("def length(outputs)", "class Broken").replace(
            "    {body}", f"    def {method}: 1 / 0"
        )
        (folder / "broken.py").write_text(
            f"{item}    def __call__(self, outputs): return [1 for _ in outputs]\n"
        )
        (folder / "broken.yaml").write_text(
            "datasets: {sample: {source: data/source.txt}}\nsystems: [data/systems/eager.txt]\n"
            "metrics: [broken]\noutput: {dir: runs}\n"
        )
        error = command.refused("run broken.yaml --plugin broken.py").err
        assert error.endswith(
            "error: broken.py:6: ZeroDivisionError: division by zero (when broken was made ready)\n"
        )
        log = (folder / "runs" / "log.txt").read_text()
        assert f"in {method.partition('(')[0]}" in log
        forget("broken")


def test_the_line_that_fails_is_named(folder: Path, command: Command) -> None:
    text = OUTPUTS["eager"][41]
    line = scoring(folder, f"return [1 / (o != {text!r}) for o in outputs]")
    error = command.refused(line).err
    assert "(files, data/systems/eager.txt, line 42)" in error


def bad_text(hypotheses: list[str]) -> list[int]:
    return [len(hypotheses)]


def bad_secret(outputs: list[str], *, api_key: str = "") -> list[int]:
    return [len(outputs), len(api_key)]


def bad_default(outputs: list[str], weight: float = 0.5) -> list[float]:
    return [weight for _ in outputs]


def bad_annotation(outputs, *, size=3):  # type: ignore[no-untyped-def]
    return [size for _ in outputs]


def bleu(outputs: list[str]) -> list[int]:
    return [len(outputs)]


class Fixed:
    def __call__(self, outputs: list[str]) -> list[int]:
        return [1 for _ in outputs]


DECLARATIONS: dict[str, Any] = {
    "a lambda has no name": lambda outputs: [len(outputs)],
    "'hypotheses' is no text of a line": bad_text,
    "read secrets from os.environ": bad_secret,
    "'weight' is no text of a line; options stand behind a *": bad_default,
    "the option size needs an annotation": bad_annotation,
    "the name 'bleu' is taken": bleu,
    "an object of Fixed was given; give the class": Fixed(),
}


@pytest.mark.parametrize("message", DECLARATIONS)
def test_a_wrong_declaration_is_told_where_it_stands(message: str) -> None:
    declared = DECLARATIONS[message]
    with pytest.raises(ConfigError, match=re.escape(message)):
        pipeline.evaluate(["a"], ["a"], metrics=declared)


def test_an_import_that_fails_is_told_with_its_line(
    folder: Path, command: Command
) -> None:
    (folder / "broken.py").write_text("\nimport no_such_module\n")
    error = command.refused("list metrics --plugin broken.py").err
    assert (
        error
        == "error: --plugin broken.py: broken.py:2: ModuleNotFoundError: No module named 'no_such_module'\n"
    )


@pytest.mark.parametrize("name", ["XCOMET", "moverscore", "bleurt"])
def test_a_well_known_metric_that_is_not_built_in_leads_somewhere(
    name: str,
) -> None:
    with pytest.raises(
        ConfigError,
        match=r"is not built in: .*--plugin FILE.*external.*help plugins",
    ):
        pipeline.evaluate(["a"], ["a"], metrics=name)


# --- none, listwise, counts


def test_skipped_lines_are_left_out_for_all_systems() -> None:
    def few(outputs: list[str]) -> list[float | None]:
        return [
            None if output.startswith("x") else len(output) / 10
            for output in outputs
        ]

    systems = {"A": ["aa", "x", "bbb"], "B": ["c", "dd", "eeee"]}
    plug = pipeline.metric(few, none="skip")
    with pytest.warns(
        UserWarning,
        match=r"few has no score for 1 of 3 lines \(2\); they are left out",
    ):
        skipped = pipeline.evaluate(
            systems, ["r"] * 3, metrics=plug, statistics={"resamples": 20}
        )
    without = {name: [texts[0], texts[2]] for name, texts in systems.items()}
    dropped = pipeline.evaluate(
        without, ["r"] * 2, metrics=plug, statistics={"resamples": 20}
    )
    assert (
        [r.score for r in skipped] == [r.score for r in dropped] == [0.25, 0.25]
    )
    assert [r.bootstrap for r in skipped] == [r.bootstrap for r in dropped]
    assert "none:skip" in skipped[0].signature
    valued = pipeline.evaluate(
        systems, ["r"] * 3, metrics=pipeline.metric(few, none=1.0)
    )
    assert valued["A"].score == pytest.approx(1.5 / 3)


def test_a_listwise_metric_sees_distinct_outputs_in_order() -> None:
    seen: list[tuple[str, ...]] = []

    def among(outputs: list[tuple[str, ...]]) -> list[list[float]]:
        seen.extend(outputs)
        return [
            [number / 10 for number, _ in enumerate(texts)] for texts in outputs
        ]

    systems = {"A": ["b", "a"], "B": ["a", "a"], "C": ["b", "c"]}
    result = pipeline.evaluate(
        systems, ["r", "r"], metrics=pipeline.metric(among, listwise=True)
    )
    assert sorted(seen) == [("a", "b"), ("a", "c")]
    assert {name: result[name].sentences.tolist() for name in systems} == {
        "A": [0.1, 0],
        "B": [0, 0],
        "C": [0.1, 0.1],
    }
    assert "among:3" in result[0].signature


def test_a_further_system_asks_a_listwise_metric_only_for_lines_with_a_new_text() -> (
    None
):
    requested: list[tuple[str, ...]] = []

    def listed(outputs: list[tuple[str, ...]]) -> list[list[float]]:
        requested.extend(outputs)
        return [[0.5] * len(texts) for texts in outputs]

    metric = pipeline.metric(listed, listwise=True, version="1")
    systems = {"A": ["first", "second"], "B": ["first", "third"]}
    pipeline.evaluate(systems, ["r", "r"], metrics=metric)
    requested.clear()
    pipeline.evaluate(
        {**systems, "C": ["first", "fourth"]}, ["r", "r"], metrics=metric
    )
    assert requested == [("fourth", "second", "third")]


def test_what_threads_of_users_print_goes_aside_until_the_last_of_them_has_ended() -> (
    None
):
    aside = _StdoutToStderr()
    before = sys.stdout
    aside.__enter__()
    aside.__enter__()
    aside.__exit__()
    assert sys.stdout is sys.stderr
    aside.__exit__()
    assert sys.stdout is before


def test_counts_are_those_of_external(folder: Path) -> None:
    rng = np.random.default_rng(5)
    numbers = {
        output: tuple(rng.integers(0, 4, 3).tolist())
        for output in chain(*OUTPUTS.values())
    }

    def verified(outputs: list[str]) -> list[tuple[int, int, int]]:
        return [numbers[output] for output in outputs]

    result = pipeline.evaluate(
        OUTPUTS,
        REFERENCES,
        metrics=pipeline.metric(verified, returns="counts", beta=0.5),
    )
    for name, texts in OUTPUTS.items():
        rows = "\n".join(" ".join(map(str, numbers[text])) for text in texts)
        (folder / f"{name}.counts").write_text(f"{rows}\n")
    config = {
        "datasets": {"d": {"references": ["data/reference0.txt"]}},
        "systems": {name: f"data/systems/{name}.txt" for name in OUTPUTS},
        "metrics": [
            {
                "name": "external",
                "title": "verified",
                "files": "{system}.counts",
                "score": "f_beta",
            }
        ],
        "output": {"dir": "out"},
    }
    outside = pipeline.run(config)
    assert [(r.system, r.outputs) for r in result] == [
        (r.system, r.outputs) for r in outside
    ]


def test_scorer_and_sentence_scores_take_functions() -> None:
    plug = pipeline.metric(own_chrf, each_reference=True)
    outputs = OUTPUTS["eager"]
    expected = pipeline.sentence_scores("chrf", outputs, REFERENCES)
    assert (
        pipeline.sentence_scores(plug, outputs, REFERENCES).tolist()
        == expected.tolist()
    )
    assert (
        pipeline.Scorer(plug, REFERENCES)
        .rewards(outputs[:3], [0, 1, 2])
        .tolist()
        == expected[:3].tolist()
    )


# --- no code by config; reading without the code; installed packages


def test_nothing_but_the_command_line_imports_code(folder: Path) -> None:
    config = CONFIG.format(metrics="kept", jobs=1, backend="serial", out="x")
    for text in (
        config,
        config.replace("kept", "kept.py"),
        f"plugins: [kept.py]\n{config}",
        config.replace("kept", '"./kept"'),
    ):
        (folder / "c.yaml").write_text(text)
        assert typed("run c.yaml -q") == 2
    assert set(sys.modules) & {f"{MODULE}kept", "kept"} == set()


@pytest.mark.usefixtures("folder")
def test_results_are_read_without_the_code(command: Command) -> None:
    displayed = command("run kept.yaml --plugin kept.py -q").out
    code = (
        "import sys; from pipeline.cli import main\n"
        "assert main(['show', 'runs/kept']) == 0\n"
        "from pipeline.report import FORMATS\n"
        "for form in {'csv', 'markdown', 'latex', 'html'} & {*FORMATS}:\n"
        "    assert main(['report', 'runs/kept', '--format', form]) == 0\n"
        "assert main(['rank', 'runs/kept', '--metric', 'kept']) == 0\n"
        "assert not any('plugin_' in name for name in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert displayed.splitlines()[1] in done.stdout


def test_an_installed_package_is_found_by_name(folder: Path) -> None:
    for _, name, text in BLOCKS:
        if name in ("pyproject.toml", "acme_metrics.py"):
            package = folder / "acme"
            package.mkdir(exist_ok=True)
            (package / name).write_text(text)
    position = folder / "site"
    build = [
        "-m",
        "pip",
        "install",
        "-q",
        "--no-build-isolation",
        "--no-deps",
        "--no-index",
        "--target",
        str(position),
    ]
    subprocess.run(
        [sys.executable, *build, str(package)], check=True, capture_output=True
    )
    data = wordlist("-r data/reference0.txt -o data/systems/eager.txt")
    call = f"import sys; sys.path.insert(0, {str(position)!r}); from pipeline.cli import main; sys.exit(main(sys.argv[1:]))"
    requested = ["score", "politeness[word=the]", "chrf", *data]
    done = subprocess.run(
        [sys.executable, "-c", call, *requested],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "politeness|word:the|version:2|level:mean" in done.stdout


def test_an_error_of_input_is_what_python_raises() -> None:
    def fails(outputs: list[str]) -> list[float]:
        return [1 / len(output) for output in outputs]

    with pytest.raises(
        InputError,
        match=r"ZeroDivisionError: division by zero \(memory, system, line 2\)",
    ):
        pipeline.evaluate(["a", ""], ["a", "b"], metrics=fails)


def test_a_function_of_a_module_has_the_signature_that_its_file_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So a run with --plugin FILE and a program that imports FILE share their numbers; a change
    makes both new.
    """
    code = "import pipeline\n\n\n@pipeline.metric()\ndef vowels(outputs):\n    return [len(o) / 9 for o in outputs]\n"
    code += "\n\ndef made():\n    def vowels(outputs):\n        return [0.5 for _ in outputs]\n    return vowels\n"
    for name in ("ours", "others"):
        (tmp_path / f"{name}.py").write_text(code + f"# {name}\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    ours = importlib.import_module("ours")
    others = importlib.import_module("others")

    def signature(metric: Any) -> str:
        found = pipeline.evaluate(
            ["a b", "e"], ["a", "b"], metrics=metric
        ).signature
        METRICS.entries.pop("vowels")
        forget_names()
        return str(found)

    one = signature(ours.vowels)
    assert signature(ours.vowels) == one
    loading.load(str(tmp_path / "ours.py"))
    assert signature("vowels") == one
    assert len({one, signature(others.vowels), signature(ours.made())}) == 3
