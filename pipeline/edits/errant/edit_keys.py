"""What ERRANT compares: the keys of edits, which depend on what counts as equal, and the hits and misses of two sides.

The source is errant_compare of the package errant, whose rules have been the same since version 2.0.0.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from operator import add
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from ...dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..m2_lines import Edit

    Keys: TypeAlias = "dict[tuple[int | str, ...], list[str]]"
    """The types of the edits of an annotator, by their keys, in the order of the file."""

MODES = ("cs", "cse", "ds", "dt")
"""Correction by span; the same and by type; detection by span; detection by token."""
CHERRANT = "cherrant"
STYLES = ("errant", CHERRANT)
"""Corrections as they stand in the files; or without blanks, as ChERRANT compares Chinese ones."""
UNJUDGED = "NA"
"""In ChERRANT's files the type of a sentence that the annotator did not judge."""
NOOP, UNKNOWN = "noop", "UNK"
WORDS = 2
"""From so many words on an edit is a multi-word edit."""


class Hits(NamedTuple):
    """Hits and misses of an output against an annotator, by type."""

    tp: list[str]
    """The annotator's types of edits that both have."""
    fp: list[str]
    """The types of edits that only the output has."""
    fn: list[str]
    """The types of edits that only the annotator has."""


@dataclass(frozen=True)
class Comparison:
    """Which edits are compared, and what makes two edits equal."""

    mode: str = "cs"
    """One of MODES."""
    single: bool = False
    """Whether edits of several words are left out."""
    multi: bool = False
    """Whether edits of one word are left out."""
    left_out: tuple[str, ...] = ()
    """The types that are left out."""
    style: str = "errant"
    """One of STYLES."""

    def keys(self, edits: Iterable[Edit]) -> Keys:
        """Return the types of an annotator's edits by their keys."""
        keys: Keys = {}
        for edit in edits:
            for key in self.keys_of(edit):
                keys.setdefault(key, []).append(edit.type)
        return keys

    def keys_of(self, edit: Edit) -> list[tuple[int | str, ...]]:
        """Return the keys of an edit: none where it is left out, and several where each of its tokens counts."""
        if self._skips(edit):
            return []
        start, end = edit.start, edit.end
        correction = edit.correction.replace(" ", "") if self.style == CHERRANT else edit.correction
        if self.mode == "cs":
            return [(start, end, correction)]
        if self.mode == "cse":
            return [(start, end, edit.type, correction)]
        if self.mode == "ds":
            return [(start, end)]
        if start == -1:
            return [(-1, -1)]
        # an insertion is charged to the token on its right
        return [(token, token + 1) for token in range(start, end)] if start != end else [(start, start + 1)]

    def _skips(self, edit: Edit) -> bool:
        if edit.type == UNKNOWN and self.mode in ("cs", "cse"):  # detected, but not corrected
            return True
        if self.single or self.multi:
            long = edit.end - edit.start >= WORDS or len(edit.correction.split()) >= WORDS
            if (self.single and long) or (self.multi and not long):
                return True
        return edit.type in self.left_out


def compare(output: Keys, annotator: Keys) -> Hits:
    """Return the hits and misses. An edit that both have is filed under the annotator's type."""
    hits = Hits([], [], [])
    for key, types in output.items():
        if types[0] != NOOP:
            if key in annotator:
                hits.tp.extend(annotator[key])
            else:
                hits.fp.extend(types)
    for key, types in annotator.items():
        if types[0] != NOOP and key not in output:
            hits.fn.extend(types)
    return hits


def category(type_: str, tier: int) -> str:
    """Return the category of a type: tier 1 is M, R or U, tier 2 is such as NOUN:NUM, and tier 3 is the whole type."""
    if type_ == UNKNOWN or tier == 3:
        return type_
    return type_[:1] if tier == 1 else type_[2:]


def precision_recall_f(tp: int, fp: int, fn: int, beta: float) -> tuple[float, float, float]:
    """Return precision, recall and F-beta of counts, with the operations of errant_compare in their order.

    F is 0 where its denominator is. There errant_compare ends with an error if beta is 0.
    """
    precision, recall = tp / (tp + fp) if fp else 1.0, tp / (tp + fn) if fn else 1.0
    below = beta**2 * precision + recall
    return precision, recall, (1 + beta**2) * precision * recall / below if below else 0.0


def preference(totals: Sequence[int], counts: Sequence[int], beta: float) -> tuple[float, ...]:
    """Return what is greatest for the annotator that errant_compare takes for a sentence; of equals, the first.

    `totals` are tp, fp and fn of the sentences before, and `counts` those of the sentence with the annotator.
    """
    tp, fp, fn = map(add, totals, counts)
    return round(precision_recall_f(tp, fp, fn, beta)[2], 4), counts[0], -counts[1], -counts[2]


def is_of(type_: str, patterns: tuple[str, ...]) -> bool:
    """Return whether a type is one of some types, categories of a tier, or patterns such as R:VERB*."""
    names = {category(type_, tier) for tier in (1, 2, 3)}
    return any(fnmatchcase(name, pattern) for name in names for pattern in patterns)
