"""What is too large, or in a form that nobody needs, is one message, whose advice works."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import pipeline
from pipeline.cli.dispatch import main
from pipeline.errors import CorpusError, InputError, bounded
from pipeline.extensions.human import judgments
from pipeline.extensions.human.judgments import read_judgments
from tests.support.extensions import needs_edits

if TYPE_CHECKING:
    from pathlib import Path

GOLD = '<scripts><script id="1"><sentence id="1" numann="1"><text>a b</text></sentence></script></scripts>'


@needs_edits
@pytest.mark.parametrize(
    ("name", "code", "known"),
    [
        ("utf-8", "utf-8", True),
        ("UTF-16", "utf-16", True),
        ("ISO-8859-1", "latin-1", True),
        ("zip", "utf-8", False),
        ("hex", "utf-8", False),
        ("idna", "utf-8", False),
        ("cp037", "utf-8", False),
        ("x" * 3000, "utf-8", False),
    ],
)
def test_xml_has_few_encodings(
    tmp_path: Path,
    name: str,
    code: str,
    known: bool,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "gold.xml").write_bytes(
        f'<?xml version="1.0" encoding="{name}"?>\n{GOLD}'.encode(code)
    )
    (tmp_path / "output").write_text("a b\n", encoding="utf-8")
    ended = main(
        [
            "score",
            "imeasure",
            "--gold",
            str(tmp_path / "gold.xml"),
            "-o",
            str(tmp_path / "output"),
        ]
    )
    assert ended == (0 if known else 2)
    said = capsys.readouterr().err
    assert (
        f"gold.xml:1: is in the encoding '{name[:40]}'; expected UTF-8, UTF-16" in said
    ) is not known


def test_judgements_are_of_so_many_systems(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judgments, "MAX_SYSTEMS", 3)
    header = "judgeID,segmentId,system1Id,system1rank,system2Id,system2rank\n"
    (tmp_path / "three.csv").write_text(
        f"{header}a,1,A,1,B,2\na,2,B,1,C,2\n", encoding="utf-8"
    )
    (tmp_path / "four.csv").write_text(
        f"{header}a,1,A,1,B,2\na,2,C,1,D,2\n", encoding="utf-8"
    )
    assert len(read_judgments(tmp_path / "three.csv").systems) == 3
    with pytest.raises(
        CorpusError, match=r"four.csv: has 4 systems; at most 3 can be ranked"
    ):
        read_judgments(tmp_path / "four.csv")


def test_thousands_of_equal_outputs_are_told_by_the_hundred() -> None:
    assert bounded(["a"] * 101) == ["a"] * 101
    assert bounded(["a"] * 3000) == [
        *["a"] * 100,
        "... and 2,900 more warnings such as the last",
    ]
    texts = ["This is a line .", "Here is another one .", "And a third line ."]
    with pytest.warns(UserWarning, match="the same text|more warnings") as told:
        found = pipeline.evaluate(
            {f"S{n}": texts for n in range(200)}, [texts], metrics=["length"]
        )
    assert len(told) == len(found.warnings) == 101


def test_no_model_is_fetched_unasked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    utils = pytest.importorskip("sacrebleu.utils")
    monkeypatch.setattr(utils, "SACREBLEU_DIR", str(tmp_path / "models"))
    with pytest.raises(
        InputError,
        match=r"tokenizer flores200: .* is not fetched unasked: save https://",
    ):
        pipeline.evaluate(["a"], [["a"]], metrics=["bleu[tok=flores200]"])
    assert not (tmp_path / "models").exists()


@pytest.mark.parametrize(
    "lines",
    ["127.0.0.1 localhost hidden:\n", "hidden\n", "[hidden]\n", "'hidden words': 1\n"],
)
def test_what_is_no_config_is_not_printed(
    tmp_path: Path, lines: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "other").write_text(lines, encoding="utf-8")
    (tmp_path / "c.yaml").write_text("include: [other]\n", encoding="utf-8")
    assert main(["validate", str(tmp_path / "c.yaml")]) == 2
    said = capsys.readouterr().err
    assert "other is no part of a config" in said
    assert "hidden" not in said
