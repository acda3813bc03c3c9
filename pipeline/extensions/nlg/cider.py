"""CIDEr-D (Vedantam et al. 2015): cosines of n-grams, each weighed by how few sentences have it in a
reference.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np

from pipeline.arrays import Floats, Ints
from pipeline.metrics.base import (
    Columns,
    Field,
    Metric,
    Rule,
    Text,
    by_order,
    ratio,
)
from pipeline.metrics.options import (
    lowercase_option,
    number_option,
    tokenizer_option,
)
from pipeline.tokenizers import Tokenization

from .ngrams import (
    HALVES,
    ChunkedSpec,
    GramSurvey,
    Ngrams,
    ShardTokens,
    fixed,
    halves,
    real,
)

ORDER = 4
"""The longest n-grams."""
MAX_WIDTHS = 39
"""The weight of lengths that differ by so many widths is too small for a float."""
PERFECT = 10
"""The score of an output that is equal to its only reference."""


@dataclass(frozen=True)
class CiderSpec(ChunkedSpec):
    """The score of each sentence by the n-grams of each order, as fixed() stores real numbers."""

    tokenization: Tokenization = field()
    sigma: float
    """The width of the penalty for an output of another length."""
    source: bool = False
    columns: ClassVar[tuple[Field, ...]] = (Field("cider", ORDER),)

    @property
    def corpus_pass(self) -> GramSurvey:
        """The number of sentences that have each n-gram in a reference."""
        return GramSurvey(self.tokenization, ORDER, by_line=True)

    def count_chunk(self, text: Text) -> list[dict[str, Ints]]:
        """Count some lines, all systems at once."""
        shard = ShardTokens(self.tokenization, text)
        # the weight of each reference, by its difference in length: [systems, references, lines]
        bigrams = np.maximum(shard.lengths - 1, 0)
        references, outputs = np.split(bigrams, [shard.references])
        differences = np.abs(outputs[:, None] - references)
        differences = np.minimum(
            differences, math.ceil(MAX_WIDTHS * self.sigma)
        )
        largest = int(differences.max(initial=0))
        variance = self.sigma**2
        exponents = [-(d**2) / (2 * variance) for d in range(largest + 1)]
        closeness = np.array(list(map(math.exp, exponents)))
        present = np.maximum(shard.present.sum(axis=1), 1)
        weights = PERFECT * closeness[differences] / present
        # the scores of each order: [systems, lines, orders]
        scores = np.zeros((*outputs.shape, ORDER))
        for index, ngrams in enumerate(shard.ngrams(ORDER)):
            lines = np.maximum(text.corpus_data.of(ngrams.keys), 1)
            distinct, indexes = np.unique(lines, return_inverse=True)
            total = text.corpus_data.total
            logs = [
                math.log(total) - math.log(count) for count in distinct.tolist()
            ]
            cosines = _cosines(ngrams, np.array(logs)[indexes], *weights.shape)
            # references are added one by one, however many lines there are
            weighted = np.moveaxis(cosines * weights, 1, 0)
            scores[..., index] = sum(weighted)
        return [
            {"cider": fixed(scores_of_system)} for scores_of_system in scores
        ]


def _cosines(
    ngrams: Ngrams,
    rarity: Floats,
    systems: int,
    references: int,
    lines: int,
) -> Floats:
    """Return the clipped cosines of outputs with references: [systems, references, lines]."""
    shared = ngrams.shared
    weights = shared.times * rarity[shared.numbers]
    rows = (references + systems) * lines
    squares = np.bincount(shared.rows, weights**2, rows)
    norms = np.sqrt(squares).reshape(-1, 1, lines)
    in_references = ngrams.of_references()
    reference_weights = weights[: ngrams.reference_entries]
    first_rows = np.arange(references, references + systems + 1) * lines
    bounds = np.searchsorted(shared.rows, first_rows).tolist()
    dots = np.zeros((systems, references, lines))
    for system in range(systems):
        entries = slice(bounds[system], bounds[system + 1])
        output_weights = np.zeros(len(shared.most) + 1)
        output_weights[shared.slots[entries]] = weights[entries]
        output_weights[-1] = 0  # for n-grams that no reference has
        clipped = np.minimum(
            output_weights[in_references.indexes], reference_weights
        )
        products = clipped * reference_weights
        sums = np.bincount(in_references.rows, products, references * lines)
        dots[system] = sums.reshape(references, lines)
    return ratio(dots, norms[references:] * norms[:references, 0])


@dataclass(frozen=True)
class Cider(Metric):
    """CIDEr-D: the mean over references of cosines, clipped to the reference's counts, with a
    penalty for length.

    It is what the suites of COCO and of E2E print as CIDEr, for texts that are tokenised as theirs:
    in lower case, and without punctuation. A score is from 0 to 10. The n-grams of a sentence that
    stands alone have no weight.
    """

    name: ClassVar[str] = "cider"
    summary: ClassVar[str] = (
        "CIDEr-D as the suites of COCO and E2E print it, of tokenised texts; needs no source"
    )
    spellings: ClassVar[Mapping[str, Mapping[str, str]]] = {"CIDEr-D": {}}
    name_in_text: ClassVar[str] = "CIDEr-D"
    help_page: ClassVar[str] = "nlg"
    in_percent: ClassVar[bool] = False
    policy: ClassVar[str] = "merged"
    """The mean over the references of a line is computed when it is counted."""
    citations: ClassVar[tuple[str, ...]] = ("vedantam-etal-2015-cider",)
    terms: ClassVar[tuple[Field, ...]] = (
        *(Field(f"cider{half}", ORDER) for half in HALVES),
        Field("lines"),
    )
    """Both halves of the scores, and the number of lines."""

    sigma: str = number_option(
        "6",
        "how wide the penalty is for outputs of another length",
        such="6 or 0.5",
    )
    tokenizer: str = tokenizer_option(
        "whitespace", "how lines are split", beside_unit=False
    )
    lowercase: bool = lowercase_option()

    def conflicts(self) -> list[tuple[str, str]]:
        """Return a width of 0."""
        if float(self.sigma) > 0:
            return []
        return [("sigma", "expected a number above 0")]

    @cached_property
    def spec(self) -> CiderSpec:
        """The scores of sentences."""
        tokenization = Tokenization(self.tokenizer, lowercase=self.lowercase)
        return CiderSpec(tokenization, float(self.sigma))

    def make_terms(self, columns: Columns) -> dict[str, Ints]:
        """Return the scores in halves, and 1 for each line."""
        scores = columns["cider"]
        lines = np.ones(len(scores), np.int64)
        return {**halves("cider", scores), "lines": lines}

    def score(self, totals: Columns) -> dict[str, Floats]:
        """Return the mean over sentences and orders, and that of each order."""
        means = ratio(real("cider", totals), totals["lines"][..., None])
        score = means.mean(axis=-1)
        return {"cider": score, **by_order({"cider": means})}

    def notes(self, outputs: Mapping[str, float]) -> list[str]:
        """Return why the score is 0."""
        if outputs["cider"] > 0:
            return []
        reason = "no n-gram is shared that some sentences have in a reference and others have not"
        return [self.why_all_zero(f"{reason} (of one sentence, none is)")]

    def ngram_rule(self) -> Rule:
        """Return how n-grams are counted, with all references together."""
        return Rule("match", self.spec.tokenization, 1, ORDER, merged=True)
