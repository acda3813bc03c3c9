"""Policies by which references are drawn at random."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ... import kernel
from ...metrics.base.capabilities import draws_references
from ...metrics.base.columns import PRESENT
from ...metrics.compiled import sums_of
from ..addends import Chosen, Drawn
from ..column_blocks import present_blocks
from ..results import Samples
from .base import Z95, Policy, Reduced, mean_of
from .drawn_sums import drawn_sums

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from ...arrays import Floats
    from ...metrics.base.metric import Metric
    from ...metrics.base.reference_draws import Draws
    from ..column_blocks import HasBlocks
    from ..summands import Summand
    from .base import SystemCounts

TURNS = 4
"""At most so many turns are made of a draw of references."""


class Sampled(Policy):
    """The mean score over many draws, in each of which a reference is drawn for each sentence."""

    def scores(self, counts: SystemCounts) -> list[Reduced]:
        """Return the means of the outputs over iterations."""
        draws = draws_references(counts.metric).draws(counts.lines, counts.references)
        if draws is None:
            return [self.single(item.outputs) for item in counts.reduced(Chosen(counts.metric, 0))]
        return [self.averaged(outputs, draws) for outputs in _drawn_outputs(counts, draws)]

    def single(self, outputs: dict[str, float]) -> Reduced:
        """Return a score for which nothing is drawn, since there is only one reference."""
        return Reduced(outputs, Samples(1, 0.0, (math.nan, math.nan)))

    def averaged(self, outputs: Outputs, draws: Draws) -> Reduced:
        """Return the mean of the outputs, with the spread of the first, which is the score."""
        means, std = outputs.means()
        middle = next(iter(means.values()))
        interval = (middle - Z95 * std, middle + Z95 * std) if std > 0 else (math.nan, math.nan)
        return Reduced(means, Samples(draws.iterations, std, interval))

    def drawn_scores(self, counts: SystemCounts) -> list[Floats] | None:
        """Return the score of each system in every draw: float64 [iterations]. None: there is only one reference."""
        draws = draws_references(counts.metric).draws(counts.lines, counts.references)
        return draws and [outputs.scores for outputs in _drawn_outputs(counts, draws)]

    def summands(self, counts: SystemCounts) -> list[Summand]:
        """Return a summand with one draw of references for each sample, and with turns of it.

        The score is a mean over hundreds of draws, so it has almost no noise from them. The mean over one draw and its
        turns has, to the first order, as little noise, since every reference of a sentence has a part in it.
        """
        draws = draws_references(counts.metric).draws(counts.lines, counts.references)
        if draws is None:
            return [counts.summand(Chosen(counts.metric, 0))]
        turns = min(counts.references, TURNS)
        summand = counts.summand(Drawn(counts.metric, counts.references))
        evenly = [number * counts.references // turns for number in range(turns)]
        return [replace(summand, draws=self.one_of(draws), turns=evenly)]

    def one_of(self, draws: Draws) -> Draws:
        """Return the draws that the samples take, before they are turned."""
        return draws


class Expected(Sampled):
    """The limit of the sampled score, by balanced draws (Draws.balanced), with the standard error of the mean."""

    def single(self, outputs: dict[str, float]) -> Reduced:
        """Return a score that is exact, since there is only one reference."""
        return Reduced(outputs | {"standard_error": 0.0})

    def averaged(self, outputs: Outputs, draws: Draws) -> Reduced:
        """Return the mean of the outputs, and its standard error from the means of groups of turned draws."""
        error = 0.0
        if draws.sampler == "turned":
            groups = outputs.scores.reshape(-1, draws.references).mean(axis=-1)
            error = float(groups.std(ddof=1) / math.sqrt(len(groups))) if len(groups) > 1 else math.nan
        means = zip(outputs.names, outputs.table, strict=True)
        return Reduced({name: float(values.mean()) for name, values in means} | {"standard_error": error})

    def drawn_scores(self, counts: SystemCounts) -> list[Floats] | None:
        """Return None: these draws are not independent, so they do not show a spread."""
        del counts
        return None

    def one_of(self, draws: Draws) -> Draws:
        """Return one draw of each group, since the draws of the metric are already turned."""
        return draws._replace(sampler="numpy", iterations=max(draws.iterations // draws.references, 1))


class LeftOut(Policy):
    """Leaves out each reference in turn. Systems get the mean score. References are scored against the others."""

    minimum_references = 2
    inner = Sampled()
    """The policy for the references that are left."""

    def scores(self, counts: SystemCounts) -> list[Reduced]:
        """Return the means of the outputs over the references left out. A reference has one score, without itself."""
        scores: list[list[Reduced]] = [[] for _ in counts.systems]
        for left_out in range(counts.references):
            numbers, rest = counts.without(left_out)
            for number, reduced in zip(numbers, self.inner.scores(rest), strict=True):
                scores[number].append(reduced)
        return [mean_of(items) for items in scores]

    def summands(self, counts: SystemCounts) -> list[Summand]:
        """Return a summand without each reference: a share of a system's score, or all of that reference's score."""
        summands = []
        for left_out in range(counts.references):
            numbers, rest = counts.without(left_out)
            shares = [1 / counts.references if own is None else 1.0 for own in rest.own]
            summands += [replace(item, numbers=numbers, shares=shares) for item in self.inner.summands(rest)]
        return summands

    def needs_all(self, metric: Metric) -> bool:
        """Return True: a reference that is missing cannot be left out."""
        del metric
        return True

    def rows(self, references: int) -> Mapping[str, int]:
        """Return all references."""
        return {f"reference{number}": number for number in range(references)}


class Outputs(NamedTuple):
    """The outputs of a metric in every iteration."""

    names: Sequence[str]
    different: Floats
    """The different outputs, of which iterations may share some: [outputs, number of different ones]."""
    drawn: NDArray[np.intp] | None
    """Which of them each iteration has: [iterations]. None: each iteration has its own."""

    @property
    def scores(self) -> Floats:
        """The score, which is the first output: [iterations]."""
        return self._each(self.different[0])

    @property
    def table(self) -> Floats:
        """All outputs: [outputs, iterations]."""
        return self._each(self.different)

    def means(self) -> tuple[dict[str, float], float]:
        """Return the mean of each output, and the population deviation of the score.

        For equal values these are exactly the value and 0.
        """
        formula = kernel.formula("drawn_means", "sums")
        means, deviation = formula(self.different, self.drawn) if formula and self.drawn is not None else self._means()
        return dict(zip(self.names, means.tolist(), strict=True)), deviation

    def _means(self) -> tuple[Floats, float]:
        means = self.different[:, 0].copy()
        varied = np.logical_or.reduce(self.different != means[:, None], axis=1)
        if varied.any():
            each = self._each(self.different[varied])
            means[varied] = np.add.reduce(each, axis=-1) / each.shape[1]
        deviations = self.scores - means[0]
        squares = np.add.reduce(deviations * deviations) if varied[0] else 0.0
        return means, math.sqrt(squares / len(deviations))

    def _each(self, outputs: Floats) -> Floats:
        return outputs if self.drawn is None else outputs.take(self.drawn, axis=-1)


def _drawn_outputs(counts: SystemCounts, draws: Draws) -> list[Outputs]:
    """Return the outputs of each system in every iteration."""
    if counts.lines == 1:
        return [_of_one_line(counts, system, draws) for system in counts.systems]
    kind = Drawn(counts.metric, counts.references)
    sums = drawn_sums(kind, counts.systems, draws, counts.threads)
    outputs = (kind.outputs_of(sums[:, number]) for number in range(len(counts.systems)))
    return [Outputs([*own], np.array([*own.values()]), None) for own in outputs]


def _of_one_line(counts: SystemCounts, system: HasBlocks, draws: Draws) -> Outputs:
    """Return the outputs of a system with one line: those with the reference that is drawn."""
    (columns,) = present_blocks(counts.metric, system)
    present = columns.get(PRESENT)
    references, drawn = _of_a_line(draws, None if present is None else int(present[0]))
    compiled = sums_of(counts.metric)
    if compiled:
        return Outputs(compiled.names, compiled.outputs(columns, references), drawn)
    kind = Drawn(counts.metric, counts.references)
    (line,) = kind.addends(system)
    fixed = np.broadcast_to(line.fixed, (len(references), line.fixed.shape[1]))
    terms = np.concatenate([line.drawn[reference] for reference in references])
    outputs = kind.outputs_of(np.concatenate([fixed, terms], axis=-1))
    return Outputs([*outputs], np.array([*outputs.values()]), drawn)


@lru_cache(16)
def _of_a_line(draws: Draws, present: int | None) -> tuple[list[int], NDArray[np.intp]]:
    """Return the references that are drawn for a line alone, and which of them each iteration has: [iterations].

    `present` is how many references the line has, None where it has all.
    """
    limits = None if present is None else np.array([present], np.int64)
    taken = draws.drawer(range(draws.iterations)).take(1, limits)[:, 0]
    references, drawn = np.unique(taken, return_inverse=True)
    drawn.flags.writeable = False
    return references.tolist(), drawn
