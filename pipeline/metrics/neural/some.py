"""SOME (Yoshimura et al. 2020): grammaticality, fluency and meaning by three regression models; no references."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ...errors import InputError
from ..plugged.declare import Model, metric
from .networks import EXTRA, Logit, built_in, special_notes

if TYPE_CHECKING:
    from collections.abc import Callable

LOW, WIDE = 1.0, 3.0
"""The lowest mark that the judges of the models gave, and how far the highest lies above it."""


@metric(
    name="some", version="1", names=("some", "grammar", "fluency", "meaning"), beside="grammar|fluency|meaning", **EXTRA
)
class Marks:
    """Grammaticality, fluency and meaning by three models (Yoshimura et al. 2020); needs a source, no references."""

    def __init__(
        self, grammar: Model, fluency: Model, meaning: Model, weights: str = "0.55+0.43+0.02", max_length: int = 128
    ) -> None:
        self.models, self.max_length = {"grammar": grammar, "fluency": fluency, "meaning": meaning}, max_length
        self.weights = weights

    def check(self) -> None:
        """Raise InputError for weights that are no three numbers, and models of different vocabularies."""
        if not re.fullmatch(r"[0-9.]+(\+[0-9.]+){2}", self.weights):
            raise InputError(f"weights: expected three numbers, such as 0.55+0.43+0.02, found '{self.weights}'")
        vocabularies = {name: _vocabulary(model) for name, model in self.models.items()}
        if len(set(vocabularies.values())) > 1:
            raise InputError("grammar, fluency and meaning have different vocabularies: one of the models is wrong")

    def notes(self, sources: list[str], outputs: list[str]) -> Any:
        """Warn of special pieces."""
        return special_notes(self.models.values(), list(zip(sources, outputs, strict=True)))

    def __call__(self, sources: list[str], outputs: list[str], ask: Callable[..., Any]) -> list[Any]:
        """Return the weighted sum and the three marks of each line."""
        items: dict[str, list[Any]] = {name: outputs for name in ("grammar", "fluency")}
        items["meaning"] = list(zip(sources, outputs, strict=True))
        marks = {}
        for name, own in items.items():
            found = ask(Logit, [[(text,)] for text in own], model=self.models[name], max_length=self.max_length)
            marks[name] = [(logit - LOW) / WIDE for ((logit,),) in found]
        g, f, m = map(float, self.weights.split("+"))
        each = zip(marks["grammar"], marks["fluency"], marks["meaning"], strict=True)
        return [(f * two + g * one + m * three, one, two, three) for one, two, three in each]


def _vocabulary(model: Any) -> bytes:
    """Return the vocabulary of a model as its files have it; nothing where it has no such file."""
    files = (model / name for name in ("vocab.txt", "vocab.json", "spiece.model", "sentencepiece.bpe.model"))
    return next((file.read_bytes() for file in files if file.is_file()), b"")


Some = built_in(Marks, name_in_text="SOME", citations=("yoshimura-etal-2020-reference",))
