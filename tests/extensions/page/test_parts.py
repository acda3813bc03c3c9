"""Parts of a run in `report`, `compare` and `rank`: --system, --dataset, --metric and --columns."""

import csv
import io
import json
import re
from pathlib import Path

import pytest

from pipeline.extension import installed
from tests.conftest import run, tree, write_run
from tests.support.extensions import needs, with_extension
from tests.support.in_process import Call
from tests.support.tables import table

SYSTEMS = ["Alpha", "alto", "Beta", "Gamma 2"]
FEW = "--resamples 50 --trials 50"


@pytest.fixture(scope="module")
def several(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("several")
    config = write_run(
        folder,
        12,
        chosen=["gleu[iter=3]", "bleu", "chrf[word_order=2]"],
        datasets=("d", "e"),
    )
    text = config.read_text(encoding="utf-8")
    content = json.loads(text)
    paths = {"Alpha": "A", "alto": "B", "Beta": "source", "Gamma 2": "ref0"}
    content["systems"] = {
        name: f"{{dataset}}/{file}" for name, file in paths.items()
    }
    config.write_text(json.dumps(content))
    run(config, folder / "run")
    return folder / "run"


def systems(text: str, dataset: str) -> set[tuple[str, ...]]:
    """Return the systems of each table of a data set."""
    found = set()
    for part in text.split("\n\n"):
        if part.startswith(f"{dataset}: "):
            rows = re.findall(r"^ +\d+  +(.+?)  ", part, re.MULTILINE)
            found.add(tuple(sorted(rows[:4])))
    return found


def csv_rows(text: str) -> list[dict[str, str]]:
    return [*csv.DictReader(io.StringIO(text))]


@pytest.mark.parametrize(
    ("requested", "expected"),
    [
        (["Beta"], ("Beta",)),
        (["beta"], ("Beta",)),
        (["al*"], ("alto",)),
        (["AL*"], ("Alpha", "alto")),
        (["Gamma 2", "Alpha"], ("Alpha", "Gamma 2")),
        (["*a"], ("Alpha", "Beta")),
    ],
)
def test_systems_are_chosen_by_names_and_patterns(
    several: Path, call: Call, requested: list[str], expected: tuple[str, ...]
) -> None:
    out = call(f"rank {several} --test none {FEW} --system", *requested).out
    assert systems(out, "d") == systems(out, "e") == {expected}
    assert re.search(r"^   1  ", out, re.MULTILINE)  # ranked among themselves
    out = call(f"report {several} --format csv --system", *requested).out
    assert {row["system"] for row in csv_rows(out)} == set(expected)
    if len(expected) == 2:
        out = call(f"compare {several} {FEW} --system", *requested).out
        rows = re.findall(
            r"^(.+?)  +(.+?)  .*[+-][0-9.]+ to", out, re.MULTILINE
        )
        assert {tuple(sorted(row)) for row in rows} == {expected}


@pytest.mark.parametrize(
    ("text", "metric"),
    table("""
        gleu[iter=3]        gleu
        gleu[iterations=3]  gleu
        chrf[word_order=2]  chrf
    """),
)
def test_a_metric_is_chosen_as_its_config_has_it(
    several: Path, call: Call, text: str, metric: str
) -> None:
    judges = several.parent / "people.txt"
    judges.write_text("Alpha 3\nalto 2\nBeta 1\n")
    command = f"correlate {several} --human {judges} --dataset d --json -q"
    for chosen in with_extension("human", text, metric):
        out, err = call(f"{command} --metric {chosen}")
        assert err == ""
        for one in json.loads(out)["correlations"]:
            assert one["metric"].startswith(f"{metric}|")
    rows = csv_rows(call(f"report {several} --format csv --metric {text}").out)
    assert {row["metric"].partition("|")[0] for row in rows} == {metric}


def test_the_baseline_is_compared_though_it_is_not_named(
    several: Path, call: Call
) -> None:
    options = "--baseline Beta --system Alpha --metric BLEU"
    out = call(f"compare {several} {FEW} {options}").out
    rows = [line.split()[:2] for line in out.splitlines() if " to " in line]
    assert rows == [["Alpha", "Beta"]] * 2


def test_metrics_and_data_sets_are_chosen(several: Path, call: Call) -> None:
    name = re.compile(r"\b(gleu|bleu|chrf)\|")
    for command in (
        f"rank {several} --test none {FEW}",
        f"report {several} --format markdown",
        f"compare {several} {FEW}",
    ):
        out = call(f"{command} --metric BLEU chrF++ --dataset E").out
        assert set(name.findall(out)) == {"bleu", "chrf"}
        assert not re.search(r"^(\*\*)?d[: ]", out, re.MULTILINE)
    command = f"report {several} --format csv --metric *leu --dataset [de]"
    rows = csv_rows(call(command).out)
    assert {row["metric"][:4] for row in rows} == {"gleu", "bleu"}
    assert {row["dataset"] for row in rows} == {"d", "e"}


def test_columns_are_chosen(several: Path, call: Call) -> None:
    one = f"{several} --metric gleu --dataset d"
    out = call(
        f"rank {one} {FEW} --columns interval precision_[12] match-1"
    ).out
    header, *rows = (
        re.split("  +", line.strip()) for line in out.splitlines()[1:6]
    )
    titles = (
        "rank, system, GLEU+, 95% interval, precision_1, precision_2, match_1"
    )
    assert header == titles.split(", ")
    counts = {}
    for row in csv_rows((several / "scores.csv").read_text(encoding="utf-8")):
        key = row["dataset"], row["metric"][:4], row["output"]
        if key == ("d", "gleu", "match_1"):
            counts[row["system"]] = float(row["value"])
    # a count is no percentage
    displayed = {cells[1]: float(cells[-1]) for cells in rows}
    assert displayed == pytest.approx(counts, abs=0.005)
    out = call(f"report {one} --format markdown --columns std").out
    cells = out.splitlines()[2].strip("|").split("|")
    header = [cell.strip() for cell in cells]
    assert header == ["rank", "system", "GLEU+", "std of draws"]
    out = call(f"report {one} --format latex --columns std").out
    assert "\\begin{tabular}{rlrr}" in out
    out = call(f"report {several} --format csv --columns precision_*").out
    precisions = {f"precision_{n}" for n in range(1, 9)}
    found = {row["output"] for row in csv_rows(out)}
    assert found == {"score", "rank"} | precisions
    out = call(f"compare {one} {FEW} --columns interval p-adjusted").out
    header = re.split("  +", out.splitlines()[1])
    assert header == ["system", "other", "95% interval", "p adjusted"]


WRONG = {
    "several": {
        "rank --system Bta": "--system Bta: there is no such one (did you mean 'Beta'?); there are Alpha, alto",
        "report --format csv --system x*": "--system x*: there is no such one; there are Alpha, alto",
        "compare --metric gleu blue": "--metric blue: there is no such one (did you mean 'bleu'?)",
        "compare --metric chrf[char_ordr=6]": "char_ordr: chrf has no such option (did you mean 'char_order'?)",
        "compare --dataset d f": "--dataset f: there is no such one; there are d, e",
        "rank --columns rnks": "--columns rnks: there is no such column (did you mean 'ranks'?); there",
        "report --format csv --columns rnk": "--columns rnk: there is no such column (did you mean",
        "report --format json --columns p": "--columns is for --format csv, html, latex, markdown",
        "compare --columns loses": "--columns loses: there is no such column (did you mean",
    },
    "sample": {
        "report": "--format: which? There are json, csv",
        "report --format csv --plot scores": "--plot is for --format plots",
        "report --plot score": "no plot is called so (did you mean 'scores'?)",
        "report --metric gelu --format csv": "--metric gelu: there is no such one (did you mean 'gleu'?)",
        "report --tier 1 --format csv": "--tier is for --by type",
        "report --format csv --lines 3": "--lines is for --format html",
        "report --by type": "has no scores by type",
        "report --by type --format html": "--by type: there is no form html of it",
        "report --by type --plot scores --format plots": "--by type: there is no form plots of it",
        "show --line 97": "--line 97: sample has the lines 1 to 96",
        "show --line 0": "--line 0: sample has the lines 1 to 96",
        "show --line 1 --system carefull": "sample: has no system 'carefull' (did you mean 'careful'?); it has",
        "show --line 1 --dataset x": "--dataset x: there is no such one; there are sample",
    },
}
"""Commands that are asked for what a run has not, and what they say."""


@pytest.mark.parametrize(
    ("run_of", "command"),
    [
        (name, command)
        for name, commands in WRONG.items()
        for command in commands
        if "--plot score" not in command or "plots" in installed()
    ],
)
def test_an_unknown_name_is_an_error_with_the_nearest_name(
    several: Path, sample: Path, call: Call, run_of: str, command: str
) -> None:
    name, _, arguments = command.partition(" ")
    folder = {"several": several, "sample": sample}[run_of]
    few = FEW if name in ("rank", "compare") else ""
    out, err = call(f"{name} {folder} {arguments} {few}", code=2)
    assert out == ""
    assert WRONG[run_of][command] in err


@needs("plots")
def test_a_plot_that_a_run_has_nothing_for_is_an_error(
    several: Path, call: Call
) -> None:
    err = call(f"report {several} --plot ranks", code=2).err
    message = "--plot ranks: this run has nothing for it; it needs `statistics`"
    assert message in err


@pytest.mark.parametrize(
    ("form", "part"),
    [("csv", "--system Beta"), ("json", "--metric bleu")],
)
def test_a_part_never_replaces_all_results(
    several: Path, call: Call, form: str, part: str
) -> None:
    before = tree(several)
    command = f"report {several} --format {form} {part} --output {several}"
    err = call(command, code=2).err
    assert tree(several) == before
    assert err.endswith(
        "has the whole results; write what you chose to another folder\n"
    )
