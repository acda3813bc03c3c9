"""What a metric counts an n-gram as: matched, penalised, missing ...; to be shown, from tokens.

Counting itself is the kernel's (`kernel/`); here the same n-grams get names. The report's page does the same in the
browser (`report/html/assets/ngrams.js`); tests hold both against the counts of the kernel.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...tokenizers.tokenization import Tokenization

    Grams = Counter[tuple[str, ...]]


class Rule(NamedTuple):
    """How n-grams count: a rule of parts(), the tokens they are made of, their orders, whether references are merged.

    merged: an n-gram counts as often as in the reference that has it most.
    """

    name: str
    tokenization: Tokenization
    first: int
    last: int
    merged: bool = False


def grams(tokens: Sequence[str], n: int) -> Grams:
    """Return the n-grams of tokens with their counts."""
    return Counter(zip(*(tokens[start:] for start in range(n)), strict=False))


def merged(references: Sequence[Grams]) -> Grams:
    """Return n-grams as often as in the reference that has them most."""
    found: Grams = Counter()
    for reference in references:
        found |= reference
    return found


def parts(rule: str, sigma: Grams, rho: Grams, eta: Grams) -> dict[str, Grams]:
    """Return the n-grams of source σ, reference ρ and output η, with counts, by what they count as.

    match, penalised and other are of the output, and add up to it; missing is of the reference alone, or more often
    there. gleu: an n-gram of output and source is penalised where the reference has it not at all; paper: as often
    as both have it more than the reference; match: nothing is. green has more parts: true positives are match and
    removed (rightly, from the source), false positives inserted and lost, false negatives kept and missing.
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
        found = {"match": match, "inserted": inserted, "kept": kept, "missing": missing}
        return found | {"removed": removed, "lost": lost, "other": eta - match - inserted - kept}
    else:
        penalised = Counter()
    return {"match": match, "penalised": penalised, "missing": rho - eta, "other": eta - match - penalised}
