"""Metrics of tokens that a program of the user has made; see `tokenizers/own_tokens.py`."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from ..errors import InputError
from ..tokenizers import OWN, is_own

if TYPE_CHECKING:
    from .base.metric import Metric
    from .base.options import Option

OF_M2 = "gold: the texts of an M2 file are split already, at blanks; give texts, and no tokens of your own"
"""The message where tokens of the caller stand beside an M2 file."""


def has_own_tokens(metric: Metric) -> bool:
    """Return whether a metric is for tokens of the caller."""
    option = _option_of(type(metric))
    return option is not None and is_own(str(getattr(metric, option.attribute)))


def with_own_tokens(metric: Metric, tokenizer: str) -> Metric:
    """Return a metric for tokens of the caller, which signatures call `tokenizer`: own, or own+NAME.

    Raises InputError for a metric that does not count tokens, and for options that change texts.
    """
    option = _option_of(type(metric))
    if option is None:
        joined = "[' '.join(tokens) for tokens in ...]"
        raise InputError(f"{metric.name} cannot score tokens of your own: it splits texts itself; give texts: {joined}")
    value = str(getattr(metric, option.attribute))
    if is_own(value):
        return metric if tokenizer == OWN else _changed(metric, option, tokenizer)
    settings = {each.name: getattr(metric, each.attribute) for each in metric.options if each is not option}
    if option.applies and not option.applies(metric):
        raise InputError(f"{metric.name} cannot score tokens of your own here: {option.why}")
    if value != option.default_of(settings):
        raise InputError(f"{metric.name}: {option.name} {value} has no effect on tokens of your own; leave it out")
    changed = _changed(metric, option, tokenizer)
    for name, problem in [*_idle(metric, changed), *changed.conflicts()]:
        raise InputError(f"{metric.name}: {name}: {problem}")
    return changed


@cache
def _option_of(metric: type[Metric]) -> Option | None:
    return next((option for option in metric.options if option.beside == OWN), None)


def _changed(metric: Metric, option: Option, value: str) -> Metric:
    changed: Metric = replace(cast("Any", metric), **{option.attribute: value})
    return changed


def _idle(metric: Metric, changed: Metric) -> list[tuple[str, str]]:
    """Return the options that a metric sets, and that have no effect on tokens of the caller."""
    settings = {each.name: getattr(metric, each.attribute) for each in metric.options}
    unlike = [each for each in metric.options if settings[each.name] != each.default_of(settings)]
    idle = [each for each in unlike if each.applies and each.applies(metric) and not each.applies(changed)]
    return [(each.name, "has no effect on tokens of your own; leave it out") for each in idle]
