"""Columns of metrics of edits, as papers have them."""

import re
from pathlib import Path

import pytest

import pipeline
from pipeline.metrics.build import from_text
from tests.conftest import ROOT
from tests.report.test_columns import DATA, cells, outputs
from tests.support.in_process import Call
from tests.support.tables import word_list

METRICS = word_list(
    "errant m2 gleu[iter=3] gleu[refs=max] ter rouge[types=1+2+L]"
)
PAPER = "errant.precision errant.recall errant.f0.5"


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
    out = call(
        f"report {folder} --format markdown --columns {PAPER} gleu[refs=max]"
    ).out
    assert out.count("| :---") == 1
    heads, _, titles, *rows = cells(out)
    assert heads == ["", "ERRANT", "", "", ""]
    assert titles == ["system", "P", "R", "F₀.₅", "GLEU+ (refs:max)"]
    found = outputs(folder)
    for name, *numbers in rows:
        system = name.partition(" <sup>")[0]
        expected: dict[str, float] = {}

        for (of, metric), values in found.items():
            if of == system and re.match("errant|gleu.*refs:max", metric):
                expected = {**values, **expected}
        for key, number in zip(
            ("precision", "recall", "errant", "gleu"), numbers, strict=True
        ):
            value = 100 * expected[key]
            assert float(number) == pytest.approx(value, abs=0.00501)
    # the best precision, since the unchanged source is not compared
    assert "**96.48**" in out
    assert "± " not in out


def test_a_head_spans_its_columns_in_latex(folder: Path, call: Call) -> None:
    out = call(
        f"report {folder} --format latex --columns {PAPER} M2.P M2.R ter"
    ).out
    lines = out.splitlines()
    assert out.count(r"\begin{tabular}{lrrrrrr}") == 1
    top = lines.index(r"\toprule")
    assert lines[top + 1 : top + 4] == [
        r" & \multicolumn{3}{c}{ERRANT} & \multicolumn{2}{c}{M\textsuperscript{2}} &  \\",
        r"\cmidrule(lr){2-4}\cmidrule(lr){5-6}",
        r"system & P & R & F\textsubscript{0.5} & P & R & TER \\",
    ]
    for line in lines[top + 5 : lines.index(r"\bottomrule")]:
        assert line.count(" & ") == 6
    assert "TER: the lowest score is the best." in out


def rows_of(text: str) -> list[list[str]]:
    return [re.split("  +", line) for line in text.splitlines()[1:]]


def test_columns_without_a_metric_are_those_of_all(
    folder: Path, call: Call
) -> None:
    titles, careful, *_ = rows_of(
        call(f"show {folder} --columns recall tp").out
    )
    assert titles == ["system", "ERRANT F₀.₅", "ERRANT R", "ERRANT tp", "M² F₀.₅", "M² R"]  # fmt: skip
    assert careful[0] == "careful"
    for (system, metric), values in outputs(folder).items():
        if system == "careful" and metric.startswith("errant"):
            # a count is no percentage
            assert careful[3] == f"{values['tp']:.0f}"
    titles = rows_of(call(f"show {folder} --columns gleu errant.F0.5").out)[0]
    assert titles[1:] == ["GLEU+ (refs:sample)", "GLEU+ (refs:max)", "ERRANT F₀.₅"]  # fmt: skip


def test_a_single_metric_has_its_columns_by_the_names_of_papers(
    call: Call,
) -> None:
    files = (
        f"--gold {DATA}/m2/gold.m2 -o {DATA}/m2/careful.m2 {DATA}/m2/eager.m2"
    )
    for metric, score in (("errant", "F₀.₅"), ("errant[beta=1]", "F₁")):
        command = f"score {metric} {files} --columns"
        plain = call(f"{command} precision recall")
        titles = " ".join(plain.out.splitlines()[1].split())
        assert titles == f"rank system ERRANT {score} precision recall"
        assert call(f"{command} P R") == plain
    tested = call(f"score errant {files} --columns P --confidence").out
    titles = " ".join(tested.splitlines()[1].split())
    assert titles == "rank system ERRANT F₀.₅ precision"  # and not p
    systems = DATA / "systems"
    texts = (
        f"-r {DATA}/reference0.txt -o {systems}/careful.txt {systems}/eager.txt"
    )
    for command, message in (
        (f"score errant {files} --columns Q precison", "--columns Q: there is no such column"),
        (f"score ter {texts} --columns P --paired-bs", "--columns P: there is no such column (did you mean 'p'?)"),
    ):  # fmt: skip
        out, err = call(command, code=2)
        assert out == ""
        assert message in err


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
