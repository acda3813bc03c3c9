"""The path of sacrebleu.metrics.chrf."""

from . import CHRF, CHRFScore

__all__ = ["CHRF", "CHRFScore"]
