"""Warnings about texts that are tokenised where a tokeniser expects them as people write them, or the reverse."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...tokenizers import tokenizer_called
from ..texts import MemoryText
from .sample import FEW

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..corpus import Corpus
    from ..texts import AnyText

TOKENISED, WRITTEN = 0.8, 0.2
"""The shares of full stops and commas with white space before them that tokenised and other texts have."""


def misspaced(corpus: Corpus, tokenizers: Iterable[str], *, source: bool) -> list[str]:
    """Return the warnings about a data set for these tokenisers. `source` says that the source is tokenised too."""
    tokenizers = list(dict.fromkeys(tokenizers))
    splitting = [name for name in tokenizers if tokenizer_called(name).expects == "tokens"]
    parting = [name for name in tokenizers if tokenizer_called(name).expects == "text"]
    if not (splitting or parting) or all(map(_has_few_stops, corpus.texts())):
        return []
    samples = corpus.samples
    read = [(called, s.spaced) for called, s in samples.named if source or s is not samples.source]
    apart = [called for called, share in read if share is not None and share >= TOKENISED]
    joined = [called for called, share in read if share is not None and share <= WRITTEN]
    warnings = []
    if splitting and apart and joined:
        warnings.append(
            f"full stops and commas are tokens of their own in {_listed(apart)}, and belong to the word before in "
            f"{_listed(joined)}: with the tokenizer {splitting[0]} they do not match; tokenise all texts alike"
        )
    outputs = [called for called in apart if called.startswith("system ")]
    if parting and outputs:
        warnings.append(
            f"{_listed(outputs)} {'is' if len(outputs) == 1 else 'are'} tokenised already, and the tokenizer "
            f"{parting[0]} is for texts as people write them; score detokenised texts, or set `tokenizer: whitespace`"
        )
    return [f"{corpus.name}: {text}" for text in warnings]


def _has_few_stops(text: AnyText) -> bool:
    """Return whether a text in memory has so few full stops and commas that nothing can be told by them."""
    return isinstance(text, MemoryText) and text.data.count(b".") + text.data.count(b",") < FEW


def _listed(names: Sequence[str]) -> str:
    more = len(names) - 2
    shown = [*names[:2], f"{more} more"] if more > 0 else names
    return " and ".join(shown) if len(shown) < 3 else f"{', '.join(shown[:-1])} and {shown[-1]}"
