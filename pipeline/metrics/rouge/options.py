"""The options of ROUGE, and checks of which go together."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ...dataclass import dataclass
from ...errors import ConfigError
from ...kernel.common import FOLDS
from ...tokenizers import OWN, TOKENIZERS
from ...tokenizers.stemmers import STEMMERS, exceptions
from ...tokenizers.stop_words import resolved as list_named
from ..base.options import option
from .types import PATTERN, Type, read_types, subsequence_of

if TYPE_CHECKING:
    from collections.abc import Iterable

POLICIES = {
    "google": ("best", "mean", "merged", "jackknife"),
    "perl": ("best", "mean", "merged", "jackknife", "jackknife_mean"),
}
"""The policies for references that each flavour allows."""
BOUNDARIES = {"marker": "<n>", "regex": r"(?<=[.!?])\s+"}
"""The default of the option boundary for each way to split."""
NUMBER = r"[0-9]{1,3}(\.[0-9]{1,6})?"

_SAMPLED: dict[str, Any] = {
    "applies": lambda m: m.level == "bootstrap",
    "why": "only level: bootstrap draws samples",
}
_LIMIT: dict[str, Any] = {
    "maximum": 1_000_000,
    "implicit": True,
    "applies": lambda m: m.script,
    "why": "only flavour: perl has limits",
}


@dataclass(frozen=True)
class RougeOptions:
    """The options of ROUGE."""

    flavour: str = option("google", help="as rouge-score, or as the script ROUGE-1.5.5", choices=tuple(POLICIES))
    types: str = option(
        "1+2+L",
        help="what is counted: n-grams, subsequences (L, Lsum, W), skip bigrams (S4, SU4; S, SU: any gap)",
        pattern=rf"{PATTERN}(?:\+{PATTERN})*",
        form="types joined by + out of 1 to 9, L, Lsum, W, S, SU, S4, SU4 ..., such as 1+2+L",
    )
    tokenizer: str = option(
        lambda given: given.get("flavour", "google"), key="tok", help="words", choices=tuple(TOKENIZERS), beside=OWN
    )
    lowercase: bool = option(
        False,
        key="lc",
        help="compare without upper case",
        applies=lambda m: m.tokenizer not in (*FOLDS, "unicode"),
        why="the tokenizer does it anyway",
        implicit=True,
    )
    stemmer: str = option(
        "none",
        key="stem",
        help="of words longer than three letters: nltk's Porter stemmer, or that of ROUGE-1.5.5 with its exceptions",
        choices=("none", *STEMMERS),
        applies=lambda m: m.tokenizer in FOLDS,
        why=f"only words of the tokenizers {' and '.join(FOLDS)} are stemmed",
    )
    split: str = option(
        "newline",
        help="where a text is split into sentences: at newlines, at a marker, where a regular expression fits, by nltk "
        "(rouge-score's split_summaries), nowhere",
        choices=("newline", "marker", "regex", "nltk", "none"),
    )
    boundary: str = option(
        lambda given: BOUNDARIES.get(given.get("split", ""), ""),
        help="the marker (default <n>), or the regular expression; what it matches is no part of a sentence",
        applies=lambda m: m.split in BOUNDARIES,
        why="only split: marker and regex have one",
        form="some text",
        free=True,
    )
    weight: str = option(
        "1.2",
        help="of W: a run of k words counts k to this power",
        applies=lambda m: any(kind.weighted for kind in m.kinds),
        why="only the type W has one",
        pattern=r"[1-9](\.[0-9]{1,6})?",
        form="a number from 1, below 10, such as 1.2",
    )
    beta: str = option(
        "1",
        help="weight of recall against precision in F",
        applies=lambda m: not m.alpha,
        why="alpha says it",
        pattern=NUMBER,
        form="a number such as 1 or 1.2",
    )
    alpha: str = option(
        lambda given: "0.5" if given.get("flavour") == "perl" and "beta" not in given else "",
        help="weight of precision in F, instead of beta: the script's -p",
        applies=lambda m: bool(m.alpha),
        pattern=r"0(\.[0-9]{1,6})?|1(\.0{1,6})?",
        form="a number from 0 to 1",
    )
    references: str = option(
        "best",
        key="refs",
        help="of several references: the best, the mean, merged counts, or the mean over the sets that lack one",
        choices=POLICIES["perl"],
    )
    level: str = option(
        "mean",
        help="the mean of the texts' scores, the score of summed counts, or the median of means in samples of "
        "the texts (rouge-score's aggregator, Hugging Face's evaluate)",
        choices=("mean", "micro", "bootstrap"),
    )
    samples: int = option(1000, help="samples of level: bootstrap", minimum=1, maximum=1_000_000, **_SAMPLED)
    seed: int = option(12345, help="the seed of numpy's stream for level: bootstrap", maximum=2**32 - 1, **_SAMPLED)
    interval: str = option(
        "0.95",
        help="how much the intervals of level: bootstrap hold",
        pattern=r"0\.[0-9]{1,6}",
        form="a number such as 0.95",
        **_SAMPLED,
    )

    max_words: int = option(0, key="words", help="the script's -l: how many words of each text count; 0: all", **_LIMIT)
    max_bytes: int = option(0, key="bytes", help="the script's -b: how many bytes of each text count; 0: all", **_LIMIT)
    stop_words: str = option(
        "",
        key="stop",
        help="the script's -s: words that are left out",
        free=True,
        form="smart (the script's list), or a file with a word on each line, of which signatures have a checksum",
        resolved=list_named,
        implicit=True,
        applies=lambda m: m.script and m.tokenizer in FOLDS,
        why=f"only flavour: perl has stop words, for words of the tokenizers {' and '.join(FOLDS)}",
    )

    def conflicts(self) -> list[tuple[str, str]]:
        """Return types, policies, boundaries and stemmers that do not go with the rest."""
        both = [("max_bytes", "max_words is given too; the script takes one of them")]
        wrong = both if self.max_words and self.max_bytes else []
        return [*self._wrong_types(), *self._wrong_boundary(), *self._wrong_stemmer(), *wrong]

    def _wrong_types(self) -> Iterable[tuple[str, str]]:
        names = [kind.name for kind in self.kinds]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice:
            yield "types", f"{twice} is asked for twice"
        if self.script and "Lsum" in names:
            yield "types", "the L of flavour perl is the union over sentences already; write L"
        if self.references not in POLICIES[self.flavour]:
            allowed = ", ".join(POLICIES[self.flavour])
            yield "references", f"flavour {self.flavour} takes {allowed}; found '{self.references}'"
        if self.script and self.level == "bootstrap":
            yield "level", "bootstrap is rouge-score's; flavour perl takes mean, micro"
        subsequence = next((kind.name for kind in self.kinds if subsequence_of(kind, self.script)), None)
        if self.references == "merged" and subsequence:
            yield "references", f"merged is defined for n-grams and skip bigrams, not for {subsequence}"

    def _wrong_boundary(self) -> Iterable[tuple[str, str]]:
        if self.split == "regex":
            try:
                re.compile(self.boundary)
            except re.error as error:
                yield "boundary", f"is no regular expression: {error}"

    def _wrong_stemmer(self) -> Iterable[tuple[str, str]]:
        if self.stemmer == "perl":
            try:
                exceptions()
            except ConfigError as error:
                yield "stemmer", error.problems[0].message

    @property
    def script(self) -> bool:
        """Whether the metric follows the script ROUGE-1.5.5."""
        return self.flavour == "perl"

    @cached_property
    def kinds(self) -> list[Type]:
        """The types that are asked for."""
        return read_types(self.types)
