"""The names of nltk.translate."""

from __future__ import annotations

from .bleu_score import SmoothingFunction, corpus_bleu, sentence_bleu
from .bleu_score import sentence_bleu as bleu
from .gleu_score import corpus_gleu, sentence_gleu
from .gleu_score import sentence_gleu as gleu

__all__ = ["SmoothingFunction", "bleu", "corpus_bleu", "corpus_gleu", "gleu", "sentence_bleu", "sentence_gleu"]
