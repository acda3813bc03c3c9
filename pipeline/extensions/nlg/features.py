"""What outputs are like: their length, and what simplifications copy of their sources, add, delete
and split.
"""

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np

from pipeline import kernel
from pipeline.arrays import Floats, Ints
from pipeline.kernel.common import Encoded, Lines
from pipeline.metrics.base.capabilities import ScoresLines
from pipeline.metrics.base.choices import ratio
from pipeline.metrics.base.metric import Counted, Metric
from pipeline.metrics.base.options import (
    WHERE_STRIPPED,
    lowercase_option,
    number_option,
    option,
    tokenizer_option,
    unit_option,
)
from pipeline.metrics.base.statistics_spec import Columns, Field, OverlapSpec, StatisticsSpec, Text
from pipeline.tokenizers.tokenization import Tokenization

_ENDS = re.compile(r"[.!?…]['\")\]»\u2019\u201d]*(?=\s|$)")
COUNTS = (
    "src_chars",
    "src_len",
    "src_sentences",
    "hyp_chars",
    "hyp_len",
    "hyp_sentences",
    "shared",
    "copy",
)


@dataclass(frozen=True)
class FeatureSpec(StatisticsSpec):
    """Sizes of source and output, and the tokens that they share. References are not read."""

    tokenization: Tokenization = field()
    source = True
    references: ClassVar[bool] = False
    columns: ClassVar[tuple[Field, ...]] = tuple(map(Field, COUNTS))
    """Characters, tokens and sentences of both; the tokens that both have; and 1 where they are the
    same text."""

    def count(self, text: Text) -> list[dict[str, Ints]]:
        """Count a shard."""
        assert text.source is not None  # noqa: S101 (these needs read it)
        source, *systems = self.tokenization.encode([text.source, *text.systems])
        own, shared = (
            _sizes("src", text.source, source),
            kernel.overlap(None, [source], systems, 1, ("match",))["match"],
        )
        words, result = [line.split() for line in text.source.texts()], []
        for lines, tokens, match in zip(text.systems, systems, shared, strict=True):
            copies = [line.split() == its for line, its in zip(lines.texts(), words, strict=True)]
            more = {"shared": match[:, 0, 0], "copy": np.array(copies, np.int64)}
            result.append(own | _sizes("hyp", lines, tokens) | more)
        return result


def _sizes(whose: str, lines: Lines, tokens: Encoded) -> dict[str, Ints]:
    texts = [line.decode(errors="replace") for line in lines.texts()]
    sentences = [max(len(_ENDS.findall(text)), 1 if text.strip() else 0) for text in texts]
    sizes = {"chars": list(map(len, texts)), "len": np.diff(tokens.offsets), "sentences": sentences}
    return {f"{whose}_{name}": np.array(values, np.int64) for name, values in sizes.items()}


@dataclass(frozen=True)
class Features(ScoresLines, Metric):
    """Means over sentences of what an output does to its source, as EASSE's report has them.

    - compression: characters of the output, divided by those of the source;
    - copies: 1 where the output is the source but for white space;
    - additions and deletions: tokens that the source or the output lacks, divided by the tokens of
      the longer one;
    - splits: sentences of the output, divided by those of the source. It ends with . ! ? or …
      before white space.

    No value is better than another: the features say what kind of simplification a system makes.
    """

    name: ClassVar[str] = "features"
    summary: ClassVar[str] = (
        "what simplifications do: compression, copies, additions, deletions, splits; needs a source"
    )
    help_page: ClassVar[str] = "sari"
    table_outputs: ClassVar[str] = "copies|additions|deletions|splits"
    output: ClassVar[str] = "compression"
    policy: ClassVar[str] = "merged"
    """References have no effect."""
    terms: ClassVar[tuple[Field, ...]] = FeatureSpec.columns

    tokenizer: str = tokenizer_option("13a")
    lowercase: bool = lowercase_option()
    level: str = option("mean", help="the mean over sentences", choices=("mean",), implicit=True)

    @cached_property
    def spec(self) -> FeatureSpec:
        """Sizes of source and output."""
        return FeatureSpec(Tokenization(self.tokenizer, lowercase=self.lowercase))

    def score(self, totals: Columns) -> dict[str, Floats]:
        """Return the features of sums of counts. A share of nothing is 0."""
        longer, shared = np.maximum(totals["src_len"], totals["hyp_len"]), totals["shared"]
        return {
            "compression": ratio(totals["hyp_chars"], totals["src_chars"]),
            "copies": totals["copy"].astype(np.float64),
            "additions": ratio(totals["hyp_len"] - shared, longer),
            "deletions": ratio(totals["src_len"] - shared, longer),
            "splits": ratio(totals["hyp_sentences"], totals["src_sentences"]),
        }

    def shown_counts(self, columns: Columns) -> list[Counted]:
        """Return the sizes of source and output, and what they share."""
        return [Counted(name, columns[name]) for name in COUNTS]


@dataclass(frozen=True)
class Length(Metric):
    """The mean or sum over sentences of their numbers of tokens (words or characters).

    The metric is a baseline for correlations with people: it shows how well a preference for long
    outputs does."""

    name: ClassVar[str] = "length"
    summary: ClassVar[str] = (
        "tokens or characters of outputs, as a baseline for correlations with people"
    )
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
    scale: str = number_option(
        "100", "the length that is shown as 100", digits=9, such="100 or 0.5"
    )

    def conflicts(self) -> list[tuple[str, str]]:
        """Return a scale of 0."""
        return [("scale", "expected a number above 0")] if float(self.scale) == 0 else []

    @property
    def spec(self) -> OverlapSpec:
        """Lengths of the tokenised lines."""
        tokenizer = "char" if self.unit == "char" else self.tokenizer
        both, end = self.strip == "both", self.strip == "end"
        tokenization = Tokenization(tokenizer, strip=both, lowercase=self.lowercase, strip_end=end)
        return OverlapSpec(tokenization, 1, (), source=False)

    def score(self, totals: Columns) -> dict[str, Floats]:
        """Return the length of all sentences, divided by the scale."""
        return {"length": totals["hyp_len"] / float(self.scale)}
