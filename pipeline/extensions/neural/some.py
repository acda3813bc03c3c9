"""SOME (Yoshimura et al. 2020): grammaticality, fluency and meaning by three regression models,
without references.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.errors import InputError
from pipeline.extensions.functions.answers import Values
from pipeline.extensions.functions.declare import Model, metric

from .networks import CALL_SIZE, Logits, WithModels, built_in

NAMES = ("grammar", "fluency", "meaning")
LOWEST_MARK = 1.0
"""The lowest mark of the judges whom the models follow."""
MARK_RANGE = 3.0
"""The difference between their highest mark and the lowest."""


@metric(
    name="some",
    version="1",
    names=NAMES,
    beside="|".join(NAMES),
    batch_size=CALL_SIZE,
)
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

    def signature_options(self) -> None:
        """Raise InputError for weights that are no three numbers."""
        if not re.fullmatch(
            r"([0-9]*\.?[0-9]+\+){2}[0-9]*\.?[0-9]+", self.weights
        ):
            expected = "expected three numbers, such as 0.55+0.43+0.02"
            raise InputError(f"weights: {expected}, found '{self.weights}'")

    def load(self, device: str) -> None:
        """Load the models. Raises InputError if their vocabularies differ."""
        self.nets = [
            Logits(model, device)
            for model in (self.grammar, self.fluency, self.meaning)
        ]
        grammar, fluency, meaning = (
            net.tokenizer.get_vocab() for net in self.nets
        )
        if not grammar == fluency == meaning:
            problem = "grammar, fluency and meaning have different vocabularies"
            raise InputError(f"{problem}: one of the models is wrong")

    def __call__(
        self,
        sources: list[str],
        outputs: list[str],
    ) -> list[Values]:
        """Return the marks of grammar, fluency and meaning of each line, from 0 to 1 on the judges'
        scale. Only the model of meaning reads the source.
        """
        inputs = ([outputs], [outputs], [sources, outputs])
        columns = []
        for net, texts in zip(self.nets, inputs, strict=True):
            logits = net.values(net.token_ids(self.max_length, *texts))
            columns.append(
                [(logit - LOWEST_MARK) / MARK_RANGE for logit in logits]
            )
        return list(zip(*columns, strict=True))

    def of_line(self, answers: Sequence[Values]) -> Values:
        """Return the weighted sum of the three marks of a line, which are its only answer, and the
        marks.
        """
        ((grammar, fluency, meaning),) = answers
        weights = map(float, self.weights.split("+"))
        grammar_weight, fluency_weight, meaning_weight = weights
        # In the authors' order, on which the last bit depends.
        score = fluency_weight * fluency + grammar_weight * grammar
        score += meaning_weight * meaning
        return score, grammar, fluency, meaning


Some = built_in(
    Marks,
    ("some", *NAMES),
    name_in_text="SOME",
    citations=("yoshimura-etal-2020-reference",),
)
