"""Metrics for lists of tokens of the caller, in place of texts that the metric splits."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any, cast

from ..errors import InputError
from ..tokenizers import OWN, OwnTexts, is_own
from .base import Metric
from .options import Option


def has_own_tokens(metric: Metric) -> bool:
    """Return whether a metric is for tokens of the caller."""
    option = _option_of(type(metric))
    return option is not None and is_own(str(getattr(metric, option.attribute)))


def bind_tokens(
    metrics: Sequence[Metric],
    hypotheses: Any,
    references: Any,
    sources: Any,
    splitter: Any,
) -> tuple[Sequence[Metric], OwnTexts]:
    """Return the metrics and texts of a call, for tokens of the caller if it has any.

    Raises InputError as OwnTexts.of_call() and with_own_tokens() do.
    """
    expected = any(map(has_own_tokens, metrics))
    texts = OwnTexts.of_call(
        hypotheses, references, sources, splitter, expected=expected
    )
    if texts.tokenizer:
        metrics = [
            with_own_tokens(metric, texts.tokenizer) for metric in metrics
        ]
    return metrics, texts


def with_own_tokens(metric: Metric, tokenizer: str) -> Metric:
    """Return a metric for tokens of the caller; signatures name the tokeniser own or own+NAME.

    Raises InputError for a metric that does not count tokens, and for options that change texts.
    """
    option = _option_of(type(metric))
    if option is None:
        joined = "[' '.join(tokens) for tokens in ...]"
        raise InputError(
            f"{metric.name} cannot score tokens of your own: "
            f"it splits texts itself; give texts: {joined}"
        )
    value = str(getattr(metric, option.attribute))
    if is_own(value):
        if tokenizer == OWN:
            return metric
        return _with_value(metric, option, tokenizer)
    settings = {}
    for other in metric.options:
        if other is not option:
            settings[other.name] = getattr(metric, other.attribute)
    if option.applies and not option.applies(metric):
        raise InputError(
            f"{metric.name} cannot score tokens of your own here: {option.why}"
        )
    no_effect = "has no effect on tokens of your own; leave it out"
    if value != option.default_of(settings):
        raise InputError(f"{metric.name}: {option.name} {value} {no_effect}")
    result = _with_value(metric, option, tokenizer)
    settings[option.name] = value
    for other in metric.options:
        is_default = getattr(metric, other.attribute) == other.default_of(
            settings
        )
        if is_default or not other.applies:
            continue
        if other.applies(metric) and not other.applies(result):
            raise InputError(f"{metric.name}: {other.name}: {no_effect}")
    for name, problem in result.conflicts():
        raise InputError(f"{metric.name}: {name}: {problem}")
    return result


@cache
def _option_of(metric: type[Metric]) -> Option | None:
    return next(
        (option for option in metric.options if option.beside == OWN), None
    )


def _with_value(metric: Metric, option: Option, value: str) -> Metric:
    result: Metric = replace(cast("Any", metric), **{option.attribute: value})
    return result
