"""Skip bigrams, in Python: pairs of tokens in order, with other tokens between them."""

from __future__ import annotations

import functools
import operator
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from ..common import check_skip

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ..common import Encoded


def skip_bigrams(
    references: Sequence[Encoded], systems: Sequence[Encoded], gap: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Count the skip bigrams that outputs share with the references, which are merged by maximum count.

    `gap` is how many tokens may stand between the two tokens of a pair; below 0, any number may. Returns the matches,
    int64 [systems, lines], and the number of skip bigrams in the merged references, int64 [lines]. Raises as
    check_skip() does.
    """
    check_skip(references, systems, gap)
    lines = len(references[0].offsets) - 1
    matches, totals = np.zeros((len(systems), lines), np.int64), np.zeros(lines, np.int64)
    for line in range(lines):
        merged = functools.reduce(operator.or_, [_pairs(text, line, gap) for text in references])
        totals[line] = merged.total()
        for number, system in enumerate(systems):
            matches[number, line] = (merged & _pairs(system, line, gap)).total()
    return matches, totals


def _pairs(text: Encoded, line: int, gap: int) -> Counter[tuple[int, int]]:
    start, stop = text.offsets[line : line + 2].tolist()
    ids = text.ids[start:stop].tolist()
    reach = len(ids) if gap < 0 else gap + 2
    return Counter((token, other) for i, token in enumerate(ids) for other in ids[i + 1 : i + reach])
