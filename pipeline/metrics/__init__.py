"""Metrics by name. To add one: a file with a subclass of Metric, and a line in `table.py`.

The names of `__all__` are what other rooms import: the table, metrics from names and values, and what
a signature says. `pipeline.metrics.base` is for authors of metrics.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .table import METRICS

if TYPE_CHECKING:
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
    from .names import class_of, factor, goodness, lower_is_better, named

__all__ = [
    "METRICS",
    "MetricArgument",
    "bind_tokens",
    "class_of",
    "factor",
    "from_nodes",
    "from_text",
    "from_texts",
    "from_values",
    "goodness",
    "has_own_tokens",
    "lower_is_better",
    "metrics_called",
    "named",
    "precision_recall_f",
]
MODULES = {
    "build": "MetricArgument from_nodes from_text from_texts from_values metrics_called",
    "caller_tokens": "bind_tokens has_own_tokens",
    "f_score": "precision_recall_f",
    "names": "class_of factor goodness lower_is_better named",
}
"""The modules of the names that are imported on first use, for a fast start."""


def __getattr__(name: str) -> Any:
    """Import the module of a name on its first use."""
    for module, names in MODULES.items():
        if name in names.split():
            return getattr(import_module(f".{module}", __name__), name)
    raise AttributeError(f"module 'pipeline.metrics' has no attribute '{name}'")
