"""The comparison of A and B in the page, and copies of its tables and figures, in a real browser."""

import re
import time
from collections import Counter
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from pipeline import reopen
from pipeline.arrays import Floats
from pipeline.report.context import ReportContext
from pipeline.report.tables import groups
from pipeline.report.tables.comparisons import p_cell, signed
from pipeline.scoring import Score, SentenceScores
from tests.conftest import PATIENCE
from tests.extensions.page import browser as browsers
from tests.extensions.page.browser import (
    CONTRAST,
    DATA,
    Browser,
    report_of,
    sample_config,
)
from tests.support.in_process import run_command

browsers.skip_module()


A, B = "careful", "eager"
MINUS = "\u2212"
TABLE = """
const captions = [...document.querySelectorAll("#compare caption")];
const own = captions.find((one) => one.textContent.startsWith(arguments[0]))?.closest("table");
return own ? [...own.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.textContent)) : null;
"""
"""A script that returns the cells of a table of the comparison, by the beginning of its caption."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the sample with one reference, so that it is the best one."""
    metrics = ["gleu[iter=1]", "ter", "chrf", "google_gleu", "m2"]
    config = sample_config(
        *metrics, references=1, resamples="50", trials="50", correction="none"
    )
    return report_of(tmp_path_factory.mktemp("run"), config).parent


def opened(browser: Browser, page: Path, metric: str, a: str, b: str) -> None:
    """Open a comparison and wait for its edits and n-grams."""
    address = f"dataset=sample&metric={metric}&a={a}&b={b}&part=compare"
    browser.open(page / "report.html", address)
    busy = "return document.querySelector('.gains').getAttribute('aria-busy')"
    browser.wait(busy, None)


def lines_of(name: str) -> list[str]:
    return (DATA / name).read_text(encoding="utf-8").splitlines()


@pytest.fixture(scope="module")
def context(folder: Path) -> ReportContext:
    return reopen.revisit(folder)


@pytest.fixture
def page(browser: Browser, folder: Path) -> Browser:
    """The page where GLEU compares A and B."""
    browser.open(
        folder / "report.html",
        f"dataset=sample&metric=gleu&a={A}&b={B}&part=compare",
    )
    return browser


def scores(context: ReportContext, metric: int, system: str) -> Floats:
    """Return the scores of sentences in percent, rounded as the page has them."""
    measured = context.measured[metric]
    columns = measured.columns[measured.names.index(system)]
    found = np.concatenate(
        [
            SentenceScores(measured.metric).scores(block)
            for block in columns.blocks()
        ]
    )
    rounded: Floats = np.floor(found * 1e4 + 0.5) / 100
    return rounded


def plain(text: str) -> float:
    return float(text.replace(MINUS, "-").replace(",", "").removesuffix("%"))


def table(page: Browser, caption: str) -> list[list[str]]:
    found: list[list[str]] = page.run(TABLE, caption)
    assert found, caption
    return found


# --- numbers


def test_the_difference_is_that_of_the_run_in_both_directions(
    page: Browser, context: ReportContext
) -> None:
    results = context.results
    (test,) = (
        t
        for t in results.tests
        if t.metric.startswith("gleu") and {t.system, t.other} == {A, B}
    )
    for one, other in ((A, B), (B, A)):
        start = f"{one} {MINUS} {other} by GLEU+: "
        page.wait(
            f"return document.getElementById('pair-told').textContent.startsWith('{start}')",
            True,
        )
        turn = 1 if test.system == one else -1
        bounds = sorted(turn * bound for bound in test.interval)
        difference, low, high = (
            signed(number, 2).replace("-", MINUS)
            for number in (turn * test.difference, *bounds)
        )
        text = page.text("#pair-told")
        interval = f"(95% interval {low} to {high}), p "
        assert text.startswith(f"{start}{difference} {interval}")
        assert p_cell(test, results) in text
        won = [test.wins, test.ties, test.losses][::turn]
        assert [int(row[1]) for row in table(page, "Sentences won")] == won
        page.click("#pair-swap")


@pytest.mark.parametrize("metric", [0, 1])
def test_figures_show_what_numpy_finds(
    page: Browser, context: ReportContext, metric: int
) -> None:
    """GLEU, and TER, of which the lowest is the best."""
    if metric:
        choose(page, metric="TER")
    one, two = scores(context, metric, A), scores(context, metric, B)
    less = np.rint(100 * (one - two)) / 100
    total = 0
    for title, count, *_ in table(page, "Differences of sentences"):
        low, high = map(plain, title.split(" to "))
        inside = (less > low) & (less <= high)
        if low < 0:
            inside = (less >= low) & (less < high)
        assert plain(count) == inside.sum()
        total += inside.sum()
    assert total == (less != 0).sum()
    words = np.array([len(line.split()) for line in lines_of("source.txt")])
    total = 0
    for title, *numbers in table(page, "Mean score of sentences by length"):
        bounds = [
            int(part) for part in title.removesuffix(" words").split(" to ")
        ]
        chosen = (words >= bounds[0]) & (words <= bounds[-1])
        means = [values[chosen].mean() for values in (one, two, less)]
        size, *displayed = map(plain, numbers)
        assert size == chosen.sum()
        assert displayed == pytest.approx(means, abs=0.00501)
        total += chosen.sum()
    assert total == len(words)
    rows = table(page, "Scores of sentences of each system")
    assert {row[0] for row in rows} == set(context.measured[metric].names)
    for name, *numbers in rows:
        values = scores(context, metric, name)
        lines, *displayed = map(plain, numbers)
        assert lines == len(values)
        parts = np.percentile(values, (5, 25, 50, 75, 95))
        expected = [values.mean(), *parts]
        assert displayed == pytest.approx(expected, abs=0.00501)


def test_ten_sentences_tell_most_and_lead_to_the_explorer(
    page: Browser, context: ReportContext
) -> None:
    less = (scores(context, 0, A) - scores(context, 0, B)).round(2)
    words = np.array([len(line.split()) for line in lines_of("source.txt")])
    order = np.lexsort((-words, -abs(less)))
    first, second = (
        [int(line) for line in order if sign * less[line] > 0]
        for sign in (1, -1)
    )
    assert len(second) == 4  # B is ahead in four sentences alone, so A has six
    expected = first[:6] + second
    rows = table(page, "the sentences that tell most")
    assert [int(row[0]) - 1 for row in rows] == expected
    assert [plain(row[3]) for row in rows] == pytest.approx(less[expected])
    page.run("document.querySelectorAll('.telling a')[1].click()")
    page.wait("return dataset().numbers[state.line]", expected[1] + 1)
    pair = "[state.a, state.b].map((n) => dataset().systems[n])"
    assert page.run(f"return [state.part, ...{pair}]") == ["sentences", A, B]


def n_grams(line: str) -> Counter[str]:
    words = line.split()
    spans = combinations(range(len(words) + 1), 2)
    return Counter(" ".join(words[a:b]) for a, b in spans if b - a <= 4)


def test_n_grams_are_those_of_naive_counts(
    browser: Browser, folder: Path
) -> None:
    """Of google_gleu an n-gram is right as often as output and reference share it."""
    opened(browser, folder, "google_gleu", A, B)
    gains, loses = Counter[str](), Counter[str]()
    lines = [
        *map(
            lines_of, (f"systems/{A}.txt", f"systems/{B}.txt", "reference0.txt")
        )
    ]
    for line in zip(*lines, strict=True):
        a, b, reference = map(n_grams, line)
        gains += (a & reference) - (b & reference)
        loses += (b & reference) - (a & reference)
    assert browser.text(".gains .note").startswith(
        f"A gains {gains.total():,} and loses {loses.total():,} against B, {len(lines[0]):,} lines"
    )
    for caption, net in (
        ("n-grams: A gains", gains - loses),
        ("n-grams: A loses", loses - gains),
    ):
        best = sorted(net, key=lambda gram: (-net[gram], gram.count(" "), gram))
        rows = table(browser, caption)
        displayed = [abs(plain(row[4])) for row in rows]
        assert displayed == [net[gram] for gram in best[:10]]
        for gram, order, gained, lost, _ in rows:
            gram = " ".join(gram.split())  # noqa: PLW2901
            assert int(order) == gram.count(" ") + 1
            assert (int(gained), int(lost)) == (gains[gram], loses[gram])


def test_edits_are_those_that_the_metric_counts(
    browser: Browser, folder: Path, context: ReportContext
) -> None:
    """A right edit counts 1 and a wrong one -1; the results have how many are right and how many
    are proposed.
    """
    opened(browser, folder, "m2", B, "broken")
    note = browser.text(".gains .note").replace(",", "")
    gained, lost = map(int, re.findall(r"(?:gains|loses) (\d+)", note))
    points = {}
    for score in context.measured[4].scores:
        counts = score.outputs
        points[score.system] = 2 * counts["correct"] - counts["proposed"]
    assert gained - lost == points[B] - points["broken"]
    assert min(gained, lost) > 0
    for caption, sign in (("edits: A gains", 1), ("edits: A loses", -1)):
        for text, *numbers in table(browser, caption):
            plus, minus, net = map(plain, numbers)
            assert " \u2192 " in text
            assert net == plus - minus
            assert sign * net > 0


# --- choices


def choose(page: Browser, **values: str) -> None:
    """Choose in the controls of the comparison, by the labels that people see."""
    for name, label in values.items():
        page.run(
            """const field = document.forms.pair.elements[arguments[0]];
            field.value = [...field.options].find((one) => one.textContent === arguments[1]).value;
            field.dispatchEvent(new InputEvent("input", {bubbles: true})); comparison.draw();""",
            name,
            label,
        )


def test_choices_are_those_of_the_explorer_and_of_the_address(
    page: Browser, folder: Path
) -> None:
    choose(page, metric="chrF", b="broken")
    chosen = page.run("return [metric().label, dataset().systems[state.b]]")
    assert chosen == ["chrf", "broken"]
    note = "chrF counts no n-grams and judges no edits."
    assert note in page.text("#compared")
    address = page.run("writeNow(); return location.hash.slice(1)")
    page.open(folder / "report.html", address)
    assert page.text("#pair-told").startswith(f"{A} {MINUS} broken by chrF")
    top = (
        "return document.getElementById('compare').getBoundingClientRect().top"
    )
    assert 0 <= page.run(top) < page.run("return innerHeight")
    page.run("""const field = document.forms.controls.elements.b;
        field.value = "-1";
        field.dispatchEvent(new InputEvent("input", {bubbles: true}));""")
    text = "return document.getElementById('pair-told').textContent"
    page.wait(text, "Choose two systems.")


def test_missing_numbers_are_named(
    browser: Browser, folder: Path, tmp_path: Path
) -> None:
    """Lines that are not in the page, a test of the two systems, and scores of sentences."""
    run_command(f"report {folder} --lines 20 --output {tmp_path} --format html")
    opened(browser, tmp_path, "gleu", A, B)
    titles = browser.texts(
        "#compare figcaption, .telling > .note, .gains > .note"
    )
    assert len(titles) == 6
    assert all("of 20 lines in this page" in title for title in titles)
    number = "at % own.width ? numberAt(own, at) : null"
    browser.run(
        f"const own = metric(); own.rows = Array.from(own.rows, (_, at) => {number})"
    )
    choose(browser, a="broken")
    assert "GLEU+ has no scores of sentences" in browser.text("#compared")
    assert browser.complaints() == []


def test_the_comparison_fits_phones_and_is_named(page: Browser) -> None:
    for width, dark in ((1440, False), (390, True)):
        page.size(width, dark=dark)
        assert page.fits(width)
        assert page.run(CONTRAST) == {}
        widths = page.run(
            "return [...document.querySelectorAll('#compare svg')].map((one) => one.getBoundingClientRect().width)"
        )
        assert max(widths) <= width
    page.size()
    unnamed = page.run("""return [...document.querySelectorAll("svg[role=img], [role=region], button")]
        .filter((one) => !(one.getAttribute('aria-label') ?? one.textContent).trim()).length""")
    assert unnamed == 0
    assert page.count("#compare figure:not(:has(details table))") == 0


# --- copies


def in_order(context: ReportContext) -> list[Score]:
    """Return the scores of GLEU, the best first."""
    scores = context.results.scores
    gleu = [score for score in scores if score.metric.startswith("gleu")]
    return sorted(gleu, key=lambda score: score.rank)


def copied(page: Browser, table: str, kind: str) -> str:
    """Return what the menu of a table copies."""
    return page.driver.execute_async_script(  # type: ignore[no-any-return]
        """const done = arguments[2], own = document.querySelector(arguments[0]);
        const clipboard = {writeText: async (text) => done(text)};
        Object.defineProperty(navigator, "clipboard", {configurable: true, value: clipboard});
        (own.closest(".scroll") ?? own).previousElementSibling.click();
        document.querySelector(`.takes [aria-label="copy as ${arguments[1]}"]`).click();""",
        table,
        kind,
    )


def test_a_board_is_copied_without_its_bars(
    page: Browser, context: ReportContext
) -> None:
    boards = groups(context.results)
    board = next(group for group in boards if group.label == "gleu")
    header, cells = board.ranked_table(2)
    titles, *rows = (
        line.split("\t")
        for line in copied(page, "table.ranked", "TSV").splitlines()
    )
    assert titles[:3] == ["rank", "system", "GLEU+"]
    assert rows == cells
    assert len(titles) == len(header)
    rank, system, score = cells[0][:3]
    markdown = copied(page, "table.ranked", "Markdown").splitlines()
    assert markdown[1].startswith("| ---: | --- | ---: |")
    assert markdown[2].startswith(f"| {rank} | **{system}** | **{score}** |")
    latex = copied(page, "table.ranked", "LaTeX").splitlines()
    assert latex[1].startswith(r"\begin{tabular}{rlr")
    assert latex[4] == r"\midrule"
    best = rf"{rank} & \textbf{{{system}}} & \textbf{{{score}}} & "
    assert latex[5].startswith(best)
    assert latex[-2:] == [r"\bottomrule", r"\end{tabular}"]


def test_the_overview_is_copied_as_it_is_shown(
    page: Browser, context: ReportContext
) -> None:
    """Filtered, and with differences in place of intervals where a baseline is chosen."""
    page.click("#intervals")
    lines = copied(page, "table.grid", "TSV").splitlines()
    names = [score.system for score in in_order(context)]
    assert [line.split()[0] for line in lines] == ["system", *names]
    assert " to " in lines[1]
    page.run("""document.querySelector(".base").click();
        const field = document.getElementById("wanted");
        field.value = "ea";
        field.dispatchEvent(new InputEvent("input", {bubbles: true}));""")
    head, row = copied(page, "table.grid", "TSV").splitlines()
    assert row.startswith("eager\t")
    assert " to " not in row
    assert row.count("\t") == head.count("\t")


@pytest.mark.parametrize(
    ("name", "form", "expected"),
    [
        (
            r"a_b|50% {x} \y",
            "LaTeX",
            r"a\_b\textbar{}50\% \{x\} \textbackslash{}y",
        ),
        (r"a_b|50% {x} \y", "Markdown", r"a\_b\|50% {x} \\y"),
        ("=1+2", "TSV", "\t'=1+2\t"),
    ],
)
def test_signs_of_a_format_are_escaped(
    page: Browser, name: str, form: str, expected: str
) -> None:
    cell = "document.querySelector('table.ranked tbody .system')"
    page.run(f"{cell}.textContent = arguments[0]", name)
    assert expected in copied(page, "table.ranked", form)


def test_a_selected_board_is_its_rows(
    page: Browser, context: ReportContext
) -> None:
    chosen = """const own = document.querySelector("table.ranked");
        const range = document.createRange(), data = new DataTransfer();
        range.selectNodeContents(arguments[0] ? own.tBodies[0].rows[1] : own);
        getSelection().removeAllRanges();
        getSelection().addRange(range);
        own.dispatchEvent(new ClipboardEvent("copy", {clipboardData: data, bubbles: true, cancelable: true}));
        return data.getData("text/plain");"""
    group = next(
        group for group in groups(context.results) if group.label == "gleu"
    )
    _, cells = group.ranked_table(2)
    complete = page.run(chosen, False).splitlines()
    assert [line.split("\t") for line in complete[1:]] == cells
    assert page.run(chosen, True).splitlines() == ["\t".join(cells[1])]


def test_figures_and_tables_are_saved(page: Browser, tmp_path: Path) -> None:
    page.driver.execute_cdp_cmd(
        "Browser.setDownloadBehavior",
        {"behavior": "allow", "downloadPath": str(tmp_path)},
    )
    save = """document.querySelector(arguments[0]).click();
        document.querySelector(`.takes [aria-label="save as ${arguments[1]}"]`).click();"""
    files = {}
    for button, kind in (
        ("#results .board figure .take", "SVG"),
        ("#compare figure .take", "PNG"),
        (".board > .take", "TSV"),
    ):
        page.run(save, button, kind)
        end = time.monotonic() + PATIENCE
        while not (found := [*tmp_path.glob(f"*.{kind.lower()}")]):
            assert time.monotonic() < end, kind
            time.sleep(0.02)
        files[kind] = found[0].read_bytes()
    root = ET.fromstring(files["SVG"])  # noqa: S314 (the page's own)
    svg = "{http://www.w3.org/2000/svg}"
    assert root.tag == f"{svg}svg"
    # --accent in light colours, as page.css has it
    colours = {one.get("fill") for one in root.iter(f"{svg}circle")}
    assert colours == {"rgb(11, 87, 208)"}
    picture = files["PNG"]
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    width = page.run(
        "return document.querySelector('#compare figure svg').viewBox.baseVal.width"
    )
    assert int.from_bytes(picture[16:20]) == 3 * width
    # the picture of which the PNG is drawn
    (request,) = page.complaints()
    assert request.startswith("asks for data:image/svg+")


def test_the_menu_works_by_keys_and_is_not_printed(page: Browser) -> None:
    from selenium.webdriver.common.keys import Keys

    focus = "return document.activeElement.getAttribute('aria-label')"
    menu = "copy or save: GLEU+ on sample"
    page.run("document.querySelector('.board > .take').focus()")
    assert page.run(focus) == menu
    for keys, label in (
        ([Keys.ENTER], "copy as TSV"),
        ([Keys.ARROW_DOWN, Keys.ARROW_RIGHT], "save as Markdown"),
        ([Keys.ESCAPE], menu),
    ):
        page.press(*keys)
        assert page.run(focus) == label
    assert page.count(".takes:popover-open") == 0
    page.size(media="print")
    visible = "return [...document.querySelectorAll('.take')].filter((one) => one.checkVisibility()).length"
    assert page.run(visible) == 0
    page.size()
