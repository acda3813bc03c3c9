"""Metrics by name. To add one: a file with a subclass of Metric, and a line in METRICS.

A metric also says what the rest of the program shows, explains and cites about it: see
`base/metric.py`."""

from typing import TYPE_CHECKING

from ..lookup import Table

if TYPE_CHECKING:
    from .base.metric import Metric

METRICS: "Table[type[Metric]]" = Table(
    __name__,
    {
        "gleu": "gleu.Gleu",
        "google_gleu": "google_gleu.GoogleGleu",
        "green": "green.Green",
        "bleu": "bleu.metric.Bleu",
        "chrf": "chrf.Chrf",
        "ter": "ter.Ter",
        "rouge": "rouge.metric.Rouge",
        "external": "external.External",
    },
    kind="metrics",
)
"""The metrics. Each is imported when it is first asked for."""
