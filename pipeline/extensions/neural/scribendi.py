"""The Scribendi score (Islam and Magnani 2021): whether an output is likelier than its source, and
similar to it.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress
from pathlib import Path
from typing import Any

import numpy as np

from pipeline import kernel
from pipeline.extensions.functions.answers import Values
from pipeline.extensions.functions.declare import Model, metric
from pipeline.extensions.functions.items import ItemWarning
from pipeline.kernel.common import Encoded

from .networks import CALL_SIZE, MAX_BATCH_TOKENS, Network, WithModels, built_in

MAX_LOSS = 700.0
"""About the highest mean of negative logarithms whose perplexity is a float64."""
NO_TOKENS = -1.0
"""Stands for the likelihood of a text without tokens."""
MAX_WHITE_SPACE_SHARE = 0.01
"""The share of lines that differ in white space alone, above which there is a warning."""


def _mean_losses(output: Any, padded: dict[str, Any]) -> Any:
    """Return the mean of the negative log likelihoods of each text's tokens but the first."""
    from torch.nn.functional import cross_entropy

    predictions = output.logits[:, :-1].transpose(1, 2)
    losses = cross_entropy(
        predictions, padded["input_ids"][:, 1:], reduction="none"
    )
    mask = padded["attention_mask"][:, 1:]
    sums = (losses * mask).sum(1)
    return (sums / mask.sum(1)).tolist()


def ratios(ones: Sequence[str], twos: Sequence[str]) -> list[float]:
    """Return the similarity of each pair of texts: 1 - d / (characters of both), or 0 if both are
    empty.

    d is the smallest number of insertions and deletions that make one of the other.
    """
    codes = []
    for text in (*ones, *twos):
        data = text.encode("utf-32-le", "surrogatepass")
        codes.append(np.frombuffer(data, np.int32))
    _, numbers = np.unique(np.concatenate(codes), return_inverse=True)
    ids = numbers.astype(np.int32)
    offsets = np.cumsum([0, *map(len, codes)])
    middle = offsets[len(ones)]
    one = Encoded(ids[:middle], offsets[: len(ones) + 1])
    two = Encoded(ids[middle:], offsets[len(ones) :] - middle)
    common = kernel.lcs([one], [two])[0, :, 0]
    lengths = np.diff(one.offsets) + np.diff(two.offsets)
    similarities = []
    for length, shared in zip(lengths.tolist(), common.tolist(), strict=True):
        similarity = 0.0
        if length:
            distance = length - 2 * shared
            similarity = 1 - distance / length
        similarities.append(similarity)
    return similarities


def token_sort(ones: Sequence[str], twos: Sequence[str]) -> list[float]:
    """Return the token sort ratio of each pair, as fuzzywuzzy computes it with Levenshtein.

    It is a multiple of 0.01, and 1 for equal words.
    """
    left = list(map(_sorted_words, ones))
    right = list(map(_sorted_words, twos))
    unrounded = ratios(left, right)
    similarities = []
    for one, two, similarity in zip(left, right, unrounded, strict=True):
        if one == two:
            similarities.append(1.0)
        elif one and two:
            similarities.append(round(100 * similarity) / 100)
        else:
            similarities.append(0.0)
    return similarities


def _sorted_words(text: str) -> str:
    """Return the sorted words of a text in lower case, without U+0080 to U+00FF and punctuation."""
    text = re.sub("[\x80-\xff]", "", text)
    words = re.sub(r"\W", " ", text).lower().split()
    return " ".join(sorted(words))


NAMES = ("is_equal", "source", "output", "token_sort", "levenshtein")


@metric(
    name="scribendi",
    version="1",
    level="sum",
    scale=0,
    names=NAMES,
    beside="better|worse",
    batch_size=CALL_SIZE,
)
@dataclass(eq=False)
class Likelier(WithModels):
    """1, 0 or -1: is an output likelier than its source, and near to it (Islam and Magnani 2021);
    needs a source."""

    model: Model = Model(Path("gpt2"))  # noqa: RUF009 (a path, which nobody can change)
    threshold: float = 0.8
    strip: bool = False
    max_length: int | None = None
    late = ("threshold",)

    def notes(self, **texts: Sequence[Any]) -> list[ItemWarning]:
        """Return warnings of special tokens, and of texts that differ in white space alone."""
        warnings = super().notes(**texts)
        affected = []
        if not self.strip:
            pairs = zip(texts["sources"], texts["outputs"], strict=True)
            for number, (source, output) in enumerate(pairs):
                if source != output and source.split() == output.split():
                    affected.append(number)
        difference = (
            "source and output differ in white space alone, which is a change"
        )
        message = f"{difference}; `strip: true` ignores it at the ends"
        return [*warnings, (message, affected, MAX_WHITE_SPACE_SHARE)]

    def load(self, device: str) -> None:
        """Load the model."""
        self.net = Network(
            self.model, "AutoModelForCausalLM", device, _mean_losses
        )

    def __call__(
        self,
        sources: list[str],
        outputs: list[str],
    ) -> list[Values]:
        """Return the numbers of NAMES: whether both texts are equal, their mean negative log
        likelihoods, and two similarities.
        """
        if self.strip:
            sources = [text.strip() for text in sources]
            outputs = [text.strip() for text in outputs]
        is_equal = []
        for source, output in zip(sources, outputs, strict=True):
            is_equal.append(source == output)
        numbers = (
            is_equal,
            self._losses(sources),
            self._losses(outputs),
            token_sort(sources, outputs),
            ratios(sources, outputs),
        )
        return list(zip(*numbers, strict=True))

    def _losses(self, texts: list[str]) -> list[float]:
        """Return the mean negative log likelihood of each text, or NO_TOKENS."""
        with_start = [self.net.tokenizer.bos_token + text for text in texts]
        ids = self.net.token_ids(
            self.max_length, with_start, add_special_tokens=False
        )
        has_tokens = [len(text["input_ids"]) > 1 for text in ids]
        # for each token there are logits of the whole vocabulary, so that batches are smaller
        scored = list(compress(ids, has_tokens))
        means = iter(self.net.values(scored, MAX_BATCH_TOKENS // 4))
        return [
            next(means) if has_token else NO_TOKENS for has_token in has_tokens
        ]

    def of_line(self, answers: Sequence[Values]) -> Values:
        """Return the score, whether it is 1 or -1, two perplexities (0 of an empty text), and two
        similarities.
        """
        ((is_equal, source_loss, output_loss, *similarities),) = answers
        has_losses = NO_TOKENS not in (source_loss, output_loss)
        is_similar = max(similarities) >= self.threshold
        if is_equal:
            score = 0
        elif has_losses and source_loss > output_loss and is_similar:
            score = 1
        else:
            score = -1
        perplexities = map(_perplexity, (source_loss, output_loss))
        return score, score > 0, score < 0, *perplexities, *similarities


def _perplexity(loss: float) -> float:
    return 0.0 if loss == NO_TOKENS else math.exp(min(loss, MAX_LOSS))


Scribendi = built_in(
    Likelier,
    ("scribendi", "better", "worse", "ppl_source", "ppl_output", *NAMES[3:]),
    name_in_text="Scribendi",
    citations=("islam-magnani-2021-end",),
)
