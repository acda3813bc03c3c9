"""Encodings of XML files of gold edits."""

from pathlib import Path

import pytest

from pipeline.cli.dispatch import main
from tests.support.commands import Call

GOLD = '<scripts><script id="1"><sentence id="1" numann="1"><text>a b</text></sentence></script></scripts>'


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
    call: Call,
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
        f"gold.xml:1: is in the encoding '{name[:40]}'; expected UTF-8, UTF-16"
        in said
    ) is not known
