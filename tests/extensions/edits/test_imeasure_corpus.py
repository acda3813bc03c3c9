"""References of I-measure chosen for all sentences so far: against what the official functions
choose.

The numbers are those of compare_scores(), get_best_ref_counts() and the sums around them in the
official ieval.py, of its align.py, run with Python 2.7.18 and numpy 1.16.6 on the sentences and
references of the golden cases. With -opt:sent these functions give the last row of the golden file,
to the last digit."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipeline.extensions.edits import kernel
from pipeline.extensions.edits.correction_references import references
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
from pipeline.scoring import MetricColumns
from tests.config_files import write
from tests.oracles.imeasure import Vocabulary, firsts_of, golden
from tests.support.in_process import run_mapping
from tests.support.tables import table

TOTALS = table("""
    wacc,chosen_by=correction  1092 11881 2022 1045 103  13111 2114  -0.14035518427038152  -0.13012246919871662
    f,chosen_by=correction     1112 11880 2015 1054 70   13117 2143  -0.1401639214555167   -0.13321872084264863
    i,chosen_by=correction     1113 11852 2013 1803 121  13081 2891  -0.1285724293161622   -0.1163030234996767
    wacc,chosen_by=detection   1063 11881 2047 1098 155  13106 2138  -0.14101276553012598  -0.1255748732652917
    acc,chosen_by=correction   1067 11885 2047 1002 108  13118 2050  -0.1447368377656134   -0.1340265239422428
    f,chosen_by=detection      1077 11880 2042 1127 156  13105 2181  -0.13894014772587637  -0.12339392003188987
    p,chosen_by=correction     1114 11853 2013 1801 120  13083 2890  -0.1285758539635179   -0.11641040446450024
    r,chosen_by=correction     1027 11892 2091 928 69    13137 1941  -0.15543963814537487  -0.14863223022523808
""")
"""By the options measure and chosen_by: TP, TN, FP, FN and FPN of correction, TN and FN of the
baseline, and I of correction and of detection."""
COUNTS = ("tp", "tn", "fp", "fn", "fpn")


@pytest.fixture(scope="module")
def columns(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Columns:
    """The columns of all golden cases, of which some have no token and could not be lines of a data
    set.
    """
    cases = golden(shared, tmp_path_factory.mktemp("golden"))
    sources = [sentence.tokens for sentence in cases.sentences]
    source, output = (
        join_lines(" ".join(words).encode() for words in lines)
        for lines in (sources, cases.outputs)
    )
    references = [
        [tuple(text.split()) for text in row[0]] for row in cases.nomix[:-1]
    ]
    encoded, systems, every, firsts = ImeasureSpec().encode(
        Text(source, [], [output]), references
    )
    base, counts = kernel.three_way(encoded, [encoded, *systems], every, firsts)
    sizes = [len(text) for texts in references for text in texts]
    values = {"ref_len": sizes}
    values |= zip(("c_tp", "tn", "d_fp", "d_fn", "fpn"), counts.T, strict=True)
    values |= {"base_tn": base[:, 1], "base_fn": base[:, 3]}
    lines = np.repeat(np.arange(3000), np.diff(firsts))
    numbers = np.arange(len(sizes)) - firsts[lines]
    shape = 3000, max(map(len, references))
    found = {}
    for name, column in values.items():
        found[name] = np.full(shape, -(name == "ref_len"), np.int64)
        found[name][lines, numbers] = column
    return MetricColumns(from_text("imeasure")).compact(found, [*found])


@pytest.mark.parametrize(
    ("chosen", "counts", "baseline", "correction", "detection"), TOTALS
)
def test_the_official_choice_for_all_sentences_so_far(
    columns: Columns,
    chosen: str,
    counts: str,
    baseline: str,
    correction: str,
    detection: str,
) -> None:
    for aspect, expected in (
        ("correction", correction),
        ("detection", detection),
    ):
        metric = from_text(
            f"imeasure[optimise=corpus,aspect={aspect},measure={chosen}]"
        )
        rows = np.arange(3000), metric.chooser()(columns)
        terms = metric.make_terms(columns)
        sums = {name: values[rows].sum() for name, values in terms.items()}
        assert f"{sums['base_tn']} {sums['base_fn']}" == baseline
        outputs = metric.score(sums)
        score = pytest.approx(float(expected), abs=1e-12)
        assert float(outputs["imeasure"]) == score
        if aspect == "correction":
            assert [outputs[name] for name in COUNTS] == [
                *map(int, counts.split())
            ]


@pytest.mark.usefixtures("cwd")
def test_a_system_of_conll_2014(shared: Path) -> None:
    """The same functions, for the output UFC and the references of its gold file in the official
    order.
    """
    official = table("""
        wacc  31 28129 19 2518 5  0.0017410953384713096
        f     36 28064 14 2537 4  0.006996383244066762
        i     36 27886 14 2765 6  0.007588835005092343
        acc   28 28134 22 2512 5  -0.000162048235145984
    """)
    config = {
        "datasets": {"d": {"gold": f"{shared}/edits/m2/NUCLE.m2.ieval.xml"}},
        "systems": {"UFC": f"{shared}/conll14/UFC"},
        "metrics": [
            f"imeasure[optimise=corpus,measure={name}]" for name, *_ in official
        ],
    }
    for score, (_, counts, expected) in zip(
        run_mapping(config).scores, official, strict=True
    ):
        found = [score.outputs[name] for name in COUNTS]
        assert found == [*map(int, counts.split())]
        assert score.score == pytest.approx(float(expected), abs=1e-12)


def test_the_choice_depends_on_the_sentences_before(columns: Columns) -> None:
    """Otherwise the test above would say nothing that those of single sentences do not say."""
    for measure, *_ in TOTALS:
        running, alone = (
            from_text(f"imeasure[optimise={by},measure={measure}]").chooser()
            for by in ("corpus", "sentence")
        )
        assert (running(columns) != alone(columns)).sum() > 10


# Scores of I-measure, made of counts: by hand, and against what the official program prints.


FIVE = np.array([3, 10, 2, 4, 1], np.int64)
BASELINE = np.array([0, 11, 0, 8, 0], np.int64)
"""Counts of an output and of its source."""


def test_detection_takes_a_wrong_change_at_the_right_place_as_right() -> None:
    for aspect, expected in (
        ("detection", [4, 10, 2, 4, 0]),
        ("correction", [3, 10, 3, 5, 1]),
    ):
        assert [*map(int, aspect_of(FIVE, aspect))] == expected


def test_all_measures_by_hand() -> None:
    # correction: TP 3, TN 10, FP 3, FN 5, FPN 1; baseline: TN 11, FN 8
    found = measures(
        aspect_of(FIVE, "correction"), aspect_of(BASELINE, "correction")
    )
    wacc, base = (6 + 10) / (2 * 6 + 10 + 5 - 3 / 2), 11 / 19
    expected = [1 / 2, 3 / 8, 3 / 7, 13 / 20, wacc, (wacc - base) / (1 - base)]
    assert [*found.values()] == pytest.approx(expected, abs=1e-15)


def test_improvement_is_a_share_of_what_was_possible() -> None:
    scores = np.array([0.5, 1.0, 0.9, 0.4, 0.0, 0.0])
    baselines = np.array([0.5, 1.0, 0.8, 0.8, 0.5, 0.0])
    expected = pytest.approx([0, 1, 0.5, -0.5, -1, 0], abs=1e-15)
    assert improvement(scores, baselines) == expected


def test_nothing_at_all_has_scores() -> None:
    """The official program divides by 0 here; a copy (cnap/grammaticality-metrics) counts the
    denominator as 1.
    """
    nothing = aspect_of(0 * FIVE, "correction")
    assert [*measures(nothing, nothing).values()] == [1, 1, 1, 0, 0, 0]


def test_arrays_of_any_shape_are_scored_as_single_counts_are() -> None:
    many, base = np.random.default_rng(1).integers(0, 5, (2, 3, 4, 5))
    base *= np.array([0, 1, 0, 1, 0])
    options: Any = {"measure": "f", "w": 1.5, "beta": 0.5}
    keys = reference_keys(many, base, **options)
    assert keys.shape == (3, 4, 8)
    for at in np.ndindex(3, 4):
        alone = reference_keys(many[at], base[at], **options)
        assert keys[at].tolist() == alone.tolist()


def test_the_measure_and_the_aspect_lead_the_keys() -> None:
    assert reference_keys(FIVE, BASELINE, measure="r")[0] == 3 / 8
    detection = reference_keys(FIVE, BASELINE, aspect="detection")
    usual = reference_keys(FIVE, BASELINE)
    assert detection[:4].tolist() == usual[4:].tolist()


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
# Without mixing every row is the official one. With mixing, one tie rests on colliding hashes.
@pytest.mark.parametrize(("mix", "ties"), [(False, 0), (True, 1)])
def test_the_golden_cases(
    shared: Path, tmp_path: Path, mix: bool, ties: int
) -> None:
    cases = golden(shared, tmp_path)
    *rows, final = cases.mix if mix else cases.nomix
    numbers = [number for number, row in enumerate(rows) if row]
    words = Vocabulary()
    sentences = [cases.sentences[number] for number in numbers]
    texts = [references(sentence, mix=mix) for sentence in sentences]
    firsts = firsts_of(texts)
    source = words.text([sentence.tokens for sentence in sentences])
    output = words.text([cases.outputs[number] for number in numbers])
    flat = words.text([text for group in texts for text in group])
    baseline, counts = kernel.three_way(source, [source, output], flat, firsts)
    chosen = best_references(reference_keys(counts, baseline), firsts)
    counts, baseline = counts[chosen], baseline[chosen]
    correction = aspect_of(counts, "correction")
    others = aspect_of(counts, "detection").tp, correction.fp, correction.fn
    differing = 0
    for number, five, base, *three in zip(
        numbers, counts.tolist(), baseline.tolist(), *others, strict=True
    ):
        if [five, base[1::2]] == rows[number][2:4]:
            assert three == rows[number][4]
        else:
            differing += 1
    assert differing == ties
    if not ties:
        scores: list[str] = []
        for aspect in ("detection", "correction"):
            total, of_source = (
                aspect_of(each.sum(axis=0), aspect)
                for each in (counts, baseline)
            )
            found = measures(total, of_source).values()
            scores += [repr(float(value)) for value in found]
        assert scores == final


@pytest.mark.usefixtures("cwd")
def test_raw_numbers_beyond_the_sentence_are_scored_as_the_rules_say() -> None:
    """By hand: y and x go to the end, and z before both; the sentence is told, for XML is one line."""
    errors = ""
    for start, word in ((4, "y"), (5, "x"), (3, "z")):
        errors += f'<c start="{start}" end="{start}">{word}</c>'
    empty = '<sentence id="1" numann="1"><text>a b</text></sentence>'
    gold = f"""<scripts><script id="1">{empty}<sentence id="2" numann="1"><text>a b c</text>
<error-list><error id="1" req="no" type="X"><alt ann="0">{errors}</alt></error></error-list>
</sentence></script></scripts>"""
    write({"gold.xml": gold, "out.txt": "a b\na b c z x y\n"})
    config = {
        "datasets": {"d": {"gold": "gold.xml"}},
        "systems": {"A": "out.txt"},
        "metrics": ["imeasure"],
    }
    results = run_mapping(config)
    outputs = results.scores[0].outputs
    assert [outputs[name] for name in COUNTS] == [3, 5, 0, 0, 0]
    note = "2 edits do not fit into their sentence, the first in sentence 2 ("
    assert note in " ".join(results.warnings)
