"""The role of each n-gram in a metric (matched, penalised, missing ...), computed from tokens to be shown.

Scores come from the counts of the kernel (`kernel/`); here single n-grams are listed. The HTML report does the same in
the browser (`report/html/assets/ngrams.js`). Tests compare both with the counts of the kernel.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...tokenizers.tokenization import Tokenization

    Grams = Counter[tuple[str, ...]]


class Rule(NamedTuple):
    """How a metric counts n-grams."""

    name: str
    """The name of the rule, which roles() reads."""
    tokenization: Tokenization
    first: int
    """The shortest order."""
    last: int
    """The longest order."""
    merged: bool = False
    """Whether references are merged: then an n-gram counts as often as in the reference that has it most often."""


class Shared(NamedTuple):
    """What an output shares with a reference by one row of a metric's counts, where no Rule says it."""

    row: int
    """The row of the counts, from 0. The counts are called match and, if they are known, ref_total."""
    kind: str
    """What is shared: "ngrams", or "sequence" for the longest common subsequence, or "characters" for n-grams that are
    marked in the text itself.
    """
    tokenization: Tokenization
    n: int = 1
    """The length of n-grams."""


def grams(tokens: Sequence[str], n: int) -> Grams:
    """Return the n-grams of tokens with their counts."""
    return Counter(zip(*(tokens[start:] for start in range(n)), strict=False))


def merged(references: Sequence[Grams]) -> Grams:
    """Return each n-gram as often as in the reference that has it most often."""
    union: Grams = Counter()
    for reference in references:
        union |= reference
    return union


def roles(rule: str, sigma: Grams, rho: Grams, eta: Grams) -> dict[str, Grams]:
    """Return the n-grams of source σ, reference ρ and output η, with their counts, by role.

    The n-grams of the output are match, penalised and other, which add up to it. Those that the reference has more
    often than the output are missing. The rule says what is penalised:

    - gleu: an n-gram of output and source that the reference does not have at all.
    - paper: an n-gram as often as output and source both have it beyond its count in the reference.
    - match: nothing.

    The rule green has other roles. True positives are match and removed (rightly, from the source); false positives are
    inserted and lost. False negatives are kept and missing.
    """
    match = eta & rho
    if rule == "gleu":
        penalised = Counter({gram: min(n, sigma[gram]) for gram, n in eta.items() if sigma[gram] and not rho[gram]})
    elif rule == "paper":
        penalised = (eta & sigma) - match
    elif rule == "green":
        inserted, kept = eta - (sigma | rho), (sigma & eta) - rho
        removed, lost = sigma - (rho | eta), (sigma & rho) - eta
        missing = rho - (sigma | eta)
        common = {"match": match, "inserted": inserted, "kept": kept, "missing": missing}
        return common | {"removed": removed, "lost": lost, "other": eta - match - inserted - kept}
    else:
        penalised = Counter()
    return {"match": match, "penalised": penalised, "missing": rho - eta, "other": eta - match - penalised}
