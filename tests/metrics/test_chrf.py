"""chrF against sacreBLEU, live."""

from __future__ import annotations

from itertools import chain, permutations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from nltk.translate.chrf_score import corpus_chrf
from sacrebleu.metrics.chrf import CHRF

import pipeline
from pipeline.errors import InputError
from pipeline.metrics.chrf import Chrf
from tests.metrics.test_bleu import (
    Texts,
    check_sentences,
    conll,
    generated,
    ours,
    sample,
)
from tests.support.numbers import near, very_near


def same_as_sacrebleu(
    texts: Texts,
    options: str = "",
    sentences: bool = True,
    reading: CHRF | None = None,
    **theirs: Any,
) -> None:
    """Compare ours with sacreBLEU's; reading: one that has read the references already."""
    found = ours(texts, f"chrf[{options}]" if options else "chrf")
    oracle = reading or CHRF(**theirs)
    expected = oracle.corpus_score(texts[0], None if reading else texts[1])
    assert 100 * found.score == very_near(expected.score)
    assert (
        found.found.peer_signature
        == f"{expected.name}|{oracle.get_signature()}"
    )
    if sentences:
        check_sentences(found, oracle, texts)


@pytest.mark.parametrize(
    ("words", "space", "eps"),
    list(product([0, 1, 2, 3], [False, True], [False, True])),
)
def test_every_setting_as_sacrebleu(words: int, space: bool, eps: bool) -> None:
    options = f"nw={words},space={space},eps={eps}".lower()
    for seed in range(4):
        texts = generated(seed, references=1 + seed % 3)
        same_as_sacrebleu(
            texts,
            options,
            word_order=words,
            whitespace=space,
            eps_smoothing=eps,
        )


def test_orders_case_and_beta_as_sacrebleu() -> None:
    texts = generated(9)
    same_as_sacrebleu(texts)
    for order, beta in ((1, 1), (3, 3), (8, 2), (9, 9)):
        same_as_sacrebleu(
            texts,
            f"nc={order},beta={beta},lc=true",
            char_order=order,
            beta=beta,
            lowercase=True,
        )


@pytest.mark.parametrize(
    ("hypotheses", "references"),
    [
        ([""], [[""]]),
        ([""], [["a"]]),
        (["a"], [[""]]),
        (["abc"], [["ab"]]),
        (["abcdefgh", "x"], [["abcdefgh", ""], ["", "x y"]]),
        (["(a) b! ?"], [["(a) b ! ?"]]),
        (["\u3000a\xa0b"], [["a b"]]),
    ],
)
def test_edges_as_sacrebleu(
    hypotheses: list[str], references: list[list[str]]
) -> None:
    for words, eps in product((0, 2), (False, True)):
        texts = hypotheses, references
        same_as_sacrebleu(
            texts,
            f"nw={words},eps={eps}".lower(),
            word_order=words,
            eps_smoothing=eps,
        )


def test_sample_and_real_outputs_as_sacrebleu(shared: Path) -> None:
    for words in (0, 2):
        same_as_sacrebleu(sample(), f"nw={words}", word_order=words)
        reading = CHRF(word_order=words, references=conll(shared, "AMU")[1])
        for name in ("AMU", "RAC", "PKU"):
            same_as_sacrebleu(
                conll(shared, name),
                f"nw={words}",
                sentences=False,
                reading=reading,
            )


@pytest.mark.parametrize("eps", [False, True])
def test_references_are_compared_as_sacrebleu_compares_them(eps: bool) -> None:
    """Scores that are equal but for rounding: it compares percents, in which some are equal, or are
    not, again.
    """
    total = [10, 9, 8, 7, 6, 5]
    matches = [
        [10, 6, 4, 3, 2, 0],
        [8, 6, 4, 3, 2, 1],
        [10, 9, 4, 3, 0, 0],
        [8, 7, 5, 3, 2, 1],
        [10, 7, 5, 3, 2, 0],
    ]
    matches += [
        [10, 9, 5, 4, 0, 0],
        [8, 6, 5, 4, 2, 1],
        [10, 5, 4, 3, 2, 0],
        [8, 5, 4, 3, 2, 1],
    ]
    oracle = CHRF(eps_smoothing=eps)

    def score(match: list[int]) -> float:
        return oracle._compute_f_score(
            [*chain(*zip(total, total, match, strict=True))]
        )

    pairs = list(permutations(matches, 2))
    columns = {
        "total": np.array([total] * len(pairs)),
        "ref_total": np.array([[total] * 2] * len(pairs)),
        "match": np.array(pairs),
    }
    target = [int(score(second) > score(first)) for first, second in pairs]
    assert Chrf(eps_smoothing=eps).choose(columns).tolist() == target


def test_any_beta_and_high_orders_as_sacrebleu() -> None:
    texts = generated(11)
    for order, beta in ((6, "0.5"), (12, "1.75"), (16, "3"), (6, "0")):
        theirs = float(beta) if "." in beta else int(beta)
        same_as_sacrebleu(
            texts, f"nc={order},beta={beta}", char_order=order, beta=theirs
        )
    same_as_sacrebleu(texts, "nw=16,beta=2.5", word_order=16, beta=2.5)


@pytest.mark.parametrize(
    ("low", "high", "beta"),
    [(1, 6, "3"), (2, 3, "3"), (3, 6, "0.5"), (6, 6, "1"), (2, 12, "2")],
)
def test_the_lowest_order_is_nltks(low: int, high: int, beta: str) -> None:
    """nltk takes one reference, and averages the F-scores of orders and of sentences."""
    for seed in range(3):
        hypotheses, (reference,) = generated(seed, references=1)
        remaining = [
            number
            for number, line in enumerate(hypotheses)
            if line and reference[number]
        ]
        texts = (
            [hypotheses[number] for number in remaining],
            [[reference[number] for number in remaining]],
        )
        found = ours(
            texts, f"chrf[minc={low},nc={high},beta={beta},eps=true,level=mean]"
        )
        expected = corpus_chrf(
            texts[1][0], texts[0], min_len=low, max_len=high, beta=float(beta)
        )
        assert found.score == pytest.approx(expected, rel=1e-12)


def test_the_lowest_order_without_smoothing_by_hand() -> None:
    # orders 2 and 3 of "abcd" and "abce": 2 of 3 and 1 of 2 match in both directions
    (found,) = pipeline.evaluate(
        ["abcd"], [["abce"]], metrics="chrf[minc=2,nc=3]"
    )
    assert found.score == near((2 / 3 + 1 / 2) / 2)
    assert "|nc:3|minc:2|" in found.signature
    with pytest.raises(
        InputError, match="minc: expected at most the char_order, 3; found '4'"
    ):
        pipeline.evaluate(["a"], [["a"]], metrics="chrf[minc=4,nc=3]")
