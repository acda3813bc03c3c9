"""The names of nltk.translate."""

from .bleu_score import SmoothingFunction, corpus_bleu, sentence_bleu
from .gleu_score import corpus_gleu, sentence_gleu

__all__ = [
    "SmoothingFunction",
    "corpus_bleu",
    "corpus_gleu",
    "sentence_bleu",
    "sentence_gleu",
]
