"""The columns of M²: the right, the proposed and the annotated edits of each sentence with each annotator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ... import kernel
from ...dataclass import dataclass
from ...tokenizers.tokenization import Tokenization
from ..base.columns import Field
from ..base.metric import Needs
from ..base.views import GOLD
from .gold import read_gold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...arrays import Ints
    from ...kernel.common import Encoded
    from ...kernel.gold_edits import MaxMatches
    from ...kernel.lines import Lines
    from ..base.metric import Text
    from .gold import Gold

COUNTS = ("correct", "proposed", "gold")


@dataclass(frozen=True)
class MaxMatchNeeds(Needs):
    """Counts of edits, for the settings that can change them."""

    max_unchanged_words: int = 2
    """How many unchanged words an edit may hold."""
    ignore_whitespace_casing: bool = False
    """Whether proposed edits that change only white space and upper case are left out."""
    code: str = "master"
    """Which version of the scorer is followed: master or 3.2."""
    annotators: str = "listed"
    """listed, or all: annotators without a line for a sentence take part, without edits."""
    source = True
    input = GOLD
    tokenization = Tokenization()

    @property
    def key(self) -> str:
        """A name, safe in file names. It is different for any two needs whose columns can differ."""
        casing = ["casing"] * self.ignore_whitespace_casing
        return "-".join(["m2", self.code, f"u{self.max_unchanged_words}", *casing, self.annotators])

    @property
    def columns(self) -> tuple[Field, ...]:
        """The order of annotators, their edits (ref_len), right and proposed edits, and whether it is exact."""
        names = ("order", "ref_len", "correct", "proposed")
        return (*(Field(name, per_reference=True) for name in names), Field("reduced"))

    def count(self, text: Text) -> list[dict[str, Ints]]:
        """Count a shard, with the edits of annotators read once for all systems."""
        gold, matches = self.matches(text)
        shared = {"order": gold.order, "ref_len": gold.counts}
        return [
            {**shared, "correct": correct, "proposed": proposed, "reduced": reduced}
            for correct, proposed, reduced in zip(matches.correct, matches.proposed, matches.reduced, strict=True)
        ]

    def matches(self, text: Text, *, edits: bool = False) -> tuple[Gold, MaxMatches]:
        """Return the edits of the annotators of a shard, and what matches them: with `edits`, each proposed edit."""
        assert text.source is not None  # noqa: S101 (source is True)
        gold = read_gold(text.source, text.references, every=self.annotators == "all")
        texts = [text.source, *text.systems, gold.records.corrections]
        source, *systems, encoded = self.tokenization.encode(texts)
        return gold, kernel.max_match(
            source,
            systems,
            gold.arrays(encoded),
            len(text.references),
            max_unchanged=self.max_unchanged_words,
            first_row=self.code == "3.2",
            folded=_folded(texts, [source, *systems, encoded]) if self.ignore_whitespace_casing else None,
            edits=edits,
        )


def _folded(texts: Sequence[Lines], encoded: Sequence[Encoded]) -> list[bytes]:
    """Return each token in lower case, by its id: each letter for itself, as Python 2 changes case."""
    tokens: dict[int, str] = {}
    for lines, ids in zip(texts, encoded, strict=True):
        words = (word for line in lines.texts() for word in line.decode().split())
        tokens |= dict(zip(ids.ids.tolist(), words, strict=True))
    return ["".join(letter.lower()[:1] for letter in tokens[number]).encode() for number in range(len(tokens))]
