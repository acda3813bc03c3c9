"""Naive intervals, tests and ranks: slow, literal, from the definitions only; and scores of
resampled text.

A *sample* here is a list of (line, system): the text that is scored, sentence by sentence. A
bootstrap sample has one system and lines drawn with replacement; a shuffled one has each line once,
from either of two systems. Scores come from `naive.py` applied to that text, so nothing of the
program is used, sums least of all."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

import numpy as np

from tests.oracles import naive

Sample = Sequence[tuple[int, str]]
Scorer = Callable[[int, Sample], float]
"""The score of sample number n."""


class Texts(NamedTuple):
    """Parallel text: lines of source, of each reference, of each system."""

    source: list[str]
    references: list[list[str]]
    systems: dict[str, list[str]]


# ---- random rows: the definitions of the streams, whole


def bootstrap_rows(lines: int, samples: int, seed: int) -> list[list[int]]:
    """Lines of each bootstrap sample: sacreBLEU's one call."""
    rows: list[list[int]] = (
        np.random.default_rng(seed)
        .choice(
            lines,
            size=(samples, lines),
            replace=True,
        )
        .tolist()
    )
    return rows


def shuffle_rows(lines: int, trials: int, seed: int) -> list[list[bool]]:
    """Which sentences keep their place in each trial: sacreBLEU's one call."""
    rows: list[list[bool]] = (
        np.random.default_rng(seed)
        .integers(
            2,
            size=(trials, lines),
            dtype=bool,
        )
        .tolist()
    )
    return rows


# ---- scores of samples


def table_of(texts: Texts) -> dict[str, list[list[naive.Columns]]]:
    return {
        name: naive.all_columns(texts.source, texts.references, lines)
        for name, lines in texts.systems.items()
    }


def gleu_sampled(texts: Texts, iterations: int) -> Scorer:
    """Sample s takes the draws of iteration s mod iterations, and their turns; the mean of the
    scores.

    The reference drawn for a line goes where the line goes.
    """
    table, count = table_of(texts), len(texts.source)

    several = len(texts.references)

    def score(number: int, sample: Sample) -> float:
        draws = naive.python2_draws(number % iterations, count, several)
        rows = [table[name][i] for i, name in sample]
        found = [
            naive.gleu_corpus(rows, [(draws[i] + turn) % several for i, _ in sample])
            for turn in turns(several)
        ]
        return math.fsum(found) / len(found)

    return score


def turns(references: int) -> list[int]:
    """By how much draws are turned: each reference up to four, else quarters of the way round."""
    if references <= 4:
        return list(range(references))
    return [math.floor(Fraction(n * references, 4)) for n in range(4)]


def gleu_sampled_missing(texts: Texts, iterations: int) -> Scorer:
    """The same where a blank line of a reference is no reference: int(random() * R_i) over those
    present.
    """
    import random

    table, count = table_of(texts), len(texts.source)
    present = [
        [r for r, lines in enumerate(texts.references) if lines[i].split()]
        for i in range(count)
    ]

    def score(number: int, sample: Sample) -> float:
        generator = random.Random(101 * (number % iterations))
        draws = [int(generator.random() * len(present[i])) for i in range(count)]
        rows = [table[name][i] for i, name in sample]
        turned = [
            [present[i][(draws[i] + turn) % len(present[i])] for i, _ in sample]
            for turn in turns(len(texts.references))
        ]
        return math.fsum(naive.gleu_corpus(rows, choice) for choice in turned) / len(
            turned
        )

    return score


def gleu_expected(texts: Texts, groups: int, seed: int) -> Scorer:
    """The mean over references of the scores with a random choice turned by 0, 1, ... references."""
    table, count, several = table_of(texts), len(texts.source), len(texts.references)
    drawn = (
        (np.random.default_rng(seed).random((groups, count)) * several)
        .astype(int)
        .tolist()
    )

    def score(number: int, sample: Sample) -> float:
        rows, draws = [table[name][i] for i, name in sample], drawn[number % groups]
        turned = [
            [(draws[i] + turn) % several for i, _ in sample] for turn in turns(several)
        ]
        return math.fsum(naive.gleu_corpus(rows, choice) for choice in turned) / len(
            turned
        )

    return score


def gleu_max(texts: Texts) -> Scorer:
    table = table_of(texts)
    return lambda _, sample: (
        naive.gleu_max([table[name][i] for i, name in sample]).score
    )


def gleu_weighted(texts: Texts, weights: Sequence[float]) -> Scorer:
    """The weighted mean of the scores with each reference alone."""
    table = table_of(texts)

    def score(_: int, sample: Sample) -> float:
        rows = [table[name][i] for i, name in sample]
        alone = [naive.gleu_corpus(rows, [r] * len(rows)) for r in range(len(weights))]
        return math.fsum(
            w * value for w, value in zip(weights, alone, strict=True)
        ) / math.fsum(weights)

    return score


def gleu_merged(texts: Texts) -> Scorer:
    def score(_: int, sample: Sample) -> float:
        references = [[lines[i] for i, _ in sample] for lines in texts.references]
        outputs = [texts.systems[name][i] for i, name in sample]
        return naive.gleu_merged(
            [texts.source[i] for i, _ in sample], references, outputs, "2015"
        )

    return score


def gleu_left_out(texts: Texts, iterations: int, own: int | None = None) -> Scorer:
    """The mean over references left out of the sampled score with the others; a reference (own):
    without itself.
    """
    count = len(texts.references)
    kept = [
        [lines for number, lines in enumerate(texts.references) if number != left_out]
        for left_out in ([own] if own is not None else range(count))
    ]
    scorers = [
        gleu_sampled(texts._replace(references=references), iterations)
        for references in kept
    ]
    return lambda number, sample: (
        math.fsum(one(number, sample) for one in scorers) / len(scorers)
    )


def gleu_mean(texts: Texts) -> Scorer:
    table = table_of(texts)
    return lambda _, sample: naive.gleu_mean([table[name][i] for i, name in sample])


def google(texts: Texts) -> Scorer:
    def score(_: int, sample: Sample) -> float:
        references = [
            [lines[i].split() for lines in texts.references] for i, _ in sample
        ]
        return naive.google_gleu_corpus(
            references, [texts.systems[name][i].split() for i, name in sample]
        )

    return score


def green(texts: Texts) -> Scorer:
    tables = {
        n: naive.green_table(texts.source, texts.references, lines)
        for n, lines in texts.systems.items()
    }
    return lambda _, sample: naive.green_corpus([tables[name][i] for i, name in sample])


# ---- intervals, tests


def percentile_interval(
    values: Sequence[float], level: Fraction
) -> tuple[float, float]:
    """Drop floor(n (1 - level) / 2) values on both sides; what is left is between the bounds."""
    left = sorted(values)
    for _ in range(math.floor(len(values) * (1 - level) / 2)):
        left = left[1:-1]
    return left[0], left[-1]


def approximate_randomization(
    scorer: Scorer,
    real: float,
    pair: tuple[str, str],
    lines: int,
    trials: int,
    seed: int,
) -> float:
    count = 0
    for number, kept in enumerate(shuffle_rows(lines, trials, seed)):
        one = [(i, pair[0] if stays else pair[1]) for i, stays in enumerate(kept)]
        two = [(i, pair[1] if stays else pair[0]) for i, stays in enumerate(kept)]
        difference = abs(scorer(number, one) - scorer(number, two))
        count += difference > abs(real) and not math.isclose(
            difference, abs(real), rel_tol=1e-11, abs_tol=1e-13
        )
    return (count + 1) / (trials + 1)


def paired_bootstrap(one: Sequence[float], two: Sequence[float], real: float) -> float:
    """Scores of both systems in the samples; the test is shifted by the mean of the absolute
    differences.
    """
    differences = [abs(a - b) for a, b in zip(one, two, strict=True)]
    mean = math.fsum(differences) / len(differences)
    return (sum(d - mean > abs(real) for d in differences) + 1) / (len(differences) + 1)


def sign_test(one: Sequence[float], two: Sequence[float]) -> float:
    """Twice the chance of at most as many heads as the rarer side has, each sentence a coin; ties
    are no sentence.
    """
    signs = [
        a > b
        for a, b in zip(one, two, strict=True)
        if not math.isclose(a, b, rel_tol=1e-12)
    ]
    rarer, tosses = min(sum(signs), len(signs) - sum(signs)), len(signs)
    tail = sum(
        Fraction(math.comb(tosses, heads), 2**tosses) for heads in range(rarer + 1)
    )
    return float(min(Fraction(1), 2 * tail))


def holm(values: Sequence[float]) -> list[float]:
    """Holm's adjusted p by its definition: the largest of (m - j + 1) p(j) over all p(j) not above
    one's own.
    """
    ordered = sorted(values)
    return [
        min(
            1.0, max((len(values) - j) * p for j, p in enumerate(ordered) if p <= value)
        )
        for value in values
    ]


# ---- ranks


def ranks(scores: Sequence[float]) -> list[int]:
    return [1 + sum(other > score for other in scores) for score in scores]


def rank_ranges(
    samples: Sequence[Sequence[float]], level: Fraction
) -> list[tuple[int, int]]:
    columns = list(zip(*(ranks(row) for row in samples), strict=True))
    found = [percentile_interval(column, level) for column in columns]
    return [(int(best), int(worst)) for best, worst in found]


def is_letter_display(letters: Sequence[str], different: set[frozenset[int]]) -> bool:
    """Whether two share a letter exactly where they do not differ, and no letter is idle."""
    pairs = all(
        bool(set(letters[i]) & set(letters[j])) != (frozenset((i, j)) in different)
        for i, j in combinations(range(len(letters)), 2)
    )
    groups = {
        letter: {i for i, own in enumerate(letters) if letter in own}
        for letter in "".join(letters)
    }
    idle = any(
        one != two and groups[one] <= groups[two] for one in groups for two in groups
    )
    return pairs and not idle and all(letters)
