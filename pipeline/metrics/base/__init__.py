"""What authors of metrics import, and what other rooms know of a metric. Begin to read at `metric.py`.

A metric needs Metric, options of `pipeline.metrics.options`, and a StatisticsSpec such as
OverlapSpec.
"""

from ...arrays import Floats, Ints
from ...tokenizers import Tokenization
from .choices import (
    Draws,
    best_by,
    by_order,
    f_beta,
    f_of_counts,
    ratio,
    rounded,
)
from .description import Counted
from .metric import CountWarning, Metric, Verdict, Verdicts
from .ngrams import Rule, Tokens
from .statistics_spec import (
    COUNTING,
    Columns,
    CorpusPass,
    Field,
    OverlapSpec,
    Schema,
    StatisticsSpec,
    Text,
)

__all__ = [
    "COUNTING",
    "Columns",
    "CorpusPass",
    "CountWarning",
    "Counted",
    "Draws",
    "Field",
    "Floats",
    "Ints",
    "Metric",
    "OverlapSpec",
    "Rule",
    "Schema",
    "StatisticsSpec",
    "Text",
    "Tokenization",
    "Tokens",
    "Verdict",
    "Verdicts",
    "best_by",
    "by_order",
    "f_beta",
    "f_of_counts",
    "ratio",
    "rounded",
]
