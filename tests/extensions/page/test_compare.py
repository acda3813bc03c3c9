"""The comparison of A and B in the page, and copies of its tables and figures, in a real browser."""

import re
import time
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from pipeline import reopen
from pipeline.arrays import Floats
from pipeline.report.context import ReportContext
from pipeline.report.tables.comparisons import p_cell, signed
from pipeline.report.tables.ranked import ranked_table
from pipeline.scoring.results import Score
from pipeline.scoring.sentences import sentence_scores
from tests.conftest import PATIENCE, ROOT
from tests.extensions.page import browser as browsers
from tests.extensions.page.browser import CONTRAST, Browser, report_of
from tests.support.commands import run_command

if browsers.lacking():
    pytest.skip(browsers.lacking(), allow_module_level=True)

DATA = ROOT / "data"
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
    folder = tmp_path_factory.mktemp("run")
    texts = {
        "source": str(DATA / "source.txt"),
        "references": [str(DATA / "reference0.txt")],
    }
    texts |= {"gold": str(DATA / "m2" / "gold.m2")}
    config = {
        "datasets": {"sample": texts},
        "systems": [str(DATA / "systems" / "*.txt")],
        "metrics": ["gleu[iter=1]", "ter", "chrf", "google_gleu", "m2"],
        "statistics": {"resamples": "50", "trials": "50", "correction": "none"},
    }
    return report_of(folder, config).parent


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
        [sentence_scores(measured.metric, block) for block in columns.blocks()]
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
    test = next(
        t
        for t in results.tests
        if t.metric.startswith("gleu") and {t.system, t.other} == {A, B}
    )
    turn = 1 if test.system == A else -1
    low, high = sorted(turn * bound for bound in test.interval)
    shown = [
        signed(number, 2).replace("-", MINUS)
        for number in (turn * test.difference, low, high)
    ]
    told = page.text("#pair-told")
    assert told.startswith(
        f"{A} {MINUS} {B} by GLEU+: {shown[0]} (95% interval {shown[1]} to {shown[2]}), p "
    )
    assert p_cell(test, results) in told
    won = (test.wins, test.losses)[::turn]
    assert [int(row[1]) for row in table(page, "Sentences won")] == [
        won[0],
        test.ties,
        won[1],
    ]
    page.click("#pair-swap")
    page.wait(
        f"return document.getElementById('pair-told').textContent.startsWith('{B} {MINUS} {A}')",
        True,
    )
    back = [
        signed(-number, 2).replace("-", MINUS)
        for number in (turn * test.difference, high, low)
    ]
    told = page.text("#pair-told")
    assert f"{back[0]} (95% interval {back[1]} to {back[2]})" in told
    assert [int(row[1]) for row in table(page, "Sentences won")] == [
        won[1],
        test.ties,
        won[0],
    ]


@pytest.mark.parametrize("metric", [0, 1])
def test_figures_show_what_numpy_finds(
    page: Browser, context: ReportContext, metric: int
) -> None:
    """GLEU, and TER, of which the lowest is the best."""
    if metric:
        choose(page, metric="TER")
    one, two = scores(context, metric, A), scores(context, metric, B)
    less = np.rint(100 * (one - two)) / 100
    bars = table(page, "Differences of sentences")
    edges = [tuple(plain(end) for end in row[0].split(" to ")) for row in bars]
    counted = [
        int(
            ((less > low) & (less <= high)).sum()
            if low >= 0
            else ((less >= low) & (less < high)).sum()
        )
        for low, high in edges
    ]
    assert [int(plain(row[1])) for row in bars] == counted
    assert sum(counted) == (less != 0).sum()
    words = np.array(
        [
            len(line.split())
            for line in (DATA / "source.txt").read_text().splitlines()
        ]
    )
    groups = table(page, "Mean score of sentences by length")
    assert sum(int(row[1]) for row in groups) == len(words)
    for name, count, a, b, gap in groups:
        low, *more = (
            int(part) for part in name.removesuffix(" words").split(" to ")
        )
        high = more[0] if more else low
        chosen = (words >= low) & (words <= high)
        assert (int(count), plain(a), plain(b)) == (
            chosen.sum(),
            *(
                pytest.approx(own[chosen].mean(), abs=0.00501)
                for own in (one, two)
            ),
        )
        assert plain(gap) == pytest.approx(less[chosen].mean(), abs=0.00501)
    systems = {
        row[0]: [plain(cell) for cell in row[1:]]
        for row in table(page, "Scores of sentences of each system")
    }
    assert systems.keys() == set(context.measured[metric].names)
    for name, (lines, mean, *parts) in systems.items():
        own = scores(context, metric, name)
        assert lines == len(own)
        assert mean == pytest.approx(own.mean(), abs=0.00501)
        assert parts == pytest.approx(
            np.percentile(own, (5, 25, 50, 75, 95)), abs=0.00501
        )


def test_ten_sentences_tell_most_and_lead_to_the_explorer(
    page: Browser, context: ReportContext
) -> None:
    less = (scores(context, 0, A) - scores(context, 0, B)).tolist()
    words = [
        len(line.split())
        for line in (DATA / "source.txt").read_text().splitlines()
    ]
    order = sorted(
        range(len(less)),
        key=lambda line: (-abs(round(less[line], 2)), -words[line], line),
    )
    first, second = (
        [line for line in order if sign * less[line] > 0] for sign in (1, -1)
    )
    assert len(second) == 4  # B is ahead in four sentences alone, so A has six
    expected = first[:6] + second
    rows = table(page, "the sentences that tell most")
    assert [int(row[0]) - 1 for row in rows] == expected
    assert [plain(row[3]) for row in rows] == pytest.approx(
        [less[line] for line in expected]
    )
    page.run("document.querySelectorAll('.telling a')[1].click()")
    page.wait("return dataset().numbers[state.line]", expected[1] + 1)
    assert page.run(
        "return [state.part, dataset().systems[state.a], dataset().systems[state.b]]"
    ) == [
        "sentences",
        A,
        B,
    ]


def test_n_grams_are_those_of_naive_counts(
    browser: Browser, folder: Path
) -> None:
    """Of google_gleu an n-gram is right as often as output and reference share it."""
    browser.open(
        folder / "report.html",
        f"dataset=sample&metric=google_gleu&a={A}&b={B}&part=compare",
    )
    browser.wait(
        "return document.querySelector('.gains').getAttribute('aria-busy')",
        None,
    )
    one, two, reference = (
        (DATA / name).read_text().splitlines()
        for name in (f"systems/{A}.txt", f"systems/{B}.txt", "reference0.txt")
    )
    gains, loses = Counter[tuple[str, ...]](), Counter[tuple[str, ...]]()
    for first, second, right in zip(one, two, reference, strict=True):
        for n in range(1, 5):
            a, b, r = (
                Counter(
                    zip(*(text.split()[k:] for k in range(n)), strict=False)
                )
                for text in (first, second, right)
            )
            gains += (a & r) - (b & r)
            loses += (b & r) - (a & r)
    told = browser.text(".gains .note")
    assert told.startswith(
        f"A gains {gains.total():,} and loses {loses.total():,} against B, {len(one):,} lines"
    )
    for caption, plus, minus in (
        ("n-grams: A gains", gains, loses),
        ("n-grams: A loses", loses, gains),
    ):
        net = {
            gram: plus[gram] - minus[gram]
            for gram in plus
            if plus[gram] > minus[gram]
        }
        best = sorted(
            net, key=lambda gram: (-net[gram], len(gram), " ".join(gram))
        )[:10]
        rows = table(browser, caption)
        assert [abs(plain(row[4])) for row in rows] == [
            net[gram] for gram in best
        ]
        for shown, order, gained, lost, _ in rows:
            key = tuple(shown.split())
            assert (len(key), gains[key], loses[key]) == (
                int(order),
                int(gained),
                int(lost),
            )


def test_edits_are_those_that_the_metric_counts(
    browser: Browser, folder: Path, context: ReportContext
) -> None:
    """A right edit counts 1 and a wrong one -1; the results have how many are right and how many
    are proposed.
    """
    browser.open(
        folder / "report.html",
        f"dataset=sample&metric=m2&a={B}&b=broken&part=compare",
    )
    browser.wait(
        "return document.querySelector('.gains').getAttribute('aria-busy')",
        None,
    )
    told = browser.text(".gains .note")
    gained, lost = (
        int(number.replace(",", ""))
        for number in re.findall(r"(?:gains|loses) ([\d,]+)", told)
    )
    counts = {
        score.system: score.outputs for score in context.measured[4].scores
    }
    one, two = (
        2 * counts[name]["correct"] - counts[name]["proposed"]
        for name in (B, "broken")
    )
    assert gained - lost == one - two
    assert min(gained, lost) > 0
    for caption, sign in (("edits: A gains", 1), ("edits: A loses", -1)):
        rows = table(browser, caption)
        assert all(
            " \u2192 " in row[0]
            and plain(row[3]) == plain(row[1]) - plain(row[2])
            for row in rows
        )
        assert all(sign * plain(row[3]) > 0 for row in rows)


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
    assert page.run("return [metric().label, dataset().systems[state.b]]") == [
        "chrf",
        "broken",
    ]
    assert "chrF counts no n-grams and judges no edits." in page.text(
        "#compared"
    )
    page.run("writeNow()")
    address = page.run("return location.hash.slice(1)")
    page.open(folder / "report.html", address)
    assert page.text("#pair-told").startswith(f"{A} {MINUS} broken by chrF")
    top = page.run(
        "return document.getElementById('compare').getBoundingClientRect().top"
    )
    assert 0 <= top < page.run("return innerHeight")
    page.run("""const field = document.forms.controls.elements.b;
        field.value = "-1";
        field.dispatchEvent(new InputEvent("input", {bubbles: true}));""")
    page.wait(
        "return document.getElementById('pair-told').textContent",
        "Choose two systems.",
    )


def test_what_is_lacking_is_said(
    browser: Browser, folder: Path, tmp_path: Path
) -> None:
    """Lines that are not in the page, a test of the two systems, and scores of sentences."""
    more = ["--lines", "20", "--output", str(tmp_path), "--format", "html"]
    run_command(f"report {folder}", *more)
    browser.open(
        tmp_path / "report.html",
        f"dataset=sample&metric=gleu&a={A}&b={B}&part=compare",
    )
    browser.wait(
        "return document.querySelector('.gains').getAttribute('aria-busy')",
        None,
    )
    said = browser.run("""const titles = "#compare figcaption, .telling > .note, .gains > .note";
        const said = [...document.querySelectorAll(titles)].map((one) => one.textContent);
        return said.map((text) => text.includes("of 20 lines in this page"));""")
    assert said == [True] * 6
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
        small = page.run(
            "return [...document.querySelectorAll('#compare svg')].map((one) => one.getBoundingClientRect().width)"
        )
        assert all(one <= width for one in small)
    page.size()
    unnamed = page.run("""return [...document.querySelectorAll("svg[role=img], [role=region], button")]
        .filter((one) => !(one.getAttribute('aria-label') ?? one.textContent).trim()).length""")
    assert unnamed == 0
    assert page.run(
        "return [...document.querySelectorAll('#compare figure')].every((one) => one.querySelector('details table'))"
    )


# --- copies


def in_order(context: ReportContext) -> list[Score]:
    """Return the scores of GLEU, the best first."""
    own = [
        score
        for score in context.results.scores
        if score.metric.startswith("gleu")
    ]
    return sorted(own, key=lambda score: score.rank)


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
    results = context.results
    header, cells = ranked_table(results, in_order(context), 2, ())
    lines = copied(page, "table.ranked", "TSV").splitlines()
    assert lines[0].split("\t")[:3] == ["rank", "system", "GLEU+"]
    assert [line.split("\t") for line in lines[1:]] == cells
    assert len(lines[0].split("\t")) == len(header)
    markdown = copied(page, "table.ranked", "Markdown").splitlines()
    assert markdown[1].startswith("| ---: | --- | ---: |")
    assert markdown[2].startswith(
        f"| {cells[0][0]} | **{cells[0][1]}** | **{cells[0][2]}** |"
    )
    latex = copied(page, "table.ranked", "LaTeX").splitlines()
    assert latex[1].startswith(r"\begin{tabular}{rlr")
    assert latex[4] == r"\midrule"
    assert latex[5].startswith(
        rf"{cells[0][0]} & \textbf{{{cells[0][1]}}} & \textbf{{{cells[0][2]}}} & "
    )
    assert latex[-2:] == [r"\bottomrule", r"\end{tabular}"]


def test_the_overview_is_copied_as_it_is_shown(
    page: Browser, context: ReportContext
) -> None:
    """Filtered, and with differences in place of intervals where a baseline is chosen."""
    page.click("#intervals")
    lines = copied(page, "table.grid", "TSV").splitlines()
    assert [line.split()[0] for line in lines] == [
        "system",
        *(score.system for score in in_order(context)),
    ]
    assert " to " in lines[1]
    page.run("""document.querySelector(".base").click();
        const field = document.getElementById("wanted");
        field.value = "ea";
        field.dispatchEvent(new InputEvent("input", {bubbles: true}));""")
    head, row = copied(page, "table.grid", "TSV").splitlines()
    assert row.split("\t")[0] == "eager"
    assert " to " not in row
    assert len(row.split("\t")) == len(head.split("\t"))


def test_signs_of_latex_and_markdown_are_escaped(page: Browser) -> None:
    page.run(
        r"""document.querySelector("table.ranked tbody .system").textContent = "a_b|50% {x} \\y"; """
    )
    assert r"a\_b\textbar{}50\% \{x\} \textbackslash{}y" in copied(
        page, "table.ranked", "LaTeX"
    )
    assert r"a\_b\|50% {x} \\y" in copied(page, "table.ranked", "Markdown")
    page.run(
        """document.querySelector("table.ranked tbody .system").textContent = "=1+2"; """
    )
    assert "\t'=1+2\t" in copied(page, "table.ranked", "TSV")


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
    _, cells = ranked_table(context.results, in_order(context), 2, ())
    whole = page.run(chosen, False).splitlines()
    assert [line.split("\t") for line in whole[1:]] == cells
    assert page.run(chosen, True).splitlines() == ["\t".join(cells[1])]


def test_figures_and_tables_are_saved(page: Browser, tmp_path: Path) -> None:
    page.driver.execute_cdp_cmd(
        "Browser.setDownloadBehavior",
        {"behavior": "allow", "downloadPath": str(tmp_path)},
    )
    save = """document.querySelector(arguments[0]).click();
        document.querySelector(`.takes [aria-label="save as ${arguments[1]}"]`).click();"""
    for button, kind in (
        ("#results .board figure .take", "SVG"),
        ("#compare figure .take", "PNG"),
        (".board > .take", "TSV"),
    ):
        page.run(save, button, kind)
        end = time.monotonic() + PATIENCE
        while not list(tmp_path.glob(f"*.{kind.lower()}")):
            assert time.monotonic() < end, kind
            time.sleep(0.02)
    (drawing,) = tmp_path.glob("*.svg")
    root = ET.fromstring(drawing.read_text(encoding="utf-8"))  # noqa: S314 (the page's own)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    dots = list(root.iter("{http://www.w3.org/2000/svg}circle"))
    assert dots
    # --accent in light colours, as page.css has it
    assert {one.get("fill") for one in dots} == {"rgb(11, 87, 208)"}
    (picture,) = tmp_path.glob("*.png")
    data = picture.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    width = page.run(
        "return document.querySelector('#compare figure svg').viewBox.baseVal.width"
    )
    assert int.from_bytes(data[16:20]) == 3 * width
    asked = [text[:24] for text in page.complaints()]
    # the picture of which the PNG is drawn
    assert asked == ["asks for data:image/svg+"]


def test_the_menu_works_by_keys_and_is_not_printed(page: Browser) -> None:
    from selenium.webdriver.common.keys import Keys

    focus = "return document.activeElement.getAttribute('aria-label')"
    page.run("document.querySelector('.board > .take').focus()")
    assert page.run(focus) == "copy or save: GLEU+ on sample"
    page.press(Keys.ENTER)
    assert page.run(focus) == "copy as TSV"
    page.press(Keys.ARROW_DOWN, Keys.ARROW_RIGHT)
    assert page.run(focus) == "save as Markdown"
    page.press(Keys.ESCAPE)
    assert page.run(focus) == "copy or save: GLEU+ on sample"
    assert (
        page.run(
            "return document.querySelector('.takes').matches(':popover-open')"
        )
        is False
    )
    page.size(media="print")
    assert (
        page.run(
            "return [...document.querySelectorAll('.take')].filter((one) => one.checkVisibility()).length"
        )
        == 0
    )
    page.size()
