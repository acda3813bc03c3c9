"""SARI of one sentence as its definitions say it, with exact fractions: EASSE's, the first
authors', Hugging Face's.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from statistics import fmean


def grams(text: str, order: int) -> Counter[tuple[str, ...]]:
    tokens = text.split()
    return Counter(
        tuple(tokens[at : at + order]) for at in range(len(tokens) - order + 1)
    )


def f1(one: Fraction, two: Fraction) -> Fraction:
    if one + two:
        return 2 * one * two / (one + two)
    return Fraction(0)


def score(
    source: str, output: str, references: list[str], flavour: str
) -> float:
    """Return the score of a sentence; texts are lower-case, with single blanks between tokens."""
    empty = Fraction(int(flavour == "huggingface"))

    def share(part: Fraction | int, whole: int) -> Fraction:
        if whole:
            return Fraction(part) / whole
        return empty

    parts: list[list[Fraction]] = [[], [], []]
    for order in range(1, 5):
        many = len(references)
        s = Counter(
            {gram: count * many for gram, count in grams(source, order).items()}
        )
        h = Counter(
            {gram: count * many for gram, count in grams(output, order).items()}
        )
        r: Counter[tuple[str, ...]] = Counter()
        for reference in references:
            r += grams(reference, order)
        new, needed = set(h) - set(s), set(r) - set(s)
        parts[0].append(
            f1(
                share(len(new & needed), len(new)),
                share(len(new & needed), len(needed)),
            )
        )
        stayed, right, gone, surplus = s & h, s & h & r, s - h, s - r
        if flavour == "easse":
            parts[1].append(
                f1(
                    share(right.total(), stayed.total()),
                    share(right.total(), (s & r).total()),
                )
            )
            hits = (gone & surplus).total()
            parts[2].append(
                f1(share(hits, gone.total()), share(hits, surplus.total()))
            )
            continue
        precision = share(
            sum((Fraction(right[g], stayed[g]) for g in stayed), Fraction(0)),
            len(stayed),
        )
        if flavour == "xu":
            recall = share(
                sum(
                    (Fraction(right[g], (s & r)[g]) for g in right), Fraction(0)
                ),
                len(s & r),
            )
        else:
            recall = share(right.total(), (s & r).total())
        parts[1].append(f1(precision, recall))
        parts[2].append(
            share(
                sum(
                    (Fraction((gone - r)[g], gone[g]) for g in gone),
                    Fraction(0),
                ),
                len(gone),
            )
        )
    return fmean(float(sum(part) / 4) for part in parts)
