"""The command `score`: several metrics, flags without a value, columns of files, standard input."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest

from tests.conftest import RunLine, refused, write_lines
from tests.support.extensions import with_extension
from tests.support.programs import program

SOURCE = ["This are a test .", "He go home", "I like a apples ."]
REFERENCE = ["This is a test .", "He goes home", "I like apples ."]
OUTPUT = ["This is a tests .", "He goes home", "I like apple ."]
M2 = """\
S This are a test .
A 1 2|||V|||is|||REQUIRED|||-NONE-|||0
A 1 2|||V|||was|||REQUIRED|||-NONE-|||1

S He go home
A 1 2|||V|||goes|||REQUIRED|||-NONE-|||0
A 1 2|||V|||went|||REQUIRED|||-NONE-|||1

S I like a apples .
A 2 3|||D|||-NONE-|||REQUIRED|||-NONE-|||0
A 2 3|||D|||the|||REQUIRED|||-NONE-|||1
"""


class Terminal(io.StringIO):
    """Standard input where nothing is piped."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def score(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    run_line: RunLine,
) -> RunLine:
    """The command in a folder with the same texts in every format; returns exit code, output and
    messages.
    """
    rows = list(zip(SOURCE, REFERENCE, OUTPUT, strict=True))
    tsv = "".join("\t".join(row) + "\n" for row in rows)
    jsonl = "".join(
        json.dumps({"src": s, "refs": [r], "hyp": o}) + "\n" for s, r, o in rows
    )
    files = {
        "s.txt": SOURCE,
        "r.txt": REFERENCE,
        "o.txt": OUTPUT,
        "x.txt": SOURCE,
    }
    for name, lines in files.items():
        write_lines(tmp_path / name, lines)
    for name, text in {
        "n.tsv": tsv,
        "d.tsv": "src\tref\thyp\n" + tsv,
        "d.jsonl": jsonl,
        "g.m2": M2,
    }.items():
        (tmp_path / name).write_text(text, "utf-8")
    (tmp_path / "p.ndjson.gz").write_bytes(gzip.compress(jsonl.encode()))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", Terminal())

    return lambda line, *more: run_line(f"score {line}", *more)


def scores(
    run: Callable[..., tuple[int, str, str]], line: str, *more: str
) -> list[tuple[str, str, float]]:
    code, out, err = run(line, *more, "--json")
    assert code == 0, err
    return [
        (s["system"], s["metric"].partition("|nrefs")[0], s["score"])
        for s in json.loads(out)["scores"]
    ]


# Several metrics


def test_several_metrics_are_scored_as_each_alone(score: RunLine) -> None:
    files = "-s s.txt -r r.txt -o o.txt x.txt"
    together = scores(score, f"BLEU chrF++ gleu[n=2] {files}")
    assert together == [
        item
        for name in ("bleu", "chrf[nw=2]", "gleu[n=2]")
        for item in scores(score, f"{name} {files}")
    ]


def test_several_systems_and_metrics_are_one_table(score: RunLine) -> None:
    """It has the numbers of the ranked tables, which --boards prints, and which one output or
    metric has.
    """
    files = "-r r.txt -o o.txt x.txt"
    each = [score(f"{name} {files}")[1] for name in ("bleu", "rougeL")]
    assert score(f"bleu rougeL --boards {files}") == (
        0,
        "\n".join(each),
        "",
    )
    code, out, _ = score(f"bleu rougeL {files}")
    _, header, *rows = (line.split() for line in out.splitlines()[:4])
    assert (code, header) == (0, ["system", "BLEU", "ROUGE-L"])
    ranked = [
        {row[1]: row[2] for row in map(str.split, page.splitlines()[2:4])}
        for page in each
    ]
    assert {row[0]: row[1:] for row in rows} == {
        name: [values[name] for values in ranked] for name in ranked[0]
    }
    assert "rank" in score("bleu rougeL -r r.txt -o o.txt")[1]


def test_sentences_of_several_metrics(score: RunLine) -> None:
    code, out, _ = score("bleu chrf -r r.txt -o o.txt --sentences")
    assert (code, out.splitlines()[0]) == (
        0,
        "metric\tsystem\tline\tscore\tstd\tlow\thigh",
    )
    assert [line.split("\t")[:3] for line in out.splitlines()[1:]] == [
        [*row] for row in product(("bleu", "chrf"), ["o.txt"], "123")
    ]
    assert score("bleu -r r.txt -o o.txt --sentences")[1].startswith(
        "system\tline\tscore"
    )


def test_options_are_for_the_metrics_that_have_them(score: RunLine) -> None:
    files = "-s s.txt -r r.txt -o o.txt"
    found = scores(
        score,
        f"bleu gleu chrf[nc=4] --order 3 --variant 2016 --beta 3 {files}",
    )
    assert [metric for _, metric, _ in found] == [
        scores(score, f"{name} {files}")[0][1]
        for name in ("bleu[n=3]", "gleu[n=3,variant=2016]", "chrf[nc=4,beta=3]")
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            "bleu chrf --variant 2016",
            "variant: no metric takes this option: none has a use for it",
        ),
        (
            "bleu[n=3] ter --order 2",
            "order: no metric takes this option: every metric sets it itself",
        ),
        (
            "bleu BLEU",
            "BLEU: the same metric with the same settings is asked for twice",
        ),
        (
            "bleu google_gleu --order 17",
            "order: expected a whole number from 1 to 16, found '17'",
        ),
        ("bleu chrg", "no metric is called 'chrg' (did you mean 'chrf'?)"),
        ("bleu gleu", "gleu needs a source"),
    ],
)
def test_wrong_metrics_among_several(
    score: RunLine, arguments: str, message: str
) -> None:
    err = refused(score(f"{arguments} -r r.txt -o o.txt"))
    assert message in err
    assert len(err.splitlines()) == 1


# Flags


def test_a_truth_needs_no_value(score: RunLine) -> None:
    files = "-r r.txt -o o.txt"
    expected = scores(score, f"bleu[lowercase=true] {files}")
    assert scores(score, f"bleu --lowercase {files}") == expected
    assert scores(score, f"bleu --lowercase true {files}") == expected
    assert scores(score, f"bleu {files} --lowercase") == expected
    assert scores(score, f"bleu --lowercase false {files}") == scores(
        score, f"bleu {files}"
    )


def test_a_metric_behind_a_truth_is_no_value(score: RunLine) -> None:
    code, _, err = score("--lowercase bleu -r r.txt -o o.txt")
    assert code == 2
    assert (
        "--lowercase: expected true or false, found 'bleu'; a METRIC stands before all options"
        in err
    )


@pytest.mark.parametrize(
    "flag", ["-i", "--hyp", "--hypotheses", "--input", "--out", "--outputs"]
)
def test_outputs_have_other_flags(score: RunLine, flag: str) -> None:
    expected = scores(score, "bleu -r r.txt -o o.txt x.txt")
    assert scores(score, f"bleu -r r.txt {flag} o.txt x.txt") == expected


# Texts in other files


@pytest.mark.parametrize(
    ("source", "reference", "output"),
    [
        ("d.jsonl:src", "d.jsonl:refs.0", "d.jsonl:hyp"),
        ("p.ndjson.gz:src", "p.ndjson.gz:refs.0", "p.ndjson.gz:hyp"),
        ("d.tsv:src", "d.tsv:ref", "d.tsv:hyp"),
        ("n.tsv:1", "n.tsv:2", "n.tsv:3"),
        *with_extension("edits", ("g.m2", "g.m2:0", "o.txt")),
        *with_extension("edits", ("n.tsv:1", "g.m2:0", "d.jsonl:hyp")),
    ],
)
def test_columns_are_texts(
    score: RunLine, source: str, reference: str, output: str
) -> None:
    expected = scores(score, "gleu -s s.txt -r r.txt -o o.txt")
    found = scores(score, f"gleu -s {source} -r {reference} -o {output}")
    assert [item[1:] for item in found] == [item[1:] for item in expected]
    assert found[0][0] == output


def test_a_file_of_that_very_name_wins(score: RunLine) -> None:
    for name in ("d.tsv:hyp", "g.m2:0", "d.jsonl:hyp"):
        write_lines(Path(name), REFERENCE)
        assert scores(score, f"bleu -r r.txt -o {name}")[0][2] == 1


@pytest.mark.parametrize(
    ("output", "message"),
    [
        (
            "d.tsv:hp",
            "d.tsv:1: no column is called 'hp' (did you mean 'hyp'?); found src, ref, hyp",
        ),
        (
            "n.tsv:4",
            "n.tsv:1: has 3 columns, numbered from 1; there is no column 4",
        ),
        ("d.jsonl:hp", "d.jsonl:1: has no 'hp' (did you mean 'hyp'?)"),
        *with_extension(
            "edits",
            (
                "g.m2",
                "-o g.m2: has the texts of several annotators; say which: g.m2:0, g.m2:1",
            ),
        ),
        *with_extension(
            "edits",
            ("g.m2:2", "-o g.m2: there is no annotator 2: g.m2:0, g.m2:1"),
        ),
        (
            "o.txt:2",
            "-o o.txt:2: no such file; columns can be named of files that end in .jsonl, .csv, .tsv, "
            ".parquet, .arrow",
        ),
        ("a.tsv:2", "a.tsv: no such file (did you mean 'n.tsv'?)"),
        *with_extension(
            "edits", ("a.m2:0", "a.m2: no such file (did you mean 'g.m2'?)")
        ),
        ("s3x://b/d.jsonl:hyp", "s3x"),
    ],
)
def test_wrong_columns(score: RunLine, output: str, message: str) -> None:
    err = refused(score(f"bleu -r r.txt -o {output}"))
    assert err.startswith(f"error: {message}") or (
        message == "s3x" and message in err
    )
    assert len(err.splitlines()) == 1


# Standard input


def test_standard_input_is_the_output_where_none_is_named(
    score: RunLine, tmp_path: Path
) -> None:
    """In a process of its own, whose standard input is a file or a pipe."""
    command = "score bleu chrf -r r.txt --json"
    texts = "".join(f"{line}\n" for line in OUTPUT)
    expected = scores(score, "bleu chrf -r r.txt -o o.txt")
    for more in ("", "-o -"):
        done = program(f"{command} {more}", input=texts, cwd=tmp_path)
        assert [
            (s["system"], s["score"]) for s in json.loads(done.stdout)["scores"]
        ] == [("-", s[2]) for s in expected]


def test_on_a_terminal_an_output_is_needed(
    score: RunLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    message = "error: the following arguments are required: -o (or pipe an output to standard input)\n"
    assert score("bleu -r r.txt") == (2, "", message)
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    # it is the reference already
    assert score("bleu -r -") == (
        2,
        "",
        message,
    )


def test_a_null_in_a_column_is_a_missing_reference_where_one_says_so(
    score: RunLine,
) -> None:
    lines = [
        {"o": "a b c d", "r": "a b c d", "s": "e f"},
        {"o": "e f g h", "r": None, "s": "e f g h"},
    ]
    Path("d.jsonl").write_text(
        "".join(f"{json.dumps(line)}\n" for line in lines), "utf-8"
    )
    files = "-r d.jsonl:r d.jsonl:s -o d.jsonl:o"
    code, _, err = score(f"bleu {files}")
    assert code == 2
    assert err.startswith(
        "error: d.jsonl:2: 'r': expected text, found null; null is for references, with "
    )
    assert "--empty-references none" in err
    code, out, _ = score(f"bleu {files} --empty-references none --json")
    (found,) = json.loads(out)["scores"]
    assert (code, found["score"], found["outputs"]["ref_len"]) == (0, 1.0, 8)
    assert (
        score(
            "bleu -r d.jsonl:s -o d.jsonl:r --empty-references none",
        )[0]
        == 2
    )
    Path("empty").write_text("a b c d\n\n", "utf-8")
    code, _, err = score(
        "bleu -r empty d.jsonl:s -o d.jsonl:o --empty-references error",
    )
    assert (code, "empty:2" in err) == (2, True)


@pytest.mark.parametrize(
    "arguments",
    [
        "bleu -r r.txt -o r.txt x.txt",
        "bleu -r r.txt -i r.txt x.txt --paired-ar --paired-ar-n 9",
        *with_extension("edits", "m2 gleu --gold g.m2 -o r.txt"),
    ],
)
def test_the_warnings_that_are_printed_are_in_the_json(
    score: RunLine, arguments: str
) -> None:
    code, out, err = score(f"{arguments} --json")
    printed = [
        line.removeprefix("warning: ")
        for line in err.splitlines()
        if line.startswith("warning: ")
    ]
    assert (code, bool(printed)) == (0, True)
    assert json.loads(out)["warnings"] == printed
    assert score(f"{arguments} --json -q") == (0, out, "")
