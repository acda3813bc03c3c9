"""CLEME, slow and literal: texts are really made, pieces are looked up in them by where their words
came from.

Weights are exact fractions of the floats that the formula gives, so that sums have no rounding at
all."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import chain
from typing import NamedTuple

Edit = tuple[int, int, str]
"""Start, end and correction. A noop is (-1, -1, "-NONE-")."""
WEIGHTS = {
    # (level, assumption): alpha, lowest and highest weight of TP, FP, FN
    ("corpus", "dependent"): ((2, 0.75, 1.25),) * 3,
    ("corpus", "independent"): ((2, 0.75, 1.25),) * 3,
    ("sentence", "dependent"): ((10, 1, 10), (10, 0.25, 1), (10, 1, 1)),
    ("sentence", "independent"): ((10, 2.5, 10), (10, 0.25, 1), (10, 1, 1)),
    ("none", "dependent"): ((1, 1, 1),) * 3,
    ("none", "independent"): ((1, 1, 1),) * 3,
}


SHARES = {"corpus": (0.45, 0.35, 0.15, 0.05), "mean": (0.35, 0.25, 0.2, 0.2)}
"""Shares of hit, err, und and ove in com by level."""
COUNTED = ("tp", "fp_ne", "fp_un", "fn", "tn")
OUTPUTS = {
    "1": ("cleme", "precision", "recall", "accuracy"),
    "2": ("cleme", "hit", "err", "und", "ove"),
}
"""The outputs of each version."""


class Sentence(NamedTuple):
    """A sentence with the edits of an output and of each reference."""

    source: list[str]
    output: list[Edit]
    references: list[list[Edit]]


class Chunk(NamedTuple):
    """A piece of a text."""

    source: list[str]
    words: list[str]
    changed: bool


Counts = dict[str, Fraction]
"""tp, fp_ne, fp_un, fn and tn, with weights."""


def edited(
    source: list[str], edits: list[Edit]
) -> list[tuple[str, int | None]]:
    """Return the words of a text, each with the number of the token that it was in the source
    (None: it is new).
    """
    text: list[tuple[str, int | None]] = [
        (word, number) for number, word in enumerate(source)
    ]
    for start, end, correction in reversed(edits):
        new = [] if correction == "-NONE-" else correction.split()
        text[start:end] = [(word, None) for word in new]
    return text


def cut(sentence: Sentence) -> list[list[Chunk]]:
    """Return the chunks of each text, the output first; empty references are dropped while another
    one remains.
    """
    source = sentence.source
    texts = []
    for edits in (sentence.output, *sentence.references):
        changes = [edit for edit in edits if edit[0] >= 0]
        texts.append(sorted(changes, key=start_of))
    number = 1
    while number < len(texts):
        if len(texts) > 2 and not edited(source, texts[number]):
            del texts[number]
        else:
            number += 1
    intervals: list[list[int]] = []
    for start, end, _ in sorted(chain(*texts), key=start_of):
        if intervals and start <= intervals[-1][1]:
            intervals[-1][1] = max(intervals[-1][1], end)
        else:
            intervals.append([start, end])
    bounds: list[tuple[int, int, bool]] = []
    position = 0
    for start, end in intervals:
        if position < start:
            bounds.append((position, start, False))
        bounds.append((start, end, True))
        position = end
    if position < len(source):
        bounds.append((position, len(source), False))
    return [
        [_chunk(source, edits, *bound) for bound in bounds] for edits in texts
    ]


def start_of(edit: Edit) -> int:
    """Return where an edit starts."""
    return edit[0]


def _chunk(
    source: list[str], edits: list[Edit], start: int, end: int, edit_here: bool
) -> Chunk:
    words = source[start:end]
    if not edit_here or not any(
        start <= edit[0] and edit[1] <= end for edit in edits
    ):
        return Chunk(words, words, False)
    text = edited(source, edits)
    numbers = [number for _, number in text]
    first = numbers.index(start - 1) + 1 if start else 0
    last = numbers.index(end) if end < len(source) else len(text)
    return Chunk(words, [word for word, _ in text[first:last]], True)


def length(chunk: Chunk) -> int:
    return max(len(chunk.source), len(chunk.words))


def mean_length(sentences: Sequence[Sentence]) -> float:
    """Return the mean length of the changed chunks of all references; 0 where there are none."""
    lengths = []
    for sentence in sentences:
        for chunks in cut(sentence)[1:]:
            lengths += [length(chunk) for chunk in chunks if chunk.changed]
    if lengths:
        return sum(lengths) / len(lengths)
    return 0.0


def weight(curve: tuple[float, float, float], distance: float) -> Fraction:
    alpha, low, high = curve
    return Fraction(
        min(max(alpha / (1 + (alpha - 1) * math.exp(distance)), low), high)
    )


def counts(
    sentence: Sentence, mean: float, weights: str, assumption: str
) -> list[Counts]:
    """Return the counts with each reference, or the only ones with all of them."""
    tp, fp, fn = WEIGHTS[weights, assumption]
    output, *references = cut(sentence)
    groups = [references]
    if assumption == "dependent":
        groups = [[chunks] for chunks in references]
    result = []
    for group in groups:
        found: Counts = dict.fromkeys(COUNTED, Fraction(0))
        for chunk, *others in zip(output, *group, strict=True):
            size = length(chunk)
            matched = any(chunk.words == other.words for other in others)
            if assumption == "dependent":
                unchanged = others[0].words == chunk.words
            else:
                unchanged = not all(other.changed for other in others)
            if chunk.changed and matched:
                found["tp"] += weight(tp, mean - size)
            elif chunk.changed and any(other.changed for other in others):
                found["fp_ne"] += weight(fp, size - mean)
            elif chunk.changed:
                found["fp_un"] += weight(fp, size - mean)
            elif unchanged:
                found["tn"] += 1
            else:
                found["fn"] += weight(fn, mean - size)
        result.append(found)
    return result


def prf(c: Counts, beta: float) -> tuple[float, float, float, float]:
    """Return F, P, R and accuracy."""
    fp = c["fp_ne"] + c["fp_un"]
    p = ratio(c["tp"], c["tp"] + fp) if fp else 1.0
    r = ratio(c["tp"], c["tp"] + c["fn"]) if c["fn"] else 1.0
    f = (1 + beta**2) * p * r / (beta**2 * p + r) if p + r else 0.0
    accuracy = ratio(c["tp"] + c["tn"], c["tp"] + fp + c["fn"] + c["tn"])
    return f, p, r, accuracy


def ratio(part: Fraction, total: Fraction) -> float:
    """Return a share; 0 of nothing."""
    return float(part / total) if total else 0.0


def rates(c: Counts, level: str) -> tuple[float, ...]:
    """Return com, hit, err, und and ove."""
    necessary = c["tp"] + c["fp_ne"] + c["fn"]
    hit, err, und = (
        ratio(c[name], necessary) for name in ("tp", "fp_ne", "fn")
    )
    ove = ratio(c["fp_un"], c["tp"] + c["fp_ne"] + c["fp_un"])
    one, two, three, four = SHARES[level]
    com = one * hit + two * (1 - err) + three * (1 - und) + four * (1 - ove)
    return com, hit, err, und, ove


def cleme(
    sentences: Sequence[Sentence],
    *,
    level: str = "corpus",
    assumption: str = "dependent",
    weights: str | None = None,
    version: str = "1",
    beta: float = 0.5,
) -> dict[str, float]:
    """Return the outputs; level is corpus or mean."""
    mean = mean_length(sentences)
    if version == "2":
        weights = "none"
    elif weights is None:
        weights = "corpus" if level == "corpus" else "sentence"

    def outputs_of(counted: Counts) -> tuple[float, ...]:
        return prf(counted, beta) if version == "1" else rates(counted, level)

    names = OUTPUTS[version]
    every = [
        counts(sentence, mean, weights, assumption) for sentence in sentences
    ]
    if level == "mean":
        best = []
        for alternatives in every:
            outputs = [outputs_of(counted) for counted in alternatives]
            if version == "1":
                outputs = [
                    tuple(round(v, 4) for v in values) for values in outputs
                ]
            best.append(max(outputs, key=preference))
        columns = zip(*best, strict=True)
        means = [math.fsum(values) / len(best) for values in columns]
        return dict(zip(names, means, strict=True))
    totals: Counts = dict.fromkeys(COUNTED, Fraction(0))
    for alternatives in every:
        sums = [
            {name: totals[name] + c[name] for name in totals}
            for c in alternatives
        ]
        keys = []
        for with_these, c in zip(sums, alternatives, strict=True):
            score = outputs_of(with_these)[0]
            if version == "1":
                score = round(score, 4)
            keys.append(
                (score, c["tp"], -c["fp_ne"] - c["fp_un"], -c["fn"], c["tn"])
            )
        totals = sums[keys.index(max(keys))]
    result = dict(zip(names, outputs_of(totals), strict=True))
    result |= {name: float(value) for name, value in totals.items()}
    if version == "1":
        result["fp"] = float(totals["fp_ne"] + totals["fp_un"])
        del result["fp_ne"], result["fp_un"]
    return result


def preference(outputs: tuple[float, ...]) -> tuple[float, ...]:
    """Return the key of the best alternative: accuracy, or the errors of version 2, are to be low."""
    first_low = 3 if len(outputs) == 4 else 2
    return (*outputs[:first_low], *(-value for value in outputs[first_low:]))
