"""The alignment of errant, with its operations found faster.

errant aligns the words of two texts by the cheapest series of operations: match (M), deletion (D), insertion (I),
substitution (S), and transposition of some words (T2, T3 ...), where both sides have the same words in another order.
errant's own code reads the alignment from the matrix of operations, and knows what a substitution costs. Only the
matrix is filled here:

- Equal words always match. Of operations that cost the same, the first of T, S, I, D is taken.
- A transposition is looked for along the diagonal, as far as the costs there change. That is spared where one of the
  two words does not stand before in the other text. Otherwise words are counted in steps, and nothing is sorted.
- The cost of a substitution is kept with the first word.
- Words at the end that both texts have are left out: the alignment is read from the end, and would match them first.
- Attributes of words are read once, into plain objects with the names that errant uses.

This holds for versions of errant whose code is known. With another one, all of its own code is called.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from ..io.safe_files import digest

if TYPE_CHECKING:
    from collections.abc import Sequence

KNOWN = {"55d007cfc4a3b7be"}
"""Digests of errant's class Alignment where this file does the same. It is that of errant 2.3.3 to 3.0.2."""
NEVER = 1 << 62
"""The place of a word that a text does not have."""


class Word:
    """A word with the attributes that errant's alignment reads, under the same names."""

    __slots__ = ("costs", "lemma", "lower", "orth", "pos", "text")

    def __init__(self, text: str, orth: int, lower: int, lemma: int, pos: int) -> None:
        self.text, self.orth, self.lower, self.lemma, self.pos = text, orth, lower, lemma, pos
        self.costs: dict[Word, float] = {}
        """What replacing this word by another costs, as far as it was asked."""


def faster(alignment: Any) -> Any | None:
    """Return a subclass of errant's class Alignment for lists of Word, or None where its code is not known."""
    try:
        known = digest(inspect.getsource(alignment).encode()) in KNOWN
    except OSError:  # Python files without their sources
        known = False
    if not known:
        return None

    class Faster(alignment):  # type: ignore[misc]
        def align(self, _: bool) -> tuple[list[list[float]], list[list[str]]]:
            return fill(self.orig, self.cor, self.get_sub_cost)

    return Faster


def common_end(source: Sequence[Word], corrected: Sequence[Word]) -> int:
    """Return how many words at the end are the same in both texts."""
    common = 0
    for one, two in zip(reversed(source), reversed(corrected), strict=False):
        if one.orth != two.orth:
            break
        common += 1
    return common


def fill(source: Sequence[Word], corrected: Sequence[Word], cost_of: Any) -> tuple[list[list[float]], list[list[str]]]:
    """Return the costs and the operations of the first i words against the first j: [source + 1][corrected + 1].

    `cost_of` returns what a substitution costs.
    """
    firsts = _firsts(corrected, source), _firsts(source, corrected)
    costs = [[float(place) for place in range(len(corrected) + 1)]]
    operations = [["O"] + ["I"] * len(corrected)]
    for i, word in enumerate(source):
        row, names = [i + 1.0], ["D"]
        orth, kept, first, above = word.orth, word.costs, firsts[1][i], costs[i]
        for j, other in enumerate(corrected):
            if orth == other.orth:
                row.append(above[j])
                names.append("M")
                continue
            cost = kept.get(other)
            if cost is None:
                cost = kept[other] = cost_of(word, other)
            best, name = above[j] + cost, "S"
            if row[j] + 1 < best:
                best, name = row[j] + 1, "I"
            if above[j + 1] + 1 < best:
                best, name = above[j + 1] + 1, "D"
            if first <= j and firsts[0][j] <= i:
                back = _moved(source, corrected, i, j, costs)
                if back and costs[i - back][j - back] + back <= best:
                    best, name = costs[i - back][j - back] + back, f"T{back + 1}"
            row.append(best)
            names.append(name)
        costs.append(row)
        operations.append(names)
    return costs, operations


def _firsts(words: Sequence[Word], text: Sequence[Word]) -> list[int]:
    """Return for each word where a text has it first, whatever its case; NEVER where it does not have it."""
    places: dict[int, int] = {}
    for place, word in enumerate(text):
        places.setdefault(word.lower, place)
    return [places.get(word.lower, NEVER) for word in words]


def _moved(source: Sequence[Word], corrected: Sequence[Word], i: int, j: int, costs: Sequence[Sequence[float]]) -> int:
    """Return how many words before the words i and j are in the shortest transposition that ends there; 0: none does.

    The words of both sides have to be the same, whatever their case and order. The search ends at the beginning of a
    text, and where a step along the diagonal costs nothing.
    """
    surplus: dict[int, int] = {}
    for back in range(min(i, j) + 1):
        if back and costs[i - back + 1][j - back + 1] == costs[i - back][j - back]:
            return 0
        for word, step in ((source[i - back].lower, 1), (corrected[j - back].lower, -1)):
            number = surplus.get(word, 0) + step
            if number:
                surplus[word] = number
            else:
                del surplus[word]
        if back and not surplus:
            return back
    return 0
