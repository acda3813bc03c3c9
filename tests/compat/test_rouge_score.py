"""The names of rouge-score, against the package itself run live."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from rouge_score import rouge_scorer as peer
from rouge_score import tokenizers as peer_tokenizers

from pipeline.compat.rouge_score import rouge_scorer
from pipeline.errors import InputError
from tests.metrics.test_rouge import TYPES, texts


class Blanks(peer_tokenizers.Tokenizer):  # type: ignore[misc]
    """A tokeniser of the user's own."""

    def tokenize(self, text: str) -> list[str]:
        return text.split(" ")


TYPE_SETS = [
    TYPES,
    ["rougeLsum"],
    ["rougeL"],
    ["rouge2"],
    ["rougeLsum", "rouge1"],
    [],
]


@pytest.mark.parametrize(
    "settings", [{}, {"use_stemmer": True}, {"tokenizer": Blanks()}]
)
@pytest.mark.parametrize("types", TYPE_SETS)
def test_types_with_one_target_and_with_several(
    types: list[str], settings: dict[str, Any]
) -> None:
    rng = random.Random(3)
    mine = rouge_scorer.RougeScorer(types, **settings)
    theirs = peer.RougeScorer(types, **settings)
    pool = texts(1, 60)
    for prediction in texts(2, 40):
        targets = rng.choices(pool, k=rng.randint(1, 4))
        assert repr(mine.score(targets[0], prediction)) == repr(
            theirs.score(targets[0], prediction)
        )
        assert repr(mine.score_multi(targets, prediction)) == repr(
            theirs.score_multi(targets, prediction)
        )


@pytest.mark.parametrize(
    "name", ["rougen", "rouge0", "rouge10", "rougeW", "", "Rouge1"]
)
def test_unknown_types_are_refused(name: str) -> None:
    for package in (rouge_scorer, peer):
        with pytest.raises(ValueError, match=r"."):
            package.RougeScorer([name]).score("a", "a")


def test_what_cannot_be_scored_says_why() -> None:
    scorer = rouge_scorer.RougeScorer(["rouge1"])
    wrong: Any = None
    calls: list[tuple[Callable[[], Any], str]] = [
        (
            lambda: scorer.score("a", wrong),
            "prediction: expected a text, found NoneType",
        ),
        (
            lambda: scorer.score(wrong, "a"),
            "target: expected a text, found NoneType",
        ),
        (
            lambda: scorer.score_multi([], "a"),
            "expected a list of texts that is not empty",
        ),
        (lambda: scorer.score_multi("abc", "a"), "expected a list of texts"),
        (
            lambda: rouge_scorer.RougeScorer([], split_summaries=True),
            r"sent_tokenize\(text\)",
        ),
    ]
    for call, message in calls:
        with pytest.raises(InputError, match=message):
            call()
