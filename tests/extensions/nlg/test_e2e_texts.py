"""References in blocks: those of an output stand together, and an empty line ends them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pipeline.data.config import Column
from pipeline.errors import CorpusError
from pipeline.extensions.nlg.e2e_texts import blocks, by_source


def read(folder: Path, text: str, column: str = "") -> list[Any]:
    path = folder / "refs.txt"
    path.write_text(text, "utf-8", newline="")
    return list(
        blocks(
            path, "refs.txt", Column(kind="blocks", path=path, column=column)
        )
    )


@pytest.mark.parametrize(
    ("text", "lists"),
    [
        ("a\nb\n\nc\n", [["a", "b"], ["c"]]),
        # the empty line at the end is that of the last block
        (" a \r\n\r\n\tb\r\nc\r\n\r\n", [["a"], ["b", "c"]]),
        # one block: a reference for each output
        (
            "a\nb\nc\n",
            [["a"], ["b"], ["c"]],
        ),
        ("a\nb\n\n", [["a"], ["b"]]),
        ("", []),
    ],
)
def test_lines_up_to_an_empty_one_are_of_one_output(
    tmp_path: Path, text: str, lists: list[list[str]]
) -> None:
    assert read(tmp_path, text) == lists


def test_a_place_in_the_lists_is_a_reference(tmp_path: Path) -> None:
    assert read(tmp_path, "a\nb\n\nc\n", "[0]") == [b"a", b"c"]
    assert read(tmp_path, "a\nb\n\nc\n", "[1]") == [b"b", b""]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "a\n\n\nb\n",
            "refs.txt:3: is empty where references of an output were expected",
        ),
        ("\na\n\nb\n", "refs.txt:1: is empty where"),
        (
            "a\n\nb\u2028c\n",
            r"refs.txt:3: has the sign U\+2028, at which the suite of E2E ends a line",
        ),
    ],
)
def test_what_the_suite_would_read_otherwise_is_refused(
    tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(CorpusError, match=message):
        read(tmp_path, text)


def table(folder: Path, text: str, column: str = "") -> list[Any]:
    path = folder / "table.csv"
    path.write_text(text, "utf-8", newline="")
    return list(
        by_source(
            path,
            "table.csv",
            Column(kind="by_source", path=path, column=column),
        )
    )


def test_references_of_a_source_stand_together_wherever_they_are(
    tmp_path: Path,
) -> None:
    text = 'mr,ref\n"name[A], x[1]", a \nname[B],"b, ""c"""\n\n"name[A], x[1] ",£ Ł3 cafÃ©\nname[B],d\nname[B],d\n'
    assert table(tmp_path, text) == [["a", "£ £3 café"], ['b, "c"', "d", "d"]]
    assert table(tmp_path, text, "[1]") == [
        b"\xc2\xa3 \xc2\xa33 caf\xc3\xa9",
        b"d",
    ]
    assert table(tmp_path, text, "[2]") == [b"", b"d"]


@pytest.mark.parametrize(
    "text",
    [
        '"name[A], x[1]"\t"one, two"\n"name[B]"\t"three"\n',
        "MR\toutput\nname[A], x[1]\tone, two\nname[B]\tthree\n",
        "\ufeffMR\tSystem output\r\nname[A], x[1]\t one, two \r\n\r\nname[B]\tthree\r\n",
        "'name[A], x[1]'\t'one, two'\n'name[B]'\t'three'\n",
        "id\toutput\tDialogue act\n1\tone, two\tname[A], x[1]\n2\tthree\tname[B]\n",
    ],
)
def test_outputs_in_each_of_the_styles_of_the_challenge(
    tmp_path: Path, text: str
) -> None:
    assert table(tmp_path, text) == [b"one, two", b"three"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "mr,ref\na,b\n\nc\n",
            "table.csv:4: has 1 cells; expected a source and a text, between commas",
        ),
        (
            "a\tb\nc\n",
            "table.csv:2: has 1 cells; expected a source and a text, between tabs",
        ),
    ],
)
def test_a_row_without_a_text_is_refused(
    tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(CorpusError, match=message):
        table(tmp_path, text)
    assert table(tmp_path, "") == []
