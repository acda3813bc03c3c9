"""The columns of I-measure: aligned tokens of source, output and reference, by who has changed them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ... import kernel
from ...arrays import Floats, Ints
from ...corpus.edits.correction_references import (
    CorrectedSentence,
    MixingError,
    Tokens,
    corrections_of_m2,
    references,
    split_of,
)
from ...corpus.edits.records import annotation_of
from ...errors import LongTextError
from ...kernel.common import THREE_WAY_COUNTS, Encoded, join_lines
from ...tokenizers.tokenization import Tokenization
from ..base.needs import GOLD, Field, Needs, Text

Numbers = NDArray[np.number[Any]]


# Scores of I-measure, made of counts of columns.
#
# Each function takes arrays of any equal shape, with the counts of sentences or of totals, and returns float64 of this
# shape. The expressions are those of the official program, because equal doubles decide which score is taken. Where its
# denominators are 0, in a sentence without any token, they count as 1.
#
# Source: Felice and Briscoe 2015 (N15-1060), and its program.


ASPECTS = ("correction", "detection")
MEASURES = ("p", "r", "f", "acc", "wacc", "i")


class Aspect(NamedTuple):
    """Counts of one aspect."""

    tp: Ints
    tn: Ints
    fp: Ints
    fn: Ints
    fpn: Ints
    """The columns that are counted in fp and in fn: changed by the output and by the reference, differently."""


def aspect_of(counts: Ints, aspect: str) -> Aspect:
    """Return the counts of an aspect, made of the five counts that the kernel's three_way() has on its last axis.

    Where the output is changed at the right place in a wrong way, detection counts that it is right.
    """
    c_tp, tn, d_fp, d_fn, fpn = np.moveaxis(counts, -1, 0)
    if aspect == "detection":
        return Aspect(c_tp + fpn, tn, d_fp, d_fn, np.zeros_like(fpn))
    return Aspect(c_tp, tn, d_fp + fpn, d_fn + fpn, fpn)


def improvement(score: Floats, baseline: Floats) -> Floats:
    """Return I, from -1 to 1: weighted accuracies of an output and of its unchanged source become one number.

    It is the gain as a share of the greatest possible gain, or the loss as a share of the greatest possible loss, below
    0. Where both are equal it is 0, or 1 where both are perfect.
    """
    greatest = np.where(baseline < 1, 1 - baseline, 1)
    least = np.where(baseline > 0, baseline, 1)
    gain, loss = (score - baseline) / greatest, score / least - 1
    return np.where(score == baseline, np.floor(score), np.where(score > baseline, gain, loss))


def measures(counts: Aspect, baseline: Aspect, w: float = 2.0, beta: float = 1.0) -> dict[str, Floats]:
    """Return all of MEASURES; the counts of `baseline` are those of the source as an output.

    Precision is 1 where nothing is changed, recall 1 where nothing is to be changed, and F 0 where both are 0.
    """
    tp, tn, fp, fn, fpn = counts
    precision, recall = _ratio(tp, tp + fp, otherwise=1), _ratio(tp, tp + fn, otherwise=1)
    f = (1.0 + beta**2) * _ratio(precision * recall, beta**2 * precision + recall, otherwise=0)
    accuracy = _ratio(tp + tn, tp + tn + fp + fn - fpn, otherwise=0)
    score, least = _weighted_accuracy(counts, w), _weighted_accuracy(baseline, w)
    i = improvement(score, least)
    return {"p": precision, "r": recall, "f": f, "acc": accuracy, "wacc": score, "i": i}


def _weighted_accuracy(counts: Aspect, w: float) -> Floats:
    """Return the accuracy with a weight of columns that the output changes."""
    tp, tn, fp, fn, fpn = counts
    return _ratio(w * tp + tn, w * (tp + fp) + tn + fn - (w + 1) * (fpn / 2.0), otherwise=0)


def reference_keys(
    counts: Ints,
    baseline: Ints,
    *,
    aspect: str = "correction",
    measure: str = "wacc",
    w: float = 2.0,
    beta: float = 1.0,
) -> Floats:
    """Return the numbers by which references are compared, the most important one first: float64 [..., KEYS].

    `counts` and `baseline` are int64 [..., 5], as aspect_of() takes them. The numbers are the measure, I, weighted
    accuracy and accuracy of the aspect, and then the same of the other aspect.
    """
    keys = []
    for name in (aspect, *(other for other in ASPECTS if other != aspect)):
        values = measures(aspect_of(counts, name), aspect_of(baseline, name), w, beta)
        keys += [values[key] for key in (measure, "i", "wacc", "acc")]
    return np.stack(keys, axis=-1)


def best_references(keys: Floats, firsts: Ints) -> Ints:
    """Return for each line its best reference, and of equal ones the first: int64 [lines].

    `keys` is float64 [references of all lines, KEYS]; those of line i are firsts[i] to firsts[i + 1] - 1, at least one.
    """
    lines = np.repeat(np.arange(len(firsts) - 1), firsts[1:] - firsts[:-1])
    order = np.lexsort((*(-key for key in keys.T[::-1]), lines))  # it is stable
    return order[firsts[:-1]]


def _ratio(one: Numbers, two: Numbers, *, otherwise: float) -> Floats:
    """Return one / two, or a number where two is 0."""
    return np.where(two != 0, one / np.where(two != 0, two, 1), otherwise)


COUNTS = (*THREE_WAY_COUNTS, "base_tn", "base_fn")
TN, FN = THREE_WAY_COUNTS.index("tn"), THREE_WAY_COUNTS.index("d_fn")
ABSENT = -1


@dataclass(frozen=True)
class ImeasureNeeds(Needs):
    """Counts of aligned tokens with each reference, or with the best of all mixed references."""

    words: str = "whitespace"
    """How a correction becomes words: a key of SPLITS in `corpus/edits/correction_references.py`."""
    mix: tuple[str, ...] = ()
    """Empty: a reference for each annotator. Otherwise the corrections of annotators are mixed in all ways, and this
    says how the best reference of a sentence is found: aspect, measure, w and beta."""
    source = True
    input = GOLD
    tokenization = Tokenization("ascii_whitespace")

    @property
    def columns(self) -> tuple[Field, ...]:
        """The counts, those of the unchanged source, and the lengths of references (-1: there is none)."""
        return tuple(Field(name, per_reference=not self.mix) for name in ("ref_len", *COUNTS))

    def count(self, text: Text) -> list[dict[str, Ints]]:
        """Align a shard, with the references made once for all systems."""
        each = []
        for line, sentence in enumerate(self.sentences(text)):
            try:
                each.append(references(sentence, mix=bool(self.mix)))
            except MixingError as error:
                raise LongTextError(0, line, str(error)) from None
        source, systems, encoded, firsts = self.aligned(text, each)
        counts = kernel.three_way(source, [source, *systems], encoded, firsts)
        sizes = np.diff(encoded.offsets)
        return [self._columns(own, counts[0], sizes, firsts, len(text.references)) for own in counts[1:]]

    def aligned(self, text: Text, each: Sequence[Sequence[Tokens]]) -> tuple[Encoded, list[Encoded], Encoded, Ints]:
        """Return what the kernel takes: source, systems, references, and where those of each line begin.

        `each` are the references of each line; the kernel gets them one line after the other.
        """
        assert text.source is not None  # noqa: S101 (source is True)
        firsts = np.cumsum([0, *map(len, each)]).astype(np.int64)
        lines = join_lines(" ".join(words).encode() for own in each for words in own)
        source, *systems, encoded = self.tokenization.encode([text.source, *text.systems, lines])
        return source, systems, encoded, firsts

    def sentences(self, text: Text) -> Iterator[CorrectedSentence]:
        """Yield the sentences with their corrections."""
        assert text.source is not None  # noqa: S101 (source is True)
        split = split_of(self.words)
        for line, *records in zip(text.source.texts(), *(lines.texts() for lines in text.references), strict=True):
            own = [annotation for annotation in map(annotation_of, records) if annotation]
            edits = [edit for annotation in sorted(own, key=lambda item: item.order) for edit in annotation.edits]
            yield corrections_of_m2([token.decode() for token in line.split()], edits, split)

    def _columns(self, counts: Ints, base: Ints, sizes: Ints, firsts: Ints, references: int) -> dict[str, Ints]:
        """Return the columns of a system; the arrays have a row for each reference of each line."""
        rows = np.concatenate([sizes[:, None], counts, base[:, [TN, FN]]], axis=1)
        names = ["ref_len", *COUNTS]
        if self.mix:
            aspect, measure, w, beta = self.mix
            keys = reference_keys(counts, base, aspect=aspect, measure=measure, w=float(w), beta=float(beta))
            best = rows[best_references(keys, firsts)]
            return {name: best[:, number] for number, name in enumerate(names)}
        table = np.zeros((len(firsts) - 1, references, len(names)), np.int64)
        table[..., 0] = ABSENT
        line = np.repeat(np.arange(len(firsts) - 1), np.diff(firsts))
        table[line, np.arange(len(rows)) - firsts[line]] = rows
        return {name: table[..., number] for number, name in enumerate(names)}
