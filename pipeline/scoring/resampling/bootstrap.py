"""Scores of bootstrap samples of the sentences, and intervals from them.

Memory is a few bytes a sentence (or GROUP bytes, and those of `sums.py`, where that is more).
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from ...errors import InputError
from ..column_blocks import Subset
from ..sentences import SENTENCES
from .sample_weights import Bootstrap
from .summands import Chosen, Drawn, Sentences
from .weighted_sums import Part, Table, sums

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ...arrays import Floats
    from ...metrics.base.metric import Metric
    from ..column_blocks import HasBlocks
    from .sample_weights import Bytes, Weights

    Progress = Callable[[int, int], None]

GROUP = 1 << 27
"""Bytes of weights that are held at once, or a row where that is more."""
ROWS = 1000
"""Rows of weights at once, at most."""
TURNS = 4
"""Turns of a draw of references, at most."""


def parts(
    metric: Metric, systems: Sequence[HasBlocks], lines: int, references: int, own: Sequence[int | None] = ()
) -> list[Part]:
    """Return the parts of a metric's score, by its level and policy for references (own: as in reduce())."""
    if reason := unsupported(metric):
        raise InputError(reason)
    numbers, ones = range(len(systems)), [1.0] * len(systems)
    if metric.level in SENTENCES:
        return [Part(Table(Sentences.of(metric, systems, lines), metric, systems, lines), numbers, ones)]
    if metric.policy in ("mean", "each", "weighted"):
        shares = metric.shares or (1 / references,) * references
        tables = [Table(Chosen(metric, reference), metric, systems, lines) for reference in range(references)]
        return [
            Part(table, numbers, [share] * len(systems)) for table, share in zip(tables, shares, strict=True) if share
        ]
    if metric.policy == "leave_one_out":
        return _left_out(metric, systems, lines, references, own or [None] * len(systems))
    draws = metric.draws(lines, references)
    if draws is None:
        alone = None if metric.policy in ("max", "merged") else 0
        return [Part(Table(Chosen(metric, alone), metric, systems, lines), numbers, ones)]
    if metric.policy == "expected":  # its own draws come turned already
        draws = draws._replace(sampler="numpy", iterations=max(draws.iterations // references, 1))
    table = Table(Drawn(metric, references), metric, systems, lines)
    return [Part(table, numbers, ones, draws, _turns(references))]


def unsupported(metric: Metric) -> str | None:
    """Return why a metric has neither intervals nor tests, or None."""
    if metric.level not in SENTENCES and any(field.real for field in metric.terms):
        return f"{metric.name}: sums of real numbers have neither intervals nor tests (level: mean has)"
    return None


def _turns(references: int) -> list[int]:
    """Return up to TURNS turns of a draw, evenly spaced.

    A score is a mean over hundreds of draws, and has next to none of the noise of one. The mean over a draw and its
    turns, in which every reference of a sentence has its part, has as little, to the first order.
    """
    turns = min(references, TURNS)
    return [number * references // turns for number in range(turns)]


def _left_out(
    metric: Metric, systems: Sequence[HasBlocks], lines: int, references: int, own: Sequence[int | None]
) -> list[Part]:
    """Return a part for each reference left out: all systems, but of the references only that one."""
    apart = frozenset(field.name for field in metric.needs.schema(references).fields if field.per_reference)
    found = []
    for left_out in range(references):
        kept = [reference for reference in range(references) if reference != left_out]
        numbers = [number for number, is_reference in enumerate(own) if is_reference in (None, left_out)]
        draws = metric.draws(lines, len(kept))
        subset = [Subset(systems[number], kept, apart) for number in numbers]
        shares = [1 / references if own[number] is None else 1.0 for number in numbers]
        kind = Drawn(metric, len(kept)) if draws else Chosen(metric, 0)
        turns = _turns(len(kept)) if draws else (0,)
        found.append(Part(Table(kind, metric, subset, lines), numbers, shares, draws, turns))
    return found


def groups(weights: Weights, samples: int, lines: int) -> Iterator[tuple[int, Bytes]]:
    """Yield (number of the first, weights) of as many samples at once as there is room for."""
    rows = min(max(GROUP // lines, 1), ROWS)
    for low in range(0, samples, rows):
        yield low, weights.take(min(rows, samples - low))


def bootstrap(
    chosen: Sequence[Part], systems: int, lines: int, samples: int, seed: int, progress: Progress | None = None
) -> Floats:
    """Return the scores of the systems in bootstrap samples of the sentences: float64 [samples, systems].

    All systems and metrics have the same samples; sample b of a metric that draws references takes the draws of its
    iteration b, from the first again after the last, and their turns.
    """
    scores = np.zeros((samples, systems))
    for low, weights in groups(Bootstrap(lines, seed), samples, lines):
        for part in chosen:
            totals = sums(part, weights, low, whole=False).weighted
            for place, (number, share) in enumerate(zip(part.numbers, part.shares, strict=True)):
                scores[low : low + len(weights), number] += share * part.score(totals[:, :, place])
        if progress:
            progress(low + len(weights), samples)
        del weights  # before the next are made
    return scores


def cut(samples: int, level: float) -> int:
    """Return how many of the lowest, and of the highest, values lie outside an interval."""
    return int(samples * (1 - Fraction(str(level))) / 2)


def percentile_interval(values: Floats, level: float) -> tuple[Floats, Floats]:
    """Return the bounds of the middle `level` of values [samples, ...]: order statistics, as sacreBLEU takes them.

    Of 1,000 values, at level 0.95, the 26th lowest and the 26th highest. Efron and Tibshirani 1993, ch. 13.
    """
    ordered, outside = np.sort(values, axis=0), cut(len(values), level)
    return ordered[outside], ordered[len(values) - 1 - outside]
