"""I-measure in the sentence explorer, in `show` and in `explain`: the same edits, scores and counts
by annotator.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from pipeline import stages
from pipeline.data.config import Node
from pipeline.extensions.page.explorer import explorer
from pipeline.extensions.page.numbers import scaled
from pipeline.extensions.page.texts import LETTERS
from pipeline.metrics.base import Verdict
from pipeline.reopen import revisit
from pipeline.report.context import ReportContext
from pipeline.scoring import SentenceScores
from pipeline.scoring.metric_results import MetricResult
from tests.extensions.edits.test_imeasure_metric import LINES, write_run
from tests.extensions.errant.test_edits_report import DRAWN
from tests.extensions.page import browser as browsers
from tests.extensions.page.test_page import unlettered
from tests.support.in_process import Call, run_command

METRICS = [
    "imeasure",
    "imeasure[optimise=corpus,measure=f]",
    "imeasure[aspect=detection]",
]
ANNOTATORS = 10
NO_BREAK = "a\ufeffb c d"
OF_TWO = "S a b\nA 0 1|||X|||x|||REQUIRED|||-NONE-|||3\nA -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||7"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of ten annotators. Its first sentence has a space of no width in a token, its second is
    of two of them.
    """
    folder = tmp_path_factory.mktemp("imeasure")
    config = write_run(folder, METRICS, ANNOTATORS)
    gold = (folder / "gold.m2").read_text(encoding="utf-8").split("\n\n", 2)[2]
    first = "\n".join(
        f"A 2 3|||X|||e|||REQUIRED|||-NONE-|||{number}"
        for number in range(ANNOTATORS)
    )
    (folder / "gold.m2").write_text(
        f"S {NO_BREAK}\n{first}\n\n{OF_TWO}\n\n{gold}", encoding="utf-8"
    )
    for name in "AB":
        lines = (folder / name).read_text(encoding="utf-8").split("\n")
        lines[:2] = NO_BREAK.replace("c", "x").replace("d", "e"), "x c"
        (folder / name).write_text("\n".join(lines), encoding="utf-8")
    stages.run(stages.prepare(Node.from_mapping(config)))
    return folder / "run"


@pytest.fixture(scope="module")
def context(folder: Path) -> ReportContext:
    return revisit(folder)


@pytest.fixture(scope="module")
def dataset(context: ReportContext) -> dict[str, Any]:
    """What the explorer has of the data set."""
    data = explorer(context)
    assert data
    ours: dict[str, Any] = data["datasets"][0]
    assert len(ours["metrics"]) == len(METRICS)
    return ours


def expected(
    measured: MetricResult, context: ReportContext
) -> Iterator[tuple[int, int, int, dict[str, int] | None]]:
    """Yield line, system, annotator and how many edits of each verdict there are, None where there
    is no line.
    """
    metric, view = (
        measured.metric,
        context.corpora["d"].read_by(measured.metric.spec),
    )
    assert view.source
    texts = [text.read(0, LINES) for text in (view.source, *view.references)]
    outputs = [view.systems[name].read(0, LINES) for name in measured.names]
    for system, lines in enumerate(
        metric.verdicts(texts[0], outputs, texts[1:])
    ):
        for line, row in enumerate(lines):
            for annotator, ours in enumerate(row):
                kinds = [verdict.verdict for verdict in ours or ()]
                yield (
                    line,
                    system,
                    annotator,
                    None
                    if ours is None
                    else {kind: kinds.count(kind) for kind in LETTERS},
                )


def numbers(
    dataset: dict[str, Any], entry: dict[str, Any], line: int, system: int
) -> list[float]:
    """Return the numbers of an output, as `assets/data.js` finds them."""
    row = (
        dataset["starts"][line]
        + dataset["who"][line * len(dataset["systems"]) + system]
    )
    return [
        number or 0
        for number in unlettered(
            entry["rows"][row * entry["width"] : (row + 1) * entry["width"]]
        )
    ]


def test_scores_and_counts_are_those_of_the_metric_and_its_edits(
    context: ReportContext, dataset: dict[str, Any]
) -> None:
    """With the annotators who count, the counts sum to those of the score."""
    for measured, entry in zip(
        context.measured, dataset["metrics"], strict=True
    ):
        at = {name: first for name, first, *_ in entry["fields"]}
        edits = {
            (line, system, annotator): ours
            for line, system, annotator, ours in expected(measured, context)
        }
        assert entry["apart"] == ANNOTATORS
        for system, columns in enumerate(measured.columns):
            (block,) = columns.blocks()
            complete = scaled(
                SentenceScores(measured.metric).scores(block), 2
            ).tolist()
            sums = dict.fromkeys(
                (Verdict.RIGHT, Verdict.WRONG, Verdict.MISSED), 0
            )
            for line in range(LINES):
                row, annotator = (
                    numbers(dataset, entry, line, system),
                    entry["edits"]["chosen"][line][system],
                )
                assert row[0] == complete[line]
                ours = edits[line, system, annotator]
                assert ours is not None
                c_tp, d_fp, d_fn, fpn = (
                    row[at[name] + annotator]
                    for name in ("c_tp", "d_fp", "d_fn", "fpn")
                )
                detected = fpn if "detection" in entry["signature"] else 0
                assert ours == {
                    Verdict.RIGHT: c_tp + detected,
                    Verdict.WRONG: d_fp + fpn - detected,
                    Verdict.MISSED: d_fn + fpn - detected,
                }
                sums = {
                    kind: count + ours[kind] for kind, count in sums.items()
                }
            (score,) = (
                score
                for score in measured.scores
                if score.system == measured.names[system]
            )
            assert list(sums.values()) == [
                score.outputs[name] for name in ("tp", "fp", "fn")
            ]


def test_show_and_explain_say_the_same(
    folder: Path, call: Call, dataset: dict[str, Any]
) -> None:
    """In each line: the same table of edits, and the counts of each annotator."""
    marks = dataset["metrics"][0]["edits"]
    rows = 0
    for line in range(1, LINES + 1, 9):
        displayed, err = call(
            f"show {folder} --metric imeasure --line", line, "--system", "A"
        )
        assert err == ""
        gold, output = folder.parent / "gold.m2", folder.parent / "A"
        printed, err = call(
            f"explain imeasure --gold {gold} -o {output} --line", line
        )
        assert err == ""
        table = (
            displayed.partition("of the data set\n")[2]
            .partition("\n\n")[0]
            .splitlines()
        )
        if "tokens" in printed:
            assert (
                table == printed[printed.index("tokens") :].strip().splitlines()
            )
            assert "type" not in table[0]
            rows += len(table) - 1
        chosen = marks["chosen"][line - 1][0]
        assert (
            f"annotator {chosen} counts for the score of the data set"
            in displayed
        )
        assert re.findall(r"annotator (\d+)  counts", printed) == [str(chosen)]
        for number, mark in enumerate(marks["marks"][line - 1][0]):
            notice = next(
                text
                for text in printed.splitlines()
                if text.startswith(f"annotator {number} ")
            )
            listed = [
                text
                for text in displayed.splitlines()
                if text.startswith(f"annotator {number}: ")
            ]
            assert (
                ("has no line here" in notice)
                == (mark is None)
                == (listed == [])
            )
            for text in listed:
                words = text.split()
                counts = dict(zip(words[2::2], words[3::2], strict=True))
                del counts["ref_len"]
                assert all(
                    f"  {name} {count}" in notice
                    for name, count in counts.items()
                )
                assert len(counts) == 7
    assert rows > 20


def test_the_source_has_the_tokens_that_are_counted(
    dataset: dict[str, Any],
) -> None:
    """For JavaScript a no-break space of no width is white space."""
    assert dataset["metrics"][0]["edits"]["tokens"] == {
        0: ["a\ufeffb", "c", "d"]
    }


TABLES = """
return [...document.querySelectorAll(".card .scroll")].map((one) => [one.clientWidth, one.scrollWidth, one.innerText]);
"""


@pytest.mark.parametrize("width", [1024])
def test_the_page_draws_what_was_counted(
    browser: browsers.Browser,
    folder: Path,
    context: ReportContext,
    dataset: dict[str, Any],
    width: int,
) -> None:
    run_command(f"report {folder} --format html")
    browser.size(width)
    labels = [entry["label"] for entry in dataset["metrics"]]
    for label, measured in zip(labels, context.measured, strict=True):
        browser.open(
            folder / "report.html", f"metric={quote(label)}&a=A&b=B&line=1"
        )
        drawn = {tuple(index): kinds for *index, kinds in browser.run(DRAWN)}
        for line, system, annotator, ours in expected(measured, context):
            counted = (
                None
                if ours is None
                else [
                    ours[kind]
                    for kind in (Verdict.RIGHT, Verdict.WRONG, Verdict.MISSED)
                ]
            )
            assert drawn[line, system, annotator] == counted
        first = browser.text(".card .judged")
        assert first.startswith("aBOMb cx")
        assert browser.complaints() == []
        assert browser.run(browsers.CONTRAST) == {}
    assert browser.fits(width)
    for line in range(1, 20):
        browser.run("show(arguments[0]);", line)
        for inside, complete, text in browser.run(TABLES):
            assert complete <= inside, (line, text)


def test_the_table_has_the_annotators_who_take_part(
    browser: browsers.Browser, folder: Path, dataset: dict[str, Any]
) -> None:
    """Ten annotators have a sign each, with its meaning for those who do not see it; two have
    words.
    """
    run_command(f"report {folder} --format html")
    browser.size(1440)
    browser.open(folder / "report.html", "a=A&b=B&line=1")
    cells = browser.run(
        "return [...document.querySelectorAll('.judgements')[0].tBodies[0].rows[0].cells].map((one) => one.textContent)"
    )
    assert cells == ["1\u20132", "x", *["✗ wrong"] * ANNOTATORS]
    marks = dataset["metrics"][0]["edits"]["marks"]
    sizes = [
        sum(mark is not None for mark in rows[0]) if any(rows[0]) else 0
        for rows in marks
    ]
    assert {2, 10} < {*sizes}
    for count in sorted({*sizes} - {0}):
        line = sizes.index(count)
        browser.run(
            "show(arguments[0]); document.getElementById('detail').scrollIntoView();",
            line,
        )
        read = "[...document.querySelectorAll('.card.main .judgements thead')].map((one) => one.innerText.trim())"
        # what is out of sight is not laid out
        browser.wait(f"return {read}.every((text) => text !== '')", True)
        heads = browser.run(f"return {read}")
        present = [
            str(number)
            for number, mark in enumerate(marks[line][0])
            if mark is not None
        ]
        names = (
            f"annotator {' '.join(present)}"
            if count > 2
            else " ".join(f"annotator {number}" for number in present)
        )
        assert heads
        assert {" ".join(head.split()) for head in heads} == {
            f"tokens correction {names}"
        }
        absent = [
            str(number)
            for number in range(ANNOTATORS)
            if str(number) not in present
        ]
        note = (
            f"no line for this sentence: annotator {', '.join(absent)}"
            if absent
            else "✓ right · ✗ wrong · ○ missed"
        )
        assert note in browser.text(".card.main")
