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
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from ..metrics.base.columns import PRESENT, Schema
from ..metrics.base.reference_draws import Drawer, Draws
from .column_blocks import HasBlocks, Subset, present_blocks
from .results import Samples
from .sentences import SENTENCES, Z95, _mean_and_std, sentence_outputs

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from ..arrays import Floats, Ints
    from ..metrics.base.columns import Columns
    from ..metrics.base.metric import Metric

DRAWN_LINES = 2048
"""Lines whose draws are multiplied at once: bounds memory at iterations times this. Divides the store's BLOCK."""
THREADED = 1 << 24
"""Draws from which several threads are worth their start."""


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
    metric: Metric,
    systems: Sequence[HasBlocks],
    lines: int,
    references: int,
    threads: int = 1,
    own: Sequence[int | None] = (),
) -> list[Reduced]:
    """Return the score of each system from its columns, by the metric's level and policy for references.

    threads share the iterations of a sampled score; own: which reference a system is itself, for the policy
    leave_one_out (None, or left out: none).
    """
    if metric.level in SENTENCES:
        return [_sentences(metric, system) for system in systems]
    if metric.policy == "leave_one_out":
        return _left_out(metric, systems, lines, references, threads, own or [None] * len(systems))
    return POLICIES[metric.policy](metric, systems, lines, references, threads)


def _chosen(metric: Metric, systems: Sequence[HasBlocks], *_: int) -> list[Reduced]:
    """Sum the terms for the best reference of each sentence (the only one, where there is one or all are merged)."""
    return [_summed(metric, system, metric.choose) for system in systems]


def _summed(metric: Metric, system: HasBlocks, choose: Callable[[Columns], Ints | int]) -> Reduced:
    """Sum the terms for the references that choose() gives: one for each line, or one for all."""
    schema, totals = picked_schema(metric), np.zeros(picked_schema(metric).width, np.int64)
    real = {field.name: Fraction(0) for field in metric.terms if field.real}
    for columns in present_blocks(metric, system):
        picked = picked_terms(metric, columns, choose)
        totals += schema.pack(picked).sum(axis=0) if schema.fields else 0
        real = {name: total + exact_sum(picked[name].astype(np.float64)) for name, total in real.items()}
    sums: dict[str, Any] = schema.unpack(totals) if schema.fields else {}
    scores = metric.score(sums | {name: np.float64(total) for name, total in real.items()})
    return Reduced({name: float(value) for name, value in scores.items()})


def picked_schema(metric: Metric) -> Schema:
    """Return the whole numbers among the terms of a sentence for one reference."""
    return Schema(tuple(field._replace(per_reference=False) for field in metric.terms if not field.real), 1)


def picked_terms(metric: Metric, columns: Columns, choose: Callable[[Columns], Ints | int]) -> Columns:
    """Return the terms of each sentence for the references that choose() gives: as picked_schema() says."""
    terms = metric.make_terms(columns)
    chosen = choose(columns) if any(field.per_reference for field in metric.terms) else 0
    return {f.name: _pick(terms[f.name], chosen) if f.per_reference else terms[f.name] for f in metric.terms}


def _apart(metric: Metric, systems: Sequence[HasBlocks], _: int, references: int, *__: int) -> list[Reduced]:
    """Score with each reference alone, and average the outputs, weighted where the metric has weights.

    The policy each tells the score with each reference too: name@0, name@1 ...
    """
    weights = metric.shares or (1 / references,) * references
    results = []
    for system in systems:
        single = [_summed(metric, system, lambda _, r=r: r).outputs for r in range(references)]  # type: ignore[misc]
        name = next(iter(single[0]))
        outputs = {key: math.fsum(w * o[key] for w, o in zip(weights, single, strict=True)) for key in single[0]}
        shown = range(references) if metric.policy == "each" else ()
        results.append(Reduced(outputs | {f"{name}@{r}": single[r][name] for r in shown}))
    return results


def _left_out(
    metric: Metric,
    systems: Sequence[HasBlocks],
    lines: int,
    references: int,
    threads: int,
    own: Sequence[int | None],
) -> list[Reduced]:
    """Score with all references but one, each left out in turn: systems by the mean, a reference without itself."""
    apart = frozenset(field.name for field in metric.needs.schema(references).fields if field.per_reference)
    outputs: list[list[dict[str, float]]] = [[] for _ in systems]
    for left_out in range(references):
        kept = [r for r in range(references) if r != left_out]
        concerned = [number for number, is_reference in enumerate(own) if is_reference in (None, left_out)]
        subset = [Subset(systems[number], kept, apart) for number in concerned]
        for number, reduced in zip(concerned, _sampled(metric, subset, lines, len(kept), threads), strict=True):
            outputs[number].append(reduced.outputs)
    return [mean_of([Reduced(one) for one in found]) for found in outputs]


def mean_of(reduced: Sequence[Reduced]) -> Reduced:
    """Return the mean of each output over several results, without their spread."""
    names = reduced[0].outputs
    return Reduced({name: math.fsum(one.outputs[name] for one in reduced) / len(reduced) for name in names})


def _pick(term: Ints, chosen: Ints | int) -> Ints:
    picked: Ints = term[np.arange(len(term)), chosen]
    return picked


def _sampled(metric: Metric, systems: Sequence[HasBlocks], lines: int, references: int, threads: int) -> list[Reduced]:
    """Average the scores over iterations, with a reference drawn for each sentence in each."""
    draws = metric.draws(lines, references)
    if draws is None:
        single = [_summed(metric, system, lambda _: 0) for system in systems]
        return [Reduced(one.outputs, Samples(1, 0.0, (math.nan, math.nan))) for one in single]
    return [_averaged(outputs) for outputs in _drawn_outputs(metric, systems, draws, threads)]


def _averaged(outputs: dict[str, Floats]) -> Reduced:
    """Average outputs [iterations]; the first is the score, whose spread is told too."""
    means = {name: float(_mean_and_std(values)[0]) for name, values in outputs.items()}
    scores = next(iter(outputs.values()))
    mean, std = (float(value) for value in _mean_and_std(scores))
    interval = (mean - Z95 * std, mean + Z95 * std) if std > 0 else (math.nan, math.nan)
    return Reduced(means, Samples(len(scores), std, interval))


def drawn_scores(
    metric: Metric, systems: Sequence[HasBlocks], lines: int, references: int, threads: int = 1
) -> list[Floats] | None:
    """Return the score of each system in every draw of references: float64 [iterations] each, by which Samples is made.

    None where no reference is drawn for the score: another policy or level, or one reference.
    """
    draws = metric.draws(lines, references) if metric.policy == "sample" and metric.level not in SENTENCES else None
    if draws is None:
        return None
    return [next(iter(outputs.values())) for outputs in _drawn_outputs(metric, systems, draws, threads)]


def _expected(metric: Metric, systems: Sequence[HasBlocks], lines: int, references: int, threads: int) -> list[Reduced]:
    """Average over balanced draws (see Draws.balanced), with the standard error of the mean."""
    draws = metric.draws(lines, references)
    if draws is None:
        return [Reduced(_summed(metric, system, lambda _: 0).outputs | {"standard_error": 0.0}) for system in systems]
    results = []
    for outputs in _drawn_outputs(metric, systems, draws, threads):
        error = 0.0
        if draws.sampler == "turned":
            groups = next(iter(outputs.values())).reshape(-1, references).mean(axis=-1)
            error = float(groups.std(ddof=1) / math.sqrt(len(groups))) if len(groups) > 1 else math.nan
        means = {name: float(values.mean()) for name, values in outputs.items()}
        results.append(Reduced(means | {"standard_error": error}))
    return results


def _drawn_outputs(metric: Metric, systems: Sequence[HasBlocks], draws: Draws, threads: int) -> list[dict[str, Floats]]:
    """Return the outputs of each system in every iteration: float64 [iterations] each."""
    fixed_schema = Schema(tuple(field for field in metric.terms if not field.per_reference), 1)
    drawn_schema = Schema(tuple(f._replace(per_reference=False) for f in metric.terms if f.per_reference), 1)
    if draws.lines * draws.iterations < THREADED:
        threads = 1
    borders = [draws.iterations * number // threads for number in range(threads + 1)]
    with ThreadPoolExecutor(threads) as pool:
        sums = pool.map(lambda part: _drawn(metric, systems, draws, drawn_schema, *part), itertools.pairwise(borders))
        fixed = [_fixed(metric, system, fixed_schema) for system in systems]
        drawn = np.concatenate(list(sums))
    results = []
    for number in range(len(systems)):
        totals = fixed_schema.unpack(fixed[number]) | drawn_schema.unpack(drawn[:, number])
        outputs = metric.score(totals)
        results.append({name: np.broadcast_to(values, (draws.iterations,)) for name, values in outputs.items()})
    return results


def _fixed(metric: Metric, system: HasBlocks, schema: Schema) -> Ints:
    """Return the sums of the terms that no draw changes: int64 [width]."""
    totals = np.zeros(schema.width, np.int64)
    for columns in present_blocks(metric, system):
        totals += schema.pack(metric.make_terms(columns)).sum(axis=0)
    return totals


def _drawn(metric: Metric, systems: Sequence[HasBlocks], draws: Draws, schema: Schema, first: int, last: int) -> Floats:
    """Return the sums of the terms drawn in the iterations first <= i < last: [iterations, systems, width]."""
    sums = np.zeros((last - first, len(systems), schema.width))
    drawer = Drawer(draws, range(first, last))
    for blocks in zip(*(present_blocks(metric, system) for system in systems), strict=True):
        made = [metric.make_terms(columns) for columns in blocks]
        packed = [[packed_reference(schema, terms, r) for r in range(draws.references)] for terms in made]
        present = blocks[0].get(PRESENT)
        for low in range(0, len(packed[0][0]), DRAWN_LINES):
            part = slice(low, low + DRAWN_LINES)
            drawn = drawer.take(len(packed[0][0][part]), None if present is None else present[part])
            sums += _drawn_sums(drawn, [[terms[part] for terms in system] for system in packed])
    return sums


def packed_reference(schema: Schema, terms: Columns, reference: int) -> Floats:
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


def _sentences(metric: Metric, system: HasBlocks) -> Reduced:
    """Average or sum the outputs of sentences; the sums are exact, so the blocks do not matter."""
    sums: dict[str, Fraction] = {}
    lines = 0
    for columns in present_blocks(metric, system):
        for name, values in sentence_outputs(metric, columns).items():
            sums[name] = sums.get(name, Fraction(0)) + exact_sum(values)
        lines += len(next(iter(columns.values())))
    divisor = lines if metric.level == "mean" else 1
    return Reduced({name: float(total) / divisor for name, total in sums.items()})


def exact_sum(values: Floats) -> Fraction:
    """Return the sum of finite numbers without any rounding: float() of it is what math.fsum gives.

    They are cut into pieces of 30 bits, which are summed as integers; of scores nothing is left after three.
    """
    total, rest = Fraction(0), values
    limit = 2.0 ** (62 - len(values).bit_length())
    for place in (30, 60, 90):
        top = math.ldexp(limit, -place)
        pieces = np.rint(np.ldexp(np.clip(rest, -top, top), place))
        total += Fraction(int(pieces.astype(np.int64).sum()), 1 << place)
        rest = rest - np.ldexp(pieces, -place)
    return total + sum(map(Fraction, rest[rest != 0].tolist()), Fraction(0))


POLICIES: dict[str, Callable[[Metric, Sequence[HasBlocks], int, int, int], list[Reduced]]] = {
    "sample": _sampled,
    "expected": _expected,
    "max": _chosen,
    "merged": _chosen,
    "mean": _apart,
    "each": _apart,
    "weighted": _apart,
}
"""How level corpus reduces, for each policy for references (leave_one_out apart, which is made of sample)."""
