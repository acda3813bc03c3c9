"""IMPARA (Maeda et al. 2022): the quality of an output by a model, where it is near enough to its
source.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pipeline.metrics.functions.declare import Model, metric

from .networks import AT_ONCE, Logits, Network, WithModels, built_in

NAMES = ("logit", "similarity")


@metric(name="impara", version="1", names=NAMES, beside="kept", batch_size=AT_ONCE)
@dataclass(eq=False)
class Quality(WithModels):
    """Quality of an output where it means what the source means (Maeda et al. 2022); needs a
    source, no references.
    """

    quality: Model = Model(Path("gotutiyan/IMPARA-QE"))  # noqa: RUF009 (a path, which nobody can change)
    similarity: Model = Model(Path("bert-base-cased"))  # noqa: RUF009
    threshold: float = 0.9
    max_length: int = 128
    late = ("threshold",)

    def load(self, device: str) -> None:
        """Load the models."""
        self.logits, self.vectors = (
            Logits(self.quality, device),
            Network(self.similarity, "AutoModel", device, _means),
        )

    def __call__(self, sources: list[str], outputs: list[str]) -> list[tuple[float, float]]:
        """Return the logit of quality, and the cosine of source and output: 1 where both have the
        same pieces.
        """
        import torch

        logits = self.logits.values(self.logits.pieces(self.max_length, outputs))
        sides = [self.vectors.pieces(self.max_length, texts) for texts in (sources, outputs)]
        ones, twos = (torch.stack(self.vectors.values(texts)) for texts in sides)
        cosines = torch.nn.functional.cosine_similarity(ones, twos, eps=1e-8).tolist()
        lines = zip(logits, cosines, *sides, strict=True)
        return [(logit, 1.0 if one == two else cosine) for logit, cosine, one, two in lines]

    def of_line(self, answers: Sequence[tuple[float, ...]]) -> tuple[float, ...]:
        """Return score, quality, similarity, and whether the similarity is high enough."""
        ((logit, cosine),) = answers
        quality = 1 / (1 + math.exp(-max(logit, -700.0)))
        kept = bool(np.float32(cosine) >= np.float32(self.threshold))  # as tensors are compared
        return quality * kept, quality, cosine, kept


def _means(out: Any, given: Any) -> Any:
    """Return the mean of the last hidden states of each text, over all of its pieces."""
    weights = given["attention_mask"][..., None].float()
    return (out.last_hidden_state * weights).sum(1) / weights.sum(1)


Impara = built_in(
    Quality,
    ("impara", "quality", "similarity", "kept"),
    name_in_text="IMPARA",
    citations=("maeda-etal-2022-impara",),
)
