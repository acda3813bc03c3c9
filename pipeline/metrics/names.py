"""Names of metrics as people write them, such as BLEU, ROUGE-L or chrF++. Each metric declares its own `spellings`.

Upper and lower case, spaces, hyphens and underscores do not matter: `rougeL`, `ROUGE-L` and `rouge_l` are one name.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from ..errors import ConfigError, did_you_mean
from . import METRICS
from .base.metric import Metric
from .base.options import parse_signature

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


class Meant(NamedTuple):
    """What a name stands for."""

    metric: str
    """The name of the metric, as signatures have it."""
    implied: Mapping[str, str]
    """The options that the name implies, such as `word_order: 2` for chrF++."""

    def __str__(self) -> str:
        settings = ",".join(f"{key}={value}" for key, value in self.implied.items())
        return f"{self.metric}[{settings}]" if settings else self.metric


def meant(name: str) -> Meant:
    """Return what a name stands for. Raises ConfigError where it is unknown, or may be one metric or another."""
    choices = _choices(name)
    if len(choices) == 1:
        return choices[0]
    if choices:
        listed = "".join(f"\n  {choice}: {METRICS[choice.metric].summary}" for choice in choices)
        raise ConfigError(f"'{name}' may be one of these; write the one that you mean:{listed}")
    hint = did_you_mean(name, [*METRICS, *(spelling for spelling, _ in _spellings())])
    raise ConfigError(f"no metric is called '{name}'{hint}; known: {', '.join(METRICS)}")


def class_of(printed: str) -> type[Metric]:
    """Return the class of the metric of a signature, or Metric itself if this version has no metric of its name."""
    return METRICS.get(printed.partition("|")[0], Metric)


def is_called(metric: Metric, text: str) -> bool:
    """Return whether a text is a name of a metric: its own, or another spelling whose options it has."""
    try:
        name, settings = parse_signature(text)
    except ConfigError:
        return False
    has = {option.name: str(getattr(metric, option.attribute)) for option in metric.options}
    choices = [choice for choice in _choices(name) if choice.metric == metric.name and not settings]
    return any(choice.implied.items() <= has.items() for choice in choices)


def _choices(name: str) -> list[Meant]:
    return [Meant(name, {})] if name in METRICS else _by_folded_name().get(_folded(name), [])


def _folded(name: str) -> str:
    return re.sub(r"[\s_-]", "", name.lower())


def _spellings() -> Iterator[tuple[str, Meant]]:
    """Yield each name that is not canonical, as it is declared, with what it stands for."""
    for name, metric in METRICS.items():
        yield from ((spelling, Meant(name, options)) for spelling, options in metric.spellings.items())


@cache
def _by_folded_name() -> dict[str, list[Meant]]:
    """Return what each name may stand for: a metric alone, where the name is canonical but for its case."""
    names: dict[str, list[Meant]] = {}
    for spelling, stands_for in _spellings():
        names.setdefault(_folded(spelling), []).append(stands_for)
    return names | {_folded(name): [Meant(name, {})] for name in METRICS}
