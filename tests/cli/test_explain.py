"""The command `explain`: what it prints of a sentence, by what each metric says of its n-grams and
counts.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.config_files import write
from tests.conftest import RunLine, refused
from tests.support.extensions import with_extension

FILES = {
    "s": "a b c d\nx y\n",
    "r0": "a b e d d\nx y\n",
    "r1": "a c b d\nx\n",
    "o": "a b c d d\ny y\n",
}
TEXTS = "-r r0 r1 -o o"
INPUTS = f"-s s {TEXTS}"
BOTH = """\
system     o, line 1
source     a b c d
output     a b c d d
reference 1 a b e d d
  variant 2017: gleu 0.00, brevity penalty 100.00 (5 of 5 tokens)
  n=1: match_1 4, penalty_1 1, numer_1 3, total_1 5
    match     a · b · d ×2
    penalised c
    missing   e
  n=2: match_2 2, penalty_2 2, numer_2 0, total_2 4
    match     a b · d d
    penalised b c · c d
    missing   b e · e d
  variant paper: gleu 0.00, brevity penalty 100.00 (5 of 5 tokens)
  n-grams that it counts differently:
  n=1: match_1 4, penalty_1 1, numer_1 3, total_1 5
  n=2: match_2 2, penalty_2 2, numer_2 0, total_2 4
reference 2 a c b d
  variant 2017: gleu 0.00, brevity penalty 100.00 (5 of 4 tokens)
  n=1: match_1 4, penalty_1 0, numer_1 4, total_1 5
    match     a · b · c · d
    other     d
  n=2: match_2 0, penalty_2 3, numer_2 0, total_2 4
    penalised a b · b c · c d
    missing   a c · c b · b d
    other     d d
  variant paper: gleu 0.00, brevity penalty 100.00 (5 of 4 tokens)
  n-grams that it counts differently:
  n=1: match_1 4, penalty_1 0, numer_1 4, total_1 5
  n=2: match_2 0, penalty_2 3, numer_2 -3, total_2 4
"""  # noqa: RUF001 (the multiplication sign is meant)
MERGED = """\
system     o, line 1
output     a b c d d
reference 1 a b e d d
reference 2 a c b d
  BLEU: bleu 70.71 (5 of 5 tokens)
  n=1: match_1 5, total_1 5
    match     a · b · c · d ×2
    missing   e
  n=2: match_2 2, total_2 4
    match     a b · d d
    missing   b e · e d · a c · c b · b d
    other     b c · c d
"""  # noqa: RUF001 (the multiplication sign is meant)


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Small texts in the working directory."""
    monkeypatch.chdir(tmp_path)
    write(dict(FILES))


def test_two_variants_of_a_sentence(run_line: RunLine) -> None:
    arguments = "--line 1 --compare gleu[n=2,variant=paper]"
    assert run_line(f"explain gleu[n=2] {INPUTS} {arguments}") == (
        0,
        BOTH,
        "",
    )


def test_references_that_count_together(
    run_line: RunLine,
) -> None:
    """BLEU reads no source either."""
    assert run_line(f"explain bleu[n=2] {TEXTS} --line 1") == (
        0,
        MERGED,
        "",
    )


@pytest.mark.parametrize(
    ("metric", "lines"),
    [
        (
            "chrf[nc=1,nw=1]",
            [
                "chrF: chrf 80.00 (5 of 5 tokens)",
                "words 1: match 4, total 5, ref_total 5",
            ],
        ),
        (
            "rouge[types=1+L]",
            [
                "ROUGE: rouge 88.89",
                "ROUGE-L: match 4, ref_total 5, hyp_total 5",
            ],
        ),
        (
            "gleu[variant=2015,n=1]",
            [
                "variant 2015: gleu 85.71 (5 of 5 tokens)",
                "n=1: match_1 5, penalty_1 0, added_1",
            ],
        ),
        (
            "green[n=1]",
            [
                "GREEN: green 71.43",
                "n=1: tp_1 4, fp_1 0, fn_1 2",
                "  inserted  d",
                "  kept      c",
            ],
        ),
        (
            "google_gleu[n=1]",
            [
                "Google's GLEU: google_gleu 80.00 (5 of 5 tokens)",
                "n=1: match_1 4, total_1 5, ref_total",
            ],
        ),
        *with_extension("nlg", ("length", ["length: length 5.00"])),
    ],
)
def test_every_metric_is_explained_as_far_as_it_says(
    metric: str, lines: list[str], run_line: RunLine
) -> None:
    code, out, _ = run_line(f"explain {metric} {INPUTS} --line 1")
    assert code == 0
    assert [line for line in lines if f"\n  {line}" not in out] == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (f"gleu {TEXTS} --line 1", "-s: GLEU+ needs the source"),
        (f"green {TEXTS} --line 1", "-s: GREEN needs the source"),
        (
            f"bleu {TEXTS} --line 1 --compare gleu",
            "-s: GLEU+ needs the source",
        ),
        (f"gleu {INPUTS} --line 3", "--line: expected 1 to 2, found 3"),
        *with_extension(
            "functions",
            (
                f"external {INPUTS} --line 1",
                "explain: external takes its numbers from files, not from text",
            ),
        ),
        (
            f"glue {INPUTS} --line 1",
            "no metric is called 'glue' (did you mean 'gleu'?)",
        ),
    ],
)
def test_what_cannot_be_explained(
    arguments: str, message: str, run_line: RunLine
) -> None:
    assert message in refused(run_line(f"explain {arguments}"))


@pytest.mark.parametrize(
    "metric",
    [
        "ter",
        "chrf",
        "bleu[level=mean]",
        *with_extension("nlg", "cider", "sari", "nist"),
    ],
)
def test_a_reference_that_a_line_lacks_is_no_empty_text(
    metric: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    run_line: RunLine,
) -> None:
    names: dict[str, str | bytes] = {
        "s": "a b c d\nx y z w\n",
        "o": "a b c d d\nx y w w q\n",
    }
    names |= {"r0": "a b e d d\nx y q\n", "r1": "a c b d\n\n"}
    monkeypatch.chdir(tmp_path)
    write(names)
    files = "-s s -r r0 r1 -o o --empty-references none"
    _, table, _ = run_line(f"score {metric} {files} --sentences")
    _, out, _ = run_line(f"explain {metric} {files} --line 2")
    score = table.splitlines()[2].split("\t")[2]
    assert "reference 2" not in out
    assert f" {score} (" in out or f" {score}\n" in out or f" {score}:" in out
