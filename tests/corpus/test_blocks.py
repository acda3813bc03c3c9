"""References in blocks: those of an output stand together, and an empty line ends them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pipeline.config.resolved import Column
from pipeline.corpus.formats.blocks import blocks
from pipeline.errors import CorpusError

if TYPE_CHECKING:
    from pathlib import Path


def read(folder: Path, text: str, column: str = "") -> list[Any]:
    path = folder / "refs.txt"
    path.write_text(text, encoding="utf-8", newline="")
    return list(blocks(path, "refs.txt", Column(kind="blocks", path=path, column=column)))


@pytest.mark.parametrize(
    ("text", "lists"),
    [
        ("a\nb\n\nc\n", [["a", "b"], ["c"]]),
        (" a \r\n\r\n\tb\r\nc\r\n\r\n", [["a"], ["b", "c"]]),  # the empty line at the end is that of the last block
        ("a\nb\nc\n", [["a"], ["b"], ["c"]]),  # one block: a reference for each output
        ("a\nb\n\n", [["a"], ["b"]]),
        ("", []),
    ],
)
def test_lines_up_to_an_empty_one_are_of_one_output(tmp_path: Path, text: str, lists: list[list[str]]) -> None:
    assert read(tmp_path, text) == lists


def test_a_place_in_the_lists_is_a_reference(tmp_path: Path) -> None:
    assert read(tmp_path, "a\nb\n\nc\n", "[0]") == [b"a", b"c"]
    assert read(tmp_path, "a\nb\n\nc\n", "[1]") == [b"b", b""]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\n\n\nb\n", "refs.txt:3: is empty where references of an output were expected"),
        ("\na\n\nb\n", "refs.txt:1: is empty where"),
        ("a\n\nb\u2028c\n", r"refs.txt:3: has the sign U\+2028, at which the suite of E2E ends a line"),
    ],
)
def test_what_the_suite_would_read_otherwise_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(CorpusError, match=message):
        read(tmp_path, text)
