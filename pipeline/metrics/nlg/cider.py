"""CIDEr-D (Vedantam et al. 2015): cosines of n-grams, each weighed by how few sentences have it in a reference."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import ClassVar

import numpy as np

from ...arrays import Floats, Ints
from ...tokenizers import OWN, TOKENIZERS
from ...tokenizers.tokenization import Tokenization
from ..base.capabilities import Rule, ShowsNgrams
from ..base.choices import by_order, ratio
from ..base.metric import Metric, why_all_zero
from ..base.needs import Columns, Field, Text
from ..base.options import lowercase_option, number_option, option
from .grams import HALVES, Grams, GramSurvey, InPieces, Shard, fixed, parts, real

ORDER = 4
"""The longest n-grams."""
FAR = 39
"""Lengths that are so many widths apart have a weight that is too small for a float."""
FULL = 10
"""The score of an output that is equal to its only reference."""


@dataclass(frozen=True)
class CiderNeeds(InPieces):
    """The score of each sentence by the n-grams of each order, as fixed() keeps real numbers."""

    tokenization: Tokenization = field()
    sigma: float
    """How wide the penalty is for an output of another length."""
    source: bool = False
    columns: ClassVar[tuple[Field, ...]] = (Field("cider", ORDER),)

    @property
    def survey(self) -> GramSurvey:
        """How many sentences have each n-gram in a reference."""
        return GramSurvey(self.tokenization, ORDER, by_line=True)

    def count_piece(self, text: Text) -> list[dict[str, Ints]]:
        """Count some lines, all systems at once."""
        shard = Shard(self.tokenization, text)
        references, outputs = np.split(np.maximum(shard.lengths - 1, 0), [shard.references])  # their bigrams
        apart = np.minimum(np.abs(outputs[:, None] - references), math.ceil(FAR * self.sigma))
        nearness = np.array([math.exp(-(d**2) / (2 * self.sigma**2)) for d in range(int(apart.max(initial=0)) + 1)])
        weight = FULL * nearness[apart] / np.maximum(shard.present.sum(axis=1), 1)
        scores = np.zeros((*outputs.shape, ORDER))
        for number, grams in enumerate(shard.grams(ORDER)):
            times, places = np.unique(np.maximum(text.whole.of(grams.keys), 1), return_inverse=True)
            rarity = np.array([math.log(text.whole.whole) - math.log(lines) for lines in times.tolist()])[places]
            cosines = _cosines(grams, rarity, *weight.shape)
            scores[..., number] = sum(np.moveaxis(cosines * weight, 1, 0))  # one by one, however many lines there are
        return [{"cider": fixed(own)} for own in scores]


def _cosines(grams: Grams, rarity: Floats, systems: int, references: int, lines: int) -> Floats:
    """Return the clipped cosines of outputs with references: [systems, references, lines]."""
    shared, cut = grams.shared, grams.cut
    values, rows, places = shared.times * rarity[shared.numbers], shared.rows[:cut], shared.places[:cut]
    norms = np.sqrt(np.bincount(shared.rows, values**2, (references + systems) * lines)).reshape(-1, 1, lines)
    theirs, dots = values[:cut], np.zeros((systems, references, lines))
    ends = np.searchsorted(shared.rows, np.arange(references, references + systems + 1) * lines)
    for system, (low, high) in enumerate(pairwise(ends)):
        vector = np.zeros(len(shared.most) + 1)
        vector[shared.places[low:high]] = values[low:high]
        vector[-1] = 0  # the place of n-grams that no reference has
        products = np.minimum(vector[places], theirs) * theirs
        dots[system] = np.bincount(rows, products, references * lines).reshape(references, lines)
    return ratio(dots, norms[references:] * norms[:references, 0])


@dataclass(frozen=True)
class Cider(ShowsNgrams, Metric):
    """CIDEr-D: the mean over references of cosines, clipped to the reference's counts, with a penalty for length.

    It is what the suites of COCO and of E2E print as CIDEr, for texts that are tokenised as theirs: in lower case, and
    without punctuation. A score is from 0 to 10. The n-grams of a sentence that stands alone have no weight.
    """

    name: ClassVar[str] = "cider"
    summary: ClassVar[str] = "CIDEr-D as the suites of COCO and E2E print it, of tokenised texts; needs no source"
    spellings: ClassVar[Mapping[str, Mapping[str, str]]] = {"CIDEr-D": {}}
    name_in_text: ClassVar[str] = "CIDEr-D"
    help_page: ClassVar[str] = "nlg"
    in_percent: ClassVar[bool] = False
    policy: ClassVar[str] = "merged"
    """The mean over the references of a line is taken when it is counted."""
    citations: ClassVar[tuple[str, ...]] = ("vedantam-etal-2015-cider",)
    terms: ClassVar[tuple[Field, ...]] = (*(Field(f"cider{half}", ORDER) for half in HALVES), Field("lines"))
    """Both halves of the scores, and the number of lines."""

    sigma: str = number_option("6", "how wide the penalty is for outputs of another length", such="6 or 0.5")
    tokenizer: str = option("whitespace", key="tok", help="how lines are split", choices=tuple(TOKENIZERS), beside=OWN)
    lowercase: bool = lowercase_option()

    def conflicts(self) -> list[tuple[str, str]]:
        """Return a width of 0."""
        return [("sigma", "expected a number above 0")] if float(self.sigma) == 0 else []

    @cached_property
    def needs(self) -> CiderNeeds:
        """The scores of sentences."""
        return CiderNeeds(Tokenization(self.tokenizer, lowercase=self.lowercase), float(self.sigma))

    def make_terms(self, columns: Columns) -> dict[str, Ints]:
        """Return the scores in halves, and 1 for each line."""
        return {**parts("cider", columns["cider"]), "lines": np.ones(len(columns["cider"]), np.int64)}

    def score(self, totals: Columns) -> dict[str, Floats]:
        """Return the mean over sentences and orders, and that of each order."""
        means = ratio(real("cider", totals), totals["lines"][..., None])
        return {"cider": means.mean(axis=-1)} | by_order({"cider": means})

    def notes(self, outputs: Mapping[str, float]) -> list[str]:
        """Return why the score is 0."""
        why = (
            "no n-gram is shared that some sentences have in a reference and others have not (of one sentence, none is)"
        )
        return [] if outputs["cider"] > 0 else [why_all_zero(why)]

    def ngram_rule(self) -> Rule:
        """Return how n-grams are counted, with all references together."""
        return Rule("match", self.needs.tokenization, 1, ORDER, merged=True)
