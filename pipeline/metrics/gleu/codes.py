"""The programs and formulas that are called GLEU+ or GLEU0, as variants: what each counts, and how it scores.

    2015     gec-ranking, June 2015: GLEU0 of the ACL 2015 paper, with multiset differences and no clipping
    2016-03  gec-ranking, March 2016: differences of sets, clipped numerators, an inverted brevity penalty
    2016     gec-ranking, May 2016 to June 2017: one reference at a time, an inverted brevity penalty
    2017     gec-ranking since June 2017, and JFLEG's script: as 2016, with the correct brevity penalty
    paper    equation 1 of "GLEU Without Tuning" (arXiv 1605.02592), as gec-metrics and compare-mt compute it

The first two merge all references: an n-gram counts as often as in the reference that has it most often. They multiply
the penalty by λ, here a fraction p / q. Numerators are stored as integers, multiplied by q.

In the formulas η, σ, ρ and R are the counts of an n-gram in the output, the source, a reference and the merged
references; |h| is the length of the output.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction

    from ...arrays import Ints
    from ..base.needs import Columns

    Parts = tuple[Ints, Ints, Ints, Ints]


class Code(NamedTuple):
    """A variant of GLEU+."""

    kinds: tuple[str, ...]
    """What is counted with each reference (see `kernel/common.py`). It is empty if references are always merged."""
    merged_kinds: tuple[str, ...]
    """What is counted with merged references. It is empty if the variant is not defined for them."""
    brevity: str
    """The brevity penalty, standard or inverted."""
    merged_parts: Callable[[Columns, Fraction], Parts] | None
    """Returns match, numer (multiplied by the denominator of λ), total and ref_len of each sentence, given λ."""


def closest_length(columns: Columns) -> Ints:
    """Return the reference length closest to the length of the output, or the first of several: int64 [lines]."""
    distance = np.abs(columns["ref_len"] - columns["hyp_len"][:, None])
    nearest: Ints = columns["ref_len"][np.arange(len(distance)), distance.argmin(axis=-1)]
    return nearest


def merged(columns: Columns, _: Fraction) -> Parts:
    """Return the parts of 2016 and 2017 with merged counts (Klinger et al. 2025, arXiv 2510.06749).

    The match is Σ min(η, R). The penalty is Σ min(η, σ) over the n-grams that no reference has. Numerators are clipped
    per sentence and order, as with one reference. The paper does not say which length counts, so the closest one is
    taken, as in BLEU.
    """
    match = columns["union_match"]
    return match, np.maximum(match - columns["gone_match"], 0), columns["total"], closest_length(columns)


def code_2015(columns: Columns, weight: Fraction) -> Parts:
    """Return the parts of GLEU0.

    With A = max(R - σ, 0) and P = max(σ - R, 0), the numerator is Σ min(η, A) + Σ min(η, R) - λ Σ min(η, P), not
    clipped. The total is Σ A + |h| - n + 1. The reference length is the length of the output, as in the program.
    """
    match, total = columns["added_match"] + columns["union_match"], columns["added"] + columns["total"]
    numer = weight.denominator * match - weight.numerator * columns["removed_match"]
    return match, numer, total, columns["hyp_len"]


def code_2016_03(columns: Columns, weight: Fraction) -> Parts:
    """Return the parts of the program of March 2016.

    A is R for n-grams that the source does not have at all, else 0. P is σ for n-grams that the references do not have
    at all, else 0. The numerator is Σ min(η, A) + max(Σ min(η, R) - λ Σ min(η, P), 0).
    The total is Σ min(η, A) + |h| - n + 1.
    """
    new, q = columns["new_match"], weight.denominator
    kept = np.maximum(q * columns["union_match"] - weight.numerator * columns["gone_match"], 0)
    return new + columns["union_match"], q * new + kept, new + columns["total"], closest_length(columns)


CODES: dict[str, Code] = {
    "2017": Code(("match", "penalty"), ("union_match", "gone_match"), "standard", merged),
    "2016": Code(("match", "penalty"), ("union_match", "gone_match"), "inverted", merged),
    "paper": Code(("match", "source_only"), (), "standard", None),
    "2015": Code((), ("union_match", "added_match", "removed_match", "added"), "standard", code_2015),
    "2016-03": Code((), ("union_match", "new_match", "gone_match"), "inverted", code_2016_03),
}
"""Variants by name."""
