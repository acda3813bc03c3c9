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
    Frequencies,
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
        """Return the sentence scores of each system: the column cider, int64 [lines, orders].

        A score is the mean over the line's references of the cosine times the penalty for length,
        times PERFECT.
        """
        shard = ShardTokens(self.tokenization, text)
        penalties = self._length_penalties(shard)
        references_of_lines = np.maximum(shard.present.sum(axis=1), 1)
        weights = PERFECT * penalties / references_of_lines
        systems, references, lines = weights.shape
        scores = np.zeros((systems, lines, ORDER))
        for index, ngrams in enumerate(shard.ngrams(ORDER)):
            rarity = _rarity(ngrams, text.corpus_data)
            cosines = _cosines(ngrams, rarity, systems, references, lines)
            weighted = cosines * weights
            # One reference after the other: numpy's sum() would add in an order that depends on
            # the number of lines, and so on shards.
            for reference in range(references):
                scores[..., index] += weighted[:, reference]
        return [{"cider": fixed(system_scores)} for system_scores in scores]

    def _length_penalties(self, shard: ShardTokens) -> Floats:
        """Return the Gaussian penalty for the difference in length of each output and reference.

        It is float64 [systems, references, lines], and 1 for equal lengths. As in the authors'
        program, a length is the number of bigrams.
        """
        lengths = np.maximum(shard.lengths - 1, 0)
        reference_lengths, output_lengths = np.split(
            lengths, [shard.references]
        )
        differences = np.abs(output_lengths[:, None] - reference_lengths)
        limit = math.ceil(MAX_WIDTHS * self.sigma)
        differences = np.minimum(differences, limit)
        # for distinct differences, by math.exp(), whose last bit numpy's may not have
        distinct = []
        for difference in range(int(differences.max(initial=0)) + 1):
            exponent = -(difference**2) / (2 * self.sigma**2)
            distinct.append(math.exp(exponent))
        penalties: Floats = np.array(distinct)[differences]
        return penalties


def _rarity(ngrams: Ngrams, line_frequencies: Frequencies) -> Floats:
    """Return the inverse document frequency of each n-gram: float64 [n-grams].

    It is the log of the number of lines, divided by the number of lines that have the n-gram in a
    reference (at least 1).
    """
    frequencies = np.maximum(line_frequencies.of(ngrams.keys), 1)
    # the logs of distinct frequencies, by math.log(), whose last bit numpy's may not have
    distinct, indexes = np.unique(frequencies, return_inverse=True)
    lines = line_frequencies.total
    logs = []
    for frequency in distinct.tolist():
        logs.append(math.log(lines) - math.log(frequency))
    return np.array(logs)[indexes]


def _cosines(
    ngrams: Ngrams,
    rarity: Floats,
    systems: int,
    references: int,
    lines: int,
) -> Floats:
    """Return the clipped cosines of outputs with references: float64 [systems, references, lines].

    The vector of a text has an element for each n-gram: how often the text has it, times its
    `rarity`, float64 [n-grams]. In the dot product, elements of an output are clipped to those of
    the reference. The cosine is 0 if a vector is 0.
    """
    # The elements that are not 0 are the entries of SharedGrams, the references' first.
    shared = ngrams.shared
    elements = shared.times * rarity[shared.numbers]
    rows = (references + systems) * lines
    squares = np.bincount(shared.rows, elements**2, rows)
    norms = np.sqrt(squares).reshape(-1, lines)
    of_references = ngrams.of_references()
    reference_elements = elements[: ngrams.reference_entries]
    first_rows = np.arange(references, references + systems + 1) * lines
    bounds = np.searchsorted(shared.rows, first_rows).tolist()
    products = np.zeros((systems, references, lines))
    for system in range(systems):
        entries = slice(bounds[system], bounds[system + 1])
        # the output's element of each slot, an n-gram that a reference of the line has
        output_elements = np.zeros(len(shared.most) + 1)
        output_elements[shared.slots[entries]] = elements[entries]
        output_elements[-1] = 0  # slot -1: n-grams that no reference has
        clipped = np.minimum(
            output_elements[of_references.slots], reference_elements
        )
        sums = np.bincount(
            of_references.rows,
            clipped * reference_elements,
            references * lines,
        )
        products[system] = sums.reshape(references, lines)
    return ratio(products, norms[references:, None] * norms[:references])


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
