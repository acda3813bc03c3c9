"""Settings of every metric, made from the options that it declares."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.errors import ConfigError
from pipeline.metrics import METRICS
from pipeline.metrics.base.capabilities import computes_numbers
from pipeline.metrics.build import from_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pipeline.metrics.base.metric import Metric
    from pipeline.metrics.base.options import Option


def other_values(option: Option) -> list[str]:
    """Return values of an option beside its default."""
    default = str(option.default_of({}))
    if option.choices:
        return [choice for choice in option.choices if choice != default]
    if option.is_truth:
        return ["false" if option.default_of({}) else "true"]
    if option.maximum is not None:
        return [str(option.minimum), "3"]
    return []


def candidates(name: str) -> Iterator[str]:
    """Yield the spelling of a metric with its defaults, and with one option changed."""
    yield name
    for option in METRICS[name].options:
        for value in other_values(option):
            yield f"{name}[{option.key}={value}]"


def settings() -> dict[str, Metric]:
    """Return every metric of the program with different settings, by spelling."""
    result: dict[str, Metric] = {}
    for name, kind in METRICS.items():
        if computes_numbers(kind):
            continue
        for text in candidates(name):
            try:
                metric = from_text(text)
            except ConfigError:
                continue
            if metric not in result.values() and not metric.spec.unavailable():
                result[text] = metric
    return result
