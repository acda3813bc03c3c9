"""`gec-pipeline m2scorer` prints what m2scorer prints; `score` and `explain` with --gold.

The golden output and what the official loader made of odd files came from m2scorer (commit cb874a7,
Python 2.7)."""

import ast
import gzip
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.config_files import write
from tests.conftest import called, mirrored
from tests.support.in_process import Call, Printed
from tests.support.tables import table

GOLD = """\
S This are a test of the x
A 1 2|||V|||is||was|||REQUIRED|||-NONE-|||0
A 5 6|||D|||-NONE-|||REQUIRED|||-NONE-|||0
A 5 6|||D||||||REQUIRED|||-NONE-|||1

S He goes home
"""


Score = Callable[..., Printed]


class Said(NamedTuple):
    """What a command returned and printed."""

    code: int
    out: str
    err: str


@pytest.fixture(autouse=True)
def call(cwd: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Said]:
    """Call the command line in a folder with an M2 file, outputs and annotated outputs."""
    del cwd
    annotated = GOLD.replace("||was", "")
    for name, text in (
        ("gold.m2", GOLD),
        ("gold.errant", annotated),
        ("hyp.errant", annotated),
        ("hyp.m2", annotated),
        ("a.txt", "This is a test of x\nHe goes home\n"),
        ("b.txt", "This are\nHe goes\n"),
    ):
        write({name: text})
    return lambda *arguments: Said(*called(capsys, *arguments))


@pytest.fixture
def command(call: Callable[..., Said]) -> Call:
    """Run a command that ends with an exit code; return what it printed."""

    def run(line: str, *arguments: object, code: int = 0) -> Printed:
        printed = call(*line.split(), *arguments)
        assert printed.code == code, printed
        return Printed(printed.out, printed.err)

    return run


@pytest.fixture
def score(cwd: Path, command: Call) -> Score:
    """Score an output against gold edits by m2scorer."""

    def m2scorer(
        output: str, gold: str, options: str = "", code: int = 0
    ) -> Printed:
        write({"o.txt": output})
        if gold.startswith("S "):
            write({"gold.m2": gold})
            gold = str(cwd / "gold.m2")
        return command(f"m2scorer {options} o.txt {gold}", code=code)

    return m2scorer


def test_the_official_output_of_amu(shared: Path, command: Call) -> None:
    gold = mirrored(
        shared, "awasthiabhijeet/PIE", "scratch/official-2014.combined.m2"
    )
    output = shared / "conll14" / "AMU"
    golden = shared / "edits/golden/m2scorer/official-verbose.combined.AMU.gz"
    expected = gzip.decompress(golden.read_bytes()).decode()
    assert len(expected) > 1_000_000
    assert command(f"m2scorer -v {output} {gold}").out == expected
    totals = expected[expected.rindex("Precision ") :]
    assert command(f"m2scorer {output} {gold}").out == totals
    options = "--code 3.2 --max_unchanged_words 2"
    assert command(f"m2scorer {options} {output} {gold}").out.endswith(
        "0.3501\n"
    )


@pytest.fixture
def loader(shared: Path) -> Path:
    """The folder of M2 files that the official loader read."""
    return shared / "edits" / "golden" / "m2scorer" / "loader"


def loader_cases(folder: Path) -> dict[str, Any]:
    text = (folder / "official.jsonl").read_text(encoding="utf-8")
    return {name: rest for name, *rest in map(json.loads, text.splitlines())}


READ = {
    "bare_s.m2": ("x\n", "an S without a blank"),
    "blankline_space.m2": ("x b\nc\n", "only blanks"),
    "bom.m2": ("x b\n", "byte order mark"),
    "crlf.m2": ("x b c\nq e\n", "lines of Windows"),
}
"""Outputs for files that are read with a warning."""
REFUSED = {
    "five.m2": "five.m2:2: ",
    "no_s.m2": "no_s.m2:1: ",
    "u2028.m2": "u2028.m2:1: character 4 is U+2028",
    "two_s.m2": "two_s.m2:2: a second sentence in a paragraph",
}
LEFT_OUT = {
    "beyond.m2": "2 4 in a sentence",
    "i_line.m2": "line 2 begins with I",
    "negative.m2": "from token -1",
    "noop_upper.m2": "line 3 is a noop with a span",
}


def test_odd_files_are_read_as_by_the_official_loader(
    loader: Path, score: Score
) -> None:
    """Each of the golden files: the same edits in the same order, with a warning where lines are
    left out.
    """
    cases = loader_cases(loader)
    assert len(cases) == 22
    for name in cases.keys() - READ.keys() - REFUSED.keys():
        sentences, golds = cases[name]
        output = "".join(f"{sentence}\n" for sentence in sentences)
        out, err = score(output, str(loader / name), "-v")
        assert LEFT_OUT.get(name, "") in err
        expected = []
        for sentence, ours in zip(sentences, golds, strict=True):
            expected += [(sentence, number, edits) for number, edits in ours]
        sources, numbers, edits = (
            re.findall(rf"(?m)^{title}: (.*)$", out)
            for title in ("SOURCE        ", ">> Annotator", "GOLD EDITS    ")
        )

        listed = [[*map(list, ast.literal_eval(text))] for text in edits]
        found = zip(sources, map(int, numbers), listed, strict=True)
        assert [*found] == expected, name


def test_files_at_which_the_official_loader_stops(
    loader: Path, score: Score, command: Call
) -> None:
    """What has one reading is scored with a warning; all else is an error with file and line."""
    stops = {
        n for n, rest in loader_cases(loader).items() if rest[0] == "error"
    }
    assert stops | {"two_s.m2"} == {*READ, *REFUSED}
    for name, (output, message) in READ.items():
        out, err = score(output, str(loader / name))
        assert message in err
        assert "1.0000" in out
        out, err = command(f"score m2 --gold {loader / name} -o o.txt")
        assert message in err
        assert "100.00" in out
    for name, message in REFUSED.items():
        for found in (
            score("a b\n", str(loader / name), code=2),
            command(f"score m2 --gold {loader / name} -o o.txt", code=2),
        ):
            assert found.out == ""
            assert message in found.err


PERFECT = "Precision   : 1.0000\nRecall      : 1.0000\nF_0.5       : 1.0000\n"


def test_odd_lines_by_hand(score: Score) -> None:
    """By hand, from the rules of the loader: each is told with its line, once for each kind."""
    edit = "A 0 1|||X|||x|||REQUIRED|||-NONE-|||0"
    out, err = score(
        "x b\nx b\n",
        f"S a b\r\nI one\r\n{edit}\r\n\r\nS a b\r\nI two\n{edit}\n",
    )
    assert "gold.m2: line 1 (and 4 more) ends as lines of Windows do" in err
    assert "gold.m2: line 2 (and 1 more) begins with I" in err
    assert out == PERFECT
    for gold, message in (
        (f"S a b\n{edit}\nS a b\n{edit}\n", "gold.m2:3: a second sentence in a paragraph"),
        (f"S a b\n{edit}\n\nS a\x0b b\n", "gold.m2:4: character 4 is U+000B"),
    ):  # fmt: skip
        assert message in score("x b\nx b\n", gold, code=2).err


def test_signs_of_neighbours(score: Score) -> None:
    """By hand, after the rules of `_sign`: a right deletion beside an insertion, and the other way
    round.

    An insertion that is right keeps apart from the deletion beside it.
    """
    line = "A {} {}|||X|||{}|||REQUIRED|||-NONE-|||0\n"
    insertion, deletion = line.format(1, 1, "x"), line.format(1, 2, "")
    for edits, expected in (
        (insertion + deletion, "! (1, 1, '', u'x')\n! (1, 2, u'b', '')\n"),
        (insertion, "* (1, 1, '', u'x')\n"),
        (deletion, "& (1, 2, u'b', '')\n"),
    ):
        assert expected in score("a x c\n", f"S a b c\n{edits}", "-v").out


def test_numbers_and_texts_as_python_2_shows_them(score: Score) -> None:
    """By hand: letters that are not ASCII are escaped in edits alone; -NONE- is a text of bytes;
    beta has a decimal.
    """
    gold = "S e its\nA 0 1|||X|||é||-NONE-|||REQUIRED|||-NONE-|||0\n"
    out = score("é it's\n", gold, "-v --beta 1").out
    assert "HYPOTHESIS    : é it's\n" in out
    edits = r"""[(0, 1, u'e', u'\xe9'), (1, 2, u'its', u"it's")]"""
    assert f"EDIT SEQ      : {edits}\n" in out
    assert r"GOLD EDITS    : [(0, 1, u'e', [u'\xe9', ''])]" in out
    numbers = "precision     : 0.5\nrecall        : 1.0\nf_1.0         : 0.666666666667\n"
    assert numbers in out
    assert out.endswith("F_1.0       : 0.6667\n")


def test_empty_files_and_files_that_do_not_fit(command: Call) -> None:
    write({"none.m2": "", "none.txt": ""})
    out, err = command("m2scorer none.txt none.m2")
    assert out == PERFECT
    assert "both files are empty" in err
    write({"short.txt": "He goes home\n", "long.txt": "a\nb\n\n"})
    for name in ("short.txt", "long.txt", "none.txt"):
        out, err = command(f"m2scorer {name} gold.m2", code=2)
        assert out == ""
        assert name in err
        assert "Traceback" not in err
    message = "gold.m3: no such file (did you mean 'gold.m2'?)"
    assert message in command("m2scorer a.txt gold.m3", code=2).err


@pytest.mark.parametrize(
    ("option", "value"),
    table("""
        beta                 x
        beta                 -1
        beta                 nan
        max_unchanged_words  101
        code                 3.1
    """),
)
def test_wrong_options(option: str, value: str, command: Call) -> None:
    out, err = command(f"m2scorer --{option}={value} a.txt gold.m2", code=2)
    assert out == ""
    assert option in err


def test_gold_gives_source_and_references(command: Call) -> None:
    outputs = "-o a.txt b.txt"
    out = command(
        f"score m2 gleu[iter=2] --gold gold.m2 {outputs} --boards"
    ).out
    both = command(f"score gleu[iter=2] -r gold.m2 {outputs}").out
    assert both.partition("\n")[2] in out
    ways = [
        command(f"score m2 {flag} gold.m2 -o a.txt").out
        for flag in ("-r", "--gold")
    ]
    assert ways[0] == ways[1]
    write({"r.txt": "This is a test\nHe goes home\n"})
    ours = command("score gleu[iter=2] --gold gold.m2 -r r.txt -o a.txt").out
    assert "1 reference\n" in ours


def test_missing_gold_is_an_error(command: Call) -> None:
    err = command("score m2 -o a.txt", code=2).err
    assert "-r/--ref/--references (or --gold FILE)" in err
    write({"r.txt": "x\ny\n"})
    err = command("score m2 -s b.txt -r r.txt -o a.txt", code=2).err
    assert "--gold: metrics of edits need an M2 file" in err


def test_counts_are_in_json(command: Call) -> None:
    out = command("score m2 --gold gold.m2 -o a.txt b.txt --json").out
    scores = json.loads(out)["scores"]
    assert [score["outputs"]["correct"] for score in scores] == [2, 1]


def test_explain_shows_edits_with_each_annotator(command: Call) -> None:
    """By hand: with annotator 0 both edits are right; annotator 1 has the second alone."""
    explain = "explain m2 --gold gold.m2 --line 1 -o"
    first, second = command(f"{explain} a.txt b.txt").out.split(
        "system     b.txt"
    )
    for text in (
        "annotator 0: m2 100.00 (2 right of 2 proposed edits, 2 of the annotator)",
        "    match     1 2: are → is\n    match     5 6: the → (nothing)\n",
        "annotator 1: m2 55.56 (1 right of 2 proposed edits, 1 of the annotator)",
    ):
        assert text in first
    assert "(unchanged: " not in second
    assert "    missing   1 2: are → is or was\n" in second
    write({"c.txt": "Thus are b test of the x\nHe goes home\n"})
    merged = command(f"{explain} c.txt").out
    assert "0 3: This are a → Thus are b (unchanged: are)" in merged
    assert "an edit may hold up to 2 words as they were" in merged
