"""Naive intervals, tests and ranks: slow, literal, from the definitions only; and scores of
resampled text.

A *sample* here is a list of (line, system): the text that is scored, sentence by sentence. A
bootstrap sample has one system and lines drawn with replacement; a shuffled one has each line once,
from either of two systems. Scores come from `naive.py` applied to that text, so nothing of the
program is used, sums least of all."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations, permutations
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
        .choice(lines, size=(samples, lines), replace=True)
        .tolist()
    )
    return rows


def shuffle_rows(lines: int, trials: int, seed: int) -> list[list[bool]]:
    """Which sentences keep their place in each trial: sacreBLEU's one call."""
    rows: list[list[bool]] = (
        np.random.default_rng(seed)
        .integers(2, size=(trials, lines), dtype=bool)
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
    table = table_of(texts)
    references = len(texts.references)

    def score(number: int, sample: Sample) -> float:
        rows = rows_of(table, sample)
        draws = naive.python2_draws(
            number % iterations, len(texts.source), references
        )
        return mean_over_turns(rows, sample, draws, references)

    return score


def rows_of(
    table: dict[str, list[list[naive.Columns]]], sample: Sample
) -> list[list[naive.Columns]]:
    """The columns of each sentence of a sample."""
    return [table[name][line] for line, name in sample]


def mean_over_turns(
    rows: Sequence[Sequence[naive.Columns]],
    sample: Sample,
    draws: Sequence[int],
    references: int,
) -> float:
    """The mean of the scores with the draws of lines and with their turns."""
    scores = []
    for turn in turns(references):
        choice = [(draws[line] + turn) % references for line, _ in sample]
        scores.append(naive.gleu_corpus(rows, choice))
    return math.fsum(scores) / len(scores)


def turns(references: int) -> list[int]:
    """By how much draws are turned: each reference up to four, else quarters of the way round."""
    if references <= 4:
        return list(range(references))
    return [math.floor(Fraction(n * references, 4)) for n in range(4)]


def gleu_sampled_missing(texts: Texts, iterations: int) -> Scorer:
    """The same where a blank line of a reference is no reference: int(random() * R_i) over those
    present.
    """
    table = table_of(texts)
    present: list[list[int]] = []
    for line in range(len(texts.source)):
        numbered = enumerate(texts.references)
        present.append([r for r, lines in numbered if lines[line].split()])

    def score(number: int, sample: Sample) -> float:
        generator = random.Random(101 * (number % iterations))
        draws = [int(generator.random() * len(there)) for there in present]
        rows = rows_of(table, sample)
        scores = []
        for turn in turns(len(texts.references)):
            choice = []
            for line, _ in sample:
                turned = (draws[line] + turn) % len(present[line])
                choice.append(present[line][turned])
            scores.append(naive.gleu_corpus(rows, choice))
        return math.fsum(scores) / len(scores)

    return score


def gleu_expected(texts: Texts, groups: int, seed: int) -> Scorer:
    """The mean over references of the scores with a random choice turned by 0, 1, ... references."""
    table = table_of(texts)
    references = len(texts.references)
    shares = np.random.default_rng(seed).random((groups, len(texts.source)))
    drawn = (shares * references).astype(int).tolist()

    def score(number: int, sample: Sample) -> float:
        rows = rows_of(table, sample)
        return mean_over_turns(rows, sample, drawn[number % groups], references)

    return score


def gleu_max(texts: Texts) -> Scorer:
    table = table_of(texts)
    return lambda _, sample: naive.gleu_max(rows_of(table, sample)).score


def gleu_weighted(texts: Texts, weights: Sequence[float]) -> Scorer:
    """The weighted mean of the scores with each reference alone."""
    table = table_of(texts)

    def score(_: int, sample: Sample) -> float:
        rows = rows_of(table, sample)
        weighted = []
        for reference, weight in enumerate(weights):
            alone = naive.gleu_corpus(rows, [reference] * len(rows))
            weighted.append(weight * alone)
        return math.fsum(weighted) / math.fsum(weights)

    return score


def gleu_merged(texts: Texts) -> Scorer:
    def score(_: int, sample: Sample) -> float:
        lines = [line for line, _ in sample]
        sources = [texts.source[line] for line in lines]
        references = [
            [text[line] for line in lines] for text in texts.references
        ]
        outputs = [texts.systems[name][line] for line, name in sample]
        return naive.gleu_merged(sources, references, outputs, "2015")

    return score


def gleu_left_out(
    texts: Texts, iterations: int, reference: int | None = None
) -> Scorer:
    """The mean over references left out of the sampled score with the others; the score of a
    reference: without itself.
    """
    left_out = (
        range(len(texts.references)) if reference is None else [reference]
    )
    scorers = []
    for number in left_out:
        others = [*texts.references[:number], *texts.references[number + 1 :]]
        scorers.append(
            gleu_sampled(texts._replace(references=others), iterations)
        )
    return lambda number, sample: (
        math.fsum(scorer(number, sample) for scorer in scorers) / len(scorers)
    )


def gleu_mean(texts: Texts) -> Scorer:
    table = table_of(texts)
    return lambda _, sample: naive.gleu_mean(rows_of(table, sample))


def google(texts: Texts) -> Scorer:
    def score(_: int, sample: Sample) -> float:
        references = []
        for line, _name in sample:
            references.append(
                [lines[line].split() for lines in texts.references]
            )
        outputs = [texts.systems[name][line].split() for line, name in sample]
        return naive.google_gleu_corpus(references, outputs)

    return score


def green(texts: Texts) -> Scorer:
    tables = {
        n: naive.green_table(texts.source, texts.references, lines)
        for n, lines in texts.systems.items()
    }
    return lambda _, sample: naive.green_corpus(
        [tables[name][i] for i, name in sample]
    )


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
    for number, stays in enumerate(shuffle_rows(lines, trials, seed)):
        one = [(line, pair[not stay]) for line, stay in enumerate(stays)]
        two = [(line, pair[stay]) for line, stay in enumerate(stays)]
        difference = abs(scorer(number, one) - scorer(number, two))
        count += difference > abs(real) and not math.isclose(
            difference, abs(real), rel_tol=1e-11, abs_tol=1e-13
        )
    return (count + 1) / (trials + 1)


def paired_bootstrap(
    one: Sequence[float], two: Sequence[float], real: float
) -> float:
    """Scores of both systems in the samples; the test is shifted by the mean of the absolute
    differences.
    """
    differences = [abs(a - b) for a, b in zip(one, two, strict=True)]
    mean = math.fsum(differences) / len(differences)
    return (sum(d - mean > abs(real) for d in differences) + 1) / (
        len(differences) + 1
    )


def sign_test(one: Sequence[float], two: Sequence[float]) -> float:
    """Twice the chance of at most as many heads as the rarer side has, each sentence a coin; ties
    are no sentence.
    """
    signs = [
        a > b
        for a, b in zip(one, two, strict=True)
        if not math.isclose(a, b, rel_tol=1e-12)
    ]
    tosses = len(signs)
    rarer = min(sum(signs), tosses - sum(signs))
    tail = sum(
        Fraction(math.comb(tosses, heads), 2**tosses)
        for heads in range(rarer + 1)
    )
    return float(min(Fraction(1), 2 * tail))


def holm(values: Sequence[float]) -> list[float]:
    """Holm's adjusted p by its definition: the largest of (m - j + 1) p(j) over all p(j) not above
    one's own.
    """
    ordered = sorted(values)
    adjusted = []
    for value in values:
        not_above = enumerate(p for p in ordered if p <= value)
        adjusted.append(
            min(1.0, max((len(values) - j) * p for j, p in not_above))
        )
    return adjusted


# ---- ranks


def ranks(scores: Sequence[float]) -> list[int]:
    return [1 + int(np.sum(np.array(scores) > score)) for score in scores]


def rank_ranges(
    samples: Sequence[Sequence[float]], level: Fraction
) -> list[tuple[int, int]]:
    rows = [ranks(row) for row in samples]
    intervals = [
        percentile_interval(col, level) for col in zip(*rows, strict=True)
    ]
    return [(int(best), int(worst)) for best, worst in intervals]


def is_letter_display(
    letters: Sequence[str], different: set[frozenset[int]]
) -> bool:
    """Whether two share a letter exactly where they do not differ, and no letter is idle."""
    for i, j in combinations(range(len(letters)), 2):
        shared = set(letters[i]) & set(letters[j])
        if bool(shared) == (frozenset((i, j)) in different):
            return False
    groups = {}
    for letter in "".join(letters):
        groups[letter] = {i for i, text in enumerate(letters) if letter in text}
    for one, two in permutations(groups, 2):
        if groups[one] <= groups[two]:
            return False
    return all(letters)
