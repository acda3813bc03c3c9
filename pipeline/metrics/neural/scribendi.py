"""The Scribendi score (Islam and Magnani 2021): is the output likelier than its source, and no other sentence."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ... import kernel
from ...kernel.common import Encoded
from ..plugged.declare import Model, metric
from .networks import AT_ONCE, BATCH, EXTRA, Network, built_in

GPT2 = Model(Path("gpt2"))
HIGHEST = 700.0
"""About the highest mean of negative logarithms whose perplexity is a float64."""
SPACES = 0.01
"""The share of lines from which white space as the only difference is a warning."""


@metric(name="neural_perplexity", version="1", batch_size=AT_ONCE, none="skip", **EXTRA)
class Perplexity:
    """The mean negative log likelihood of the pieces of a text, each after all before it; none for a text without."""

    def __init__(self, model: Model, max_length: int = 0) -> None:
        self.model, self.max_length = model, max_length

    def load(self, device: str) -> None:
        """Load the model."""
        self.net = Network(self.model, "AutoModelForCausalLM", device)

    def __call__(self, outputs: list[str]) -> list[float | None]:
        """Return the mean of each text."""
        texts = [self.net.tokenizer.bos_token + text for text in outputs]
        pieces = self.net.pieces(self.max_length, texts, add_special_tokens=False)
        there = [len(text["input_ids"]) > 1 for text in pieces]
        own = [text for text, is_there in zip(pieces, there, strict=True) if is_there]
        means = iter(self.net.each(own, _means, BATCH // 4))  # of each piece there are logits of all pieces
        return [next(means) if is_there else None for is_there in there]


def _means(out: Any, given: dict[str, Any]) -> Any:
    """Return the mean of the negative log likelihoods of the pieces of each text behind its first one."""
    from torch.nn.functional import cross_entropy

    losses = cross_entropy(out.logits[:, :-1].transpose(1, 2), given["input_ids"][:, 1:], reduction="none")
    mask = given["attention_mask"][:, 1:]
    return ((losses * mask).sum(1) / mask.sum(1)).tolist()


def ratios(ones: Sequence[str], twos: Sequence[str]) -> list[float]:
    """Return 1 - d / (characters of both) of each pair, with d insertions and deletions at least; 0 for empty ones."""
    texts = [np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.int32) for text in (*ones, *twos)]
    _, ids = np.unique(np.concatenate(texts), return_inverse=True)
    ends, half = np.cumsum([0, *map(len, texts)]), len(ones)
    one = Encoded(ids[: ends[half]].astype(np.int32), ends[: half + 1])
    two = Encoded(ids[ends[half] :].astype(np.int32), ends[half:] - ends[half])
    common = kernel.lcs([one], [two])[0, :, 0].tolist()
    sizes = (np.diff(one.offsets) + np.diff(two.offsets)).tolist()
    return [1 - (size - 2 * same) / size if size else 0.0 for size, same in zip(sizes, common, strict=True)]


def token_sort(ones: Sequence[str], twos: Sequence[str]) -> list[float]:
    """Return the token sort ratio of each pair, as fuzzywuzzy has it with Levenshtein: hundredths, 1 where equal."""
    left, right = (list(map(_sorted_words, texts)) for texts in (ones, twos))
    triples = zip(left, right, ratios(left, right), strict=True)
    return [1.0 if one == two else round(100 * ratio) / 100 if one and two else 0.0 for one, two, ratio in triples]


def _sorted_words(text: str) -> str:
    """Return the words of a text without U+0080 to U+00FF and without signs, in small letters, sorted."""
    return " ".join(sorted(re.sub(r"\W", " ", re.sub("[\x80-\xff]", "", text)).lower().split()))


NAMES = ("scribendi", "better", "worse", "ppl_source", "ppl_output", "token_sort", "levenshtein")


@metric(name="scribendi", version="1", level="sum", scale=0, names=NAMES, beside="better|worse", **EXTRA)
class Likelier:
    """1, 0 or -1: is an output likelier than its source, and near to it (Islam and Magnani 2021); needs a source."""

    def __init__(
        self, model: Model = GPT2, threshold: float = 0.8, strip: bool = False, max_length: int | None = None
    ) -> None:
        self.model, self.threshold, self.strip, self.max_length = model, threshold, strip, max_length

    def notes(self, sources: list[str], outputs: list[str]) -> list[tuple[str, list[int], float]]:
        """Warn of texts that differ in white space alone."""
        pairs = enumerate(zip(sources, outputs, strict=True))
        spaces = [n for n, (one, two) in pairs if one != two and one.split() == two.split() and not self.strip]
        said = "source and output differ in white space alone, which is a change; `strip: true` ignores it at the ends"
        return [(said, spaces, SPACES)]

    def __call__(self, sources: list[str], outputs: list[str], ask: Callable[..., Any]) -> list[Any]:
        """Return the score of each line, and what it is made of; the perplexity of an empty text is 0."""
        if self.strip:
            sources, outputs = ([text.strip() for text in texts] for texts in (sources, outputs))
        pairs = list(zip(sources, outputs, strict=True))
        wanted = [[(one,), (two,)] for one, two in pairs]
        found = ask(Perplexity, wanted, model=self.model, max_length=self.max_length or 0)
        result = []
        near = zip(found, pairs, token_sort(sources, outputs), ratios(sources, outputs), strict=True)
        for (before, after), (one, two), sort, ratio in near:
            likelier = before is not None and after is not None and before[0] > after[0]
            score = 0 if one == two else 1 if likelier and max(sort, ratio) >= self.threshold else -1
            shown = [math.exp(min(each[0], HIGHEST)) if each else 0.0 for each in (before, after)]
            result.append((score, score > 0, score < 0, *shown, sort, ratio))
        return result


Scribendi = built_in(Likelier, name_in_text="Scribendi", citations=("islam-magnani-2021-end",))
