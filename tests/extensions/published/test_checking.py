"""A recipe of one's own: the example of `help reproduce`, what --check says, and the tables that
the program makes.
"""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from pipeline.cli.dispatch import main
from pipeline.extensions.published.recipe import recipes
from pipeline.extensions.published.tables import SHORT, markdown_lines
from tests.conftest import ROOT
from tests.support.commands import Call
from tests.support.extensions import needs
from tests.test_newcomers import Block

HELP = (
    ROOT / "pipeline" / "extensions" / "published" / "help" / "reproduce.md"
).read_text(encoding="utf-8")
BLOCKS = [
    Block(*groups)
    for groups in re.findall(
        r"^```(\w+)(?: ([^\n]+))?\n(.*?)^```$", HELP, re.MULTILINE | re.DOTALL
    )
]
EXAMPLE = next(block for block in BLOCKS if block.language == "yaml")
FIRST, LAST = "sample-ranking.yaml", "page.html"


@pytest.fixture
def sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the sample and the example, in which commands run."""
    shutil.copytree(ROOT / "data", tmp_path / "data")
    (tmp_path / EXAMPLE.about.split()[-1]).write_text(
        EXAMPLE.text, encoding="utf-8"
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


@needs("edits")
def test_the_example_of_the_help_page_runs(sample: Path, call: Call) -> None:
    """Every command, and the beginning of a line that stands below it."""
    text = next(block.text for block in BLOCKS if block.language == "console")
    commands = [
        part.splitlines()
        for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]
    ]
    assert len(commands) == 3
    for command, *printed in commands:
        name, *words = command.split()
        assert name == "gec-pipeline"
        lines = call("", *words).out.splitlines()
        for line in printed:
            assert any(one.startswith(line) for one in lines), (line, lines)
    assert (
        (sample / LAST)
        .read_text(encoding="utf-8")
        .startswith("<!DOCTYPE html>")
    )


def check(call: Call, file: str = FIRST) -> tuple[int, list[str], str]:
    """Return the exit code of --check, the lines of its errors, and what it prints."""
    code = main(["reproduce", "--check", file])
    said = capsys.readouterr()
    return code, said.err.splitlines(), said.out


def changed(sample: Path, **changes: Any) -> None:
    """Change sections of the example; None leaves one out."""
    content = yaml.safe_load(EXAMPLE.text) | changes
    text = yaml.safe_dump(
        {key: value for key, value in content.items() if value is not None},
        sort_keys=False,
    )
    (sample / FIRST).write_text(text, encoding="utf-8")


def test_everything_wrong_is_told_at_once_with_its_line(
    sample: Path, call: Call
) -> None:
    """Lines and columns by hand."""
    (sample / "bad.yaml").write_text(
        "publication: {what: a table, verdict: exakt, site: x}\n"
        "datasets: {d: {source: data:conl14/INPUT, references: [data:conll14/NUCLEA]}}\n"
        "systems: {AMU: data:conll14/AMU}\n"
        "metrics: [gleuu]\n"
        "expect:\n"
        "  - scale: 100\n"
        "    values: {AUM: 70.0}\n"
        "  - metric: bleu\n"
        "    tolerance: 0.1\n"
        "    values: {AMU: 42.3}\n"
    )
    code, errors, _ = check(capsys, "bad.yaml")
    assert code == 2
    for position, said in [
        ("1:30", "expected one of exact, rounding, tolerance, partly, differs"),
        ("1:46", "publication.site: unknown key (did you mean 'cite'?)"),
        ("4:11", "no metric is called 'gleuu' (did you mean 'gleu'?)"),
        ("8:5", "a tolerance needs 'why'"),
    ]:
        assert any(
            f"bad.yaml:{position}: " in line and said in line for line in errors
        ), (
            position,
            said,
            errors,
        )


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"publication": None},
            "is no recipe, which has `publication` with the keys what and verdict",
        ),
        (
            {"publication": {"what": "x", "verdict": "rounding"}},
            "the keys publication.cite, publication.url,",
        ),
        (
            {
                "publication": {"what": "x", "verdict": "not published"},
                "expect": None,
            },
            "publication.recipe, expect are",
        ),
        ({"expect": None}, "the keys expect are missing"),
        (
            {"systems": {"A": "data:conl14/AMU"}},
            "no data set is called 'conl14' (did you mean 'conll14'?)",
        ),
        (
            {"expect": [{"values": {"careful": "76.3"}, "published": "false"}]},
            "no entry of expect is published",
        ),
        (
            {"expect": [{"values": {"carefull": "76.3"}}]},
            "'carefull' (did you mean 'careful'?)",
        ),
        (
            {"expect": [{"metric": "bleu", "values": {"careful": "76.3"}}]},
            "the config has no metric 'bleu'",
        ),
    ],
)
def test_what_is_missing(
    changes: dict[str, Any],
    said: str,
    sample: Path,
    call: Call,
) -> None:
    changed(sample, **changes)
    code, errors, _ = check(capsys)
    assert code == 2
    assert any(said in line and f"{FIRST}:" in line for line in errors), errors


def test_a_verdict_that_cannot_come_out(sample: Path, call: Call) -> None:
    (sample / FIRST).write_text(
        EXAMPLE.text.replace("verdict: rounding", "verdict: exact"),
        encoding="utf-8",
    )
    code, (error,), _ = check(capsys)
    assert code == 2
    assert "publication.verdict: 'exact', but with `rounding`" in error
    assert "'rounding' at best" in error


def test_a_name_that_another_result_has(sample: Path, call: Call) -> None:
    (sample / "gjg-m2.yaml").write_text(EXAMPLE.text, encoding="utf-8")
    code, (error,), _ = check(capsys, "gjg-m2.yaml")
    assert code == 2
    assert "another result is called gjg-m2 already" in error


@needs("edits")
def test_files_that_are_not_here_are_what_to_fetch(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    call: Call,
) -> None:
    monkeypatch.setenv("GEC_PIPELINE_DATA", str(tmp_path))
    code, errors, printed = check(capsys, str(recipes()["conll14-magec"].path))
    assert code == 3
    assert "nothing is missing; verdict on record: " in printed
    assert errors[-1].endswith(
        "files are not here: gec-pipeline data fetch conll14 conll14-outputs"
    )


@needs("functions")
def test_a_recipe_takes_numbers_from_files(sample: Path, call: Call) -> None:
    """By hand: the mean of 0, 1, 2, 3 again and again over 96 lines is 1.5."""
    for name in ("careful", "eager", "unchanged"):
        (sample / f"{name}.num").write_text(
            "0\n1\n2\n3\n" * 24, encoding="utf-8"
        )
    metrics = [
        "gleu",
        {"name": "external", "title": "COMET", "files": "{system}.num"},
    ]
    changed(
        sample,
        metrics=metrics,
        expect=[
            {"metric": "COMET", "values": {"careful": "1.5", "eager": "1.5"}}
        ],
    )
    text = (
        (sample / FIRST)
        .read_text(encoding="utf-8")
        .replace("verdict: rounding", "verdict: exact")
    )
    (sample / FIRST).write_text(text, encoding="utf-8")
    call("reproduce --check", FIRST)
    (found,) = json.loads(call("reproduce", FIRST, "--json").out)["results"]
    assert [
        (entry["verdict"], entry["equal"]) for entry in found["entries"]
    ] == [("exact", 2)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "publication: [",
            "own.yaml:1:15: not valid YAML: expected the node content, but found",
        ),
        (
            "metrics: [gleu]",
            "is no recipe, which has `publication` with the keys what and verdict",
        ),
        ("publication: {what: x, verdict: exact, cite: [y]}", "is no recipe"),
        (
            "publication: {what: x, verdict: exact}\nsystems: {A: data:conl/x}",
            "did you mean 'conll14'?",
        ),
    ],
)
def test_files_that_are_no_recipes(
    text: str, said: str, sample: Path, call: Call
) -> None:
    (sample / "own.yaml").write_text(text, encoding="utf-8")
    assert said in call("reproduce own.yaml", code=2).err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["none.yaml"], "none.yaml: no such file"),
        (
            ["--check", FIRST, "--all"],
            "--check: checks one file and runs nothing",
        ),
        (["--report", "x.html"], "--report: has no effect where nothing runs"),
        ([FIRST, "--report", "."], "--report: . is a folder"),
        (
            [FIRST, f"data/../data/{FIRST}"],
            "another result is called sample-ranking too",
        ),
    ],
)
def test_wrong_use(
    arguments: list[str],
    said: str,
    sample: Path,
    call: Call,
) -> None:
    shutil.copy(sample / FIRST, sample / "data" / FIRST)
    assert said in call("reproduce", *arguments, code=2).err


# ---- the tables of the help page and of the readme


def rows() -> list[list[str]]:
    """Return the rows of the table of what the recipes gave."""
    text = (
        HELP.partition("## What the recipes gave\n")[2]
        .partition("\n## ")[0]
        .partition("\n|")[2]
        .partition("\n\n")[0]
    )
    return [line.strip("| ").split(" | ") for line in text.splitlines()[2:]]


def test_the_table_of_the_help_page_has_the_form_that_the_program_prints() -> (
    None
):
    assert len(rows()) > 40
    assert "\n".join(markdown_lines(SHORT, rows())) in HELP


@pytest.mark.parametrize(
    "name",
    ["arxiv1605-rho", "conll14-ng2014", "gjg-m2", "koyama-max", "seeda-pairs"],
)
def test_rows_of_the_table_are_what_the_program_prints(
    name: str,
    shared: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    call: Call,
) -> None:
    monkeypatch.setenv("GEC_PIPELINE_DATA", str(tmp_path))
    assert (
        call(
            "reproduce",
            name,
            "--format",
            "markdown",
            "-q",
            "--mirror",
            str(shared / "mirror"),
        )
        .out.splitlines()[2]
        .strip("| ")
        .split(" | ")
        in rows()
    )


def leaves(value: Any) -> int:
    if isinstance(value, dict | list):
        return sum(
            leaves(child)
            for child in (value.values() if isinstance(value, dict) else value)
        )
    return 1


def test_the_table_counts_the_values_that_recipes_have() -> None:
    """Those that are in files are not counted."""
    counted = 0
    for name, equal, _, verdict in rows():
        recipe = recipes()[name]
        assert verdict == recipe.publication["verdict"]
        if all({"values", "order"} & set(entry) for entry in recipe.expected):
            whole = sum(
                leaves(entry.get("values", entry.get("order")))
                for entry in recipe.expected
            )
            assert equal.partition(" of ")[2] == f"{whole:,}", name
            counted += 1
    assert counted > 30
