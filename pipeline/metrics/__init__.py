"""Metrics by name. To add one: a file with a subclass of Metric, and a line in METRICS.

A metric also says what the rest of the program shows, explains and cites about it: see `base/description.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lookup import imported

if TYPE_CHECKING:
    from .base.metric import Metric

METRICS: dict[str, type[Metric]] = {
    "gleu": imported(__name__, "gleu.metric.Gleu"),
    "google_gleu": imported(__name__, "google_gleu.GoogleGleu"),
    "green": imported(__name__, "green.Green"),
    "bleu": imported(__name__, "bleu.metric.Bleu"),
    "chrf": imported(__name__, "chrf.Chrf"),
    "ter": imported(__name__, "ter.metric.Ter"),
    "rouge": imported(__name__, "rouge.metric.Rouge"),
    "m2": imported(__name__, "m2.metric.MaxMatch"),
    "imeasure": imported(__name__, "imeasure.metric.Imeasure"),
    "errant": imported(__name__, "errant.metric.Errant"),
    "cleme": imported(__name__, "cleme.metric.Cleme"),
    "external": imported(__name__, "external.External"),
    "length": imported(__name__, "length.Length"),
}
