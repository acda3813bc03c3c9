"""The names of metrics, as people write them, and what a signature says without its metric.

Upper and lower case, spaces, hyphens and underscores do not matter: `rougeL`, `ROUGE-L` and
`rouge_l` are one name.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from .base import Metric
from .table import METRICS

DEPENDENT_CACHES: list[Callable[[], object]] = []
"""Functions that clear the caches of other files that depend on names."""


class Meaning(NamedTuple):
    """What a name stands for."""

    metric: str
    """The name of the metric, as signatures have it."""
    implied: Mapping[str, str]
    """The options that the name implies, such as `word_order: 2` for chrF++."""

    def __str__(self) -> str:
        if not self.implied:
            return self.metric
        settings = ",".join(
            f"{key}={value}" for key, value in self.implied.items()
        )
        return f"{self.metric}[{settings}]"


def meanings(name: str) -> list[Meaning]:
    """Return what a name may stand for: nothing if it is unknown."""
    if name in METRICS:
        return [Meaning(name, {})]
    return _by_folded_name().get(folded(name), [])


def folded(name: str) -> str:
    """Return a name without what does not matter in it."""
    return re.sub(r"[\s_-]", "", name.lower())


def spellings() -> Iterator[tuple[str, Meaning]]:
    """Yield each name that is not canonical, as it is declared, with what it stands for."""
    for name, metric in METRICS.items():
        for spelling, options in metric.spellings.items():
            yield spelling, Meaning(name, options)


@cache
def _by_folded_name() -> dict[str, list[Meaning]]:
    """Return what each name may stand for; canonical names in any case stand for one metric."""
    names: dict[str, list[Meaning]] = {}
    for spelling, meaning in spellings():
        names.setdefault(folded(spelling), []).append(meaning)
    for name in METRICS:
        names[folded(name)] = [Meaning(name, {})]
    return names


def named(name: str) -> str:
    """Return the metric that a name stands for, the first of several; "" if it is unknown."""
    choices = meanings(name)
    if choices:
        return choices[0].metric
    return ""


def forget_names() -> None:
    """Clear all caches that depend on names, after a metric was added or removed."""
    _by_folded_name.cache_clear()
    for clear in DEPENDENT_CACHES:
        clear()


def class_of(signature: str) -> type[Metric]:
    """Return the class of the metric of a signature, or Metric itself if it is unknown."""
    return METRICS.get(signature.partition("|")[0], Metric)


def factor(signature: str) -> float:
    """Return the factor of displayed scores: 100 for fractions, else 1.

    Signatures with scale:0 say that scores are displayed as they are, those with scale:1 that they
    are fractions.
    """
    if "|scale:0|" in signature:
        return 1.0
    fraction = class_of(signature).in_percent or "|scale:1|" in signature
    if fraction:
        return 100.0
    return 1.0


def lower_is_better(signature: str) -> bool:
    """Return whether the best system has the lowest score, by the metric or its option."""
    return (
        "|higher_is_better:false" in signature
        or class_of(signature).lower_is_better
    )


def goodness(signature: str, scores: Any) -> Any:
    """Return scores of the metric of a signature with the highest as the best."""
    if lower_is_better(signature):
        return -scores
    return scores
