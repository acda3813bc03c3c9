"""Subsequences, in Python: the longest common ones, their union over sentences, both with weights;
and skip bigrams.
"""

import functools
import itertools
import operator
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from ...arrays import Floats, Ints
from .. import common
from ..common import Allowed, Encoded, Sentences, Texts

Sentence = tuple[int, ...]
Left = list[list[list[Counter[int]]]]


def lcs(references: Texts, systems: Texts) -> Ints:
    """Return the lengths of longest common subsequences of tokens: int64 [systems, lines,
    references].

    All texts come from one call of encode or words. Raises ValueError for texts that do not fit
    together."""
    common.check_parallel(references, systems)
    return _weights(
        references, systems, range(max(len(text.ids) for text in references) + 1)
    ).astype(np.int64)


def _weights(references: Texts, systems: Texts, powers: Sequence[float]) -> Floats:
    """Return the weights of longest common subsequences of lines: float64 [systems, lines,
    references].
    """
    ones, twos = ([text.lines() for text in texts] for texts in (references, systems))
    weights = np.zeros((len(twos), len(ones[0]), len(ones)))
    for s, line, r in np.ndindex(weights.shape):
        weights[s, line, r] = weigh(ones[r][line], twos[s][line], powers, [])
    return weights


def weigh(one: Sentence, two: Sentence, powers: Sequence[float], ups: list[list[bool]]) -> float:
    """Return the weight of a longest common subsequence, in which a run of k tokens weighs
    powers[k].

    Appends to `ups` a row for each token of `one`: at each token of `two`, whether the way back
    passes over that of `one`."""
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


def trace(one: Sentence, two: Sentence, powers: Sequence[float]) -> Iterator[int]:
    """Yield the positions in `one` of a longest common subsequence with these weights, from last to
    first.

    Of several such subsequences, this is the one that rouge-score and ROUGE-1.5.5 take. They go
    back from the ends of both sequences. Equal tokens are taken. Otherwise the token of `one` is
    passed over if the weight stays the same without it, else the token of `two`."""
    ups: list[list[bool]] = []
    weigh(one, two, powers, ups)
    i, j = len(one) - 1, len(two) - 1
    while i >= 0 and j >= 0:
        if one[i] == two[j]:
            yield i
            i, j = i - 1, j - 1
        elif ups[i][j]:
            i -= 1
        else:
            j -= 1


def union_lcs(
    references: Sequence[Sentences], systems: Sequence[Sentences], allowed: Allowed | None = None
) -> Ints:
    """Return the hits of union longest common subsequences: int64 [systems, lines, references].

    A token in a sentence of the reference is hit where it is in the longest common subsequence with
    some sentence of the output. But equal tokens are hit no more often than the output has them, or
    allowed[system][reference] where `allowed` is given. Raises ValueError as lcs() does."""
    common.check_sentences(references, systems)
    common.check_allowed(references, systems, allowed)
    golds, outputs = ([*map(_sentences, texts)] for texts in (references, systems))
    left = _left(systems, references, allowed)
    hits = np.zeros((len(systems), len(golds[0]), len(references)), np.int64)
    for s, line, r in np.ndindex(hits.shape):
        for sentence in golds[r][line]:
            lengths = range(len(sentence) + 1)
            for i in {i for other in outputs[s][line] for i in trace(sentence, other, lengths)}:
                hits[s, line, r] += left[s][r][line][sentence[i]] > 0
                left[s][r][line][sentence[i]] -= 1
    return hits


def weighted_lcs(
    references: Sequence[Sentences], systems: Sequence[Sentences], powers: Floats
) -> Floats:
    """Return the weights of weighted longest common subsequences: float64 [systems, lines,
    references].

    A run of k tokens that follow one another in both texts weighs powers[k]. Each line is one
    sequence, whatever its sentences. `powers` reaches from 0 to the number of tokens in the longest
    line. Raises as check_weighted() does."""
    references, systems = (
        [
            text._replace(offsets=text.offsets[text.firsts], firsts=np.arange(len(text.firsts)))
            for text in texts
        ]
        for texts in (references, systems)
    )
    common.check_weighted(references, systems, powers)
    return _weights(
        [text.whole for text in references], [text.whole for text in systems], powers.tolist()
    )


def weighted_union(
    references: Sequence[Sentences],
    systems: Sequence[Sentences],
    powers: Floats,
    allowed: Allowed | None = None,
) -> tuple[Floats, Floats]:
    """Return weighted hits as ROUGE-1.5.5 counts them, float64 [systems, lines, references], and
    their bases.

    Tokens are hit as in union_lcs(), but by weighted subsequences. A run of k hits in a sentence of
    the reference weighs powers[k]. A hit is passed over where earlier hits have used up all equal
    tokens of the output; if such a hit ends a run, the next hit continues that run, as in the
    original script. The bases, float64 [lines, references], are the sum of powers[tokens] over the
    sentences of the reference. `allowed` is as in union_lcs(). Raises as check_weighted() does."""
    common.check_weighted(references, systems, powers)
    common.check_allowed(references, systems, allowed)
    golds, outputs = ([*map(_sentences, texts)] for texts in (references, systems))
    left = _left(systems, references, allowed)
    weight = powers.tolist()
    hits = np.zeros((len(systems), len(golds[0]), len(references)))
    bases = np.zeros(hits.shape[1:])
    for line, r in np.ndindex(bases.shape):
        for sentence in golds[r][line]:
            bases[line, r] += weight[len(sentence)]
    for s, line, r in np.ndindex(hits.shape):
        for sentence in golds[r][line]:
            hit = {i for other in outputs[s][line] for i in trace(sentence, other, weight)}
            run = 0
            for i in sorted(hit):
                if left[s][r][line][sentence[i]] > 0:
                    left[s][r][line][sentence[i]] -= 1
                    run += 1
                    if i + 1 not in hit:
                        hits[s, line, r] += weight[run]
                        run = 0
    return hits, bases


def skip_bigrams(references: Texts, systems: Texts, gap: int) -> tuple[Ints, Ints]:
    """Count the skip bigrams that outputs share with the references, which are merged by maximum
    count.

    `gap` is how many tokens may stand between the two tokens of a pair; below 0, any number may.
    Returns the matches, int64 [systems, lines], and the number of skip bigrams in the merged
    references, int64 [lines]. Raises as check_skip() does."""
    common.check_skip(references, systems, gap)

    def pairs(ids: Sentence) -> Counter[tuple[int, int]]:
        reach = len(ids) if gap < 0 else gap + 2
        return Counter(
            (token, other) for i, token in enumerate(ids) for other in ids[i + 1 : i + reach]
        )

    ones, twos = (
        [[*map(pairs, text.lines())] for text in texts] for texts in (references, systems)
    )
    merged = [functools.reduce(operator.or_, of_line) for of_line in zip(*ones, strict=True)]
    matches = [
        [(both & own).total() for both, own in zip(merged, output, strict=True)] for output in twos
    ]
    totals = np.array([own.total() for own in merged], np.int64)
    return np.array(matches, np.int64).reshape(len(systems), len(merged)), totals


def _sentences(text: Sentences) -> list[list[Sentence]]:
    sentences = Encoded(text.ids, text.offsets).lines()
    return [sentences[first:last] for first, last in itertools.pairwise(text.firsts.tolist())]


def _left(
    systems: Sequence[Sentences], references: Sequence[Sentences], allowed: Allowed | None
) -> Left:
    """Return how often each token may be hit, for each system, reference and line; `allowed` as in
    union_lcs().
    """
    texts = allowed or [[system.whole] * len(references) for system in systems]
    return [[[Counter(line) for line in text.lines()] for text in row] for row in texts]
