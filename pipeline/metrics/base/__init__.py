"""What a metric is made of: whoever adds one imports all of it from here, and begins to read at
`metric.py`.
"""

from ...arrays import Floats, Ints
from ...tokenizers.tokenization import Tokenization
from .capabilities import Rule, ShowsNgrams
from .choices import best_by, by_order, f_beta, log, ratio
from .metric import Counted, Metric, shown_matches
from .options import (
    level_option,
    lowercase_option,
    option,
    strip_option,
    tokenizer_option,
    unit_option,
)
from .statistics_spec import Columns, Field, OverlapSpec, StatisticsSpec, Text
