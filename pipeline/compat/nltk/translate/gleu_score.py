"""Google's GLEU with the names of nltk.translate.gleu_score."""

from collections.abc import Sequence

from ...texts import metric_of, sums_of
from .bleu_score import Tokens, counted

__all__ = ["corpus_gleu", "sentence_gleu"]


def sentence_gleu(
    references: Sequence[Tokens],
    hypothesis: Tokens,
    min_len: int = 1,
    max_len: int = 4,
) -> float:
    """Return Google's GLEU of a sentence with its references; see corpus_gleu."""
    return corpus_gleu([references], [hypothesis], min_len, max_len)


def corpus_gleu(
    list_of_references: Sequence[Sequence[Tokens]],
    hypotheses: Sequence[Tokens],
    min_len: int = 1,
    max_len: int = 4,
) -> float:
    """Return Google's GLEU of a corpus, a fraction: matching n-grams / the larger number of n-grams,
    that of the hypothesis or of the best reference of each sentence; 0 without n-grams.

    `list_of_references` has for each hypothesis its references, which are lists of tokens. N-grams
    of `min_len` to `max_len` tokens count. Raises InputError for lists that do not fit together.
    """
    metric = metric_of("google_gleu", min_order=min_len, order=max_len)
    sums = sums_of(
        metric, *counted(list_of_references, hypotheses, max_len, "match")
    )
    total = int(sums["larger"])
    return int(sums["match"]) / total if total else 0.0
