"""Small tables: what separates columns, what a cell may be, and how odd files are taken."""

from __future__ import annotations

import gzip
import lzma
import math
from pathlib import Path

import pytest

from pipeline.errors import CorpusError
from pipeline.files import TableCell, TableRow


def rows(
    folder: Path, data: str | bytes, name: str = "t", **options: str
) -> list[tuple[int, list[str]]]:
    (folder / name).write_bytes(
        data.encode() if isinstance(data, str) else data
    )
    return [
        (row.line, row.cells)
        for row in TableRow.of_file(folder / name, 1 << 20, **options)
    ]


def refusal(folder: Path, data: str | bytes) -> str:
    with pytest.raises(CorpusError) as caught:
        rows(folder, data)
    return str(caught.value).replace(f"{folder}/", "")


@pytest.mark.parametrize(
    ("line", "separator"),
    [
        ("a b", None),
        ("", None),
        ("a,b", ","),
        ("a;b", ";"),
        ("a;b,c", ","),
        ("a,b\tc;d", "\t"),
        ("a\u2003b", None),
    ],
)
def test_the_first_separator_that_a_line_has(
    line: str, separator: str | None
) -> None:
    assert TableRow.separator(line) == separator


def test_other_separators_in_another_order() -> None:
    assert TableRow.separator("a,b\tc", ",;\t") == ","
    assert TableRow.separator("a;b", "\t,") is None


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ("", []),
        ("a 1", [(1, ["a", "1"])]),  # the last line has no end
        ("\ufeffa,1\r\nb,2\r\n", [(1, ["a", "1"]), (2, ["b", "2"])]),
        ("\n\na 1\n\n \nb 2\n", [(3, ["a", "1"]), (6, ["b", "2"])]),
        ("a\t1,5\tx y\n", [(1, ["a", "1,5", "x y"])]),  # a tab before a comma
        # the first line alone says what separates
        ("a b\nc,d\te\n", [(1, ["a", "b"]), (2, ["c,d", "e"])]),
        ('"a, ""b""", 1\n', [(1, ['a, "b"', "1"])]),
        # between blanks a quotation mark that is not closed is a character
        ('"a b 1\n', [(1, ['"a', "b", "1"])]),
        ('a 5"\nb 1\n', [(1, ["a", '5"']), (2, ["b", "1"])]),
        ('a,5" x\n', [(1, ["a", '5" x'])]),
        ("\u2003a\u00a0,\u20091 \n", [(1, ["a", "1"])]),
        ("a\u2003\u00a01\x1c2\n", [(1, ["a", "1", "2"])]),
        ("a,,\n,\n", [(1, ["a", "", ""]), (2, ["", ""])]),
    ],
)
def test_rows_of_odd_files(
    tmp_path: Path, data: str, expected: list[tuple[int, list[str]]]
) -> None:
    assert rows(tmp_path, data) == expected
    assert rows(tmp_path, gzip.compress(data.encode()), "t.gz") == expected


def test_comments_are_left_out_and_say_nothing_of_the_separator(
    tmp_path: Path,
) -> None:
    assert rows(tmp_path, "# a,b\n  #c\na 1 #\n", comment="#") == [
        (3, ["a", "1", "#"])
    ]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ('a,1\nb,"2\nc,3\n', "t:2: not valid CSV: unexpected end of data"),
        ('a,1\nb,"2"x\n', "t:2: not valid CSV: ',' expected after '\"'"),
        ('a\t"1\n"b"\t2\n', "t:1: not valid CSV: unexpected end of data"),
        (b"a 1\nb \xff\n", "t:2: byte 3 of the line (0xff) is not valid UTF-8"),
        (
            "a,b\rc\n",
            "t:1: not valid CSV: new-line character seen in unquoted field",
        ),
        (
            "a,1\n\nb," + "x" * 140_000,
            "t:3: not valid CSV: field larger than field limit (131072)",
        ),
    ],
)
def test_what_cannot_be_parted_is_told_with_its_line(
    tmp_path: Path, data: str | bytes, message: str
) -> None:
    assert refusal(tmp_path, data).startswith(message)


def test_only_zeros_may_follow_packed_data(tmp_path: Path) -> None:
    """The format of xz allows such padding."""
    packed = lzma.compress(b"a 1\n")
    assert rows(tmp_path, packed + packed + bytes(8), "t.xz") == [
        (1, ["a", "1"]),
        (2, ["a", "1"]),
    ]
    with pytest.raises(CorpusError, match="is cut short: the xz data ends"):
        rows(tmp_path, packed + b"more", "t.xz")


def test_files_that_unpack_to_too_much(tmp_path: Path) -> None:
    (tmp_path / "t.gz").write_bytes(gzip.compress(b"a 1\n" * 1000))
    with pytest.raises(
        CorpusError,
        match="unpacks, with what came before, to more than 100 bytes",
    ):
        list(TableRow.of_file(tmp_path / "t.gz", 100))
    with pytest.raises(CorpusError, match="no such file"):
        list(TableRow.of_file(tmp_path / "nothing", 100))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1.0),
        ("-.5", -0.5),
        ("+1.", 1.0),
        ("1e-3", 0.001),
        ("1E5", 1e5),
        ("007", 7.0),
    ],
)
def test_numbers(text: str, value: float) -> None:
    assert TableCell(text).number() == value
    assert TableCell(text).is_numeric
    assert math.copysign(1, TableCell("-0.0").number()) == 1


@pytest.mark.parametrize(
    "text",
    [
        "",
        ".",
        "1_0",
        "1,5",
        "0x1",
        "\u0661",
        " 1",
        "1e",
        "--1",
        "one",
        "1 2",
        "5%",
    ],
)
def test_what_is_no_number(text: str) -> None:
    with pytest.raises(ValueError, match="expected a score, found '"):
        TableCell(text).number("a score")
    assert not TableCell(text).is_numeric


@pytest.mark.parametrize(
    "text", ["nan", "NaN", "inf", "Infinity", "None", "NULL", "na", "N/A", "-"]
)
def test_words_for_no_number_name_no_column(text: str) -> None:
    assert TableCell(text).is_numeric
    with pytest.raises(ValueError, match="expected a number"):
        TableCell(text).number()


def test_numbers_that_no_float_holds() -> None:
    with pytest.raises(ValueError, match="'-1e999' is too large a number"):
        TableCell("-1e999").number()
    assert TableCell("1e999").number(largest=math.inf) == math.inf
    with pytest.raises(ValueError, match=f"found '{'x' * 40}'"):
        TableCell("x" * 1000).number()


def test_cells_with_blanks_stand_in_quotation_marks(tmp_path: Path) -> None:
    assert rows(tmp_path, 'x "a b"  "c ""d"""\ne"f g\n"" "h"\n') == [
        (1, ["x", "a b", 'c "d"']),
        (2, ['e"f', "g"]),
        (3, ["", "h"]),
    ]
