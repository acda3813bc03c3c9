"""Settings of every metric, made from what it declares: its options and its other names."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from pipeline.errors import ConfigError
from pipeline.metrics import METRICS
from pipeline.metrics.base.metric import Metric
from pipeline.metrics.build import from_text
from pipeline.metrics.options import Option

EDITS = "edits"
"""The input of gold edits and of edits of outputs, which an extension reads."""
GOLD = "gold"
"""The input of gold edits and of outputs that are texts, which an extension reads."""


def other_values(option: Option) -> list[str]:
    """Return values of an option beside its default."""
    default = option.default_of({})
    if option.key == "tok" and option.choices:
        return [option.choices[-1]]  # tokenisers have tests of their own
    if option.choices:
        return [choice for choice in option.choices if choice != default]
    if option.is_truth:
        return ["false" if default else "true"]
    if option.maximum is not None:
        return [str(option.minimum), str(option.minimum + 1)]
    return []


def accepted(text: str) -> Metric | None:
    """Return the metric of a text, or None if its settings are refused or cannot be used here."""
    try:
        metric = from_text(text)
    except ConfigError:
        return None
    if metric.spec.unavailable() is None:
        return metric
    return None


def metrics_named(name: str) -> Iterator[tuple[str, Metric | None]]:
    """Yield a metric with its defaults, with one option changed, and by its other names.

    A value that is refused beside the defaults is tried with each value of the first option, which
    says whose metric it is.
    """
    yield name, accepted(name)
    options = METRICS[name].options
    for option in options:
        first = options[0]
        for value in other_values(option):
            text = f"{name}[{option.key}={value}]"
            metric = accepted(text)
            yield text, metric
            if metric is None and option is not first:
                for flavour in other_values(first):
                    text = f"{name}[{first.key}={flavour},{option.key}={value}]"
                    yield text, accepted(text)
    for implied in METRICS[name].spellings.values():
        settings = ",".join(f"{key}={value}" for key, value in implied.items())
        yield f"{name}[{settings}]", accepted(f"{name}[{settings}]")


@cache
def every_metric() -> dict[str, Metric]:
    """Return metrics with different settings by their texts.

    Metrics that compute numbers with models or other programs have tests of their own.
    """
    metrics: dict[str, Metric] = {}
    for name, kind in METRICS.items():
        if kind.computes_numbers:
            continue
        for text, metric in metrics_named(name):
            if metric is not None and metric not in metrics.values():
                metrics[text] = metric
    return metrics


def reading(*inputs: str) -> list[str]:
    """Return the texts of the metrics that read one of these inputs."""
    texts = []
    for text, metric in every_metric().items():
        if metric.spec.input in inputs and not metric.reads_files:
            texts.append(text)
    return texts
