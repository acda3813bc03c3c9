"""The names of sacrebleu.metrics."""

from __future__ import annotations

from .bleu import BLEU, BLEUScore
from .chrf import CHRF, CHRFScore
from .ter import TER

METRICS = {"BLEU": BLEU, "CHRF": CHRF, "TER": TER}

__all__ = ["BLEU", "CHRF", "METRICS", "TER", "BLEUScore", "CHRFScore"]
