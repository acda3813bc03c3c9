"""N-grams that reports show: how a metric counts them, and their roles in an output."""

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Protocol

from ...kernel.common import COUNTED, Kind
from ...tokenizers import Tokenization

Grams = Counter[tuple[str, ...]]


class Tokens(Hashable, Protocol):
    """Splits a text into tokens as a metric counts them, such as Tokenization."""

    def tokens(self, text: str) -> list[str]:
        """Return the tokens of a text."""


class Shared(NamedTuple):
    """What an output shares with a reference, counted in one row of a metric without a Rule."""

    row: int
    """The row of the counts, from 0. The counts are named match and, if known, ref_total."""
    kind: str
    """What is shared: "ngrams", "sequence" for the longest common subsequence, or "characters" for
    n-grams that are marked in the text itself."""
    tokenization: Tokens
    n: int = 1
    """The length of n-grams."""


def grams(tokens: Sequence[str], n: int) -> Grams:
    """Return the n-grams of tokens with their counts."""
    shifted = [tokens[start:] for start in range(n)]
    return Counter(zip(*shifted, strict=False))


def merged(references: Sequence[Grams]) -> Grams:
    """Return each n-gram as often as in the reference that has it most often."""
    union: Grams = Counter()
    for reference in references:
        union |= reference
    return union


_COMMON = {"match": COUNTED["match"]}
_EDITED = {
    "inserted": Kind("h", less="sr"),
    "kept": Kind("sh", less="r"),
    "missing": Kind("r", less="sh"),
    "removed": Kind("s", less="rh"),
    "lost": Kind("sr", less="h"),
}
_ROLES: dict[str, dict[str, Kind]] = {
    "match": {**_COMMON, "missing": Kind("r", less="h")},
    "gleu": {
        **_COMMON,
        "penalised": COUNTED["penalty"],
        "missing": Kind("r", less="h"),
    },
    "paper": {
        **_COMMON,
        "penalised": COUNTED["source_only"],
        "missing": Kind("r", less="h"),
    },
    "green": {**_COMMON, **_EDITED},
    "simplification": {
        "match": COUNTED["common"],
        "added": COUNTED["new_match"],
        **_EDITED,
    },
}
"""See Rule.ROLES.

In green and simplification, removed is a right deletion and lost a wrong one. In simplification
kept and deleted n-grams count by the mean of the references, so that counts are no sums of roles.
"""
_COUNTS: dict[str, dict[str, tuple[str, ...]]] = {
    "match": {"match": ("match",)},
    "gleu": {"match": ("match",), "penalty": ("penalised",)},
    "paper": {"match": ("match",), "penalty": ("penalised",)},
    "green": {
        "tp": ("match", "removed"),
        "fp": ("inserted", "lost"),
        "fn": ("kept", "missing"),
    },
    "simplification": {},
}


@dataclass(frozen=True)
class Rule:
    """How a metric counts n-grams."""

    ROLES: ClassVar[dict[str, dict[str, Kind]]] = _ROLES
    """The roles of n-grams by the names of rules, as the kernel counts them (`kernel/common.py`)."""
    COUNTS: ClassVar[dict[str, dict[str, tuple[str, ...]]]] = _COUNTS
    """The counts of metrics by the names of rules, with the roles that they are the sums of."""

    name: str
    """The name of the rule: a key of ROLES."""
    tokenization: Tokenization
    first: int
    """The shortest order."""
    last: int
    """The longest order."""
    merged: bool = False
    """Whether references are merged: an n-gram counts as often as in the reference that has it most
    often."""

    def grams(self, text: str, n: int) -> Grams:
        """Return the n-grams of a text of length n with their counts."""
        return grams(self.tokenization.tokens(text), n)

    def roles(
        self, source: Grams, references: Sequence[Grams], output: Grams
    ) -> dict[str, Grams]:
        """Return the n-grams of source, reference and output with their counts, by role.

        Several references are merged. The n-grams of the output have the roles whose `of` has h, or
        the role other; these add up to it.
        """
        reference = merged(references)
        texts = {"s": source, "r": reference, "h": output}
        by_role: dict[str, Grams] = {}
        other = Counter(output)
        for name, kind in self.ROLES[self.name].items():
            counts: Grams = Counter()
            for gram in texts[kind.of[0]]:
                count = kind.times(source[gram], reference[gram], output[gram])
                if count:
                    counts[gram] = count
            by_role[name] = counts
            if "h" in kind.of:
                other -= counts
        return {**by_role, "other": other}
