"""The Scribendi score (Islam and Magnani 2021): is the output likelier than its source, and no
other sentence.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pipeline import kernel
from pipeline.kernel.common import Encoded
from pipeline.metrics.functions.declare import Model, metric

from .networks import AT_ONCE, BATCH, Network, WithModels, built_in

HIGHEST = 700.0
"""About the highest mean of negative logarithms whose perplexity is a float64."""
NONE = -1.0
"""Stands for the likelihood of a text without pieces."""
SPACES = 0.01
"""The share of lines from which white space as the only difference is a warning."""


def _means(out: Any, given: dict[str, Any]) -> Any:
    """Return the mean of the negative log likelihoods of the pieces of each text behind its first
    one."""
    from torch.nn.functional import cross_entropy

    losses = cross_entropy(
        out.logits[:, :-1].transpose(1, 2), given["input_ids"][:, 1:], reduction="none"
    )
    mask = given["attention_mask"][:, 1:]
    return ((losses * mask).sum(1) / mask.sum(1)).tolist()


def ratios(ones: Sequence[str], twos: Sequence[str]) -> list[float]:
    """Return 1 - d / (characters of both) of each pair, with d insertions and deletions at least; 0
    for empty ones."""
    texts = [
        np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.int32)
        for text in (*ones, *twos)
    ]
    _, ids = np.unique(np.concatenate(texts), return_inverse=True)
    ends, half = np.cumsum([0, *map(len, texts)]), len(ones)
    one = Encoded(ids[: ends[half]].astype(np.int32), ends[: half + 1])
    two = Encoded(ids[ends[half] :].astype(np.int32), ends[half:] - ends[half])
    common = kernel.lcs([one], [two])[0, :, 0].tolist()
    sizes = (np.diff(one.offsets) + np.diff(two.offsets)).tolist()
    return [
        1 - (size - 2 * same) / size if size else 0.0
        for size, same in zip(sizes, common, strict=True)
    ]


def token_sort(ones: Sequence[str], twos: Sequence[str]) -> list[float]:
    """Return the token sort ratio of each pair, as fuzzywuzzy has it with Levenshtein: hundredths,
    1 where equal."""
    left, right = (list(map(_sorted_words, texts)) for texts in (ones, twos))
    triples = zip(left, right, ratios(left, right), strict=True)
    return [
        1.0 if one == two else round(100 * ratio) / 100 if one and two else 0.0
        for one, two, ratio in triples
    ]


def _sorted_words(text: str) -> str:
    """Return the words of a text without U+0080 to U+00FF and without signs, in small letters,
    sorted."""
    return " ".join(sorted(re.sub(r"\W", " ", re.sub("[\x80-\xff]", "", text)).lower().split()))


NAMES = ("is_equal", "source", "output", "token_sort", "levenshtein")


@metric(
    name="scribendi",
    version="1",
    level="sum",
    scale=0,
    names=NAMES,
    beside="better|worse",
    batch_size=AT_ONCE,
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

    def notes(self, **texts: Sequence[Any]) -> list[tuple[str, list[int], float]]:
        """Warn of special pieces, and of texts that differ in white space alone."""
        pairs = enumerate(zip(texts["sources"], texts["outputs"], strict=True))
        spaces = [
            n
            for n, (one, two) in pairs
            if one != two and one.split() == two.split() and not self.strip
        ]
        said = "source and output differ in white space alone, which is a change; `strip: true` ignores it at the ends"
        return [*super().notes(**texts), (said, spaces, SPACES)]

    def load(self, device: str) -> None:
        """Load the model."""
        self.net = Network(self.model, "AutoModelForCausalLM", device, _means)

    def __call__(self, sources: list[str], outputs: list[str]) -> list[tuple[float, ...]]:
        """Return whether both texts are equal, their mean negative log likelihoods, and how near
        they are."""
        if self.strip:
            sources, outputs = ([text.strip() for text in texts] for texts in (sources, outputs))
        equal = (one == two for one, two in zip(sources, outputs, strict=True))
        likely = map(self._likelihoods, (sources, outputs))
        return list(
            zip(equal, *likely, token_sort(sources, outputs), ratios(sources, outputs), strict=True)
        )

    def _likelihoods(self, texts: list[str]) -> list[float]:
        """Return the mean of each text, over its pieces behind the one that begins it; NONE for a
        text without."""
        begun = [self.net.tokenizer.bos_token + text for text in texts]
        pieces = self.net.pieces(self.max_length, begun, add_special_tokens=False)
        there = [text for text in pieces if len(text["input_ids"]) > 1]
        means = iter(
            self.net.values(there, BATCH // 4)
        )  # of each piece there are logits of all pieces
        return [next(means) if len(text["input_ids"]) > 1 else NONE for text in pieces]

    def of_line(self, answers: Sequence[tuple[float, ...]]) -> tuple[float, ...]:
        """Return the score, whether it is 1 or -1, two perplexities (0 of an empty text), and two
        ratios.
        """
        ((is_equal, before, after, *near),) = answers
        likelier = min(before, after) != NONE and before > after and max(near) >= self.threshold
        score = 0 if is_equal else 1 if likelier else -1
        shown = (0.0 if each == NONE else math.exp(min(each, HIGHEST)) for each in (before, after))
        return score, score > 0, score < 0, *shown, *near


Scribendi = built_in(
    Likelier,
    ("scribendi", "better", "worse", "ppl_source", "ppl_output", *NAMES[3:]),
    name_in_text="Scribendi",
    citations=("islam-magnani-2021-end",),
)
