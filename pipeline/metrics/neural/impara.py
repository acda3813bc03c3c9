"""IMPARA (Maeda et al. 2022): the quality of an output by a model, where it is near enough to its source."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ..plugged.declare import Model, metric
from .networks import AT_ONCE, EXTRA, Kept, Logit, Network, built_in

QUALITY, SIMILARITY = Model(Path("gotutiyan/IMPARA-QE")), Model(Path("bert-base-cased"))


@metric(name="neural_cosine", version="1", batch_size=AT_ONCE, **EXTRA)
class Cosine:
    """The cosine of the mean vectors of source and output; 1 where both have the same pieces."""

    def __init__(self, model: Model, max_length: int = 128) -> None:
        self.model, self.max_length = model, max_length

    def load(self, device: str) -> None:
        """Load the model."""
        self.net, self.kept = Network(self.model, "AutoModel", device), Kept()

    def __call__(self, sources: list[str], outputs: list[str]) -> list[float]:
        """Return the cosine of each pair."""
        import torch

        sides = [self.net.pieces(self.max_length, texts) for texts in (sources, outputs)]
        ones, twos = (torch.stack(self.kept.of(texts, lambda new: self.net.each(new, _means))) for texts in sides)
        cosines = torch.nn.functional.cosine_similarity(ones, twos, eps=1e-8).tolist()
        same = [one["input_ids"] == two["input_ids"] for one, two in zip(*sides, strict=True)]
        return [1.0 if equal else cosine for equal, cosine in zip(same, cosines, strict=True)]


def _means(out: Any, given: dict[str, Any]) -> Any:
    """Return the mean of the last hidden states of each text, over all of its pieces."""
    weights = given["attention_mask"][..., None].float()
    return (out.last_hidden_state * weights).sum(1) / weights.sum(1)


@metric(name="impara", version="1", names=("impara", "quality", "similarity", "kept"), beside="kept", **EXTRA)
class Quality:
    """Quality of an output where it means what the source means (Maeda et al. 2022); needs a source, no references."""

    def __init__(
        self, quality: Model = QUALITY, similarity: Model = SIMILARITY, threshold: float = 0.9, max_length: int = 128
    ) -> None:
        self.quality, self.similarity, self.threshold, self.max_length = quality, similarity, threshold, max_length

    def __call__(self, sources: list[str], outputs: list[str], ask: Callable[..., Any]) -> list[Any]:
        """Return score, quality, similarity, and whether the similarity is high enough, of each line."""
        logits = ask(Logit, [[(text,)] for text in outputs], model=self.quality, max_length=self.max_length)
        pairs = [[pair] for pair in zip(sources, outputs, strict=True)]
        cosines = ask(Cosine, pairs, model=self.similarity, max_length=self.max_length)
        result = []
        for ((logit,),), ((cosine,),) in zip(logits, cosines, strict=True):
            quality = 1 / (1 + math.exp(-max(logit, -700.0)))
            kept = bool(np.float32(cosine) >= np.float32(self.threshold))  # as tensors are compared
            result.append((quality * kept, quality, cosine, kept))
        return result


Impara = built_in(Quality, name_in_text="IMPARA", citations=("maeda-etal-2022-impara",))
