"""What authors of metrics import, and what other rooms know of a metric. Begin to read at `metric.py`.

A metric needs Metric, options, and a StatisticsSpec such as OverlapSpec. The modules have what fewer
metrics need: `capabilities` what only some metrics can do, `options` further kinds of options and
signatures, `choices` arithmetic and the choice of references, `ngrams` the n-grams that reports show,
`description` texts of reports, and `statistics_spec` the packed form of columns.
"""

from ...arrays import Floats, Ints
from ...tokenizers.tokenization import Tokenization
from . import (
    choices,
    description,
    ngrams,
    options,
    statistics_spec,
)
from .choices import (
    Draws,
    best_by,
    by_order,
    f_beta,
    f_of_counts,
    ratio,
    rounded,
)
from .declared import Declared
from .metric import (
    Counted,
    CountWarning,
    Metric,
    Verdict,
    Verdicts,
    why_all_zero,
)
from .ngrams import Rule
from .options import (
    Option,
    any_tokenizer_option,
    beta_option,
    level_option,
    lowercase_option,
    number_option,
    option,
    parse_signature,
    render_signature,
    strip_option,
    tokenizer_option,
    unit_option,
)
from .statistics_spec import (
    CORPUS_SUM,
    LAST,
    PRESENT,
    Columns,
    CorpusPass,
    Field,
    OverlapSpec,
    Schema,
    StatisticsSpec,
    Text,
)

__all__ = [
    "CORPUS_SUM",
    "LAST",
    "PRESENT",
    "Columns",
    "CorpusPass",
    "CountWarning",
    "Counted",
    "Declared",
    "Draws",
    "Field",
    "Floats",
    "Ints",
    "Metric",
    "Option",
    "OverlapSpec",
    "Rule",
    "Schema",
    "StatisticsSpec",
    "Text",
    "Tokenization",
    "Verdict",
    "Verdicts",
    "any_tokenizer_option",
    "best_by",
    "beta_option",
    "by_order",
    "choices",
    "description",
    "f_beta",
    "f_of_counts",
    "level_option",
    "lowercase_option",
    "ngrams",
    "number_option",
    "option",
    "options",
    "parse_signature",
    "ratio",
    "render_signature",
    "rounded",
    "statistics_spec",
    "strip_option",
    "tokenizer_option",
    "unit_option",
    "why_all_zero",
]
