"""Scores of I-measure, made of counts: by hand, and against what the official program prints."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest

from pipeline import kernel
from pipeline.corpus.edits.correction_references import references
from pipeline.metrics.imeasure.formulas import (
    aspect_of,
    best_references,
    improvement,
    measures,
    reference_keys,
)
from tests.oracles.imeasure import Vocabulary, firsts_of, golden

if TYPE_CHECKING:
    from pathlib import Path

    from pipeline.arrays import Ints


def counts(c_tp: int = 0, tn: int = 0, d_fp: int = 0, d_fn: int = 0, fpn: int = 0) -> Ints:
    return np.array([c_tp, tn, d_fp, d_fn, fpn], np.int64)


def test_detection_takes_a_wrong_change_at_the_right_place_as_right() -> None:
    five = counts(3, 10, 2, 4, 1)
    assert [int(value) for value in aspect_of(five, "detection")] == [4, 10, 2, 4, 0]
    assert [int(value) for value in aspect_of(five, "correction")] == [3, 10, 3, 5, 1]


def test_all_measures_by_hand() -> None:
    # correction: TP 3, TN 10, FP 3, FN 5, FPN 1; baseline: TN 11, FN 8
    found = measures(aspect_of(counts(3, 10, 2, 4, 1), "correction"), aspect_of(counts(tn=11, d_fn=8), "correction"))
    wacc, base = Fraction(6 + 10) / (2 * 6 + 10 + 5 - Fraction(3, 2)), Fraction(11, 19)
    expected = [Fraction(1, 2), Fraction(3, 8), Fraction(3, 7), Fraction(13, 20), wacc, (wacc - base) / (1 - base)]
    assert [float(value) for value in found.values()] == pytest.approx([float(value) for value in expected], abs=1e-15)


def test_improvement_is_a_share_of_what_was_possible() -> None:
    scores, baselines = np.array([0.5, 1.0, 0.9, 0.4, 0.0, 0.0]), np.array([0.5, 1.0, 0.8, 0.8, 0.5, 0.0])
    assert improvement(scores, baselines).tolist() == pytest.approx([0, 1, 0.5, -0.5, -1, 0], abs=1e-15)


def test_nothing_at_all_has_scores() -> None:
    """The official program divides by 0 here; a copy (cnap/grammaticality-metrics) counts the denominator as 1."""
    nothing = aspect_of(counts(), "correction")
    assert [float(value) for value in measures(nothing, nothing).values()] == [1, 1, 1, 0, 0, 0]


def test_arrays_of_any_shape_are_scored_as_single_counts_are() -> None:
    many = np.random.default_rng(1).integers(0, 5, (3, 4, 5))
    base = np.random.default_rng(2).integers(0, 5, (3, 4, 5)) * np.array([0, 1, 0, 1, 0])
    keys = reference_keys(many, base, measure="f", w=1.5, beta=0.5)
    assert keys.shape == (3, 4, 8)
    for place in np.ndindex(3, 4):
        assert keys[place].tolist() == reference_keys(many[place], base[place], measure="f", w=1.5, beta=0.5).tolist()


def test_the_measure_and_the_aspect_lead_the_keys() -> None:
    many, base = counts(3, 10, 2, 4, 1), counts(tn=11, d_fn=8)
    correction, detection = reference_keys(many, base, measure="r"), reference_keys(many, base, aspect="detection")
    assert correction[0] == 3 / 8
    assert detection[:4].tolist() == reference_keys(many, base)[4:].tolist()


def test_the_greatest_keys_win_and_the_first_of_equals() -> None:
    keys = np.zeros((6, 8))
    keys[1, 0], keys[1, 7] = 1, 5  # of the first line: later numbers decide only between equal ones
    keys[2, 0], keys[2, 6] = 1, 1
    assert best_references(keys, np.array([0, 3, 6])).tolist() == [2, 3]
    keys[4, 3], keys[5, 3] = 0.5, 0.5
    assert best_references(keys, np.array([0, 3, 6])).tolist() == [2, 4]
    assert best_references(-keys, np.array([0, 1, 6])).tolist() == [0, 3]


# Without mixing every row is the official one. With mixing, one tie rests on colliding hashes.
@pytest.mark.parametrize(("mix", "ties"), [(False, 0), (True, 1)])
def test_the_golden_cases(shared: Path, tmp_path: Path, mix: bool, ties: int) -> None:
    cases = golden(shared, tmp_path)
    *rows, final = cases.mix if mix else cases.nomix
    kept = [number for number, row in enumerate(rows) if row]
    words, sentences = Vocabulary(), [cases.sentences[number] for number in kept]
    texts = [references(sentence, mix=mix) for sentence in sentences]
    firsts = firsts_of(texts)
    source = words.text([sentence.tokens for sentence in sentences])
    output = words.text([cases.outputs[number] for number in kept])
    baseline, own = kernel.three_way(
        source, [source, output], words.text([text for group in texts for text in group]), firsts
    )
    chosen = best_references(reference_keys(own, baseline), firsts)
    own, baseline = own[chosen], baseline[chosen]
    differing = [
        number
        for number, five, unchanged in zip(kept, own.tolist(), baseline.tolist(), strict=True)
        if [five, [unchanged[1], unchanged[3]]] != rows[number][2:4]
    ]
    assert len(differing) == ties
    correction = aspect_of(own, "correction")
    detection = aspect_of(own, "detection")
    others = np.stack([detection.tp, correction.fp, correction.fn], axis=-1).tolist()
    assert all(row == rows[n][4] for n, row in zip(kept, others, strict=True) if n not in differing)
    if not ties:
        total, base = own.sum(axis=0), baseline.sum(axis=0)
        scores = [
            repr(float(value))
            for aspect in ("detection", "correction")
            for value in measures(aspect_of(total, aspect), aspect_of(base, aspect)).values()
        ]
        assert scores == final
