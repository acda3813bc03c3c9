"""References of I-measure chosen for all sentences so far: against what the official functions
choose.

The numbers are those of compare_scores(), get_best_ref_counts() and the sums around them in the
official ieval.py, of its align.py, run with Python 2.7.18 and numpy 1.16.6 on the sentences and
references of the golden cases. With -opt:sent these functions give the last row of the golden file,
to the last digit."""

import random
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from pipeline import stages
from pipeline.arrays import Ints
from pipeline.data.config.tree import from_mapping
from pipeline.extensions.edits import kernel
from pipeline.extensions.edits.correction_references import (
    Alternative,
    CorrectedSentence,
    Correction,
    Error,
    python2_hash,
    python2_order,
    references,
)
from pipeline.extensions.edits.metrics.imeasure import (
    ImeasureSpec,
    aspect_of,
    best_references,
    improvement,
    measures,
    reference_keys,
)
from pipeline.kernel.common import join_lines
from pipeline.metrics.base.statistics_spec import Columns, Text
from pipeline.metrics.build import from_text
from pipeline.scoring.terms import compact
from tests.oracles.imeasure import (
    Vocabulary,
    firsts_of,
    golden,
    naive_columns,
    naive_references,
    naive_scores,
)

TOTALS = {
    "wacc,chosen_by=correction": (
        [1092, 11881, 2022, 1045, 103],
        [13111, 2114],
        -0.14035518427038152,
        -0.13012246919871662,
    ),
    "f,chosen_by=correction": (
        [1112, 11880, 2015, 1054, 70],
        [13117, 2143],
        -0.1401639214555167,
        -0.13321872084264863,
    ),
    "i,chosen_by=correction": (
        [1113, 11852, 2013, 1803, 121],
        [13081, 2891],
        -0.1285724293161622,
        -0.1163030234996767,
    ),
    "wacc,chosen_by=detection": (
        [1063, 11881, 2047, 1098, 155],
        [13106, 2138],
        -0.14101276553012598,
        -0.1255748732652917,
    ),
    "acc,chosen_by=correction": (
        [1067, 11885, 2047, 1002, 108],
        [13118, 2050],
        -0.1447368377656134,
        -0.1340265239422428,
    ),
    "f,chosen_by=detection": (
        [1077, 11880, 2042, 1127, 156],
        [13105, 2181],
        -0.13894014772587637,
        -0.12339392003188987,
    ),
    "p,chosen_by=correction": (
        [1114, 11853, 2013, 1801, 120],
        [13083, 2890],
        -0.1285758539635179,
        -0.11641040446450024,
    ),
    "r,chosen_by=correction": (
        [1027, 11892, 2091, 928, 69],
        [13137, 1941],
        -0.15543963814537487,
        -0.14863223022523808,
    ),
}
"""By the options measure and chosen_by: TP, TN, FP, FN and FPN of correction, TN and FN of the
baseline, and I of correction and of detection."""
COUNTS = ("tp", "tn", "fp", "fn", "fpn")


@pytest.fixture(scope="module")
def columns(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Columns:
    """The columns of all golden cases, of which some have no token and could not be lines of a data
    set.
    """
    cases, spec = (
        golden(shared, tmp_path_factory.mktemp("golden")),
        ImeasureSpec(),
    )
    source, output = (
        join_lines(" ".join(words).encode() for words in lines)
        for lines in (
            [sentence.tokens for sentence in cases.sentences],
            cases.outputs,
        )
    )
    references = [
        [tuple(text.split()) for text in row[0]] for row in cases.nomix[:-1]
    ]
    encoded, systems, every, firsts = spec.encode(
        Text(source, [], [output]), references
    )
    base, own = kernel.three_way(encoded, [encoded, *systems], every, firsts)
    assert len(references) == 3000
    most = max(map(len, references))
    columns = {
        name: np.zeros((3000, most), np.int64)
        for name in ("ref_len", "c_tp", "tn", "d_fp", "d_fn", "fpn")
    }
    columns |= {
        name: np.zeros((3000, most), np.int64)
        for name in ("base_tn", "base_fn")
    }
    columns["ref_len"] -= 1
    for line, texts in enumerate(references):
        for number, at in enumerate(range(*firsts[line : line + 2].tolist())):
            values = [
                len(texts[number]),
                *own[at].tolist(),
                *base[at, [1, 3]].tolist(),
            ]
            for name, value in zip(columns, values, strict=True):
                columns[name][line, number] = value
    return compact(columns, [*columns])


@pytest.mark.parametrize("chosen", TOTALS)
def test_the_official_choice_for_all_sentences_so_far(
    columns: Columns, chosen: str
) -> None:
    counts, baseline, *improvements = TOTALS[chosen]
    for aspect, expected in zip(
        ("correction", "detection"), improvements, strict=True
    ):
        metric = from_text(
            f"imeasure[optimise=corpus,aspect={aspect},measure={chosen}]"
        )
        references = metric.chooser()(columns)
        sums = {
            name: values[np.arange(3000), references].sum()
            for name, values in metric.make_terms(columns).items()
        }
        assert [sums["base_tn"], sums["base_fn"]] == baseline
        outputs = metric.score(sums)
        assert float(outputs["imeasure"]) == pytest.approx(expected, abs=1e-12)
        if aspect == "correction":
            assert [outputs[name] for name in COUNTS] == counts


def test_a_system_of_conll_2014(shared: Path, tmp_path: Path) -> None:
    """The same functions, for the output UFC and the references of its gold file in the official
    order.
    """
    measures = {
        "wacc": ([31, 28129, 19, 2518, 5], 0.0017410953384713096),
        "f": ([36, 28064, 14, 2537, 4], 0.006996383244066762),
    }
    measures |= {
        "i": ([36, 27886, 14, 2765, 6], 0.007588835005092343),
        "acc": ([28, 28134, 22, 2512, 5], -0.000162048235145984),
    }
    config = {
        "datasets": {
            "d": {"gold": str(shared / "edits" / "m2" / "NUCLE.m2.ieval.xml")}
        },
        "systems": {"UFC": str(shared / "conll14" / "UFC")},
        "metrics": [
            f"imeasure[optimise=corpus,measure={name}]" for name in measures
        ],
        "output": {"dir": str(tmp_path / "run")},
    }
    each = stages.run(stages.prepare(from_mapping(config)))[1].scores
    for score, (counts, expected) in zip(each, measures.values(), strict=True):
        assert [score.outputs[name] for name in COUNTS] == counts
        assert score.score == pytest.approx(expected, abs=1e-12)


def test_the_choice_depends_on_the_sentences_before(columns: Columns) -> None:
    """Otherwise the test above would say nothing that those of single sentences do not say."""
    for chosen in TOTALS:
        running, alone = (
            from_text(f"imeasure[optimise={by},measure={chosen}]")
            for by in ("corpus", "sentence")
        )
        assert (
            running.chooser()(columns) != alone.chooser()(columns)
        ).sum() > 10


# Scores of I-measure, made of counts: by hand, and against what the official program prints.


def counts(
    c_tp: int = 0, tn: int = 0, d_fp: int = 0, d_fn: int = 0, fpn: int = 0
) -> Ints:
    return np.array([c_tp, tn, d_fp, d_fn, fpn], np.int64)


def test_detection_takes_a_wrong_change_at_the_right_place_as_right() -> None:
    five = counts(3, 10, 2, 4, 1)
    assert [int(value) for value in aspect_of(five, "detection")] == [
        4,
        10,
        2,
        4,
        0,
    ]
    assert [int(value) for value in aspect_of(five, "correction")] == [
        3,
        10,
        3,
        5,
        1,
    ]


def test_all_measures_by_hand() -> None:
    # correction: TP 3, TN 10, FP 3, FN 5, FPN 1; baseline: TN 11, FN 8
    found = measures(
        aspect_of(counts(3, 10, 2, 4, 1), "correction"),
        aspect_of(counts(tn=11, d_fn=8), "correction"),
    )
    wacc, base = (
        Fraction(6 + 10) / (2 * 6 + 10 + 5 - Fraction(3, 2)),
        Fraction(11, 19),
    )
    expected = [
        Fraction(1, 2),
        Fraction(3, 8),
        Fraction(3, 7),
        Fraction(13, 20),
        wacc,
        (wacc - base) / (1 - base),
    ]
    assert [float(value) for value in found.values()] == pytest.approx(
        [float(value) for value in expected], abs=1e-15
    )


def test_improvement_is_a_share_of_what_was_possible() -> None:
    scores, baselines = (
        np.array([0.5, 1.0, 0.9, 0.4, 0.0, 0.0]),
        np.array([0.5, 1.0, 0.8, 0.8, 0.5, 0.0]),
    )
    assert improvement(scores, baselines).tolist() == pytest.approx(
        [0, 1, 0.5, -0.5, -1, 0], abs=1e-15
    )


def test_nothing_at_all_has_scores() -> None:
    """The official program divides by 0 here; a copy (cnap/grammaticality-metrics) counts the
    denominator as 1.
    """
    nothing = aspect_of(counts(), "correction")
    assert [float(value) for value in measures(nothing, nothing).values()] == [
        1,
        1,
        1,
        0,
        0,
        0,
    ]


def test_arrays_of_any_shape_are_scored_as_single_counts_are() -> None:
    many = np.random.default_rng(1).integers(0, 5, (3, 4, 5))
    base = np.random.default_rng(2).integers(0, 5, (3, 4, 5)) * np.array(
        [0, 1, 0, 1, 0]
    )
    keys = reference_keys(many, base, measure="f", w=1.5, beta=0.5)
    assert keys.shape == (3, 4, 8)
    for place in np.ndindex(3, 4):
        assert (
            keys[place].tolist()
            == reference_keys(
                many[place], base[place], measure="f", w=1.5, beta=0.5
            ).tolist()
        )


def test_the_measure_and_the_aspect_lead_the_keys() -> None:
    many, base = counts(3, 10, 2, 4, 1), counts(tn=11, d_fn=8)
    correction, detection = (
        reference_keys(many, base, measure="r"),
        reference_keys(many, base, aspect="detection"),
    )
    assert correction[0] == 3 / 8
    assert detection[:4].tolist() == reference_keys(many, base)[4:].tolist()


def test_the_greatest_keys_win_and_the_first_of_equals() -> None:
    keys = np.zeros((6, 8))
    # of the first line: later numbers decide only between equal ones
    keys[1, 0], keys[1, 7] = (1, 5)
    keys[2, 0], keys[2, 6] = 1, 1
    assert best_references(keys, np.array([0, 3, 6])).tolist() == [2, 3]
    keys[4, 3], keys[5, 3] = 0.5, 0.5
    assert best_references(keys, np.array([0, 3, 6])).tolist() == [2, 4]
    assert best_references(-keys, np.array([0, 1, 6])).tolist() == [0, 3]


# Without mixing every row is the official one. With mixing, one tie rests on colliding hashes.
@pytest.mark.parametrize(("mix", "ties"), [(False, 0), (True, 1)])
def test_the_golden_cases(
    shared: Path, tmp_path: Path, mix: bool, ties: int
) -> None:
    cases = golden(shared, tmp_path)
    *rows, final = cases.mix if mix else cases.nomix
    kept = [number for number, row in enumerate(rows) if row]
    words, sentences = (
        Vocabulary(),
        [cases.sentences[number] for number in kept],
    )
    texts = [references(sentence, mix=mix) for sentence in sentences]
    firsts = firsts_of(texts)
    source = words.text([sentence.tokens for sentence in sentences])
    output = words.text([cases.outputs[number] for number in kept])
    baseline, own = kernel.three_way(
        source,
        [source, output],
        words.text([text for group in texts for text in group]),
        firsts,
    )
    chosen = best_references(reference_keys(own, baseline), firsts)
    own, baseline = own[chosen], baseline[chosen]
    differing = [
        number
        for number, five, unchanged in zip(
            kept, own.tolist(), baseline.tolist(), strict=True
        )
        if [five, [unchanged[1], unchanged[3]]] != rows[number][2:4]
    ]
    assert len(differing) == ties
    correction = aspect_of(own, "correction")
    detection = aspect_of(own, "detection")
    others = np.stack(
        [detection.tp, correction.fp, correction.fn], axis=-1
    ).tolist()
    assert all(
        row == rows[n][4]
        for n, row in zip(kept, others, strict=True)
        if n not in differing
    )
    if not ties:
        total, base = own.sum(axis=0), baseline.sum(axis=0)
        scores = [
            repr(float(value))
            for aspect in ("detection", "correction")
            for value in measures(
                aspect_of(total, aspect), aspect_of(base, aspect)
            ).values()
        ]
        assert scores == final


def test_raw_numbers_beyond_the_sentence_are_scored_as_the_rules_say(
    tmp_path: Path,
) -> None:
    """120 random sentences, by the naive rules; the number of the first such sentence is told, for
    XML is one line.
    """
    rng, totals, base_totals, rows = (
        random.Random(38),
        np.zeros(5, int),
        np.zeros(5, int),
        list[str](),
    )
    outputs, beyond = list[str](), list[int]()
    for number in range(1, 121):
        tokens = tuple(rng.choices("abcd", k=rng.randint(1, 5)))
        errors = []
        for annotator in (0, 1):
            for _ in range(rng.randint(0, 2)):
                start = rng.randint(0, len(tokens) + (3 if number > 7 else -1))
                end = start + rng.randint(0, 2 if number > 7 else 0)
                beyond += [number] * (end > len(tokens))
                own = (
                    Correction(
                        start,
                        end,
                        tuple(rng.choices("ax", k=rng.randint(1, 2))),
                    ),
                )
                errors.append(
                    Error((Alternative(annotator, own),), required=False)
                )
        sentence = CorrectedSentence(tokens, 2, tuple(errors))
        output = rng.choices("abcx", k=rng.randint(1, 5))
        ids = {word: place for place, word in enumerate("abcdx")}
        outputs.append(" ".join(output))
        best: list[
            tuple[list[tuple[float, float, float]], list[int], list[int]]
        ] = []
        for text in python2_order(
            sorted(naive_references(sentence, mix=False) or ()), python2_hash
        ):
            own_ids = [
                [ids[word] for word in words]
                for words in (tokens, output, text.split())
            ]
            counts, base = (
                naive_columns(*own_ids),
                naive_columns(own_ids[0], own_ids[0], own_ids[2]),
            )
            best.append((naive_scores(counts, base), counts, base))
        _, counts, base = max(best, key=lambda item: item[0])
        totals, base_totals = totals + counts, base_totals + base
        rows.append(xml_of(number, sentence))
    (tmp_path / "gold.xml").write_text(
        f'<scripts><script id="1">{"".join(rows)}</script></scripts>',
        encoding="utf-8",
    )
    (tmp_path / "out.txt").write_text(
        "".join(f"{line}\n" for line in outputs), encoding="utf-8"
    )
    config = {
        "datasets": {"d": {"gold": str(tmp_path / "gold.xml")}},
        "systems": {"A": str(tmp_path / "out.txt")},
        "metrics": ["imeasure"],
        "output": {"dir": str(tmp_path / "run")},
    }
    results = stages.run(stages.prepare(from_mapping(config)))[1]
    wacc, improved, _ = naive_scores(totals.tolist(), base_totals.tolist())[0]
    assert results.scores[0].outputs["wacc"] == pytest.approx(wacc, abs=1e-12)
    assert results.scores[0].score == pytest.approx(improved, abs=1e-12)
    (note,) = [
        warning for warning in results.warnings if "do not fit" in warning
    ]
    assert len(beyond) > 50
    assert (
        f": {len(beyond)} edits do not fit into their sentence, the first in sentence {beyond[0]} ("
        in note
    )


def xml_of(number: int, sentence: CorrectedSentence) -> str:
    """A sentence as gold files of I-measure have it."""
    errors = "".join(
        f'<error id="{place}" req="no" type="X"><alt ann="{own.annotator}">'
        + "".join(
            f'<c start="{c.start}" end="{c.end}">{" ".join(c.words)}</c>'
            for c in own.corrections
        )
        + "</alt></error>"
        for place, error in enumerate(sentence.errors)
        for own in error.alternatives
    )
    text = " ".join(sentence.tokens)
    return f'<sentence id="{number}" numann="2"><text>{text}</text><error-list>{errors}</error-list></sentence>'
