"""Google's GLEU with the names of nltk.translate.gleu_score."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...texts import check_order, totals
from .bleu_score import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .bleu_score import Tokens

__all__ = ["corpus_gleu", "sentence_gleu"]


def sentence_gleu(references: Sequence[Tokens], hypothesis: Tokens, min_len: int = 1, max_len: int = 4) -> float:
    """Return Google's GLEU of a sentence with its references; see corpus_gleu."""
    return corpus_gleu([references], [hypothesis], min_len, max_len)


def corpus_gleu(
    list_of_references: Sequence[Sequence[Tokens]], hypotheses: Sequence[Tokens], min_len: int = 1, max_len: int = 4
) -> float:
    """Return Google's GLEU of a corpus: matches / the larger number of n-grams, of the best reference of each sentence.

    `list_of_references` has for each hypothesis its references, which are lists of tokens. N-grams of `min_len` to
    `max_len` tokens count; -1 means up to the longest. Raises InputError for lists that do not fit together.
    """
    check_order("min_len", min_len)
    longest = max([1, *map(len, hypotheses), *(len(text) for texts in list_of_references for text in texts)])
    order = longest if max_len == -1 else min(max_len, longest)
    if not len(hypotheses) or order < min_len:
        return 0.0
    check_order("max_len", order)
    matches, sizes, reference_sizes, there = counted(list_of_references, hypotheses, order, "match")
    orders = slice(min_len - 1, None)
    own = totals(sizes, order)[:, None, orders].sum(axis=2)
    larger = np.maximum(own, totals(reference_sizes, order)[..., orders].sum(axis=2))
    pairs = np.stack([matches[..., orders].sum(axis=2), larger], axis=-1)
    match = total = 0
    for line, given in zip(pairs, there & (larger > 0), strict=True):
        if given.any():
            best = max(line[given].tolist(), key=lambda pair: pair[0] / pair[1])
            match, total = match + best[0], total + best[1]
    return match / total if total else 0.0
