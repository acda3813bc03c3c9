"""References of I-measure chosen for all sentences so far: against what the official functions choose.

The numbers are those of compare_scores(), get_best_ref_counts() and the sums around them in the official ieval.py, of
its align.py, run with Python 2.7.18 and numpy 1.16.6 on the sentences and references of the golden cases. With
-opt:sent these functions give the last row of the golden file, to the last digit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from pipeline import kernel, stages
from pipeline.config.tree import from_mapping
from pipeline.kernel.lines import join_lines
from pipeline.metrics.base.capabilities import chooser
from pipeline.metrics.base.metric import Text
from pipeline.metrics.build import from_text
from pipeline.metrics.imeasure.columns import ImeasureNeeds
from pipeline.scoring.column_blocks import compact
from tests.oracles.imeasure import golden

if TYPE_CHECKING:
    from pathlib import Path

    from pipeline.metrics.base.columns import Columns

TOTALS = {
    "wacc,chosen_by=correction": (
        [1092, 11881, 2022, 1045, 103],
        [13111, 2114],
        -0.14035518427038152,
        -0.13012246919871662,
    ),
    "f,chosen_by=correction": ([1112, 11880, 2015, 1054, 70], [13117, 2143], -0.1401639214555167, -0.13321872084264863),
    "i,chosen_by=correction": ([1113, 11852, 2013, 1803, 121], [13081, 2891], -0.1285724293161622, -0.1163030234996767),
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
    "r,chosen_by=correction": ([1027, 11892, 2091, 928, 69], [13137, 1941], -0.15543963814537487, -0.14863223022523808),
}
"""By the options measure and chosen_by: TP, TN, FP, FN and FPN of correction, TN and FN of the baseline, and I of
correction and of detection."""
COUNTS = ("tp", "tn", "fp", "fn", "fpn")


@pytest.fixture(scope="module")
def columns(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Columns:
    """The columns of all golden cases, of which some have no token and could not be lines of a data set."""
    cases, needs = golden(shared, tmp_path_factory.mktemp("golden")), ImeasureNeeds()
    source, output = (
        join_lines(" ".join(words).encode() for words in lines)
        for lines in ([sentence.tokens for sentence in cases.sentences], cases.outputs)
    )
    references = [[tuple(text.split()) for text in row[0]] for row in cases.nomix[:-1]]
    aligned = needs.aligned(Text(source, [], [output]), references)
    base, own = kernel.three_way(aligned.source, [aligned.source, *aligned.systems], aligned.references, aligned.firsts)
    assert len(references) == 3000
    most = max(map(len, references))
    columns = {name: np.zeros((3000, most), np.int64) for name in ("ref_len", "c_tp", "tn", "d_fp", "d_fn", "fpn")}
    columns |= {name: np.zeros((3000, most), np.int64) for name in ("base_tn", "base_fn")}
    columns["ref_len"] -= 1
    for line, texts in enumerate(references):
        for number, at in enumerate(range(*aligned.firsts[line : line + 2].tolist())):
            values = [len(texts[number]), *own[at].tolist(), *base[at, [1, 3]].tolist()]
            for name, value in zip(columns, values, strict=True):
                columns[name][line, number] = value
    return compact(columns, [*columns])


@pytest.mark.parametrize("chosen", TOTALS)
def test_the_official_choice_for_all_sentences_so_far(columns: Columns, chosen: str) -> None:
    counts, baseline, *improvements = TOTALS[chosen]
    for aspect, improvement in zip(("correction", "detection"), improvements, strict=True):
        metric = from_text(f"imeasure[optimise=corpus,aspect={aspect},measure={chosen}]")
        references = chooser(metric)(columns)
        sums = {name: values[np.arange(3000), references].sum() for name, values in metric.make_terms(columns).items()}
        assert [sums["base_tn"], sums["base_fn"]] == baseline
        outputs = metric.score(sums)
        assert float(outputs["imeasure"]) == pytest.approx(improvement, abs=1e-12)
        if aspect == "correction":
            assert [outputs[name] for name in COUNTS] == counts


def test_a_system_of_conll_2014(shared: Path, tmp_path: Path) -> None:
    """The same functions, for the output UFC and the references of its gold file in the official order."""
    measures = {
        "wacc": ([31, 28129, 19, 2518, 5], 0.0017410953384713096),
        "f": ([36, 28064, 14, 2537, 4], 0.006996383244066762),
    }
    measures |= {
        "i": ([36, 27886, 14, 2765, 6], 0.007588835005092343),
        "acc": ([28, 28134, 22, 2512, 5], -0.000162048235145984),
    }
    config = {
        "datasets": {"d": {"gold": str(shared / "edits" / "m2" / "NUCLE.m2.ieval.xml")}},
        "systems": {"UFC": str(shared / "conll14" / "UFC")},
        "metrics": [f"imeasure[optimise=corpus,measure={name}]" for name in measures],
        "output": {"dir": str(tmp_path / "run")},
    }
    each = stages.run(stages.prepare(from_mapping(config)))[1].scores
    for score, (counts, improvement) in zip(each, measures.values(), strict=True):
        assert [score.outputs[name] for name in COUNTS] == counts
        assert score.score == pytest.approx(improvement, abs=1e-12)


def test_the_choice_depends_on_the_sentences_before(columns: Columns) -> None:
    """Otherwise the test above would say nothing that those of single sentences do not say."""
    for chosen in TOTALS:
        running, alone = (from_text(f"imeasure[optimise={by},measure={chosen}]") for by in ("corpus", "sentence"))
        assert (chooser(running)(columns) != chooser(alone)(columns)).sum() > 10
