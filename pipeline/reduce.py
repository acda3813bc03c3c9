"""Statistics to scores: sums of integers, then one formula.

Several systems of a data set are reduced together, so that they share the draws of references. Statistics come in
blocks of lines; sums are exact (integers, or products of matrices whose entries stay below 2**53), so neither
blocks nor order can be seen in the result.
"""

from __future__ import annotations

import itertools
import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from .metrics.base import Schema
from .results import Samples

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from .metrics.base import Columns, Floats, Ints, Metric
    from .sampling import Draws

Z95 = 1.959963984540054
"""Quantile 0.975 of the normal distribution, as in the original program's interval."""
DRAWN_LINES = 2048
"""Lines whose draws are multiplied at once: bounds memory at iterations times this. Divides the store's BLOCK."""
THREADED = 1 << 24
"""Draws from which several threads are worth their start."""


class HasBlocks(Protocol):
    """Statistics of a system: they give their blocks as often as asked."""

    def blocks(self) -> Iterator[dict[str, Ints]]:
        """Yield columns, block of lines after block."""


@dataclass(frozen=True)
class Reduced:
    """The score of one system: outputs (the first is the score) and, for sampled scores, their spread."""

    outputs: dict[str, float]
    samples: Samples | None = None

    @property
    def score(self) -> float:
        """The ranked score, a fraction."""
        return next(iter(self.outputs.values()))


def reduce(
    metric: Metric, systems: Sequence[HasBlocks], lines: int, references: int, threads: int = 1
) -> list[Reduced]:
    """Return the score of each system from its columns; threads share the iterations of a sampled score."""
    if metric.level == "mean":
        return [_mean(metric, system) for system in systems]
    draws = metric.draws(lines, references)
    if draws:
        return _sampled(metric, systems, draws, threads)
    return [_chosen(metric, system) for system in systems]


def _chosen(metric: Metric, system: HasBlocks) -> Reduced:
    """Sum the terms for the best reference of each sentence (the only one, where there is one)."""
    schema = Schema(tuple(field._replace(per_reference=False) for field in metric.terms), 1)
    totals = np.zeros(schema.width, np.int64)
    for columns in system.blocks():
        terms = metric.make_terms(columns)
        chosen = metric.choose(columns) if metric.references == "max" else None
        picked = {f.name: _pick(terms[f.name], chosen) if f.per_reference else terms[f.name] for f in metric.terms}
        totals += schema.pack(picked).sum(axis=0)
    outputs = {name: float(value) for name, value in metric.score(schema.unpack(totals)).items()}
    samples = Samples(1, 0.0, (math.nan, math.nan)) if metric.references == "sample" else None
    return Reduced(outputs, samples)


def _pick(term: Ints, chosen: Ints | None) -> Ints:
    return term[:, 0] if chosen is None else term[np.arange(len(term)), chosen]


def _sampled(metric: Metric, systems: Sequence[HasBlocks], draws: Draws, threads: int) -> list[Reduced]:
    """Sum the terms of the references drawn in every iteration, and average the scores."""
    fixed_schema = Schema(tuple(field for field in metric.terms if not field.per_reference), 1)
    drawn_schema = Schema(tuple(f._replace(per_reference=False) for f in metric.terms if f.per_reference), 1)
    if draws.lines * draws.iterations < THREADED:
        threads = 1
    borders = [draws.iterations * number // threads for number in range(threads + 1)]
    parts = list(itertools.pairwise(borders))
    with ThreadPoolExecutor(threads) as pool:
        sums = pool.map(lambda part: _drawn(metric, systems, draws, drawn_schema, *part), parts)
        fixed = [_fixed(metric, system, fixed_schema) for system in systems]
        drawn = np.concatenate(list(sums))
    results = []
    for number in range(len(systems)):
        totals = fixed_schema.unpack(fixed[number]) | drawn_schema.unpack(drawn[:, number])
        results.append(_averaged(metric.score(totals), draws.iterations))
    return results


def _fixed(metric: Metric, system: HasBlocks, schema: Schema) -> Ints:
    """Return the sums of the terms that no draw changes: int64 [width]."""
    totals = np.zeros(schema.width, np.int64)
    for columns in system.blocks():
        totals += schema.pack(metric.make_terms(columns)).sum(axis=0)
    return totals


def _drawn(metric: Metric, systems: Sequence[HasBlocks], draws: Draws, schema: Schema, first: int, last: int) -> Floats:
    """Return the sums of the terms drawn in the iterations first <= i < last: [iterations, systems, width]."""
    sums = np.zeros((last - first, len(systems), schema.width))
    stream = draws.blocks(DRAWN_LINES, first, last)
    for blocks in zip(*(system.blocks() for system in systems), strict=True):
        made = [metric.make_terms(columns) for columns in blocks]
        packed = [[_reference(schema, terms, r) for r in range(draws.references)] for terms in made]
        for low in range(0, len(packed[0][0]), DRAWN_LINES):
            sums += _drawn_sums(next(stream), [[t[low : low + DRAWN_LINES] for t in system] for system in packed])
    return sums


def _reference(schema: Schema, terms: Columns, reference: int) -> Floats:
    """Return the packed terms of one reference: float64 [lines, width]."""
    return schema.pack({field.name: terms[field.name][:, reference] for field in schema.fields}).astype(np.float64)


def _drawn_sums(draws: NDArray[np.uint8], terms: Sequence[Sequence[Floats]]) -> Floats:
    """Return the sums of the terms drawn: float64 [iterations, systems, width], all whole numbers.

    draws: uint8 [iterations, lines]; terms: for each system and reference float64 [lines, width]. The first
    reference is summed once, and of the others what they have more, where they were drawn.
    """
    first = np.stack([system[0].sum(axis=0) for system in terms])
    sums = np.broadcast_to(first, (len(draws), *first.shape)).copy()
    for reference in range(1, len(terms[0])):
        difference = np.concatenate([system[reference] - system[0] for system in terms], axis=1)
        if difference.any():
            mask = (draws == reference).astype(np.float64)
            sums += (mask @ difference).reshape(sums.shape)
    return sums


def _averaged(outputs: dict[str, Floats], iterations: int) -> Reduced:
    """Average outputs over iterations (outputs that no draw changes have one value)."""
    scores = np.broadcast_to(next(iter(outputs.values())), (iterations,))
    std = float(scores.std())
    mean = float(scores.mean())
    interval = (mean - Z95 * std, mean + Z95 * std) if std > 0 else (math.nan, math.nan)
    return Reduced(
        {name: float(np.mean(values)) for name, values in outputs.items()}, Samples(iterations, std, interval)
    )


def _mean(metric: Metric, system: HasBlocks) -> Reduced:
    """Average sentence scores; the sum is exact (fsum), so the blocks do not matter."""
    sums, lines = [], 0
    for columns in system.blocks():
        scores = sentence_scores(metric, columns)
        sums.append(scores)
        lines += len(scores)
    return Reduced({metric.name: math.fsum(v for part in sums for v in part.tolist()) / lines})


def sentence_scores(metric: Metric, columns: Columns) -> Floats:
    """Return the score of each sentence: float64 [lines]; the best, or the mean, over references."""
    return sentence_spread(metric, columns)["score"]


def sentence_spread(metric: Metric, columns: Columns) -> dict[str, Floats]:
    """Return score, std, low and high of each sentence over references: float64 [lines] each.

    std is the population deviation, low and high are score ± 1.959964 std (NaN where std is 0), as in the
    original program's -d. Where the best reference counts there is no spread.
    """
    scores = metric.sentence_scores(columns)
    if metric.references == "max":
        scores = scores.max(axis=-1, keepdims=True)
    mean, std = scores.mean(axis=-1), scores.std(axis=-1)
    half = np.where(std > 0, Z95 * std, math.nan)
    return {"score": mean, "std": std, "low": mean - half, "high": mean + half}
