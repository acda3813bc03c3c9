"""Columns of metrics of edits, as papers have them."""

import re
from pathlib import Path

import pytest

import pipeline
from pipeline.metrics.build import from_text
from tests.conftest import ROOT, called
from tests.report.test_columns import DATA, cells, outputs
from tests.support.commands import Call

METRICS = [
    "errant",
    "m2",
    "gleu[iter=3]",
    "gleu[refs=max]",
    "ter",
    "rouge[types=1+2+L]",
]
PAPER = ("errant.precision", "errant.recall", "errant.f0.5", "gleu[refs=max]")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of metrics of edits and of texts on the sample, without statistics."""
    path: Path = tmp_path_factory.mktemp("columns") / "run"
    pipeline.run(
        ROOT / "configs" / "edits.yaml",
        path,
        set={"metrics": METRICS, "statistics": None},
    )
    return path


def test_named_columns_are_one_table_in_the_order_of_the_names(
    folder: Path, call: Call
) -> None:
    out = call(f"report {folder} --format markdown --columns", *PAPER).out
    assert out.count("| :---") == 1
    heads, _, titles, *rows = cells(out)
    assert heads == ["", "ERRANT", "", "", ""]
    assert titles == ["system", "P", "R", "F₀.₅", "GLEU+ (refs:max)"]
    found = outputs(folder)
    for name, *numbers in rows:
        system = name.partition(" <sup>")[0]
        own = {
            metric: values
            for (called_so, metric), values in found.items()
            if called_so == system
        }
        errant = next(
            values
            for metric, values in own.items()
            if metric.startswith("errant")
        )
        gleu = next(
            values for metric, values in own.items() if "refs:max" in metric
        )
        expected = [
            errant["precision"],
            errant["recall"],
            errant["errant"],
            gleu["gleu"],
        ]
        assert [float(number) for number in numbers] == pytest.approx(
            [100 * value for value in expected], abs=0.00501
        )
    # the best precision, since the unchanged source is not compared
    assert "**96.48**" in out
    assert "± " not in out


def test_a_head_spans_its_columns_in_latex(folder: Path, call: Call) -> None:
    out = call(
        f"report {folder} --format latex --columns",
        *PAPER[:3],
        "M2.P",
        "M2.R",
        "ter",
    ).out
    lines = out.splitlines()
    assert out.count(r"\begin{tabular}{lrrrrrr}") == 1
    top = lines.index(r"\toprule")
    assert (
        lines[top + 1]
        == r" & \multicolumn{3}{c}{ERRANT} & \multicolumn{2}{c}{M\textsuperscript{2}} &  \\"
    )
    assert lines[top + 2] == r"\cmidrule(lr){2-4}\cmidrule(lr){5-6}"
    assert (
        lines[top + 3]
        == r"system & P & R & F\textsubscript{0.5} & P & R & TER \\"
    )
    for line in lines[top + 5 : lines.index(r"\bottomrule")]:
        assert line.count(" & ") == 6
    assert "TER: the lowest score is the best." in out


def test_columns_without_a_metric_are_those_of_all(
    folder: Path, call: Call
) -> None:
    out = call(f"show {folder} --columns recall tp").out
    titles = re.split("  +", out.splitlines()[1])
    assert titles == [
        "system",
        "ERRANT F₀.₅",
        "ERRANT R",
        "ERRANT tp",
        "M² F₀.₅",
        "M² R",
    ]
    careful = re.split("  +", out.splitlines()[2])
    assert careful[0] == "careful"
    counts = {
        system: own["tp"]
        for (system, metric), own in outputs(folder).items()
        if metric.startswith("errant")
    }
    assert careful[3] == f"{counts['careful']:.0f}"  # a count is no percentage
    both = call(f"show {folder} --columns gleu errant.F0.5").out
    assert re.split("  +", both.splitlines()[1]) == [
        "system",
        "GLEU+ (refs:sample)",
        "GLEU+ (refs:max)",
        "ERRANT F₀.₅",
    ]


def test_a_single_metric_has_its_columns_by_the_names_of_papers(
    call: Call,
) -> None:
    files = (
        "--gold",
        DATA / "m2" / "gold.m2",
        "-o",
        DATA / "m2" / "careful.m2",
        DATA / "m2" / "eager.m2",
    )
    for metric, score in (("errant", "F₀.₅"), ("errant[beta=1]", "F₁")):
        plain = called(
            capsys, "score", metric, *files, "--columns", "precision", "recall"
        )
        assert plain[1].splitlines()[1].split() == [
            "rank",
            "system",
            "ERRANT",
            score,
            "precision",
            "recall",
        ]
        assert (
            called(capsys, "score", metric, *files, "--columns", "P", "R")
            == plain
        )
    tested = call("score errant", *files, "--columns", "P", "--confidence").out
    assert tested.splitlines()[1].split() == [
        "rank",
        "system",
        "ERRANT",
        "F₀.₅",
        "precision",
    ]  # and not p
    out, err = call(
        "score errant", *files, "--columns", "Q", "precison", code=2
    )
    assert out == ""
    assert "--columns Q: there is no such column" in err
    texts = (
        "-r",
        DATA / "reference0.txt",
        "-o",
        DATA / "systems" / "careful.txt",
        DATA / "systems" / "eager.txt",
    )
    out, err = call(
        "score ter", *texts, "--columns", "P", "--paired-bs", code=2
    )
    assert out == ""
    assert "--columns P: there is no such column (did you mean 'p'?)" in err


@pytest.mark.parametrize(
    ("metric", "output", "heads"),
    [
        ("errant", "errant", ("ERRANT", "F₀.₅")),
        ("errant[beta=1]", "errant", ("ERRANT", "F₁")),
        ("errant", "precision", ("ERRANT", "P")),
        ("errant", "tp", ("ERRANT", "tp")),
        ("m2[beta=0.25]", "m2", ("M²", "F₀.₂₅")),
        ("cleme", "cleme", ("CLEME", "F₀.₅")),
        ("cleme[version=2]", "cleme", ("CLEME 2.0", "")),
    ],
)
def test_a_metric_says_what_papers_call_its_outputs(
    metric: str, output: str, heads: tuple[str, str]
) -> None:
    assert from_text(metric).in_text(output) == heads
