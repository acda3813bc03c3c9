"""Features of outputs: their length, and how much simplifications copy, add, delete and split."""

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np

from pipeline import kernel
from pipeline.arrays import Floats, Ints
from pipeline.kernel.common import Encoded, Lines
from pipeline.metrics.base import (
    Columns,
    Counted,
    Field,
    Metric,
    OverlapSpec,
    StatisticsSpec,
    Text,
    ratio,
)
from pipeline.metrics.options import (
    lowercase_option,
    number_option,
    option,
    strip_option,
    tokenizer_option,
    unit_option,
)
from pipeline.tokenizers import Tokenization

_SENTENCE_END = re.compile(r"[.!?…]['\")\]»\u2019\u201d]*(?=\s|$)")
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
    """Characters, tokens and sentences of both; the tokens that both have; and 1 if they are the
    same text.
    """

    def count(self, text: Text) -> list[dict[str, Ints]]:
        """Return COUNTS of each line for each system: int64 [lines] each."""
        assert text.source is not None  # noqa: S101 (this spec reads it)
        source, *systems = self.tokenization.encode(
            [text.source, *text.systems]
        )
        source_sizes = _sizes("src", text.source, source)
        # tokens that both have: [systems, lines, 1 reference (the source), 1 order]
        overlap = kernel.overlap(None, [source], systems, 1, ("match",))
        shared = overlap["match"][:, :, 0, 0]
        source_words = [line.split() for line in text.source.texts()]
        columns_of_systems = []
        for system, lines in enumerate(text.systems):
            copies = []
            for line, words in zip(lines.texts(), source_words, strict=True):
                copies.append(line.split() == words)
            columns = source_sizes | _sizes("hyp", lines, systems[system])
            columns["shared"] = shared[system]
            columns["copy"] = np.array(copies, np.int64)
            columns_of_systems.append(columns)
        return columns_of_systems


def _sizes(prefix: str, lines: Lines, tokens: Encoded) -> dict[str, Ints]:
    """Return the characters, tokens and sentences of each line: int64 [lines] each.

    A line with any text has at least one sentence. `tokens` is the same lines tokenised.
    """
    characters = []
    sentences = []
    for line in lines.texts():
        text = line.decode(errors="replace")
        characters.append(len(text))
        sentence_ends = len(_SENTENCE_END.findall(text))
        has_text = bool(text.strip())
        sentences.append(max(sentence_ends, int(has_text)))
    return {
        f"{prefix}_chars": np.array(characters, np.int64),
        f"{prefix}_len": np.diff(tokens.offsets),
        f"{prefix}_sentences": np.array(sentences, np.int64),
    }


@dataclass(frozen=True)
class Features(Metric):
    """Means over sentences of features of simplification, as EASSE's report has them.

    - compression: characters of the output, divided by those of the source;
    - copies: 1 if the output differs from the source at most in white space;
    - additions and deletions: tokens that only the output or only the source has, divided by the
      tokens of the longer one;
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
    scores_lines: ClassVar[bool] = True
    policy: ClassVar[str] = "merged"
    """References have no effect."""
    terms: ClassVar[tuple[Field, ...]] = FeatureSpec.columns

    tokenizer: str = tokenizer_option("13a")
    lowercase: bool = lowercase_option()
    level: str = option(
        "mean",
        help="the mean over sentences",
        choices=("mean",),
        implicit=True,
    )

    @cached_property
    def spec(self) -> FeatureSpec:
        """Sizes of source and output."""
        return FeatureSpec(
            Tokenization(self.tokenizer, lowercase=self.lowercase)
        )

    def score(self, totals: Columns) -> dict[str, Floats]:
        """Return the features of sums of counts. A share of nothing is 0."""
        longer = np.maximum(totals["src_len"], totals["hyp_len"])
        added = totals["hyp_len"] - totals["shared"]
        deleted = totals["src_len"] - totals["shared"]
        return {
            "compression": ratio(totals["hyp_chars"], totals["src_chars"]),
            "copies": totals["copy"].astype(np.float64),
            "additions": ratio(added, longer),
            "deletions": ratio(deleted, longer),
            "splits": ratio(totals["hyp_sentences"], totals["src_sentences"]),
        }

    def shown_counts(self, columns: Columns) -> list[Counted]:
        """Return the sizes of source and output, and the tokens that they share."""
        return [Counted(name, columns[name]) for name in COUNTS]


@dataclass(frozen=True)
class Length(Metric):
    """The mean or sum over sentences of their numbers of tokens (words or characters).

    The metric is a baseline for correlations with people: it shows how well a preference for long
    outputs does.
    """

    name: ClassVar[str] = "length"
    summary: ClassVar[str] = (
        "tokens or characters of outputs, as a baseline for correlations with people"
    )
    help_page: ClassVar[str] = "nlg"
    policy: ClassVar[str] = "merged"
    """References have no effect."""
    terms: ClassVar[tuple[Field, ...]] = (Field("hyp_len"),)
    """The length of the output."""

    unit: str = unit_option()
    tokenizer: str = tokenizer_option()
    lowercase: bool = lowercase_option()
    strip: str = strip_option(
        "none",
        "drop white space at both ends of lines first, or at their end",
        ("none", "both", "end"),
    )
    level: str = option(
        "mean",
        help="the mean or the sum over sentences",
        choices=("mean", "sum"),
    )
    scale: str = number_option(
        "100",
        "the length that is shown as 100",
        digits=9,
        such="100 or 0.5",
    )

    def conflicts(self) -> list[tuple[str, str]]:
        """Return a scale of 0."""
        if float(self.scale) > 0:
            return []
        return [("scale", "expected a number above 0")]

    @property
    def spec(self) -> OverlapSpec:
        """Lengths of the tokenised lines."""
        tokenization = Tokenization(
            "char" if self.unit == "char" else self.tokenizer,
            strip=self.strip == "both",
            lowercase=self.lowercase,
            strip_end=self.strip == "end",
        )
        return OverlapSpec(tokenization, 1, (), source=False)

    def score(self, totals: Columns) -> dict[str, Floats]:
        """Return the length of all sentences, divided by the scale."""
        return {"length": totals["hyp_len"] / float(self.scale)}
