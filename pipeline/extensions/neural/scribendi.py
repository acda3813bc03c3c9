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
    """Return for each text of a batch the mean negative log likelihood of its tokens but the first,
    from the output and the padded input of a causal language model.
    """
    from torch.nn.functional import cross_entropy

    # Each token is predicted from those before it.
    predictions = output.logits[:, :-1].transpose(1, 2)
    tokens = padded["input_ids"][:, 1:]
    losses = cross_entropy(predictions, tokens, reduction="none")
    mask = padded["attention_mask"][:, 1:]
    sums = (losses * mask).sum(1)
    return (sums / mask.sum(1)).tolist()


def ratios(ones: Sequence[str], twos: Sequence[str]) -> list[float]:
    """Return the similarity of each two texts: 1 - d / (characters of both), or 0 if both are empty.

    d is the smallest number of insertions and deletions that make one of the other: the characters
    of both that are not in their longest common subsequence."""
    code_points = []
    for text in (*ones, *twos):
        data = text.encode("utf-32-le", "surrogatepass")
        code_points.append(np.frombuffer(data, np.int32))
    # The kernel takes texts as small ids one after the other, with offsets.
    _, indices = np.unique(np.concatenate(code_points), return_inverse=True)
    ids = indices.astype(np.int32)
    offsets = np.cumsum([0, *map(len, code_points)])
    middle = offsets[len(ones)]
    first = Encoded(ids[:middle], offsets[: len(ones) + 1])
    second = Encoded(ids[middle:], offsets[len(ones) :] - middle)
    common_lengths = kernel.lcs([first], [second])[0, :, 0]
    total_lengths = np.diff(first.offsets) + np.diff(second.offsets)
    similarities = []
    for total, common in zip(
        total_lengths.tolist(), common_lengths.tolist(), strict=True
    ):
        similarity = 0.0
        if total:
            distance = total - 2 * common
            similarity = 1 - distance / total
        similarities.append(similarity)
    return similarities


def token_sort(ones: Sequence[str], twos: Sequence[str]) -> list[float]:
    """Return the token sort ratio of each two texts, as fuzzywuzzy computes it with Levenshtein: that
    of their sorted words, a multiple of 0.01.

    It is 1 for equal words, also for none, and 0 if only one text has words."""
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
        """Return warnings about special tokens, and about sources and outputs that differ in white
        space alone; see WithModels.notes().
        """
        warnings = super().notes(**texts)
        affected = []
        if not self.strip:
            pairs = zip(texts["sources"], texts["outputs"], strict=True)
            for index, (source, output) in enumerate(pairs):
                if source != output and source.split() == output.split():
                    affected.append(index)
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
        """Return for each line the numbers of NAMES: whether both texts are equal, their mean
        negative log likelihoods, and two similarities.
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
        """Return the mean negative log likelihood of the tokens of each text, behind a start token;
        NO_TOKENS for a text without tokens.
        """
        with_start = [self.net.tokenizer.bos_token + text for text in texts]
        ids = self.net.token_ids(
            self.max_length, with_start, add_special_tokens=False
        )
        has_tokens = [len(text["input_ids"]) > 1 for text in ids]
        scored = list(compress(ids, has_tokens))
        # Small batches: each token has logits of the whole vocabulary.
        means = iter(self.net.values(scored, MAX_BATCH_TOKENS // 4))
        losses = []
        for has_any in has_tokens:
            losses.append(next(means) if has_any else NO_TOKENS)
        return losses

    def of_line(self, answers: Sequence[Values]) -> Values:
        """Return the numbers of a line from those of NAMES, its only answer: the score, whether it is
        1, whether it is -1, the perplexities of source and output (0 of an empty text), and two
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
