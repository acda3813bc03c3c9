"""Scores of pairs of texts that differ with every call."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import kernel
from ..corpus.corpus import MAX_REFERENCES, reference_sets
from ..errors import InputError, LongTextError
from ..kernel.common import join_lines
from ..metrics.base.capabilities import misfit, reads_files
from ..metrics.base.needs import TEXTS, Needs, Text, surveyed
from ..metrics.build import from_values
from ..metrics.given import has_own_tokens, prepared, with_own_tokens
from ..scoring.aggregation import POLICIES
from ..scoring.sentences import LineScores
from ..tokenizers.own_tokens import own_texts
from .scorer import Scorer

if TYPE_CHECKING:
    from ..arrays import Floats
    from ..metrics.base.metric import Metric
    from ..metrics.build import Asked
    from ..tokenizers.own_tokens import References, Splitter, Texts

KEPT = 256
"""Of how many metrics, at most, what does not depend on texts is kept."""


def sentence_scores(
    metric: Asked,
    outputs: Texts,
    references: References,
    sources: Texts | None = None,
    *,
    tokenizer: Splitter | None = None,
) -> Floats:
    """Return the score of each output with its own references: float64 [outputs].

    `outputs`, `references` and `sources` are those of `evaluate`, with one system and one metric, and so are the
    numbers, bit for bit. Use it for texts that differ with every call. Where references stay the same, a `Scorer` is
    faster. There are no warnings about what only looks wrong. Raises InputError as `evaluate` does, and for a metric
    that does not score texts. `tokenizer`, and lists of tokens in place of texts, are as in `evaluate` too.
    """
    asked, *others = from_values(metric)
    if others:
        raise InputError(f"metric: expected one metric, found a list of {1 + len(others)}")
    texts = own_texts(outputs, references, sources, tokenizer, expected=has_own_tokens(asked))
    asked = with_own_tokens(asked, texts.tokenizer) if texts.tokenizer else asked
    quick = _quickly(asked, texts.hypotheses, texts.references, texts.sources)
    if quick is not None:
        return quick
    if not texts.tokenizer:  # a Scorer knows no outputs, by whose number it could tell what each list is of
        sets, _ = reference_sets(references, outputs, None)
        references = references if "references" in sets else list(sets.values())
    return Scorer.quiet(asked if texts.tokenizer else metric, references, sources, None, tokenizer).sentences(outputs)


def _quickly(metric: Metric, outputs: Any, references: Any, sources: Any) -> Floats | None:
    """Return the scores of ordinary texts; None for others, of which the longer way says what is wrong, and where."""
    sets = [references] if _is_texts(references) else references
    every = [outputs, *([] if sources is None else [sources]), *sets] if isinstance(sets, list | tuple) and sets else []
    plain = every and all(map(_is_texts, every)) and len(set(map(len, every))) == 1
    if plain and _fits(metric, len(sets), sources is not None):
        try:
            needs, scores = _way(metric, kernel.name())
            source = join_lines(map(str.encode, sources)) if sources is not None and needs.source else None
            text = Text(source, [join_lines(map(str.encode, reference)) for reference in sets], [], {})
            ready = prepared(needs, surveyed(needs, text))
            return scores.of(ready.count(outputs, np.arange(len(outputs))), missing=False)
        except (UnicodeEncodeError, LongTextError):
            pass
    return None


def _is_texts(values: Any) -> bool:
    """Return whether values are a list of texts, without None."""
    return isinstance(values, list | tuple) and set(map(type, values)) == {str}


@lru_cache(KEPT)
def _fits(metric: Metric, references: int, has_source: bool) -> bool:
    """Return whether a metric can score complete texts, with so many references."""
    if metric.needs.input != TEXTS or reads_files(metric) or metric.needs.unavailable() or references > MAX_REFERENCES:
        return False
    if metric.needs.survey and metric.needs.survey.of_systems:
        return False
    reason = misfit(metric, references) or POLICIES[metric.policy].misfit(metric, references, missing=False)
    return not reason and (has_source or not metric.needs.source)


@lru_cache(KEPT)
def _way(metric: Metric, kernel_used: str) -> tuple[Needs, LineScores]:
    """Return what a metric counts, and the way from counts to scores, which depends on the kernel that is used."""
    del kernel_used
    return metric.needs, LineScores(metric)
