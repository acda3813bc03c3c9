"""Scores in memory: statistics of how metrics agree with people, without a run or files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import ConfigError, InputError
from ..statistics import statistic_of
from ..statistics.permutation import Settings
from .comparison import Comparison

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from ...arrays import Floats

    Rows = ArrayLike | Sequence[Sequence[float | None]]
    """A row for each system, with a score for each sentence."""


def correlate(
    human: Rows,
    metrics: Mapping[str, Rows],
    statistics: str | Sequence[str] = "acc_eq",
    *,
    permutations: int = 0,
    seed: int = 12345,
    swap: str = "auto",
    block: int | None = None,
) -> dict[str, list[dict[str, Any]]]:
    """Return how metrics agree with people on scores of sentences, as `gec-pipeline correlate` does.

    `human` has a row for each system with a score for each sentence, and `metrics` has such rows for each metric, by
    name. None or NaN is a score that is lacking. `statistics` are one or more, such as "acc_eq" or
    "pearson[average=item]"; `gec-pipeline list statistics` has all. For one score of each system say "[level=system]"
    and give rows of one score. With `permutations` each two metrics are tested with so many resamples, whose draws
    begin with `seed`; `swap` says what is swapped (scores, pairs or auto), and `block` after how many resamples a test
    with a clear p-value may stop.

    What is returned has the lists `statistics` and `permutations`, whose members are those of results.json.
    Raises InputError where the shapes differ, and where there is no such statistic.
    """
    people = _rows("human", human)
    if not isinstance(metrics, Mapping) or not metrics:
        raise InputError("metrics: expected a mapping with the scores of each metric by its name")
    scores = np.stack([_rows(name, own, people.shape) for name, own in metrics.items()])
    if swap not in ("auto", "scores", "pairs") or permutations < 0 or (block is not None and block < 1):
        raise InputError("expected swap auto, scores or pairs, permutations from 0, and a block from 1")
    try:
        asked = [statistic_of(text) for text in ([statistics] if isinstance(statistics, str) else statistics)]
    except ConfigError as error:
        raise InputError(f"statistics: {error}") from None
    settings = Settings(resamples=permutations, swap=swap, block=block, seed=seed)
    comparison = Comparison("", "human", list(metrics), settings)
    for statistic in asked:
        if statistic.level == "system" and people.shape[1] != 1:
            raise InputError(f"{statistic} compares one score of each system; found {people.shape[1]:,} of each")
    results = [comparison.compare(statistic, people, scores) for statistic in asked]
    return {
        "statistics": [asdict(one) for agreements, _ in results for one in agreements],
        "permutations": [asdict(one) for _, tests in results for one in tests],
    }


def _rows(name: str, scores: Rows, shape: tuple[int, ...] | None = None) -> Floats:
    """Return scores as float64 [systems, sentences]. Raises InputError where they have another shape."""
    try:
        rows: Floats = np.array(scores, np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name}: expected rows of numbers, all of the same length: a row for each system") from None
    if rows.ndim != 2 or np.isinf(rows).any():
        raise InputError(f"{name}: expected a row of finite scores for each system, found the shape {rows.shape}")
    if shape is not None and rows.shape != shape:
        own, other = (f"{systems} systems with {lines:,} sentences" for systems, lines in (rows.shape, shape))
        raise InputError(f"{name}: has {own}, human has {other}")
    return rows
