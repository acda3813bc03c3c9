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
        for number, text in enumerate(texts):
            if not isinstance(text, str):
                name = "target" if number < len(targets) else "prediction"
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
        """Return the score of a type with each target; the prediction is the last of the texts."""
        order = NGRAMS.fullmatch(name)
        removed = 0  # by how much n-grams are fewer than tokens
        if order:
            removed = int(order[1]) - 1
            counts = matches(
                [text.as_lines for text in encoded], removed + 1, "match"
            )
            match = counts[0, :, removed]
        elif name == "rougeL":
            targets = [text.as_lines for text in encoded[:-1]]
            match = kernel.lcs(targets, [encoded[-1].as_lines])[0, 0]
        elif name == "rougeLsum":
            encoded = self._encode(
                [list(filter(None, text.split("\n"))) for text in texts]
            )
            match = kernel.union_lcs(encoded[:-1], encoded[-1:])[0, 0]
        else:
            expected = "expected rouge1 to rouge9, rougeL or rougeLsum"
            raise WrongValueError(f"rouge_types: {expected}; found {name!r}")
        sizes = [
            max(int(text.as_lines.offsets[1]) - removed, 0) for text in encoded
        ]
        prediction = sizes.pop()
        scores = []
        for matched, size in zip(match.tolist(), sizes, strict=True):
            if order or (size and prediction):
                scores.append(_score(matched, size, prediction))
            else:
                # whole numbers, as rouge-score has them there
                scores.append(Score(0, 0, 0))
        return scores

    def _encode(self, texts: Sequence[Sequence[str]]) -> list[Sentences]:
        """Return texts, each a list of sentences, as lines of ids."""
        if self.tokenizer is None:
            lines = [lines_of("text", sentences) for sentences in texts]
            encoded = self._tokenization.encode(lines)
        else:
            encoded = ids_of(
                [map(self.tokenizer.tokenize, sentences) for sentences in texts]
            )
        result = []
        for ids, sentences in zip(encoded, texts, strict=True):
            result.append(
                Sentences(*ids, np.array([0, len(sentences)], np.int64))
            )
        return result


def _score(match: int, target: int, prediction: int) -> Score:
    """Return the score of a number of matches, from the sizes of both texts."""
    precision = match / max(prediction, 1)
    recall = match / max(target, 1)
    total = precision + recall
    return Score(
        precision, recall, 2 * precision * recall / total if total > 0 else 0.0
    )
