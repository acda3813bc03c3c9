"""CLEME, slow and literal: texts are really made, pieces are looked up in them by where their words
came from.

Weights are exact fractions of the floats that the formula gives, so that sums have no rounding at
all."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

Edit = tuple[int, int, str]
"""Start, end and correction. A noop is (-1, -1, "-NONE-")."""
WEIGHTS = {
    # (level, assumption): alpha, lowest and highest weight of TP, FP, FN
    ("corpus", "dependent"): ((2, 0.75, 1.25),) * 3,
    ("corpus", "independent"): ((2, 0.75, 1.25),) * 3,
    ("sentence", "dependent"): (
        (10, 1, 10),
        (10, 0.25, 1),
        (10, 1, 1),
    ),
    ("sentence", "independent"): (
        (10, 2.5, 10),
        (10, 0.25, 1),
        (10, 1, 1),
    ),
    ("none", "dependent"): ((1, 1, 1),) * 3,
    ("none", "independent"): ((1, 1, 1),) * 3,
}


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


def edited(source: list[str], edits: list[Edit]) -> list[tuple[str, int | None]]:
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
    texts = [
        [edit for edit in edits if edit[0] >= 0]
        for edits in (sentence.output, *sentence.references)
    ]
    texts = [sorted(edits, key=lambda edit: edit[0]) for edits in texts]
    number = 1
    while number < len(texts):
        if len(texts) > 2 and not edited(source, texts[number]):
            del texts[number]
        else:
            number += 1
    intervals: list[list[int]] = []
    for start, end, _ in sorted(
        (edit for edits in texts for edit in edits), key=lambda edit: edit[0]
    ):
        if intervals and start <= intervals[-1][1]:
            intervals[-1][1] = max(intervals[-1][1], end)
        else:
            intervals.append([start, end])
    bounds: list[tuple[int, int, bool]] = []
    for start, end in intervals:
        at = bounds[-1][1] if bounds else 0
        bounds += [(at, start, False)] * (at < start) + [(start, end, True)]
    at = bounds[-1][1] if bounds else 0
    bounds += [(at, len(source), False)] * (at < len(source))
    return [[_chunk(source, edits, *bound) for bound in bounds] for edits in texts]


def _chunk(
    source: list[str],
    edits: list[Edit],
    start: int,
    end: int,
    edit_here: bool,
) -> Chunk:
    own = source[start:end]
    if not edit_here or not any(start <= edit[0] and edit[1] <= end for edit in edits):
        return Chunk(own, own, False)
    text = edited(source, edits)
    places = [number for _, number in text]
    first = places.index(start - 1) + 1 if start else 0
    last = places.index(end) if end < len(source) else len(text)
    return Chunk(own, [word for word, _ in text[first:last]], True)


def length(chunk: Chunk) -> int:
    return max(len(chunk.source), len(chunk.words))


def mean_length(sentences: Sequence[Sentence]) -> float:
    """Return the mean length of the changed chunks of all references; 0 where there are none."""
    lengths = [
        length(c)
        for s in sentences
        for chunks in cut(s)[1:]
        for c in chunks
        if c.changed
    ]
    if lengths:
        return sum(lengths) / len(lengths)
    return 0.0


def weight(curve: tuple[float, float, float], distance: float) -> Fraction:
    alpha, low, high = curve
    return Fraction(min(max(alpha / (1 + (alpha - 1) * math.exp(distance)), low), high))


def counts(
    sentence: Sentence,
    mean: float,
    weights: str,
    assumption: str,
) -> list[Counts]:
    """Return the counts with each reference, or the only ones with all of them."""
    tp, fp, fn = WEIGHTS[weights, assumption]
    output, *references = cut(sentence)
    groups = (
        [[chunks] for chunks in references]
        if assumption == "dependent"
        else [references]
    )
    result = []
    for group in groups:
        own: Counts = dict.fromkeys(("tp", "fp_ne", "fp_un", "fn", "tn"), Fraction(0))
        for chunk, *others in zip(output, *group, strict=True):
            size = length(chunk)
            if chunk.changed and any(chunk.words == other.words for other in others):
                own["tp"] += weight(tp, mean - size)
            elif chunk.changed:
                own["fp_ne" if any(other.changed for other in others) else "fp_un"] += (
                    weight(fp, size - mean)
                )
            elif (assumption == "dependent" and others[0].words == chunk.words) or (
                assumption == "independent"
                and not all(other.changed for other in others)
            ):
                own["tn"] += 1
            else:
                own["fn"] += weight(fn, mean - size)
        result.append(own)
    return result


def prf(c: Counts, beta: float) -> tuple[float, float, float, float]:
    """Return F, P, R and accuracy."""
    fp = c["fp_ne"] + c["fp_un"]
    p = float(c["tp"] / (c["tp"] + fp)) if fp else 1.0
    r = float(c["tp"] / (c["tp"] + c["fn"])) if c["fn"] else 1.0
    f = (1 + beta**2) * p * r / (beta**2 * p + r) if p + r else 0.0
    every = c["tp"] + fp + c["fn"] + c["tn"]
    return f, p, r, float((c["tp"] + c["tn"]) / every) if every else 0.0


def rates(c: Counts, level: str) -> tuple[float, ...]:
    """Return com, hit, err, und and ove."""
    necessary, all_changes = (
        c["tp"] + c["fp_ne"] + c["fn"],
        c["tp"] + c["fp_ne"] + c["fp_un"],
    )
    hit, err, und = (
        float(c[name] / necessary) if necessary else 0.0
        for name in ("tp", "fp_ne", "fn")
    )
    ove = float(c["fp_un"] / all_changes) if all_changes else 0.0
    one, two, three, four = (
        (0.45, 0.35, 0.15, 0.05) if level == "corpus" else (0.35, 0.25, 0.2, 0.2)
    )
    return (
        one * hit + two * (1 - err) + three * (1 - und) + four * (1 - ove),
        hit,
        err,
        und,
        ove,
    )


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
    weights = (
        "none"
        if version == "2"
        else weights or ("corpus" if level == "corpus" else "sentence")
    )
    names = (
        ("cleme", "precision", "recall", "accuracy")
        if version == "1"
        else ("cleme", "hit", "err", "und", "ove")
    )
    every = [counts(sentence, mean, weights, assumption) for sentence in sentences]
    if level == "mean":
        best: list[list[float]] = []
        for own in every:
            if version == "1":
                rounded = [[round(value, 4) for value in prf(c, beta)] for c in own]
                best.append(
                    max(
                        rounded,
                        key=lambda v: (
                            v[0],
                            v[1],
                            v[2],
                            -v[3],
                        ),
                    )
                )
            else:
                best.append(
                    max(
                        [list(rates(c, level)) for c in own],
                        key=lambda v: [*v[:2], *(-r for r in v[2:])],
                    )
                )
        return {
            name: math.fsum(values) / len(best)
            for name, values in zip(
                names,
                zip(*best, strict=True),
                strict=True,
            )
        }
    totals: Counts = dict.fromkeys(("tp", "fp_ne", "fp_un", "fn", "tn"), Fraction(0))
    for own in every:
        sums = [{name: totals[name] + c[name] for name in totals} for c in own]
        first = [
            round(prf(s, beta)[0], 4) if version == "1" else rates(s, level)[0]
            for s in sums
        ]
        keys = [
            (
                value,
                c["tp"],
                -c["fp_ne"] - c["fp_un"],
                -c["fn"],
                c["tn"],
            )
            for value, c in zip(first, own, strict=True)
        ]
        totals = sums[keys.index(max(keys))]
    whole = prf(totals, beta) if version == "1" else rates(totals, level)
    result = dict(zip(names, whole, strict=True)) | {
        name: float(value) for name, value in totals.items()
    }
    if version == "1":
        result["fp"] = float(totals["fp_ne"] + totals["fp_un"])
        del result["fp_ne"], result["fp_un"]
    return result
