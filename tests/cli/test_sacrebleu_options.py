"""What users of sacreBLEU's command type: the same numbers as that command prints, live."""

from __future__ import annotations

import importlib
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import warnings
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import pytest
import sacrebleu

from pipeline.cli.commands.score import SYNONYMS
from pipeline.errors import ConfigError
from pipeline.scoring import SIGNIFICANCE_TESTS
from pipeline.tokenizers.sacrebleu import SPECIAL, tokenizer_of_pair
from tests.conftest import (
    RunLine,
    edited,
    printed,
    read_json,
    refused,
    sentence,
    write_json,
    write_lines,
)
from tests.support.extensions import with_extension

if sys.platform == "win32":
    pytest.skip("the streams are those of Unix", allow_module_level=True)

# The module changes what happens where a pipe is closed.
on_closed_pipe = signal.getsignal(signal.SIGPIPE)
sacrebleu_command = importlib.import_module("sacrebleu.sacrebleu")
signal.signal(signal.SIGPIPE, on_closed_pipe)

LINES = 120


@pytest.fixture
def score(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    run_line: RunLine,
) -> RunLine:
    """The command in a folder with outputs a and b, references r and s."""
    rng = random.Random(5)
    base = [
        f"{sentence(rng).capitalize()} ({number})." for number in range(LINES)
    ]
    texts = {
        name: [re.sub(r" ([.,])", r"\1", edited(line, rng)) for line in base]
        for name in "abrs"
    }
    texts["tokenised"] = [
        f"{re.sub('([.,])', ' ,', line)} ." for line in texts["a"]
    ]
    texts["padded"] = [
        line + rng.choice(["", "  ", "\t", "\u00a0", "\u3000 "])
        for line in texts["b"]
    ]
    texts["tabs"] = [
        "\t".join(pair) for pair in zip(texts["r"], texts["s"], strict=True)
    ]
    for name, lines in texts.items():
        write_lines(tmp_path / name, lines)
    for name in "ar":
        text = "".join(f"{line} é\n" for line in texts[name])
        (tmp_path / f"{name}.coded").write_bytes(
            text.encode("cp1252", "replace")
        )
    monkeypatch.chdir(tmp_path)

    return lambda line: run_line(f"score {line}")


def theirs(line: str) -> str:
    """Return what sacreBLEU's command prints in the same folder.

    It runs here, since a process of its own takes a second. It opens standard streams anew.
    """
    with tempfile.TemporaryFile() as file, warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # it closes no text
        stream = SimpleNamespace(fileno=lambda: os.dup(file.fileno()))
        words = ["sacrebleu", *line.split()]
        with mock.patch.multiple(sys, argv=words, stdin=stream, stdout=stream):
            with suppress(SystemExit):
                sacrebleu_command.main()
            sys.stdin.close()
            sys.stdout.close()
        file.seek(0)
        return file.read().decode()


@pytest.mark.parametrize(
    "options",
    [
        "-m bleu",
        "-m bleu -tok intl -lc",
        "-m bleu --smooth-method floor -sv 0.2 --tokenize none",
        "-m bleu -l en-zh",
        "-m chrf -cw 2 --chrf-char-order 5 --chrf-beta 3",
        "-m chrf --chrf-lowercase --chrf-eps-smoothing",
        "-m ter --ter-normalized --ter-case-sensitive",
        "-m ter --ter-asian-support",
        "-m bleu --format json",
        "--metrics ter --ter-no-punct",
    ],
)
def test_the_bare_number_is_that_of_sacrebleu(
    score: RunLine, options: str
) -> None:
    values = printed(score(f"{options} -b -w 4 -r r s -i a"))
    assert values == theirs(f"r s -i a {options} -b -w 4")
    assert re.fullmatch(r"\d+\.\d{4}\n", values)


@pytest.mark.parametrize(
    "line",
    [
        "r -i a -b -w 4",
        "r s --input a --metrics chrf -b -w 4",
        "tabs -nr 2 -i a -b -w 4",
        "tabs --num-refs 2 -i a -m ter -b -w 4",
        "r.coded -i a.coded -e cp1252 -b -w 4",
        "r padded -i b --encoding UTF-8 -m chrf --chrf-whitespace -b -w 4",
        "r -i padded -m chrf --chrf-whitespace --chrf-word-order 2 -b -w 4",
    ],
)
def test_the_same_words_give_the_same_number(score: RunLine, line: str) -> None:
    assert printed(score(line)) == theirs(line)


def test_white_space_at_the_end_counts_for_the_python_names_alone(
    score: RunLine, tmp_path: Path
) -> None:
    texts = [
        (tmp_path / name).read_text("utf-8").split("\n")[:-1]
        for name in ("padded", "r")
    ]
    peer = (
        sacrebleu.CHRF(whitespace=True).corpus_score(texts[0], texts[1:]).score
    )
    values, stripped = (
        printed(score(f"chrf --{flag} -r r -i padded -b -w 9"))
        for flag in ("whitespace", "chrf-whitespace")
    )
    assert float(values) == pytest.approx(peer, abs=1e-9)
    assert values != stripped


@pytest.mark.parametrize(
    "more", ["", "-lc", "--chrf-lowercase --ter-case-sensitive"]
)
def test_several_metrics_with_their_signatures(
    score: RunLine, more: str
) -> None:
    """-lc is for BLEU alone."""
    out = printed(score(f"-m bleu chrf ter {more} -r r s -i a -w 3"))
    peer = theirs(
        f"r s -i a -m bleu chrf ter {more} -w 3 -f text",
    )
    for line in peer.strip().splitlines():
        signature, value = re.match(r"\s*(\S+) = ([0-9.]+)", line).groups()  # type: ignore[union-attr]
        assert f"\n{signature}\n" in out
        assert f" {value}" in out
    assert out == printed(score(f"bleu chrf ter {more} -r r s -i a --digits 3"))
    assert out == printed(
        score(f"bleu -m chrf ter {more} -r r s -i a --width 3")
    )


def test_intervals_have_samples_and_seed_in_the_signature(
    score: RunLine,
) -> None:
    out = printed(score("-m bleu -r r s -i a -ci -cin 300 -w 4"))
    peer = theirs(
        "r s -i a -m bleu -ci -cin 300 -w 4 -f text",
    )
    signature, middle = re.match(r"(\S+) = .*? ± ([0-9.]+)\)", peer).groups()  # type: ignore[union-attr]
    assert f"\n{signature}\n" in out
    assert "|bs:300|seed:12345|" in signature
    low, high = map(float, re.search(r"([0-9.]+) to ([0-9.]+)", out).groups())  # type: ignore[union-attr]
    # four digits, of which sacreBLEU has float32
    assert (high - low) / 2 == pytest.approx(float(middle), abs=2e-4)


@pytest.mark.parametrize(("flag", "key"), [("-par", "ar"), ("-pbs", "bs")])
def test_paired_tests_are_those_of_sacrebleu(
    score: RunLine, flag: str, key: str
) -> None:
    """One table of all systems and metrics, as there: scores, means of samples ± half of the
    interval, p.

    sacreBLEU prints four digits of p. Its bootstrap counts in float32, which changes no p of these
    texts, and a mean or an interval by less than 5 in the fifth decimal."""
    requested = f"-m bleu chrf ter {flag} {flag}n 200 -w 4 -i a b tokenised"
    out = printed(score(f"{requested} -r r s"))
    assert out.count(f"|{key}:200|seed:12345|") == 3
    header, *lines = (
        re.split("  +", line.strip()) for line in out.splitlines()[1:5]
    )
    columns = ["", " mean ± 95%", " p", " p adjusted"]
    assert header == [
        "system",
        *(
            f"{metric}{column}"
            for metric in ("BLEU", "chrF", "TER")
            for column in columns
        ),
    ]
    peer = [
        line.split("│")[1:-1]
        for line in theirs(f"r s {requested} -f text").splitlines()
        if "│" in line
    ]
    expected: dict[str, list[list[float]]] = {}
    # the p-values of a system stand in a row of their own below its scores
    for name, *cells in peer[1:]:
        system = name.strip().removeprefix("Baseline: ") or [*expected][-1]
        for numbers, cell in zip(
            expected.setdefault(system, [[], [], []]), cells, strict=True
        ):
            numbers += [
                float(text) for text in re.findall(r"[0-9]+\.[0-9]+", cell)
            ]
    assert (
        [line[0] for line in sorted(lines)]
        == sorted(expected)
        == ["a", "b", "tokenised"]
    )
    for name, *cells in lines:
        for number, numbers in enumerate(expected[name]):
            score_cell, mean, p, _ = cells[4 * number : 4 * number + 4]
            found = re.findall(
                r"[0-9]+\.[0-9]+",
                " ".join([score_cell, *([mean] if key == "bs" else []), p]),
            )
            assert len(found) == 1 + 2 * (key == "bs") + (name != "a")
            assert [float(text) for text in found] == pytest.approx(
                numbers, abs=1.1e-4
            )
    assert "tests" in json.loads(
        printed(score(f"bleu {flag} {flag}n 9 -r r -i a b --json"))
    )


def test_the_test_is_in_the_signature_of_comparisons() -> None:
    peer, settings = (
        "BLEU|nrefs:1|case:mixed",
        {"trials": 500, "resamples": 90, "seed": 7},
    )
    assert (
        SIGNIFICANCE_TESTS.signature(
            peer, settings, "approximate_randomization"
        )
        == "BLEU|nrefs:1|ar:500|seed:7|case:mixed"
    )
    assert (
        SIGNIFICANCE_TESTS.signature(peer, settings, "paired_bootstrap")
        == "BLEU|nrefs:1|bs:90|seed:7|case:mixed"
    )
    assert SIGNIFICANCE_TESTS.signature(peer, settings, "sign") == peer


def test_sentences_as_bare_numbers(score: RunLine) -> None:
    out = printed(score("bleu -sl -b -w 5 -r r s -i a"))
    assert out == theirs("r s -i a -m bleu -sl -b -w 5")
    assert len(out.splitlines()) == LINES


def test_a_bare_number_for_each_output_in_their_order(score: RunLine) -> None:
    numbers = [printed(score(f"chrf -b -r r -i {name}")) for name in "ba"]
    assert printed(score("chrf -b -r r -i b a")) == "".join(numbers)
    assert numbers[0] != numbers[1]


def test_json_and_quiet(score: RunLine) -> None:
    code, out, err = score("bleu -f json -q -r r -i tokenised")
    assert (code, err) == (0, "")
    assert out == score("bleu --json -r r -i tokenised")[1]
    assert json.loads(out)["scores"][0]["system"] == "tokenised"


def test_a_tokenised_text_has_a_warning_where_its_tokeniser_is_for_other_texts(
    score: RunLine,
) -> None:
    """sacreBLEU warns of the same output; with the tokenizer none it does so too, and nothing is
    wrong there.
    """
    command = [sys.executable, "-m", "sacrebleu", "r", "-i", "tokenised", "-b"]
    peer = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "It looks like you forgot to detokenize" in peer.stderr
    message = "system tokenised is tokenised already, and the tokenizer 13a is for texts as people write them"
    assert message in score("bleu -r r -i tokenised")[2]
    for arguments in (
        "bleu -r r -i a",
        "bleu -tok none -r tokenised -i tokenised",
    ):
        assert "tokenised already" not in score(arguments)[2]


def test_the_tokenisers_of_languages_are_those_of_sacrebleu() -> None:
    """Those of ja and ko need packages, without which sacreBLEU names them in its error."""
    for code in ("cs", "de", "en", "he", "ru", "zh"):
        chosen = sacrebleu.BLEU(
            trg_lang=code, tokenize=None
        ).tokenizer.signature()
        assert tokenizer_of_pair(f"en-{code}") == chosen
    assert {
        code: tokenizer_of_pair(f"en-{code}") for code in SPECIAL
    } == SPECIAL
    assert {
        "ja": "ja-mecab",
        "ko": "ko-mecab",
    }.items() <= sacrebleu.BLEU._TOKENIZER_MAP.items()


@pytest.mark.parametrize(
    ("pair", "message"),
    [
        (
            "en",
            "expected two codes of languages, source and target, such as en-ja",
        ),
        ("en-zh-TW", "expected two codes of languages"),
        ("EN-JA", "expected two codes of languages"),
        ("en-jp", "the code of this language is ja, not jp"),
    ],
)
def test_unknown_pairs_of_languages(pair: str, message: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(f"-l {pair}: {message}")):
        tokenizer_of_pair(pair)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            "bleu chrf -b -i a",
            "-b: prints the numbers of one metric, found 2; take --json for several",
        ),
        (
            "bleu -b --json -i a",
            "-b: prints a bare number, and nothing of --json",
        ),
        (
            "bleu -b -sl -i a b",
            "-b --sentences: prints the sentences of one output, found 2",
        ),
        (
            "bleu -f text -sl -i a",
            "-f: is for results as a whole",
        ),
        (
            "bleu -f latex -i a",
            "argument -f: invalid choice: 'latex'",
        ),
        (
            "bleu -cin 5 -i a",
            "--resamples: has no effect without --confidence or --paired-bs",
        ),
        (
            "bleu -ci -parn 5 -i a",
            "--trials: has no effect without --paired-ar",
        ),
        ("bleu -pbs -par -i a b", "not allowed with argument"),
        (
            "bleu -pbs -i a",
            "--paired-bs: tests outputs against the first one; there is only one",
        ),
        (
            "bleu -par -sl -i a b",
            "--paired-ar: is not printed with --sentences",
        ),
        (
            "bleu -par -b -i a b",
            "-b: prints a bare number, and nothing of --paired-ar",
        ),
        ("bleu -ci -cin x -i a", "--resamples x: "),
        (
            "chrf -l en-zh -i a",
            "-l en-zh: no metric takes a tokenizer from it: bleu does, unless",
        ),
        (
            "bleu -l en-zh -tok intl -i a",
            "-l en-zh: no metric takes a tokenizer from it: it is given",
        ),
        (
            "bleu -w 13 -i a",
            "argument --digits: invalid choice: 13",
        ),
        (
            "r -i a -m bleu",
            "'r' is a file, and no metric; references stand behind -r: -r r",
        ),
        (
            "chrf -lc -i a",
            "--bleu-lowercase: is for bleu alone, and only chrf is asked for",
        ),
        (
            "bleu[lc=true] ter --bleu-lowercase -i a",
            "the same option",
        ),
        (
            "bleu -nr 2 -i a",
            "r:1: has 1 columns, numbered from 1; there is no column 2",
        ),
        (
            "bleu -nr 2 -r s -i a",
            "--num-refs: -r is one file of tab-separated lines, found s, r",
        ),
        (
            "bleu -e latim1 -i a",
            "no encoding is called 'latim1' (did you mean 'latin1'?)",
        ),
        (
            "bleu -e ascii -i a.coded",
            "a.coded:1: the byte 0xef is not valid ascii",
        ),
        (
            "bleu -e utf-16 -i a",
            "a:1: cannot be read as utf-16: UTF-16 stream does not start with BOM",
        ),
        ("-i a", "the following arguments are required: METRIC"),
    ],
)
def test_what_is_refused(score: RunLine, arguments: str, message: str) -> None:
    assert message in refused(score(f"{arguments} -r r"))


def test_a_language_is_for_metrics_of_texts_as_people_write_them(
    score: RunLine,
) -> None:
    out = printed(score("bleu chrf rouge -l en-zh -r r -i a"))
    assert "|tok:zh|" in out
    assert "|tok:google|" in out
    named = printed(score("bleu[lc=true] bleu[tok=none] -l en-zh -r r -i a"))
    assert "|tok:zh|lc:true|" in named
    assert "|tok:none|" in named


def test_every_option_that_has_another_name_is_there(score: RunLine) -> None:
    text = score("--help")[1] + score("bleu chrf ter --help")[1]
    flags = set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", text))
    ours = {flag for flags in SYNONYMS.values() for flag in flags.split()}
    assert {re.sub("--(bleu|chrf)-", "--", flag) for flag in ours} <= flags
    assert not {name for name in SYNONYMS if name.startswith("--")} & set(
        re.findall(r"^  (--[\w-]+)", text, re.MULTILINE)
    )


def test_runs_show_samples_and_seed_and_keep_the_signature(
    tmp_path: Path, score: RunLine, run_line: RunLine
) -> None:
    config = {
        "datasets": {"d": {"references": ["r"]}},
        "systems": {"A": "a", "B": "b"},
        "metrics": ["bleu"],
        "statistics": {"resamples": 70, "trials": 80, "seed": 9},
        "output": {"dir": "run"},
    }
    write_json(tmp_path / "c.yaml", config)
    bare = "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0"
    intervals, tests = (
        bare.replace("|case", f"|{samples}|seed:9|case")
        for samples in ("bs:70", "ar:80")
    )
    for line, displayed in (
        ("run c.yaml", intervals),
        ("show run", intervals),
        *with_extension("published", ("cite run", intervals)),
    ):
        out = printed(run_line(line))
        assert displayed in out
        assert bare not in out
    assert f"{tests}\n" in printed(run_line("compare run"))
    stored = read_json(tmp_path / "run" / "results.json")
    assert {each["peer_signature"] for each in stored["scores"]} == {bare}
    assert score("bleu -r r -i a")[1].endswith(f"{bare}\n")
