"""Statistics of how a metric agrees with the scores that people gave to outputs, and how they are asked for.

A statistic is asked for by a text such as `pearson` or `accuracy[average=item,epsilon=best]`. A newcomer is a subclass
of Statistic (`statistic.py`) and a line of STATISTICS.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...errors import ConfigError, did_you_mean
from ...lookup import Table
from ...metrics.base import signature

if TYPE_CHECKING:
    from .statistic import Statistic

STATISTICS: Table[type[Statistic]] = Table(
    __name__,
    {
        "pearson": "correlations.Pearson",
        "spearman": "correlations.Spearman",
        "kendall": "taus.TauB",
        "kendall_c": "taus.TauC",
        "kendall_23": "taus.Tau23",
        "accuracy": "taus.Accuracy",
        "kendall_like": "taus.KendallLike",
        "soft_accuracy": "correlations.SoftAccuracy",
    },
)
"""The statistics by name."""
SPELLINGS = {
    "acc_eq": "accuracy[average=item,epsilon=best]",
    "acc23": "accuracy",
    "kendall_b": "kendall",
    "daRR": "kendall_like",
    "spa": "soft_accuracy",
    "pce": "soft_accuracy",
}
"""Names that people know from elsewhere, and the statistic that each means."""


def statistic_of(text: str) -> Statistic:
    """Return the statistic of a name, a name with options in brackets, or a signature. Raises ConfigError."""
    name, settings = signature.parse(text)
    if name in SPELLINGS:
        name, implied = signature.parse(SPELLINGS[name])
        settings = {**implied, **settings}
    if name not in STATISTICS:
        hint = did_you_mean(name, [*STATISTICS, *SPELLINGS])
        raise ConfigError(f"no statistic is called '{name}'{hint}; known: {', '.join(STATISTICS)}")
    kind = STATISTICS[name]
    given: dict[str, Any] = {}
    for key, value in settings.items():
        option = next((one for one in kind.options if key in (one.name, one.key)), None)
        if option is None:
            names = [one.name for one in kind.options]
            hint = did_you_mean(key, names) or f"; known: {', '.join(names)}"
            raise ConfigError(f"'{text}': {name} has no option '{key}'{hint}")
        try:
            given[option.attribute] = option.read(value)
        except ValueError as error:
            raise ConfigError(f"'{text}': {key}: {error}") from None
    statistic = kind(**given)
    for option in kind.options:
        if option.attribute in given and option.applies and not option.applies(statistic):
            raise ConfigError(f"'{text}': {option.name} has no effect here ({option.why}); leave it out")
    return statistic
