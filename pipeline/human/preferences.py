"""Judged pairs of outputs for a sentence: which lines they belong to, and whether sentence scores agree with them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from ..errors import InputError
from ..scoring.resampling.bootstrap import percentile_interval
from .correlation import equal_scores

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from ..arrays import Floats, Ints
    from .judgments import Judgments


Ties = Literal["later", "wrong", "half", "out"]
"""What equal scores of the metric mean for a pair that people do not tie.

`later`: the metric prefers the system whose name is later in ASCII order, as in gec-metrics. `wrong`: the metric
disagrees. `half`: this is half an agreement. `out`: the pair is left out.
"""


class SentencePairs(NamedTuple):
    """Pairs of systems on a sentence, int64 [pairs] each. Systems and lines are numbers from 0."""

    better: Ints
    """The system that people prefer, or the first one of a pair that they tie."""
    worse: Ints
    line: Ints


def preferences(scores: Floats, pairs: SentencePairs, ties: Ties = "later") -> Floats:
    """Return for each pair whether the metric agrees: 1, 0, 0.5 for a tie, or NaN for a pair that is left out.

    The scores are float64 [systems, lines], with the systems in ASCII order of their names; the result is [pairs].
    """
    better, worse = scores[pairs.better, pairs.line], scores[pairs.worse, pairs.line]
    later = (pairs.better > pairs.worse).astype(np.float64)
    tied = later if ties == "later" else np.full(len(later), {"wrong": 0.0, "half": 0.5, "out": math.nan}[ties])
    return np.where(_tied(scores, pairs), tied, better > worse)


def _tied(scores: Floats, pairs: SentencePairs) -> NDArray[np.bool_]:
    """Return for each pair whether its scores are equal."""
    one, two = scores[pairs.better, pairs.line], scores[pairs.worse, pairs.line]
    return equal_scores(one, two)


class SentenceLevel(NamedTuple):
    """How far sentence scores agree with judgements of pairs of outputs for a sentence."""

    pairs: int
    """Pairs that people do not tie, without those that are left out because the metric ties them."""
    accuracy: float
    """The share of these pairs on which the metric agrees."""
    kendall: float
    """Kendall's tau: the share that agrees less the share that disagrees."""
    kendall_no_ties: float
    """The same, where pairs that the metric ties count 0 (the tau of WMT shared tasks)."""
    kendall_human_ties: float
    """The same over all pairs. Pairs that both tie agree, and pairs that only one of them ties count 0."""
    metric_ties: int
    """Pairs that the metric alone ties."""
    human_ties: int
    """Pairs that people tie."""


def sentence_level(scores: Floats, pairs: SentencePairs, human_ties: SentencePairs, ties: Ties) -> SentenceLevel:
    """Return how far sentence scores, float64 [systems, lines], agree with judgements."""
    agreeing = _counted(scores, pairs, ties)[1]
    accuracy = _share(float(agreeing.sum()), len(agreeing))
    balance = float((2 * preferences(scores, pairs, "half") - 1).sum())
    untied, tied = len(pairs.line), len(human_ties.line)
    return SentenceLevel(
        pairs=len(agreeing),
        accuracy=accuracy,
        kendall=2 * accuracy - 1,
        kendall_no_ties=_share(balance, untied),
        kendall_human_ties=_share(balance + int(_tied(scores, human_ties).sum()), untied + tied),
        metric_ties=int(_tied(scores, pairs).sum()),
        human_ties=tied,
    )


def _share(part: float, whole: int) -> float:
    return part / whole if whole else math.nan


def _counted(scores: Floats, pairs: SentencePairs, ties: Ties) -> tuple[Ints, Floats]:
    """Return the line and the agreement of each pair that is not left out."""
    agreeing = preferences(scores, pairs, ties)
    kept = ~np.isnan(agreeing)
    return pairs.line[kept], agreeing[kept]


def accuracy_interval(
    scores: Floats, pairs: SentencePairs, ties: Ties, samples: int, level: float, seed: int
) -> tuple[float, float]:
    """Return the percentile interval of the accuracy over samples of the judged sentences, drawn with replacement."""
    line, agreeing = _counted(scores, pairs, ties)
    if not len(line):
        return math.nan, math.nan
    right, tried = np.bincount(line, agreeing), np.bincount(line)
    right, tried = right[tried > 0], tried[tried > 0]
    generator, drawn = np.random.default_rng(seed), np.empty(samples)
    for number in range(samples):
        kept = generator.integers(0, len(tried), len(tried))
        drawn[number] = right[kept].sum() / tried[kept].sum()
    low, high = percentile_interval(drawn, level)
    return float(low), float(high)


def sentence_pairs(judgments: Judgments, names: Sequence[str], lines: Ints) -> tuple[SentencePairs, SentencePairs]:
    """Return the expanded pairs of named systems: the pairs that people do not tie, and the pairs that they tie.

    The names are in ASCII order. `lines` has the line of each judged sentence.
    """
    number = np.full(len(judgments.systems), -1, np.int64)
    for new, name in enumerate(names):
        number[judgments.systems.index(name)] = new
    pairs = judgments.expanded
    first, second = number[pairs.first], number[pairs.second]
    named, tie = (first >= 0) & (second >= 0), pairs.outcome == 1
    better, worse = np.where(pairs.outcome == 2, second, first), np.where(pairs.outcome == 2, first, second)
    every = SentencePairs(better, worse, lines[pairs.segment])
    untied, tied = (SentencePairs(*(values[kept] for values in every)) for kept in (named & ~tie, named & tie))
    return untied, tied


def lines_of_segments(
    judgments: Judgments, names: Sequence[str], scores: Floats, numbering: str, notes: list[str]
) -> Ints:
    """Return the line, from 0, of each judged sentence. Raises InputError where it cannot be known.

    The numbering `auto` takes the numbering that fits the number of lines, and that gives the same score to systems
    whose outputs were judged as one. The scores are float64 [systems, lines], in the order of `names`.
    """
    count = scores.shape[1]
    wrong = next((name for name in judgments.segments if not (name.isascii() and name.isdigit())), None)
    if wrong is not None:
        raise InputError(f"{judgments.file}: '{wrong}' is no number of a sentence, so nothing is known of its line")
    numbers = np.array([int(name[:18]) for name in judgments.segments], np.int64)
    numberings = {"0": numbers, "1": numbers - 1, "judged": np.argsort(np.argsort(numbers))}
    if numbering != "auto":
        numberings = {numbering: numberings[numbering]}
    fitting = {name: lines for name, lines in numberings.items() if lines.min() >= 0 and lines.max() < count}
    if numbering == "auto" and len(numbers) != count:
        fitting.pop("judged", None)
    if not fitting:
        judged = f"sentences {numbers.min()} to {numbers.max()}, {len(numbers)} of them"
        raise InputError(
            f"{judgments.file}: has judgements of {judged}; the data set has {count} lines: is it the one?"
        )
    differing = {name: _differing(judgments, names, scores, lines) for name, lines in fitting.items()}
    best = min(differing.values())
    left = [name for name in fitting if differing[name] == best]
    if len(left) > 1 and not all((fitting[name] == fitting[left[0]]).all() for name in left):
        message = "does the first sentence have the number 0 or 1? That cannot be told here; say `numbering`"
        raise InputError(f"{judgments.file}: {message}")
    if best:
        question = "" if left[0] == "judged" else f", and is the first sentence number {left[0]}"
        message = "pairs of outputs that were judged as one have different scores: are these the outputs judged"
        notes.append(f"{best} {message}{question}?")
    return fitting[left[0]]


def _differing(judgments: Judgments, names: Sequence[str], scores: Floats, lines: Ints) -> int:
    """Return how many pairs of systems whose outputs were judged as one have different scores there."""
    number = {name: new for new, name in enumerate(names)}
    pairs = judgments.unexpanded
    seen = np.unique(
        np.concatenate([pairs.segment, pairs.segment]) * len(judgments.outputs)
        + np.concatenate([pairs.first, pairs.second])
    )
    segments, outputs = np.divmod(seen, len(judgments.outputs))
    groups = [[number[name] for name in text.split() if name in number] for text in judgments.outputs]
    several = np.array([len(group) > 1 for group in groups])[outputs]
    differing = 0
    for segment, output in zip(segments[several].tolist(), outputs[several].tolist(), strict=True):
        values = scores[groups[output], lines[segment]]
        differing += int((~equal_scores(values[1:], values[:1])).sum())
    return differing


@dataclass(frozen=True, kw_only=True)
class ByRank:
    """How one metric agrees with judgements of outputs of two ranks, as in the pairwise analysis of gec-metrics."""

    dataset: str
    metric: str
    better: int
    """The rank of the output that people prefer; 1 is the best."""
    worse: int
    pairs: int
    accuracy: float
    """The share of pairs on which the metric agrees."""


def agreement_by_rank(
    dataset: str, metric: str, judgments: Judgments, names: Sequence[str], scores: Floats, lines: Ints, ties: Ties
) -> Iterator[ByRank]:
    """Yield the agreement for each two ranks, in order of the ranks. Pairs that people tie are left out.

    Sentence scores are float64 [systems, lines], for the systems `names` in ASCII order. `lines` has the line of each
    judged sentence. `ties` says what equal scores mean.
    """
    number = np.full(len(judgments.systems), -1, np.int64)
    number[[judgments.systems.index(name) for name in names]] = np.arange(len(names))
    pairs, ranks = judgments.expanded, judgments.ranks
    kept = (number[pairs.first] >= 0) & (number[pairs.second] >= 0) & (pairs.outcome != 1)
    own, ranks = pairs.only(kept), ranks[kept]
    turned = own.outcome == 2
    better, worse = np.where(turned, own.second, own.first), np.where(turned, own.first, own.second)
    agreeing = preferences(scores, SentencePairs(number[better], number[worse], lines[own.segment]), ties)
    counted = ~np.isnan(agreeing)
    kinds, kind = np.unique(np.sort(ranks[counted], axis=1), axis=0, return_inverse=True)
    kind = kind.reshape(-1)
    tried, right = np.bincount(kind, minlength=len(kinds)), np.bincount(kind, agreeing[counted], len(kinds))
    for (low, high), count, agreed in zip(kinds.tolist(), tried.tolist(), right.tolist(), strict=True):
        yield ByRank(dataset=dataset, metric=metric, better=low, worse=high, pairs=count, accuracy=agreed / count)
