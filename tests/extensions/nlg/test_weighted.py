"""NIST, CIDEr-D and ROUGE-L of COCO against their original programs, nltk itself, published values
and sums by hand.

The golden files of ../shared/nlg were made with tuetschek/e2e-metrics 1b9c4d87 (Perl 5.36, and
Python) and nltk 3.10.4; its README says how. They print 15 digits, and 12 for E2E's test set."""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Sequence
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from nltk.translate.nist_score import corpus_nist

import pipeline
from pipeline.errors import ConfigError, InputError
from pipeline.extensions.nlg import ngrams
from pipeline.extensions.nlg.nist import NO_TOKENS, NistTokenization
from pipeline.kernel.common import join_lines
from pipeline.metrics.base.statistics_spec import Text
from pipeline.metrics.build import from_text
from tests.support.commands import Command
from tests.support.words import rows, wordlist

Case = dict[str, Any]
NEAR = 1e-11
"""Relative above 1. The sums are exact to 2**-41 for a sentence; the golden numbers have 15 digits.
"""


@cache
def golden(shared: Path, name: str) -> list[Case]:
    path = shared / "nlg" / "golden" / f"{name}.jsonl.gz"
    return [*map(json.loads, gzip.decompress(path.read_bytes()).splitlines())]


def sets(references: Sequence[Sequence[str]]) -> list[list[str | None]]:
    """Return reference sets of the references of each line: None where a line has fewer."""
    return [list(one) for one in zip_longest(*references)]


def text_of(case: Case) -> Text:
    columns = sets(case["references"])
    lines = [
        join_lines([(text or "").encode() for text in entry])
        for entry in columns
    ]
    missing = np.array(
        [[text is None for text in entry] for entry in columns], bool
    ).T
    return Text(
        None,
        lines,
        [join_lines([text.encode() for text in case["hypotheses"]])],
        {},
        missing=missing,
    )


def scored(text: Text, spelling: str) -> tuple[dict[str, float], list[float]]:
    """Return the outputs of a set of sentences, and the score of each."""
    metric = from_text(spelling)
    (columns,) = metric.spec.count(metric.spec.with_corpus_pass(text))
    if "ref_len" in columns and text.missing is not None:
        columns["ref_len"] = np.where(text.missing, -1, columns["ref_len"])
    totals = {
        name: values.sum(axis=0)
        for name, values in metric.make_terms(columns).items()
    }
    return {
        name: float(value) for name, value in metric.score(totals).items()
    }, metric.sentence_scores(columns)[:, 0].tolist()


# of lines that are empty, and of references alone
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def near(found: float, expected: float) -> bool:
    return math.isclose(found, expected, rel_tol=NEAR, abs_tol=NEAR)


NLTK = {
    "whitespace": "nist[flavour=nltk]",
    "13a;lowercase=false": "nist[flavour=nltk,tok=13a]",
    "13a;lowercase=true": "nist[flavour=nltk,tok=13a,lc=true]",
}


@pytest.mark.parametrize(
    "spelling", ["nist", "nist[flavour=pymteval]", *NLTK.values()]
)
def test_nist_is_that_of_its_programs(shared: Path, spelling: str) -> None:
    """All sets for which the program gives a number; mteval gives those of sentences of small sets
    too.
    """
    compared = 0
    for case in golden(shared, "nist"):
        program = {"nist": "mteval", "nist[flavour=pymteval]": "pymteval"}.get(
            spelling
        )
        out = case["out"][program] if program else case["out"]["nltk"]
        expected = (
            out.get("nist")
            if program
            else next(
                out[key] for key, entry in NLTK.items() if entry == spelling
            )
        )
        if isinstance(expected, float):
            outputs, sentences = scored(text_of(case), spelling)
            assert near(outputs["nist"], expected), case["id"]
            if program == "mteval" and "seg_nist" in out:
                assert all(map(near, sentences, out["seg_nist"])), case["id"]
            compared += 1
    assert compared > 1700


def test_mteval_sums_what_the_program_sums(shared: Path) -> None:
    """Matches, n-grams and information of each order, which its option -f writes to a file."""
    metric = from_text("nist")
    compared = 0
    for case in golden(shared, "nist"):
        out = case["out"]["mteval"]
        if "match" in out:
            (columns,) = metric.spec.count(
                metric.spec.with_corpus_pass(text_of(case))
            )
            assert columns["match"].sum(axis=0).tolist() == out["match"], case[
                "id"
            ]
            assert columns["total"].sum(axis=0).tolist() == out["hyp"], case[
                "id"
            ]
            assert np.allclose(
                columns["info"].sum(axis=0) / 2**40,
                out["info"],
                rtol=NEAR,
                atol=NEAR,
            ), case["id"]
            compared += 1
    assert compared > 2000


CIDER = {
    "cider": "cider",
    "cider;sigma=2": "cider[sigma=2]",
    "cider;sigma=20": "cider[sigma=20]",
}


@pytest.mark.parametrize("key", [*CIDER, "rouge_l"])
def test_cider_and_rouge_are_those_of_coco(shared: Path, key: str) -> None:
    spelling = CIDER.get(key, "rouge[flavour=coco,types=L]")
    sentences_key = {"cider": "sentences"}.get(key, f"{key}_sentences")
    compared = 0
    for case in golden(shared, "cider"):
        outputs, sentences = scored(text_of(case), spelling)
        found = (
            float(np.mean(sentences)) if key == "rouge_l" else outputs["cider"]
        )
        assert near(found, case["out"][key]), case["id"]
        assert all(
            map(near, sentences, case["out"].get(sentences_key, sentences))
        ), case["id"]
        compared += 1
    assert compared == 2040


def test_systems_of_the_e2e_challenge(shared: Path) -> None:
    """28 systems by CIDEr-D and ROUGE-L: sets and sentences of which the file has twelve digits;
    published values.
    """
    (first, *systems) = golden(shared, "cider-real")
    results = json.loads((shared / "nlg" / "published.json").read_bytes())[
        "results"
    ]
    published = {
        item.get("hypotheses", ""): item["published"]
        for item in results
        if item.get("suite") == "e2e" and "published" in item
    }
    outputs = {
        f"s{number}": system["hypotheses"]
        for number, system in enumerate(systems)
    }
    found = pipeline.evaluate(
        outputs,
        sets(first["references"]),
        metrics=["cider", "rouge[flavour=coco]"],
    )
    compared = 0
    for number, system in enumerate(systems):
        for metric, key, sentences, column in (
            ("cider", "cider", "sentences", "CIDEr"),
            ("rouge", "rouge_l", "rouge_l_sentences", "ROUGE_L"),
        ):
            entry = found.get(system=f"s{number}", metric=metric)
            assert near(entry.score, system["out"][key])
            assert np.allclose(
                entry.sentences, system["out"][sentences], rtol=0, atol=1e-11
            )
            for name, values in published.items():
                if name.endswith(system["file"]):
                    assert f"{entry.score:.4f}" == values[column]
                    compared += 1
    assert compared == 2 * 28


def test_nltk_itself(kernel: str) -> None:
    assert kernel
    rng = np.random.default_rng(7)
    lines = [
        [
            " ".join(rng.choice([*"abcdef"], size=rng.integers(5, 12)))
            for _ in range(9)
        ]
        for _ in range(4)
    ]
    expected = corpus_nist(
        [[lines[r][n].split() for r in range(3)] for n in range(9)],
        [one.split() for one in lines[3]],
    )
    found = pipeline.evaluate(
        lines[3], lines[:3], metrics=["nist[flavour=nltk]"]
    )
    assert found.score == pytest.approx(expected, abs=1e-12)


def test_nist_by_hand() -> None:
    """Of 5 reference tokens a occurs three times, b and c once: log2(5/3) and log2(5). After a
    there are a, b and c.

    The output has as many tokens as the mean of the references, so that nothing is taken off.
    """
    references = [["a a b", "a c"]]
    found = pipeline.evaluate(
        ["a b b", "c a"], references, metrics=["nist[n=2]"]
    )
    ones = (
        math.log2(5 / 3) + math.log2(5) + math.log2(5) + math.log2(5 / 3)
    ) / 5
    twos = math.log2(3 / 1) / 3
    assert found.outputs["nist_1"] == pytest.approx(ones, abs=1e-11)
    assert found.outputs["nist_2"] == pytest.approx(twos, abs=1e-11)
    assert found.score == pytest.approx(ones + twos, abs=1e-11)
    # 2 tokens, of 5
    short = pipeline.evaluate(["a", "c"], references, metrics=["nist[n=1]"])
    penalty = math.exp(math.log(0.5) * (math.log(2 / 5) / math.log(1.5)) ** 2)
    assert short.outputs["penalty"] == pytest.approx(penalty, abs=1e-12)


def test_cider_by_hand() -> None:
    """Two sentences; a is in both, so that it weighs nothing. The first output lacks its last
    token, and a bigram.
    """
    found = pipeline.evaluate(
        ["a b", "a d"], [["a b c", "a d"]], metrics=["cider[sigma=1]"]
    )
    one = 1 / math.sqrt(2)  # b of b and c; then "a b" of two bigrams
    first = 10 / 4 * (one + one) * math.exp(-1 / 2)
    second = 10 / 4 * 2
    assert found.sentences.tolist() == pytest.approx([first, second], abs=1e-11)
    assert found.outputs["cider_3"] == found.outputs["cider_4"] == 0
    alone = pipeline.evaluate(["a b c d"], [["a b c d"]], metrics=["cider"])
    assert (alone.score, len(alone.notes)) == (0, 1)


def test_rouge_of_coco_by_hand() -> None:
    """Precision 2/2 is that of the first reference, recall 1/1 that of the second. An empty text is
    a token.
    """
    found = pipeline.evaluate(
        ["a b", "", ""],
        [["x a y b", "", "a"], ["b", "c", None]],
        metrics=["rouge[flavour=coco]"],
    )
    assert found.sentences.tolist() == [1, 1, 0]
    found = pipeline.evaluate(
        ["a b c"], [["a"], ["a b x"]], metrics=["rouge[flavour=coco]"]
    )
    precision = 2 / 3
    recall = 1.0
    assert found.score == pytest.approx(
        2.44 * precision * recall / (recall + 1.44 * precision), abs=1e-15
    )
    assert (
        found.outputs["rougeL_precision"],
        found.outputs["rougeL_recall"],
    ) == (precision, recall)


TOKENS = [
    # program, lower-cased, line, tokens; the Perl program, its copy, and nltk 3.10.4 were run on
    # such lines
    (
        "mteval",
        True,
        "A<SKIPPED>É <skipped>x&amp;lt;",
        wordlist("a < skipped > É x <"),
    ),
    ("mteval", True, "a\x1cb\u00a0c", ["a\ufdd1b", "c"]),
    ("mteval", True, "", []),
    ("pymteval", True, "", [NO_TOKENS]),
    ("pymteval", True, "ΑΣ.Ω É-\nx", wordlist("ας . ω éx")),
    ("pymteval", False, "É-1 1-2", wordlist("É-1 1 - 2")),
    (
        "nltk",
        False,
        "&lt;a&#91; &amp;quot; -\nx",
        wordlist("< a [ & quot ; - x"),
    ),
    ("nltk", True, "É A", ["é", "a"]),
]


@pytest.mark.parametrize(("program", "lowercase", "line", "tokens"), TOKENS)
def test_tokens_of_the_programs(
    program: str, lowercase: bool, line: str, tokens: list[str]
) -> None:
    assert (
        NistTokenization(program=program, lowercase=lowercase).tokens(line)
        == tokens
    )


def test_a_scorer_knows_all_references_and_a_batch_its_own() -> None:
    references = [["a b c d e", "a b c x y", "q r s t u"]]
    outputs = ["a b c d x", "a b c d e", "q s t u"]
    for metric in ("nist", "cider"):
        total = pipeline.evaluate(outputs, references, metrics=[metric])
        scorer = pipeline.Scorer(metric, references)
        assert (
            scorer.rewards([outputs[2], outputs[0]], [2, 0]).tolist()
            == total.sentences[[2, 0]].tolist()
        )
        assert (
            pipeline.sentence_scores(metric, outputs, references).tolist()
            == total.sentences.tolist()
        )
        assert (
            pipeline.sentence_scores(metric, outputs[:1], [references[0][:1]])[
                0
            ]
            != total.sentences[0]
        )


def test_rewards_of_single_lines_are_refused() -> None:
    with pytest.raises(
        InputError,
        match="cider: depends on all references of a data set, and a reward has its own",
    ):
        pipeline.rewards.plain("cider")


def test_scores_that_are_no_fractions_are_shown_as_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    monkeypatch.chdir(tmp_path)
    outputs = ["a b c d x", "f g h i"]
    references = ["a b c d e", "f g h i"]
    (tmp_path / "r").write_text("\n".join(references), encoding="utf-8")
    (tmp_path / "o").write_text("\n".join(outputs), encoding="utf-8")
    found = pipeline.evaluate(outputs, [references], metrics=["nist"])
    score = f"{found.score:.2f}"
    sentences = [f"{value:.2f}" for value in found.sentences]
    assert 2 < found.score < 10
    line = "score nist -r r -o o"
    out = command(f"{line} --columns 'nist_*'").out
    assert f"{score}  " in out
    assert "nist_2" in out
    assert command(f"{line} -b").out == f"{score}\n"
    assert command(f"{line} -b --sentences").out.split() == sentences
    rows_of_lines = command(f"{line} --sentences").out.splitlines()[1:]
    assert [row.split("\t")[2] for row in rows_of_lines] == sentences
    out = command("explain nist -r r -o o --line 2").out
    assert f": nist {sentences[1]}" in out


def test_pieces_cannot_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    outputs = ["a b", "b a c", "", "c"]
    references: list[list[str | None]] = [
        ["a b c", "b a", "c", "c"],
        ["a", None, "x", "c a"],
    ]
    metrics = wordlist("nist nist[flavour=pymteval] nist[flavour=nltk] cider")
    before = [
        result.sentences.tolist()
        for result in pipeline.evaluate(outputs, references, metrics=metrics)
    ]
    monkeypatch.setattr(ngrams, "CHUNK_LINES", 1)
    assert [
        result.sentences.tolist()
        for result in pipeline.evaluate(outputs, references, metrics=metrics)
    ] == before


@pytest.mark.parametrize(
    ("spelling", "message"),
    rows("""
    rouge[flavour=coco,types=1] => flavour coco has the type L alone
    rouge[flavour=coco,level=micro] => flavour coco is the mean of the texts' scores
    rouge[flavour=coco,refs=mean] => flavour coco takes best
    cider[sigma=0] => sigma: expected a number above 0
"""),
)
def test_options_that_do_not_go_together(spelling: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        from_text(spelling)
