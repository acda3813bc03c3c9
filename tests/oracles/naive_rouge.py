"""ROUGE again, naively: tables filled cell by cell, pairs listed one by one. Oracles for the
kernels and the metric.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from itertools import chain, combinations

Tokens = Sequence[Hashable]


def lcs_table(one: Tokens, two: Tokens) -> list[list[int]]:
    """The lengths of longest common subsequences of all beginnings."""
    table = [[0] * (len(two) + 1) for _ in range(len(one) + 1)]
    for i in range(1, len(one) + 1):
        for j in range(1, len(two) + 1):
            if one[i - 1] == two[j - 1]:
                table[i][j] = table[i - 1][j - 1] + 1
            else:
                table[i][j] = max(table[i - 1][j], table[i][j - 1])
    return table


def lcs(one: Tokens, two: Tokens) -> int:
    return lcs_table(one, two)[-1][-1]


def lcs_indices(one: Tokens, two: Tokens) -> set[int]:
    """The indices in `one` of the longest common subsequence that rouge-score reads from the table."""
    table = lcs_table(one, two)
    i = len(one)
    j = len(two)
    indices = set()
    while i and j:
        if one[i - 1] == two[j - 1]:
            i -= 1
            j -= 1
            indices.add(i)
        elif table[i][j - 1] > table[i - 1][j]:
            j -= 1
        else:
            i -= 1
    return indices


def tokens_left(
    output: Sequence[Tokens], allowed: Tokens | None
) -> Counter[Hashable]:
    """How often each token may still be hit: as often as the output has it, or what is allowed."""
    if allowed is not None:
        return Counter(allowed)
    return Counter(chain.from_iterable(output))


def union_hits(
    reference: Sequence[Tokens],
    output: Sequence[Tokens],
    allowed: Tokens | None = None,
) -> int:
    """Hits of the union over sentences, each token at most as often as the output has it, or what
    is allowed.
    """
    left = tokens_left(output, allowed)
    hits = 0
    for sentence in reference:
        hit = set().union(*(lcs_indices(sentence, other) for other in output))
        for index in sorted(hit):
            if left[sentence[index]]:
                left[sentence[index]] -= 1
                hits += 1
    return hits


def weighted_table(
    one: Tokens, two: Tokens, weigh: Callable[[int], float]
) -> list[list[float]]:
    """Equation 14 of Lin 2004, cell by cell: run[i][j] is the length of the run of matches that
    ends there.
    """
    weight = [[0.0] * (len(two) + 1) for _ in range(len(one) + 1)]
    run = [[0] * (len(two) + 1) for _ in range(len(one) + 1)]
    for i in range(1, len(one) + 1):
        for j in range(1, len(two) + 1):
            if one[i - 1] == two[j - 1]:
                k = run[i - 1][j - 1]
                weight[i][j] = weight[i - 1][j - 1] + weigh(k + 1) - weigh(k)
                run[i][j] = k + 1
            else:
                weight[i][j] = max(weight[i - 1][j], weight[i][j - 1])
    return weight


def weighted_lcs(
    one: Tokens, two: Tokens, weigh: Callable[[int], float]
) -> float:
    return weighted_table(one, two, weigh)[-1][-1]


def weighted_indices(
    one: Tokens, two: Tokens, weigh: Callable[[int], float]
) -> set[int]:
    table = weighted_table(one, two, weigh)
    i = len(one)
    j = len(two)
    indices = set()
    while i and j:
        if one[i - 1] == two[j - 1]:
            i -= 1
            j -= 1
            indices.add(i)
        elif table[i - 1][j] >= table[i][j - 1]:
            i -= 1
        else:
            j -= 1
    return indices


def weighted_hits(
    reference: Sequence[Tokens],
    output: Sequence[Tokens],
    weigh: Callable[[int], float],
    allowed: Tokens | None = None,
) -> float:
    """Hits with weights as ROUGE-1.5.5 sums them: a run ends where the next token is no hit, if its
    last counts.
    """
    left = tokens_left(output, allowed)
    total = 0.0
    for sentence in reference:
        indices = [weighted_indices(sentence, other, weigh) for other in output]
        hit = set().union(*indices)
        run = 0
        for index in sorted(hit):
            if left[sentence[index]] > 0:
                left[sentence[index]] -= 1
                run += 1
                if index + 1 not in hit:
                    total += weigh(run)
                    run = 0
    return total


def skip_bigrams(
    tokens: Tokens, gap: int | None
) -> Counter[tuple[Hashable, Hashable]]:
    """All pairs in order, with at most gap tokens between them (None: any number)."""
    pairs: Counter[tuple[Hashable, Hashable]] = Counter()
    for i, j in combinations(range(len(tokens)), 2):
        if gap is None or j - i - 1 <= gap:
            pairs[tokens[i], tokens[j]] += 1
    return pairs
