"""How many annotators make the edits of a system: the table of the page, its numbers, and the
filter by them.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pipeline import stages
from pipeline.data.config import Node
from pipeline.extensions.page.explorer import explorer
from pipeline.metrics.base import Verdict
from pipeline.reopen import revisit
from pipeline.report.context import ReportContext
from pipeline.scoring.metric_results import MetricResult
from tests.conftest import run
from tests.extensions.edits.test_imeasure_metric import write_run
from tests.extensions.errant.test_breakdown import write_edits
from tests.extensions.page import browser as browsers
from tests.extensions.page.test_browser import choose, listed
from tests.support.in_process import run_command

KINDS = ("all", "some", "none")
LABELS = {
    "all": "all annotators make",
    "some": "only some annotators make",
    "none": "no annotator makes",
}


ROWS = """
const text = (cell) => (cell.querySelector("button") ?? cell).textContent;
return [...document.querySelectorAll("#agreement tbody tr")].map((row) => [...row.cells].map(text));
"""


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """A run of texts and a run of annotated outputs."""
    texts, edits = (
        tmp_path_factory.mktemp("texts"),
        tmp_path_factory.mktemp("edits"),
    )
    stages.run(
        stages.prepare(
            Node.from_mapping(write_run(texts, ["imeasure", "m2", "gleu"]))
        )
    )
    run(write_edits(edits, metrics=["errant"]), edits / "run")
    for folder in (texts, edits):
        run_command(f"report {folder / 'run'} --format html")
    return [texts / "run", edits / "run"]


def expected(
    measured: MetricResult, context: ReportContext, edits: Any
) -> Iterator[tuple[str, int, Counter[str]]]:
    """Yield system, line and how many edits there are of each of KINDS, and the missed ones, made
    of the verdicts.
    """
    corpus = context.corpora["d"]
    view = corpus.read_by(measured.metric.spec)
    assert view.source
    texts = [
        text.read(0, corpus.lines) for text in (view.source, *view.references)
    ]
    outputs = [
        view.systems[name].read(0, corpus.lines) for name in measured.names
    ]
    for system, lines in enumerate(
        measured.metric.verdicts(texts[0], outputs, texts[1:])
    ):
        for line, row in enumerate(lines):
            built = [
                {item[:4] for item in ours if item.verdict == Verdict.RIGHT}
                for ours in row
                if ours is not None
            ]
            counts = Counter[str]()
            for item in row[edits["chosen"][line][system]] or ():
                makers = sum(item[:4] in ours for ours in built)
                kind = (
                    "all"
                    if makers == len(built)
                    else "some"
                    if makers
                    else "none"
                )
                counts[
                    "missed" if item.verdict == Verdict.MISSED else kind
                ] += 1
            yield measured.names[system], line, counts


def opened(browser: browsers.Browser, page: Path, number: int) -> None:
    """Open a page with a metric, and its table."""
    browser.open(page)
    field = "const f = document.forms.controls.elements.metric; f.value = arguments[0];"
    browser.run(
        f"{field} f.dispatchEvent(new InputEvent('input', {{bubbles: true}}));",
        str(number),
    )
    browser.run("document.querySelector('#agreement summary').click()")
    browser.wait(
        "return document.querySelectorAll('#agreement tbody tr').length > 0",
        True,
    )


@pytest.mark.parametrize("width", [390])
def test_the_table_and_the_filter_have_what_annotators_make(
    browser: browsers.Browser, folders: list[Path], width: int
) -> None:
    browser.size(width)
    seen = Counter[str]()
    for folder in folders:
        context = revisit(folder)
        data = explorer(context)
        assert data
        for number, measured in enumerate(context.measured):
            edits = data["datasets"][0]["metrics"][number]["edits"]
            if edits is None:
                continue
            each = list(expected(measured, context, edits))
            opened(browser, folder / "report.html", number)
            rows = browser.run(ROWS)
            ranked = sorted(measured.scores, key=lambda score: score.rank)
            assert [row[0] for row in rows] == [
                score.system for score in ranked
            ]
            for name, *numbers in rows:
                sums = sum(
                    (counts for system, _, counts in each if system == name),
                    Counter[str](),
                )
                displayed = [
                    sum(sums[kind] for kind in KINDS),
                    *(sums[kind] for kind in KINDS),
                    sums["missed"],
                ]
                assert [
                    int(text.replace(",", "")) for text in numbers
                ] == displayed
                seen += sums
                for kind in KINDS:
                    choose(browser, a=name, edits=LABELS[kind])
                    lines = [
                        line + 1
                        for system, line, counts in each
                        if system == name and counts[kind]
                    ]
                    assert listed(browser) == lines
            assert (
                browser.run("return document.documentElement.scrollWidth")
                <= width
            )
            assert browser.complaints() == []
    assert min(seen[kind] for kind in (*KINDS, "missed")) > 20


def test_a_press_on_a_number_lists_its_sentences(
    browser: browsers.Browser, folders: list[Path]
) -> None:
    browser.size(1440)
    opened(browser, folders[0] / "report.html", 0)
    cell = "document.querySelectorAll('#agreement tbody tr')[1].cells[4]"
    name = browser.run(f"return {cell}.parentNode.cells[0].textContent")
    browser.run(f"{cell}.querySelector('button').click()")
    assert browser.run("return dataset().systems[state.a]") == name
    assert browser.run("return [state.edits, state.a !== state.b]") == [
        "by-none",
        True,
    ]
    lines = listed(browser)
    assert 0 < len(lines) < len(browser.run("return dataset().numbers"))
    browser.wait("return location.hash.includes('edits=by-none')", True)
    address = browser.run("return location.hash").removeprefix("#")
    browser.open(folders[0] / "report.html", address)
    assert listed(browser) == lines


def test_annotators_may_be_more_than_references(
    browser: browsers.Browser, tmp_path: Path
) -> None:
    config = write_run(tmp_path, ["imeasure", "m2", "gleu"])
    config["datasets"]["d"]["references"] = [str(tmp_path / "A")]
    stages.run(stages.prepare(Node.from_mapping(config)))
    run_command(f"report {tmp_path / 'run'} --format html")
    browser.open(
        tmp_path / "run" / "report.html", "metric=m2&a=B&b=A&reference=2&line=3"
    )
    options = "return [...document.forms.controls.elements.reference.options].map((one) => one.textContent)"
    for number, expected_options in enumerate(
        [["all", "0", "1", "2"], ["all", "0", "1", "2"], ["all"]]
    ):
        choose(
            browser,
            metric=browser.run(
                "return dataset().metrics[arguments[0]].called", number
            ),
        )
        assert browser.run(options) == expected_options
        assert browser.run("return state.reference") == (
            -1 if number == 2 else 2
        )
        assert (
            browser.run("return document.querySelectorAll('.card').length") > 0
        )
    assert browser.complaints() == []


def test_a_metric_without_edits_has_those_of_m2(
    browser: browsers.Browser, folders: list[Path]
) -> None:
    """The run has imeasure, m2 and gleu: for gleu the table and the filter are those of m2."""
    opened(browser, folders[0] / "report.html", 1)
    choose(browser, edits=LABELS["none"])
    of_m2 = listed(browser), browser.run(ROWS)
    assert len(of_m2[0]) < len(browser.run("return dataset().numbers"))
    choose(browser, metric=browser.run("return dataset().metrics[2].called"))
    assert browser.run("return state.edits") == "by-none"
    assert (listed(browser), sorted(browser.run(ROWS))) == (
        of_m2[0],
        sorted(of_m2[1]),
    )
    assert "by M²" in browser.run(
        "return document.querySelector('#agreement .note').textContent"
    )
