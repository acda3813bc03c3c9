"""The role of each n-gram in a metric (matched, penalised, missing ...), computed from tokens to be shown.

Scores come from the counts of the kernel (`kernel/`); here single n-grams are listed. The HTML report gets the table
ROLES as data, and lists them in the browser (`report/html/assets/ngrams.js`). Tests compare both with the counts of the
kernel.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from ...kernel.common import COUNTED, Kind

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


_COMMON = {"match": COUNTED["match"]}
ROLES: dict[str, dict[str, Kind]] = {
    "match": {**_COMMON, "missing": Kind("r", less="h")},
    "gleu": {**_COMMON, "penalised": COUNTED["penalty"], "missing": Kind("r", less="h")},
    "paper": {**_COMMON, "penalised": COUNTED["source_only"], "missing": Kind("r", less="h")},
    "green": {
        **_COMMON,
        "inserted": Kind("h", less="sr"),
        "kept": Kind("sh", less="r"),
        "missing": Kind("r", less="sh"),
        "removed": Kind("s", less="rh"),
        "lost": Kind("sr", less="h"),
    },
}
"""The roles by the names of rules, as the kernel counts them (`kernel/common.py`).

In green, removed is rightly deleted, lost wrongly.
"""
COUNTS: dict[str, dict[str, tuple[str, ...]]] = {
    "match": {"match": ("match",)},
    "gleu": {"match": ("match",), "penalty": ("penalised",)},
    "paper": {"match": ("match",), "penalty": ("penalised",)},
    "green": {"tp": ("match", "removed"), "fp": ("inserted", "lost"), "fn": ("kept", "missing")},
}
"""The counts of metrics, by the names of rules, with the roles that they are the sums of."""


def roles(rule: str, sigma: Grams, rho: Grams, eta: Grams) -> dict[str, Grams]:
    """Return the n-grams of source σ, reference ρ and output η, with their counts, by the roles of a rule.

    Those of the output have the roles whose `of` has h, and other; these add up to it.
    """
    texts = {"s": sigma, "r": rho, "h": eta}
    found: dict[str, Grams] = {}
    other = Counter(eta)
    for name, kind in ROLES[rule].items():
        counts = {gram: kind.times(sigma[gram], rho[gram], eta[gram]) for gram in texts[kind.of[0]]}
        found[name] = Counter({gram: count for gram, count in counts.items() if count})
        if "h" in kind.of:
            other -= found[name]
    return {**found, "other": other}
