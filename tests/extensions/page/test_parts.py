"""Parts of a run in `report`, `compare` and `rank`: --system, --dataset, --metric and --columns."""

import csv
import io
import json
import re
from pathlib import Path

import pytest

from pipeline.extension import installed
from tests.conftest import run, tree, write_run
from tests.support.commands import Call
from tests.support.extensions import needs, with_extension
from tests.support.tables import table

SYSTEMS = ["Alpha", "alto", "Beta", "Gamma 2"]
FEW = ("--resamples", "50", "--trials", "50")


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
    tables = [
        part.splitlines()
        for part in text.split("\n\n")
        if part.startswith(f"{dataset}: ")
    ]
    rows = [
        [line.strip() for line in table[2:6] if line[:4].strip().isdigit()]
        for table in tables
    ]
    return {
        tuple(sorted(re.split("  +", row)[1] for row in table))
        for table in rows
    }


@pytest.mark.parametrize(
    ("asked", "left"),
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
    several: Path,
    call: Call,
    asked: list[str],
    left: tuple[str, ...],
) -> None:
    out = call(f"rank {several} --test none", *FEW, "--system", *asked).out
    assert systems(out, "d") == {left}
    assert systems(out, "e") == {left}
    assert re.search(r"^   1  ", out, re.MULTILINE)  # ranked among themselves
    rows = csv.DictReader(
        io.StringIO(call(f"report {several} --format csv --system", *asked).out)
    )
    assert {row["system"] for row in rows} == set(left)
    if len(left) == 2:
        out = call(f"compare {several}", *FEW, "--system", *asked).out
        pairs = {
            tuple(sorted(re.split("  +", line)[:2]))
            for line in out.splitlines()
            if re.search("[+-][0-9.]+ to", line)
        }
        assert pairs == {left}


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
    (several.parent / "people.txt").write_text("Alpha 3\nalto 2\nBeta 1\n")
    more = (
        "--human",
        str(several.parent / "people.txt"),
        "--dataset",
        "d",
        "--json",
        "-q",
    )
    for chosen in with_extension("human", text, metric):
        command = ("correlate", several, *more, "--metric", chosen)
        out, err = call("", *command)
        assert err == ""
        correlations = json.loads(out)["correlations"]
        assert [one["metric"].partition("|")[0] for one in correlations] == [
            metric
        ]
    rows = csv.DictReader(
        io.StringIO(call(f"report {several} --format csv --metric", text).out)
    )
    assert {row["metric"].partition("|")[0] for row in rows} == {metric}


def test_the_baseline_is_compared_though_it_is_not_named(
    several: Path, call: Call
) -> None:
    out = call(
        f"compare {several}",
        *FEW,
        "--baseline",
        "Beta",
        "--system",
        "Alpha",
        "--metric",
        "BLEU",
    ).out
    rows = [
        re.split("  +", line)[:2] for line in out.splitlines() if " to " in line
    ]
    assert rows == [["Alpha", "Beta"]] * 2


def test_metrics_and_data_sets_are_chosen(several: Path, call: Call) -> None:
    for command in (
        ["rank", "--test", "none", *FEW],
        ["report", "--format", "markdown"],
        ["compare", *FEW],
    ):
        name, *more = command
        out = call(
            "",
            name,
            several,
            *more,
            "--metric",
            "BLEU",
            "chrF++",
            "--dataset",
            "E",
        ).out
        assert set(re.findall(r"\b(gleu|bleu|chrf)\|", out)) == {"bleu", "chrf"}
        assert not re.search(r"^(\*\*)?d[: ]", out, re.MULTILINE)
    out = call(
        f"report {several} --format csv --metric *leu --dataset [de]"
    ).out
    assert set(re.findall(r"\b(gleu|bleu|chrf)\|", out)) == {"gleu", "bleu"}
    assert {line[0] for line in out.splitlines()[1:]} == {"d", "e"}


def test_columns_are_chosen(several: Path, call: Call) -> None:
    one = ("--metric", "gleu", "--dataset", "d")
    out = call(
        f"rank {several}",
        *FEW,
        *one,
        "--columns",
        "interval",
        "precision_[12]",
        "match-1",
    ).out
    header = re.split("  +", out.splitlines()[1].strip())
    assert header == [
        "rank",
        "system",
        "GLEU+",
        "95% interval",
        "precision_1",
        "precision_2",
        "match_1",
    ]
    rows = csv.DictReader(
        io.StringIO((several / "scores.csv").read_text(encoding="utf-8"))
    )
    gleu = [
        row
        for row in rows
        if row["dataset"] == "d" and row["metric"].startswith("gleu")
    ]
    counts = {
        row["system"]: float(row["value"])
        for row in gleu
        if row["output"] == "match_1"
    }
    shown = [re.split("  +", line.strip()) for line in out.splitlines()[2:6]]
    # a count is no percentage
    assert {row[1]: float(row[-1]) for row in shown} == pytest.approx(
        counts, abs=0.005
    )
    out = call(
        f"report {several} --format markdown", *one, "--columns", "std"
    ).out
    header = [
        cell.strip() for cell in out.splitlines()[2].strip("|").split("|")
    ]
    assert header == ["rank", "system", "GLEU+", "std of draws"]
    out = call(f"report {several} --format latex", *one, "--columns", "std").out
    assert "\\begin{tabular}{rlrr}" in out
    out = call(f"report {several} --format csv --columns precision_*").out
    rows = csv.DictReader(io.StringIO(out))
    assert {row["output"] for row in rows} == {
        "score",
        "rank",
        *(f"precision_{n}" for n in range(1, 9)),
    }
    out = call(
        f"compare {several}", *FEW, *one, "--columns", "interval", "p-adjusted"
    ).out
    assert re.split("  +", out.splitlines()[1]) == [
        "system",
        "other",
        "95% interval",
        "p adjusted",
    ]


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
def test_what_is_not_there_is_an_error_with_the_nearest_name(
    several: Path,
    sample: Path,
    call: Call,
    run_of: str,
    command: str,
) -> None:
    name, *arguments = command.split()
    folder = {"several": several, "sample": sample}[run_of]
    few = FEW if name in ("rank", "compare") else ()
    out, err = call("", name, folder, *arguments, *few, code=2)
    assert out == ""
    assert WRONG[run_of][command] in err


@needs("plots")
def test_a_plot_that_a_run_has_nothing_for_is_told(
    several: Path, call: Call
) -> None:
    said = "--plot ranks: this run has nothing for it; it needs `statistics`"
    assert said in call(f"report {several} --plot ranks").err


@pytest.mark.parametrize(
    ("form", "part"),
    [("csv", ("--system", "Beta")), ("json", ("--metric", "bleu"))],
)
def test_a_part_never_replaces_the_whole(
    several: Path,
    call: Call,
    form: str,
    part: tuple[str, str],
) -> None:
    before = tree(several)
    err = call(
        f"report {several} --format", form, *part, "--output", several, code=2
    ).err
    assert tree(several) == before
    assert err.endswith(
        "has the whole results; write what you chose to another folder\n"
    )
