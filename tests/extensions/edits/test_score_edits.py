"""The command score with files of edits."""

from collections.abc import Callable
from pathlib import Path

from tests.cli.test_score import M2, score, scores  # noqa: F401

Run = Callable[..., tuple[int, str, str]]


def test_an_m2_file_alone_has_source_and_all_references(score: Run) -> None:  # noqa: F811
    complete = scores(score, "gleu", "-r", "g.m2", "-o", "o.txt")
    assert complete == scores(
        score, "gleu", "-s", "g.m2", "-r", "g.m2:0", "g.m2:1", "-o", "o.txt"
    )
    assert complete == scores(
        score, "gleu", "-s", "s.txt", "-r", "g.m2", "-o", "o.txt"
    )
    assert (
        scores(score, "gleu", "-s", "s.txt", "-r", "r.txt", "-o", "g.m2:0")[0][
            2
        ]
        == 1
    )


def test_an_annotator_without_a_line_is_told(score: Run) -> None:  # noqa: F811
    Path("g.m2").write_text(
        M2.replace("A 1 2|||V|||was|||REQUIRED|||-NONE-|||1\n", ""),
        encoding="utf-8",
    )
    code, _, err = score("bleu", "-r", "g.m2:1", "r.txt", "-o", "o.txt")
    assert (code, err) == (
        0,
        "warning: g.m2: annotator 1 has no line for 1 sentences that others annotated, the first in line 1; the first "
        "annotator's edits stand in\n",
    )
