"""ROUGE again, naively: tables filled cell by cell, pairs listed one by one. Oracles for the
kernels and the metric.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    Tokens = Sequence[Hashable]


def lcs_table(one: Tokens, two: Tokens) -> list[list[int]]:
    """The lengths of longest common subsequences of all beginnings."""
    table = [[0] * (len(two) + 1) for _ in range(len(one) + 1)]
    for i in range(1, len(one) + 1):
        for j in range(1, len(two) + 1):
            same = one[i - 1] == two[j - 1]
            table[i][j] = (
                table[i - 1][j - 1] + 1
                if same
                else max(table[i - 1][j], table[i][j - 1])
            )
    return table


def lcs(one: Tokens, two: Tokens) -> int:
    return lcs_table(one, two)[-1][-1]


def lcs_places(one: Tokens, two: Tokens) -> set[int]:
    """The places in `one` of the longest common subsequence that rouge-score reads from the table."""
    table, i, j, places = lcs_table(one, two), len(one), len(two), set()
    while i and j:
        if one[i - 1] == two[j - 1]:
            i, j = i - 1, j - 1
            places.add(i)
        elif table[i][j - 1] > table[i - 1][j]:
            j -= 1
        else:
            i -= 1
    return places


def union_hits(
    reference: Sequence[Tokens], output: Sequence[Tokens], allowed: Tokens | None = None
) -> int:
    """Hits of the union over sentences, each token at most as often as the output has it, or what
    is allowed.
    """
    left = Counter(
        allowed
        if allowed is not None
        else [token for sentence in output for token in sentence]
    )
    hits = 0
    for sentence in reference:
        for place in sorted(
            set().union(*(lcs_places(sentence, other) for other in output))
        ):
            if left[sentence[place]]:
                left[sentence[place]] -= 1
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


def weighted_lcs(one: Tokens, two: Tokens, weigh: Callable[[int], float]) -> float:
    return weighted_table(one, two, weigh)[-1][-1]


def weighted_places(
    one: Tokens, two: Tokens, weigh: Callable[[int], float]
) -> set[int]:
    table, i, j, places = weighted_table(one, two, weigh), len(one), len(two), set()
    while i and j:
        if one[i - 1] == two[j - 1]:
            i, j = i - 1, j - 1
            places.add(i)
        elif table[i - 1][j] >= table[i][j - 1]:
            i -= 1
        else:
            j -= 1
    return places


def weighted_hits(
    reference: Sequence[Tokens],
    output: Sequence[Tokens],
    weigh: Callable[[int], float],
    allowed: Tokens | None = None,
) -> float:
    """Hits with weights as ROUGE-1.5.5 sums them: a run ends where the next token is no hit, if its
    last counts.
    """
    left = Counter(
        allowed
        if allowed is not None
        else [token for sentence in output for token in sentence]
    )
    total = 0.0
    for sentence in reference:
        hit = set().union(
            *(weighted_places(sentence, other, weigh) for other in output)
        )
        run = 0
        for place in sorted(hit):
            if left[sentence[place]] > 0:
                left[sentence[place]] -= 1
                run += 1
                if place + 1 not in hit:
                    total += weigh(run)
                    run = 0
    return total


def skip_bigrams(tokens: Tokens, gap: int | None) -> Counter[tuple[Hashable, Hashable]]:
    """All pairs in order, with at most gap tokens between them (None: any number)."""
    places = combinations(range(len(tokens)), 2)
    return Counter(
        (tokens[i], tokens[j]) for i, j in places if gap is None or j - i - 1 <= gap
    )


def ngrams(tokens: Tokens, order: int) -> Counter[tuple[Hashable, ...]]:
    return Counter(tuple(tokens[i : i + order]) for i in range(len(tokens) - order + 1))
