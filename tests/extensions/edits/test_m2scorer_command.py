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

from pipeline.cli.dispatch import main
from tests.config_files import write
from tests.conftest import mirrored
from tests.support.commands import Call

GOLD = """\
S This are a test of the x
A 1 2|||V|||is||was|||REQUIRED|||-NONE-|||0
A 5 6|||D|||-NONE-|||REQUIRED|||-NONE-|||0
A 5 6|||D||||||REQUIRED|||-NONE-|||1

S He goes home
"""


class Said(NamedTuple):
    """What a command returned and printed."""

    code: int
    out: str
    err: str


@pytest.fixture
def call(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    call: Call,
) -> Callable[..., Said]:
    """Call the command line in a folder with an M2 file, outputs and annotated outputs."""
    monkeypatch.chdir(tmp_path)
    write(
        {
            "gold.m2": GOLD,
            "gold.errant": GOLD.replace("||was", ""),
            "a.txt": "This is a test of x\nHe goes home\n",
        }
    )
    write(
        {
            "hyp.errant": GOLD.replace("||was", ""),
            "hyp.m2": GOLD.replace("||was", ""),
            "b.txt": "This are\nHe goes\n",
        }
    )

    def called(*arguments: object) -> Said:
        code = main([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        return Said(code, printed.out, printed.err)

    return called


def test_the_official_output_of_amu(
    shared: Path, call: Callable[..., Said]
) -> None:
    gold = mirrored(
        shared, "awasthiabhijeet/PIE", "scratch/official-2014.combined.m2"
    )
    output, golden = (
        shared / "conll14" / "AMU",
        shared / "edits" / "golden" / "m2scorer",
    )
    expected = gzip.decompress(
        (golden / "official-verbose.combined.AMU.gz").read_bytes()
    ).decode()
    assert len(expected) > 1_000_000
    assert call("m2scorer", "-v", output, gold).out == expected
    assert (
        call("m2scorer", output, gold).out
        == expected[expected.rindex("Precision ") :]
    )
    assert call(
        "m2scorer", "--code", "3.2", "--max_unchanged_words", 2, output, gold
    ).out.endswith("0.3501\n")


def loader_cases(folder: Path) -> list[Any]:
    return [
        json.loads(line)
        for line in (folder / "official.jsonl")
        .read_text(encoding="utf-8")
        .splitlines()
    ]


READ = {
    "bare_s.m2": "an S without a blank",
    "blankline_space.m2": "only blanks",
    "bom.m2": "byte order mark",
}
READ |= {"crlf.m2": "lines of Windows"}
REFUSED = {
    "five.m2": "five.m2:2: ",
    "no_s.m2": "no_s.m2:1: ",
    "u2028.m2": "u2028.m2:1: character 4 is U+2028",
}
REFUSED |= {"two_s.m2": "two_s.m2:2: a second sentence in a paragraph"}
LEFT_OUT = {
    "beyond.m2": "2 4 in a sentence",
    "i_line.m2": "line 2 begins with I",
    "negative.m2": "from token -1",
}
LEFT_OUT |= {"noop_upper.m2": "line 3 is a noop with a span"}


def test_odd_files_are_read_as_by_the_official_loader(
    shared: Path, call: Callable[..., Said]
) -> None:
    """Each of the golden files: the same edits in the same order, with a warning where lines are
    left out.
    """
    folder = shared / "edits" / "golden" / "m2scorer" / "loader"
    cases = {name: rest for name, *rest in loader_cases(folder)}
    assert len(cases) == 22
    for name in cases.keys() - READ.keys() - REFUSED.keys():
        sentences, golds = cases[name]
        write({"o.txt": "".join(f"{sentence}\n" for sentence in sentences)})
        said = call("m2scorer", "-v", "o.txt", folder / name)
        assert said.code == 0, said
        assert LEFT_OUT.get(name, "") in said.err
        sources = [
            sentence
            for sentence, own in zip(sentences, golds, strict=True)
            for _ in own
        ]
        assert re.findall(r"(?m)^SOURCE        : (.*)$", said.out) == sources
        edits = [
            ast.literal_eval(text)
            for text in re.findall(r"(?m)^GOLD EDITS    : (.*)$", said.out)
        ]
        listed = [[list(edit) for edit in own] for own in edits]
        assert listed == [own for line in golds for _, own in line], name
        numbers = [
            int(text)
            for text in re.findall(r"(?m)^>> Annotator: (.*)$", said.out)
        ]
        assert numbers == [number for line in golds for number, _ in line], name


def test_files_at_which_the_official_loader_stops(
    shared: Path, call: Callable[..., Said]
) -> None:
    """What has one reading is scored with a warning; all else is an error with file and line."""
    folder = shared / "edits" / "golden" / "m2scorer" / "loader"
    assert {
        name for name, *rest in loader_cases(folder) if rest[0] == "error"
    } | {"two_s.m2"} == {
        *READ,
        *REFUSED,
    }
    outputs = {
        "bare_s.m2": "x\n",
        "blankline_space.m2": "x b\nc\n",
        "bom.m2": "x b\n",
        "crlf.m2": "x b c\nq e\n",
    }
    for name, text in outputs.items():
        write({"o.txt": text})
        for command in (
            ("m2scorer", "o.txt", folder / name),
            ("score", "m2", "--gold", folder / name, "-o", "o.txt"),
        ):
            said = call(*command)
            assert (said.code, READ[name] in said.err) == (0, True), said
            assert (
                "1.0000" if command[0] == "m2scorer" else "100.00"
            ) in said.out
    for name, message in REFUSED.items():
        write({"o.txt": "a b\n"})
        for command in (
            ("m2scorer", "o.txt", folder / name),
            ("score", "m2", "--gold", folder / name, "-o", "o.txt"),
        ):
            said = call(*command)
            assert (said.code, said.out) == (2, "")
            assert message in said.err


def test_odd_lines_by_hand(call: Callable[..., Said]) -> None:
    """By hand, from the rules of the loader: each is told with its line, once for each kind."""
    edit = "A 0 1|||X|||x|||REQUIRED|||-NONE-|||0"
    write(
        {
            "o.txt": "x b\nx b\n",
            "odd.m2": f"S a b\r\nI one\r\n{edit}\r\n\r\nS a b\r\nI two\n{edit}\n",
        }
    )
    said = call("m2scorer", "o.txt", "odd.m2")
    assert "odd.m2: line 1 (and 4 more) ends as lines of Windows do" in said.err
    assert "odd.m2: line 2 (and 1 more) begins with I" in said.err
    assert (
        said.out
        == "Precision   : 1.0000\nRecall      : 1.0000\nF_0.5       : 1.0000\n"
    )
    write({"odd.m2": f"S a b\n{edit}\nS a b\n{edit}\n"})
    assert (
        "odd.m2:3: a second sentence in a paragraph"
        in call("m2scorer", "o.txt", "odd.m2").err
    )
    write({"odd.m2": f"S a b\n{edit}\n\nS a\x0b b\n"})
    assert (
        "odd.m2:4: character 4 is U+000B"
        in call("m2scorer", "o.txt", "odd.m2").err
    )


def test_signs_of_neighbours(call: Callable[..., Said]) -> None:
    """By hand, after the rules of `_sign`: a right deletion beside an insertion, and the other way
    round.

    An insertion that is right keeps apart from the deletion beside it.
    """
    line = "A {} {}|||X|||{}|||REQUIRED|||-NONE-|||0"
    write(
        {
            "o.txt": "a x c\n",
            "both.m2": "\n".join(
                ["S a b c", line.format(1, 1, "x"), line.format(1, 2, ""), ""]
            ),
        }
    )
    said = call("m2scorer", "-v", "o.txt", "both.m2").out
    assert "! (1, 1, '', u'x')\n! (1, 2, u'b', '')\n" in said
    write({"one.m2": "\n".join(["S a b c", line.format(1, 1, "x"), ""])})
    assert (
        "* (1, 1, '', u'x')\n" in call("m2scorer", "-v", "o.txt", "one.m2").out
    )
    write({"other.m2": "\n".join(["S a b c", line.format(1, 2, ""), ""])})
    assert (
        "& (1, 2, u'b', '')\n"
        in call("m2scorer", "-v", "o.txt", "other.m2").out
    )


def test_numbers_and_texts_as_python_2_shows_them(
    call: Callable[..., Said],
) -> None:
    """By hand: letters that are not ASCII are escaped in edits alone; -NONE- is a text of bytes;
    beta has a decimal.
    """
    write(
        {
            "o.txt": "é it's\n",
            "u.m2": "S e its\nA 0 1|||X|||é||-NONE-|||REQUIRED|||-NONE-|||0\n",
        }
    )
    said = call("m2scorer", "-v", "--beta", "1", "o.txt", "u.m2").out
    assert "HYPOTHESIS    : é it's\n" in said
    assert (
        """EDIT SEQ      : [(0, 1, u'e', u'\\xe9'), (1, 2, u'its', u"it's")]\n"""
        in said
    )
    assert "GOLD EDITS    : [(0, 1, u'e', [u'\\xe9', ''])]\n" in said
    assert (
        "precision     : 0.5\nrecall        : 1.0\nf_1.0         : 0.666666666667\n"
        in said
    )
    assert said.endswith("F_1.0       : 0.6667\n")


def test_empty_files_and_files_that_do_not_fit(
    call: Callable[..., Said],
) -> None:
    write({"none.m2": "", "none.txt": ""})
    said = call("m2scorer", "none.txt", "none.m2")
    assert (said.code, said.out) == (
        0,
        "Precision   : 1.0000\nRecall      : 1.0000\nF_0.5       : 1.0000\n",
    )
    assert "both files are empty" in said.err
    write({"short.txt": "He goes home\n", "long.txt": "a\nb\n\n"})
    for name in ("short.txt", "long.txt", "none.txt"):
        said = call("m2scorer", name, "gold.m2")
        assert (said.code, said.out) == (2, "")
        assert name in said.err
        assert "Traceback" not in said.err
    assert (
        "gold.m3: no such file (did you mean 'gold.m2'?)"
        in call("m2scorer", "a.txt", "gold.m3").err
    )


@pytest.mark.parametrize(
    "option",
    [
        "--beta=x",
        "--beta=-1",
        "--beta=nan",
        "--max_unchanged_words=101",
        "--code=3.1",
    ],
)
def test_wrong_options(option: str, call: Callable[..., Said]) -> None:
    said = call("m2scorer", option, "a.txt", "gold.m2")
    assert (said.code, said.out) == (2, "")
    assert option[2:].partition("=")[0] in said.err


def test_gold_gives_source_and_references(call: Callable[..., Said]) -> None:
    said = call(
        "score",
        "m2",
        "gleu[iter=2]",
        "--gold",
        "gold.m2",
        "-o",
        "a.txt",
        "b.txt",
        "--boards",
    )
    assert said.code == 0
    both = call(
        "score", "gleu[iter=2]", "-r", "gold.m2", "-o", "a.txt", "b.txt"
    )
    _, _, table = both.out.partition("\n")
    assert table in said.out
    ways = [
        call("score", "m2", flag, "gold.m2", "-o", "a.txt").out
        for flag in ("-r", "--gold")
    ]
    assert ways[0] == ways[1]
    write({"r.txt": "This is a test\nHe goes home\n"})
    own = call(
        "score",
        "gleu[iter=2]",
        "--gold",
        "gold.m2",
        "-r",
        "r.txt",
        "-o",
        "a.txt",
    )
    assert "1 reference\n" in own.out


def test_what_is_missing_is_said(call: Callable[..., Said]) -> None:
    assert (
        "-r/--ref/--references (or --gold FILE)"
        in call("score", "m2", "-o", "a.txt").err
    )
    write({"r.txt": "x\ny\n"})
    said = call("score", "m2", "-s", "b.txt", "-r", "r.txt", "-o", "a.txt")
    assert "--gold: metrics of edits need an M2 file" in said.err


def test_counts_are_in_json(call: Callable[..., Said]) -> None:
    said = call(
        "score", "m2", "--gold", "gold.m2", "-o", "a.txt", "b.txt", "--json"
    )
    assert [
        score["outputs"]["correct"] for score in json.loads(said.out)["scores"]
    ] == [2, 1]


def test_explain_shows_edits_with_each_annotator(
    call: Callable[..., Said],
) -> None:
    """By hand: with annotator 0 both edits are right; annotator 1 has the second alone."""
    said = call(
        "explain",
        "m2",
        "--gold",
        "gold.m2",
        "-o",
        "a.txt",
        "b.txt",
        "--line",
        1,
    )
    first, second = said.out.split("system     b.txt")
    assert (
        "annotator 0: m2 100.00 (2 right of 2 proposed edits, 2 of the annotator)"
        in first
    )
    assert (
        "    match     1 2: are → is\n    match     5 6: the → (nothing)\n"
        in first
    )
    assert (
        "annotator 1: m2 55.56 (1 right of 2 proposed edits, 1 of the annotator)"
        in first
    )
    assert "(unchanged: " not in second
    assert "    missing   1 2: are → is or was\n" in second
    write({"c.txt": "Thus are b test of the x\nHe goes home\n"})
    merged = call(
        "explain", "m2", "--gold", "gold.m2", "-o", "c.txt", "--line", 1
    ).out
    assert "0 3: This are a → Thus are b (unchanged: are)" in merged
    assert "an edit may hold up to 2 words as they were" in merged
