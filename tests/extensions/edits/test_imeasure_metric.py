"""I-measure from gold files and texts to scores: against what the official program prints, and by
definition.
"""

import csv
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipeline.kernel.common import join_lines
from pipeline.metrics.base import Verdict
from pipeline.metrics.base.metric import Metric
from pipeline.metrics.base.statistics_spec import Text
from pipeline.metrics.build import from_text
from pipeline.reopen import revisit
from pipeline.report import AnnotatedEdits
from pipeline.report.context import ReportContext
from pipeline.scoring import MetricColumns, Score
from tests.support.in_process import run_mapping

M2 = """\
S a b c d
A 1 2|||X|||x|||REQUIRED|||-NONE-|||0
A 3 3|||X|||y z|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

S e f
A 0 1|||X|||-NONE-|||REQUIRED|||-NONE-|||1

S g h

S i j k
A 0 2|||X|||l||m|||REQUIRED|||-NONE-|||0
A 1 2|||X|||n|||REQUIRED|||-NONE-|||1
"""
OUTPUT = "a x c d\ne f\ng p h\nl k\n"
XML = """<?xml version="1.0"?><scripts><script id="1">
<sentence id="1" numann="2"><text>a b c d</text><error-list>
  <error id="1" req="no" type="X"><alt ann="0"><c start="1" end="2">x</c></alt></error>
  <error id="2" req="no" type="X"><alt ann="0"><c start="3" end="3">y z</c></alt></error>
</error-list></sentence>
<sentence id="2" numann="1"><text>e f</text><error-list>
  <error id="1" req="yes" type="X"><alt ann="1"><c start="0" end="1">-NONE-</c></alt></error>
</error-list></sentence>
<sentence id="3" numann="1"><text>g h</text></sentence>
<sentence id="4" numann="2"><text>i j k</text><error-list>
  <error id="1" req="yes" type="X"><alt ann="0"><c start="0" end="2">l</c></alt>
    <alt ann="1"><c start="1" end="2">n</c></alt></error>
</error-list></sentence></script></scripts>
"""
"""The same as M2: the official converter knows no -NONE-, which is a word in I-measure."""


def scores(
    folder: Path, gold: Path, outputs: Mapping[str, Path], *metrics: Any
) -> list[Score]:
    """Run a config and return its scores."""
    config = {
        "datasets": {"d": {"gold": str(gold)}},
        "systems": {name: str(path) for name, path in outputs.items()},
        "metrics": [*metrics],
        "output": {"dir": str(folder / "run")},
    }
    return run_mapping(config).scores


def counts_of(score: Score) -> list[float]:
    """Return TP, TN, FP, FN and FPN of a score."""
    return [score.outputs[name] for name in ("tp", "tn", "fp", "fn", "fpn")]


@pytest.fixture
def small(tmp_path: Path) -> tuple[Path, Path, Path]:
    files = {"gold.m2": M2, "gold.xml": XML, "out.txt": OUTPUT}
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path / "gold.m2", tmp_path / "gold.xml", tmp_path / "out.txt"


@pytest.mark.parametrize(
    "options",
    ["", "[mix=true]", "[optimise=corpus]", "[aspect=detection]", "[level=mean]"],
)  # fmt: skip
def test_gold_in_xml_and_in_m2_give_the_same(
    small: tuple[Path, Path, Path], tmp_path: Path, options: str
) -> None:
    m2, xml, output = small
    (one,) = scores(tmp_path / "m2", m2, {"A": output}, f"imeasure{options}")
    (two,) = scores(tmp_path / "xml", xml, {"A": output}, f"imeasure{options}")
    assert one.outputs == two.outputs


def test_the_counts_of_a_small_text_by_hand(
    small: tuple[Path, Path, Path], tmp_path: Path
) -> None:
    (score,) = scores(tmp_path, small[0], {"A": small[2]}, "imeasure")
    # references: a x c y z d (0) or a b c d (1); -NONE- f; g h; l k (0) or i n k (1). Right are x,
    # and i j that became l (two columns). Missed are y, z and -NONE-. Wrong is p. The other seven
    # tokens are equal.
    assert counts_of(score) == [3, 7, 1, 3, 0]


def test_the_official_totals_of_conll_2014(
    shared: Path, tmp_path: Path
) -> None:
    """The counts and scores are those of the official program (fc79fdf), in
    golden/imeasure/conll14.nomix.NUCLE.tsv.
    """
    path = shared / "edits" / "golden" / "imeasure" / "conll14.nomix.NUCLE.tsv"
    with path.open(encoding="utf-8") as file:
        rows = csv.DictReader(file, delimiter="\t")
        official = {row["system"]: row for row in rows}
    each = scores(
        tmp_path,
        shared / "edits" / "m2" / "NUCLE.m2.ieval.xml",
        {name: shared / "conll14" / name for name in official},
        "imeasure",
        "imeasure[aspect=detection]",
    )
    assert len(each) == 2 * len(official) >= 6
    for score in each:
        row = official[score.system]
        c_tp, tn, d_fp, d_fn, fpn = (
            int(row[name]) for name in ("c_tp", "tn", "d_fp", "d_fn", "fpn")
        )

        detected, both = (fpn, 0) if "detection" in score.metric else (0, fpn)
        counts = [c_tp + detected, tn, d_fp + both, d_fn + both, both]
        assert counts_of(score) == counts
        aspect = "d" if "detection" in score.metric else "c"
        for output, column in (
            ("imeasure", "I"),
            ("wacc", "wacc"),
            ("base_wacc", "wacc_base"),
        ):
            expected = float(row[f"{aspect}_{column}"])
            assert score.outputs[output] == pytest.approx(expected, abs=1e-12)


# The changed tokens of I-measure with their verdicts: as many as are counted, with the annotators
# they belong to.


SOURCE = "He go to to shop ."
ANNOTATIONS = [
    "0 4 0\nA 1 2|||X|||goes|||REQUIRED|||-NONE-|||4\nA 3 4|||X|||the|||REQUIRED|||-NONE-|||4",
    "1 2 0\nA -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||2",
    "",
    "2 7 0\nA 1 2|||X|||goes|||REQUIRED|||-NONE-|||7\nA 3 4|||X|||the|||REQUIRED|||-NONE-|||7",
]
NAMES = ["tp", "fp", "fn"]
GOES = Verdict(1, 2, "go", "goes", "", Verdict.RIGHT)
TO_A = Verdict(3, 4, "to", "a", "", Verdict.WRONG)


def judged(
    metric: Metric, output: str, annotations: Sequence[str] = ANNOTATIONS
) -> list[list[Verdict] | None]:
    ((row,),) = metric.verdicts(
        [SOURCE], [[output]], [[ours] for ours in annotations]
    )
    return row


def test_a_sentence_by_hand() -> None:
    """The first and the last annotator have the same text, the second leaves the sentence, the
    third has no line.
    """
    metric = from_text("imeasure")
    first, second, third, last = judged(metric, "He goes to a shop now .")
    missed = Verdict(3, 4, "to", "the", "", Verdict.MISSED)
    now = Verdict(5, 5, "", "now", "", Verdict.WRONG)
    assert first == last == [GOES, TO_A, missed, now]
    assert second == [GOES._replace(verdict=Verdict.WRONG), TO_A, now]
    assert third is None
    found = metric.references_of(SOURCE, ANNOTATIONS)
    assert found in ([0, 1, -1, 0], [1, 0, -1, 1])


def test_detection_takes_another_correction_for_right() -> None:
    metric = from_text("imeasure[aspect=detection]")
    first = judged(metric, "He goes to a shop now .")[0]
    right = TO_A._replace(verdict=Verdict.RIGHT)
    assert first == [GOES, right, Verdict(5, 5, "", "now", "", Verdict.WRONG)]


def test_an_unchanged_output_misses_all_edits() -> None:
    first, second, *_ = judged(from_text("imeasure"), SOURCE)
    the = TO_A._replace(correction="the", verdict=Verdict.MISSED)
    assert first == [GOES._replace(verdict=Verdict.MISSED), the]
    assert second == []


def test_mixed_references_are_of_no_annotator() -> None:
    metric = from_text("imeasure[mix=true]")
    assert not metric.has_verdicts
    assert metric.by_annotator() is metric


METRICS = [
    "imeasure",
    "imeasure[aspect=detection]",
    "imeasure[optimise=corpus]",
    "imeasure[measure=f,chosen_by=detection]",
    "imeasure[level=mean]",
]
LINES = 80


def write_run(
    folder: Path, metrics: Sequence[str], annotators: int = 3
) -> dict[str, Any]:
    """Write sentences, of which annotators have no line, no correction or some, and two outputs;
    return a config.
    """
    rng = np.random.default_rng(3)
    blocks, outputs = list[str](), {"A": list[str](), "B": list[str]()}
    for _ in range(LINES):
        words = [
            str(word)
            for word in rng.choice(list("abc"), size=rng.integers(1, 7))
        ]
        lines = [f"S {' '.join(words)}"]
        for annotator in range(annotators):
            kind, end = rng.integers(4), f"|||REQUIRED|||-NONE-|||{annotator}"
            for at in (
                sorted(
                    rng.choice(
                        len(words), size=min(2, len(words)), replace=False
                    ).tolist()
                )
                if kind > 1
                else ()
            ):
                fix = str(rng.choice(["x", "y", "x y", ""]))
                lines.append(
                    f"A {at} {at + int(rng.integers(2))}|||X|||{fix}{end}"
                )
            if kind == 1:
                lines.append(f"A -1 -1|||noop|||-NONE-{end}")
        blocks.append("\n".join(lines))
        for ours in outputs.values():
            ours.append(
                " ".join(
                    str(rng.choice(["x", "x y", word, word, ""]))
                    for word in words
                )
            )
    (folder / "gold.m2").write_text(
        "\n\n".join(blocks) + "\n", encoding="utf-8"
    )
    for name, ours in outputs.items():
        (folder / name).write_text("\n".join(ours) + "\n", encoding="utf-8")
    return {
        "datasets": {"d": {"gold": str(folder / "gold.m2")}},
        "systems": {name: str(folder / name) for name in outputs},
        "metrics": [*metrics],
        "output": {"dir": str(folder / "run")},
    }


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> ReportContext:
    folder = tmp_path_factory.mktemp("verdicts")
    run_mapping(write_run(folder, METRICS))
    return revisit(folder / "run")


def alone(metric: Metric, texts: Sequence[str]) -> dict[str, float]:
    """Return the outputs of a sentence with a single annotator, as if there were no other."""
    source, output, annotation = (join_lines([text.encode()]) for text in texts)
    (columns,) = metric.spec.count(Text(source, [annotation], [output]))
    outputs = metric.score(metric.by_annotator().make_terms(columns))
    return {name: float(values[0, 0]) for name, values in outputs.items()}


def test_verdicts_are_what_is_counted(context: ReportContext) -> None:
    """With each annotator: as many right edits as tp, wrong as fp and missed as fn, whatever the
    other annotators.
    """
    seen = Counter[str]()
    assert len(context.measured) == len(METRICS)
    for measured in context.measured:
        metric, view = (
            measured.metric,
            context.corpora["d"].read_by(measured.metric.spec),
        )
        assert view.source
        sources = view.source.read(0, LINES)
        annotations = [text.read(0, LINES) for text in view.references]
        outputs = [view.systems[name].read(0, LINES) for name in measured.names]
        verdicts = metric.verdicts(sources, outputs, annotations)
        for output, of_output in zip(outputs, verdicts, strict=True):
            for line, row in enumerate(of_output):
                for ours, annotation in zip(row, annotations, strict=True):
                    assert (ours is None) == (annotation[line] == "")
                    if ours is not None:
                        counted = Counter(verdict.verdict for verdict in ours)
                        expected = alone(
                            metric,
                            (sources[line], output[line], annotation[line]),
                        )
                        assert [
                            counted[kind]
                            for kind in (
                                Verdict.RIGHT,
                                Verdict.WRONG,
                                Verdict.MISSED,
                            )
                        ] == [expected[name] for name in NAMES]
                        seen += counted
    assert (
        min(
            seen[kind]
            for kind in (Verdict.RIGHT, Verdict.WRONG, Verdict.MISSED)
        )
        > 100
    )


def test_columns_by_annotator_are_those_of_the_score(
    context: ReportContext,
) -> None:
    """The counts with the annotators who count, in the columns rearranged, sum to those of the
    score.
    """
    for measured in context.measured:
        metric, view = (
            measured.metric,
            context.corpora["d"].read_by(measured.metric.spec),
        )
        assert view.source
        texts = [
            text.read(0, LINES) for text in (view.source, *view.references)
        ]
        numbers = np.array(
            [
                metric.references_of(source, ours)
                for source, *ours in zip(*texts, strict=True)
            ]
        )
        for score, system in zip(
            measured.scores, measured.columns, strict=True
        ):
            (block,) = system.blocks()
            columns, displayed = (
                AnnotatedEdits.columns_by_annotator(metric, block, numbers),
                metric.by_annotator(),
            )
            assert ((columns["ref_len"] < 0) == (numbers < 0)).all()
            chosen = AnnotatedEdits.annotators(
                numbers,
                np.concatenate(
                    [*MetricColumns(metric).chosen_references(system)]
                ),
            )
            rows = np.arange(LINES)
            assert (columns["ref_len"][rows, chosen] >= 0).all()
            if metric.level == "corpus":
                sums = {
                    name: ours[rows, chosen].sum()
                    for name, ours in displayed.make_terms(columns).items()
                }
                assert metric.score(sums) == score.outputs
            else:
                assert displayed.sentence_scores(columns)[
                    rows, chosen
                ].mean() == pytest.approx(score.score, abs=1e-12)
            apart = displayed.sentence_scores(columns)
            output = view.systems[score.system].read(0, LINES)
            for line, annotator in np.argwhere(numbers >= 0).tolist():
                ours = alone(
                    metric,
                    (texts[0][line], output[line], texts[1 + annotator][line]),
                )
                assert apart[line, annotator] == ours["imeasure"]
