"""The edits between two texts by words, in pairs of words that are alike: what `report/html/assets/words.js` finds too.

Reports show these edits where no metric of a run judges edits.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from ..metrics.base.capabilities import MISSED, RIGHT, WRONG, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    Cut = tuple[int, int, int, int]


MOST_CELLS = 4_000_000
"""Where a table of words would have more cells, the whole part is one edit."""
FEW_CELLS = 10_000
"""Where a table has more cells, it is cut at words that both texts have once."""
MOST_PAIRS = 400
"""So many pairs of words of a changed part are looked at."""
LONG_WORD = 40
"""Words of more letters are no pair."""
WHITE = re.compile(r"[\t-\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]")
"""What JavaScript takes for white space."""
NAMES = (
    "CJK UNIFIED",
    "CJK COMPATIBILITY IDEOGRAPH",
    "IDEOGRAPHIC ITERATION",
    "HIRAGANA",
    "KATAKANA LETTER",
    "HALFWIDTH KATAKANA LETTER",
)
"""How the names of characters begin that are words by themselves."""


class Edit(NamedTuple):
    """A change of the words of a source, with bounds as of slices."""

    start: int
    end: int
    original: str
    """The words that it replaces, with blanks between them."""
    correction: str


def words_of(text: str) -> list[str]:
    """Return the words of a text: what stands between white space, where ideographs and kana are words of their own."""
    words, word = list[str](), ""
    for sign in re.findall("<n>|.", text, re.DOTALL):
        white, alone = WHITE.match(sign), sign == "<n>" or (sign > "z" and unicodedata.name(sign, "").startswith(NAMES))
        if (alone or white) and word:
            words.append(word)
            word = ""
        if alone:
            words.append(sign)
        elif not white:
            word += sign
    return [*words, word] if word else words


def word_edits(source: str, text: str) -> list[Edit]:
    """Return the edits that make a text of a source."""
    one, two = words_of(source), words_of(text)
    cuts = [part for cut in changed(one, two) for part in paired(one, two, cut)]
    return [Edit(a, b, " ".join(one[a:b]), " ".join(two[c:d])) for a, b, c, d in cuts]


def verdicts_of(source: str, output: str, references: Sequence[str]) -> list[list[Verdict] | None]:
    """Return what each reference says of the edits of an output: RIGHT where it makes the same one, else WRONG.

    Those that the reference alone makes are MISSED. An empty reference says nothing: it is None.
    """
    own = word_edits(source, output)
    judged: list[list[Verdict] | None] = []
    for reference in references:
        others = word_edits(source, reference)
        said = [Verdict(*edit, "", RIGHT if edit in others else WRONG) for edit in own]
        missed = [Verdict(*edit, "", MISSED) for edit in others if edit not in own]
        judged.append([*said, *missed] if reference.strip() else None)
    return judged


def changed(one: Sequence[str], two: Sequence[str]) -> list[Cut]:
    """Return the bounds of what differs: a range in the first list and one in the second, one after the other."""
    kept = [(-1, -1), *_same(one, two, (0, len(one), 0, len(two))), (len(one), len(two))]
    cuts = [(i + 1, k, j + 1, m) for (i, j), (k, m) in pairwise(kept)]
    return [(a, b, c, d) for a, b, c, d in cuts if a < b or c < d]


def _same(one: Sequence[str], two: Sequence[str], cut: Cut) -> Iterator[tuple[int, int]]:
    """Yield the places of words that stay the same."""
    a, b, c, d = cut
    while a < b and c < d and one[a] == two[c]:
        yield a, c
        a, c = a + 1, c + 1
    high = 0
    while b - high > a and d - high > c and one[b - high - 1] == two[d - high - 1]:
        high += 1
    b, d = b - high, d - high
    cells = (b - a) * (d - c)
    fixed = _anchors(one, two, (a, b, c, d)) if cells > FEW_CELLS else []
    if fixed:
        x, y = a, c
        for i, j in fixed:
            yield from _same(one, two, (x, i, y, j))
            yield i, j
            x, y = i + 1, j + 1
        yield from _same(one, two, (x, b, y, d))
    elif cells <= MOST_CELLS:
        pairs = _best_pairs(b - a, d - c, lambda i, j: float(one[a + i] == two[c + j]))
        yield from ((a + i, c + j) for i, j in pairs)
    yield from ((b + step, d + step) for step in range(high))


def _best_pairs(rows: int, columns: int, worth: Callable[[int, int], float]) -> list[tuple[int, int]]:
    """Return pairs of a row and a column that rise in both and are worth most together, the first ones where equal.

    `worth` is that of a pair, 0 where it is none. Where all pairs are worth 1, there are as many as there can be.
    """
    alone = [[worth(i, j) for j in range(columns)] for i in range(rows)]
    best = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    for i in range(rows - 1, -1, -1):
        below, row, own = best[i + 1], best[i], alone[i]
        for j in range(columns - 1, -1, -1):
            pair = below[j + 1] + own[j] if own[j] else 0.0
            row[j] = max(pair, below[j], row[j + 1])
    pairs, i, j = list[tuple[int, int]](), 0, 0
    while i < rows and j < columns:
        if alone[i][j] and best[i][j] == best[i + 1][j + 1] + alone[i][j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif best[i + 1][j] >= best[i][j + 1]:
            i += 1
        else:
            j += 1
    return pairs


def _anchors(one: Sequence[str], two: Sequence[str], cut: Cut) -> list[tuple[int, int]]:
    """Return the places of words that both ranges have once, as many as rise in both."""
    a, b, c, d = cut
    places: dict[str, list[int]] = {}
    others: dict[str, list[int]] = {}
    for into, words, low, high in ((places, one, a, b), (others, two, c, d)):
        for place in range(low, high):
            into.setdefault(words[place], []).append(place)
    common = [(own[0], others[word][0]) for word, own in places.items() if len(own) == len(others.get(word, ())) == 1]
    tails: list[tuple[int, int]] = []
    before: dict[tuple[int, int], tuple[int, int] | None] = {}
    for pair in common:
        low = sum(tail[1] < pair[1] for tail in tails)
        before[pair] = tails[low - 1] if low else None
        tails[low : low + 1] = [pair]
    rising: list[tuple[int, int]] = []
    last = tails[-1] if tails else None
    while last:
        rising.append(last)
        last = before[last]
    return rising[::-1]


def letters(word: str) -> list[str]:
    """Return the letters of a word, each with its marks."""
    parts: list[str] = []
    for sign in word:
        if parts and unicodedata.category(sign).startswith("M"):
            parts[-1] += sign
        else:
            parts.append(sign)
    return parts


def likeness(one: str, two: str) -> float:
    """Return how much two words have in common: the share of their letters, upper and lower case alike, from 0 to 1.

    Words of very different lengths, and very long ones, have 0.
    """
    if 4 * min(len(one), len(two)) < max(len(one), len(two)):
        return 0.0
    x, y = letters(one.lower()), letters(two.lower())
    if not x or not y or max(len(x), len(y)) > LONG_WORD:
        return 0.0
    return 2 * len(_best_pairs(len(x), len(y), lambda i, j: float(x[i] == y[j]))) / (len(x) + len(y))


def paired(one: Sequence[str], two: Sequence[str], cut: Cut) -> list[Cut]:
    """Return the parts of a changed part: words that are alike are pairs, and what lies between stays together."""
    a, b, c, d = cut
    rows, columns = b - a, d - c
    if not 2 <= rows * columns <= MOST_PAIRS or "".join(one[a:b]) == "".join(two[c:d]):
        return [cut]

    def worth(i: int, j: int) -> float:
        alike = likeness(one[a + i], two[c + j])
        return alike if alike > 0.5 else 0.0

    pairs = [(-1, -1), *_best_pairs(rows, columns, worth), (rows, columns)]
    parts: list[Cut] = []
    for (i, j), (k, m) in pairwise(pairs):
        if i + 1 < k or j + 1 < m:
            parts.append((a + i + 1, a + k, c + j + 1, c + m))
        if k < rows:
            parts.append((a + k, a + k + 1, c + m, c + m + 1))
    return parts
