"""Judged pairs of outputs for a sentence, the lines they belong to, and whether sentence scores agree with them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from ..errors import InputError
from ..scoring.resampling.bootstrap import percentile_interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..arrays import Floats, Ints
    from .judgments import Judgments

Ties = Literal["later", "wrong", "half", "out"]
TIES: dict[Ties, str] = {
    "later": "the system whose name is later in ASCII order counts as preferred (gec-metrics)",
    "wrong": "counts as a disagreement",
    "half": "counts half as agreement, half as disagreement",
    "out": "is left out",
}
"""What an equal score of the metric means for a pair that people do not tie."""
EQUAL = 1e-12
"""Scores that agree to this share of the larger are equal: 1/3 may be computed in two ways."""


class SentencePairs(NamedTuple):
    """Pairs of systems on a sentence that people do not tie: int64 [pairs]; better, worse: numbers of systems."""

    better: Ints
    worse: Ints
    line: Ints


def preferences(scores: Floats, pairs: SentencePairs, ties: Ties = "later") -> Floats:
    """Return for each pair how far the metric agrees: 1, 0, 0.5; NaN where the pair is left out: float64 [pairs].

    scores: float64 [systems, lines], systems in ASCII order of their names.
    """
    one, two = scores[pairs.better, pairs.line], scores[pairs.worse, pairs.line]
    same = np.abs(one - two) <= EQUAL * np.maximum(np.abs(one), np.abs(two))
    later = (pairs.better > pairs.worse).astype(np.float64)
    tied = later if ties == "later" else np.full(len(later), {"wrong": 0.0, "half": 0.5, "out": math.nan}[ties])
    return np.where(same, tied, one > two)


class SentenceLevel(NamedTuple):
    """Agreement on pairs of outputs for a sentence: accuracy, and Kendall's tau = agreeing less disagreeing, as shares.

    intervals: by bootstrap over the sentences.
    """

    accuracy: float
    kendall: float
    pairs: int
    metric_ties: int
    accuracy_interval: tuple[float, float]
    kendall_interval: tuple[float, float]


def sentence_level(
    scores: Floats, pairs: SentencePairs, ties: Ties, samples: int, level: float, seed: int
) -> SentenceLevel:
    """Return how far sentence scores agree with judgements; scores: float64 [systems, lines]."""
    agree = preferences(scores, pairs, ties)
    counted = ~np.isnan(agree)
    lines = scores.shape[1]
    right = np.bincount(pairs.line[counted], agree[counted], minlength=lines)
    tried = np.bincount(pairs.line[counted], minlength=lines)
    judged = tried > 0
    right, tried = right[judged], tried[judged]
    one, two = scores[pairs.better, pairs.line], scores[pairs.worse, pairs.line]
    same = int((np.abs(one - two) <= EQUAL * np.maximum(np.abs(one), np.abs(two))).sum())
    if not len(tried):
        nothing = math.nan, math.nan
        return SentenceLevel(math.nan, math.nan, 0, same, nothing, nothing)
    accuracy = float(right.sum() / tried.sum())
    generator, drawn = np.random.default_rng(seed), np.empty(samples)
    for number in range(samples):
        kept = generator.integers(0, len(tried), len(tried))
        drawn[number] = right[kept].sum() / tried[kept].sum()
    low, high = (float(bound) for bound in percentile_interval(drawn, level))
    interval, doubled = (low, high), (2 * low - 1, 2 * high - 1)
    return SentenceLevel(accuracy, 2 * accuracy - 1, int(tried.sum()), same, interval, doubled)


def numbered(judgments: Judgments, names: Sequence[str]) -> tuple[Ints, Ints]:
    """Return the systems of each expanded pair by their places in names, -1 for others: int64 [pairs] each."""
    number = np.full(len(judgments.systems), -1, np.int64)
    for new, name in enumerate(names):
        number[judgments.systems.index(name)] = new
    return number[judgments.expanded.first], number[judgments.expanded.second]


def sentence_pairs(judgments: Judgments, names: Sequence[str], lines: Ints) -> SentencePairs:
    """Return the pairs of named systems (in ASCII order) that people do not tie, expanded."""
    pairs = judgments.expanded
    first, second = numbered(judgments, names)
    kept = (first >= 0) & (second >= 0) & (pairs.outcome != 1)
    better = np.where(pairs.outcome == 0, first, second)[kept]
    worse = np.where(pairs.outcome == 0, second, first)[kept]
    return SentencePairs(better, worse, lines[pairs.segment[kept]])


def lines_of_segments(
    judgments: Judgments, names: Sequence[str], scores: Floats, numbering: str, notes: list[str]
) -> Ints:
    """Return the line, from 0, of each judged sentence; raises InputError where that cannot be told.

    auto: the numbering that fits the number of lines and gives systems that are said to have the same output the same
    score. scores: float64 [systems, lines], as named.
    """
    lines = scores.shape[1]
    wrong = next((name for name in judgments.segments if not (name.isascii() and name.isdigit())), None)
    if wrong is not None:
        raise InputError(f"{judgments.place}: '{wrong}' is no number of a sentence, so nothing is known of its line")
    numbers = np.array([int(name[:18]) for name in judgments.segments], np.int64)
    places = {"0": numbers, "1": numbers - 1, "judged": np.argsort(np.argsort(numbers))}
    if numbering != "auto":
        places = {numbering: places[numbering]}
    fitting = {name: place for name, place in places.items() if place.min() >= 0 and place.max() < lines}
    if numbering == "auto" and len(numbers) != lines:
        fitting.pop("judged", None)
    if not fitting:
        found = f"sentences {numbers.min()} to {numbers.max()}, {len(numbers)} of them"
        raise InputError(
            f"{judgments.place}: has judgements of {found}; the data set has {lines} lines: is it the one?"
        )
    differing = {name: _differing(judgments, names, scores, place) for name, place in fitting.items()}
    best = min(differing.values())
    left = [name for name in fitting if differing[name] == best]
    if len(left) > 1 and not all((fitting[name] == fitting[left[0]]).all() for name in left):
        message = "does the first sentence have the number 0 or 1? That cannot be told here; say `numbering`"
        raise InputError(f"{judgments.place}: {message}")
    if best:
        notes.append(
            f"{best} pairs of outputs that were judged as one have different scores: are these the outputs judged, and "
            f"is the first sentence number {left[0]}?"
            if left[0] != "judged"
            else f"{best} pairs of outputs that were judged as one have different scores: are these the outputs judged?"
        )
    return fitting[left[0]]


def _differing(judgments: Judgments, names: Sequence[str], scores: Floats, lines: Ints) -> int:
    """Return how many pairs of systems with one output have different scores there."""
    number = {name: new for new, name in enumerate(names)}
    pairs = judgments.unexpanded
    seen = np.unique(
        np.concatenate([pairs.segment, pairs.segment]) * len(judgments.outputs)
        + np.concatenate([pairs.first, pairs.second])
    )
    segments, outputs = np.divmod(seen, len(judgments.outputs))
    groups = [[number[name] for name in text.split() if name in number] for text in judgments.outputs]
    several = np.array([len(group) > 1 for group in groups])[outputs]
    found = 0
    for segment, output in zip(segments[several].tolist(), outputs[several].tolist(), strict=True):
        values = scores[groups[output], lines[segment]]
        found += int((np.abs(values[1:] - values[0]) > EQUAL * np.maximum(np.abs(values[1:]), abs(values[0]))).sum())
    return found
