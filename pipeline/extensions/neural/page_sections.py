"""The effects of edits on the page of a report."""

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

from pipeline.data import Corpus
from pipeline.extensions.page.numbers import plain_numbers, scaled
from pipeline.metrics import factor
from pipeline.scoring import MetricResult

from .attribution import EXACT, ORDERS, Effect, attributed, is_attributed


def effects(
    corpus: Corpus,
    metric_result: MetricResult,
    lines: Sequence[int],
    digits: int,
) -> dict[tuple[str, int], dict[str, Any]]:
    """Return what each edit does to the score of an output, by system and line: for the systems of a
    metric and some lines, numbers from 0.

    {} without a source, if a package is missing, or if a sentence's score depends on more than its
    text. `by` says whose edits they are, `edits` has the rows of the page's script, and `drawn` is
    the number of orders from which shares are estimated, 0 if they are exact."""
    metric = metric_result.metric
    if corpus.source is None or not is_attributed(metric):
        return {}
    if metric.missing_code:
        return {}
    systems = []
    for name in metric_result.names[: len(metric_result.columns)]:
        if name not in corpus.references_as_systems:
            systems.append(name)
    outputs = list(product(systems, lines))
    unit = factor(metric.name) / 100
    by_output = {}
    for output, attribution in attributed(metric, corpus, outputs).items():
        rows = [_row(effect, unit, digits) for effect in attribution.effects]
        orders = ORDERS if len(rows) > EXACT else 0
        by_output[output] = {
            "by": attribution.by,
            "edits": rows,
            "drawn": orders,
        }
    return by_output


def _row(effect: Effect, unit: float, digits: int) -> list[Any]:
    """Return an edit, and what it changes, as the script of the page reads it."""
    changes = np.array([effect.alone, effect.left_out, effect.share])
    numbers = plain_numbers(scaled(unit * changes, digits))
    edit = effect[:5]
    return [*edit, *numbers]
