"""Tables as papers have them: columns that are named, the heads of metrics, and the names that are
printed.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import pipeline
from pipeline.metrics.build import from_text
from pipeline.report.latex import escape
from pipeline.scoring.results import Results
from tests.conftest import ROOT, RunLine, refused, write_lines
from tests.support.extensions import with_extension

DATA = ROOT / "data"
METRICS = ["gleu[iter=3]", "gleu[refs=max]", "ter", "rouge[types=1+2+L]"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of metrics on the sample, without statistics."""
    path: Path = tmp_path_factory.mktemp("columns") / "run"
    settings = {"metrics": METRICS, "statistics": None}
    pipeline.run(ROOT / "configs" / "quickstart.yaml", path, set=settings)
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
        ("gleu", "gleu", ("GLEU+", "")),
        ("gleu", "brevity_penalty", ("GLEU+", "brevity penalty")),
        ("chrf[word_order=2]", "chrf", ("chrF++", "")),
        ("rouge", "rouge1", ("ROUGE-1", "")),
        # the score is that of the first type
        ("rouge[types=L+1]", "rouge", ("ROUGE-L", "")),
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


def test_notes_are_sentences_and_signatures_have_their_samples(
    run_line: RunLine, tmp_path: Path
) -> None:
    settings = {
        "metrics": ["ter"],
        "statistics": {"resamples": 50, "trials": 50},
    }
    pipeline.run(
        ROOT / "configs" / "quickstart.yaml", tmp_path / "run", set=settings
    )
    for form, sign in (("latex", r"\%"), ("markdown", "%")):
        out = run_line(f"report {tmp_path}/run --format {form}")[1]
        assert f"intervals at 95{sign}. The lower the score, the better." in out
        assert "TER|nrefs:2|bs:50|seed:12345|" in out


def test_every_type_of_rouge_has_a_column(
    folder: Path, run_line: RunLine
) -> None:
    header = run_line(f"show {folder}")[1].splitlines()[1]
    assert header.split()[-4:] == ["TER", "ROUGE-1", "ROUGE-2", "ROUGE-L"]
    table = run_line(f"report {folder} --format markdown")[1]
    assert cells(table)[0][-3:] == ["ROUGE-1", "ROUGE-2", "ROUGE-L"]


def test_tables_tell_chrf_with_words_from_chrf(
    tmp_path: Path, run_line: RunLine
) -> None:
    text, other = tmp_path / "text", tmp_path / "other"
    text.write_text("a b c\n")
    other.write_text("a b d\n")
    for named, columns in (
        ("chrf chrf++", ["chrF", "chrF++"]),
        ("chrf++", ["chrF++"]),
    ):
        out = run_line(f"score {named} -r {text} -o {text} {other} -q").out
        assert out.splitlines()[1].split()[-len(columns) :] == columns
    found = pipeline.evaluate(["a b c"], ["a b d"], metrics=["chrf", "chrf++"])
    assert list(found.to_pandas(wide=True)) == ["chrf", "chrf++"]


def test_a_printed_name_is_a_column(folder: Path, run_line: RunLine) -> None:
    for form in ("markdown", "latex"):
        line = f"report {folder} --format {form} --columns"
        names = "rouge.rouge1 rouge.rougeL rouge.rougeL_precision"
        named = run_line(f"{line} {names}")
        assert named.code == 0
        assert run_line(line, "ROUGE-1", "ROUGE-L", "ROUGE-L P") == named


def test_statistics_are_hinted_at_where_there_are_some(
    folder: Path, tmp_path: Path, run_line: RunLine
) -> None:
    assert "each metric: --boards)" not in run_line(f"show {folder}")[1]
    texts = f"-r {DATA}/reference0.txt -o {DATA}/systems/careful.txt {DATA}/systems/eager.txt"
    assert "--boards" not in run_line(f"score chrf ter {texts}").out
    tested = {
        "metrics": ["bleu", "ter"],
        "statistics": {"resamples": 5, "trials": 5},
    }
    pipeline.run(
        ROOT / "configs" / "quickstart.yaml", tmp_path / "run", set=tested
    )
    assert "each metric: --boards)" in run_line(f"show {tmp_path}/run")[1]


@pytest.mark.parametrize(
    "line",
    [
        "show {}",
        "report {} --format latex",
        *with_extension("page", "report {} --format html"),
        "rank {} --resamples 2 --trials 2",
    ],
)
def test_an_unknown_column_is_told(
    folder: Path, run_line: RunLine, line: str
) -> None:
    column = "--columns rouge.rouge1_precison"
    assert (
        f"{column}: there is no such column (did you mean "
        "'rouge.rouge1_precision'?); there are rouge."
        in refused(run_line(f"{line.format(folder)} {column}"))
    )


# ---- one word, one meaning


@pytest.mark.parametrize("line", ["show", "compare -q", "rank -q"])
def test_json_says_which_way_is_better(
    folder: Path, run_line: RunLine, line: str
) -> None:
    name, *more = line.split()
    few = "--resamples 5 --trials 5" if more else ""
    content = json.loads(run_line(f"{name} {folder} {few} --json", *more).out)
    rows = [*content["scores"], *content["tests"]]
    assert {row["higher_is_better"] for row in rows} == {True, False}
    assert all(
        row["higher_is_better"] != row["metric"].startswith("ter|")
        for row in rows
    )
    assert bool(content["tests"]) == (line != "show")


def runs(where: Path, **more: Any) -> None:
    """Write runs `old` and `new` of the systems A and base, whose outputs differ in the first
    sentence.
    """
    lines = (DATA / "reference0.txt").read_text("utf-8").splitlines()
    for run, change in (
        ("old", lambda line: line),
        ("new", lambda line: " ".join(reversed(line.split()))),
    ):
        for system, first in (("A", lines[0]), ("base", lines[1])):
            write_lines(
                where / f"{run}-{system}.txt", [change(first), *lines[1:]]
            )
        pipeline.run(
            {
                "datasets": {
                    "d": {"references": [str(DATA / "reference0.txt")]}
                },
                "systems": {
                    name: str(where / f"{run}-{name}.txt")
                    for name in ("A", "base")
                },
                "metrics": ["chrf"],
                "output": {"dir": str(where / run)},
                **more,
            }
        )


def test_the_baseline_of_the_first_run_is_compared_with_both(
    tmp_path: Path, run_line: RunLine
) -> None:
    statistics = {"baseline": "base", "resamples": 20, "trials": 20}
    runs(tmp_path, statistics=statistics)
    code, out, err = run_line(f"compare {tmp_path}/old {tmp_path}/new -q")
    assert (code, err) == (0, "")
    rows = [
        line.split()[:2] for line in out.splitlines() if " base@old " in line
    ]
    assert sorted(rows) == [
        [name, "base@old"] for name in ("A@new", "A@old", "base@new")
    ]


def test_one_changed_sentence_is_not_significant(
    tmp_path: Path, run_line: RunLine
) -> None:
    """No trial is farther apart than the systems, so that p is 1 / (trials + 1), here and in
    sacreBLEU.
    """
    runs(tmp_path)
    few = "--trials 499 --resamples 100 --correction none -q"
    code, out, _ = run_line(f"compare {tmp_path}/old {few}")
    assert (code, "≤0.0020" in out) == (0, True)
    (row,) = (line for line in out.splitlines() if line.startswith("A  "))
    assert "↑" not in row
    assert "A small p without ↑ or ↓ says nothing" in out
    (test,) = json.loads(run_line(f"compare {tmp_path}/old {few} --json")[1])[
        "tests"
    ]
    assert test["p"] == pytest.approx(1 / 500, abs=1e-12)
    assert test["wins"] + test["losses"] == 1


def test_columns_by_name_are_in_the_order_of_the_names(
    folder: Path, run_line: RunLine
) -> None:
    columns = ("rouge.rouge1_recall", "rouge.rouge1", "gleu[refs=max]")
    code, out, _ = run_line(
        f"report {folder} --format markdown --columns", *columns
    )
    assert (code, out.count("| :---")) == (0, 1)
    heads, _, titles, *rows = cells(out)
    assert heads == ["", "ROUGE-1", "", ""]
    assert titles == ["system", "R", "score", "GLEU+ (refs:max)"]
    found = outputs(folder)
    for name, *numbers in rows:
        expected = {}
        for (system, metric), values in found.items():
            if system == name.partition(" <sup>")[0]:
                expected[metric.partition("|")[0], "refs:max" in metric] = (
                    values
                )
        rouge = expected["rouge", False]
        gleu = expected["gleu", True]
        fractions = [rouge["rouge1_recall"], rouge["rouge1"], gleu["gleu"]]
        assert [float(number) for number in numbers] == pytest.approx(
            [100 * fraction for fraction in fractions], abs=0.00501
        )
    assert "± " not in out
