"""Metrics by name. To add one: a file with a subclass of Metric, and a line in METRICS.

What the rest of the program shows, explains and cites of a metric, the metric says itself: see `base/description.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .bleu.metric import Bleu
from .chrf import Chrf
from .external import External
from .gleu.metric import Gleu
from .google_gleu import GoogleGleu
from .green import Green
from .length import Length
from .rouge.metric import Rouge

if TYPE_CHECKING:
    from .base.metric import Metric

METRICS: dict[str, type[Metric]] = {
    "gleu": Gleu,
    "google_gleu": GoogleGleu,
    "green": Green,
    "bleu": Bleu,
    "chrf": Chrf,
    "rouge": Rouge,
    "external": External,
    "length": Length,
}
