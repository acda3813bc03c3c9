"""ROUGE with the names of rouge_score.rouge_scorer."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ... import kernel
from ...kernel.common import Sentences
from ...tokenizers import Tokenization
from ..texts import (
    WrongTypeError,
    WrongValueError,
    ids_of,
    lines_of,
    matches,
    unavailable,
)

__all__ = ["RougeScorer"]

NGRAMS = re.compile("rouge([1-9])")


class Score(NamedTuple):
    """Precision, recall and their harmonic mean."""

    precision: float
    recall: float
    fmeasure: float


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

        With `use_stemmer`, words are stemmed as nltk's Porter stemmer does. Sentences of rougeLsum
        end at newlines; `split_summaries`, with which nltk splits them, is unavailable. `tokenizer`
        is an object with a method tokenize(text), which returns tokens.
        """
        if split_summaries:
            unavailable(
                "split_summaries",
                'put each sentence on a line: "\\n".join(nltk.sent_tokenize(text))',
            )
        self.rouge_types = rouge_types
        self.tokenizer = tokenizer
        self._tokenization = Tokenization(
            "google", stemmer="porter" if use_stemmer else "none"
        )

    def score(self, target: str, prediction: str) -> dict[str, Score]:
        """Return the score of each type. Raises InputError for an unknown type, and for anything
        else than texts.
        """
        return self.score_multi([target], prediction)

    def score_multi(
        self, targets: Sequence[str], prediction: str
    ) -> dict[str, Score]:
        """Return the score of each type with the target that has the highest F of this type, the
        first of equals.

        Raises InputError as score() does, and without a target.
        """
        if isinstance(targets, str) or not len(targets):
            raise WrongValueError(
                "targets: expected a list of texts that is not empty"
            )
        texts = [*targets, prediction]
        for index, text in enumerate(texts):
            if not isinstance(text, str):
                name = "target" if index < len(targets) else "prediction"
                raise WrongTypeError(
                    f"{name}: expected a text, found {type(text).__name__}"
                )
        encoded = self._encode([[text] for text in texts])
        best = {}
        for name in self.rouge_types:
            scores = self._scores(name, encoded, texts)
            best[name] = max(scores, key=lambda score: score.fmeasure)
        return best

    def _scores(
        self, name: str, encoded: list[Sentences], texts: Sequence[str]
    ) -> list[Score]:
        """Return the score of a type, such as rouge2, with each target. `texts` are the targets and
        the prediction, which is last; `encoded` are their tokens.

        Raises WrongValueError for an unknown type."""
        ngrams = NGRAMS.fullmatch(name)
        order = int(ngrams[1]) if ngrams else 1
        # `matching` counts n-grams, or tokens of common subsequences, by target.
        if ngrams:
            lines = [text.as_lines for text in encoded]
            matching = matches(lines, order, "match")[0, :, order - 1]
        elif name == "rougeL":
            targets = [text.as_lines for text in encoded[:-1]]
            matching = kernel.lcs(targets, [encoded[-1].as_lines])[0, 0]
        elif name == "rougeLsum":
            sentences = [list(filter(None, text.split("\n"))) for text in texts]
            encoded = self._encode(sentences)
            matching = kernel.union_lcs(encoded[:-1], encoded[-1:])[0, 0]
        else:
            expected = "expected rouge1 to rouge9, rougeL or rougeLsum"
            raise WrongValueError(f"rouge_types: {expected}; found {name!r}")
        sizes = []
        for text in encoded:
            tokens = int(text.as_lines.offsets[1])
            sizes.append(max(tokens - order + 1, 0))
        *target_sizes, prediction_size = sizes
        scores = []
        for count, size in zip(matching.tolist(), target_sizes, strict=True):
            if ngrams or (size and prediction_size):
                scores.append(_score(count, size, prediction_size))
            else:
                # Integers, as rouge-score has them there.
                scores.append(Score(0, 0, 0))
        return scores

    def _encode(self, texts: Sequence[Sequence[str]]) -> list[Sentences]:
        """Return texts, each a list of sentences, as ids of tokens with the ends of sentences."""
        if self.tokenizer is None:
            lines = [lines_of("text", sentences) for sentences in texts]
            encoded = self._tokenization.encode(lines)
        else:
            encoded = ids_of(
                [map(self.tokenizer.tokenize, sentences) for sentences in texts]
            )
        encoded_texts = []
        for tokens, sentences in zip(encoded, texts, strict=True):
            # A single text with so many sentences.
            text_offsets = np.array([0, len(sentences)], np.int64)
            encoded_texts.append(Sentences(*tokens, text_offsets))
        return encoded_texts


def _score(matching: int, target_size: int, prediction_size: int) -> Score:
    """Return the score of a number of matches, from the sizes of both texts."""
    precision = matching / max(prediction_size, 1)
    recall = matching / max(target_size, 1)
    total = precision + recall
    fmeasure = 0.0
    if total > 0:
        fmeasure = 2 * precision * recall / total
    return Score(precision, recall, fmeasure)
