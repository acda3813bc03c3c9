"""Statistics of how a metric agrees with scores that people gave to outputs: a table of them, and how they are asked for.

A statistic is asked for by a text such as `pearson` or `accuracy[average=item,epsilon=best]`. A newcomer is a subclass of
Statistic (`statistic.py`) and a line of STATISTICS.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...lookup import Table

if TYPE_CHECKING:
    from .statistic import Statistic

STATISTICS: Table[type[Statistic]] = Table(
    __name__,
    {
        "pearson": "moments.Pearson",
        "spearman": "moments.Spearman",
        "kendall": "taus.TauB",
        "kendall_c": "taus.TauC",
        "kendall_23": "taus.Tau23",
        "accuracy": "taus.Accuracy",
        "kendall_like": "taus.KendallLike",
        "soft_accuracy": "soft_accuracy.SoftAccuracy",
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
