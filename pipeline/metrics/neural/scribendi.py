"""The Scribendi score (Islam and Magnani 2021): is the output likelier than its source, and not another sentence?"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import kernel
from ...errors import InputError
from ...kernel.common import Encoded
from ..plugged.declare import Model, metric
from .networks import AT_ONCE, BATCH, EXTRA, Tokenized, built_in, decimals, special_notes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ...arrays import Floats

HIGHEST = 700.0
"""The highest mean of negative logarithms whose perplexity is a float64."""
SPACES = 0.01
"""The share of lines from which white space as the only difference is a warning."""


@metric(name="neural_perplexity", version="1", batch_size=AT_ONCE, none="skip", **EXTRA)
class Perplexity:
    """The mean negative log likelihood of the pieces of a text, each after all before it; none for a text without."""

    def __init__(self, model: Model, max_length: int | None = None) -> None:
        self.model, self.max_length = model, max_length

    def load(self, device: str) -> None:
        """Load the model."""
        self.net = Tokenized(self.model, "AutoModelForCausalLM", device)
        self.begin = self.net.tokenizer.bos_token or self.net.tokenizer.eos_token
        self.net.check_length(self.max_length or 0)

    def __call__(self, outputs: list[str]) -> list[float | None]:
        """Return the mean of each text."""
        cut: dict[str, Any] = {"truncation": True, "max_length": self.max_length} if self.max_length else {}
        texts = [self.begin + text for text in outputs]
        pieces = self.net.pieces(texts, add_special_tokens=False, **cut)
        longest = max(len(text["input_ids"]) for text in pieces)
        if longest > self.net.positions:
            remedy = f"max_length: {self.net.positions} cuts longer texts"
            raise InputError(f"{longest} pieces, and the model has {self.net.positions} positions; {remedy}")
        found = [text for text in pieces if len(text["input_ids"]) > 1]
        means = iter(self.net.each(found, _means, BATCH // 4))  # of each piece there are logits of all pieces
        return [next(means) if len(text["input_ids"]) > 1 else None for text in pieces]


def _means(out: Any, given: dict[str, Any]) -> Any:
    """Return the mean of the negative log likelihoods of the pieces of each text behind its first one."""
    from torch.nn.functional import cross_entropy

    losses = cross_entropy(out.logits[:, :-1].transpose(1, 2), given["input_ids"][:, 1:], reduction="none")
    mask = given["attention_mask"][:, 1:]
    return ((losses * mask).sum(1) / mask.sum(1)).tolist()


def least_changes(ones: Sequence[str], twos: Sequence[str]) -> Floats:
    """Return the least insertions and deletions of characters that make one text of the other: float64 [pairs]."""
    texts = [np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.int32) for text in (*ones, *twos)]
    offsets = np.cumsum([0, *map(len, texts)])
    _, ids = np.unique(np.concatenate([*texts, np.zeros(0, np.int32)]), return_inverse=True)
    cut = len(ones)
    one = Encoded(ids[: offsets[cut]].astype(np.int32), offsets[: cut + 1])
    two = Encoded(ids[offsets[cut] :].astype(np.int32), offsets[cut:] - offsets[cut])
    common = kernel.lcs([one], [two])[0, :, 0]
    changes: Floats = (np.diff(one.offsets) + np.diff(two.offsets) - 2 * common).astype(np.float64)
    return changes


def ratios(ones: Sequence[str], twos: Sequence[str]) -> list[float]:
    """Return 1 - changes / (characters of both) of each pair; 0 where both are empty."""
    whole = [len(one) + len(two) for one, two in zip(ones, twos, strict=True)]
    return [1 - d / n if n else 0.0 for d, n in zip(least_changes(ones, twos).tolist(), whole, strict=True)]


def sorted_words(text: str) -> str:
    """Return the words of a text as token sort has them: without U+0080 to U+00FF, in small letters, sorted."""
    return " ".join(sorted(re.sub(r"\W", " ", re.sub("[\x80-\xff]", "", text)).lower().split()))


def token_sort(ones: Sequence[str], twos: Sequence[str]) -> list[float]:
    """Return the token sort ratio of each pair, as fuzzywuzzy has it with Levenshtein: hundredths, 1 where equal."""
    left, right = (list(map(sorted_words, texts)) for texts in (ones, twos))
    rounded = (round(100 * ratio) / 100 for ratio in ratios(left, right))
    triples = zip(left, right, rounded, strict=True)
    return [1.0 if one == two else ratio if one and two else 0.0 for one, two, ratio in triples]


@metric(
    name="scribendi",
    version="1",
    level="sum",
    scale=0,
    names=("scribendi", "better", "worse", "ppl_source", "ppl_output", "token_sort", "levenshtein"),
    beside="better|worse",
    **EXTRA,
)
class Likelier:
    """1, 0 or -1: is an output likelier than its source, and near to it (Islam and Magnani 2021); needs a source."""

    def __init__(
        self,
        model: Model = Model("gpt2"),  # type: ignore[arg-type]  # noqa: B008
        threshold: str = "0.8",
        strip: bool = False,
        max_length: int | None = None,
    ) -> None:
        self.model, self.threshold, self.strip, self.max_length = model, threshold, strip, max_length

    def check(self) -> None:
        """Raise InputError for a threshold that is no number."""
        decimals(self.threshold, "threshold")

    def notes(self, sources: list[str], outputs: list[str]) -> Any:
        """Warn of special pieces, and of texts that differ in white space alone."""
        pairs = list(zip(sources, outputs, strict=True))
        spaces = [n for n, (one, two) in enumerate(pairs) if one != two and one.split() == two.split()]
        said = "source and output differ in white space alone, which is a change; `strip: true` ignores it at the ends"
        return [*special_notes([self.model], pairs), (said, [] if self.strip else spaces, SPACES)]

    def __call__(self, sources: list[str], outputs: list[str], ask: Callable[..., Any]) -> list[Any]:
        """Return the score of each line, and what it is made of; the perplexity of an empty text is 0."""
        if self.strip:
            sources, outputs = ([text.strip() for text in texts] for texts in (sources, outputs))
        more = {"max_length": self.max_length} if self.max_length else {}
        pairs = list(zip(sources, outputs, strict=True))
        found = ask(Perplexity, [[(one,), (two,)] for one, two in pairs], model=self.model, **more)
        least = decimals(self.threshold, "threshold")
        result = []
        near = zip(found, pairs, token_sort(sources, outputs), ratios(sources, outputs), strict=True)
        for (before, after), (one, two), sort, ratio in near:
            if one == two:
                score = 0
            elif before is None or after is None or before[0] <= after[0]:
                score = -1
            else:
                score = 1 if max(sort, ratio) >= least else -1
            shown = [math.exp(min(each[0], HIGHEST)) if each else 0.0 for each in (before, after)]
            result.append((score, score > 0, score < 0, *shown, sort, ratio))
        return result


Scribendi = built_in(Likelier, name_in_text="Scribendi", citations=("islam-magnani-2021-end",))
