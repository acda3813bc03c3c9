"""IMPARA (Maeda et al. 2022): the quality of an output by a model, if it is similar enough to its
source.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pipeline.extensions.functions.answers import Values
from pipeline.extensions.functions.declare import Model, metric

from .networks import CALL_SIZE, Logits, Network, WithModels, built_in

NAMES = ("logit", "similarity")


@metric(
    name="impara", version="1", names=NAMES, beside="kept", batch_size=CALL_SIZE
)
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
        self.logits = Logits(self.quality, device)
        self.vectors = Network(self.similarity, "AutoModel", device, _means)

    def __call__(
        self,
        sources: list[str],
        outputs: list[str],
    ) -> list[tuple[float, float]]:
        """Return for each line the quality model's logit of the output, and the cosine of the vectors
        of source and output, which is exactly 1 for texts with equal tokens.
        """
        import torch

        logits = self.logits.values(
            self.logits.token_ids(self.max_length, outputs)
        )
        source_ids = self.vectors.token_ids(self.max_length, sources)
        output_ids = self.vectors.token_ids(self.max_length, outputs)
        source_vectors = torch.stack(self.vectors.values(source_ids))
        output_vectors = torch.stack(self.vectors.values(output_ids))
        cosine_similarity = torch.nn.functional.cosine_similarity
        similarities = cosine_similarity(
            source_vectors, output_vectors, eps=1e-8
        )
        cosines = similarities.tolist()
        for index, ids in enumerate(source_ids):
            if ids == output_ids[index]:
                cosines[index] = 1.0
        return list(zip(logits, cosines, strict=True))

    def of_line(self, answers: Sequence[Values]) -> Values:
        """Return the numbers of a line from the logit and cosine of its only answer: score, quality
        (0 to 1), similarity, and whether the similarity is high enough; else the score is 0.
        """
        ((logit, cosine),) = answers
        logit = max(logit, -700.0)  # the exponential stays finite
        quality = 1 / (1 + math.exp(-logit))
        # Compared as float32, as the authors' tensors are.
        is_similar = bool(np.float32(cosine) >= np.float32(self.threshold))
        return quality * is_similar, quality, cosine, is_similar


def _means(output: Any, padded: Any) -> Any:
    """Return the mean of the last hidden states of each text, over all of its tokens."""
    weights = padded["attention_mask"][..., None].float()
    sums = (output.last_hidden_state * weights).sum(1)
    return sums / weights.sum(1)


Impara = built_in(
    Quality,
    ("impara", "quality", "similarity", "kept"),
    name_in_text="IMPARA",
    citations=("maeda-etal-2022-impara",),
)
