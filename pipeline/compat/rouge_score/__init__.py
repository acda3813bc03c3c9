"""The names of the package rouge-score: RougeScorer, and the intervals of BootstrapAggregator.

    from pipeline.compat.rouge_score import rouge_scorer, scoring
    from pipeline.compat.rouge_score import RougeScorer

Numbers are those of rouge-score 0.1.2.
"""

from __future__ import annotations

from . import rouge_scorer, scoring
from .rouge_scorer import RougeScorer
from .scoring import AggregateScore, BootstrapAggregator, Score

__all__ = ["AggregateScore", "BootstrapAggregator", "RougeScorer", "Score", "rouge_scorer", "scoring"]
