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
        "sari": "nlg.sari.Sari",
        "nist": "nlg.weighed_grams.Nist",
        "cider": "nlg.weighed_grams.Cider",
        "meteor": "nlg.meteor.Meteor",
        "m2": "m2.metric.MaxMatch",
        "imeasure": "imeasure.metric.Imeasure",
        "errant": "errant.metric.Errant",
        "cleme": "cleme.metric.Cleme",
        "gotoscorer": "gotoscorer.GoToScorer",
        "some": "neural.some.Some",
        "impara": "neural.impara.Impara",
        "scribendi": "neural.scribendi.Scribendi",
        "bertscore": "neural.bertscore.BertScore",
        "pt_errant": "neural.pt_errant.PtErrant",
        "comet": "neural.comet.Comet",
        "judge": "neural.judge.JudgeMetric",
        "external": "external.External",
        "length": "nlg.features.Length",
        "features": "nlg.features.Features",
    },
)
"""The metrics. Each is imported when it is first asked for."""
