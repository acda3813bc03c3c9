"""SOME (Yoshimura et al. 2020): grammaticality, fluency and meaning by three regression models; no references."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from ...errors import InputError
from ..plugged.declare import Model, metric
from .networks import EXTRA, Logit, built_in

NAMES = ("grammar", "fluency", "meaning")
LOW, WIDE = 1.0, 3.0
"""The lowest mark of the judges whom the models follow, and how far above it the highest is."""
VOCABULARIES = ("vocab.txt", "vocab.json", "spiece.model", "sentencepiece.bpe.model")


@metric(name="some", version="1", names=("some", *NAMES), beside="|".join(NAMES), **EXTRA)
class Marks:
    """Grammaticality, fluency and meaning by three models (Yoshimura et al. 2020); needs a source, no references."""

    def __init__(
        self, grammar: Model, fluency: Model, meaning: Model, weights: str = "0.55+0.43+0.02", max_length: int = 128
    ) -> None:
        self.models, self.weights, self.max_length = (grammar, fluency, meaning), weights, max_length

    def told(self) -> dict[str, object]:
        """Raise InputError for weights that are no three numbers, and models of different vocabularies."""
        if not re.fullmatch(r"([0-9]*\.?[0-9]+\+){2}[0-9]*\.?[0-9]+", self.weights):
            raise InputError(f"weights: expected three numbers, such as 0.55+0.43+0.02, found '{self.weights}'")
        files = [next(filter(type(each).is_file, map(each.joinpath, VOCABULARIES)), None) for each in self.models]
        if len({file and file.read_bytes() for file in files}) > 1:
            raise InputError("grammar, fluency and meaning have different vocabularies: one of the models is wrong")
        return {}

    def __call__(self, sources: list[str], outputs: list[str], ask: Callable[..., Any]) -> list[Any]:
        """Return the weighted sum and the three marks of each line."""
        marks = []
        for model, items in zip(self.models, (outputs, outputs, zip(sources, outputs, strict=True)), strict=True):
            logits = ask(Logit, [[(text,)] for text in items], model=model, max_length=self.max_length)
            marks.append([(logit - LOW) / WIDE for ((logit,),) in logits])
        one, two, three = map(float, self.weights.split("+"))
        return [(two * f + one * g + three * m, g, f, m) for g, f, m in zip(*marks, strict=True)]


Some = built_in(Marks, name_in_text="SOME", citations=("yoshimura-etal-2020-reference",))
