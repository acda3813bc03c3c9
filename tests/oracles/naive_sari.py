"""SARI of one sentence as its definitions say it, with exact fractions: EASSE's, the first
authors', Hugging Face's.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from statistics import fmean

from tests.oracles.naive import Grams, ngrams


def grams(text: str, order: int, times: int = 1) -> Grams:
    """Return the n-grams of a text, each so many times."""
    found = ngrams(text.split(), order)
    return Counter({gram: count * times for gram, count in found.items()})


def f1(one: Fraction, two: Fraction) -> Fraction:
    if one + two:
        return 2 * one * two / (one + two)
    return Fraction(0)


def score(
    source: str, output: str, references: list[str], flavour: str
) -> float:
    """Return the score of a sentence; texts are lower-case, with single blanks between tokens."""
    empty = Fraction(int(flavour == "huggingface"))

    def share(part: Fraction | int, full: int) -> Fraction:
        if full:
            return Fraction(part) / full
        return empty

    def mean_share(part: Grams, total: Grams) -> Fraction:
        shares = [Fraction(part[gram], total[gram]) for gram in total]
        return share(sum(shares, Fraction(0)), len(total))

    parts: list[list[Fraction]] = [[], [], []]
    for order in range(1, 5):
        many = len(references)
        s = grams(source, order, many)
        h = grams(output, order, many)
        r: Grams = Counter()
        for reference in references:
            r += grams(reference, order)
        new = set(h) - set(s)
        needed = set(r) - set(s)
        hits = len(new & needed)
        parts[0].append(f1(share(hits, len(new)), share(hits, len(needed))))
        stayed = s & h
        right = s & h & r
        gone = s - h
        surplus = s - r
        recall = share(right.total(), (s & r).total())
        if flavour == "easse":
            hits = (gone & surplus).total()
            precision = share(right.total(), stayed.total())
            deleted = f1(
                share(hits, gone.total()), share(hits, surplus.total())
            )
        else:
            precision = mean_share(right, stayed)
            deleted = mean_share(gone - r, gone)
            if flavour == "xu":
                recall = mean_share(right, s & r)
        parts[1].append(f1(precision, recall))
        parts[2].append(deleted)
    return fmean(float(sum(part) / 4) for part in parts)
