"""SARI and the features of simplifications: numbers of the original programs, values by hand,
ragged references.
"""

from __future__ import annotations

import gzip
import json
import random
from itertools import product, zip_longest
from pathlib import Path
from typing import Any

import pytest

import pipeline
from tests.oracles import naive_sari
from tests.support.commands import Command
from tests.support.numbers import near
from tests.support.words import rows, wordlist

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
"""Texts of the cases look mistaken."""

GOLDEN = {
    "easse": "sari",
    "easse;tokenizer=none": "sari[tok=whitespace]",
    "easse;tokenizer=intl": "sari[tok=intl]",
    "easse;lowercase=false": "sari[lc=false]",
    "easse;legacy": "sari[legacy=true]",
    "easse;deletion=precision": "sari[del=precision]",
    "easse;paper": "sari[avg=micro]",
    "easse;paper;deletion=precision": "sari[avg=micro,del=precision]",
    "xu": "sari[flavour=xu]",
    "huggingface": "sari[flavour=huggingface]",
    "modified": "sari[flavour=modified]",
}
"""The programs and options of the golden file, and how they are asked for here."""
COUNTS = [
    f"{part}_{total}" for part, total in product(("add", "keep", "del"), "chr")
]


def sets_of(references: list[list[str]]) -> list[list[str | None]]:
    """Return references by line as reference sets, with None where a line has fewer."""
    return [[*one] for one in zip_longest(*references)]


def test_golden_cases(shared: Path) -> None:
    """All numbers of EASSE 6a4352ec, SARI.py and modified-sari.py 35570464, and evaluate a7dd3383."""
    with gzip.open(
        shared / "nlg" / "golden" / "sari.jsonl.gz", "rt", encoding="utf-8"
    ) as file:
        cases = [
            json.loads(line)
            for number, line in enumerate(file)
            if number % 4 == 0
        ]
    assert len(cases) == 510
    for case in cases:
        found = pipeline.evaluate(
            {"x": case["hypotheses"]},
            sets_of(case["references"]),
            case["sources"],
            metrics=list(GOLDEN.values()),
        )
        for (program, _), result in zip(GOLDEN.items(), found, strict=True):
            expected: dict[str, Any] = case["out"][program]
            for name in wordlist("sari add keep del sari_f del_recall del_f"):
                if name in expected:
                    assert result.outputs[name] == near(expected[name] / 100), (
                        case["id"],
                        program,
                    )
            if "counts" in expected:
                columns = result.columns
                sums = [
                    [int(columns[f"{name}_{n}"].sum()) for n in range(1, 5)]
                    for name in COUNTS
                ]
                assert sums == expected["counts"], (case["id"], program)
            if "sentences" in expected:
                assert (result.sentences * 100).tolist() == pytest.approx(
                    expected["sentences"], abs=1e-10
                )


def test_a_sentence_by_hand() -> None:
    """Order 1: added d of d; kept a of a and b, where a is wanted; deleted c, where b and c should
    go. And so on.
    """
    (result,) = pipeline.evaluate(
        {"x": ["a b d"]}, [["a d"]], ["a b c"], metrics=["sari"]
    )
    assert result.outputs == pytest.approx(
        {"sari": 1 / 3, "add": 1 / 4, "keep": 1 / 6, "del": 7 / 12}, abs=1e-15
    )


def test_a_perfect_sentence() -> None:
    """EASSE gives what nobody adds 0. The card of Hugging Face's metric prints 100 where all three
    texts are equal.
    """
    same = ["About 95 species are currently accepted ."]
    plain, other = pipeline.evaluate(
        {"x": same}, [same], same, metrics=["sari", "sari[flavour=huggingface]"]
    )
    assert (plain.score, other.score) == (pytest.approx(1 / 3), 1.0)


@pytest.mark.parametrize(
    "spelling", ["sari", "sari[flavour=xu]", "sari[flavour=huggingface]"]
)
def test_a_missing_reference_does_not_count(spelling: str) -> None:
    """A naive implementation of the definitions, sentence by sentence, with the references that the
    sentence has.
    """
    rng = random.Random(7)
    level = "" if "flavour" in spelling else "[level=mean]"

    def text() -> str:
        return " ".join(rng.choices("abcde", k=rng.randint(1, 9)))

    sources, outputs = ([text() for _ in range(40)] for _ in range(2))
    references = [[text() for _ in range(rng.randint(1, 4))] for _ in sources]
    found = pipeline.evaluate(
        {"x": outputs}, sets_of(references), sources, metrics=[spelling + level]
    )[0]
    flavour = spelling.partition("=")[2].rstrip("]") or "easse"
    naive = [
        naive_sari.score(*line, flavour)
        for line in zip(sources, outputs, references, strict=True)
    ]
    assert found.sentences.tolist() == near(naive)
    scorer = pipeline.Scorer(spelling + level, sets_of(references), sources)
    assert scorer.score(outputs)[0].score == found.score
    assert scorer.sentences(outputs).tolist() == found.sentences.tolist()


def test_moses_is_sacremoses() -> None:
    sacremoses = pytest.importorskip("sacremoses")
    tokenizer = sacremoses.MosesTokenizer()
    texts = [
        'It isn\'t (quite) what "they" said: 3.5 % & more...',
        "Mr. O'Neill left <it> there.",
    ]
    tokens = [
        tokenizer.tokenize(text, escape=False, return_str=True)
        for text in texts
    ]
    plain = ["sari[tok=moses]", "bleu[tok=moses]"]
    split = ["sari[tok=whitespace]", "bleu[tok=whitespace]"]
    found = pipeline.evaluate(
        {"x": texts[:1]}, [texts[1:]], texts[1:], metrics=plain
    )
    other = pipeline.evaluate(
        {"x": tokens[:1]}, [tokens[1:]], tokens[1:], metrics=split
    )
    assert [result.outputs for result in found] == [
        result.outputs for result in other
    ]
    assert found[1].found.peer_signature is None


def test_wrong_options_are_told(tmp_path: Path, command: Command) -> None:
    (tmp_path / "t").write_text("a b\n", encoding="utf-8")
    arguments = (
        "-s",
        tmp_path / "t",
        "-r",
        tmp_path / "t",
        "-o",
        tmp_path / "t",
    )
    for spelling, message in rows("""
    sari[flavour=xu,level=corpus] => level: flavour xu scores sentences
    sari[flavour=xu,deletion=f1] => only flavour: easse has it
    sari[flavour=modified,tokenizer=13a] => no other tokenizer
    sari[legacy=true,lowercase=true] => legacy never lower-cases
"""):
        notice = command.refused(f"score {spelling}", *arguments).err
        assert message in notice, notice


def test_features_by_hand() -> None:
    """Line 1 has 5 of 10 characters, 2 of 4 tokens and is 2 sentences; line 2 is a copy but for
    white space.
    """
    sources = ["aaa bb. cc", "a  b"]
    outputs = ["aaa. bb. dd. ", "a b"]
    (result,) = pipeline.evaluate(
        {"x": outputs},
        [sources],
        sources,
        metrics=["features[tokenizer=whitespace]"],
    )
    assert result.sentence_outputs["compression"].tolist() == [13 / 10, 3 / 4]
    means = {
        name: values.tolist()
        for name, values in result.sentence_outputs.items()
    }
    assert means["copies"] == [0, 1]
    assert means["additions"] == [2 / 3, 0]
    assert means["deletions"] == [2 / 3, 0]
    assert means["splits"] == [3, 1]
    assert result.outputs["splits"] == 2
