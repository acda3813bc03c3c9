"""Tables as papers have them: columns that are named, the heads of metrics, and the names that are
printed.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

import pipeline
from pipeline.metrics.build import from_text
from pipeline.report.latex import escape
from pipeline.scoring.results import Results
from tests.conftest import ROOT, called

if TYPE_CHECKING:
    from pathlib import Path

DATA = ROOT / "data"
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


def cells(table: str) -> list[list[str]]:
    """Return the cells of the rows of a table in Markdown, without marks."""
    rows = [
        line.strip("|").split("|")
        for line in table.splitlines()
        if line.startswith("| ")
    ]
    return [[cell.replace("*", "").strip() for cell in row] for row in rows]


def outputs(folder: Path) -> dict[tuple[str, str], dict[str, float]]:
    """Return the outputs in results.json by system and the first letters of the signature."""
    scores = Results.read(folder / "results.json").scores
    return {(score.system, score.metric): score.outputs for score in scores}


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
        ("gleu", "gleu", ("GLEU+", "")),
        ("gleu", "brevity_penalty", ("GLEU+", "brevity penalty")),
        ("chrf[word_order=2]", "chrf", ("chrF++", "")),
        ("rouge", "rouge1", ("ROUGE-1", "")),
        (
            "rouge[types=L+1]",
            "rouge",
            ("ROUGE-L", ""),
        ),  # the score is that of the first type
        ("rouge[types=Lsum]", "rougeLsum_recall", ("ROUGE-Lsum", "R")),
    ],
)
def test_a_metric_says_what_papers_call_its_outputs(
    metric: str, output: str, heads: tuple[str, str]
) -> None:
    assert from_text(metric).in_text(output) == heads


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("F₀.₅", r"F\textsubscript{0.5}"),
        ("F₁₀", r"F\textsubscript{10}"),
        ("F₀. ₅", r"F\textsubscript{0}. \textsubscript{5}"),
        ("M²", r"M\textsuperscript{2}"),
    ],
)
def test_small_digits_in_latex(text: str, expected: str) -> None:
    assert escape(text) == expected


def test_named_columns_are_one_table_in_the_order_of_the_names(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = called(
        capsys, "report", folder, "--format", "markdown", "--columns", *PAPER
    )
    assert (code, out.count("| :---")) == (0, 1)
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
            values for metric, values in own.items() if metric.startswith("errant")
        )
        gleu = next(values for metric, values in own.items() if "refs:max" in metric)
        expected = [
            errant["precision"],
            errant["recall"],
            errant["errant"],
            gleu["gleu"],
        ]
        assert [float(number) for number in numbers] == pytest.approx(
            [100 * value for value in expected], abs=0.00501
        )
    assert (
        "**96.48**" in out
    )  # the best precision, since the unchanged source is not compared
    assert "± " not in out


def test_a_head_spans_its_columns_in_latex(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = called(
        capsys,
        "report",
        folder,
        "--format",
        "latex",
        "--columns",
        *PAPER[:3],
        "M2.P",
        "M2.R",
        "ter",
    )
    lines = out.splitlines()
    assert (code, out.count(r"\begin{tabular}{lrrrrrr}")) == (0, 1)
    top = lines.index(r"\toprule")
    assert (
        lines[top + 1]
        == r" & \multicolumn{3}{c}{ERRANT} & \multicolumn{2}{c}{M\textsuperscript{2}} &  \\"
    )
    assert lines[top + 2] == r"\cmidrule(lr){2-4}\cmidrule(lr){5-6}"
    assert lines[top + 3] == r"system & P & R & F\textsubscript{0.5} & P & R & TER \\"
    for line in lines[top + 5 : lines.index(r"\bottomrule")]:
        assert line.count(" & ") == 6
    assert "TER: the lowest score is the best." in out


def test_notes_are_sentences_and_signatures_have_their_samples(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    settings = {"metrics": ["ter"], "statistics": {"resamples": 50, "trials": 50}}
    pipeline.run(ROOT / "configs" / "edits.yaml", tmp_path / "run", set=settings)
    for form, sign in (("latex", r"\%"), ("markdown", "%")):
        out = called(capsys, "report", tmp_path / "run", "--format", form)[1]
        assert f"intervals at 95{sign}. The lower the score, the better." in out
        assert "TER|nrefs:2|bs:50|seed:12345|" in out


def test_every_type_of_rouge_has_a_column(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    header = called(capsys, "show", folder)[1].splitlines()[1]
    assert header.split()[-4:] == ["TER", "ROUGE-1", "ROUGE-2", "ROUGE-L"]
    table = called(capsys, "report", folder, "--format", "markdown")[1]
    assert cells(table)[0][-3:] == ["ROUGE-1", "ROUGE-2", "ROUGE-L"]


def test_tables_tell_chrf_with_words_from_chrf(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, other = tmp_path / "text", tmp_path / "other"
    text.write_text("a b c\n")
    other.write_text("a b d\n")
    for named, columns in (
        (["chrf", "chrf++"], ["chrF", "chrF++"]),
        (["chrf++"], ["chrF++"]),
    ):
        header = called(capsys, "score", *named, "-r", text, "-o", text, other, "-q")[
            1
        ].splitlines()[1]
        assert header.split()[-len(columns) :] == columns
    found = pipeline.evaluate(["a b c"], ["a b d"], metrics=["chrf", "chrf++"])
    assert list(found.to_pandas(wide=True)) == ["chrf", "chrf++"]


def test_a_printed_name_is_a_column(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for form in ("markdown", "latex"):
        command = ("report", folder, "--format", form, "--columns")
        named = called(
            capsys, *command, "rouge.rouge1", "rouge.rougeL", "rouge.rougeL_precision"
        )
        assert named[0] == 0
        assert called(capsys, *command, "ROUGE-1", "ROUGE-L", "ROUGE-L P") == named


def test_columns_without_a_metric_are_those_of_all(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = called(capsys, "show", folder, "--columns", "recall", "tp")
    titles = re.split("  +", out.splitlines()[1])
    assert (code, titles) == (
        0,
        ["system", "ERRANT F₀.₅", "ERRANT R", "ERRANT tp", "M² F₀.₅", "M² R"],
    )
    careful = re.split("  +", out.splitlines()[2])
    assert careful[0] == "careful"
    counts = {
        system: own["tp"]
        for (system, metric), own in outputs(folder).items()
        if metric.startswith("errant")
    }
    assert careful[3] == f"{counts['careful']:.0f}"  # a count is no percentage
    both = called(capsys, "show", folder, "--columns", "gleu", "errant.F0.5")[1]
    assert re.split("  +", both.splitlines()[1]) == [
        "system",
        "GLEU+ (refs:sample)",
        "GLEU+ (refs:max)",
        "ERRANT F₀.₅",
    ]


def test_a_single_metric_has_its_columns_by_the_names_of_papers(
    capsys: pytest.CaptureFixture[str],
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
        assert called(capsys, "score", metric, *files, "--columns", "P", "R") == plain
    tested = called(
        capsys, "score", "errant", *files, "--columns", "P", "--confidence"
    )[1]
    assert tested.splitlines()[1].split() == [
        "rank",
        "system",
        "ERRANT",
        "F₀.₅",
        "precision",
    ]  # and not p
    code, out, err = called(
        capsys, "score", "errant", *files, "--columns", "Q", "precison"
    )
    assert (code, out) == (2, "")
    assert "--columns Q: there is no such column" in err
    texts = (
        "-r",
        DATA / "reference0.txt",
        "-o",
        DATA / "systems" / "careful.txt",
        DATA / "systems" / "eager.txt",
    )
    code, out, err = called(
        capsys, "score", "ter", *texts, "--columns", "P", "--paired-bs"
    )
    assert (code, out) == (2, "")
    assert "--columns P: there is no such column (did you mean 'p'?)" in err


def test_statistics_are_hinted_at_where_there_are_some(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "each metric: --boards)" not in called(capsys, "show", folder)[1]
    texts = (
        "-r",
        DATA / "reference0.txt",
        "-o",
        DATA / "systems" / "careful.txt",
        DATA / "systems" / "eager.txt",
    )
    assert "--boards" not in called(capsys, "score", "chrf", "ter", *texts)[1]
    tested = {"metrics": ["errant", "m2"], "statistics": {"resamples": 5, "trials": 5}}
    pipeline.run(ROOT / "configs" / "edits.yaml", tmp_path / "run", set=tested)
    assert "each metric: --boards)" in called(capsys, "show", tmp_path / "run")[1]


@pytest.mark.parametrize(
    "command",
    [
        ("show",),
        ("report", "--format", "latex"),
        ("report", "--format", "html"),
        ("rank",),
    ],
)
def test_an_unknown_column_is_told(
    folder: Path, capsys: pytest.CaptureFixture[str], command: tuple[str, ...]
) -> None:
    few = ("--resamples", 2, "--trials", 2) if command == ("rank",) else ()
    name, *rest = command
    code, out, err = called(
        capsys, name, folder, *rest, *few, "--columns", "errant.precison"
    )
    assert (code, out) == (2, "")
    assert (
        "--columns errant.precison: there is no such column (did you mean 'errant.precision'?); there are errant."
        in err
    )


# ---- one word, one meaning


@pytest.mark.parametrize("command", [["show"], ["compare", "-q"], ["rank", "-q"]])
def test_json_says_which_way_is_better(
    folder: Path, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    few = ("--resamples", 5, "--trials", 5) if command != ["show"] else ()
    content = json.loads(
        called(capsys, command[0], folder, *command[1:], *few, "--json")[1]
    )
    rows = [*content["scores"], *content["tests"]]
    assert {row["higher_is_better"] for row in rows} == {True, False}
    assert all(
        row["higher_is_better"] != row["metric"].startswith("ter|") for row in rows
    )
    assert bool(content["tests"]) == (command != ["show"])


def runs(where: Path, **more: Any) -> None:
    """Write runs `old` and `new` of the systems A and base, whose outputs differ in the first
    sentence.
    """
    lines = (DATA / "reference0.txt").read_text(encoding="utf-8").splitlines()
    for run, change in (
        ("old", lambda line: line),
        ("new", lambda line: " ".join(reversed(line.split()))),
    ):
        for system, first in (("A", lines[0]), ("base", lines[1])):
            (where / f"{run}-{system}.txt").write_text(
                "\n".join([change(first), *lines[1:]]) + "\n", encoding="utf-8"
            )
        pipeline.run(
            {
                "datasets": {"d": {"references": [str(DATA / "reference0.txt")]}},
                "systems": {
                    name: str(where / f"{run}-{name}.txt") for name in ("A", "base")
                },
                "metrics": ["chrf"],
                "output": {"dir": str(where / run)},
                **more,
            }
        )


def test_the_baseline_of_the_first_run_is_compared_with_both(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    statistics = {"baseline": "base", "resamples": 20, "trials": 20}
    runs(tmp_path, statistics=statistics)
    code, out, err = called(capsys, "compare", tmp_path / "old", tmp_path / "new", "-q")
    assert (code, err) == (0, "")
    rows = [line.split()[:2] for line in out.splitlines() if " base@old " in line]
    assert sorted(rows) == [
        [name, "base@old"] for name in ("A@new", "A@old", "base@new")
    ]


def test_one_changed_sentence_is_not_significant(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No trial is farther apart than the systems, so that p is 1 / (trials + 1), here and in
    sacreBLEU.
    """
    runs(tmp_path)
    few = ("--trials", 499, "--resamples", 100, "--correction", "none", "-q")
    code, out, _ = called(capsys, "compare", tmp_path / "old", *few)
    assert (code, "≤0.0020" in out) == (0, True)
    (row,) = (line for line in out.splitlines() if line.startswith("A  "))
    assert "↑" not in row
    assert "A small p without ↑ or ↓ says nothing" in out
    (test,) = json.loads(
        called(capsys, "compare", tmp_path / "old", *few, "--json")[1]
    )["tests"]
    assert test["p"] == pytest.approx(1 / 500, abs=1e-12)
    assert test["wins"] + test["losses"] == 1
