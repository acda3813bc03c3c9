"""What simplifications do to their sources: how much shorter they are, what they copy, add, delete and split."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np

from ... import kernel
from ...arrays import Floats, Ints
from ...kernel.common import Encoded, Lines
from ...tokenizers.tokenization import Tokenization
from ..base.capabilities import ScoresLines
from ..base.choices import ratio
from ..base.metric import Counted, Metric
from ..base.needs import Columns, Field, Needs, Text
from ..base.options import lowercase_option, option, tokenizer_option

_ENDS = re.compile(r"[.!?…]['\")\]»\u2019\u201d]*(?=\s|$)")
COUNTS = ("src_chars", "src_len", "src_sentences", "hyp_chars", "hyp_len", "hyp_sentences", "shared", "copy")


@dataclass(frozen=True)
class FeatureNeeds(Needs):
    """Sizes of source and output, and the tokens that they share. References are not read."""

    tokenization: Tokenization = field()
    source = True
    references: ClassVar[bool] = False
    columns: ClassVar[tuple[Field, ...]] = tuple(map(Field, COUNTS))
    """Characters, tokens and sentences of both; the tokens that both have; and 1 where they are the same text."""

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
    - additions and deletions: tokens that the source or the output lacks, divided by the tokens of the longer one;
    - splits: sentences of the output, divided by those of the source. It ends with . ! ? or … before white space.

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
    terms: ClassVar[tuple[Field, ...]] = FeatureNeeds.columns

    tokenizer: str = tokenizer_option("13a")
    lowercase: bool = lowercase_option()
    level: str = option("mean", help="the mean over sentences", choices=("mean",), implicit=True)
    unit: ClassVar[str] = "word"

    @cached_property
    def needs(self) -> FeatureNeeds:
        """Sizes of source and output."""
        return FeatureNeeds(Tokenization(self.tokenizer, lowercase=self.lowercase))

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
