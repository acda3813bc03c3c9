"""IMPARA (Maeda et al. 2022): the quality of an output by a model, where it is near enough to its source."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ..plugged.declare import Model, metric
from .networks import AT_ONCE, EXTRA, Kept, Logit, Tokenized, built_in, decimals, special_notes

if TYPE_CHECKING:
    from collections.abc import Callable

LEAST = 1e-8
"""The least product of norms that a cosine is divided by."""


@metric(name="neural_cosine", version="1", batch_size=AT_ONCE, **EXTRA)
class Cosine:
    """The cosine of the mean vectors of source and output; 1 where both have the same pieces."""

    def __init__(self, model: Model, max_length: int = 128) -> None:
        self.model, self.max_length = model, max_length

    def load(self, device: str) -> None:
        """Load the model."""
        self.net, self.kept = Tokenized(self.model, "AutoModel", device), Kept()
        self.net.check_length(self.max_length)

    def __call__(self, sources: list[str], outputs: list[str]) -> list[float]:
        """Return the cosine of each pair."""
        import torch

        pieces = self.net.pieces([*sources, *outputs], truncation=True, max_length=self.max_length)
        vectors = self.kept.of(pieces, lambda new: self.net.each(new, _means))
        ones, twos = torch.stack(vectors[: len(sources)]), torch.stack(vectors[len(sources) :])
        cosines = torch.nn.functional.cosine_similarity(ones, twos, eps=LEAST).tolist()
        pairs = zip(pieces, pieces[len(sources) :], strict=False)
        same = [one["input_ids"] == two["input_ids"] for one, two in pairs]
        return [1.0 if equal else cosine for equal, cosine in zip(same, cosines, strict=True)]


def _means(out: Any, given: dict[str, Any]) -> Any:
    """Return the mean of the last hidden states of each text, over all of its pieces."""
    weights = given["attention_mask"][..., None].float()
    return (out.last_hidden_state * weights).sum(1) / weights.sum(1)


@metric(name="impara", version="1", names=("impara", "quality", "similarity", "kept"), beside="kept", **EXTRA)
class Quality:
    """Quality of an output where it means what the source means (Maeda et al. 2022); needs a source, no references."""

    def __init__(
        self,
        quality: Model = Model("gotutiyan/IMPARA-QE"),  # type: ignore[arg-type]  # noqa: B008
        similarity: Model = Model("bert-base-cased"),  # type: ignore[arg-type]  # noqa: B008
        threshold: str = "0.9",
        max_length: int = 128,
    ) -> None:
        self.quality, self.similarity, self.threshold, self.max_length = quality, similarity, threshold, max_length

    def check(self) -> None:
        """Raise InputError for a threshold that is no number."""
        decimals(self.threshold, "threshold")

    def notes(self, sources: list[str], outputs: list[str]) -> Any:
        """Warn of special pieces."""
        return special_notes([self.quality, self.similarity], list(zip(sources, outputs, strict=True)))

    def __call__(self, sources: list[str], outputs: list[str], ask: Callable[..., Any]) -> list[Any]:
        """Return score, quality, similarity, and whether the similarity is high enough, of each line."""
        logits = ask(Logit, [[(text,)] for text in outputs], model=self.quality, max_length=self.max_length)
        pairs = [[pair] for pair in zip(sources, outputs, strict=True)]
        cosines = ask(Cosine, pairs, model=self.similarity, max_length=self.max_length)
        least = np.float32(decimals(self.threshold, "threshold"))  # as tensors are compared
        result = []
        for ((logit,),), ((cosine,),) in zip(logits, cosines, strict=True):
            quality, kept = 1 / (1 + math.exp(-max(logit, -700.0))), bool(np.float32(cosine) >= least)
            result.append((quality * kept, quality, cosine, kept))
        return result


Impara = built_in(Quality, name_in_text="IMPARA", citations=("maeda-etal-2022-impara",))
