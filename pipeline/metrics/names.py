"""The names of metrics, as people write them, and what a signature says without the metric being
made.

Upper and lower case, spaces, hyphens and underscores do not matter: `rougeL`, `ROUGE-L` and
`rouge_l` are one name."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from . import METRICS
from .base.metric import Metric

CHANGES: list[None] = []
"""An entry for each time that names have changed."""


class Meant(NamedTuple):
    """What a name stands for."""

    metric: str
    """The name of the metric, as signatures have it."""
    implied: Mapping[str, str]
    """The options that the name implies, such as `word_order: 2` for chrF++."""

    def __str__(self) -> str:
        settings = ",".join(f"{key}={value}" for key, value in self.implied.items())
        return f"{self.metric}[{settings}]" if settings else self.metric


def meanings(name: str) -> list[Meant]:
    """Return what a name may stand for: nothing where it is unknown."""
    return [Meant(name, {})] if name in METRICS else _by_folded_name().get(folded(name), [])


def folded(name: str) -> str:
    """Return a name without what does not matter in it."""
    return re.sub(r"[\s_-]", "", name.lower())


def spellings() -> Iterator[tuple[str, Meant]]:
    """Yield each name that is not canonical, as it is declared, with what it stands for."""
    for name, metric in METRICS.items():
        yield from (
            (spelling, Meant(name, options)) for spelling, options in metric.spellings.items()
        )


@cache
def _by_folded_name() -> dict[str, list[Meant]]:
    """Return what each name may stand for: a metric alone, where the name is canonical but for its
    case.
    """
    names: dict[str, list[Meant]] = {}
    for spelling, stands_for in spellings():
        names.setdefault(folded(spelling), []).append(stands_for)
    return names | {folded(name): [Meant(name, {})] for name in METRICS}


def named(name: str) -> str:
    """Return the metric that has a name, or may have it, because it is another spelling; an empty
    text: none has.
    """
    return next((choice.metric for choice in meanings(name)), "")


def forget_names() -> None:
    """Have the names of metrics be read anew: there are more of them now."""
    _by_folded_name.cache_clear()
    CHANGES.append(None)


def class_of(printed: str) -> type[Metric]:
    """Return the class of the metric of a signature, or Metric itself if this version has no metric
    of its name.
    """
    return METRICS.get(printed.partition("|")[0], Metric)


def factor(printed: str) -> float:
    """Return what a score of the metric of a signature is multiplied by where it is shown: 100 for
    a fraction, or 1.

    Signatures with scale:0 say that scores are shown as they are, those with scale:1 that they are
    fractions."""
    fraction = (
        class_of(printed).in_percent or "|scale:1|" in printed
    ) and "|scale:0|" not in printed
    return 100.0 if fraction else 1.0


def lower_is_better(printed: str) -> bool:
    """Return whether the best system is the one with the lowest score, by the metric of a signature
    or its option.
    """
    return "|higher_is_better:false" in printed or class_of(printed).lower_is_better


def goodness(printed: str, scores: Any) -> Any:
    """Return scores of the metric of a signature so that the highest is the best; see
    Metric.goodness().
    """
    return -scores if lower_is_better(printed) else scores
