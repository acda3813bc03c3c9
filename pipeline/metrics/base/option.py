"""Options that metrics over n-grams share."""

from __future__ import annotations

from ...tokenizers import TOKENIZERS
from .metric import Option


def tokenization_options(unit: str = "word") -> tuple[Option, ...]:
    """Return the options that say how text becomes tokens, which metrics over n-grams share."""
    return (
        Option("unit", "unit", unit, "what an n-gram is made of", ("word", "char")),
        Option(
            "tokenizer",
            "tok",
            "whitespace",
            "how lines are split into words",
            tuple(name for name in TOKENIZERS if name != "char"),
            applies=lambda m: m.unit == "word",
            why="unit char takes every code point",
        ),
        Option(
            "strip",
            "strip",
            False,
            "drop white space at both ends of lines first",
            applies=lambda m: m.unit == "char" or m.tokenizer != "whitespace",
            why="tokenizer whitespace ignores it anyway",
            implicit=True,
        ),
        Option("lowercase", "lc", False, "compare without upper case", implicit=True),
    )


LEVEL = Option(
    "level", "level", "corpus", "score the corpus, or the mean of sentence scores", ("corpus", "mean"), implicit=True
)
