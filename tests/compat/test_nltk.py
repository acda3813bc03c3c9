"""The names of nltk.translate, against nltk run live."""

from __future__ import annotations

import itertools
import random
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from nltk.translate import bleu_score as peer
from nltk.translate import gleu_score as peer_gleu

from pipeline.compat.nltk import sentence_bleu, sentence_gleu
from pipeline.compat.nltk.translate import bleu_score as own
from pipeline.compat.nltk.translate import gleu_score as own_gleu
from pipeline.errors import InputError

Corpus = tuple[list[list[list[Any]]], list[list[Any]]]
EXACT = (None, *(f"method{number}" for number in range(4)))
"""The usual smoothings, which are the same bit for bit."""
METHODS = [None, *(f"method{number}" for number in range(8))]
WEIGHTS: list[Any] = [
    (0.25, 0.25, 0.25, 0.25),
    [0.25, 0.25, 0.25, 0.25],
    (1.0,),
    (0.1, 0.3, 0.5, 0.1, 0, 0.2),
    (1 / 3, 1 / 3, 1 / 3),
    np.array([0.25] * 4),
]
WORDS: list[Any] = [
    "the",
    "cat",
    "sat",
    "on",
    "a",
    "mat",
    ".",
    "",
    "two words",
    7,
    ("a", "b"),
    1.0,
]
"""Tokens need not be texts; nltk takes whatever a dict takes as a key."""


def corpus(seed: int, lines: int = 6, most: int = 12) -> Corpus:
    """Hypotheses with one to four references each; some are short or empty."""
    rng = random.Random(seed)
    references = []
    hypotheses = []
    for _ in range(lines):
        base = rng.choices(WORDS, k=rng.choice([0, 1, 2, 3, 4, 5, most]))
        hypotheses.append([word for word in base if rng.random() > 0.1])
        changed = [
            [rng.choice(WORDS) if rng.random() < 0.3 else word for word in base]
            for _ in range(4)
        ]
        references.append(changed[: rng.randint(1, 4)])
    return references, hypotheses


def outcome(function: Any, *arguments: Any, **settings: Any) -> Any:
    """What a function returns, or the word "error"; nltk has several errors for what cannot be
    scored.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return function(*arguments, **settings)
        except (
            InputError,
            AssertionError,
            IndexError,
            ValueError,
            ZeroDivisionError,
            TypeError,
        ):
            return "error"


def check(mine: Any, theirs: Any, *, exact: bool = False) -> None:
    """Equal, `exact` bit for bit, and of the same kind."""
    assert type(mine) is type(theirs)
    assert mine == (
        theirs
        if exact or isinstance(theirs, str)
        else pytest.approx(theirs, rel=1e-13, abs=0)
    )


def compare(
    name: str,
    method: str | None,
    parameters: dict[str, Any],
    *arguments: Any,
    **settings: Any,
) -> None:
    """Score by a function of both packages, with a smoothing of their own."""
    check(
        *(
            outcome(
                getattr(package, name),
                *arguments,
                smoothing_function=getattr(
                    package.SmoothingFunction(**parameters), method
                )
                if method
                else None,
                **settings,
            )
            for package in (own, peer)
        ),
        exact=method in EXACT and not parameters and "weights" not in settings,
    )


@pytest.mark.parametrize("method", METHODS)
def test_bleu_of_every_smoothing_and_weights(method: str | None) -> None:
    for seed, parameters in itertools.product(
        range(12), ({}, {"epsilon": 0.013, "alpha": 3, "k": 2.5})
    ):
        references, hypotheses = corpus(seed)
        compare("corpus_bleu", method, parameters, references, hypotheses)
        for weights in WEIGHTS:
            compare(
                "corpus_bleu",
                method,
                parameters,
                references,
                hypotheses,
                weights=weights,
            )
            for texts, hypothesis in zip(references, hypotheses, strict=True):
                compare(
                    "sentence_bleu",
                    method,
                    parameters,
                    texts,
                    hypothesis,
                    weights=weights,
                )


@pytest.mark.parametrize(
    ("least", "most"), [(1, 4), (1, 1), (2, 3), (1, 9), (4, 16)]
)
def test_gleu(least: int, most: int) -> None:
    for seed in range(40):
        references, hypotheses = corpus(seed, lines=5)
        one = own_gleu.corpus_gleu(references, hypotheses, least, most)
        assert one == peer_gleu.corpus_gleu(references, hypotheses, least, most)
        for texts, hypothesis in zip(references, hypotheses, strict=True):
            one = own_gleu.sentence_gleu(
                texts, hypothesis, min_len=least, max_len=most
            )
            assert one == peer_gleu.sentence_gleu(
                texts, hypothesis, min_len=least, max_len=most
            )


def test_texts_are_their_letters() -> None:
    assert sentence_bleu(["abcdef"], "abcdxf") == peer.sentence_bleu(
        ["abcdef"], "abcdxf"
    )
    assert sentence_gleu(["abcdef"], "abcdxf") == peer_gleu.sentence_gleu(
        ["abcdef"], "abcdxf"
    )


def test_a_precision_of_0_without_smoothing_warns() -> None:
    with pytest.warns(
        UserWarning, match="no 2-gram matches, so BLEU without smoothing is 0"
    ) as caught:
        assert sentence_bleu(
            [["a", "b"]], ["b", "a"], (0.5, 0.5)
        ) == pytest.approx(0, abs=1e-70)
    assert caught[0].filename == __file__


def test_what_cannot_be_scored_says_why() -> None:
    unhashable: Any = [["a"]]
    wrong_weights: Any = [(0.5, 0.5)]
    wrong: list[tuple[Callable[[], Any], str]] = [
        (lambda: own.corpus_bleu([[["a"]]], []), "the list is empty"),
        (
            lambda: own.corpus_bleu([[["a"]]], [["a"], ["b"]]),
            "found 1 lists of references, and 2 hypotheses",
        ),
        (
            lambda: own.corpus_bleu([[["a"]], []], [["a"], ["b"]]),
            "item 2 has no references",
        ),
        (
            lambda: own.sentence_bleu([["a"]], ["a"], wrong_weights),
            "weights: expected a list of numbers",
        ),
        (
            lambda: own.sentence_bleu([["a"]], ["a"], ()),
            "a whole number from 1",
        ),
        (
            lambda: own.sentence_bleu([["a"]], ["a"], (1 / 17,) * 17),
            "from 1 to 16",
        ),
        (lambda: own.sentence_bleu([["a"]], unhashable), "lists of tokens"),
        (
            lambda: own.sentence_bleu(
                [["a"]],
                ["a"],
                smoothing_function=own.SmoothingFunction().method6,
            ),
            "method6",
        ),
        (
            lambda: own.sentence_bleu(
                [["a"]], ["a"], smoothing_function=unhashable
            ),
            "a method of SmoothingFunction",
        ),
        (
            lambda: own_gleu.sentence_gleu([["a"]], ["a"], min_len=0),
            "min_order: expected a whole number from 1",
        ),
        (
            lambda: own_gleu.sentence_gleu(
                [["a"] * 20], ["a"] * 20, max_len=20
            ),
            "order: expected .* to 16",
        ),
        (
            lambda: own_gleu.corpus_gleu([[["a"]], []], [["a"], ["b"]]),
            "item 2 has no references",
        ),
    ]
    for call, message in wrong:
        with pytest.raises(InputError, match=message):
            call()
