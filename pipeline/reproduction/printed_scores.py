"""Scores that publications printed for systems, as recipes have them, for the leader boards."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import InputError
from ..metrics.build import from_text
from .verdicts import EXACT, read_number

if TYPE_CHECKING:
    from ..metrics.base.metric import Metric
    from .published import Outcome, Recipe

OTHER = "unknown: on record as not reproducible"
"""The settings of a printed score that differs from ours though it should be by the same metric."""
LARGEST = Decimal(10) ** 6
"""A printed percentage from this size on is no score."""


class Printed(NamedTuple):
    """A published score of a system."""

    recipe: str
    value: str
    """In percent, with all digits that were printed."""
    metric: str
    """The metric as the recipe writes it, where its settings are others than those of the board; else empty."""
    year: int | None
    """The year of the publication."""
    published: bool = True
    """Whether it stands in the publication. Otherwise it is of another computation, and only in the recipe."""


def printed_scores(outcome: Outcome, dataset: str, metric: Metric) -> list[tuple[str, Printed]]:
    """Return (system, published score) for each score by a metric on a data set that a recipe expects."""
    recipe, entries = outcome.recipe, (outcome.expectations or {}).get("entries", [])
    rows = []
    for number, entry in enumerate(recipe.expected):
        text = _metric_of(entry, recipe, dataset, metric)
        if text is None:
            continue
        values, is_published = entry.get("values"), entry.get("published") != "false"
        if not isinstance(values, dict) and number < len(entries):
            values = {item["place"]: item["expected"] for item in entries[number]["compared"]}
        for system, value in (values if isinstance(values, dict) else {}).items():
            shown = _percent(str(value), str(entry.get("scale", "1")))
            if shown:
                rows.append((system, Printed(recipe.name, shown, text, recipe.year, is_published)))
    return rows


def _metric_of(entry: dict[str, Any], recipe: Recipe, dataset: str, metric: Metric) -> str | None:
    """Return the text of an entry's metric, "" where it is that of the board; None if the entry is of no such score."""
    if any(key in entry for key in ("path", "mean", "sentences", "order")):
        return None
    if entry.get("output", "score") != "score" or entry.get("dataset", dataset) != dataset:
        return None
    written = recipe.content.get("metrics", [])
    text = entry.get("metric", written[0] if isinstance(written, list) and len(written) == 1 else written)
    try:
        own = from_text(text) if isinstance(text, str) else None
    except InputError:
        return None
    if own is None or own.name != metric.name:
        return None
    if own == metric:
        return OTHER if entry.get("recorded") == "differs" else ""
    return str(text)


def _percent(value: str, scale: str) -> str | None:
    """Return a published number in percent with all its digits; None where it is no number."""
    number, factor = read_number(value), read_number(scale)
    if number is None or not factor:
        return None
    if factor == Decimal(1).scaleb(factor.adjusted()):  # a power of ten: all digits stay, zeros at the end too
        shifted = number.scaleb(2 - factor.adjusted())
    else:
        shifted = EXACT.divide(EXACT.multiply(number, Decimal(100)), factor)
    return f"{shifted:f}" if abs(shifted) < LARGEST else None
