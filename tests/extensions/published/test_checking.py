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

from pipeline.extensions.published.recipe import recipes
from pipeline.extensions.published.tables import SHORT, markdown_lines
from tests.config_files import write
from tests.conftest import ROOT
from tests.support.extensions import needs
from tests.support.in_process import Call
from tests.support.tables import table
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
EXACT = EXAMPLE.text.replace("verdict: rounding", "verdict: exact")
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
    _, *commands = re.split(r"^\$ gec-pipeline ", text, flags=re.MULTILINE)
    assert len(commands) == 3
    for part in commands:
        command, *printed = part.splitlines()
        out = f"\n{call(command).out}"
        for line in printed:
            assert f"\n{line}" in out
    page = (sample / LAST).read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")


def check(
    call: Call, file: str = FIRST, code: int = 2
) -> tuple[list[str], str]:
    """Return the lines of the errors of --check, and what it prints."""
    out, err = call(f"reproduce --check {file}", code=code)
    return err.splitlines(), out


def changed(**changes: Any) -> None:
    """Change sections of the example; None leaves one out."""
    content = yaml.safe_load(EXAMPLE.text) | changes
    present = {
        key: value for key, value in content.items() if value is not None
    }
    write({FIRST: yaml.safe_dump(present, sort_keys=False)})


@pytest.mark.usefixtures("sample")
def test_everything_wrong_is_reported_at_once_with_its_line(call: Call) -> None:
    """Lines and columns by hand."""
    write({"bad.yaml": """\
publication: {what: a table, verdict: exakt, site: x}
datasets: {d: {source: data:conl14/INPUT, references: [data:conll14/NUCLEA]}}
systems: {AMU: data:conll14/AMU}
metrics: [gleuu]
expect:
  - scale: 100
    values: {AUM: 70.0}
  - metric: bleu
    tolerance: 0.1
    values: {AMU: 42.3}
"""})  # fmt: skip
    errors = check(call, "bad.yaml")[0]
    for position, message in table("""
        1:30  expected one of exact, rounding, tolerance, partly, differs
        1:46  publication.site: unknown key (did you mean 'cite'?)
        4:11  no metric is called 'gleuu' (did you mean 'gleu'?)
        8:5   a tolerance needs 'why'
    """):
        (line,) = (one for one in errors if f"bad.yaml:{position}: " in one)
        assert message in line


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"publication": None}, "is no recipe, which has `publication` with the keys what and verdict"),
        ({"publication": {"what": "x", "verdict": "rounding"}}, "the keys publication.cite, publication.url,"),
        ({"publication": {"what": "x", "verdict": "not published"}, "expect": None}, "publication.recipe, expect are"),
        ({"expect": None}, "the keys expect are missing"),
        ({"systems": {"A": "data:conl14/AMU"}}, "no data set is called 'conl14' (did you mean 'conll14'?)"),
        ({"expect": [{"values": {"careful": "76.3"}, "published": "false"}]}, "no entry of expect is published"),
        ({"expect": [{"values": {"carefull": "76.3"}}]}, "'carefull' (did you mean 'careful'?)"),
        ({"expect": [{"metric": "bleu", "values": {"careful": "76.3"}}]}, "the config has no metric 'bleu'"),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("sample")
def test_what_is_missing(
    changes: dict[str, Any], message: str, call: Call
) -> None:
    changed(**changes)
    errors = check(call)[0]
    assert any(message in line and f"{FIRST}:" in line for line in errors), (
        errors
    )


@pytest.mark.usefixtures("sample")
def test_a_verdict_that_cannot_come_out(call: Call) -> None:
    write({FIRST: EXACT})
    (error,) = check(call)[0]
    assert "publication.verdict: 'exact', but with `rounding`" in error
    assert "'rounding' at best" in error


@pytest.mark.usefixtures("sample")
def test_a_name_that_another_result_has(call: Call) -> None:
    write({"gjg-m2.yaml": EXAMPLE.text})
    (error,) = check(call, "gjg-m2.yaml")[0]
    assert "another result is called gjg-m2 already" in error


@needs("edits")
def test_missing_files_are_what_to_fetch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Call
) -> None:
    monkeypatch.setenv("GEC_PIPELINE_DATA", str(tmp_path))
    path = recipes()["conll14-magec"].path
    errors, printed = check(call, str(path), code=3)
    assert "nothing is missing; verdict on record: " in printed
    fetch = "gec-pipeline data fetch conll14 conll14-outputs"
    assert errors[-1].endswith(f"files are not here: {fetch}")


@needs("functions")
@pytest.mark.usefixtures("sample")
def test_a_recipe_takes_numbers_from_files(call: Call) -> None:
    """By hand: the mean of 0, 1, 2, 3 again and again over 96 lines is 1.5."""
    for name in ("careful", "eager", "unchanged"):
        write({f"{name}.num": "0\n1\n2\n3\n" * 24})
    comet = {"name": "external", "title": "COMET", "files": "{system}.num"}
    values = {"careful": "1.5", "eager": "1.5"}
    changed(
        publication=yaml.safe_load(EXACT)["publication"],
        metrics=["gleu", comet],
        expect=[{"metric": "COMET", "values": values}],
    )
    check(call, code=0)
    out = call(f"reproduce {FIRST} --json").out
    (entry,) = json.loads(out)["results"][0]["entries"]
    assert (entry["verdict"], entry["equal"]) == ("exact", 2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("publication: [", "own.yaml:1:15: not valid YAML: expected the node content, but found"),
        ("metrics: [gleu]", "is no recipe, which has `publication` with the keys what and verdict"),
        ("publication: {what: x, verdict: exact, cite: [y]}", "is no recipe"),
        ("publication: {what: x, verdict: exact}\nsystems: {A: data:conl/x}", "did you mean 'conll14'?"),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("sample")
def test_files_that_are_no_recipes(text: str, message: str, call: Call) -> None:
    write({"own.yaml": text})
    assert message in call("reproduce own.yaml", code=2).err


@pytest.mark.parametrize(
    ("arguments", "message"),
    table(f"""
        none.yaml                     none.yaml: no such file
        --check {FIRST} --all         --check: checks one file and runs nothing
        --report x.html               --report: has no effect where nothing runs
        {FIRST} --report .            --report: . is a folder
        {FIRST} data/../data/{FIRST}  another result is called sample-ranking too
    """),
)
def test_wrong_use(
    arguments: str, message: str, sample: Path, call: Call
) -> None:
    shutil.copy(sample / FIRST, sample / "data" / FIRST)
    assert message in call(f"reproduce {arguments}", code=2).err


# ---- the tables of the help page and of the readme


def rows() -> list[list[str]]:
    """Return the rows of the table of what the recipes gave."""
    section = HELP.partition("## What the recipes gave\n")[2]
    table = section.partition("\n|")[2].partition("\n\n")[0]
    return [line.strip("| ").split(" | ") for line in table.splitlines()[2:]]


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
    options = f"--format markdown -q --mirror {shared / 'mirror'}"
    lines = call(f"reproduce {name} {options}").out.splitlines()
    assert lines[2].strip("| ").split(" | ") in rows()


def leaves(value: Any) -> int:
    """Return how many values there are in lists and mappings."""
    if isinstance(value, dict):
        value = [*value.values()]
    return sum(map(leaves, value)) if isinstance(value, list) else 1


def test_the_table_counts_the_values_that_recipes_have() -> None:
    """Those that are in files are not counted."""
    counted = 0
    for name, equal, _, verdict in rows():
        recipe = recipes()[name]
        assert verdict == recipe.publication["verdict"]
        if all({"values", "order"} & set(entry) for entry in recipe.expected):
            complete = sum(
                leaves(entry.get("values", entry.get("order")))
                for entry in recipe.expected
            )
            assert equal.partition(" of ")[2] == f"{complete:,}", name
            counted += 1
    assert counted > 30
