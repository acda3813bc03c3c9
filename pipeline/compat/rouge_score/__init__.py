"""The names of the package rouge-score: RougeScorer, also in `rouge_scorer`. Numbers are those of
rouge-score 0.1.2.
"""

from . import rouge_scorer
from .rouge_scorer import RougeScorer

__all__ = ["RougeScorer", "rouge_scorer"]
