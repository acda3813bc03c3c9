"""`gec-pipeline errant_compare` and the program of the package errant: the same options print the
same text.

Random M2 files are compared with the program run live, where the package can be imported. What it
printed for outputs of CoNLL-2014 (version 3.0.2) is compared where it was kept."""

from __future__ import annotations

import gzip
import random
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pipeline.extensions.errant.errant_report import MODES
from pipeline.metrics.f_score import precision_recall_f
from tests.support.commands import Command, typed
from tests.support.words import rows, wordlist

TYPES = (
    "R:NOUN",
    "R:NOUN:NUM",
    "M:DET",
    "U:PREP",
    "R:ORTH",
    "UNK",
    "noop",
    "ArtOrDet",
    "R:A-LONGER-NAME",
)
WORDS = ("", "a", "the", "of the", "-NONE-", "a||b", "é", "x y z", "it's")
OPTIONS = (
    "",
    "-cat 1",
    "-cat 2 -b 1",
    "-cat 3 -b 2.0",
    "-v",
    "-v -cat 3 -b 1.5",
    "-single -cat 1",
    "-multi -v",
    "-single -multi",
    "-filt R:NOUN UNK -cat 2",
    "-filt noop -v",
    "-v -single -filt M:DET -b 0.25",
)
RULES = "REQUIRED|||-NONE-"
GOLDEN = "edits/golden/errant-compare"


def edit(rng: random.Random, size: int, annotator: int) -> str:
    """Return the line of a random edit: sometimes a noop, sometimes a strange one."""
    if rng.random() < 0.15:
        return f"A -1 -1|||noop|||-NONE-|||{RULES}|||{annotator}"
    start = rng.randint(0, size)
    end = min(size, start + rng.choice((0, 0, 1, 1, 1, 2, 3)))
    if rng.random() < 0.03:
        start = end = -1
    return f"A {start} {end}|||{rng.choice(TYPES)}|||{rng.choice(WORDS)}|||{RULES}|||{annotator}"


def m2(rng: random.Random, sentences: list[str], annotators: int) -> str:
    """Return a random M2 file. Annotators may have no line, edits may stand twice, and noops beside
    edits.
    """
    text = []
    for sentence in sentences:
        lines = [
            edit(rng, len(sentence.split()), annotator)
            for annotator in rng.sample(
                range(annotators), rng.randint(1, annotators)
            )
            for _ in range(rng.choice((0, 1, 1, 2, 4)))
        ]
        if lines and rng.random() < 0.3:
            lines.append(rng.choice(lines))
        text.append("\n".join([f"S {sentence}", *lines]))
    return "\n\n".join(text) + "\n\n"


@pytest.fixture
def official(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[[str], str]:
    """Run the program of the package within this process; return what it prints."""
    program = pytest.importorskip(
        "errant.commands.compare_m2",
        reason="the package errant is not installed",
    )

    def run(arguments: str) -> str:
        monkeypatch.setattr(
            sys, "argv", ["errant_compare", *shlex.split(arguments)]
        )
        capsys.readouterr()
        program.main()
        return capsys.readouterr().out

    return run


@pytest.mark.filterwarnings(
    "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)
@pytest.mark.parametrize("seed", range(16))
def test_random_files_give_the_same_text(
    seed: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    official: Callable[[str], str],
    command: Command,
) -> None:
    """By running the package: all modes with each row of options, on files of one to four
    annotators.
    """
    rng = random.Random(seed)
    monkeypatch.chdir(tmp_path)
    sentences = [
        " ".join(rng.choices("abcdé", k=rng.randint(1, 9)))
        for _ in range(rng.randint(1, 25))
    ]
    for name, most in (("hyp.m2", 2), ("ref.m2", 4)):
        (tmp_path / name).write_text(
            m2(rng, sentences, rng.randint(1, most)),
            encoding="utf-8",
            newline="",
        )
    for mode in ("", *(f"-{mode}" for mode in MODES)):
        for options in OPTIONS:
            arguments = f"-hyp hyp.m2 -ref ref.m2 {mode} {options}"
            expected = official(arguments)
            out = command(f"errant_compare {arguments}").out
            assert out == expected, arguments


@pytest.mark.parametrize("system", wordlist("AMU CAMB CUUI INPUT POST"))
def test_golden_text(
    system: str, shared: Path, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    """By errant_compare 3.0.2, run on outputs of CoNLL-2014 with 18 rows of options each."""
    monkeypatch.chdir(shared / "edits" / "m2")
    golden = (shared / GOLDEN / f"{system}.txt").read_text(encoding="utf-8")
    runs = golden.split("$ errant_compare ")[1:]
    assert len(runs) == 18
    for run in runs:
        arguments, _, expected = run.partition("\n")
        out = command(f"errant_compare {arguments}").out
        assert out.strip("\n") == expected.strip("\n"), arguments


def test_golden_verbose_text(shared: Path, command: Command) -> None:
    """By errant_compare 3.0.2, run with -v -cat 3."""
    files = shared / "edits" / "m2"
    golden = gzip.decompress(
        (shared / GOLDEN / "AMU.cs.verbose.txt.gz").read_bytes()
    )
    out = command(
        f"errant_compare -hyp {files}/conll14-AMU.errant -ref {files}/conll14.errant -v -cat 3"
    ).out
    assert out == golden.decode()


def test_columns_of_a_long_sentence_are_as_wide_as_their_values(
    tmp_path: Path, command: Command
) -> None:
    """By print_table() of errant_compare 3.0.2: each column is as wide as its longest value and 3
    more.
    """
    size = 1300
    lines = [f"S {' '.join('a' * size)}\n"]
    lines += [
        f"A {at} {at + 1}|||R:NOUN|||b|||{RULES}|||0\n" for at in range(size)
    ]

    def table(hyp: int, ref: int) -> list[str]:
        files = write(tmp_path, "".join(lines[:hyp]), "".join(lines[:ref]))
        out = command(f"errant_compare -v {files}").out
        return out.partition("Local results:\n")[2].split("\n")[:2]

    assert table(1101, 201) == [
        "   Category    TP    FP   FN",
        "     R:NOUN   200   900    0",
    ]
    assert table(1301, 201) == [
        "   Category    TP     FP   FN",
        "     R:NOUN   200   1100    0",
    ]


def write(folder: Path, hyp: str, ref: str) -> str:
    """Write two files; return the arguments that name them."""
    for name, text in (("hyp.m2", hyp), ("ref.m2", ref)):
        (folder / name).write_text(text, encoding="utf-8", newline="")
    return f"-hyp {folder}/hyp.m2 -ref {folder}/ref.m2"


ONE = f"S a b c\nA 0 1|||R:X|||y|||{RULES}|||0\n\n"


@pytest.mark.parametrize(
    ("hyp", "ref", "message"),
    [
        (
            ONE,
            "S a b d\n\n",
            "hyp.m2:1: token 3 is 'c', and in ref.m2:1 it is 'd': the edits are not of the same",
        ),
        (ONE, ONE + "S d\n\n", "hyp.m2: has 1 sentences, and ref.m2 has 2"),
        (
            "",
            ONE,
            "hyp.m2: has no sentence: there is no line that begins with 'S '",
        ),
        (ONE, "A 0 1|||R:X|||y|||\n", "ref.m2:1: an edit before any sentence"),
        (
            ONE + "T0-A0 x\n",
            ONE,
            "hyp.m2:4: expected a line that begins with 'S ' or 'A ', or an empty line",
        ),
        (
            "S a\nA 0 1|||R:X|||y\n",
            ONE,
            "hyp.m2:2: expected 6 fields with ||| between, found 3",
        ),
    ],
)
def test_files_that_do_not_fit(
    hyp: str, ref: str, message: str, tmp_path: Path, command: Command
) -> None:
    """By hand. The package compares such files, or ends with a traceback."""
    files = write(tmp_path, hyp, ref)
    out, err = command.refused(f"errant_compare {files}")
    assert out == ""
    assert message in err.replace(f"{tmp_path}/", "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    rows("""
    -b nan => invalid number from 0 to 1,000,000 value: 'nan'
    -b -1 => invalid number from 0 to 1,000,000 value: '-1'
    -cat 4 => argument -cat: invalid choice: 4
    -dt -cse => not allowed with argument -dt
"""),
)
def test_wrong_arguments(
    arguments: str,
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    files = write(tmp_path, ONE, ONE)
    with pytest.raises(SystemExit) as left:
        typed(f"errant_compare {files} {arguments}")
    assert left.value.code == 2
    assert message in capsys.readouterr().err


def test_odd_files_are_scored_and_said(
    tmp_path: Path, command: Command
) -> None:
    """By hand: a deletion in the style of NUCLE never matches one in the style of ERRANT."""
    hyp, ref = (
        f"S a b\nA 0 1|||U:X|||{text}|||{RULES}|||0\n\n"
        for text in ("-NONE-", "")
    )
    out, err = command(f"errant_compare {write(tmp_path, hyp, ref)}")
    assert "0\t1\t1\t0.0\t0.0\t0.0" in out
    assert "writes deletions as '-NONE-'" in err


def test_beta_0_without_recall_is_0() -> None:
    """By hand: the denominator of F is 0 * 1 + 0, where errant_compare divides by zero."""
    assert precision_recall_f(0, 0, 1, 0.0) == (1.0, 0.0, 0.0)
    assert precision_recall_f(1, 1, 1, 0.0) == (0.5, 0.5, 0.5)


def test_heavy_packages_are_not_imported(tmp_path: Path) -> None:
    """The command needs neither numpy nor pydantic, and so starts quickly."""
    import subprocess

    program = (
        "import sys; from pipeline.cli.dispatch import main; code = main(sys.argv[1:]); "
        "heavy = {'numpy', 'pydantic', 'yaml', 'joblib', 'rich'} & set(sys.modules); "
        "sys.exit(code or ','.join(heavy) or 0)"
    )
    arguments = f"errant_compare {write(tmp_path, ONE, ONE)}".split()
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
