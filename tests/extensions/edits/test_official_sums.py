"""The sums of three-way alignments, against the official program of I-measure."""

from pathlib import Path

from pipeline.extensions.edits import kernel
from pipeline.extensions.edits.correction_references import references
from pipeline.extensions.edits.metrics.imeasure import (
    best_references,
    reference_keys,
)
from tests.oracles.imeasure import Vocabulary, corrections, firsts_of
from tests.support.words import CONLL14_TEAMS


def test_all_systems_have_the_official_sums(shared: Path) -> None:
    """The sums of the rows that the official program prints for three systems (golden/imeasure,
    fc79fdf).
    """
    gold = corrections(shared / "edits" / "m2" / "NUCLE.m2.ieval.xml")
    words = Vocabulary()
    source = words.text([sentence.tokens for sentence in gold])
    texts = [references(sentence, mix=False) for sentence in gold]
    firsts = firsts_of(texts)
    systems = [
        words.text(
            [
                line.split()
                for line in (shared / "conll14" / name)
                .read_text(encoding="utf-8")
                .splitlines()
            ]
        )
        for name in CONLL14_TEAMS
    ]
    flat = words.text([text for group in texts for text in group])
    baseline, *counts = kernel.three_way(
        source, [source, *systems], flat, firsts
    )
    table = (
        shared / "edits" / "golden" / "imeasure" / "conll14.nomix.NUCLE.tsv"
    ).read_text(encoding="utf-8")
    rows = [line.split("\t") for line in table.splitlines()[1:]]
    assert len(rows) >= 3
    for name, *row in rows:
        own = counts[CONLL14_TEAMS.index(name)]
        chosen = best_references(reference_keys(own, baseline), firsts)
        sums = [*own[chosen].sum(axis=0), *baseline[chosen].sum(axis=0)[[1, 3]]]
        assert [int(value) for value in row[:7]] == sums
