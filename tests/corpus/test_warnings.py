"""What can be scored but is probably not meant: one warning each, in the results too; none for the ordinary."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import pipeline
from pipeline import stages
from pipeline.corpus import input_warnings, scan
from pipeline.corpus import input_warnings as spacing
from pipeline.corpus import samples as sample
from pipeline.corpus import scan as index
from pipeline.corpus.samples import Sample
from pipeline.corpus.texts import text_in_memory
from pipeline.errors import InputError
from tests.files import CONFIG, TEXTS, prepare, write

if TYPE_CHECKING:
    from collections.abc import Sequence


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(dict(TEXTS))


@pytest.mark.parametrize(
    ("files", "warning"),
    [
        ({"a.txt": TEXTS["r.txt"]}, "d: system A is the same text as reference 0"),
        ({"r.txt": TEXTS["s.txt"]}, "d: reference 0 (r.txt) is the same text as the source"),
        ({"a.txt": "x\n\n\n"}, "d: system A: 2 of 3 lines are empty"),
        ({"s.txt": "x\n\n\n"}, "d: source: 2 of 3 lines are empty"),
        (
            {"a.txt": "a@@ b c\nd@@ e f\ng h i\n"},
            "d: system A has subword pieces ('@@ ' or '\u2581', 2 times); join them before scoring",
        ),
        (
            {"a.txt": "\u2581a b c\nd e f\ng h i\n"},
            "d: system A has subword pieces ('@@ ' or '\u2581', once); join them before scoring",
        ),
        ({"a.txt": "\ufeffa b z\nd e f\ng h i\n"}, "d: a.txt: begins with a byte order mark, which is left out"),
        ({"a.txt": "a\0b\nc\nd\n"}, "d: a.txt: holds 1 NUL character; is it UTF-8 text?"),
        (
            {"r.txt": "a b\n\nc\n"},
            "d: reference 0 (r.txt) has an empty line, 2: it counts as a sentence of length 0",
        ),
    ],
)
def test_what_is_probably_not_meant_gets_into_the_results(files: dict[str, str | bytes], warning: str) -> None:
    write(files)
    job = prepare()
    assert job.warnings == (warning,)
    assert stages.run(job, "out")[1].warnings == [warning]


def test_two_systems_of_one_text_are_told() -> None:
    assert prepare(CONFIG.replace("{A: a.txt}", "{A: a.txt, B: a.txt}")).warnings == (
        "d: system B is the same text as system A",
    )


def test_the_same_text_is_found_whatever_its_form() -> None:
    write({"b.jsonl": "".join(f'{{"h": "{line}"}}\n' for line in TEXTS["a.txt"].splitlines())})
    text = CONFIG.replace("{A: a.txt}", "{A: a.txt, B: {jsonl: b.jsonl, column: h}}")
    assert prepare(text).warnings == ("d: system B is the same text as system A",)


@pytest.mark.parametrize(
    "files",
    [
        {"a.txt": TEXTS["s.txt"]},
        {"a.txt": TEXTS["a.txt"].replace("\n", "\r\n")},
        {"a.txt": TEXTS["a.txt"].removesuffix("\n")},
        {"a.txt": TEXTS["a.txt"].replace(" ", "\u00a0")},
        {"a.txt": TEXTS["a.txt"].replace("\n", "  \n")},
        {"a.txt": "a\n\nb\n"},
        {"a.txt": f"{'a ' * 500_000}\nb\nc\n"},
        {"s.txt": "@@ a\nb\nc\n", "a.txt": "@@ a\nb\nd\n"},
    ],
    ids=["unchanged", "crlf", "no last end", "no-break", "trailing", "an empty line", "a long line", "source has them"],
)
def test_ordinary_texts_give_no_warning(files: dict[str, str | bytes]) -> None:
    write(files)
    assert prepare().warnings == ()


def test_missing_references_are_no_empty_ones() -> None:
    write({"q.txt": "a\n\nb\n"})
    assert prepare(CONFIG.replace("[r.txt]", "[r.txt, q.txt], empty_references: none")).warnings == ()


HYPOTHESES = ["the cat sat", "a dog ran home", "birds fly"]
BY_ITEM = [["the cat sat down", "a cat sat"], ["the dog ran home", "a dog ran"], ["birds fly south", "the birds fly"]]


def evaluate(references: Sequence[Sequence[str]], sources: Sequence[str] | None = None) -> pipeline.Evaluation:
    return pipeline.evaluate(HYPOTHESES, references, sources or HYPOTHESES, ["gleu[iter=2]"])


def test_references_given_for_each_item_are_refused() -> None:
    with pytest.raises(InputError) as caught:
        evaluate(BY_ITEM)
    assert str(caught.value) == (
        "references: look transposed: expected a list for each reference set, with a text for each item; "
        "found 3 lists, one for each item"
    )


def test_references_that_fit_better_the_other_way_round_are_told() -> None:
    square = [[*texts, texts[0]] for texts in BY_ITEM]
    with pytest.warns(UserWarning, match="the references look transposed") as caught:
        evaluate(square)
    assert len(caught) == 1
    assert evaluate([list(texts) for texts in zip(*square, strict=True)]).warnings == ()


@pytest.mark.parametrize("references", [[["a"]], [["a"] * 4], [["a"] * 3, ["a"] * 2]])
def test_fewer_or_more_references_than_items_are_refused(references: list[list[str]]) -> None:
    with pytest.raises(InputError, match="the texts have different numbers of lines"):
        evaluate(references)


def test_subwords_in_memory_are_told() -> None:
    with pytest.warns(UserWarning, match=r"memory: system system has subword pieces"):
        pipeline.evaluate(["a@@ b"], [["a b"]], ["a c"], ["gleu[iter=2]"])
    assert Path.cwd().exists()


PIECES = ["a b .", "c, d.", '{"a": "b"}', "a@@ b", "\u2581a", "", " ", "b\0", "." * 9 + " ,", "@ ,,,, .. x. y."]
LINES = st.integers(1, 12).flatmap(lambda n: st.lists(st.sampled_from(PIECES), min_size=n, max_size=n))


@st.composite
def few_texts(draw: st.DrawFn) -> tuple[list[str], list[list[str]], list[str]]:
    """Outputs, references and sources, of which some are often the same text."""
    lines = len(first := draw(LINES))
    texts = [first, *(draw(st.lists(st.sampled_from(PIECES), min_size=lines, max_size=lines)) for _ in range(3))]
    chosen = draw(st.lists(st.sampled_from(texts), min_size=3, max_size=5))
    return chosen[0], chosen[2:], chosen[1]


@given(texts=few_texts(), metric=st.sampled_from(["bleu", "gleu[refs=max]", "chrf", "rouge"]))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_glance_at_few_texts_hides_no_warning(texts: tuple[Any, Any, Any], metric: str) -> None:
    """The warnings are those that the way for large texts gives."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        quick = pipeline.evaluate(*texts, metric).warnings
        with (
            mock.patch.object(input_warnings, "_ordinary", return_value=False),
            mock.patch.object(spacing, "_has_few_stops", return_value=False),
        ):
            assert pipeline.evaluate(*texts, metric).warnings == quick


STOP = re.compile(r"([^\W\d_]|\s)[.,](?=\s|$)")
"""A full stop or comma that ends a word, and what is before it."""


@given(st.text("ab1_ ..,,\n\t\u00a0\u2028é中①٣²", max_size=80).map(lambda text: 6 * text))
def test_stops_are_counted_where_they_end_a_word(text: str) -> None:
    before = [match[1].isspace() for match in STOP.finditer(text)]
    share = Sample(text_in_memory("t", [text])).spaced
    assert share == (sum(before) / len(before) if len(before) >= 10 else None)


@pytest.mark.parametrize("piece", [1, 7, 1 << 20])
def test_the_longest_line_is_told(piece: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the pieces of a file are; of equally long lines it is the first, and the last may lack its end."""
    monkeypatch.setattr(index, "PIECE", piece)
    monkeypatch.setattr(scan, "LONG", 10)
    write(
        {"s.txt": "a\n" + "b " * 9 + "\n" + "c " * 9 + "\n", "r.txt": "a\nb\n" + "c" * 11, "a.txt": "a\nb\n" + "c" * 10}
    )
    taking = "takes time and memory; are line ends missing?"
    assert [text for text in prepare().warnings if "bytes" in text] == [
        f"d: s.txt: line 2 has 18 bytes, which {taking}",
        f"d: r.txt: line 3 has 11 bytes, which {taking}",
    ]


def test_of_very_long_lines_the_beginning_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """By hand: 4 characters of a line with more than 4, and 8 of all four lines together, which is 2 of each."""
    monkeypatch.setattr(sample, "WHOLE", 4)
    lines = text_in_memory("t", ["a b c", "d", "e f", "g h"])
    assert Sample(lines).lines == ["a b ", "d", "e f", "g h"]
    monkeypatch.setattr(sample, "ALL", 8)
    assert Sample(lines).lines == ["a ", "d", "e ", "g "]
