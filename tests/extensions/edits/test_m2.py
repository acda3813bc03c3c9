"""M2 files: what the annotators made of each sentence, and what is said of a file that is wrong."""

import gzip
from collections import Counter
from pathlib import Path

import pytest

from pipeline.data import Corpus, opener
from pipeline.errors import CorpusError
from pipeline.extensions.edits import correction_xml, m2_texts
from pipeline.extensions.edits import m2_files as m2_lines
from tests.config_files import CONFIG, dataset, lines, prepare, problems, write
from tests.conftest import mirrored

END = "REQUIRED|||-NONE-"
GOLD = f"S a b\nA 0 1|||R:X|||x|||{END}|||0\n\nS c\nA -1 -1|||noop|||-NONE-|||{END}|||0\n\n"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write({"gold.m2": GOLD, "a.m2": GOLD, "s.txt": "a b\nc\n"})


def edit(span: str, text: str, annotator: int = 0, kind: str = "X") -> str:
    return f"A {span}|||{kind}|||{text}|||{END}|||{annotator}"


def noop(annotator: int = 0) -> str:
    return edit("-1 -1", "-NONE-", annotator, "noop")


def corpus(*rows: str, more: str = "", sentences: int = 1) -> Corpus:
    write({"x.m2": "\n".join([*rows, ""]), "a.txt": "a b\n" * sentences})
    return prepare(dataset(f"{{m2: x.m2{more}}}")).corpora[0]


def references(
    *rows: str, more: str = "", sentences: int = 1
) -> list[list[str]]:
    return [
        lines(text)
        for text in corpus(*rows, more=more, sentences=sentences).references
    ]


# Each worked out by hand: the edits of one annotator on "a b c d".
@pytest.mark.parametrize(
    ("edits", "text"),
    [
        ([edit("1 2", "x")], "a x c d"),
        ([edit("1 2", "")], "a c d"),
        ([edit("1 2", "-NONE-")], "a c d"),
        ([edit("1 1", "x y")], "a x y b c d"),
        ([edit("4 4", "x")], "a b c d x"),
        ([edit("0 0", "x")], "x a b c d"),
        ([edit("0 4", "")], ""),
        ([edit("0 1", "x"), edit("3 4", "y")], "x b c y"),
        ([edit("3 4", "y"), edit("0 1", "x")], "x b c y"),
        ([edit("0 1", "x y z"), edit("1 2", "w")], "x y z w c d"),
        ([edit("1 2", "x"), edit("1 1", "y")], "a y x c d"),
        ([edit("1 1", "x"), edit("1 1", "y")], "a x y b c d"),
        ([edit("1 2", "x||y")], "a x c d"),
        ([noop()], "a b c d"),
        ([edit("1 2", "x\u00a0y")], "a x\u00a0y c d"),
    ],
)
def test_edits_are_applied(edits: list[str], text: str) -> None:
    found = corpus("S a b c d", *edits)
    assert [lines(reference) for reference in found.references] == [[text]]
    assert lines(found.source) == ["a b c d"]


def test_sentences_and_annotators() -> None:
    rows = [
        "S a b",
        edit("0 1", "x", 2),
        noop(7),
        "",
        "S",
        noop(2),
        "",
        "",
        "S c",
        edit("0 1", "y", 7),
        edit("0 1", "z", 2),
    ]
    assert references(*rows, sentences=3) == [
        ["x b", "", "z"],
        ["a b", "", "y"],
    ]


def test_a_sentence_that_nobody_annotated_is_as_it_is() -> None:
    rows = ["S a b", "", "S c d", edit("0 1", "x"), edit("1 2", "y", 1)]
    for more in (
        "",
        ", missing_annotator: source",
        ", missing_annotator: none",
    ):
        assert references(*rows, more=more, sentences=2) == [
            ["a b", "x d"],
            ["a b", "c y"],
        ]


ROWS = (
    "S a b",
    edit("0 1", "x"),
    "",
    "S c d",
    edit("0 1", "y"),
    edit("1 2", "z", 1),
    "",
    "S e",
    edit("0 1", "w", 1),
)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("first", [["x b", "y d", "w"], ["x b", "c z", "w"]]),
        ("source", [["x b", "y d", "e"], ["a b", "c z", "w"]]),
        ("none", [["x b", "y d", ""], ["", "c z", "w"]]),
    ],
)
def test_what_stands_in_for_an_annotator_without_lines(
    value: str, expected: list[list[str]]
) -> None:
    found = corpus(*ROWS, more=f", missing_annotator: {value}", sentences=3)
    assert [lines(reference) for reference in found.references] == expected
    assert found.missing == (value == "none")
    assert found.notes == ()


def test_what_was_not_chosen_is_told() -> None:
    tail = "sentences that others annotated, the first in line"
    stands = "the first annotator's edits stand in (see missing_annotator)"
    assert corpus(*ROWS, sentences=3).notes == (
        f"x.m2: annotator 0 has no line for 1 {tail} 8; {stands}",
        f"x.m2: annotator 1 has no line for 1 {tail} 1; {stands}",
    )


@pytest.mark.parametrize("metrics", ["[gleu]", "[m2]"])
@pytest.mark.parametrize("threaded", [0, 1 << 24])
def test_a_file_is_read_once(
    metrics: str, threaded: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is made of it, and by whichever thread."""
    known, read = Counter[str](), m2_texts.read_m2
    monkeypatch.setattr(
        m2_texts,
        "read_m2",
        lambda path, *rest: known.update([path.name]) or read(path, *rest),
    )
    monkeypatch.setattr(opener, "MIN_THREADED_BYTES", threaded)
    write({"b.m2": GOLD})
    outputs = (
        "a: {m2: a.m2}, b: {m2: b.m2}" if "m2" not in metrics else "a: s.txt"
    )
    prepare(
        f"datasets: {{c: {{gold: gold.m2}}}}\nsystems: {{{outputs}}}\nmetrics: {metrics}\nrun: {{n_jobs: 2}}\n"
    )
    assert known == Counter(
        ["gold.m2", *(["a.m2", "b.m2"] if "m2" not in metrics else [])]
    )


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            ["S a", "A 0 1|||X|||y"],
            "x.m2:2: expected 6 fields with ||| between, found 3",
        ),
        (
            ["S a", edit("0 2", "x")],
            "x.m2:2: the edit 0 2 does not fit into a sentence of 1 tokens",
        ),
        (
            ["S a", edit("1 0", "x")],
            "x.m2:2: the edit 1 0 does not fit into a sentence of 1 tokens",
        ),
        (
            ["S a", edit("-1 -1", "x")],
            "x.m2:2: the edit -1 -1 does not fit into a sentence of 1 tokens",
        ),
        (
            ["S a", edit("x 1", "x")],
            "x.m2:2: expected two token offsets, found 'x 1'",
        ),
        (
            ["S a", edit("0", "x")],
            "x.m2:2: expected two token offsets, found '0'",
        ),
        (
            ["S a", f"A 0 1|||X|||y|||{END}|||one"],
            "x.m2:2: expected the number of an annotator at the end, found 'one'",
        ),
        (
            ["S a b c", edit("0 2", "x"), edit("1 3", "y")],
            "x.m2:3: overlaps the edit of line 2",
        ),
        (
            ["S a b c", edit("1 3", "y"), edit("0 2", "x")],
            "x.m2:3: overlaps the edit of line 2",
        ),
        (
            ["S a", edit("0 1", "x"), edit("0 1", "x")],
            "x.m2:3: overlaps the edit of line 2",
        ),
        (
            ["S a", noop(), edit("0 1", "x")],
            "x.m2:2: a noop, but annotator 0 edits the sentence in line 3",
        ),
        (
            [noop()],
            "x.m2:1: an edit before any sentence: expected a line that begins with 'S '",
        ),
        (
            ["S a", "", noop()],
            "x.m2:3: an edit before any sentence: expected a line that begins with 'S '",
        ),
        (
            ["S a", "B"],
            "x.m2:2: expected a line that begins with 'S ' or 'A ', or an empty line",
        ),
        (
            ["S a"],
            "x.m2: no annotator has a line: there is no line that begins with 'A '",
        ),
        (
            ["S a", *(noop(number) for number in range(256))],
            "x.m2:1: has 256 annotators up to this sentence; at most 255 are supported",
        ),
    ],
)
def test_wrong_lines_are_told(rows: list[str], message: str) -> None:
    write({"x.m2": "\n".join(rows), "a.txt": "a\n"})
    assert problems(dataset("{m2: x.m2}")) == [message]


def test_bytes_that_are_no_utf8_are_told() -> None:
    write({"x.m2": b"S a\nA \xff\n", "a.txt": "a\n"})
    assert problems(dataset("{m2: x.m2}")) == [
        "x.m2:2: byte 3 of the line (0xff) is not valid UTF-8"
    ]


def test_a_given_source_is_checked_token_by_token() -> None:
    write(
        {
            "s.txt": "  a  b \nc d\n",
            "x.m2": f"S a b\n{noop()}\n\nS c d\n{noop()}\n",
            "a.txt": "a\nc\n",
        }
    )
    found = prepare(dataset("{m2: x.m2, source: s.txt}")).corpora[0]
    assert lines(found.source) == ["  a  b ", "c d"]
    write({"s.txt": "a b\nc e\n"})
    assert problems(dataset("{m2: x.m2, source: s.txt}")) == [
        "s.txt:2: token 2 is 'e', and in x.m2, sentence 2 it is 'd': the source is not that of the annotations"
    ]
    write({"s.txt": "a b\nc d e\n"})
    assert problems(dataset("{m2: x.m2, source: s.txt}")) == [
        "s.txt:2: has 3 tokens, and x.m2, sentence 2 has 2: the source is not that of the annotations"
    ]


def test_packed_and_windows_files_are_read() -> None:
    write(
        {
            "x.m2.gz": gzip.compress(
                f"\ufeffS a b\r\n{edit('0 1', 'x')}\r\n\r\n".encode()
            ),
            "a.txt": "a\n",
        }
    )
    assert lines(
        prepare(dataset("{m2: x.m2.gz}")).corpora[0].references[0]
    ) == ["x b"]


def test_the_official_file_gives_the_references_of_the_gleu_authors(
    shared: Path,
) -> None:
    """`missing_annotator: first`: the official file lists annotations that are equal once, under
    annotator 0.
    """
    m2 = mirrored(
        shared, "awasthiabhijeet/PIE", "scratch/official-2014.combined.m2"
    )
    source = shared / "conll14" / "INPUT"
    text = CONFIG.replace(
        "source: s.txt, references: [r.txt]",
        f"source: {source}, m2: {m2}, missing_annotator: first",
    )
    found = prepare(
        text.replace("a.txt", str(shared / "conll14" / "AMU"))
    ).corpora[0]
    for number, reference in enumerate(found.references):
        expected = (
            (shared / "conll14" / f"REF{number}")
            .read_text(encoding="utf-8")
            .split("\n")[:-1]
        )
        assert [line.split() for line in lines(reference)] == [
            line.split() for line in expected
        ]


def test_a_sentence_with_edits_without_end_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """M2 and XML, with the line at which there are too many; 256 MB of edits took more than a
    gigabyte.
    """
    xml = '<sentence numann="1"><text>a</text><error req="no"><alt ann="0">\n{}</alt></error></sentence>'
    for text, reader, index in (
        (
            "S a\n\nS b\n" + "A 0 1|||R|||x|||REQUIRED|||-NONE-|||0\n" * 9,
            m2_lines.blocks,
            7,
        ),
        (
            xml.format('<c start="0" end="1">x</c>\n' * 9),
            correction_xml.xml_blocks,
            5,
        ),
    ):
        monkeypatch.setattr(m2_lines, "MAX_EDITS", 3)
        monkeypatch.setattr(correction_xml, "MAX_EDITS", 3)
        path = tmp_path / "gold"
        path.write_text(text, encoding="utf-8")
        with pytest.raises(
            CorpusError,
            match=rf"^gold:{index}: the sentence of line [13] has more than 3 (edits|corrections)$",
        ):
            list(reader(path, "gold"))
