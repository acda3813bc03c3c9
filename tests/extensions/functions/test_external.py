"""Numbers of each sentence from files: every form of them, what is wrong with them, and the scores
they give.
"""

from __future__ import annotations

import gzip
import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pipeline
from pipeline import stages
from pipeline.cli.commands.run import plan
from pipeline.errors import ConfigError, CorpusError, InputError
from pipeline.execution import tasks
from pipeline.extensions.functions.number_files import NumberColumns, numbers
from pipeline.metrics.build import from_text
from pipeline.scoring.results import Results
from tests.config_files import problems, write
from tests.conftest import tree
from tests.support.words import rows, wordlist


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    texts: dict[str, str | bytes] = dict.fromkeys(
        ("s.txt", "r.txt"), "a b\nc d\ne f\n"
    )
    write({**texts, "A.txt": "a\nc\ne\n", "B.txt": "b\nd\nf\n"})
    return tmp_path


def config(metrics: str, **more: Any) -> str:
    content = {
        "datasets": {
            "d": {
                "source": "s.txt",
                "references": ["r.txt"],
                **more.pop("dataset", {}),
            }
        },
        "systems": {"A": "A.txt", "B": "B.txt"},
        "output": {"dir": "run"},
        **more,
    }
    text = json.dumps(content)[:-1] + f', "metrics": [{metrics}]}}'
    Path("c.yaml").write_text(text, encoding="utf-8")
    return "c.yaml"


def scores(metrics: str, **more: Any) -> dict[str, dict[str, float]]:
    """Return the outputs of each system."""
    results = stages.run(stages.prepare(config(metrics, **more)))[1]
    return {score.system: score.outputs for score in results.scores}


def problem(metrics: str, **more: Any) -> str:
    with pytest.raises(ConfigError) as caught:
        stages.prepare(config(metrics, **more))
    (found,) = caught.value.problems
    return str(found).replace(str(Path.cwd()) + "/", "")


F_BETA = '{name: external, title: errant, files: "{system}.num", score: f_beta}'
MEAN = '{name: external, title: own, files: "{system}.num"}'


def test_f_beta_by_hand() -> None:
    """A: 3, 1, 2: P 3/4, R 3/5, F0.5 = 1.25 PR / (0.25 P + R) = 0.5625 / 0.7875. B: nothing
    proposed: P 1, R 0.
    """
    write({"A.num": "1 0 1\n2 1 0\n0 0 1\n", "B.num": "0 0 1\n0 0 1\n0 0 1\n"})
    found = scores(F_BETA)
    assert list(found["A"]) == wordlist("errant precision recall tp fp fn")
    assert found["A"]["errant"] == pytest.approx(0.5625 / 0.7875, rel=1e-15)
    assert (found["A"]["precision"], found["A"]["recall"]) == (0.75, 0.6)
    assert [found["A"][name] for name in ("tp", "fp", "fn")] == [3, 1, 2]
    assert list(found["B"].values()) == [0, 1, 0, 0, 0, 3]


def test_nothing_to_correct_and_nothing_corrected_is_perfect() -> None:
    write({"A.num": "0 0 0\n" * 3, "B.num": "0 0 0\n0 1 0\n0 0 0\n"})
    found = scores(F_BETA)
    assert (found["A"]["errant"], found["B"]["errant"]) == (1.0, 0.0)


def test_mean_and_sum_of_decimals_are_correctly_rounded() -> None:
    write({"A.num": "0.1\n0.2\n0.3\n", "B.num": "1e16\n1\n-1e16\n"})
    # not 0.6000000000000001, not 0
    assert scores(MEAN) == {"A": {"own": 0.6 / 3}, "B": {"own": 1 / 3}}
    assert scores(MEAN.replace("own", "own, score: sum, scale: 1")) == {
        "A": {"own": 0.6},
        "B": {"own": 1.0},
    }
    assert scores(MEAN.replace("own", "own, scale: 100"))["B"] == {
        "own": pytest.approx(1 / 300)
    }


def test_counts_with_decimals_are_exact() -> None:
    """0.1 + 0.2 + 0.3 hits of 0.9: in tenths 6 of 9; more decimals are rounded half to even."""
    write(
        {
            "A.num": "0.1 0.05 0\n0.2 0.15 0\n0.3 .3 0.0\n",
            "B.num": "1 1 1\n" * 3,
        }
    )
    found = scores(F_BETA.replace("f_beta", "f_beta, decimals: 1"))["A"]
    # 0.05 is 0.0, 0.15 is 0.2
    assert (found["tp"], found["fp"], found["precision"]) == (0.6, 0.5, 6 / 11)


@pytest.mark.parametrize(
    ("name", "text", "columns"),
    [
        ("num", "1 0 1\n2 1 0\n0 0 1\n", ""),
        ("num", "1\t0\t1\r\n2\t1\t0\r\n0\t0\t1", ""),
        ("num", "  1   0 1 \n2 1 0\n0 0 1\n", ""),
        ("num", "\ufeffTP FP FN\n1 0 1\n2 1 0\n0 0 1\n", ""),
        ("num", "fn,tp,fp,note\n1,1,0,x\n0,2,1,y z\n1,0,0,\n", ""),
        (
            "num",
            "id\thits\tmore\tless\n7\t1\t0\t1\n8\t2\t1\t0\n9\t0\t0\t1\n",
            "HITS+more+less",
        ),
        ("num", "7\t1\t0\t1\n8\t2\t1\t0\n9\t0\t0\t1\n", "2+3+4"),
        ("num", "a\t1\t0\t1\nb\t2\t1\t0\nc\t0\t0\t1\n", "2+3+4"),
        (
            "jsonl",
            '{"TP": 1, "FP": 0, "FN": 1}\n{"fn": 0, "tp": 2.0, "fp": "1"}\n{"tp": 0, "fp": 0, "fn": 1e0}\n',
            "",
        ),
        ("num.gz", "1 0 1\n2 1 0\n0 0 1\n", ""),
        (
            "jsonl.gz",
            '{"x": 1, "y": 0, "z": 1}\n{"x": 2, "y": 1, "z": 0}\n{"x": 0, "y": 0, "z": 1}\n',
            "x+y+z",
        ),
    ],
)
def test_forms_of_files(name: str, text: str, columns: str) -> None:
    data = text.encode()
    write({f"A.{name}": gzip.compress(data) if name.endswith("gz") else data})
    write({f"B.{name}": Path(f"A.{name}").read_bytes()})
    metric = (
        F_BETA.replace(".num", f".{name}")
        if not columns
        else F_BETA.replace('.num"', f'.{name}", columns: "{columns}"')
    )
    assert [scores(metric)["A"][key] for key in ("tp", "fp", "fn")] == [3, 1, 2]


COUNT = "is no count (from 0 to 9,007,199,254,740,992)"
WRONG_COUNTS = rows(f"""
    1 0 1/2 x 0/0 0 1 => 2: fp: expected a number, found 'x'
    1 0 1/2 1.5 0/0 0 1 => 2: fp: expected a whole number, found '1.5'; for others say `decimals`
    1 0 1/2 -1 0/0 0 1 => 2: fp: '-1' {COUNT}
    1 0 1/2 1e99999 0/0 0 1 => 2: fp: '1e99999' {COUNT}
    1 0 1/nan 1 0/0 0 1 => 2: tp: expected a number, found 'nan'
    nan 0 1/1 1 0/0 0 1 => 1: tp: expected a number, found 'nan'
    1 0 1/2 1 0 4/0 0 1 => 2: has 4 columns; the first line has 3
    1 0 1//0 0 1 => 2: is empty; expected 3 numbers
    1 0/1 1/0 0 => 1: has 2 columns, expected 3; say which with `columns`
    tp fp/1 0/1 1/0 0 => 1: no column is called 'fn'; found tp, fp; say which with `columns`
    tp fp fp fn => 1: 2 columns are called 'fp'; found tp, fp, fp, fn; say which with `columns`
    1 0 1/2 \udcff 0 => 2: byte 3 of the line (0xff) is not valid UTF-8
    1 0 1/2 \u0661 0/0 0 1 => 2: fp: expected a number, found '\u0661'
    1 0 1/2 1_0 0/0 0 1 => 2: fp: expected a number, found '1_0'
""")
WRONG_NUMBERS = rows("""
    0.5/inf/1 => 2: expected a number, found 'inf'
    0.5/1e999/1 => 2: '1e999' is too large a number
    0.5/0,5/1 => 2: expected a number, found '0,5'
    0.5 1/0.5 1/1 1 => 1: has 2 columns, expected 1; say which with `columns`
    a,b/1,2/1,2/1,2 => 1: no column is called 'value'; found a, b; say which with `columns`
""")
"""Lines with / between, and what is wrong."""


@pytest.mark.parametrize(
    ("metric", "good", "lines", "message"),
    [
        *((F_BETA, "1 1 1\n", *row) for row in WRONG_COUNTS),
        *((MEAN, "1\n", *row) for row in WRONG_NUMBERS),
    ],
)
def test_what_is_wrong_is_told_with_its_line(
    metric: str, good: str, lines: str, message: str
) -> None:
    text = lines.replace("/", "\n") + "\n"
    data = text.encode(errors="surrogateescape")
    write({"A.num": data, "B.num": good * 3})
    assert problem(metric) == f"A.num:{message}"


def test_json_lines_are_told() -> None:
    write({"B.jsonl": '{"value": 1}\n' * 3})
    metric = MEAN.replace(".num", ".jsonl")
    for line, printed in rows("""
    [1] => is no JSON object
    { => is no JSON object
    {"valeu": 1} => has no 'value' (did you mean 'valeu'?)
    {"value": true} => expected a number, found 'true'
    {"value": NaN} => expected a number, found 'NaN'
    {"value": null} => expected a number, found 'null'
    {"value": [1]} => expected a number, found '["1"]'
"""):
        write({"A.jsonl": '{"value": 1}\n' + line + '\n{"value": 1}\n'})
        assert problem(metric) == f"A.jsonl:2: {printed}"


@pytest.mark.parametrize(
    ("metric", "printed"),
    [
        ("{name: external, title: own}", "own: the key 'files' is missing"),
        (
            "{name: external, files: A.num}",
            "external: files: expected {system} in the path",
        ),
        (
            '{name: external, title: tp, score: f_beta, files: "{system}.num"}',
            "'tp' is the name of another output",
        ),
        (
            "{name: external, title: 'a ', files: x}",
            "'a ' cannot be a name: it begins or ends with a blank",
        ),
        (
            f"{{name: external, title: {51 * 'a'}, files: x}}",
            "cannot be a name: it has 51 signs; 50 are allowed",
        ),
        (
            '{name: external, beta: 2, files: "{system}.num"}',
            "has no effect here (only score: f_beta has one)",
        ),
        (
            '{name: external, columns: a+b, files: "{system}.num"}',
            "score: mean takes 1, found 'a+b'",
        ),
        (f"{MEAN}, {MEAN.replace('.num', '.txt')}", "asked for twice"),
        (
            f"{MEAN}, {MEAN.replace('.num', '.txt').replace('own', 'own, scale: 2')}",
            "give each its own `title`",
        ),
    ],
)
def test_metrics_that_make_no_sense_are_told(metric: str, printed: str) -> None:
    write({"A.num": "1\n" * 3, "B.num": "1\n" * 3})
    with pytest.raises(ConfigError) as caught:
        stages.prepare(config(metric))
    assert any(printed in str(found) for found in caught.value.problems)


def test_two_scores_of_the_same_numbers_share_them() -> None:
    write({"A.num": "1 2 0\n" * 3, "B.num": "1 0 0\n" * 3})
    stages.run(
        stages.prepare(
            config(f"{F_BETA}, {F_BETA.replace('f_beta', 'f_beta, beta: 1')}")
        )
    )
    assert len(list(Path("run/statistics/d").iterdir())) == 2


def test_selected_lines_select_numbers_too() -> None:
    write({"A.num": "value\n1\n2\n4\n", "B.num": "1\n1\n1\n"})
    assert scores(MEAN, dataset={"keep": ["1", "3"]}) == {
        "A": {"own": 2.5},
        "B": {"own": 1.0},
    }


def test_files_are_against_the_file_that_names_them_and_named_by_data_set(
    folder: Path,
) -> None:
    write({"sub/d.A.num": "1\n2\n3\n", "sub/d.B.num": "1\n1\n1\n"})
    write(
        {
            "sub/metrics.yaml": 'metrics: [{name: external, title: own, files: "{dataset}.{system}.num"}]'
        }
    )
    content = config(MEAN)
    text = Path(content).read_text(encoding="utf-8").partition(', "metrics"')[0]
    write({"main.yaml": text + ', "include": ["sub/metrics.yaml"]}'})
    results = stages.run(stages.prepare(folder / "main.yaml"))[1]
    assert [score.score for score in results.scores] == [2.0, 1.0]


def test_a_run_is_read_back_and_depends_on_numbers_alone() -> None:
    write({"A.num": "1 2 0\n" * 3, "B.num": "tp,fp,fn\n" + "1,0,0\n" * 3})
    more = {"statistics": {"resamples": "20", "trials": "20"}}
    expected = scores(F_BETA, **more)
    before = tree(Path("run"))
    write({"A.num": "1\t2.0\t0e5\n" * 3})  # the same numbers
    assert scores(F_BETA, **more) == expected
    assert tree(Path("run")) == before
    read = pipeline.load("run")
    assert read["A"].columns["fp"].tolist() == [2, 2, 2]
    assert (
        read["A"].sentences.tolist()
        == [pytest.approx(1.25 / 3 / (0.25 / 3 + 1))] * 3
    )
    write({"A.num": "1 1 0\n" * 3})
    assert scores(F_BETA, **more) != expected
    digests = Results.read(Path("run/results.json")).datasets["d"].digests
    assert "external-errant-tp-fp-fn A" in digests


def test_real_columns_are_floats_when_read_back() -> None:
    write({"A.num": "0.1\n-0.0\n1e-320\n", "B.num": "1\n1\n1\n"})
    scores(MEAN)
    assert pipeline.load("run")["A"].columns["value"].tolist() == [
        0.1,
        0.0,
        1e-320,
    ]


def test_metrics_of_text_stand_beside_external_ones() -> None:
    write({"A.num": "1\n2\n3\n", "B.num": "1\n1\n1\n"})
    results = stages.run(stages.prepare(config(f"gleu, {MEAN}, google_gleu")))[
        1
    ]
    assert [score.metric.partition("|")[0] for score in results.scores] == [
        "gleu"
    ] * 2 + ["external"] * 2 + ["google_gleu"] * 2
    header, rows, _ = plan(stages.prepare("c.yaml"))
    assert header[-1] == "counts"
    assert [row[-1] for row in rows] == ["counted"] * 6


def test_without_a_config_there_are_no_files_of_numbers() -> None:
    with pytest.raises(
        InputError, match="external reads files that a config names"
    ):
        pipeline.evaluate(["a"], [["a"]], ["a"], ["external"])


@given(
    values=st.lists(
        st.floats(-1e6, 1e6) | st.sampled_from([0.1, 1e-300, -0.0]),
        min_size=3,
        max_size=3,
    )
)
def test_any_number_is_taken_exactly(values: list[float]) -> None:
    write(
        {
            "A.num": "".join(f"{value!r}\n" for value in values),
            "B.num": "1\n" * 3,
        }
    )
    found = scores(MEAN.replace("own", "own, score: sum, scale: 1"))["A"]["own"]
    assert Fraction(found) == Fraction(float(sum(map(Fraction, values))))


def test_intervals_of_a_mean_are_those_of_resampled_numbers() -> None:
    values = [0.1, 0.7, 0.35]
    write(
        {"A.num": "".join(f"{value}\n" for value in values), "B.num": "1\n" * 3}
    )
    results = stages.run(
        stages.prepare(config(MEAN, statistics={"resamples": "100"}))
    )[1]
    drawn = np.random.default_rng(12345).choice(3, size=(100, 3))
    means = sorted(
        math.fsum(values[i] for i in row) / 3 for row in drawn.tolist()
    )
    found = results.scores[0].bootstrap
    assert found
    assert found.interval == pytest.approx((means[2], means[-3]), rel=1e-15)
    assert found.std == pytest.approx(np.std(means, ddof=1), rel=1e-12)


def test_the_signature_says_nothing_of_places() -> None:
    metric = from_text("external[title=m2,score=f_beta,beta=0.5]")
    assert tasks.signature_of(metric, 2).startswith(
        "external|title:m2|score:f_beta|beta:0.5|nrefs:2|v:"
    )


def test_numbers_of_sentences_take_quotation_marks_as_they_are(
    tmp_path: Path,
) -> None:
    """A column may hold raw sentences, which begin with a quotation mark and do not end with one."""
    path = tmp_path / "t.tsv"
    path.write_text(
        'text\tscore\n"Well\t1\n"No" he said\t2\n', encoding="utf-8"
    )
    assert list(
        numbers(
            path,
            "t.tsv",
            NumberColumns(
                kind="numbers",
                path=path,
                column="score",
                header=True,
                decimals=None,
            ),
        )
    ) == [b"1.0", b"2.0"]
    path.write_text("1;2\n", encoding="utf-8")
    with pytest.raises(CorpusError, match=r"t\.tsv:1: no column is called 'a'"):
        list(
            numbers(
                path,
                "t.tsv",
                NumberColumns(
                    kind="numbers", path=path, column="a+b", decimals=None
                ),
            )
        )


def test_files_of_external_metrics_may_be_of_data_sets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GEC_PIPELINE_DATA", str(tmp_path / "cache"))
    target = "{{name: external, title: {0}, files: 'data:conll14-judgements/metrics/scores.{1}'}}"
    metrics = ", ".join(
        [target.format("m", "bleu"), target.format("n", "{system}")]
    )
    write({"s.txt": "a\n", "r.txt": "a\n"})
    message = problems(
        f"datasets: {{d: {{source: s.txt, references: [r.txt]}}}}\nsystems: {{m2x: s.txt}}\nmetrics: [{metrics}]"
    )
    assert len(message) == 2
    assert (
        "m: files: conll14-judgements/metrics/scores.bleu is not in"
        in message[0]
    )
    assert (
        "n: files: the data set conll14-judgements has no file 'metrics/scores.m2x' (did you mean"
        in message[1]
    )
