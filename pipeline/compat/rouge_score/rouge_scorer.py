"""ROUGE with the names of rouge_score.rouge_scorer."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import kernel
from ...kernel.common import Encoded, Sentences
from ..texts import WrongTypeError, WrongValueError, ids_of, lengths, lines_of, matches, totals, unavailable
from . import scoring, tokenizers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .scoring import Score

NGRAMS = re.compile("rouge([0-9])")
NOTHING = scoring.Score(0, 0, 0)
"""The score of subsequences where a text has no token."""


class RougeScorer:
    """ROUGE of several types: rouge1 to rouge9, rougeL and rougeLsum."""

    def __init__(
        self,
        rouge_types: Sequence[str],
        use_stemmer: bool = False,
        split_summaries: bool = False,
        tokenizer: Any = None,
    ) -> None:
        """Make a scorer.

        With `use_stemmer`, words are stemmed as nltk's Porter stemmer does. With `split_summaries`, rougeLsum splits
        texts into sentences by nltk, which has to be installed, and else at newlines. `tokenizer` is an object with a
        method tokenize(text), which returns tokens.
        """
        self.rouge_types, self.split_summaries = rouge_types, split_summaries
        self.tokenizer = tokenizer or tokenizers.DefaultTokenizer(use_stemmer)

    def score(self, target: str, prediction: str) -> dict[str, Score]:
        """Return the score of each type. Raises InputError for an unknown type, and for what is no text."""
        return {name: scores[0] for name, scores in self._scores([target], prediction).items()}

    def score_multi(self, targets: Sequence[str], prediction: str) -> dict[str, Score]:
        """Return the score of each type with the target that has the highest F of this type, the first of equals.

        Raises InputError as score() does, and where there is no target.
        """
        if isinstance(targets, str | bytes) or not len(targets):
            raise WrongValueError("targets: expected a list of texts that is not empty")
        scores = self._scores(targets, prediction)
        return {name: max(own, key=lambda score: score.fmeasure) for name, own in scores.items()}

    def _scores(self, targets: Sequence[str], prediction: str) -> dict[str, list[Score]]:
        """Return the score of each type with each target."""
        orders = [_order(name) for name in self.rouge_types]
        texts = [_text("target", target) for target in targets]
        texts.append(_text("prediction", prediction))
        scores: dict[str, list[Score]] = {}
        whole = self._encode([[text] for text in texts]) if set(self.rouge_types) - {"rougeLsum"} else []
        ngrams = _ngrams([text.whole for text in whole], max(orders)) if any(orders) else {}
        for name, order in zip(self.rouge_types, orders, strict=True):
            if order:
                scores[name] = ngrams[order]
            elif name == "rougeL":
                *references, output = tokens = [text.whole for text in whole]
                scores[name] = _of_lengths(kernel.lcs(references, [output])[0, 0].tolist(), tokens)
            else:
                split_text = _split_by_nltk if self.split_summaries else _split_at_newlines
                *others, last = split = self._encode([split_text(text) for text in texts])
                match = kernel.union_lcs(others, [last])  # the union of subsequences of sentences
                scores[name] = _of_lengths(match[0, 0].tolist(), [text.whole for text in split])
        return scores

    def _encode(self, texts: Sequence[Sequence[str]]) -> list[Sentences]:
        """Return texts, each a list of sentences, as lines of ids."""
        firsts = [np.array([0, len(sentences)], np.int64) for sentences in texts]
        if type(self.tokenizer) is tokenizers.DefaultTokenizer:
            encoded = self.tokenizer.tokenization.encode([lines_of("text", sentences) for sentences in texts])
        else:
            encoded = ids_of([[self.tokenizer.tokenize(sentence) for sentence in text] for text in texts])
        return [Sentences(*ids, first) for ids, first in zip(encoded, firsts, strict=True)]


def _split_at_newlines(text: str) -> list[str]:
    return list(filter(None, text.split("\n")))


def _split_by_nltk(text: str) -> list[str]:
    try:
        from nltk import sent_tokenize
    except ImportError:
        unavailable("split_summaries", "nltk splits the sentences: pip install nltk")
    try:
        sentences: list[str] = sent_tokenize(text)
    except LookupError:
        unavailable("split_summaries", "nltk lacks its data for sentences: python -m nltk.downloader punkt_tab")
    return sentences


def _text(name: str, text: Any) -> str:
    if isinstance(text, bytes):
        text = text.decode()
    if not isinstance(text, str):
        raise WrongTypeError(f"{name}: expected a text, found {type(text).__name__}")
    return text


def _order(name: str) -> int:
    """Return the order of a type of n-grams, 0 for rougeL and rougeLsum. Raises WrongValueError for an unknown type."""
    order = NGRAMS.fullmatch(name)
    if name not in ("rougeL", "rougeLsum") and (order is None or order[1] == "0"):
        raise WrongValueError(f"rouge_types: expected rouge1 to rouge9, rougeL or rougeLsum; found {name!r}")
    return int(order[1]) if order else 0


def _ngrams(texts: Sequence[Encoded], highest: int) -> dict[int, list[Score]]:
    """Return the score of each order with each reference; the output is the last of the texts."""
    match = matches(texts, highest, "match")[0].tolist()
    sizes = totals(np.array([lengths(text)[0] for text in texts]), highest).tolist()
    return {
        n + 1: [_scored(of[n], size[n], sizes[-1][n]) for of, size in zip(match, sizes[:-1], strict=True)]
        for n in range(highest)
    }


def _of_lengths(match: Sequence[int], texts: Sequence[Encoded]) -> list[Score]:
    *sizes, own = [int(lengths(text)[0]) for text in texts]
    pairs = zip(match, sizes, strict=True)
    return [_scored(matched, size, own) if size and own else NOTHING for matched, size in pairs]


def _scored(match: int, target: int, prediction: int) -> Score:
    precision, recall = match / max(prediction, 1), match / max(target, 1)
    return scoring.Score(precision, recall, scoring.fmeasure(precision, recall))
