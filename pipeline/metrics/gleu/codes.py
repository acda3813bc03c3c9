"""The codes that are called GLEU+ or GLEU0: what each counts, and how a sentence's numerators and totals come about.

    2015     gec-ranking, June 2015: GLEU0 of the ACL 2015 paper; multiset differences, nothing clipped
    2016-03  gec-ranking, March 2016: differences of sets, clipped, the brevity penalty inverted
    2016     gec-ranking, May 2016 to June 2017: one reference at a time, the brevity penalty inverted
    2017     gec-ranking since June 2017, and JFLEG's script: the same with the brevity penalty put right
    paper    equation 1 of "GLEU Without Tuning" (arXiv 1605.02592), as gec-metrics and compare-mt compute it

The first two merge all references (an n-gram counts as often as in the reference that has it most) and weigh the
penalty with λ, here a fraction p / q: numerators are kept as integers, q times too large.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction

    from ...arrays import Ints
    from ..base.columns import Columns

    Parts = tuple[Ints, Ints, Ints, Ints]


class Code(NamedTuple):
    """A variant: the kernel's kinds it needs; those for merged references; brevity penalty; how to make its parts.

    parts(columns, λ) returns match, numer (times the denominator of λ), total and ref_len of each sentence.
    """

    kinds: tuple[str, ...]
    merged_kinds: tuple[str, ...]
    brevity: str
    merged_parts: Callable[[Columns, Fraction], Parts] | None


def closest_length(columns: Columns) -> Ints:
    """Return the reference length closest to the output's, the first of equally close ones: int64 [lines]."""
    distance = np.abs(columns["ref_len"] - columns["hyp_len"][:, None])
    nearest: Ints = columns["ref_len"][np.arange(len(distance)), distance.argmin(axis=-1)]
    return nearest


def merged(columns: Columns, _: Fraction) -> Parts:
    """Return 2016 and 2017 with the references merged (merged counts of Klinger et al. 2025, arXiv 2510.06749).

    match: Σ min(η, max_r ρ_r); penalty: Σ min(η, σ) of n-grams that no reference has; clipped per sentence and
    order as with one reference. The paper leaves the length open: the closest is taken, as in BLEU.
    """
    match = columns["union_match"]
    return match, np.maximum(match - columns["gone_match"], 0), columns["total"], closest_length(columns)


def code_2015(columns: Columns, weight: Fraction) -> Parts:
    """Return GLEU0: Σ min(η, A) + Σ min(η, R) - λ Σ min(η, P), not clipped; total: Σ A + |h| - n + 1.

    A = max(R - σ, 0) and P = max(σ - R, 0) per n-gram. The reference length starts as the output's and stays.
    """
    match, total = columns["added_match"] + columns["union_match"], columns["added"] + columns["total"]
    numer = weight.denominator * match - weight.numerator * columns["removed_match"]
    return match, numer, total, columns["hyp_len"]


def code_2016_03(columns: Columns, weight: Fraction) -> Parts:
    """Return Σ min(η, A) + max(Σ min(η, R) - λ Σ min(η, P), 0); total: Σ min(η, A) + |h| - n + 1.

    A are the n-grams of R that the source has not at all, P those of the source that R has not at all.
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
"""Variants by name. Without `kinds` a variant is defined for merged references alone, without `merged_kinds` never."""
