"""SOME (Yoshimura et al. 2020): grammaticality, fluency and meaning by three regression models; no
references.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.errors import InputError
from pipeline.metrics.functions.declare import Model, metric

from .networks import AT_ONCE, Logits, WithModels, built_in

NAMES = ("grammar", "fluency", "meaning")
LOW, WIDE = 1.0, 3.0
"""The lowest mark of the judges whom the models follow, and how far above it the highest is."""


@metric(name="some", version="1", names=NAMES, beside="|".join(NAMES), batch_size=AT_ONCE)
@dataclass(eq=False)
class Marks(WithModels):
    """Grammaticality, fluency and meaning by three models (Yoshimura et al. 2020); needs a source,
    no references.
    """

    grammar: Model
    fluency: Model
    meaning: Model
    weights: str = "0.55+0.43+0.02"
    max_length: int = 128
    late = ("weights",)

    def told(self) -> None:
        """Raise InputError for weights that are no three numbers."""
        if not re.fullmatch(r"([0-9]*\.?[0-9]+\+){2}[0-9]*\.?[0-9]+", self.weights):
            raise InputError(
                f"weights: expected three numbers, such as 0.55+0.43+0.02, found '{self.weights}'"
            )

    def load(self, device: str) -> None:
        """Load the models. Raises InputError where their vocabularies are not the same."""
        self.nets = [Logits(model, device) for model in (self.grammar, self.fluency, self.meaning)]
        one, two, three = (net.tokenizer.get_vocab() for net in self.nets)
        if not one == two == three:
            raise InputError(
                "grammar, fluency and meaning have different vocabularies: one of the models is wrong"
            )

    def __call__(self, sources: list[str], outputs: list[str]) -> list[tuple[float, ...]]:
        """Return the three marks of each line."""
        logits = [
            net.values(net.pieces(self.max_length, *texts))
            for net, texts in zip(
                self.nets, ((outputs,), (outputs,), (sources, outputs)), strict=True
            )
        ]
        return [tuple((logit - LOW) / WIDE for logit in own) for own in zip(*logits, strict=True)]

    def of_line(self, answers: Sequence[tuple[float, ...]]) -> tuple[float, ...]:
        """Return the weighted sum, and the three marks."""
        ((g, f, m),), (one, two, three) = answers, map(float, self.weights.split("+"))
        return two * f + one * g + three * m, g, f, m


Some = built_in(
    Marks, ("some", *NAMES), name_in_text="SOME", citations=("yoshimura-etal-2020-reference",)
)
