"""The types of ROUGE (1 to 9, L, Lsum, W, S, SU), with the matches and totals of each.

The source is Lin 2004, "ROUGE: A Package for Automatic Evaluation of Summaries".
"""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...arrays import Bools, Floats, Ints
from ..base import Columns

Numbers = NDArray[Any]

PATTERN = r"(?:[1-9]|L|Lsum|W|SU?[0-9]{0,4})"
UNLIMITED = -1
"""The gap of skip bigrams that may have any number of tokens between them."""
SUBSEQUENCES = {"L": "lcs", "Lsum": "union", "W": "weighted"}
"""The subsequence that each family needs."""
SUBSEQUENCES_OF_SCRIPT = {"L": "union", "Lsum": "union", "W": "weighted_union"}
"""Those of ROUGE-1.5.5, which takes unions over sentences."""


class Overlap(NamedTuple):
    """Matches and totals of one type: [lines, references] each, or [lines, 1] if merged."""

    match: Numbers
    reference: Numbers
    """The total of the reference."""
    output: Numbers
    """The total of the output."""

    def selected(self, references: Ints) -> "Overlap":
        """Return the matches and totals with one reference of each line."""
        lines = np.arange(len(references))
        return Overlap(*(part[lines, references] for part in self))

    def summed(self, is_counted: Bools) -> "Overlap":
        """Return the sums of matches and totals over the references of each line that count."""
        return Overlap(
            *(np.where(is_counted, part, 0).sum(axis=-1) for part in self)
        )

    @staticmethod
    def stacked(overlaps: Sequence["Overlap"]) -> "Overlap":
        """Return the matches and totals of several sets of references as one: [lines, sets]."""
        return Overlap(
            *(np.stack(parts, axis=-1) for parts in zip(*overlaps, strict=True))
        )


class Type(NamedTuple):
    """A type of ROUGE, such as 1, Lsum or SU4."""

    name: str
    """The name, as in the output rouge{name}."""
    family: str
    """n, L, Lsum, W, S or SU."""
    number: int
    """The order of the family n, the gap of S and SU."""
    script: bool
    """Whether it is counted as by the script ROUGE-1.5.5."""

    @property
    def order(self) -> int:
        """The order of its n-grams, or 0 for other families."""
        if self.family == "n":
            return self.number
        return 0

    @property
    def weighted(self) -> bool:
        """Whether the counts are float64 weights."""
        return self.family == "W"

    @property
    def subsequence(self) -> str:
        """The name of the column of the subsequence that it needs, or ""."""
        subsequences = SUBSEQUENCES_OF_SCRIPT if self.script else SUBSEQUENCES
        return subsequences.get(self.family, "")

    @property
    def terms(self) -> list[str]:
        """The names of its matches and totals."""
        return [f"{self.name}_{part}" for part in Overlap._fields]

    def overlap(
        self, columns: Columns, *, merged: bool, weight: str
    ) -> Overlap:
        """Return the matches and totals; `weight` is that of W.

        ROUGE-1.5.5 applies it once more to the sum of the weights of sentences.
        """
        ref_len = columns["ref_len"]
        hyp_len = columns["hyp_len"][:, None]
        if merged:
            match = self._matches(columns)[:, None]
            total = self._matches(columns, "_total")[:, None]
            return Overlap(match, total, self._total(hyp_len))
        if self.subsequence:
            match = columns[self.subsequence]
        else:
            match = self._matches(columns)
        reference: Numbers
        output: Numbers
        if self.weighted:
            power = float(weight)
            base = (
                columns["base"] if self.script else ref_len.astype(np.float64)
            )
            reference = base**power
            output = hyp_len.astype(np.float64) ** power
        elif self.subsequence:
            reference = columns.get("union_len", ref_len)
            output = hyp_len
        else:
            reference = self._total(ref_len)
            output = self._total(hyp_len)
        return Overlap(match, reference, np.broadcast_to(output, match.shape))

    def _matches(self, columns: Columns, suffix: str = "") -> Ints:
        """Return the matches of n-grams or skip bigrams; with the suffix _total those of references.

        For SU, ROUGE-1.5.5 leaves out the last unigram of each text.
        """
        if self.family == "n":
            return columns[f"match{suffix}"][..., self.number - 1]
        counts = columns[f"skip_{gap_name(self.number)}{suffix}"]
        if self.family == "S":
            return counts
        if self.script:
            return counts + columns[f"lead{suffix}"]
        return counts + columns[f"match{suffix}"][..., 0]

    def _total(self, sizes: Ints) -> Ints:
        """Return the n-grams or skip bigrams of texts with these numbers of tokens."""
        if self.family == "n":
            return np.maximum(sizes - self.number + 1, 0)
        reach = np.maximum(sizes - 1, 0)
        if self.number != UNLIMITED:
            reach = np.minimum(reach, self.number + 1)
        # the sum of size - distance over the allowed distances
        total: Ints = reach * sizes - reach * (reach + 1) // 2
        if self.family == "SU":
            total = total + np.maximum(sizes - self.script, 0)
        return total


class TypeScores(NamedTuple):
    """F, recall and precision of a type, in the order of its outputs: [...] each."""

    score: Floats
    recall: Floats
    precision: Floats


OUTPUTS = ("", "_recall", "_precision")
"""What follows the name of a type in the names of its outputs."""


def gap_name(gap: int) -> str:
    """Return the name of a gap in the names of columns."""
    if gap == UNLIMITED:
        return "all"
    return str(gap)


def read_types(text: str, *, script: bool) -> list[Type]:
    """Return the types of a text such as 1+2+L+SU4."""
    types = []
    for name in text.split("+"):
        skip = re.fullmatch(r"(SU|S)([0-9]*)", name)
        if skip:
            gap = int(skip[2]) if skip[2] else UNLIMITED
            types.append(Type(name, skip[1], gap, script))
        elif name.isdigit():
            types.append(Type(name, "n", int(name), script))
        else:
            types.append(Type(name, name, 0, script))
    return types
