"""The path of sacrebleu.metrics.ter."""

from . import TER, TERScore

__all__ = ["TER", "TERScore"]
