"""The length of outputs, a baseline that a metric of quality has to beat (gec-metrics tests with it)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..arrays import Floats
from ..tokenizers.tokenization import Tokenization
from .base.metric import Metric
from .base.needs import Columns, Field, OverlapNeeds
from .base.options import WHERE_STRIPPED, lowercase_option, number_option, option, tokenizer_option, unit_option


@dataclass(frozen=True)
class Length(Metric):
    """The mean or sum over sentences of their numbers of tokens (words or characters).

    The metric is a baseline for correlations with people: it shows how well a preference for long outputs does.
    """

    name: ClassVar[str] = "length"
    summary: ClassVar[str] = "tokens or characters of outputs, as a baseline for correlations with people"
    help_page: ClassVar[str] = "human"
    policy: ClassVar[str] = "merged"
    """References have no effect."""
    terms: ClassVar[tuple[Field, ...]] = (Field("hyp_len"),)
    """The length of the output."""

    unit: str = unit_option()
    tokenizer: str = tokenizer_option()
    lowercase: bool = lowercase_option()
    strip: str = option(
        "none",
        help="drop white space at both ends of lines first, or at their end",
        choices=("none", "both", "end"),
        **WHERE_STRIPPED,
    )
    level: str = option("mean", help="the mean or the sum over sentences", choices=("mean", "sum"))
    scale: str = number_option("100", "the length that is shown as 100", digits=9, such="100 or 0.5")

    def conflicts(self) -> list[tuple[str, str]]:
        """Return a scale of 0."""
        return [("scale", "expected a number above 0")] if float(self.scale) == 0 else []

    @property
    def needs(self) -> OverlapNeeds:
        """Lengths of the tokenised lines."""
        tokenizer = "char" if self.unit == "char" else self.tokenizer
        both, end = self.strip == "both", self.strip == "end"
        tokenization = Tokenization(tokenizer, strip=both, lowercase=self.lowercase, strip_end=end)
        return OverlapNeeds(tokenization, 1, (), source=False)

    def score(self, totals: Columns) -> dict[str, Floats]:
        """Return the length of all sentences, divided by the scale."""
        return {"length": totals["hyp_len"] / float(self.scale)}
