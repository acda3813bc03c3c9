"""Subsequences, in Python: longest common ones, their union over sentences, and skip bigrams.

Longest common subsequences and their unions may have weights.
"""

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ...arrays import Floats, Ints
from .. import common
from ..common import Allowed, Encoded, Sentences, Texts

Sentence = tuple[int, ...]
Pairs = Counter[tuple[int, int]]
"""How often each pair of tokens occurs."""


def lcs(references: Texts, systems: Texts) -> Ints:
    """Return the lengths of longest common subsequences of tokens.

    The result is int64 [systems, lines, references]. All texts come from one call of encode or
    words. Raises ValueError for texts that do not fit together.
    """
    common.check_parallel(references, systems)
    longest = max(len(text.ids) for text in references)
    lengths = _weights(references, systems, range(longest + 1))
    return lengths.astype(np.int64)


def _weights(
    references: Texts, systems: Texts, powers: Sequence[float]
) -> Floats:
    """Return the weights of longest common subsequences: float64 [systems, lines, references].

    `powers` is as in weigh().
    """
    reference_lines = [text.lines() for text in references]
    output_lines = [text.lines() for text in systems]
    lines = len(reference_lines[0])
    shape = (len(systems), lines, len(references))
    weights = np.zeros(shape)
    for system, line, reference in np.ndindex(shape):
        tokens = reference_lines[reference][line]
        output = output_lines[system][line]
        weight = weigh(tokens, output, powers, [])
        weights[system, line, reference] = weight
    return weights


def weigh(
    reference: Sentence,
    output: Sentence,
    powers: Sequence[float],
    skips: list[list[bool]],
) -> float:
    """Return the weight of a longest common subsequence (LCS) of two sequences of tokens.

    A run of k tokens that follow one another in both weighs powers[k]. The table of the dynamic
    programme has a row for each token of the reference, of which only the last two are stored.
    Appends to `skips` a row [tokens of the output] for each token of the reference: whether
    trace(), on its way back, skips the token of the reference and not that of the output.
    """
    columns = len(output) + 1
    weights_above = [0.0] * columns
    runs_above = [0] * columns  # how long a run ends at each cell
    for token in reference:
        weights = [0.0]
        runs = [0]
        skips_of_row = []
        for j, output_token in enumerate(output):
            skips_of_row.append(weights_above[j + 1] >= weights[j])
            if token == output_token:
                run = runs_above[j] + 1
                # the run becomes longer by one
                weight = weights_above[j] + powers[run] - powers[run - 1]
                weights.append(weight)
                runs.append(run)
            else:
                weights.append(max(weights_above[j + 1], weights[j]))
                runs.append(0)
        weights_above = weights
        runs_above = runs
        skips.append(skips_of_row)
    return weights_above[-1]


def trace(
    reference: Sentence, output: Sentence, powers: Sequence[float]
) -> Iterator[int]:
    """Yield the positions in the reference of a longest common subsequence, from last to first.

    `powers` is as in weigh(). Of several such subsequences, this is the one that rouge-score and
    ROUGE-1.5.5 take: they go back from the ends of both sequences and take equal tokens. Otherwise
    the token of the reference is skipped if the weight stays the same without it, else the token
    of the output.
    """
    skips: list[list[bool]] = []
    weigh(reference, output, powers, skips)
    i = len(reference) - 1
    j = len(output) - 1
    while i >= 0 and j >= 0:
        if reference[i] == output[j]:
            yield i
            i -= 1
            j -= 1
        elif skips[i][j]:
            i -= 1
        else:
            j -= 1


class Cell(NamedTuple):
    """A line of an output beside that of a reference."""

    position: tuple[int, int, int]
    """The numbers of the system, the line and the reference."""
    reference: list[Sentence]
    output: list[Sentence]
    left: Counter[int]
    """How often each token may still be hit."""

    def hit_positions(
        self, sentence: Sentence, powers: Sequence[float]
    ) -> set[int]:
        """Return the positions of a reference sentence's tokens that an output sentence matches.

        They are the union of its longest common subsequences with each sentence of the output.
        `powers` is as in weigh().
        """
        hits: set[int] = set()
        for output_sentence in self.output:
            hits.update(trace(sentence, output_sentence, powers))
        return hits


def _cells(
    references: Sequence[Sentences],
    systems: Sequence[Sentences],
    allowed: Allowed | None,
) -> Iterator[Cell]:
    """Yield each line of each output beside that of each reference; `allowed` is as in union_lcs()."""
    reference_lines = [_sentences(text) for text in references]
    for system, text in enumerate(systems):
        output_lines = _sentences(text)
        for reference, sentences in enumerate(reference_lines):
            limits = text.as_lines
            if allowed:
                limits = allowed[system][reference]
            for line, tokens in enumerate(limits.lines()):
                yield Cell(
                    position=(system, line, reference),
                    reference=sentences[line],
                    output=output_lines[line],
                    left=Counter(tokens),
                )


def union_lcs(
    references: Sequence[Sentences],
    systems: Sequence[Sentences],
    allowed: Allowed | None = None,
) -> Ints:
    """Return the hits of union longest common subsequences: int64 [systems, lines, references].

    A token in a sentence of the reference is hit if it is in the longest common subsequence with
    some sentence of the output. But equal tokens are hit no more often than the line of the output
    has them, or than the line of the text allowed[system][reference] has them, if there is
    `allowed`. Raises ValueError as lcs() does.
    """
    common.check_sentences(references, systems)
    common.check_allowed(references, systems, allowed)
    hits = np.zeros(_shape(references, systems), np.int64)
    for cell in _cells(references, systems, allowed):
        for sentence in cell.reference:
            # a run of k tokens weighs k: no weights
            powers = range(len(sentence) + 1)
            for position in cell.hit_positions(sentence, powers):
                token = sentence[position]
                if cell.left[token] > 0:
                    cell.left[token] -= 1
                    hits[cell.position] += 1
    return hits


def _shape(
    references: Sequence[Sentences], systems: Sequence[Sentences]
) -> tuple[int, int, int]:
    """Return the numbers of systems, lines and references."""
    lines = len(references[0].firsts) - 1
    return len(systems), lines, len(references)


def weighted_lcs(
    references: Sequence[Sentences],
    systems: Sequence[Sentences],
    powers: Floats,
) -> Floats:
    """Return the weights of weighted longest common subsequences.

    The result is float64 [systems, lines, references]. A run of k tokens that follow one another in
    both texts weighs powers[k]. Each line is one sequence, whatever its sentences. `powers` reaches
    from 0 to the number of tokens in the longest line. Raises as check_weighted() does.
    """
    reference_lines = [_one_sentence_a_line(text) for text in references]
    output_lines = [_one_sentence_a_line(text) for text in systems]
    common.check_weighted(reference_lines, output_lines, powers)
    return _weights(
        [text.as_lines for text in reference_lines],
        [text.as_lines for text in output_lines],
        powers.tolist(),
    )


def _one_sentence_a_line(text: Sentences) -> Sentences:
    """Return the same tokens with each line as a single sentence."""
    line_offsets = text.offsets[text.firsts]
    every_line = np.arange(len(text.firsts))
    return text._replace(offsets=line_offsets, firsts=every_line)


def weighted_union(
    references: Sequence[Sentences],
    systems: Sequence[Sentences],
    powers: Floats,
    allowed: Allowed | None = None,
) -> tuple[Floats, Floats]:
    """Return weighted hits as ROUGE-1.5.5 counts them, and their bases (for recall).

    Hits are float64 [systems, lines, references]. Tokens are hit as in union_lcs(), but by weighted
    subsequences. A run of k hits in a sentence of the reference weighs powers[k]. A hit is passed
    over if earlier hits have used up all equal tokens of the output; if such a hit ends a run, the
    next hit continues that run, as in the original script. The bases, float64 [lines, references],
    are the sum of powers[tokens] over the sentences of the reference. `allowed` is as in
    union_lcs(). Raises as check_weighted() does.
    """
    common.check_weighted(references, systems, powers)
    common.check_allowed(references, systems, allowed)
    weights = powers.tolist()  # by the length of a run
    hits = np.zeros(_shape(references, systems))
    for cell in _cells(references, systems, allowed):
        for sentence in cell.reference:
            positions = cell.hit_positions(sentence, weights)
            run = 0
            for position in sorted(positions):
                token = sentence[position]
                if cell.left[token] <= 0:
                    continue
                cell.left[token] -= 1
                run += 1
                if position + 1 not in positions:
                    hits[cell.position] += weights[run]
                    run = 0
    bases = np.zeros(hits.shape[1:])
    for reference, text in enumerate(references):
        for line, sentences in enumerate(_sentences(text)):
            for sentence in sentences:
                bases[line, reference] += weights[len(sentence)]
    return hits, bases


def skip_bigrams(
    references: Texts, systems: Texts, gap: int
) -> tuple[Ints, Ints]:
    """Count the skip bigrams (pairs of tokens in order) that outputs share with the references.

    References are merged by maximum count. `gap` is how many tokens may stand between the two
    tokens of a pair; below 0, any number may. Returns the matches, int64 [systems, lines], and the
    number of skip bigrams in the merged references, int64 [lines]. Raises as check_skip() does.
    """
    common.check_skip(references, systems, gap)
    merged = []  # the pairs of each line
    reference_lines = [text.lines() for text in references]
    for references_of_line in zip(*reference_lines, strict=True):
        union: Pairs = Counter()
        for ids in references_of_line:
            union |= _pairs(ids, gap)
        merged.append(union)
    shape = (len(systems), len(merged))
    matches = np.zeros(shape, np.int64)
    for system, text in enumerate(systems):
        for line, ids in enumerate(text.lines()):
            common_pairs = merged[line] & _pairs(ids, gap)
            matches[system, line] = common_pairs.total()
    totals = [pairs.total() for pairs in merged]
    return matches, np.array(totals, np.int64)


def _pairs(ids: Sentence, gap: int) -> Pairs:
    """Count the skip bigrams of a line."""
    reach = len(ids) if gap < 0 else gap + 2
    pairs: Pairs = Counter()
    for start, token in enumerate(ids):
        end = start + reach
        for other in ids[start + 1 : end]:
            pairs[token, other] += 1
    return pairs


def _sentences(text: Sentences) -> list[list[Sentence]]:
    """Return the sentences of each line."""
    sentences = Encoded(text.ids, text.offsets).lines()
    bounds = itertools.pairwise(text.firsts.tolist())
    return [sentences[first:last] for first, last in bounds]
