"""Metrics by name. To add one: a file with a subclass of Metric, and a line in `table.py`.

The names of `__all__` are what other rooms import: the table, metrics from names and values, and what
a signature says. `pipeline.metrics.base` is for authors of metrics, `pipeline.metrics.options` has
their options and signatures.
"""

from typing import TYPE_CHECKING

from ..lookup import lazy_names
from .table import METRICS

if TYPE_CHECKING:
    from .base.declared import Declared, Parameter
    from .bleu.smoothing import SMOOTHING, SmoothingCounts
    from .build import (
        MetricArgument,
        from_nodes,
        from_text,
        from_texts,
        from_values,
        metrics_called,
    )
    from .caller_tokens import bind_tokens, has_own_tokens
    from .f_score import precision_recall_f
    from .names import (
        class_of,
        factor,
        forget_names,
        goodness,
        lower_is_better,
        named,
    )
    from .sources import MetricSource, metric_source

__all__ = [
    "METRICS",
    "SMOOTHING",
    "Declared",
    "MetricArgument",
    "MetricSource",
    "Parameter",
    "SmoothingCounts",
    "bind_tokens",
    "class_of",
    "factor",
    "forget_names",
    "from_nodes",
    "from_text",
    "from_texts",
    "from_values",
    "goodness",
    "has_own_tokens",
    "lower_is_better",
    "metric_source",
    "metrics_called",
    "named",
    "precision_recall_f",
]
if not TYPE_CHECKING:
    __getattr__ = lazy_names(
        __name__,
        {
            "base.declared": "Declared Parameter",
            "bleu.smoothing": "SMOOTHING SmoothingCounts",
            "build": "MetricArgument from_nodes from_text from_texts from_values metrics_called",
            "caller_tokens": "bind_tokens has_own_tokens",
            "f_score": "precision_recall_f",
            "names": "class_of factor forget_names goodness lower_is_better named",
            "sources": "MetricSource metric_source",
        },
    )
