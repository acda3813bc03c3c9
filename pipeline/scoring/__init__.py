"""From counts to ranked scores.

Begin at `metric_results.py`. `results.py` and `rows.py` are the model of results.json,
`significance_tests` is the table of paired tests, and `resampling` computes intervals and rank
ranges.

Other rooms import these names:

- `Results`, and its rows: `DatasetInfo`, `Score`, `Comparison`, `Breakdown`, `Category`, `Series`;
  `MetricRows` are those of a metric on a data set
- scores with the columns that they are made of: `score()` and `count_warnings()` make them from
  counted tasks; `MetricResult` has those of a metric on a data set, `ScoredRun` those of a run;
  `Selection` names some of them, `EarlierResults` are those that a run replaces
- the parts of a score: `POLICIES` of references, `SentenceScores`, `MetricColumns` and `HasBlocks`
- statistics: `SIGNIFICANCE_TESTS`, `statistics_settings()`, `SampleCluster`, `RankRanges`,
  `defined_interval()`, `sign_test()`
- `without_nan()` for numbers in JSON
"""

from typing import TYPE_CHECKING

from ..lookup import lazy_names

if TYPE_CHECKING:
    from .aggregation import POLICIES
    from .metric_results import MetricResult, count_warnings, score
    from .resampling.intervals import RankRanges, defined_interval
    from .resampling.samples import SampleCluster
    from .resampling.significance import statistics_settings
    from .results import Results, without_nan
    from .rows import (
        Breakdown,
        Category,
        Comparison,
        DatasetInfo,
        MetricRows,
        Score,
        Series,
    )
    from .sentences import SentenceScores
    from .significance_tests import SIGNIFICANCE_TESTS
    from .significance_tests.sign_test import sign_test
    from .stored_runs import EarlierResults, ScoredRun, Selection
    from .terms import HasBlocks, MetricColumns

__all__ = [
    "POLICIES",
    "SIGNIFICANCE_TESTS",
    "Breakdown",
    "Category",
    "Comparison",
    "DatasetInfo",
    "EarlierResults",
    "HasBlocks",
    "MetricColumns",
    "MetricResult",
    "MetricRows",
    "RankRanges",
    "Results",
    "SampleCluster",
    "Score",
    "ScoredRun",
    "Selection",
    "SentenceScores",
    "Series",
    "count_warnings",
    "defined_interval",
    "score",
    "sign_test",
    "statistics_settings",
    "without_nan",
]
if not TYPE_CHECKING:
    __getattr__ = lazy_names(
        __name__,
        {
            "aggregation": "POLICIES",
            "metric_results": "MetricResult count_warnings score",
            "resampling.intervals": "RankRanges defined_interval",
            "resampling.samples": "SampleCluster",
            "resampling.significance": "statistics_settings",
            "results": "Results without_nan",
            "rows": "Breakdown Category Comparison DatasetInfo MetricRows Score Series",
            "sentences": "SentenceScores",
            "significance_tests": "SIGNIFICANCE_TESTS",
            "significance_tests.sign_test": "sign_test",
            "stored_runs": "EarlierResults ScoredRun Selection",
            "terms": "HasBlocks MetricColumns",
        },
    )
