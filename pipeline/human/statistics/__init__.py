"""Statistics of how a metric agrees with the scores that people gave to outputs, and how they are asked for.

A statistic is asked for by a text such as `pearson` or `accuracy[average=item,epsilon=best]`. A newcomer is a subclass
of Statistic (`statistic.py`) and a line of STATISTICS.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...errors import ConfigError, did_you_mean
from ...lookup import Table
from ...metrics.base.options import parse_signature

if TYPE_CHECKING:
    from .statistic import Statistic

STATISTICS: Table[type[Statistic]] = Table(
    __name__,
    {
        "pearson": "coefficients.Pearson",
        "spearman": "coefficients.Spearman",
        "kendall": "coefficients.TauB",
        "accuracy": "coefficients.Accuracy",
        "soft_accuracy": "coefficients.SoftAccuracy",
    },
)
"""The statistics by name."""
SPELLINGS = {
    "acc_eq": "accuracy[average=item,epsilon=best]",
    "acc23": "accuracy",
    "kendall_b": "kendall",
    "spa": "soft_accuracy",
    "pce": "soft_accuracy",
}
"""Names that people know from elsewhere, and the statistic that each means."""


def statistic_of(text: str) -> Statistic:
    """Return the statistic of a name, a name with options in brackets, or a signature. Raises ConfigError."""
    name, settings = parse_signature(text)
    if name in SPELLINGS:
        name, implied = parse_signature(SPELLINGS[name])
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
