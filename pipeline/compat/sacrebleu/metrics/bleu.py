"""The path of sacrebleu.metrics.bleu."""

from . import BLEU, BLEUScore

__all__ = ["BLEU", "BLEUScore"]
