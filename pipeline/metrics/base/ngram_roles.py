"""The role of each n-gram in a metric (matched, penalised, missing ...), computed from tokens to be shown.

Scores come from the counts of the kernel (`kernel/`); here single n-grams are listed. The HTML report gets the table
ROLES as data, and lists them in the browser (`report/html/assets/ngrams.js`). Tests compare both with the counts of the
kernel.
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


class Role(NamedTuple):
    """Which n-grams have a role, and how often: as often as all texts of `of` have them, beyond any text of `less`.

    A text is a letter: s is the source, r the reference, h the output.
    """

    of: str
    less: str = ""
    without: str = ""
    """The text in which an n-gram of this role does not stand at all."""


_COMMON = {"match": Role("hr")}
ROLES: dict[str, dict[str, Role]] = {
    "match": {**_COMMON, "missing": Role("r", "h")},
    "gleu": {**_COMMON, "penalised": Role("hs", without="r"), "missing": Role("r", "h")},
    "paper": {**_COMMON, "penalised": Role("hs", "r"), "missing": Role("r", "h")},
    "green": {
        **_COMMON,
        "inserted": Role("h", "sr"),
        "kept": Role("sh", "r"),
        "missing": Role("r", "sh"),
        "removed": Role("s", "rh"),
        "lost": Role("sr", "h"),
    },
}
"""The roles by the names of rules.

In gleu, what is penalised is an n-gram of output and source that the reference does not have at all; in paper, as often
as output and source both have it beyond its count in the reference. In green, removed is rightly deleted, lost wrongly.
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
    for name, role in ROLES[rule].items():
        grams = texts[role.of[0]]
        for letter in role.of[1:]:
            grams = grams & texts[letter]
        beyond: Grams = Counter()
        for letter in role.less:
            beyond |= texts[letter]
        grams = grams - beyond
        if role.without:
            grams = Counter({gram: count for gram, count in grams.items() if not texts[role.without][gram]})
        found[name] = grams
        if "h" in role.of:
            other -= grams
    return {**found, "other": other}
