"""Intervals of all outputs of a metric, such as recall and precision, over the samples of the score's interval."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ..references.base import SENTENCES
from ..results import Spread
from ..sentences import SentenceOutputs
from ..summands import Summand, Table
from ..weighted_sums import weighted_sums
from .bootstrap import percentile_interval, summands
from .sample_groups import Groups
from .sample_weights import Bootstrap

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...arrays import Floats
    from ...config.models import WrittenStatistics
    from ..board import Board
    from ..results import Score
    from .chosen_anew import ChosenAnew
    from .sample_weights import Bytes


def with_output_intervals(
    measured: Board, scores: Sequence[Score], settings: WrittenStatistics, anew: ChosenAnew | None
) -> list[Score]:
    """Return the scores of a metric with the intervals of their outputs that are fractions.

    Outputs that count have none. `anew` is what chooses annotators anew in each sample, where that is asked for.
    """
    samples: dict[str, Floats] = {}
    parts = _parts(measured) if anew is None else []
    for low, weights in Groups(Bootstrap(measured.lines, settings.seed), settings.resamples, measured.lines):
        for number, share, outputs in _of(anew, weights) if anew else _of_samples(parts, weights, low):
            for name in _fractions(measured, outputs):
                table = samples.setdefault(name, np.zeros((settings.resamples, len(measured.columns))))
                table[low : low + len(weights), number] += share * outputs[name]
    if measured.has_mean:
        mean = {name: table[:, measured.reference_rows].mean(axis=1, keepdims=True) for name, table in samples.items()}
        samples = {name: np.concatenate([table, mean[name]], axis=1) for name, table in samples.items()}
    spreads = {name: _spreads(table, settings.level) for name, table in samples.items()}
    return [
        replace(score, intervals={name: own[number] for name, own in spreads.items() if name in score.outputs})
        for number, score in enumerate(scores)
    ]


def _parts(measured: Board) -> list[Summand]:
    """Return the summands of the outputs."""
    if measured.metric.level not in SENTENCES:
        return summands(measured.metric, measured.columns, measured.lines, measured.references, measured.own)
    kind = SentenceOutputs.of(measured.metric, measured.columns, measured.lines)
    count = len(measured.columns)
    return [Summand(Table(kind, measured.columns, measured.lines), range(count), [1.0] * count)]


def _of_samples(parts: Sequence[Summand], weights: Bytes, low: int) -> Iterator[tuple[int, float, dict[str, Floats]]]:
    """Yield the number of a system, a share, and the outputs of a summand for weights [samples, lines]: [samples] each.

    The first of the samples has the number `low`.
    """
    for summand in parts:
        totals = weighted_sums(summand, weights, low, whole=False).weighted
        for column, (number, share) in enumerate(zip(summand.numbers, summand.shares, strict=True)):
            outputs = summand.table.kind.outputs_of(totals[:, :, column])
            yield number, share, {name: values.mean(axis=0) for name, values in outputs.items()}


def _of(anew: ChosenAnew, weights: Bytes) -> Iterator[tuple[int, float, dict[str, Floats]]]:
    """Yield the same with annotators chosen anew in each sample."""
    outputs = anew.kind.outputs_of(anew.sums(weights))
    for number in range(len(anew.systems)):
        yield number, 1.0, {name: values[:, number] for name, values in outputs.items()}


def _fractions(measured: Board, outputs: dict[str, Floats]) -> list[str]:
    counts = measured.metric.counts
    return [name for name in outputs if name not in counts and _stem(name) not in counts]


def _stem(name: str) -> str:
    """Return the name of an output without the number of its order."""
    stem, _, order = name.rpartition("_")
    return stem if order.isdigit() else name


def _spreads(samples: Floats, level: float) -> list[Spread]:
    """Return the spread of each system's output [samples, systems]."""
    low, high = (bounds.tolist() for bounds in percentile_interval(samples, level))
    means = samples.mean(axis=0).tolist()
    deviations = samples.std(axis=0, ddof=1).tolist() if len(samples) > 1 else [0.0] * len(means)
    rows = zip(means, deviations, low, high, strict=True)
    return [Spread(mean, std, (least, most)) for mean, std, least, most in rows]
