"""ROUGE with the names of rouge_score.rouge_scorer."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ... import kernel
from ...kernel.common import Sentences
from ...tokenizers.tokenization import Tokenization
from ..texts import WrongTypeError, WrongValueError, ids_of, lines_of, matches, unavailable

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
        end at newlines; `split_summaries`, with which nltk splits them, is not here. `tokenizer` is
        an object with a method tokenize(text), which returns tokens."""
        if split_summaries:
            unavailable(
                "split_summaries",
                'put each sentence on a line: "\\n".join(nltk.sent_tokenize(text))',
            )
        self.rouge_types, self.tokenizer = rouge_types, tokenizer
        self._tokenization = Tokenization("google", stemmer="porter" if use_stemmer else "none")

    def score(self, target: str, prediction: str) -> dict[str, Score]:
        """Return the score of each type. Raises InputError for an unknown type, and for what is no
        text.
        """
        return self.score_multi([target], prediction)

    def score_multi(self, targets: Sequence[str], prediction: str) -> dict[str, Score]:
        """Return the score of each type with the target that has the highest F of this type, the
        first of equals.

        Raises InputError as score() does, and where there is no target.
        """
        if isinstance(targets, str) or not len(targets):
            raise WrongValueError("targets: expected a list of texts that is not empty")
        texts = [*targets, prediction]
        for name, text in zip([*["target"] * len(targets), "prediction"], texts, strict=True):
            if not isinstance(text, str):
                raise WrongTypeError(f"{name}: expected a text, found {type(text).__name__}")
        whole = self._encode([[text] for text in texts])
        scores = {name: self._scores(name, whole, texts) for name in self.rouge_types}
        return {name: max(own, key=lambda score: score.fmeasure) for name, own in scores.items()}

    def _scores(self, name: str, encoded: list[Sentences], texts: Sequence[str]) -> list[Score]:
        """Return the score of a type with each target; the prediction is the last of the texts."""
        if name == "rougeLsum":
            encoded = self._encode([list(filter(None, text.split("\n"))) for text in texts])
        sizes = [int(text.whole.offsets[1]) for text in encoded]
        order = NGRAMS.fullmatch(name)
        if order:
            n = int(order[1])
            match = matches([text.whole for text in encoded], n, "match")[0, :, n - 1].tolist()
            sizes = [max(size - n + 1, 0) for size in sizes]
        elif name == "rougeL":
            match = kernel.lcs([text.whole for text in encoded[:-1]], [encoded[-1].whole])[
                0, 0
            ].tolist()
        elif name == "rougeLsum":
            match = kernel.union_lcs(encoded[:-1], encoded[-1:])[
                0, 0
            ].tolist()  # the union of those of sentences
        else:
            raise WrongValueError(
                f"rouge_types: expected rouge1 to rouge9, rougeL or rougeLsum; found {name!r}"
            )
        *sizes, own = sizes
        nothing = Score(0, 0, 0)  # whole numbers, as rouge-score has them where a text has no token
        return [
            _scored(matched, size, own) if order or (size and own) else nothing
            for matched, size in zip(match, sizes, strict=True)
        ]

    def _encode(self, texts: Sequence[Sequence[str]]) -> list[Sentences]:
        """Return texts, each a list of sentences, as lines of ids."""
        firsts = [np.array([0, len(sentences)], np.int64) for sentences in texts]
        if self.tokenizer is None:
            encoded = self._tokenization.encode(
                [lines_of("text", sentences) for sentences in texts]
            )
        else:
            encoded = ids_of(
                [[self.tokenizer.tokenize(sentence) for sentence in text] for text in texts]
            )
        return [Sentences(*ids, first) for ids, first in zip(encoded, firsts, strict=True)]


def _scored(match: int, target: int, prediction: int) -> Score:
    precision, recall = match / max(prediction, 1), match / max(target, 1)
    both = precision + recall
    return Score(precision, recall, 2 * precision * recall / both if both > 0 else 0.0)
