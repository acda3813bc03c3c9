"""Longest common subsequences, in Python: their length, the union over sentences, and both with weights.

The table of the dynamic programme is kept as one integer for each column. Bit i of column j is 0 where the table grows
from row i to row i + 1, so the number of zeros in the last column is the length (Crochemore et al. 2001, Hyyrö 2004).
"""

from __future__ import annotations

import itertools
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from ..common import check_allowed, check_parallel, check_sentences, check_weighted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from ..common import Allowed, Encoded, Sentences

    Sentence = tuple[int, ...]


def lcs(references: Sequence[Encoded], systems: Sequence[Encoded]) -> NDArray[np.int64]:
    """Return the lengths of longest common subsequences of tokens: int64 [systems, lines, references].

    All texts come from one call of encode or words. Raises ValueError for texts that do not fit together.
    """
    check_parallel(references, systems)
    lines = len(references[0].offsets) - 1
    lengths = np.zeros((len(systems), lines, len(references)), np.int64)
    for s, line, r in np.ndindex(lengths.shape):
        one, two = _line(references[r], line), _line(systems[s], line)
        lengths[s, line, r] = len(one) - columns(one, two)[-1].bit_count()
    return lengths


def columns(one: Sentence, two: Sentence) -> list[int]:
    """Return the columns of the table of two sequences, as the top of this file explains.

    The first column is for no token of `two`, so there is one column more than tokens.
    """
    positions: dict[int, int] = {}
    for i, token in enumerate(one):
        positions[token] = positions.get(token, 0) | 1 << i
    full = (1 << len(one)) - 1
    table = [full]
    for token in two:
        column, match = table[-1], positions.get(token, 0)
        table.append(((column + (column & match)) | (column & ~match)) & full)
    return table


def trace(one: Sentence, two: Sentence) -> Iterator[int]:
    """Yield the positions in `one` of a longest common subsequence, from last to first.

    Of several such subsequences, this is the one that rouge-score and ROUGE-1.5.5 take. They go back from the ends of
    both sequences. Equal tokens are taken. Otherwise the token of `one` is passed over if the length stays the same
    without it, else the token of `two`.
    """
    table = columns(one, two)
    i, j = len(one) - 1, len(two) - 1
    while i >= 0 and j >= 0:
        if one[i] == two[j]:
            yield i
            i, j = i - 1, j - 1
        elif table[j + 1] >> i & 1:
            i -= 1
        else:
            j -= 1


def union_lcs(
    references: Sequence[Sentences], systems: Sequence[Sentences], allowed: Allowed | None = None
) -> NDArray[np.int64]:
    """Return the hits of union longest common subsequences: int64 [systems, lines, references].

    A token in a sentence of the reference is hit where it is in the longest common subsequence with some sentence of
    the output. But equal tokens are hit no more often than the output has them, or allowed[system][reference] where
    `allowed` is given. Raises ValueError as lcs() does.
    """
    check_sentences(references, systems)
    check_allowed(references, systems, allowed)
    lines = len(references[0].firsts) - 1
    hits = np.zeros((len(systems), lines, len(references)), np.int64)
    for s, line, r in np.ndindex(hits.shape):
        output = _sentences(systems[s], line)
        left = Counter(_line(allowed[s][r] if allowed else systems[s].whole, line))
        for sentence in _sentences(references[r], line):
            for i in {i for other in output for i in trace(sentence, other)}:
                hits[s, line, r] += left[sentence[i]] > 0
                left[sentence[i]] -= 1
    return hits


def weighted_lcs(
    references: Sequence[Sentences], systems: Sequence[Sentences], powers: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the weights of weighted longest common subsequences: float64 [systems, lines, references].

    A run of k tokens that follow one another in both texts weighs powers[k]. Each line is one sequence, whatever its
    sentences. `powers` reaches from 0 to the number of tokens in the longest line. Raises as check_weighted() does.
    """
    references, systems = [flat(text) for text in references], [flat(text) for text in systems]
    check_weighted(references, systems, powers)
    lines = len(references[0].firsts) - 1
    weights = np.zeros((len(systems), lines, len(references)))
    for s, line, r in np.ndindex(weights.shape):
        one, two = _line(references[r].whole, line), _line(systems[s].whole, line)
        weights[s, line, r] = _weighted(one, two, powers.tolist(), [])
    return weights


def flat(text: Sentences) -> Sentences:
    """Return a text with each line as one sentence."""
    return text._replace(offsets=text.offsets[text.firsts], firsts=np.arange(len(text.firsts), dtype=np.int64))


def _weighted(one: Sentence, two: Sentence, powers: list[float], ups: list[list[bool]]) -> float:
    """Return the weight of a weighted longest common subsequence.

    Appends to `ups` a row for each token of `one`: at each token of `two`, whether the way back passes over that of
    `one`.
    """
    above, runs_above = [0.0] * (len(two) + 1), [0] * (len(two) + 1)
    for token in one:
        row, runs, up = [0.0], [0], []
        for j, other in enumerate(two):
            up.append(above[j + 1] >= row[j])
            if token == other:
                run = runs_above[j]
                row.append(above[j] + powers[run + 1] - powers[run])
                runs.append(run + 1)
            else:
                row.append(above[j + 1] if up[j] else row[j])
                runs.append(0)
        above, runs_above = row, runs
        ups.append(up)
    return above[-1]


def weighted_union(
    references: Sequence[Sentences],
    systems: Sequence[Sentences],
    powers: NDArray[np.float64],
    allowed: Allowed | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return weighted hits as ROUGE-1.5.5 counts them, float64 [systems, lines, references], and their bases.

    Tokens are hit as in union_lcs(), but by weighted subsequences. A run of k hits in a sentence of the reference
    weighs powers[k]. A hit is passed over where earlier hits have used up all equal tokens of the output; if such a
    hit ends a run, the next hit continues that run, as in the original script.
    The bases, float64 [lines, references], are the sum of powers[tokens] over the sentences of the reference.
    `allowed` is as in union_lcs(). Raises as check_weighted() does.
    """
    check_weighted(references, systems, powers)
    check_allowed(references, systems, allowed)
    lines, weight = len(references[0].firsts) - 1, powers.tolist()
    hits = np.zeros((len(systems), lines, len(references)))
    bases = np.zeros((lines, len(references)))
    for line, r in np.ndindex(bases.shape):
        for sentence in _sentences(references[r], line):
            bases[line, r] += weight[len(sentence)]
    for s, line, r in np.ndindex(hits.shape):
        output = _sentences(systems[s], line)
        left = Counter(_line(allowed[s][r] if allowed else systems[s].whole, line))
        for sentence in _sentences(references[r], line):
            hit = {i for other in output for i in _weighted_trace(sentence, other, weight)}
            run = 0
            for i in sorted(hit):
                if left[sentence[i]] > 0:
                    left[sentence[i]] -= 1
                    run += 1
                    if i + 1 not in hit:
                        hits[s, line, r] += weight[run]
                        run = 0
    return hits, bases


def _weighted_trace(one: Sentence, two: Sentence, powers: list[float]) -> Iterator[int]:
    """Yield positions as trace() does, of a weighted subsequence. At equal weight, that of `one` is passed over."""
    ups: list[list[bool]] = []
    _weighted(one, two, powers, ups)
    i, j = len(one) - 1, len(two) - 1
    while i >= 0 and j >= 0:
        if one[i] == two[j]:
            yield i
            i, j = i - 1, j - 1
        elif ups[i][j]:
            i -= 1
        else:
            j -= 1


def _line(text: Encoded, line: int) -> Sentence:
    start, stop = text.offsets[line : line + 2].tolist()
    return tuple(text.ids[start:stop].tolist())


def _sentences(text: Sentences, line: int) -> list[Sentence]:
    first, last = text.firsts[line : line + 2].tolist()
    offsets = text.offsets[first : last + 1].tolist()
    return [tuple(text.ids[low:high].tolist()) for low, high in itertools.pairwise(offsets)]
