"""The table of metrics."""

from typing import TYPE_CHECKING

from ..lookup import Table

if TYPE_CHECKING:
    from .base import Metric

METRICS: "Table[type[Metric]]" = Table(
    __package__,
    {
        "gleu": "gleu.Gleu",
        "google_gleu": "google_gleu.GoogleGleu",
        "green": "green.Green",
        "bleu": "bleu.metric.Bleu",
        "chrf": "chrf.Chrf",
        "ter": "ter.Ter",
        "rouge": "rouge.metric.Rouge",
    },
    kind="metrics",
)
"""The metrics by name. Each is imported on first use."""
