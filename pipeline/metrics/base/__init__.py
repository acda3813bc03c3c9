"""What authors of metrics import. Begin to read at `metric.py`.

The names below are enough for most metrics. The modules have what fewer metrics need:
`capabilities` what only some metrics can do, `options` further kinds of options and signatures,
`choices` arithmetic and the choice of references, `description` texts of reports, and
`statistics_spec` the packed form of columns.
"""

from ...arrays import Floats, Ints
from ...tokenizers.tokenization import Tokenization
from . import capabilities, choices, description, options, statistics_spec
from .capabilities import ScoresLines
from .choices import f_beta, ratio
from .description import Counted
from .metric import Metric
from .options import (
    level_option,
    lowercase_option,
    option,
    strip_option,
    tokenizer_option,
    unit_option,
)
from .statistics_spec import (
    Columns,
    CorpusPass,
    Field,
    OverlapSpec,
    StatisticsSpec,
    Text,
)

__all__ = [
    "Columns",
    "CorpusPass",
    "Counted",
    "Field",
    "Floats",
    "Ints",
    "Metric",
    "OverlapSpec",
    "ScoresLines",
    "StatisticsSpec",
    "Text",
    "Tokenization",
    "capabilities",
    "choices",
    "description",
    "f_beta",
    "level_option",
    "lowercase_option",
    "option",
    "options",
    "ratio",
    "statistics_spec",
    "strip_option",
    "tokenizer_option",
    "unit_option",
]
