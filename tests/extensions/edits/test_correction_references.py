"""References of I-measure: from gold files in XML and M2, against the official program's."""

import random
import sys
from pathlib import Path

import pytest

from pipeline.errors import CorpusError, InputError
from pipeline.extensions.edits import correction_references as corrections_of_m2
from pipeline.extensions.edits.correction_references import (
    SPLITS,
    Alternative,
    CorrectedSentence,
    Correction,
    Error,
    MixingError,
    overlap,
    python2_hash,
    python2_order,
    references,
    split_words,
)
from pipeline.extensions.edits.correction_xml import xml_blocks
from pipeline.extensions.edits.m2_files import Edit
from pipeline.files import xml_records
from tests.conftest import mirrored
from tests.oracles.imeasure import corrections, golden, naive_references


def sentence(
    text: str, annotators: int, *errors: tuple[str, dict[int, str]]
) -> CorrectedSentence:
    """A sentence whose errors are written as ("yes", {annotator: "start end words, start end
    words"}).
    """

    def parsed(alternative: str) -> tuple[Correction, ...]:
        parts = [part.split() for part in alternative.split(",")]
        return tuple(
            Correction(int(start), int(end), tuple(words))
            for start, end, *words in parts
        )

    built = [
        Error(
            tuple(
                Alternative(annotator, parsed(text))
                for annotator, text in alternatives.items()
            ),
            required == "yes",
        )
        for required, alternatives in errors
    ]
    return CorrectedSentence(tuple(text.split()), annotators, tuple(built))


def texts(corrected: CorrectedSentence, *, mix: bool = False) -> set[str]:
    found = references(corrected, mix=mix)
    assert len(set(found)) == len(found)
    return {" ".join(tokens) for tokens in found}


def test_an_annotator_gives_a_reference() -> None:
    two = sentence(
        "a b c", 2, ("no", {0: "0 1 x"}), ("yes", {0: "2 3", 1: "3 3 y z"})
    )
    assert texts(two) == {"x b", "a b c y z"}


def test_who_corrects_nothing_gives_the_source() -> None:
    assert texts(sentence("a b", 2, ("no", {1: "0 1 x"}))) == {"x b", "a b"}
    assert texts(sentence("a b", 3)) == texts(sentence("a b", 0)) == {"a b"}


def test_mixing_combines_errors_and_may_leave_those_that_are_not_required() -> (
    None
):
    two = sentence(
        "a b", 2, ("no", {0: "0 1 x"}), ("yes", {0: "1 2 y", 1: "1 2 z"})
    )
    assert texts(two, mix=True) == {"x y", "x z", "a y", "a z"}
    assert texts(two) == {"x y", "a z"}


def test_corrections_at_one_place_are_joined_within_an_alternative_only() -> (
    None
):
    assert texts(sentence("a", 1, ("yes", {0: "1 1 x, 1 1 y"})), mix=True) == {
        "a x y"
    }
    clash = sentence("a", 2, ("yes", {0: "1 1 x"}), ("no", {1: "1 1 y"}))
    assert texts(clash, mix=True) == {"a x"}
    with pytest.raises(MixingError, match="replace the same tokens"):
        references(
            sentence("a", 1, ("yes", {0: "1 1 x"}), ("yes", {0: "1 1 y"})),
            mix=True,
        )


def test_a_sentence_is_never_emptied() -> None:
    assert texts(sentence("a b", 1, ("yes", {0: "0 1, 1 2"}))) == {"a"}
    assert texts(sentence("a b", 1, ("yes", {0: "0 2"}))) == {"a b"}


def test_raw_numbers_may_lie_beyond_the_sentence() -> None:
    # by hand: y goes to the end of three tokens, so does x; z is put behind the third, before both
    assert texts(sentence("a b c", 1, ("yes", {0: "4 4 y, 5 5 x, 3 3 z"}))) == {
        "a b c z x y"
    }
    # 4 4 and 5 5 are the same place, but not the same numbers, so that mixing takes both; 5 5 alone
    # is told apart
    two = sentence("a b c", 1, ("yes", {0: "4 4 y"}), ("yes", {0: "5 5 x"}))
    assert texts(two, mix=True) == {"a b c x y"}


@pytest.mark.parametrize("mix", [False, True])
def test_references_are_those_of_the_official_rules(mix: bool) -> None:
    """Of random corrections, whose numbers lie before, in and beyond the sentence, or end before
    they begin.
    """
    rng, crashes = random.Random(5), 0

    def correction(tokens: int) -> Correction:
        start = rng.randint(-2, tokens + 3)
        return Correction(
            start,
            start + rng.choice([-1, 0, 0, 1, 1, 2]),
            tuple(rng.choices("xyz", k=rng.randint(0, 2))),
        )

    for _ in range(2000):
        tokens, annotators = (
            tuple(rng.choices("abc", k=rng.randint(0, 4))),
            rng.randint(1, 3),
        )
        errors = []
        for _ in range(rng.randint(0, 3)):
            ours = sorted(
                rng.sample(range(annotators), k=rng.randint(1, annotators))
            )
            each = (
                Alternative(
                    a,
                    tuple(
                        correction(len(tokens))
                        for _ in range(rng.randint(1, 2))
                    ),
                )
                for a in ours
            )
            errors.append(Error(tuple(each), rng.random() < 0.5))
        case = CorrectedSentence(tokens, annotators, tuple(errors))
        expected = naive_references(case, mix=mix)
        if expected is None:
            crashes += 1
            with pytest.raises(MixingError):
                references(case, mix=mix)
        else:
            assert texts(case, mix=mix) == expected, case
    assert 0 < crashes < 200 if mix else not crashes


def test_too_many_combinations_are_told_with_their_number() -> None:
    many = sentence("a", 2, *[("no", {0: f"0 0 x{n}"}) for n in range(40)])
    with pytest.raises(
        MixingError, match="1,099,511,627,776 ways; at most 65,536"
    ) as caught:
        references(many, mix=True)
    assert caught.value.combinations == 2**40
    six = sentence(
        "a b", 2, ("no", {0: "0 1 x", 1: "0 1 y"}), ("no", {0: "1 2 z"})
    )
    with pytest.raises(MixingError):
        references(six, mix=True, most=5)
    assert len(references(six, mix=True, most=6)) == 6
    assert len(references(many, mix=False)) == 2


def test_ascii_texts_are_split_at_ascii_white_space_only() -> None:
    assert split_words("a\x1fb c\x0bd") == ("a\x1fb", "c", "d")
    assert split_words("é\x1fb\xa0c") == ("é", "b", "c")


def test_the_order_is_that_of_a_dictionary_of_python_2() -> None:
    # what Python 2.7 prints on 64 bits, as published in many places: hash("a"), and {"0", "1", "2"}
    # in this order
    assert python2_hash("a") == 12416037344
    assert python2_hash("") == 0
    assert python2_order("012", python2_hash) == ["1", "0", "2"]
    rng = random.Random(1)
    names = [str(number) for number in range(5000)]
    rng.shuffle(names)
    assert sorted(python2_order(names, python2_hash)) == sorted(names)


def test_references_and_their_order_are_the_official_ones(
    shared: Path, tmp_path: Path
) -> None:
    cases = golden(shared, tmp_path)
    assert len(cases.sentences) == 3000
    crashes = 0
    for corrected, plain, mixed in zip(
        cases.sentences, cases.nomix, cases.mix, strict=False
    ):
        assert [
            " ".join(tokens) for tokens in references(corrected, mix=False)
        ] == plain[0]
        if mixed is None:
            crashes += 1
            with pytest.raises(MixingError):
                references(corrected, mix=True)
        else:
            assert texts(corrected, mix=True) == set(mixed[0])
    # golden/imeasure: the official program dies where no combination is compatible
    assert crashes == 3


def m2(path: Path) -> list[tuple[list[str], list[Edit]]]:
    """Read the sentences and edits of a sound M2 file."""
    result: list[tuple[list[str], list[Edit]]] = []
    for line in path.read_text(encoding="utf-8").split("\n"):
        if line.startswith("S "):
            result.append((line[2:].split(), []))
        elif line.startswith("A "):
            span, kind, text, _, _, annotator = line[2:].split("|||")
            start, end = map(int, span.split())
            result[-1][1].append(Edit(start, end, kind, text, int(annotator)))
    return result


@pytest.mark.parametrize(
    ("name", "differing"), [("whitespace", 9), ("nltk", 0)]
)
def test_the_official_m2_becomes_the_official_xml(
    shared: Path, name: str, differing: int
) -> None:
    expected = corrections(shared / "edits" / "m2" / "NUCLE.m2.ieval.xml")
    rows = m2(
        mirrored(
            shared, "awasthiabhijeet/PIE", "scratch/official-2014.combined.m2"
        )
    )
    found = [
        corrections_of_m2.corrections_of_m2(tokens, edits, SPLITS[name])
        for tokens, edits in rows
    ]
    assert len(found) == len(expected) == 1312
    assert (
        sum(one != two for one, two in zip(found, expected, strict=True))
        == differing
    )


def test_edits_that_overlap_are_one_error() -> None:
    edits = [
        Edit(0, 1, "X", "x||y", 0),
        Edit(2, 3, "X", "p q", 1),
        Edit(1, 3, "X", "-NONE-", 0),
        Edit(-1, -1, "noop", "-NONE-", 2),
    ]
    found = corrections_of_m2.corrections_of_m2(
        ["a", "b", "c"], edits, split_words
    )
    expected = sentence(
        "a b c",
        3,
        ("no", {0: "0 1 x"}),
        ("no", {0: "1 3 -NONE-", 1: "2 3 p q"}),
    )
    assert found == expected


@pytest.mark.parametrize(
    ("one", "two", "expected"),
    [
        ((1, 2), (1, 2), True),
        ((1, 1), (1, 1), True),
        ((1, 1), (0, 2), True),
        ((1, 1), (1, 2), False),
        ((1, 1), (0, 1), False),
        ((0, 2), (1, 3), True),
        ((0, 1), (1, 2), False),
    ],
)
def test_what_overlaps(
    one: tuple[int, int], two: tuple[int, int], expected: bool
) -> None:
    edits = [Edit(*span, "X", "", 0) for span in (one, two)]
    assert overlap(*edits) is overlap(*edits[::-1]) is expected


def test_tokenisations_of_corrections(monkeypatch: pytest.MonkeyPatch) -> None:
    assert SPLITS["nltk"]("known,the dilemma.") == (
        "known",
        ",",
        "the",
        "dilemma",
        ".",
    )
    monkeypatch.setitem(sys.modules, "nltk", None)
    with pytest.raises(InputError, match="pip install nltk"):
        SPLITS["nltk"]("a")


XML = """<scripts><script id="1">
<sentence id="1" numann="2"><text>a b</text><error-list>
<error id="1" req="no" type="X"><alt ann="1"><c start="0" end="1">x &amp; y</c><c start="2" end="2" /></alt></error>
</error-list></sentence>
<sentence id="2" numann="0"><text /><error-list /></sentence>
</script></scripts>
"""


def test_a_gold_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "gold.xml").write_text(XML, encoding="utf-8")
    assert [
        block.line for block in xml_blocks(tmp_path / "gold.xml", "gold.xml")
    ] == [
        2,
        5,
    ]
    one, two = corrections(tmp_path / "gold.xml")
    assert one == sentence("a b", 2, ("no", {1: "0 1 x & y, 2 2"}))
    assert two == CorrectedSentence((), 0, ())


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        (
            'end="1"',
            'end="1.5"',
            3,
            "end of the element c: expected a whole number, found '1.5'",
        ),
        (
            'numann="2"',
            'numann="-2"',
            2,
            "numann of the element sentence: expected a whole number from 0, found '-2'",
        ),
        (
            'req="no"',
            'req="No"',
            3,
            "req of the element error: expected yes or no, found 'No'",
        ),
        (
            'numann="2"',
            'num="2"',
            2,
            "the element sentence has no attribute 'numann'",
        ),
        (
            'numann="2"',
            'numann="999999999"',
            2,
            "the sentence has 999999999 annotators; at most 255 are supported",
        ),
        (
            "<text>a b</text>",
            "",
            3,
            "a correction before the text of its sentence",
        ),
        ("<text />", "", 5, "the sentence has no element text"),
        ("<text />", "<text /><text />", 5, "a second element text"),
        (
            '<alt ann="1">',
            "",
            3,
            "an element c inside an element error; expected it inside of alt",
        ),
        (
            "<scripts>",
            "<!DOCTYPE x [<!ENTITY a 'b'>]><scripts>",
            1,
            "has a document type definition",
        ),
        ("</scripts>", "", 7, "not well-formed XML"),
        (
            "<scripts>",
            "<scripts>" * 101,
            1,
            "more than 100 elements are one within the other",
        ),
        (
            "<scripts>",
            f"<scripts><!-- {'x' * (1 << 21)}",
            1,
            "a tag or comment has more than 1,048,576 bytes",
        ),
    ],
)
def test_what_is_wrong_in_a_gold_file_is_told(
    tmp_path: Path, old: str, new: str, line: int, message: str
) -> None:
    path = tmp_path / "gold.xml"
    assert old in XML
    path.write_text(XML.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(CorpusError) as caught:
        list(xml_blocks(path, str(path)))
    assert str(caught.value).startswith(f"{path}:{line}")
    assert message in str(caught.value)


def test_a_file_without_gold_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "gold.xml"
    path.write_text("<a><b>c</b></a>")
    with pytest.raises(CorpusError, match="has no element sentence"):
        list(xml_blocks(path, str(path)))
    monkeypatch.setattr(xml_records, "MAX_BYTES", 3)
    with pytest.raises(CorpusError, match="larger than 3 bytes"):
        list(xml_blocks(path, str(path)))
    with pytest.raises(CorpusError, match="no such file"):
        list(xml_blocks(tmp_path / "other.xml", str(tmp_path / "other.xml")))
