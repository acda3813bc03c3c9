"""M2 files that are read in parts: the same as in one, whoever reads them, and annotators who come
late.
"""

import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pipeline.errors import CorpusError
from pipeline.extensions.edits import m2_texts
from pipeline.extensions.edits.m2_format import (
    CORRECTED,
    EDITS,
    SOURCE,
    Key,
    Request,
)
from pipeline.extensions.edits.m2_texts import M2File, read_m2
from pipeline.files import TempFiles
from pipeline.parallel import threads

END = "REQUIRED|||-NONE-"
WHOLE = {
    "PART_BYTES": 1 << 20,
    "PART_SENTENCES": 1 << 20,
    "MAX_BYTES_CHECKED_FIRST": 0,
}
"""A part of everything; what is wrong is told in the order of lines."""
SMALL = {"PART_BYTES": 8, "PART_SENTENCES": 1, "PARTS_AT_ONCE": 2}
"""A part of each sentence behind an empty line."""


def edit(span: str, text: str, annotator: int, kind: str = "X") -> str:
    return f"A {span}|||{kind}|||{text}|||{END}|||{annotator}"


@pytest.fixture
def read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., M2File]:
    """A function that reads content as an M2 file; it is given sizes of parts, and a number of
    threads.
    """

    def given(
        content: bytes, requested: Request, number: int = 1, **sizes: int
    ) -> M2File:
        path = tmp_path / "a.m2"
        path.write_bytes(content)
        for name, size in sizes.items():
            monkeypatch.setattr(m2_texts, name, size)
        with threads(number) as shared:
            built = read_m2(path, requested, temp_files, shared)
        built.summary.name = ""
        return built

    temp_files = TempFiles(TempFiles.DEFAULT_CAP)
    return given


def texts(made: M2File) -> dict[Key, list[str]]:
    return {
        key: path.read_bytes().decode("latin-1").split("\xff")[:-1]
        for key, path in made.files.items()
    }


def outcome(
    read: Callable[..., M2File], *given: object, **sizes: int
) -> list[object]:
    """Return what is made, or the problems alone."""
    try:
        built = read(*given, **sizes)
    except CorpusError as error:
        return [error.problems]
    return [
        built.summary,
        [*built.summary.all_types],
        built.annotated,
        texts(built),
    ]  # of equal types the first is told


def random_file(rng: random.Random) -> bytes:
    """Return an M2 file with annotators who come late, and now and then with something that is odd
    or wrong.
    """
    lines = [""] * rng.choice([0, 0, 2])
    for number in range(rng.randint(1, 9)):
        lines.append("S " + " ".join(rng.choices(["a", "\u00e9", "bc"], k=3)))
        for annotator in sorted(
            rng.sample(range(1 + number), rng.randint(0, min(3, 1 + number)))
        ):
            text = rng.choice(["x", "", "-NONE-", "y||z"])
            lines.append(
                edit(
                    rng.choice(["0 1", "1 1", "2 3"]),
                    text,
                    annotator,
                    f"R:{rng.randint(0, 5)}",
                )
            )
        lines += [""] * rng.choice([1, 1, 1, 1, 2, 0])
    if rng.random() < 0.5:
        suspicious = [
            "S",
            "B",
            "A 0 1",
            " ",
            "I x",
            edit("0 9", "x", 0),
            edit("-1 2", "x", 0),
            edit("2 1", "x", 1),
            "S \u2028",
        ]
        lines.insert(rng.randint(0, len(lines)), rng.choice(suspicious))
    content = (
        rng.choice(["", "", "\ufeff"])
        + rng.choice(["\n", "\n", "\r\n"]).join(lines)
        + rng.choice(["", "\n"])
    )
    return content.encode() + rng.choice([b"", b"", b"", b"\xff"])


@pytest.mark.parametrize(
    "requested",
    [
        Request(texts=True, records=True),
        Request(texts=True, missing="none"),
        Request(records=True),
        Request(texts=True, records=True, lenient=True),
        Request(texts=True, records=True, system=True, lenient=True),
    ],
)
@pytest.mark.usefixtures("kernel")
def test_a_file_is_the_same_in_one_part_and_in_many(
    requested: Request, read: Callable[..., M2File]
) -> None:
    """What is said, each text, and what is wrong: by one thread or by two."""
    rng, good, wrong = random.Random(5), 0, 0
    for _ in range(60):
        content = random_file(rng)
        complete = outcome(read, content, requested, **WHOLE)
        for number in (1, 2):
            assert (
                outcome(read, content, requested, number, **SMALL) == complete
            )
        good, wrong = good + (len(complete) > 1), wrong + (len(complete) == 1)
    assert good > 20
    assert wrong > 5


CONTENT = f"""S a b
{edit("0 1", "x", 1)}

S c d

S e f
{edit("0 1", "y", 1)}
{edit("0 9", "z||w", 7, "Y")}

S g h
{edit("1 2", "v", 0)}
"""


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize(
    "sizes", [WHOLE, {**SMALL, "MAX_BYTES_CHECKED_FIRST": 0}, SMALL]
)
def test_annotators_who_come_late_have_texts_of_all_sentences(
    sizes: dict[str, int], read: Callable[..., M2File]
) -> None:
    """By hand. The lines of those who lack one, of alternatives and of what does not fit count
    through all parts.
    """
    built = read(
        CONTENT.encode(),
        Request(texts=True, records=True, lenient=True),
        **sizes,
    )
    assert built.annotated == {0: (2, 1), 1: (1, 10), 7: (2, 1)}
    assert built.summary.absent == {0: (2, 1), 1: (2, 4), 7: (3, 1)}
    assert (
        built.summary.sentences,
        built.summary.max_annotators,
        built.summary.all_types,
    ) == (
        4,
        2,
        {"X": 3, "Y": 1},
    )
    assert built.summary.alternatives == (1, 8)
    assert built.summary.misfits == (
        1,
        "line 8 (0 9 in a sentence of 2 tokens)",
    )
    found = texts(built)
    assert found[SOURCE] == ["a b", "c d", "e f", "g h"]
    assert found[CORRECTED, 0] == ["x b", "c d", "y f", "g v"]
    assert found[CORRECTED, 1] == ["x b", "c d", "y f", "g v"]
    assert found[CORRECTED, 7] == ["x b", "c d", "e f", "g v"]
    assert [bool(record) for record in found[EDITS, 0]] == [
        False,
        True,
        False,
        True,
    ]
    assert [bool(record) for record in found[EDITS, 7]] == [
        False,
        False,
        True,
        False,
    ]


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize(("largest", "line"), [(0, 2), (1 << 20, 5)])
def test_in_files_that_are_not_large_lines_that_are_none_are_told_first(
    largest: int, line: int, read: Callable[..., M2File]
) -> None:
    content = f"S a\n{edit('0 9', 'x', 0)}\n\nS b\nB\n".encode()
    with pytest.raises(CorpusError, match=rf"a\.m2:{line}: "):
        read(
            content,
            Request(texts=True),
            **SMALL,
            MAX_BYTES_CHECKED_FIRST=largest,
        )
    # nor where edits are compared
    with pytest.raises(CorpusError, match=r"a\.m2:5: "):
        read(
            content,
            Request(texts=True, records=True),
            **SMALL,
            MAX_BYTES_CHECKED_FIRST=largest,
        )


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_parts_are_cut_where_a_sentence_begins_behind_an_empty_line(
    end: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, lines = (
        tmp_path / "a.m2",
        [b"S a", b"A 0", b"", b"S b", b"S c", b"", b"", b"S d"],
    )
    path.write_bytes(end.join(lines))
    monkeypatch.setattr(m2_texts, "PART_BYTES", 4)
    parts = [*m2_texts.parts_of(path, "a.m2")]
    assert parts == [
        (1, end.join(lines[:3]) + end),
        (4, end.join(lines[3:7]) + end),
        (8, b"S d"),
    ]


def test_a_file_that_changes_while_it_is_read_is_told(
    read: Callable[..., M2File], monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = m2_texts.parts_of

    def appended(path: Path, name: str) -> Iterator[tuple[int, bytes]]:
        yield from ours(path, name)
        with path.open("ab") as file:
            file.write(b"\nS late\n")

    monkeypatch.setattr(m2_texts, "parts_of", appended)
    with pytest.raises(
        CorpusError,
        match="the file changed while it was being read; start again",
    ):
        read(CONTENT.encode(), Request(texts=True, lenient=True))


def test_what_was_begun_of_a_file_that_python_reads_takes_no_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tab in the last span is nothing that the compiled reader reads."""
    path = tmp_path / "a.m2"
    path.write_text(
        "\n".join(
            [f"S a b\n{edit('0 1', 'x', 0)}\n"] * 3
            + ["S a b", edit("0\t1", "x", 0), ""]
        )
    )
    monkeypatch.setattr(m2_texts, "PART_BYTES", 8)
    temp_files = TempFiles(1 << 20)
    built = read_m2(path, Request(texts=True), temp_files)
    assert texts(built)[CORRECTED, 0] == ["x b"] * 4
    assert temp_files.cap - temp_files.remaining == sum(
        file.stat().st_size for file in built.files.values()
    )
    assert len([*built.files[SOURCE].parent.glob("[0-9]*")]) == len(built.files)
