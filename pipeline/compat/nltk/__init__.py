"""The names of nltk.translate for BLEU and Google's GLEU, on lists of tokens.

    from pipeline.compat.nltk.translate.bleu_score import SmoothingFunction, corpus_bleu
    from pipeline.compat.nltk import sentence_gleu

Tokens may be of any type that can be a key of a dict. Numbers are those of nltk 3.10.
"""

from .translate import (
    SmoothingFunction,
    corpus_bleu,
    corpus_gleu,
    sentence_bleu,
    sentence_gleu,
)

__all__ = [
    "SmoothingFunction",
    "corpus_bleu",
    "corpus_gleu",
    "sentence_bleu",
    "sentence_gleu",
]
