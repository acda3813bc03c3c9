"""Scores from sums of counts: those that the same texts have, and those of sacreBLEU."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sacrebleu.metrics.bleu import BLEU

import pipeline
from pipeline.errors import ConfigError, InputError
from pipeline.execution.count import count_in_memory
from pipeline.metrics.build import from_text
from pipeline.scoring.terms import MetricTerms
from tests.metrics.test_bleu import generated, ours

METRICS = ["bleu", "bleu[flavour=nltk,smoothing=method5]", "chrf", "chrf[nw=2,eps=true]", "ter", "green"]
METRICS += ["rouge[level=micro]"]
METRICS += ["gleu[refs=max]", "gleu[variant=paper,refs=max]", "google_gleu"]


@pytest.mark.parametrize("text", METRICS)
def test_the_sums_of_a_corpus_give_its_score(text: str) -> None:
    from pipeline.corpus.in_memory import corpus_in_memory

    hypotheses, references = generated(2, references=2)
    metric = from_text(text)
    corpus = corpus_in_memory(hypotheses, references, references[0] if metric.needs.source else None)
    counts = count_in_memory(corpus, [metric.needs])["system", metric.needs]
    terms = MetricTerms(metric)
    totals = sum(block.fixed.sum(axis=0) for block in terms.blocks(counts))
    expected = terms.of_system(counts)
    given: dict[str, Any] = dict(zip(terms.schema.names, np.asarray(totals).tolist(), strict=True))
    assert pipeline.score_counts(text, given) == expected
    assert pipeline.score_counts(metric, given) == expected


def test_bleu_is_that_of_sacrebleus_compute_bleu() -> None:
    match, total = [120, 80, 52, 33], [150, 140, 130, 120]
    theirs = BLEU.compute_bleu(match, total, 150, 155)
    for given in ({"match": match, "total": np.array(total)}, {f"match_{n}": m for n, m in enumerate(match, 1)}):
        sums: dict[str, Any] = {"total": total, **given, "hyp_len": 150, "ref_len": 155}
        found = pipeline.score_counts("bleu", sums)
        assert next(iter(found)) == "bleu"
        assert 100 * found["bleu"] == pytest.approx(theirs.score, rel=1e-12)
        assert found["brevity_penalty"] == pytest.approx(theirs.bp, rel=1e-12)


def test_ter_takes_a_mean_length() -> None:
    assert pipeline.score_counts("ter", {"edits": 31, "ref_len": 155.5}) == {
        "ter": 31 / 155.5,
        "edits": 31,
        "ref_len": 155.5,
    }
    assert pipeline.score_counts("ter", {"edits": 1, "ref_len": 0})["ter"] == 1


def test_google_gleu_has_no_orders() -> None:
    found = ours((["a b c"], [["a b d"]]), "google_gleu")
    given = {"hyp_total": 6, "match": 3, "ref_total": 6, "larger": 6}  # by hand: a, b and "a b" of six n-grams
    assert pipeline.score_counts("google_gleu", given) == found.outputs


GIVEN: dict[str, Any] = {"match": [1, 1, 1, 1], "total": [4, 3, 2, 1], "hyp_len": 4, "ref_len": 4}


@pytest.mark.parametrize(
    ("metric", "change", "message"),
    [
        ("bleu", {"mach": 1}, "totals: bleu has no sum called 'mach' (did you mean 'match'?)"),
        ("bleu", {"zzzzzz": 1}, "totals: bleu has no sum called 'zzzzzz'; bleu has hyp_len, ref_len, match_1"),
        ("bleu", {"match_2": 1}, "totals: 'match_2' is given twice"),
        ("bleu", {"match": [1, 2]}, "totals: match: expected a list of 4 numbers, one for each order, found [1, 2]"),
        ("bleu", {"match": 1}, "totals: match: expected a list of 4 numbers"),
        ("bleu", {"hyp_len": "4"}, "totals: hyp_len: expected a number, found '4'"),
        ("bleu", {"hyp_len": float("nan")}, "totals: hyp_len: expected a number, found nan"),
        ("bleu", {"hyp_len": None}, "totals: hyp_len: expected a number, found None"),
        ("ter", {}, "totals: ter has no sum called 'match'"),
        ("length", {}, "length: level: mean is made of sentence scores, not of sums of counts"),
        ("rouge", {}, "sentence scores, not of sums of counts; ask for rouge[level=micro]"),
    ],
)
def test_what_is_wrong_is_told(metric: str, change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as error:
        pipeline.score_counts(metric, GIVEN | change)
    assert message in str(error.value)


def test_what_is_missing_and_what_is_no_mapping_is_told() -> None:
    with pytest.raises(InputError, match="totals: ref_len is missing; ter needs edits, ref_len"):
        pipeline.score_counts("ter", {"edits": 2})
    no_mapping: Any = [1, 2]
    with pytest.raises(InputError, match="totals: expected a mapping of names to numbers, found list"):
        pipeline.score_counts("ter", no_mapping)
    with pytest.raises(ConfigError, match="no metric is called 'blue'"):
        pipeline.score_counts("blue", GIVEN)
